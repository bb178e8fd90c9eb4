// SPDX-License-Identifier: GPL-2.0
/*
 * Options of an instance. The components know the effect of each option. The options of tracers
 * are in tracer_option.c, the files of both in option_file.c.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "instance/component.h"
#include "instance/internal.h"
#include "instance/option.h"
#include "lib/lib.h"

#define OPTIONS_DEFAULT							\
	(TRACE_OPT_PRINT_PARENT | TRACE_OPT_PRINTK | TRACE_OPT_ANNOTATE | \
	 TRACE_OPT_CONTEXT_INFO | TRACE_OPT_RECORD_CMD | TRACE_OPT_OVERWRITE | \
	 TRACE_OPT_IRQ_INFO | TRACE_OPT_MARKERS | TRACE_OPT_HASH_PTR |	\
	 TRACE_OPT_FUNCTION)
/* Options that only the top instance has on in the beginning. */
#define OPTIONS_DEFAULT_TOP	TRACE_OPT_PRINTK_DEST
/* Options that a new instance does not take over from the top one. */
#define OPTIONS_NOT_TAKEN						\
	(TRACE_OPT_PRINTK_DEST | TRACE_OPT_EVENT_FORK | TRACE_OPT_FUNC_FORK)

const char * const trace_option_names[TRACE_OPT_COUNT] = {
#define X(bit, name)	name,
	TRACE_OPTIONS(X)
#undef X
};

/* The options of the command line: read again for each tracer that appears. */
static char boot_options[COMMAND_LINE_SIZE] __initdata;

static int __init option_boot_setup(char *text)
{
	trace_words_append(boot_options, sizeof(boot_options), text);
	return 1;
}
__setup("trace_options=", option_boot_setup);

/**
 * trace_option_set - switch an option of an instance
 * @tr: the instance
 * @opt: one TRACE_OPT_*
 * @on: on or off; no change is no error
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, or the errno with which a component refuses; then nothing was
 * changed.
 */
int trace_option_set(struct trace_array *tr, u32 opt, bool on)
{
	int ret;

	trace_instances_assert_locked();
	if (trace_option(tr, opt) == on)
		return 0;
	ret = trace_components_option_changing(tr, opt, on);
	if (ret)
		return ret;
	WRITE_ONCE(tr->options, on ? tr->options | opt : tr->options & ~opt);
	trace_components_option_changed(tr, opt, on);
	return 0;
}

/* "noNAME" means off, for every name. */
const char *trace_option_strip_no(const char *text, bool *on)
{
	*on = strncmp(text, "no", 2);
	return *on ? text : text + 2;
}

/**
 * trace_option_set_word - switch an option of an instance by its name
 * @tr: the instance
 * @word: "NAME" or "noNAME"
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0; -ENOENT when no instance has an option of this name, or as
 * trace_option_set().
 */
int trace_option_set_word(struct trace_array *tr, const char *word)
{
	const char *name;
	bool on;
	int bit;

	name = trace_option_strip_no(word, &on);
	bit = match_string(trace_option_names, TRACE_OPT_COUNT, name);
	return bit < 0 ? -ENOENT : trace_option_set(tr, 1U << bit, on);
}

/**
 * trace_option_next_boot - the words of trace_options=, one by one
 * @pos: NULL for the first one; goes on
 * @word: where the word goes, without white space around it
 * @size: the room there
 *
 * Context: boot.
 * Return: the word; NULL at the end.
 */
char * __init trace_option_next_boot(const char **pos, char *word, size_t size)
{
	const char *start = *pos ?: boot_options;
	size_t len;

	start += strspn(start, ", ");
	len = strcspn(start, ",");
	if (!len)
		return NULL;
	strscpy(word, start, min(size, len + 1));
	*pos = start + len;
	return strstrip(word);
}

/**
 * trace_options_boot - the top instance takes its options from the command line
 *
 * Context: boot, after the top instance was made; takes trace_instances_lock().
 */
void __init trace_options_boot(void)
{
	struct trace_array *tr = trace_top_instance();
	const char *pos = NULL;
	char text[64], *word;
	int ret;

	guard(trace_instances)();
	while ((word = trace_option_next_boot(&pos, text, sizeof(text)))) {
		ret = trace_option_set_word(tr, word);
		/* A name that is unknown may belong to a tracer that is registered later. */
		if (ret && ret != -ENOENT)
			pr_warn("tracing: trace_options=%s: error %d\n", word, ret);
	}
}

static int option_create(struct trace_array *tr)
{
	if (tr->name)
		tr->options = trace_top_instance()->options & ~OPTIONS_NOT_TAKEN;
	else
		tr->options = OPTIONS_DEFAULT | OPTIONS_DEFAULT_TOP;
	return 0;
}

/* It comes before all components that look at options when they are created. */
struct trace_component trace_option_component __ro_after_init = {
	.name		= "options",
	.create		= option_create,
};
