// SPDX-License-Identifier: GPL-2.0
/*
 * trace_printk() and its kin: text that the kernel writes into the trace. A
 * constant format is stored as a pointer with its arguments in binary and
 * printed when the trace is read; other text is formatted at once.
 *
 * Each function that others call is one frame on the stack, and so is the
 * noinline one below it that writes the record: a stack that is recorded with
 * the text leaves out those two, see ENTRY_FRAMES.
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
#define ENTRY_FRAMES	2
/* Behind a call that would be a tail call, which leaves no frame. */
#define keep_frame()	barrier()

/* Text is made here before its length is known. */
union printk_place {
	char	text[PRINTK_SIZE];
	u32	words[PRINTK_SIZE / sizeof(u32)];
};

struct printk_scratch {
	unsigned int		used;		/* C */
	union printk_place	place[TRACE_CONTEXTS];
};

static struct printk_scratch __percpu *scratch;	/* made once, N */
static struct trace_array *printk_dest;		/* N, read in any context */
static bool is_late;				/* N, task names can be recorded */

static int alloc_scratch(void)
{
	struct printk_scratch __percpu *new;

	trace_instances_assert_locked();
	if (scratch)
		return 0;
	new = alloc_percpu(struct printk_scratch);
	if (!new)
		return -ENOMEM;
	/* Writers see zeroes behind the address that they load. */
	smp_store_release(&scratch, new);
	return 0;
}

static union printk_place *printk_place_get(void)
{
	struct printk_scratch __percpu *all = READ_ONCE(scratch);

	return all ? trace_scratch_get(this_cpu_ptr(all)) : NULL;
}

static void printk_place_put(void)
{
	trace_scratch_put(this_cpu_ptr(scratch));
}

/* Where trace_printk() goes; the option tells the same in each instance. */
static void printk_set_dest(struct trace_array *tr)
{
	struct trace_array *old = printk_dest;

	trace_instances_assert_locked();
	if (old && old != tr)
		WRITE_ONCE(old->options, old->options & ~TRACE_OPT_PRINTK_DEST);
	WRITE_ONCE(tr->options, tr->options | TRACE_OPT_PRINTK_DEST);
	/* Pairs with the dependency of who loads it: the instance is set up. */
	smp_store_release(&printk_dest, tr);
}

/**
 * trace_printk_target - where text goes
 * @tr: an instance that its caller holds; NULL: the one of trace_printk()
 *
 * The destination of trace_printk() may be removed at any time. Its removal waits
 * for those who run with preemption off, but not where RCU is not watching: text
 * from there goes to the top instance, which stays.
 *
 * Context: any, with preemption off until the text was written.
 * Return: the instance, NULL when nothing is to be written.
 */
struct trace_array *trace_printk_target(struct trace_array *tr)
{
	if (!tr) {
		tr = READ_ONCE(printk_dest);
		if (!rcu_is_watching())
			tr = trace_top_instance();
	}
	if (!tr || !trace_option(tr, TRACE_OPT_PRINTK) || trace_disabled_for_good())
		return NULL;
	return tr;
}

/* Preemption is off, as in all that follow until an exported function. */
static __always_inline int write_text(struct trace_array *tr, unsigned long ip,
				      const char *text, int size, unsigned int trace_ctx)
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
	size = trace_text_end_line(entry, size);
	trace_commit_stack(tr, buffer, trace_ctx, ENTRY_FRAMES, NULL);
	return size;
}

static __always_inline int write_string(struct trace_array *tr, unsigned long ip,
					const char *str, unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_bputs_entry *entry;
	struct ring_buffer_event *event;

	/* A pointer means nothing to the next boot. */
	if (unlikely(tr->memory))
		return write_text(tr, ip, str, strlen(str), trace_ctx) != 0;
	entry = trace_record_reserve(buffer, TRACE_BPUTS, sizeof(*entry), trace_ctx, &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	entry->str = str;
	trace_commit_stack(tr, buffer, trace_ctx, ENTRY_FRAMES, NULL);
	return 1;
}

static __always_inline int write_words(struct trace_array *tr, unsigned long ip, const char *fmt,
				       const u32 *words, int nr, unsigned int trace_ctx)
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
	trace_commit_stack(tr, buffer, trace_ctx, ENTRY_FRAMES, NULL);
	return nr;
}

static __always_inline __printf(3, 0)
int format_text(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args,
		unsigned int trace_ctx)
{
	union printk_place *place = printk_place_get();
	int len;

	if (!place)
		return 0;
	len = vscnprintf(place->text, sizeof(place->text), fmt, args);
	len = write_text(tr, ip, place->text, len, trace_ctx);
	printk_place_put();
	return len;
}

/* What does not fit is not written: half of it would be read wrong. */
static __always_inline __printf(3, 0)
int format_words(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args,
		 unsigned int trace_ctx)
{
	union printk_place *place;
	int nr;

	/* As in write_string(). */
	if (unlikely(tr->memory))
		return format_text(tr, ip, fmt, args, trace_ctx);
	place = printk_place_get();
	if (!place)
		return 0;
	nr = vbin_printf(place->words, ARRAY_SIZE(place->words), fmt, args);
	if (nr < 0 || nr > ARRAY_SIZE(place->words))
		nr = 0;
	else
		nr = write_words(tr, ip, fmt, place->words, nr, trace_ctx);
	printk_place_put();
	return nr;
}

