// SPDX-License-Identifier: GPL-2.0
/*
 * trace_printk() and its kin: text and stacks that the kernel writes into the trace. A
 * constant format is stored as a pointer with its arguments in binary and
 * printed when the trace is read; other text is formatted at once.
 *
 * Each function that others call is one frame on the stack, and so is the
 * noinline one below it that writes the record: a stack that is recorded with
 * the text leaves out those two, see PRINTK_FRAMES.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/option.h"
#include "printk/internal.h"
#include "record/scratch.h"

#define PRINTK_SIZE	1024

/* The function that writes the record, and the one that others call. */
#define PRINTK_FRAMES	2
/* Stands behind a call that must not become a tail call, which leaves no frame. */
#define printk_keep_frame()	barrier()

/* Text and arguments are put here first, as their length is not known before. */
union printk_place {
	char	text[PRINTK_SIZE];
	u32	words[PRINTK_SIZE / sizeof(u32)];
};

struct printk_scratch {
	unsigned int		used;		/* own CPU */
	union printk_place	place[TRACE_CONTEXTS];
};

static struct printk_scratch __percpu *printk_places;	/* instances lock; any context reads it */
static struct trace_array *printk_dest;			/* instances lock; any context reads it */
static bool printk_started;				/* instances lock; by printk_start() */
static bool printk_is_late;				/* instances lock; has names of tasks */

static int printk_scratch_alloc(void)
{
	struct printk_scratch __percpu *new;

	trace_instances_assert_locked();
	if (printk_places)
		return 0;
	new = alloc_percpu(struct printk_scratch);
	if (!new)
		return -ENOMEM;
	/*
	 * PS: a writer that loads the address finds the places zeroed. Pairs with the
	 * address dependency in printk_place_get().
	 */
	smp_store_release(&printk_places, new);
	return 0;
}

static union printk_place *printk_place_get(void)
{
	/* PS: pairs with the release in printk_scratch_alloc(). */
	struct printk_scratch __percpu *all = READ_ONCE(printk_places);

	return all ? trace_scratch_get(this_cpu_ptr(all)) : NULL;
}

static void printk_place_put(void)
{
	trace_scratch_put(this_cpu_ptr(printk_places));
}

/*
 * Let trace_printk() write into @tr. The option trace_printk_dest is on there from
 * now on, and off in the instance before.
 */
static void printk_set_dest(struct trace_array *tr)
{
	struct trace_array *old = printk_dest;

	trace_instances_assert_locked();
	if (old && old != tr)
		WRITE_ONCE(old->options, old->options & ~TRACE_OPT_PRINTK_DEST);
	WRITE_ONCE(tr->options, tr->options | TRACE_OPT_PRINTK_DEST);
	/*
	 * PD: a writer that loads the address finds the instance set up. Pairs with the
	 * address dependency in printk_get_dest().
	 */
	smp_store_release(&printk_dest, tr);
}

/*
 * The destination of trace_printk() may be removed at any time. The removal waits until code
 * that runs with preemption disabled is done, but only where RCU is watching. Code where it is
 * not writes to the top instance, which is never removed.
 */
static struct trace_array *printk_get_dest(void)
{
	/* PD: pairs with the release in printk_set_dest(). */
	struct trace_array *tr = READ_ONCE(printk_dest);

	return rcu_is_watching() ? tr : trace_top_instance();
}

/**
 * trace_printk_target - where text goes
 * @tr: an instance that its caller holds; NULL: the one of trace_printk()
 *
 * Context: any, with preemption off until the text was written.
 * Return: the instance, NULL when nothing is to be written.
 */
struct trace_array *trace_printk_target(struct trace_array *tr)
{
	if (!tr)
		tr = printk_get_dest();
	if (!tr || !trace_option(tr, TRACE_OPT_PRINTK) || trace_disabled_for_good())
		return NULL;
	return tr;
}

/*
 * The functions from here to printk_format_words() run with preemption off, which
 * keeps the instance, and end up in one frame, that of printk_string() or
 * printk_format(). They return what the exported functions return.
 *
 * A string gets a newline if it has none, which does not count in the return value. The
 * text that a format produces is written without one.
 */
