// SPDX-License-Identifier: GPL-2.0
/*
 * The function tracer: one record for each call of a function that
 * set_ftrace_filter names.
 *
 * The callbacks run at the first instruction of nearly every function of the
 * kernel, in any context, NMI included. They must not be traced themselves, do
 * not sleep, and take no lock. Which callback runs is chosen when an option or
 * the exports change, so that a call pays only for what was asked for.
 *
 * Recursion: functions that a callback calls may be traced, as are those of the buffer's
 * slow paths. The buffer refuses a writer that a writer of the same context has called, and
 * the plain callback calls nothing else. The others guard themselves, see
 * function_write_once().
 */
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/trace_recursion.h>

#include "functions/functions.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "output/output.h"
#include "record/context.h"
#include "record/export.h"
#include "record/quick.h"
#include "tracers/args.h"
#include "tracers/function.h"
#include "tracers/tracers.h"

enum {
	FUNCTION_STACK		= BIT(0),	/* func_stack_trace */
	FUNCTION_NO_REPEATS	= BIT(1),	/* func-no-repeats */
	FUNCTION_ARGS		= BIT(2),	/* func-args */
};

/* Defined at the end. */
DECLARE_TRACER(function);

/*
 * The call that a CPU has recorded last, and how often it was repeated since, for the option
 * func-no-repeats. Its CPU alone uses it, with interrupts off and not in NMI.
 */
struct last_call {
	unsigned long	ip;
	unsigned long	parent_ip;
	u64		start;		/* of the trace that the call is recorded in */
	u64		ts;
	unsigned int	repeats;
};

/* The members of struct trace_function_entry, at the alignment of records, which is 4 bytes. */
struct function_words {
	struct trace_entry	ent;
	unsigned long		ip, parent_ip;
} __packed __aligned(4);

static_assert(sizeof(struct trace_function_entry) == sizeof(struct function_words));

/* Write a record in any context, with arguments if there are @fregs. Preemption is off. */
static __always_inline void function_write(struct trace_buffer *buffer, unsigned long ip,
					   unsigned long parent_ip, struct ftrace_regs *fregs,
					   unsigned int trace_ctx)
{
	unsigned int args = fregs ? CALL_ARGS_SIZE : 0;
	struct trace_function_entry *entry;
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_nopreempt(buffer, sizeof(*entry) + args);
	if (unlikely(!event))
		return;
	entry = ring_buffer_event_body(event);
	tracing_generic_entry_update(&entry->ent, TRACE_FN, trace_ctx);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	if (fregs)
		call_args_write(entry->args, fregs);
	trace_export(event, TRACE_EXPORT_FUNCTION);
	ring_buffer_commit_nopreempt(buffer);
}

static noinline void function_write_call(struct trace_buffer *buffer, unsigned long ip,
					 unsigned long parent_ip, unsigned int trace_ctx)
{
	function_write(buffer, ip, parent_ip, NULL, trace_ctx);
}

static noinline void function_write_args(struct trace_buffer *buffer, unsigned long ip,
					 unsigned long parent_ip, struct ftrace_regs *fregs,
					 unsigned int trace_ctx)
{
	function_write(buffer, ip, parent_ip, fregs, trace_ctx);
}

static __always_inline void function_fill(void *body, unsigned long ip, unsigned long parent_ip)
{
	struct function_words *words = body;

	trace_entry_fill(&words->ent, trace_task_head(TRACE_FN));
	words->ip = ip;
	words->parent_ip = parent_ip;
}

/* The buffer was entered, and there is no place for a record of the short way. */
static noinline void function_unreserved(unsigned long ip, unsigned long parent_ip,
					 struct trace_buffer *buffer, struct rb_writer *w)
{
	void *words = trace_quick_reserve_any(&w, buffer, sizeof(struct function_words));

	if (likely(words)) {
		function_fill(words, ip, parent_ip);
		rb_short_leave(w);
	}
	preempt_enable_notrace();
}

/* Enter the buffer for the short way. @called: without a copy of the clock. */
static __always_inline bool function_enter(struct trace_quick *quick, struct ftrace_ops *op,
					   bool called)
{
	struct trace_array *tr = op->private;

	return !IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING) &&
	       trace_quick_enter_by(quick, tr->array_buffer.buffer, PREEMPT_DISABLE_OFFSET, called);
}

