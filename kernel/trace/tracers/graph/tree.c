// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and returns as a tree of calls:
 *
 *	 0)               |  vfs_read() {
 *	 0)   0.308 us    |    rw_verify_area();
 *	 0) + 12.345 us   |  }
 *
 * A function that calls none that is recorded has its return right behind its entry, and
 * both are one line. All that others write while a function runs stands in comments.
 *
 * Lines depend on what was printed before of the same CPU, which an open file keeps. A
 * line that did not fit is printed again, so that is changed only by one that did.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <asm/sections.h>

#include "instance/option.h"
#include "output/output.h"
#include "reader/reader.h"
#include "tracers/args.h"
#include "tracers/graph/internal.h"

#define TREE_INDENT	2
/* No task was seen yet; no interrupt is being left out. */
#define TREE_NONE	(-1)
/* Besides the tracer's options: nothing is known but the record itself. */
#define TREE_ALONE	BIT(31)

/**
 * struct tree_place - where the lines of a CPU have come to
 * @pid: of the last record
 * @level: the depth of the function that a comment belongs to; at 0 it is not indented
 * @irq_depth: of the function with which an interrupt began that is left out
 */
struct tree_place {
	pid_t	pid;
	int	level;
	int	irq_depth;
};

/* The state that an open file keeps of a CPU. The file's lock covers it. */
struct tree_cpu {
	struct tree_place	place;
	unsigned long		open[GRAPH_FRAMES];	/* functions that were entered, by depth */
};

/**
 * struct tree_line - a line that is being printed
 * @row: its columns
 * @cpu: NULL if nothing is kept
 * @place: behind this line
 * @noted: there is a comment at the end of the line, which is open
 */
struct tree_line {
	struct graph_row	row;
	struct tree_cpu		*cpu;
	struct tree_place	place;
	bool			noted;
};

/* The content of a record of an entry. @caller is 0 if the record does not have it. */
struct tree_call {
	unsigned long		func;
	int			depth;
	unsigned long		caller;
	struct call_args	args;
};

/* False: this is no record of an entry, or a part of one. */
static bool tree_read_call(struct tree_call *call, const struct trace_entry *ent,
			   unsigned int size)
{
	const struct graph_entry_record *entry = container_of(ent, struct graph_entry_record, ent);
	const struct graph_caller_record *caller;

	if (ent->type == TRACE_GRAPH_ENT && size >= sizeof(*entry)) {
		call->func = entry->func;
		call->depth = entry->depth;
		call->caller = 0;
		call_args_read(&call->args, ent, size, sizeof(*entry));
		return true;
	}
	caller = container_of(ent, struct graph_caller_record, ent);
	if (ent->type != TRACE_GRAPH_RETADDR_ENT || size < sizeof(*caller))
		return false;
	call->func = caller->func;
	call->depth = caller->depth;
	call->caller = caller->retaddr;
	call_args_read(&call->args, ent, size, sizeof(*caller));
	return true;
}

/* The record of a return; NULL: it is none, or a part of one. */
static const struct graph_exit_record *tree_read_exit(const struct trace_entry *ent,
						      unsigned int size)
{
	unsigned int wants = ent->type == TRACE_GRAPH_RET_TIMES ?
			     sizeof(struct graph_times_record) : sizeof(struct graph_exit_record);

	if (ent->type != TRACE_GRAPH_RET && ent->type != TRACE_GRAPH_RET_TIMES)
		return NULL;
	return size < wants ? NULL : container_of(ent, struct graph_exit_record, ent);
}

static struct tree_cpu *tree_cpu(struct trace_iterator *iter)
{
	const struct trace_print_state *state = iter->private;
	struct tree_cpu __percpu *cpus;

	cpus = state ? (struct tree_cpu __percpu __force *)state->tracer_data : NULL;
	return cpus ? per_cpu_ptr(cpus, iter->cpu) : NULL;
}

static void tree_line_begin(struct tree_line *line, struct trace_iterator *iter,
			    struct tree_cpu *cpu, u32 opts)
{
	*line = (struct tree_line) {
		.row	= {
			.iter		= iter,
			.opts		= opts,
			.columns	= trace_option(iter->tr, TRACE_OPT_CONTEXT_INFO),
		},
		.cpu	= cpu,
		.place	= { .pid = TREE_NONE, .irq_depth = TREE_NONE },
	};
	if (cpu)
		line->place = cpu->place;
}

/*
 * End a line. If a task can have @depth, note that @func was entered there or, if @func is 0,
 * that the function there was left.
 */
static enum print_line_t tree_line_end(struct tree_line *line, int depth, unsigned long func)
{
	struct trace_seq *s = &line->row.iter->seq;

