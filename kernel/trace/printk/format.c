// SPDX-License-Identifier: GPL-2.0
/*
 * Formats of trace_printk(). Records point to them, so the formats of a module must
 * outlive the module: when it is loaded, each is replaced by a copy that is never
 * freed. The list of formats, for programs that decode raw pages, also has the strings
 * of tracepoints, which records point to as well.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "printk/internal.h"

/* @format points to @text, as the list of formats wants the address of a pointer. */
struct kept_format {
	struct list_head	list;
	const char		*format;
	char			text[];
};

/* The mutex covers the list, which grows only. */
static DEFINE_MUTEX(kept_formats_mutex);
static LIST_HEAD(kept_formats);

void trace_printk_formats_lock(void)
{
	mutex_lock(&kept_formats_mutex);
}

void trace_printk_formats_unlock(void)
{
	mutex_unlock(&kept_formats_mutex);
}

/* Does the kernel itself contain a trace_printk()? */
bool trace_printk_has_formats(void)
{
	return &__start___trace_bprintk_fmt[0] != &__stop___trace_bprintk_fmt[0];
}

/*
 * Format number @pos, NULL behind the last one: those of the kernel come first, then
 * those of modules, then the strings of tracepoints. trace_printk_formats_lock() is held.
 */
const char **trace_printk_format(loff_t pos)
{
	loff_t nr = __stop___trace_bprintk_fmt - __start___trace_bprintk_fmt;
	struct kept_format *kept;

	lockdep_assert_held(&kept_formats_mutex);
	if (pos < nr)
		return __start___trace_bprintk_fmt + pos;
	pos -= nr;
	list_for_each_entry(kept, &kept_formats, list) {
		if (!pos--)
			return &kept->format;
	}
	nr = __stop___tracepoint_str - __start___tracepoint_str;
	return pos < nr ? __start___tracepoint_str + pos : NULL;
}

#ifdef CONFIG_MODULES

/* Told that a module has formats. Set at boot, before the notifier is registered. */
static void (*formats_used)(void) __ro_after_init;

static const char *printk_format_keep(const char *format)
{
	struct kept_format *kept;
	size_t size = strlen(format) + 1;

	lockdep_assert_held(&kept_formats_mutex);
	list_for_each_entry(kept, &kept_formats, list) {
		if (!strcmp(kept->text, format))
			return kept->format;
	}
	kept = kmalloc(struct_size(kept, text, size), GFP_KERNEL);
	if (!kept)
		return NULL;
	memcpy(kept->text, format, size);
	kept->format = kept->text;
	list_add_tail(&kept->list, &kept_formats);
	return kept->format;
}

/*
 * A module is being loaded: let its pointers to formats point to copies. Its code loads
 * them at each call. Without memory for a copy the pointer becomes NULL, which
 * __trace_bprintk(), __ftrace_vbprintk() and __trace_bputs() refuse.
 */
static int printk_format_module_coming(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	const char **format = mod->trace_bprintk_fmt_start;
	unsigned int i;

	if (state != MODULE_STATE_COMING || !mod->num_trace_bprintk_fmt)
		return NOTIFY_DONE;

	trace_printk_formats_lock();
	for (i = 0; i < mod->num_trace_bprintk_fmt; i++) {
		if (format[i])
			format[i] = printk_format_keep(format[i]);
	}
	trace_printk_formats_unlock();
	formats_used();
	return NOTIFY_OK;
}

static struct notifier_block printk_module_nb = {
	.notifier_call = printk_format_module_coming,
};

/* Keep formats of modules, and call @used when a module that comes has some. Boot. */
int __init trace_printk_formats_init(void (*used)(void))
{
	formats_used = used;
	return register_module_notifier(&printk_module_nb);
}

#else

int __init trace_printk_formats_init(void (*used)(void))
{
	return 0;
}

#endif