static __always_inline int printk_write_text(struct trace_array *tr, unsigned long ip,
					     const char *text, int size, bool end_line,
					     unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_print_entry *entry;
	struct ring_buffer_event *event;

	entry = trace_record_reserve(buffer, TRACE_PRINT, trace_text_size(size), trace_ctx,
				     &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	memcpy(entry->buf, text, size);
	if (end_line)
		trace_text_end_line(entry, size);
	else
		entry->buf[size] = '\0';
	trace_commit_stack(tr, buffer, trace_ctx, PRINTK_FRAMES, NULL);
	return size;
}

static __always_inline int printk_write_constant(struct trace_array *tr, unsigned long ip,
						 const char *str, unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_bputs_entry *entry;
	struct ring_buffer_event *event;

	/* The buffer is kept over a reboot, and the next boot cannot follow a pointer. */
	if (unlikely(tr->memory))
		return printk_write_text(tr, ip, str, strlen(str), true, trace_ctx);
	entry = trace_record_reserve(buffer, TRACE_BPUTS, sizeof(*entry), trace_ctx, &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	entry->str = str;
	trace_commit_stack(tr, buffer, trace_ctx, PRINTK_FRAMES, NULL);
	return 1;
}

static __always_inline int printk_write_words(struct trace_array *tr, unsigned long ip,
					      const char *fmt, const u32 *words, int nr,
					      unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_bprint_entry *entry;
	struct ring_buffer_event *event;

	entry = trace_record_reserve(buffer, TRACE_BPRINT, struct_size(entry, buf, nr), trace_ctx,
				     &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	entry->fmt = fmt;
	memcpy(entry->buf, words, nr * sizeof(*words));
	trace_commit_stack(tr, buffer, trace_ctx, PRINTK_FRAMES, NULL);
	return nr;
}

static __always_inline __printf(3, 0)
int printk_format_text(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args,
		       unsigned int trace_ctx)
{
	union printk_place *place = printk_place_get();
	int len;

	if (!place)
		return 0;
	len = vscnprintf(place->text, sizeof(place->text), fmt, args);
	len = printk_write_text(tr, ip, place->text, len, false, trace_ctx);
	printk_place_put();
	return len;
}

/* Arguments that do not fit are not written: a reader would take half of them wrongly. */
static __always_inline __printf(3, 0)
int printk_format_words(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args,
			unsigned int trace_ctx)
{
	union printk_place *place;
	int nr;

	/* As in printk_write_constant(), the format is a pointer. */
	if (unlikely(tr->memory))
		return printk_format_text(tr, ip, fmt, args, trace_ctx);
	place = printk_place_get();
	if (!place)
		return 0;
	nr = vbin_printf(place->words, ARRAY_SIZE(place->words), fmt, args);
	if (nr < 0 || nr > ARRAY_SIZE(place->words))
		nr = 0;
	else
		nr = printk_write_words(tr, ip, fmt, place->words, nr, trace_ctx);
	printk_place_put();
	return nr;
}

/*
 * Write a string into @tr, or where trace_printk() goes if that is NULL. If it is
 * @constant, the record holds its address instead of its @size bytes.
 */
static noinline int printk_string(struct trace_array *tr, unsigned long ip, bool constant,
				  const char *str, int size)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	int ret = 0;

	preempt_disable_notrace();
	tr = trace_printk_target(tr);
	if (tr)
		ret = constant ? printk_write_constant(tr, ip, str, trace_ctx) :
				 printk_write_text(tr, ip, str, size, true, trace_ctx);
	preempt_enable_notrace();
	return ret;
}

/*
 * Write what a format makes of its arguments. If the format is @constant, the record
 * holds its address and the arguments in binary.
 */
static noinline __printf(4, 0)
int printk_format(struct trace_array *tr, unsigned long ip, bool constant, const char *fmt,
		  va_list args)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	int ret = 0;

	preempt_disable_notrace();
	tr = trace_printk_target(tr);
	if (tr)
		ret = constant ? printk_format_words(tr, ip, fmt, args, trace_ctx) :
				 printk_format_text(tr, ip, fmt, args, trace_ctx);
	preempt_enable_notrace();
	return ret;
}

/**
 * __trace_array_puts - write a string into an instance's trace
 * @tr: the instance
 * @ip: who writes
 * @str: the string
 * @size: its length
 *
 * A newline is added where it is missing.
 *
 * Context: any.
 * Return: @size, 0 when nothing was written.
 */
noinline int __trace_array_puts(struct trace_array *tr, unsigned long ip,
				const char *str, int size)
{
	int ret = tr ? printk_string(tr, ip, false, str, size) : 0;

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_array_puts);

/**
 * __trace_puts - write a string into the trace; see trace_puts()
 * @ip: who writes
 * @str: the string
 * @size: its length
 *
 * A newline is added where it is missing.
 *
 * Context: any.
 * Return: @size, 0 when nothing was written.
 */
noinline int __trace_puts(unsigned long ip, const char *str, int size)
{
	int ret = printk_string(NULL, ip, false, str, size);

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_puts);

/**
 * __trace_bputs - write a pointer to a constant string; see trace_puts()
 * @ip: who writes
 * @str: the string, from the section __trace_printk_fmt; NULL: the module's could not be kept
 *
 * Context: any.
 * Return: not 0, or 0 when nothing was written.
 */
noinline int __trace_bputs(unsigned long ip, const char *str)
{
	int ret = str ? printk_string(NULL, ip, true, str, 0) : 0;

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_bputs);

/**
 * trace_vbprintk - write a constant format with its arguments
 * @ip: who writes
 * @fmt: lives as long as the trace
 * @args: the arguments
 *
 * Context: any.
 * Return: 32-bit words of arguments, 0 when nothing was written.
 */
noinline int trace_vbprintk(unsigned long ip, const char *fmt, va_list args)
{
	int ret = printk_format(NULL, ip, true, fmt, args);

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(trace_vbprintk);

/**
 * trace_vprintk - write formatted text into the trace
 * @ip: who writes
 * @fmt: any format
 * @args: its arguments
 *
 * Context: any.
 * Return: bytes written, 0 when nothing was.
 */
noinline int trace_vprintk(unsigned long ip, const char *fmt, va_list args)
{
	int ret = printk_format(NULL, ip, false, fmt, args);

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(trace_vprintk);

/**
 * __trace_bprintk - trace_printk() with a constant format
 * @ip: who writes
 * @fmt: from the section __trace_printk_fmt; NULL: the module's could not be kept
 *
 * Context: any.
 * Return: 32-bit words of arguments, 0 when nothing was written.
 */
noinline int __trace_bprintk(unsigned long ip, const char *fmt, ...)
{
	int ret = 0;
	va_list args;

	va_start(args, fmt);
	if (fmt)
		ret = printk_format(NULL, ip, true, fmt, args);
	va_end(args);
	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_bprintk);

/**
 * __ftrace_vbprintk - ftrace_vprintk() with a constant format
 * @ip: who writes
 * @fmt: as in __trace_bprintk()
 * @ap: the arguments
 *
 * Context: any.
 * Return: 32-bit words of arguments, 0 when nothing was written.
 */
noinline int __ftrace_vbprintk(unsigned long ip, const char *fmt, va_list ap)
{
	int ret = fmt ? printk_format(NULL, ip, true, fmt, ap) : 0;

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__ftrace_vbprintk);

/**
 * __trace_printk - trace_printk() with a format that is made at run time
 * @ip: who writes
 * @fmt: any format
 *
 * Context: any.
 * Return: bytes written, 0 when nothing was.
 */
noinline int __trace_printk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = printk_format(NULL, ip, false, fmt, args);
	va_end(args);
	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_printk);

/**
 * __ftrace_vprintk - ftrace_vprintk() with a format that is made at run time
 * @ip: who writes
 * @fmt: any format
 * @ap: the arguments
 *
 * Context: any.
 * Return: bytes written, 0 when nothing was.
 */
noinline int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list ap)
{
	int ret = printk_format(NULL, ip, false, fmt, ap);

	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__ftrace_vprintk);

/**
 * trace_array_printk - write formatted text into an instance that was created
 * @tr: not the top instance: that one belongs to the user, see trace_printk()
 * @ip: who writes, usually _THIS_IP_
 * @fmt: any format
 *
 * trace_array_init_printk() must have been called.
 *
 * Context: any.
 * Return: bytes written, 0 when nothing was, -ENOENT without @tr.
 */
noinline int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...)
{
	int ret = -ENOENT;
	va_list args;

	va_start(args, fmt);
	if (tr)
		ret = tr->name ? printk_format(tr, ip, false, fmt, args) : 0;
	va_end(args);
	printk_keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(trace_array_printk);

/**
 * trace_dump_stack - write the caller's stack where trace_printk() writes
 * @skip: frames to leave out, 0: the caller is the first one shown
 *
 * The option trace_printk switches text off, not stacks.
 *
 * Context: any.
 */
noinline void trace_dump_stack(int skip)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_array *tr;

	preempt_disable_notrace();
	tr = printk_get_dest();
	if (tr && !trace_disabled_for_good())
		trace_stack_write(tr->array_buffer.buffer, trace_ctx, skip + 1, NULL);
	preempt_enable_notrace();
	printk_keep_frame();
}
EXPORT_SYMBOL_GPL(trace_dump_stack);