	if (line->cpu && !trace_seq_has_overflowed(s)) {
		line->cpu->place = line->place;
		if (depth >= 0 && depth < GRAPH_FRAMES)
			line->cpu->open[depth] = func;
	}
	return trace_handle_return(s);
}

/* No line is printed for a record that is left out, but it changes the kept state. */
static enum print_line_t tree_line_none(struct tree_line *line)
{
	if (line->cpu)
		line->cpu->place = line->place;
	return TRACE_TYPE_HANDLED;
}

/* Has the CPU another task than before? */
static void tree_put_switch(struct tree_line *line)
{
	pid_t pid = line->row.iter->ent->pid;

	if (line->cpu && line->place.pid != TREE_NONE && line->place.pid != pid)
		trace_graph_put_switch(&line->row, line->place.pid, pid);
	line->place.pid = pid;
}

/* A depth that no task can have comes from a damaged buffer. */
static void tree_put_indent(struct tree_line *line, int level)
{
	trace_seq_printf(&line->row.iter->seq, "%*s",
			 clamp(level, 0, (int)GRAPH_FRAMES) * TREE_INDENT, "");
}

/* Does an interrupt begin with this function? */
static bool tree_is_irq(const struct trace_iterator *iter, unsigned long func)
{
	func += READ_ONCE(iter->tr->text_delta);
	return func >= (unsigned long)__irqentry_text_start &&
	       func < (unsigned long)__irqentry_text_end;
}

/*
 * Interrupts that are left out: without the option funcgraph-irqs. Their functions are not
 * recorded since the option was switched off, but for those that run before the kernel
 * knows that it is in an interrupt.
 */
static bool tree_hides_entry(struct tree_line *line, unsigned long func, int depth)
{
	if (line->row.opts & GRAPH_IRQS || !line->cpu)
		return false;
	if (line->place.irq_depth == TREE_NONE) {
		if (!tree_is_irq(line->row.iter, func))
			return false;
		line->place.irq_depth = depth;
	}
	return true;
}

/* The interrupt ends with the function that it began with, or one that called it. */
static bool tree_hides_return(struct tree_line *line, int depth)
{
	if (line->row.opts & GRAPH_IRQS || !line->cpu || line->place.irq_depth == TREE_NONE)
		return false;
	if (depth <= line->place.irq_depth)
		line->place.irq_depth = TREE_NONE;
	return true;
}

/*
 * A function with an error that is a pointer or a long shows its number, as one does that
 * returns an int, of which the upper half is undefined and mostly 0.
 */
static void tree_put_retval(struct tree_line *line, unsigned long retval)
{
	struct trace_seq *s = &line->row.iter->seq;
	unsigned long error = retval;

	if (IS_ENABLED(CONFIG_64BIT) && retval == (u32)retval)
		error = (s32)retval;
	if (!(line->row.opts & GRAPH_RETVAL_HEX) && IS_ERR_VALUE(error))
		trace_seq_printf(s, " = %ld", error);
	else
		trace_seq_printf(s, " = 0x%lx", retval);
}

/* A part of the comment at the end of a line comes next. */
static void tree_note(struct tree_line *line)
{
	if (!line->noted)
		trace_seq_puts(&line->row.iter->seq, " /*");
	line->noted = true;
}

static void tree_note_caller(struct tree_line *line, const struct tree_call *call)
{
	if (!(line->row.opts & GRAPH_RETADDR) || !call->caller)
		return;
	tree_note(line);
	trace_seq_puts(&line->row.iter->seq, " <-");
	trace_print_ip_offset(line->row.iter, call->caller);
}

static void tree_note_retval(struct tree_line *line, unsigned long retval)
{
	if (!(line->row.opts & GRAPH_RETVAL))
		return;
	tree_note(line);
	tree_put_retval(line, retval);
}

static void tree_put_us(struct tree_line *line, const char *what, u64 ns)
{
	u32 rest;
	u64 us = div_u64_rem(ns, NSEC_PER_USEC, &rest);

	trace_seq_printf(&line->row.iter->seq, " %s %llu.%03u us", what, us, rest);
}

/* Next to what else the comment tells, the times are set off by a comma. */
static void tree_note_times(struct tree_line *line, const struct graph_exit_record *exit)
{
	u32 wanted = line->row.opts & (GRAPH_SELF_TIME | GRAPH_IRQ_TIME);
	struct trace_seq *s = &line->row.iter->seq;
	const struct graph_times_record *times;

	if (!wanted || exit->ent.type != TRACE_GRAPH_RET_TIMES)
		return;
	times = container_of_const(exit, struct graph_times_record, exit);
	if (line->noted)
		trace_seq_putc(s, ',');
	tree_note(line);
	if (wanted & GRAPH_SELF_TIME)
		tree_put_us(line, "self", times->self);
	if (!(wanted & GRAPH_IRQ_TIME))
		return;
	if (wanted & GRAPH_SELF_TIME)
		trace_seq_putc(s, ',');
	tree_put_us(line, "irq", times->irq);
	trace_seq_putc(s, ',');
	tree_put_us(line, "sleep", times->sleep);
}

