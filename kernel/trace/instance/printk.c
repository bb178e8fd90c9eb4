// SPDX-License-Identifier: GPL-2.0
/*
 * trace_printk() and its kin: text that the kernel writes into the trace. A
 * constant format is stored as a pointer with its arguments in binary and
 * printed when the trace is read; other text is formatted at once.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "instance/internal.h"
#include "record/export.h"
#include "record/scratch.h"

#define PRINTK_SIZE	1024

/* Text is made here before its length is known. */
union printk_place {
	char	text[PRINTK_SIZE];
	u32	words[PRINTK_SIZE / sizeof(u32)];
};

struct printk_scratch {
	unsigned int		used;		/* C */
	union printk_place	place[TRACE_CONTEXTS];
};

static struct printk_scratch __percpu *scratch;	/* made once, T */
static struct trace_array *printk_dest;		/* T, read anywhere; NULL: none yet */
static bool is_late;				/* T, task names can be recorded */

/* How much text a record can hold that has it in buf[]. */
#define text_room(iter, type) ((int)((iter)->ent_size - offsetof(struct type, buf)))

/* A pointer that was found in memory of the last boot is not followed. */
static const char *text_at(const struct trace_iterator *iter, const char *text)
{
	return iter->tr->memory ? "[text of another boot]\n" : text;
}

