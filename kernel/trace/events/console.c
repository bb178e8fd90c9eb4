// SPDX-License-Identifier: GPL-2.0
/*
 * tp_printk: prints each record of an event to the console as well, for a machine that
 * crashes before its trace can be read. It is slow.
 *
 * There is one iterator, which belongs to the holder of console_event_lock. An event that
 * printing an event causes on the same CPU is not printed, nor one that waiting for the lock
 * causes, nor one in NMI while another CPU holds the lock.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "events/internal.h"
#include "events/quick.h"

#define FMT_ROOM	128

/* kernel.tracepoint_printk; stays 0 in a kernel booted without tp_printk. */
int tracepoint_printk;

/* trace_export_event_key is on as well, which is what writers look at. */
DEFINE_STATIC_KEY_FALSE(trace_events_console_key);

static struct trace_iterator *console_iter;	/* NULL: tp_printk was not asked for */
static DEFINE_RAW_SPINLOCK(console_event_lock);
/* This CPU prints an event or waits for the lock, with interrupts off. */
static DEFINE_PER_CPU(bool, console_is_busy);
static bool stop_on_boot __initdata;

/*
 * "tp_printk" or "tp_printk=BOOL". __setup() matches by prefix, so this is called for
 * "tp_printk_stop_on_boot", too, and returns 0 so that its own handler gets it.
 */
static int __init console_tp_printk_setup(char *text)
{
	bool on = true;

	if (*text == '=' ? kstrtobool(text + 1, &on) : *text)
		return 0;
	tracepoint_printk = on;
	return 1;
}
__setup("tp_printk", console_tp_printk_setup);

static int __init console_tp_printk_stop_setup(char *text)
{
	stop_on_boot = true;
	return 1;
}
__setup("tp_printk_stop_on_boot", console_tp_printk_stop_setup);

/* Boot, or console_sysctl_mutex is held. */
static void console_switch(bool on)
{
	if (on == static_key_enabled(&trace_events_console_key))
		return;
	if (on) {
		static_branch_enable(&trace_events_console_key);
		static_branch_inc(&trace_export_event_key);
	} else {
		static_branch_dec(&trace_export_event_key);
		static_branch_disable(&trace_events_console_key);
	}
}

/* Boot, when events are registered and none is on: prepare for the boot parameter. */
void __init trace_events_console_init(void)
{
	if (!tracepoint_printk || !trace_top_instance())
		return;
	console_iter = kzalloc(sizeof(*console_iter), GFP_KERNEL);
	if (console_iter)
		console_iter->fmt = kmalloc(FMT_ROOM, GFP_KERNEL);
	if (!console_iter || !console_iter->fmt) {
		pr_warn("tracing: no memory for tp_printk\n");
		kfree(console_iter);
		console_iter = NULL;
		tracepoint_printk = 0;
		return;
	}
	console_iter->fmt_size = FMT_ROOM;
	trace_seq_init(&console_iter->seq);
	trace_seq_init(&console_iter->tmp_seq);
	console_switch(true);
}

static void console_print_event(struct trace_event_buffer *fbuffer)
{
	struct trace_event *event = &fbuffer->trace_file->event_call->event;
	int len;

	console_iter->tr = fbuffer->trace_file->tr;
	console_iter->ent = fbuffer->entry;
	console_iter->cpu = raw_smp_processor_id();
	trace_seq_init(&console_iter->seq);
	trace_seq_init(&console_iter->tmp_seq);
	event->funcs->trace(console_iter, 0, event);
	/* A line that was too long is cut. */
	len = min_t(unsigned int, trace_seq_used(&console_iter->seq), TRACE_SEQ_BUFFER_SIZE);
	/* The level of a printk() without one. */
	pr_warn("%.*s", len, console_iter->seq.buffer);
}

/**
 * trace_events_console - print a record to the console
 * @fbuffer: the record, complete and not committed
 *
 * Context: any, NMI included.
 */
void trace_events_console(struct trace_event_buffer *fbuffer)
{
	struct trace_event *event = &fbuffer->trace_file->event_call->event;
	unsigned long flags;

	if (!event->funcs || !event->funcs->trace ||
	    this_cpu_read(console_is_busy))
		return;
	local_irq_save(flags);
	/* Before the lock is taken: a lock that is contended may cause events, with it held. */
	this_cpu_write(console_is_busy, true);
	if (in_nmi()) {
		if (!raw_spin_trylock(&console_event_lock))
			goto out;
	} else {
		raw_spin_lock(&console_event_lock);
	}
	console_print_event(fbuffer);
	raw_spin_unlock(&console_event_lock);
out:
	this_cpu_write(console_is_busy, false);
	local_irq_restore(flags);
}

/**
 * tracepoint_printk_sysctl - handler of kernel.tracepoint_printk
 * @table: the entry
 * @write: write or read
 * @buffer: the text
 * @lenp: its length
 * @ppos: position in it
 *
 * Only the boot parameter tp_printk allocates what printing needs; without it
 * the switch stays at 0.
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int tracepoint_printk_sysctl(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos)
{
	static DEFINE_MUTEX(console_sysctl_mutex);
	int ret;

	guard(mutex)(&console_sysctl_mutex);
	ret = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!write)
		return ret;
	if (!console_iter)
		tracepoint_printk = 0;
	console_switch(tracepoint_printk);
	return ret;
}

static int __init console_stop_after_boot(void)
{
	if (stop_on_boot && console_iter) {
		tracepoint_printk = 0;
		console_switch(false);
	}
	return 0;
}
late_initcall_sync(console_stop_after_boot);