static void tree_put_newline(struct tree_line *line)
{
	trace_seq_puts(&line->row.iter->seq, line->noted ? " */\n" : "\n");
}

/* "func()", with arguments if the record has any. */
static void tree_put_call(struct tree_line *line, const struct tree_call *call)
{
	struct trace_iterator *iter = line->row.iter;

	trace_print_function(iter, call->func);
	if (!call->args.nr)
		trace_seq_puts(&iter->seq, "()");
	else
		call_args_put(iter, call->func, &call->args);
}

/* "func() {", and behind it where it was called. */
static enum print_line_t tree_put_open(struct tree_line *line, const struct tree_call *call)
{
	struct trace_iterator *iter = line->row.iter;

	trace_graph_put_no_duration(&line->row);
	tree_put_indent(line, call->depth);
	tree_put_call(line, call);
	trace_seq_puts(&iter->seq, " {");
	tree_note_caller(line, call);
	tree_put_newline(line);
	line->place.level = call->depth;
	return tree_line_end(line, call->depth, call->func);
}

/* "func();", and behind it where it was called, what it returns, where its time went. */
static enum print_line_t tree_put_leaf(struct tree_line *line, const struct tree_call *call,
				       const struct graph_exit_record *exit)
{
	struct trace_iterator *iter = line->row.iter;
	struct trace_seq *s = &iter->seq;

	trace_graph_put_duration(&line->row, exit->rettime - exit->calltime);
	tree_put_indent(line, call->depth);
	tree_put_call(line, call);
	trace_seq_putc(s, ';');
	tree_note_caller(line, call);
	tree_note_retval(line, graph_exit_retval(exit));
	tree_note_times(line, exit);
	tree_put_newline(line);
	if (tree_is_irq(iter, exit->func))
		trace_graph_put_irq(&line->row, "<==========");
	line->place.level = call->depth - 1;
	if (!trace_seq_has_overflowed(s))
		trace_iter_skip(iter);
	return tree_line_end(line, call->depth, 0);
}

/* The return of a function that calls none that is recorded; NULL: it does, or nobody knows. */
static const struct graph_exit_record *tree_find_leaf(struct tree_line *line,
						      const struct tree_call *call, int pid)
{
	const struct graph_exit_record *exit;
	const struct trace_entry *next;
	unsigned int size;

	if (line->row.opts & TREE_ALONE)
		return NULL;
	next = trace_iter_peek(line->row.iter, &size);
	exit = next && next->pid == pid ? tree_read_exit(next, size) : NULL;
	return exit && exit->func == call->func && exit->depth == call->depth ? exit : NULL;
}

static enum print_line_t tree_print_entry(struct trace_iterator *iter, struct tree_cpu *cpu,
					  u32 opts)
{
	const struct graph_exit_record *exit;
	struct tree_call call;
	struct tree_line line;

	/* A copy: trace_iter_peek() moves the record. */
	if (!tree_read_call(&call, iter->ent, iter->ent_size))
		return TRACE_TYPE_UNHANDLED;
	tree_line_begin(&line, iter, cpu, opts);
	if (tree_hides_entry(&line, call.func, call.depth))
		return tree_line_none(&line);
	tree_put_switch(&line);
	if (tree_is_irq(iter, call.func))
		trace_graph_put_irq(&line.row, "==========>");
	trace_graph_put_columns(&line.row);
	exit = tree_find_leaf(&line, &call, iter->ent->pid);
	return exit ? tree_put_leaf(&line, &call, exit) : tree_put_open(&line, &call);
}

/* "}", with the function if its entry is not known to be the one that was printed. */
static enum print_line_t tree_print_exit(struct trace_iterator *iter, struct tree_cpu *cpu,
					 u32 opts)
{
	const struct graph_exit_record *exit = tree_read_exit(iter->ent, iter->ent_size);
	struct trace_seq *s = &iter->seq;
	struct tree_line line;
	bool known = true;
	int depth;

	if (!exit)
		return TRACE_TYPE_UNHANDLED;
	depth = exit->depth;
	tree_line_begin(&line, iter, cpu, opts);
	if (tree_hides_return(&line, depth))
		return tree_line_none(&line);
	if (cpu && depth >= 0 && depth < GRAPH_FRAMES)
		known = cpu->open[depth] == exit->func;
	tree_put_switch(&line);
	trace_graph_put_columns(&line.row);
	trace_graph_put_duration(&line.row, exit->rettime - exit->calltime);
	tree_put_indent(&line, depth);
	trace_seq_putc(s, '}');
	if (!known || opts & (GRAPH_TAIL | GRAPH_RETVAL)) {
		tree_note(&line);
		trace_seq_putc(s, ' ');
		trace_print_function(iter, exit->func);
	}
	tree_note_retval(&line, graph_exit_retval(exit));
	tree_note_times(&line, exit);
	tree_put_newline(&line);
	if (opts & GRAPH_OVERRUN)
		trace_seq_printf(s, " (Overruns: %u)\n", exit->overrun);
	if (tree_is_irq(iter, exit->func))
		trace_graph_put_irq(&line.row, "<==========");
	line.place.level = depth - 1;
	return tree_line_end(&line, depth, 0);
}

