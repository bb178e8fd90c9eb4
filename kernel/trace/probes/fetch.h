/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a probe. The words behind the place, in the line that defines the probe, become
 * an object that does not change any more, with a short program that stores them in a record.
 *
 *	struct trace_fetch_context ctx = {
 *		.log = &log, .at = TRACE_FETCH_KPROBE_ENTRY, .function = "vfs_read",
 *		.header = sizeof(struct my_record),
 *	};
 *
 *	fetch = trace_fetch_parse(&ctx, args, line + strlen(line));
 *	if (IS_ERR(fetch))
 *		return PTR_ERR(fetch);
 *
 * and on a hit, with a scratch or a reservation of min(fetch->max, what there can be) bytes,
 * fetch->fixed at least:
 *
 *	struct trace_fetch_source source = { .regs = regs };
 *
 *	size = trace_fetch_store(fetch, &source, record, room);
 *
 * The record has @size bytes then, each of which behind the header was written. The rest of the
 * room was not: it is for the caller to give back, or to clear.
 *
 * In the record, the header is followed by the arguments without gaps, and those by the strings,
 * which the arguments' location words tell of (__data_loc). A string is read once. It is whole,
 * or cut at its end where it was PATH_MAX long or the room was used up, and ends with a NUL.
 * Memory that is not there gives a string of length 0, which is printed as "(fault)", and the
 * number 0.
 */
#ifndef _TRACE_PROBES_FETCH_H
#define _TRACE_PROBES_FETCH_H

#include <linux/refcount.h>
#include <linux/types.h>

#include "probes/error.h"

struct fetch_arg;
struct fetch_insn;
struct fetch_symbols;
struct ftrace_regs;
struct pt_regs;
struct seq_file;
struct trace_event_call;
struct trace_seq;

#define TRACE_FETCH_ARGS_MAX	128	/* of a probe */
#define TRACE_FETCH_WORDS	12	/* the most that TP_PROTO() can have */

/* Where hits are, which tells what arguments there can be, and where they are. */
enum trace_fetch_at {
	TRACE_FETCH_KPROBE,		/* inside of a function, or nobody knows where */
	TRACE_FETCH_KPROBE_ENTRY,	/* at the first instruction of a function */
	TRACE_FETCH_KPROBE_RETURN,
	TRACE_FETCH_FPROBE_ENTRY,
	TRACE_FETCH_FPROBE_RETURN,
	TRACE_FETCH_TRACEPOINT,
	TRACE_FETCH_EVENT,		/* where an event is recorded, with its record at hand */
	TRACE_FETCH_UPROBE,
	TRACE_FETCH_UPROBE_RETURN,
};

/**
 * struct trace_fetch_context - where arguments are parsed for
 * @log: where errors go
 * @at: where hits are
 * @partial: hits of TRACE_FETCH_FPROBE_* have a struct ftrace_regs; otherwise a struct pt_regs
 * @function: the function, which BTF may know; for a tracepoint "__probestub_NAME", whose first
 *	parameter no argument of the probe is. NULL: nobody knows
 * @module: the name of its module; NULL: the kernel
 * @event: of TRACE_FETCH_EVENT: the caller keeps it as long as there is the result
 * @header: bytes of a record in front of the arguments
 */
struct trace_fetch_context {
	struct trace_probe_log		*log;
	enum trace_fetch_at		at;
	bool				partial;
	const char			*function;
	const char			*module;
	struct trace_event_call		*event;
	unsigned int			header;
};

/**
 * struct trace_fetch - the arguments of a probe
 * @nr: how many
 * @fixed: bytes of a record without its strings
 * @max: bytes of the longest record; equal to @fixed if there are no strings
 * @entry_size: bytes that trace_fetch_store_entry() stores; 0: it need not be called
 *
 * The other members are for fetch*.c. Nothing changes but the number of references, and the
 * addresses of symbols when their modules come and go.
 */
struct trace_fetch {
	unsigned int		nr;
	unsigned int		fixed;
	unsigned int		max;
	unsigned int		entry_size;

	const struct fetch_insn	*program;
	const struct fetch_insn	*entry_program;
	struct fetch_arg	*args;
	struct fetch_symbols	*symbols;
	unsigned int		header;
	refcount_t		refs;
};