/* Write a record after function_enter(), and enable preemption. */
static __always_inline void function_write_quick(struct trace_quick *quick, unsigned long ip,
						 unsigned long parent_ip, bool called)
{
	const unsigned int size = rb_size_of(sizeof(struct function_words));

	if (unlikely(!trace_quick_reserve(quick, size, rb_short_clock(quick->writer, called))))
		return function_unreserved(ip, parent_ip, quick->buffer, quick->writer);
	function_fill(trace_quick_record(quick), ip, parent_ip);
	trace_quick_end(quick);
}

/* Called where the plain callback cannot go its short way. Defined below. */
static noinline void function_any_call(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *op, struct ftrace_regs *fregs);

/*
 * The plain callback could not enter the buffer. If only the copy of the clock is not valid, it
 * is the short way, with a call of the clock.
 */
static noinline void function_long(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op)
{
	struct trace_array *tr = op->private;
	bool off = rb_short_is_off(tr->array_buffer.buffer);
	struct trace_quick quick __uninitialized;

	if (!off && function_enter(&quick, op, true))
		return function_write_quick(&quick, ip, parent_ip, true);
	preempt_enable_notrace();
	/* All calls come here while somebody reads what was traced. */
	if (!off)
		function_any_call(ip, parent_ip, op, NULL);
}

/*
 * The plain callback. It does not look at trace_array_cpu::disabled: tracing_cpumask stops
 * the buffers of the CPUs as well.
 */
static void function_call(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_quick quick __uninitialized;

	preempt_disable_notrace();
	if (unlikely(!function_enter(&quick, op, false)))
		return function_long(ip, parent_ip, op);
	function_write_quick(&quick, ip, parent_ip, false);
}

/*
 * Write one record for the calls that were left out. It tells how many they were, and how
 * long before it the last of them was.
 */
static void function_write_repeats(struct trace_buffer *buffer, struct last_call *last,
				   unsigned int trace_ctx)
{
	struct trace_func_repeats_entry *entry;
	struct ring_buffer_event *event;
	u64 delta;

	entry = trace_record_reserve(buffer, TRACE_FUNC_REPEATS, sizeof(*entry), trace_ctx, &event);
	if (!entry)
		return;
	delta = ring_buffer_event_time_stamp(buffer, event) - last->ts;
	entry->ip = last->ip;
	entry->parent_ip = last->parent_ip;
	entry->count = last->repeats;
	entry->bottom_delta_ts = lower_32_bits(delta);
	entry->top_delta_ts = upper_32_bits(delta);
	trace_record_commit(buffer);
}

/*
 * Is this call the same as the one before? Then it is only counted. An interrupt would use
 * the CPU's last_call as well, so interrupts are off meanwhile. An NMI cannot be kept out,
 * so all of its calls are recorded. A call that is made while recording is off is no repeat
 * to tell of, and a call of the trace before, which was cleared, has no record.
 */
static bool function_is_repeat(struct trace_array *tr, unsigned long ip,
			       unsigned long parent_ip, unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct last_call __percpu *all;
	struct last_call *last;
	u64 start;

	if (in_nmi() || rb_short_is_off(buffer))
		return false;
	guard(irqsave)();
	all = (struct last_call __percpu __force *)
	      trace_component_data(tr, &trace_function_component);
	/* A task that was preempted before it came here may find another tracer at work. */
	if (!all || READ_ONCE(tr->current_trace) != &trace_function_tracer)
		return false;
	start = READ_ONCE(tr->array_buffer.cpu_start)[smp_processor_id()];
	last = this_cpu_ptr(all);
	if (last->ip == ip && last->parent_ip == parent_ip && last->start == start &&
	    last->repeats < U16_MAX) {
		last->ts = ring_buffer_time_stamp(buffer);
		last->repeats++;
		return true;
	}
	if (last->repeats && last->start == start)
		function_write_repeats(buffer, last, trace_ctx);
	*last = (struct last_call) { .ip = ip, .parent_ip = parent_ip, .start = start };
	return false;
}

/*
 * A bit for each context of this CPU, by interrupt_context_level(). It is set while the
 * context's callback does work that may call traced functions, which are not recorded.
 */
static DEFINE_PER_CPU(unsigned int, contexts_at_work);