static noinline int printk_string(struct trace_array *tr, unsigned long ip, const char *str,
				  int size)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	int ret = 0;

	preempt_disable_notrace();
	tr = trace_printk_target(tr);
	if (tr)
		ret = write_text(tr, ip, str, size, trace_ctx);
	preempt_enable_notrace();
	return ret;
}

static noinline int printk_constant(unsigned long ip, const char *str)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_array *tr;
	int ret = 0;

	preempt_disable_notrace();
	tr = trace_printk_target(NULL);
	if (tr)
		ret = write_string(tr, ip, str, trace_ctx);
	preempt_enable_notrace();
	return ret;
}

static noinline __printf(3, 0)
int printk_text(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	int ret = 0;

	preempt_disable_notrace();
	tr = trace_printk_target(tr);
	if (tr)
		ret = format_text(tr, ip, fmt, args, trace_ctx);
	preempt_enable_notrace();
	return ret;
}

static noinline __printf(2, 0)
int printk_words(unsigned long ip, const char *fmt, va_list args)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_array *tr;
	int ret = 0;

	preempt_disable_notrace();
	tr = trace_printk_target(NULL);
	if (tr)
		ret = format_words(tr, ip, fmt, args, trace_ctx);
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
 * Context: any.
 * Return: bytes written, 0 when nothing was.
 */
noinline int __trace_array_puts(struct trace_array *tr, unsigned long ip,
				const char *str, int size)
{
	int ret = tr ? printk_string(tr, ip, str, size) : 0;

	keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_array_puts);

/**
 * __trace_puts - write a string into the trace; see trace_puts()
 * @ip: who writes
 * @str: the string
 * @size: its length
 *
 * Context: any.
 * Return: bytes written, 0 when nothing was.
 */
noinline int __trace_puts(unsigned long ip, const char *str, int size)
{
	int ret = printk_string(NULL, ip, str, size);

	keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_puts);

/**
 * __trace_bputs - write a pointer to a constant string; see trace_puts()
 * @ip: who writes
 * @str: the string, from the section __trace_printk_fmt
 *
 * Context: any.
 * Return: 1, 0 when nothing was written.
 */
noinline int __trace_bputs(unsigned long ip, const char *str)
{
	int ret = printk_constant(ip, str);

	keep_frame();
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
	int ret = printk_words(ip, fmt, args);

	keep_frame();
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
	int ret = printk_text(NULL, ip, fmt, args);

	keep_frame();
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
		ret = printk_words(ip, fmt, args);
	va_end(args);
	keep_frame();
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
	int ret = fmt ? printk_words(ip, fmt, ap) : 0;

	keep_frame();
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
	ret = printk_text(NULL, ip, fmt, args);
	va_end(args);
	keep_frame();
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
	int ret = printk_text(NULL, ip, fmt, ap);

	keep_frame();
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
		ret = tr->name ? printk_text(tr, ip, fmt, args) : 0;
	va_end(args);
	keep_frame();
	return ret;
}
EXPORT_SYMBOL_GPL(trace_array_printk);

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
	return alloc_scratch();
}
EXPORT_SYMBOL_GPL(trace_array_init_printk);

/* Somebody has trace_printk() in code: make it work, and say so. */
static void start_printk(struct trace_array *top)
{
	trace_instances_assert_locked();
	if (scratch || !top)
		return;
	if (alloc_scratch()) {
		pr_err("tracing: no memory for trace_printk()\n");
		return;
	}
	pr_warn("tracing: this kernel or a module of it uses trace_printk(), a debugging aid:\n");
	pr_warn("tracing: memory was allocated for it; do not run this in production\n");
	if (trace_array_expand(top))
		pr_warn("tracing: the buffer keeps its boot-time size\n");
	if (is_late)
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
	start_printk(trace_top_instance());
}
EXPORT_SYMBOL_GPL(trace_printk_init_buffers);

/* The top instance is the destination until a user names another. */
static int printk_create(struct trace_array *tr)
{
	if (tr->name)
		return 0;
	printk_set_dest(tr);
	if (trace_printk_has_formats())
		start_printk(tr);
	return 0;
}

static int printk_create_files(struct trace_array *tr, struct dentry *dir)
{
	int ret = trace_marker_create_files(tr, dir);

	if (!ret && !tr->name)
		ret = trace_printk_create_formats(dir, tr);
	return ret;
}

/* Who still writes into it does so with preemption off: its removal waits. */
static void printk_destroy(struct trace_array *tr)
{
	if (printk_dest != tr)
		return;
	if (trace_top_instance())
		printk_set_dest(trace_top_instance());
	else
		WRITE_ONCE(printk_dest, NULL);
}

static void printk_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	if (opt == TRACE_OPT_PRINTK_DEST)
		printk_set_dest(on ? tr : trace_top_instance());
}

/* trace_printk() must go somewhere: another instance takes it over. */
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
	.destroy		= printk_destroy,
	.option_changing	= printk_option_changing,
	.option_changed		= printk_option_changed,
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
		is_late = true;
		if (scratch)
			trace_comm_get();
	}
	return trace_printk_formats_init();
}