/**
 * trace_array_init_printk - make trace_array_printk() possible
 * @tr: the instance
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0, -ENOENT without @tr, -EINVAL for the top instance, -ENOMEM.
 */
int trace_array_init_printk(struct trace_array *tr)
{
	if (!tr)
		return -ENOENT;
	if (tr == trace_top_instance())
		return -EINVAL;
	guard(trace_instances)();
	return printk_scratch_alloc();
}
EXPORT_SYMBOL_GPL(trace_array_init_printk);

/*
 * The kernel or a module contains trace_printk(): make it work, and warn of it, once. The
 * places may be there already: trace_array_init_printk() needs nothing else.
 */
static void printk_start(struct trace_array *top)
{
	trace_instances_assert_locked();
	if (printk_started || !top)
		return;
	if (printk_scratch_alloc()) {
		pr_err("tracing: no memory for trace_printk()\n");
		return;
	}
	printk_started = true;
	pr_warn("tracing: this kernel or a module of it uses trace_printk(), a debugging aid:\n");
	pr_warn("tracing: memory was allocated for it; do not run this in production\n");
	if (trace_array_expand(top))
		pr_warn("tracing: the buffer keeps its boot-time size\n");
	if (printk_is_late)
		trace_comm_get();
}

/**
 * trace_printk_init_buffers - make trace_printk() work
 *
 * Done by itself when the kernel or a module that is loaded contains one.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 */