/* Write the call, and what @options ask for, which are a constant. Preemption is off. */
static __always_inline void function_write_more(struct trace_array *tr, unsigned long ip,
						unsigned long parent_ip,
						struct ftrace_regs *fregs,
						unsigned int trace_ctx, u32 options)
{
	if (options & FUNCTION_NO_REPEATS && function_is_repeat(tr, ip, parent_ip, trace_ctx))
		return;
	if (options & FUNCTION_ARGS && fregs)
		function_write_args(tr->array_buffer.buffer, ip, parent_ip, fregs, trace_ctx);
	else
		function_write_call(tr->array_buffer.buffer, ip, parent_ip, trace_ctx);
	if (options & FUNCTION_STACK)
		trace_stack_write_from(tr->array_buffer.buffer, trace_ctx, ip + MCOUNT_INSN_SIZE);
}

/* As function_write_more(), unless the callback itself has made this call. Preemption is off. */
static __always_inline void function_write_once(struct trace_array *tr, unsigned long ip,
						unsigned long parent_ip,
						struct ftrace_regs *fregs,
						unsigned int trace_ctx, u32 options)
{
	unsigned int context = BIT(interrupt_context_level());

	if (__this_cpu_read(contexts_at_work) & context) {
		do_ftrace_record_recursion(ip, parent_ip);
		return;
	}
	if (raw_cpu_read(tr->array_buffer.data->disabled.counter))
		return;
	/* An interrupt between the load and the store restores the bits that it has changed. */
	__this_cpu_or(contexts_at_work, context);
	barrier();
	function_write_more(tr, ip, parent_ip, fregs, trace_ctx, options);
	barrier();
	__this_cpu_and(contexts_at_work, ~context);
}

/*
 * The body of the callbacks below. A callback that calls nothing but the buffer needs no guard.
 * With FUNCTION_ARGS, @fregs is NULL when the trampoline was made without the option: the call
 * has begun before it was switched on.
 */
static __always_inline void function_more(unsigned long ip, unsigned long parent_ip,
					  struct ftrace_ops *op, struct ftrace_regs *fregs,
					  u32 options)
{
	unsigned int trace_ctx;

	if (trace_warn_on_no_rcu(ip))
		return;
	trace_ctx = tracing_gen_ctx();
	preempt_disable_notrace();
	if (options & (FUNCTION_STACK | FUNCTION_NO_REPEATS))
		function_write_once(op->private, ip, parent_ip, fregs, trace_ctx, options);
	else
		function_write_more(op->private, ip, parent_ip, fregs, trace_ctx, options);
	preempt_enable_notrace();
}

/* The callback for any context, and for exports of functions. */
static noinline void function_any_call(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, NULL, 0);
}

static void function_stack_call(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, NULL, FUNCTION_STACK);
}

static void function_once_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, NULL, FUNCTION_NO_REPEATS);
}

static void function_stack_once_call(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, NULL, FUNCTION_STACK | FUNCTION_NO_REPEATS);
}

#ifdef CONFIG_FUNCTION_TRACE_ARGS

/* The four callbacks above, with arguments. */
static void function_args_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, fregs, FUNCTION_ARGS);
}

static void function_args_stack_call(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, fregs, FUNCTION_ARGS | FUNCTION_STACK);
}

static void function_args_once_call(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, fregs, FUNCTION_ARGS | FUNCTION_NO_REPEATS);
}

static void function_args_stack_once_call(unsigned long ip, unsigned long parent_ip,
					  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_more(ip, parent_ip, op, fregs,
		      FUNCTION_ARGS | FUNCTION_STACK | FUNCTION_NO_REPEATS);
}

#endif

static ftrace_func_t function_callback(u32 options)
{
	switch (options & (FUNCTION_STACK | FUNCTION_NO_REPEATS | FUNCTION_ARGS)) {
#ifdef CONFIG_FUNCTION_TRACE_ARGS
	case FUNCTION_ARGS:
		return function_args_call;
	case FUNCTION_ARGS | FUNCTION_STACK:
		return function_args_stack_call;
	case FUNCTION_ARGS | FUNCTION_NO_REPEATS:
		return function_args_once_call;
	case FUNCTION_ARGS | FUNCTION_STACK | FUNCTION_NO_REPEATS:
		return function_args_stack_once_call;
#endif
	case FUNCTION_STACK:
		return function_stack_call;
	case FUNCTION_NO_REPEATS:
		return function_once_call;
	case FUNCTION_STACK | FUNCTION_NO_REPEATS:
		return function_stack_once_call;
	default:
		return static_key_enabled(&trace_export_function_key) ? function_any_call :
									function_call;
	}
}

