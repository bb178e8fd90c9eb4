// SPDX-License-Identifier: GPL-2.0
/*
 * Instances of the command line:
 *
 *	trace_instance=NAME[^FLAG...][@MEMORY][,EVENT...]
 *
 * MEMORY is the label of a reserve_mem= parameter, or ADDRESS:SIZE of memory that memmap=
 * has taken out of use. setup.c hands over the function that enables the events, since
 * this folder knows none.
 */
#include <linux/ctype.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "instance/buffers.h"
#include "instance/internal.h"
#include "instance/option.h"

/* The parameters one after the other. Each ends with a line feed, which none contains. */
static char boot_instances[COMMAND_LINE_SIZE] __initdata;

static int __init boot_instances_setup(char *text)
{
	if (strlen(boot_instances) + strlen(text) + 1 >= sizeof(boot_instances)) {
		pr_warn("tracing: no room for trace_instance=%s\n", text);
		return 1;
	}
	strcat(boot_instances, text);
	strcat(boot_instances, "\n");
	return 1;
}
__setup("trace_instance=", boot_instances_setup);

/**
 * struct boot_instance - one parameter, parsed
 * @name:	of the instance
 * @memory:	where its buffer shall be; the size is 0 if no memory is named
 * @off:	the flag traceoff is there
 * @printk:	the flag traceprintk is there
 */
struct boot_instance {
	const char		*name;
	struct trace_memory	memory;
	bool			off;
	bool			printk;
};

static int __init boot_memory_parse(struct trace_memory *memory, char *text)
{
	if (!isdigit(*text))
		return reserve_mem_find_by_name(text, &memory->start, &memory->size) ? 0 : -ENOENT;

	memory->start = memparse(text, &text);
	if (*text++ != ':')
		return -EINVAL;
	memory->size = memparse(text, &text);
	return memory->start && memory->size && !*text ? 0 : -EINVAL;
}

static int __init boot_instance_parse(struct boot_instance *boot, char *text)
{
	char *memory = text, *flags, *flag;
	int ret;

	flags = strsep(&memory, "@");
	boot->name = strsep(&flags, "^");
	if (!*boot->name)
		return -EINVAL;
	while ((flag = strsep(&flags, "^"))) {
		if (!strcmp(flag, "traceoff"))
			boot->off = true;
		else if (!strcmp(flag, "traceprintk") || !strcmp(flag, "trace_printk") ||
			 !strcmp(flag, "printk"))
			boot->printk = true;
		else
			pr_info("tracing: invalid instance flag '%s' for %s\n", flag,
				boot->name);
	}
	if (!memory)
		return 0;
	ret = boot_memory_parse(&boot->memory, memory);
	if (ret)
		pr_warn("tracing: instance %s: no memory '%s'\n", boot->name, memory);
	return ret;
}

static struct trace_array *__init boot_instance_make(const struct boot_instance *boot)
{
	struct trace_array *tr;
	int ret;

	guard(trace_instances)();
	tr = trace_instance_create(boot->name, &boot->memory);
	if (IS_ERR(tr))
		return tr;
	if (boot->off)
		trace_array_off(tr);
	ret = boot->printk ? trace_option_set(tr, TRACE_OPT_PRINTK_DEST, true) : 0;
	if (ret)
		pr_warn("tracing: instance %s: no trace_printk(): error %d\n", boot->name, ret);
	if (tr->memory) {
		pr_info("tracing: instance %s at %pa, %pa bytes\n", boot->name,
			&boot->memory.start, &boot->memory.size);
		/* The next boot shall find this buffer: nobody may remove the instance. */
		trace_array_get(tr);
	}
	return tr;
}

/**
 * trace_instances_boot - make the instances of the command line
 * @enable_events: called for each with the events it is to have on, separated
 *	by commas; changes the text
 *
 * Context: boot, RCU and the events are up; takes trace_instances_lock().
 */
void __init trace_instances_boot(void (*enable_events)(struct trace_array *tr, char *events))
{
	char *rest = boot_instances, *events, *text;

	while ((events = strsep(&rest, "\n"))) {
		struct boot_instance boot = {};
		struct trace_array *tr;
		int ret;

		/* Each parameter ends with a line feed, so the last piece is empty. */
		if (!rest)
			break;
		text = strsep(&events, ",");
		ret = boot_instance_parse(&boot, text);
		if (!ret) {
			tr = boot_instance_make(&boot);
			ret = PTR_ERR_OR_ZERO(tr);
		}
		if (ret)
			pr_warn("tracing: no instance '%s': error %d\n", text, ret);
		else if (events)
			enable_events(tr, events);
	}
}