void trace_printk_init_buffers(void)
{
	guard(trace_instances)();
	printk_start(trace_top_instance());
}
EXPORT_SYMBOL_GPL(trace_printk_init_buffers);

/* trace_printk() writes into the top instance until a user chooses another one. */
static int printk_create(struct trace_array *tr)
{
	if (tr->name)
		return 0;
	printk_set_dest(tr);
	if (trace_printk_has_formats())
		printk_start(tr);
	return 0;
}

static int printk_create_files(struct trace_array *tr, struct dentry *dir)
{
	int ret = trace_marker_create_files(tr, dir);

	if (!ret && !tr->name)
		ret = trace_printk_create_formats(dir, tr);
	return ret;
}

/*
 * A CPU that has loaded the destination writes into it with preemption off, and the
 * removal of an instance waits for a grace period before it frees anything.
 */
static bool printk_retreat(struct trace_array *tr)
{
	if (printk_dest != tr)
		return false;
	if (trace_top_instance())
		printk_set_dest(trace_top_instance());
	else
		WRITE_ONCE(printk_dest, NULL);
	return false;
}

static void printk_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	if (opt == TRACE_OPT_PRINTK_DEST)
		printk_set_dest(on ? tr : trace_top_instance());
}

/*
 * trace_printk() always has a destination: the option is switched off by switching it
 * on in another instance, and in any but the top one, which takes over then.
 */
static int printk_option_changing(struct trace_array *tr, u32 opt, bool on)
{
	return opt == TRACE_OPT_PRINTK_DEST && !on && !tr->name ? -EINVAL : 0;
}

struct trace_component trace_printk_component __ro_after_init = {
	.name			= "printk",
	.readme			=
		"\n"
		"Writing\n"
		"  trace_marker\t\t- text written here becomes a record\n"
		"  trace_marker_raw\t- bytes written here become a record; 4 bytes of tag first\n"
		"  printk_formats\t- formats of trace_printk() by address\n",
	.create			= printk_create,
	.create_files		= printk_create_files,
	.retreat		= printk_retreat,
	.option_changing	= printk_option_changing,
	.option_changed		= printk_option_changed,
	.slot			= &trace_marker_slot,
};

/**
 * trace_printk_early_init - make text and bytes readable
 *
 * Context: boot, before the top instance.
 */
void __init trace_printk_early_init(void)
{
	WARN_ON(trace_printk_kinds_init() || trace_marker_kinds_init());
}

/**
 * trace_printk_init - be ready for modules
 *
 * Context: boot; tracepoints can be used and modules will come. The notifier of
 * modules takes trace_instances_lock(), so it is registered without it.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_printk_init(void)
{
	scoped_guard(trace_instances) {
		printk_is_late = true;
		if (printk_started)
			trace_comm_get();
	}
	return trace_printk_formats_init(trace_printk_init_buffers);
}