/* Print a record of another kind, one level deeper than the function that was running. */
static enum print_line_t tree_print_comment(struct trace_iterator *iter, struct tree_cpu *cpu,
					    u32 opts)
{
	struct trace_seq *s = &iter->seq;
	enum print_line_t ret;
	struct tree_line line;

	tree_line_begin(&line, iter, cpu, opts);
	tree_put_switch(&line);
	trace_graph_put_columns(&line.row);
	trace_graph_put_no_duration(&line.row);
	if (line.place.level > 0)
		tree_put_indent(&line, line.place.level + 1);
	trace_seq_puts(s, "/* ");
	ret = trace_print_message(iter);
	if (ret != TRACE_TYPE_HANDLED)
		return ret;
	if (!trace_seq_has_overflowed(s) && s->buffer[s->seq.len - 1] == '\n')
		s->seq.len--;
	trace_seq_puts(s, " */\n");
	return tree_line_end(&line, TREE_NONE, 0);
}

static enum print_line_t tree_print(struct trace_iterator *iter, struct tree_cpu *cpu, u32 opts)
{
	switch (iter->ent->type) {
	case TRACE_GRAPH_ENT:
	case TRACE_GRAPH_RETADDR_ENT:
		return tree_print_entry(iter, cpu, opts);
	case TRACE_GRAPH_RET:
	case TRACE_GRAPH_RET_TIMES:
		return tree_print_exit(iter, cpu, opts);
	case TRACE_FN:
	case TRACE_STACK:
		return TRACE_TYPE_UNHANDLED;
	default:
		return tree_print_comment(iter, cpu, opts);
	}
}

/**
 * trace_graph_print - struct tracer::print_line
 * @iter: the record, and where to
 * @opts: options of the tracer
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 * Return: as struct tracer::print_line.
 */
enum print_line_t trace_graph_print(struct trace_iterator *iter, u32 opts)
{
	return tree_print(iter, tree_cpu(iter), opts);
}

/**
 * trace_graph_print_alone - print one of the kinds without what is before and behind it
 * @iter: the record, and where to
 * @opts: options of the tracer
 *
 * Context: as trace_graph_print().
 * Return: as the printer of a kind.
 */
enum print_line_t trace_graph_print_alone(struct trace_iterator *iter, u32 opts)
{
	return tree_print(iter, NULL, opts | TREE_ALONE);
}

/**
 * trace_graph_tree_restart - the first record comes next
 * @iter: the open file's
 *
 * Context: task.
 */
void trace_graph_tree_restart(struct trace_iterator *iter)
{
	const struct trace_print_state *state = iter->private;
	struct tree_cpu __percpu *cpus = (struct tree_cpu __percpu __force *)state->tracer_data;
	struct tree_cpu *tree;
	int cpu;

	if (!cpus)
		return;
	for_each_possible_cpu(cpu) {
		tree = per_cpu_ptr(cpus, cpu);
		memset(tree->open, 0, sizeof(tree->open));
		tree->place = (struct tree_place) { .pid = TREE_NONE, .irq_depth = TREE_NONE };
	}
}

/**
 * trace_graph_tree_open - struct tracer::open and ::pipe_open
 * @iter: the open file's
 *
 * Without memory, as in a dump, lines are printed as if each were the first one.
 *
 * Context: task, may sleep.
 */
void trace_graph_tree_open(struct trace_iterator *iter)
{
	struct trace_print_state *state = iter->private;

	state->tracer_data = (void __force *)alloc_percpu(struct tree_cpu);
	trace_graph_tree_restart(iter);
}

/**
 * trace_graph_tree_close - struct tracer::close and ::pipe_close
 * @iter: the open file's
 *
 * Context: task, may sleep.
 */
void trace_graph_tree_close(struct trace_iterator *iter)
{
	struct trace_print_state *state = iter->private;

	free_percpu((void __percpu __force *)state->tracer_data);
	state->tracer_data = NULL;
}
