// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace_dump(): prints the records to the console, for sysrq, an oops, a panic or
 * from NMI. It uses memory that was allocated at boot. The only lock that it takes is
 * the ring buffer's reader_lock, which an NMI only tries. Tracing stays switched off.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/nmi.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/smp.h>

#include "instance/buffers.h"
#include "reader/internal.h"

/* Consoles are slow and lines of a dump are short. */
#define DUMP_LINE_MAX	1000

static const char dump_rule[] = "---------------------------------\n";

/*
 * The only reader of dumps. It belongs to the CPU that has set dump_running. Its memory
 * does not grow, since its print.dump is set.
 */
static struct trace_reader *dump_reader;
static atomic_t dump_running = ATOMIC_INIT(0);

/*
 * All instances, for dumps, which cannot take trace_instances_lock(). The list is written
 * under that lock and read under RCU.
 */
static LIST_HEAD(dump_instances);		/* instances lock, RCU */

/**
 * trace_dump_add - let dumps find an instance by its name
 * @readers: of the instance
 *
 * Context: task, trace_instances_lock() is held.
 */
void trace_dump_add(struct trace_readers *readers)
{
	trace_instances_assert_locked();
	list_add_tail_rcu(&readers->list, &dump_instances);
}

/**
 * trace_dump_remove - undo trace_dump_add()
 * @readers: may be freed when a grace period has passed
 *
 * Context: task, trace_instances_lock() is held.
 */
void trace_dump_remove(struct trace_readers *readers)
{
	trace_instances_assert_locked();
	list_del_rcu(&readers->list);
}

static void dump_line(struct trace_seq *s)
{
	s->buffer[min(trace_seq_used(s), DUMP_LINE_MAX)] = '\0';
	pr_emerg("%s", s->buffer);
	trace_seq_init(s);
}

static void dump_records(struct trace_reader *reader)
{
	struct trace_iterator *iter = &reader->iter;
	/* The dump ends even if an oops has damaged the buffer. */
	unsigned long left = ring_buffer_entries(iter->array_buffer->buffer);
	bool any = false;

	trace_seq_init(&iter->seq);
	for (; left && trace_iter_next(iter); left--) {
		if (!any)
			pr_emerg("%s", dump_rule);
		any = true;
		if (trace_print_record(iter) != TRACE_TYPE_NO_CONSUME)
			trace_iter_consume(iter);
		touch_nmi_watchdog();
		dump_line(&iter->seq);
	}
	if (any)
		pr_emerg("%s", dump_rule);
	else
		pr_emerg("   (ftrace buffer empty)\n");
}

static void dump_instance(struct trace_array *tr, bool this_cpu)
{
	struct trace_reader *reader = dump_reader;
	unsigned long flags;

	/* Records of the dump itself would overwrite those that it is about. */
	trace_array_off(tr);
	local_irq_save(flags);
	if (tr->name)
		pr_emerg("Dumping ftrace instance %s buffer:\n", tr->name);
	else
		pr_emerg("Dumping ftrace buffer:\n");
	trace_reader_select(reader, tr, this_cpu ? raw_smp_processor_id() :
						   RING_BUFFER_ALL_CPUS);
	trace_reader_update(reader);
	reader->iter.iter_flags |= TRACE_FILE_LAT_FMT;
	trace_reader_rewind(reader);
	dump_records(reader);
	local_irq_restore(flags);
}

static void dump_by_name(const char *name, bool this_cpu)
{
	struct trace_readers *readers;

	guard(rcu)();
	list_for_each_entry_rcu(readers, &dump_instances, list) {
		if (readers->tr->name && !strcmp(readers->tr->name, name)) {
			dump_instance(readers->tr, this_cpu);
			return;
		}
	}
	pr_emerg("Instance %s not found\n", name);
}

static bool dump_means_this_cpu(const char *text)
{
	return text && (!strcmp(text, "2") || !strcmp(text, "orig_cpu"));
}

/* ftrace_dump_on_oops: "1", "2", "orig_cpu" or NAME[=2|=orig_cpu], by commas. */
static void dump_by_parameter(void)
{
	char text[MAX_TRACER_SIZE], *next = text, *name, *which;

	strscpy(text, ftrace_dump_on_oops);
	while ((name = strsep(&next, ","))) {
		if (!*name || !strcmp(name, "0"))
			continue;
		if (!strcmp(name, "1") || dump_means_this_cpu(name)) {
			dump_instance(trace_top_instance(), dump_means_this_cpu(name));
			continue;
		}
		which = name;
		name = strsep(&which, "=");
		dump_by_name(name, dump_means_this_cpu(which));
	}
}

/**
 * ftrace_dump - print the records of the trace buffers to the console
 * @oops_dump_mode: DUMP_ALL or DUMP_ORIG (the CPU that calls) of the top
 *	instance, DUMP_PARAM as kernel.ftrace_dump_on_oops says
 *
 * The records are consumed, and tracing is off afterwards. A call during a
 * dump does nothing.
 *
 * Context: any, NMI included.
 */
void ftrace_dump(enum ftrace_dump_mode oops_dump_mode)
{
	/* DR: see the reader as the last dump has left it. Pairs with the release below. */
	if (!dump_reader || atomic_cmpxchg_acquire(&dump_running, 0, 1))
		return;
	switch (oops_dump_mode) {
	case DUMP_ALL:
	case DUMP_ORIG:
		dump_instance(trace_top_instance(), oops_dump_mode == DUMP_ORIG);
		break;
	case DUMP_PARAM:
		dump_by_parameter();
		break;
	case DUMP_NONE:
		break;
	}
	atomic_set_release(&dump_running, 0);	/* DR: pairs with the acquire above */
}
EXPORT_SYMBOL_GPL(ftrace_dump);

static int dump_on_panic(struct notifier_block *nb, unsigned long action, void *data)
{
	if (ftrace_dump_on_oops_enabled())
		ftrace_dump(DUMP_PARAM);
	return NOTIFY_DONE;
}

static int dump_on_die(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == DIE_OOPS && ftrace_dump_on_oops_enabled())
		ftrace_dump(DUMP_PARAM);
	return NOTIFY_DONE;
}

/* Dumps come before the notifiers that reboot or, on UML, end the machine at once. */
static struct notifier_block panic_nb = {
	.notifier_call	= dump_on_panic,
	.priority	= INT_MAX,
};

static struct notifier_block die_nb = {
	.notifier_call	= dump_on_die,
	.priority	= INT_MAX,
};

/**
 * trace_dump_init - prepare dumps, and do them on an oops or a panic
 *
 * Context: early boot, after the top instance was made.
 * Return: 0, -ENODEV without a top instance, -ENOMEM.
 */
int __init trace_dump_init(void)
{
	struct trace_reader *reader;

	if (!trace_top_instance())
		return -ENODEV;
	reader = trace_reader_alloc(trace_top_instance(), RING_BUFFER_ALL_CPUS);
	if (!reader)
		return -ENOMEM;
	reader->print.dump = true;
	dump_reader = reader;
	atomic_notifier_chain_register(&panic_notifier_list, &panic_nb);
	return register_die_notifier(&die_nb);
}