/* Allocate the last_call of all CPUs, which stay until the instance goes. */
static int function_need_last_calls(struct trace_array *tr)
{
	struct last_call __percpu *last;

	if (trace_component_data(tr, &trace_function_component))
		return 0;
	last = alloc_percpu(struct last_call);
	if (!last)
		return -ENOMEM;
	trace_component_set_data(tr, &trace_function_component, (void __force *)last);
	return 0;
}

/* No callback runs any more. */
static void function_destroy(struct trace_array *tr)
{
	free_percpu((void __percpu __force *)trace_component_data(tr, &trace_function_component));
	trace_component_set_data(tr, &trace_function_component, NULL);
}

struct trace_component trace_function_component __ro_after_init = {
	.name		= "function tracer",
	.destroy	= function_destroy,
};

/* Have functions call the tracer. Under the instances lock. */
static int function_start(struct trace_array *tr, u32 options)
{
	return trace_functions_start(tr, function_callback(options), options & FUNCTION_ARGS);
}

static int function_init(struct trace_array *tr)
{
	int ret = 0;

	if (tr->tracer_options & FUNCTION_NO_REPEATS)
		ret = function_need_last_calls(tr);
	return ret ?: function_start(tr, tr->tracer_options);
}

static void function_reset(struct trace_array *tr)
{
	trace_functions_stop(tr);
}

/* Arguments need other trampolines. On error, all is as it was, if that can be had again. */
static int function_restart(struct trace_array *tr, u32 options)
{
	int ret;

	trace_functions_stop(tr);
	ret = function_start(tr, options);
	if (ret)
		function_start(tr, tr->tracer_options);
	return ret;
}

static int function_set_option(struct trace_array *tr, u32 bit, bool on)
{
	u32 options = on ? tr->tracer_options | bit : tr->tracer_options & ~bit;
	int ret = 0;

	if (bit == FUNCTION_ARGS && on)
		ret = call_args_need();
	/* function_init() will see to it. */
	if (ret || tr->current_trace != &trace_function_tracer)
		return ret;
	if (options & FUNCTION_NO_REPEATS)
		ret = function_need_last_calls(tr);
	if (!ret && bit == FUNCTION_ARGS)
		return function_restart(tr, options);
	if (!ret)
		trace_functions_set_func(tr, function_callback(options));
	return ret;
}

static void function_exports_changed(struct trace_array *tr)
{
	trace_functions_set_func(tr, function_callback(tr->tracer_options));
}

static void function_put_call(struct trace_iterator *iter, const struct trace_printer *printer,
			      unsigned long ip, unsigned long parent_ip,
			      const struct call_args *args)
{
	printer->ip(iter, ip);
	if (args && args->nr)
		call_args_put(iter, ip, args);
	if (parent_ip && trace_option(iter->tr, TRACE_OPT_PRINT_PARENT)) {
		trace_seq_putmem(&iter->seq, " <-", 3);
		printer->ip(iter, parent_ip);
	}
}