static enum print_line_t print_message(struct trace_iterator *iter,
				       const struct trace_printer *printer)
{
	const struct trace_print_entry *print = trace_kind_record(iter, struct trace_print_entry);

	trace_seq_printf(&iter->seq, "%.*s", text_room(iter, trace_print_entry), print->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_text(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	printer->ip(iter, trace_kind_record(iter, struct trace_print_entry)->ip);
	trace_seq_puts(&iter->seq, ": ");
	return print_message(iter, printer);
}

static enum print_line_t print_raw(struct trace_iterator *iter,
				   const struct trace_printer *printer)
{
	trace_seq_printf(&iter->seq, "# %lx ",
			 trace_kind_record(iter, struct trace_print_entry)->ip);
	return print_message(iter, printer);
}

static const struct trace_kind_field print_fields[] = {
	TRACE_KIND_FIELD(struct trace_print_entry, unsigned long, ip),
	TRACE_KIND_TAIL(struct trace_print_entry, char, buf),
	{ }
};

static const struct trace_kind print_kind = {
	.type		= TRACE_PRINT,
	.size		= offsetof(struct trace_print_entry, buf),
	.name		= "print",
	.fields		= print_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->buf",
	.print		= {
		[TRACE_MODE_TEXT]	= print_text,
		[TRACE_MODE_RAW]	= print_raw,
		[TRACE_MODE_MESSAGE]	= print_message,
	},
};

static enum print_line_t bprint_words(struct trace_iterator *iter)
{
	const struct trace_bprint_entry *print =
		trace_kind_record(iter, struct trace_bprint_entry);

	trace_seq_bprintf(&iter->seq, text_at(iter, print->fmt), print->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t bprint_message(struct trace_iterator *iter,
					const struct trace_printer *printer)
{
	trace_seq_puts(&iter->seq,
		       text_at(iter, trace_kind_record(iter, struct trace_bprint_entry)->fmt));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t bprint_text(struct trace_iterator *iter,
				     const struct trace_printer *printer)
{
	printer->ip(iter, trace_kind_record(iter, struct trace_bprint_entry)->ip);
	trace_seq_puts(&iter->seq, ": ");
	return bprint_words(iter);
}

static enum print_line_t bprint_raw(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	trace_seq_printf(&iter->seq, ": %lx : ",
			 trace_kind_record(iter, struct trace_bprint_entry)->ip);
	return bprint_words(iter);
}

static const struct trace_kind_field bprint_fields[] = {
	TRACE_KIND_FIELD(struct trace_bprint_entry, unsigned long, ip),
	TRACE_KIND_FIELD(struct trace_bprint_entry, const char *, fmt),
	TRACE_KIND_TAIL(struct trace_bprint_entry, u32, buf),
	{ }
};

static const struct trace_kind bprint_kind = {
	.type		= TRACE_BPRINT,
	.size		= offsetof(struct trace_bprint_entry, buf),
	.name		= "bprint",
	.fields		= bprint_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->fmt",
	.print		= {
		[TRACE_MODE_TEXT]	= bprint_text,
		[TRACE_MODE_RAW]	= bprint_raw,
		[TRACE_MODE_MESSAGE]	= bprint_message,
	},
};

static enum print_line_t bputs_message(struct trace_iterator *iter,
				       const struct trace_printer *printer)
{
	trace_seq_puts(&iter->seq,
		       text_at(iter, trace_kind_record(iter, struct trace_bputs_entry)->str));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t bputs_text(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	printer->ip(iter, trace_kind_record(iter, struct trace_bputs_entry)->ip);
	trace_seq_puts(&iter->seq, ": ");
	return bputs_message(iter, printer);
}

static enum print_line_t bputs_raw(struct trace_iterator *iter,
				   const struct trace_printer *printer)
{
	trace_seq_printf(&iter->seq, ": %lx : ",
			 trace_kind_record(iter, struct trace_bputs_entry)->ip);
	return bputs_message(iter, printer);
}

static const struct trace_kind_field bputs_fields[] = {
	TRACE_KIND_FIELD(struct trace_bputs_entry, unsigned long, ip),
	TRACE_KIND_FIELD(struct trace_bputs_entry, const char *, str),
	{ }
};

static const struct trace_kind bputs_kind = {
	.type		= TRACE_BPUTS,
	.size		= sizeof(struct trace_bputs_entry),
	.name		= "bputs",
	.fields		= bputs_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->str",
	.print		= {
		[TRACE_MODE_TEXT]	= bputs_text,
		[TRACE_MODE_RAW]	= bputs_raw,
		[TRACE_MODE_MESSAGE]	= bputs_message,
	},
};

/* At boot: text can be read. */
int __init trace_printk_kinds_init(void)
{
	return trace_kind_register(&print_kind) ?:
	       trace_kind_register(&bprint_kind) ?:
	       trace_kind_register(&bputs_kind);
}

/* A place, and preemption is off then; NULL: there is none. */
static union printk_place *printk_place_get(void)
{
	struct printk_scratch __percpu *all = READ_ONCE(scratch);
	union printk_place *place;

	if (!all)
		return NULL;
	preempt_disable_notrace();
	place = trace_scratch_get(this_cpu_ptr(all));
	if (!place)
		preempt_enable_notrace();
	return place;
}

static void printk_place_put(void)
{
	trace_scratch_put(this_cpu_ptr(scratch));
	preempt_enable_notrace();
}

static int alloc_scratch(void)
{
	struct printk_scratch __percpu *new;

	trace_instances_assert_locked();
	if (scratch)
		return 0;
	new = alloc_percpu(struct printk_scratch);
	if (!new)
		return -ENOMEM;
	/* Zeroed memory is ready for use; readers depend on the address. */
	smp_store_release(&scratch, new);
	return 0;
}

/* Where trace_printk() goes; the option tells the same in each instance. */
void trace_printk_set_dest(struct trace_array *tr)
{
	struct trace_array *old = printk_dest;

	trace_instances_assert_locked();
	if (old && old != tr)
		WRITE_ONCE(old->options, old->options & ~TRACE_OPT_PRINTK_DEST);
	WRITE_ONCE(tr->options, tr->options | TRACE_OPT_PRINTK_DEST);
	/* An instance that is seen here is set up. */
	smp_store_release(&printk_dest, tr);
}

static bool may_print(const struct trace_array *tr)
{
	return tr && trace_option(tr, TRACE_OPT_PRINTK) && !trace_disabled_for_good();
}

/* One text record; a newline is added where it is missing. */
static __always_inline int write_text(struct trace_array *tr, unsigned long ip,
				      const char *text, int size, int skip)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_print_entry *entry;
	struct ring_buffer_event *event;

	/* Room for the newline and the NUL. */
	entry = trace_record_reserve(buffer, TRACE_PRINT, sizeof(*entry) + size + 2, trace_ctx,
				     &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	memcpy(entry->buf, text, size);
	if (!size || text[size - 1] != '\n')
		entry->buf[size++] = '\n';
	entry->buf[size] = '\0';
	trace_export(event, TRACE_EXPORT_EVENT);
	trace_commit_stack(tr, buffer, trace_ctx, skip, NULL);
	return size;
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
	return may_print(tr) ? write_text(tr, ip, str, size, 1) : 0;
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
	struct trace_array *tr = READ_ONCE(printk_dest);

	return may_print(tr) ? write_text(tr, ip, str, size, 1) : 0;
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
	struct trace_array *tr = READ_ONCE(printk_dest);
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_bputs_entry *entry;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;

	if (!may_print(tr))
		return 0;
	/* A pointer means nothing to the next boot. */
	if (unlikely(tr->memory))
		return write_text(tr, ip, str, strlen(str), 1);
	buffer = tr->array_buffer.buffer;
	entry = trace_record_reserve(buffer, TRACE_BPUTS, sizeof(*entry), trace_ctx, &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	entry->str = str;
	trace_export(event, TRACE_EXPORT_EVENT);
	trace_commit_stack(tr, buffer, trace_ctx, 1, NULL);
	return 1;
}
EXPORT_SYMBOL_GPL(__trace_bputs);

static noinline __printf(3, 0)
int array_vprintk(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args)
{
	union printk_place *place;
	int len;

	if (!may_print(tr))
		return 0;
	place = printk_place_get();
	if (!place)
		return 0;
	len = vscnprintf(place->text, sizeof(place->text), fmt, args);
	len = write_text(tr, ip, place->text, len, 2);
	printk_place_put();
	return len;
}

static int write_words(struct trace_array *tr, unsigned long ip, const char *fmt,
		       const u32 *words, int nr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_bprint_entry *entry;
	struct ring_buffer_event *event;

	entry = trace_record_reserve(buffer, TRACE_BPRINT, struct_size(entry, buf, nr), trace_ctx,
				     &event);
	if (!entry)
		return 0;
	entry->ip = ip;
	entry->fmt = fmt;
	memcpy(entry->buf, words, nr * sizeof(*words));
	trace_export(event, TRACE_EXPORT_EVENT);
	/* write_words(), trace_vbprintk(), the function that got the words. */
	trace_commit_stack(tr, buffer, trace_ctx, 3, NULL);
	return nr;
}

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
	struct trace_array *tr = READ_ONCE(printk_dest);
	union printk_place *place;
	int nr;

	if (!may_print(tr))
		return 0;
	/* As in __trace_bputs(). */
	if (unlikely(tr->memory))
		return array_vprintk(tr, ip, fmt, args);
	place = printk_place_get();
	if (!place)
		return 0;
	nr = vbin_printf(place->words, ARRAY_SIZE(place->words), fmt, args);
	/* What does not fit is not written, half of it would be read wrong. */
	if (nr < 0 || nr > ARRAY_SIZE(place->words))
		nr = 0;
	else
		nr = write_words(tr, ip, fmt, place->words, nr);
	printk_place_put();
	return nr;
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
int trace_vprintk(unsigned long ip, const char *fmt, va_list args)
{
	return array_vprintk(READ_ONCE(printk_dest), ip, fmt, args);
}
EXPORT_SYMBOL_GPL(trace_vprintk);

/**
 * __trace_bprintk - trace_printk() with a constant format
 * @ip: who writes
 * @fmt: from the section __trace_printk_fmt
 *
 * Context: any.
 * Return: 32-bit words of arguments, 0 when nothing was written.
 */
int __trace_bprintk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (unlikely(!fmt))
		return 0;
	va_start(args, fmt);
	ret = trace_vbprintk(ip, fmt, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_bprintk);

/**
 * __ftrace_vbprintk - ftrace_vprintk() with a constant format
 * @ip: who writes
 * @fmt: from the section __trace_printk_fmt
 * @ap: the arguments
 *
 * Context: any.
 * Return: 32-bit words of arguments, 0 when nothing was written.
 */
int __ftrace_vbprintk(unsigned long ip, const char *fmt, va_list ap)
{
	return fmt ? trace_vbprintk(ip, fmt, ap) : 0;
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
int __trace_printk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = trace_vprintk(ip, fmt, args);
	va_end(args);
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
int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list ap)
{
	return trace_vprintk(ip, fmt, ap);
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
int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (!tr)
		return -ENOENT;
	if (tr == trace_top_instance())
		return 0;
	va_start(args, fmt);
	ret = array_vprintk(tr, ip, fmt, args);
	va_end(args);
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
static void start_printk(void)
{
	struct trace_array *tr = trace_top_instance();

	trace_instances_assert_locked();
	if (scratch || !tr)
		return;
	if (alloc_scratch()) {
		pr_err("tracing: no memory for trace_printk()\n");
		return;
	}
	pr_warn("tracing: this kernel or a module of it uses trace_printk(), a debugging aid:\n");
	pr_warn("tracing: memory was allocated for it; do not run this in production\n");
	if (trace_array_expand(tr))
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
	start_printk();
}
EXPORT_SYMBOL_GPL(trace_printk_init_buffers);

void __init trace_printk_early_init(void)
{
	guard(trace_instances)();
	trace_printk_set_dest(trace_top_instance());
	if (trace_printk_has_formats())
		start_printk();
}

/* Tracepoints can be used from now on, modules will come. */
int __init trace_printk_late_init(void)
{
	scoped_guard(trace_instances) {
		is_late = true;
		if (scratch)
			trace_comm_get();
	}
	/* The notifier takes the lock, so its chain is outside of it. */
	return trace_printk_formats_init();
}