/**
 * struct trace_fetch_source - the source of the arguments of a hit
 * @regs: of kprobes, uprobes (the registers of the task in user space), and of fprobes whose
 *	context was not partial
 * @fregs: of fprobes whose context was partial
 * @args: of a tracepoint: a word for each of TP_PROTO(); at TRACE_FETCH_WORDS the stack pointer
 * @record: of an event: its record
 * @entry: at a return: the words of trace_fetch_store_entry(); unused if there are none
 * @base: of a uprobe: where the file's first byte would be in the task's memory
 */
struct trace_fetch_source {
	union {
		struct pt_regs		*regs;
		struct ftrace_regs	*fregs;
		const unsigned long	*args;
		const void		*record;
	};
	union {
		const unsigned long	*entry;
		unsigned long		base;
	};
};

/*
 * Make the object from the words between @args and @end, which are parts of the line of
 * ctx->log. Task context, may sleep; takes no lock of events. Returns the object with one
 * reference; or an ERR_PTR() of -ENOMEM, or of another errno, and the error is logged.
 */
struct trace_fetch *trace_fetch_parse(const struct trace_fetch_context *ctx, const char *args,
				      const char *end);

/* An event has a reference to the object whose fields it has. No hit uses it after the last one. */
struct trace_fetch *trace_fetch_get(struct trace_fetch *fetch);
void trace_fetch_put(struct trace_fetch *fetch);

/*
 * Store all arguments in @record, which has @room bytes, fetch->fixed at least, with preemption
 * off. Any context, NMI included; neither faults nor sleeps. Returns the bytes that are used,
 * from the record's start on.
 */
unsigned int trace_fetch_store(const struct trace_fetch *fetch,
			       const struct trace_fetch_source *source, void *record,
			       unsigned int room);

/* This one is for uprobes, in task context: it brings in pages of user space, and may sleep. */
unsigned int trace_fetch_store_faultable(const struct trace_fetch *fetch,
					 const struct trace_fetch_source *source, void *record,
					 unsigned int room);

/*
 * At the entry of a function whose return is probed: store the arguments that the return needs in
 * @entry, fetch->entry_size bytes. @source has the registers of the entry.
 */
void trace_fetch_store_entry(const struct trace_fetch *fetch,
			     const struct trace_fetch_source *source, unsigned long *entry);

/*
 * The first symbol of the arguments that the kernel and its modules do not have now; NULL: it
 * has all. Reading from it faults until a module brings it. Task context, may sleep.
 */
const char *trace_fetch_missing_symbol(const struct trace_fetch *fetch);

/* Define the fields of an event; their strings are those of @fetch. 0 or an errno. */
int trace_fetch_define_fields(const struct trace_fetch *fetch, struct trace_event_call *call);

/* For kfree(). @front: the header's "(%lx)", @front_args: "REC->__probe_ip"; both may be "". */
char *trace_fetch_print_format(const struct trace_fetch *fetch, const char *front,
			       const char *front_args);

/* Print " NAME=VALUE" for each argument of a record. */
void trace_fetch_print(const struct trace_fetch *fetch, struct trace_seq *s, const void *record);

/* Print " NAME=FETCHARG" for each argument. The text makes an equal object. */
void trace_fetch_show(const struct trace_fetch *fetch, struct seq_file *m);

/*
 * May two probes have one event? 0: names and types are equal. Otherwise 1 + the number of the
 * first argument that differs, which trace_fetch_place() finds in the line: PROBE_DIFF_ARG_TYPE.
 */
int trace_fetch_differ(const struct trace_fetch *fetch, const struct trace_fetch *other);

/* Do two probes that do not differ have the same words? Then it may be PROBE_SAME_PROBE. */
bool trace_fetch_is_same(const struct trace_fetch *fetch, const struct trace_fetch *other);

/* The place of argument @i in the words that @fetch is made from; behind them if it has none. */
const char *trace_fetch_place(const struct trace_fetch *fetch, const char *args,
			      const char *end, unsigned int i);

int trace_fetch_init(void);	/* for setup.c, before there are modules */

#endif /* _TRACE_PROBES_FETCH_H */