static enum print_line_t function_call_text(struct trace_iterator *iter,
					    const struct trace_printer *printer)
{
	const struct trace_function_entry *call =
		trace_kind_record(iter, struct trace_function_entry);
	struct call_args args;

	call_args_read(&args, iter->ent, iter->ent_size, sizeof(*call));
	function_put_call(iter, printer, call->ip, call->parent_ip, &args);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t function_call_raw(struct trace_iterator *iter,
					   const struct trace_printer *printer)
{
	const struct trace_function_entry *call =
		trace_kind_record(iter, struct trace_function_entry);

	trace_seq_printf(&iter->seq, "%lx %lx\n", call->ip, call->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t function_call_hex(struct trace_iterator *iter,
					   const struct trace_printer *printer)
{
	const struct trace_function_entry *call =
		trace_kind_record(iter, struct trace_function_entry);

	trace_seq_putmem_hex(&iter->seq, &call->ip, sizeof(call->ip));
	trace_seq_putmem_hex(&iter->seq, &call->parent_ip, sizeof(call->parent_ip));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t function_call_binary(struct trace_iterator *iter,
					      const struct trace_printer *printer)
{
	const struct trace_function_entry *call =
		trace_kind_record(iter, struct trace_function_entry);

	trace_seq_putmem(&iter->seq, &call->ip, sizeof(call->ip));
	trace_seq_putmem(&iter->seq, &call->parent_ip, sizeof(call->parent_ip));
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field call_fields[] = {
	TRACE_KIND_FIELD(struct trace_function_entry, unsigned long, ip,
			 .filter_type = FILTER_TRACE_FN),
	TRACE_KIND_FIELD(struct trace_function_entry, unsigned long, parent_ip,
			 .filter_type = FILTER_TRACE_FN),
#ifdef CONFIG_FUNCTION_TRACE_ARGS
	TRACE_KIND_TAIL(struct trace_function_entry, unsigned long, args),
#endif
	{ }
};

static const struct trace_kind call_kind = {
	.type		= TRACE_FN,
	.size		= sizeof(struct trace_function_entry),
	.name		= "function",
	.fields		= call_fields,
	.print_fmt	= "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",
	.print		= {
		[TRACE_MODE_TEXT]	= function_call_text,
		[TRACE_MODE_RAW]	= function_call_raw,
		[TRACE_MODE_HEX]	= function_call_hex,
		[TRACE_MODE_BIN]	= function_call_binary,
	},
};

/* How long before the record the last of the calls was that it stands for. */
static u64 function_repeats_delta(const struct trace_func_repeats_entry *repeats)
{
	return (u64)repeats->top_delta_ts << 32 | repeats->bottom_delta_ts;
}

static enum print_line_t function_repeats_text(struct trace_iterator *iter,
					       const struct trace_printer *printer)
{
	const struct trace_func_repeats_entry *repeats =
		trace_kind_record(iter, struct trace_func_repeats_entry);

	function_put_call(iter, printer, repeats->ip, repeats->parent_ip, NULL);
	trace_seq_printf(&iter->seq, " (repeats: %u, last_ts:", repeats->count);
	trace_print_time(iter, iter->ts - function_repeats_delta(repeats));
	trace_seq_puts(&iter->seq, ")\n");
	return trace_handle_return(&iter->seq);
}

static enum print_line_t function_repeats_raw(struct trace_iterator *iter,
					      const struct trace_printer *printer)
{
	const struct trace_func_repeats_entry *repeats =
		trace_kind_record(iter, struct trace_func_repeats_entry);

	trace_seq_printf(&iter->seq, "%lu %lu %u %llu\n", repeats->ip, repeats->parent_ip,
			 repeats->count, function_repeats_delta(repeats));
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field repeats_fields[] = {
	TRACE_KIND_FIELD(struct trace_func_repeats_entry, unsigned long, ip),
	TRACE_KIND_FIELD(struct trace_func_repeats_entry, unsigned long, parent_ip),
	TRACE_KIND_FIELD(struct trace_func_repeats_entry, u16, count),
	TRACE_KIND_FIELD(struct trace_func_repeats_entry, u16, top_delta_ts),
	TRACE_KIND_FIELD(struct trace_func_repeats_entry, u32, bottom_delta_ts),
	{ }
};

#define REPEATS_DELTA	"(((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)"
#define REPEATS_ARGS	"(void *)REC->ip, (void *)REC->parent_ip, REC->count, " REPEATS_DELTA

static const struct trace_kind repeats_kind = {
	.type		= TRACE_FUNC_REPEATS,
	.size		= sizeof(struct trace_func_repeats_entry),
	.name		= "func_repeats",
	.fields		= repeats_fields,
	.print_fmt	= "\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", " REPEATS_ARGS,
	.print		= {
		[TRACE_MODE_TEXT]	= function_repeats_text,
		[TRACE_MODE_RAW]	= function_repeats_raw,
	},
};

static const struct trace_kind * const function_kinds[] = { &call_kind, &repeats_kind, NULL };

static const struct tracer_option function_options[] = {
	{ "func_stack_trace", FUNCTION_STACK },
	{ "func-no-repeats", FUNCTION_NO_REPEATS },
#ifdef CONFIG_FUNCTION_TRACE_ARGS
	{ "func-args", FUNCTION_ARGS },
#endif
	{ }
};

DEFINE_TRACER(function) = {
	.name			= "function",
	.init			= function_init,
	.reset			= function_reset,
	.set_option		= function_set_option,
	.exports_changed	= function_exports_changed,
	.options		= function_options,
	.kinds			= function_kinds,
	.selftest		= TRACER_SELFTEST(trace_function_selftest),
	.allow_instances	= true,
};
