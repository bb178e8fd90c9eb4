/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of an instance: one bit each, and a name in trace_options. Options of
 * layers that do not exist yet are absent, but for function-trace: trace-cmd looks for it,
 * and stops all hooks of functions where it is missing.
 */
#ifndef _TRACE_INSTANCE_OPTION_H
#define _TRACE_INSTANCE_OPTION_H

#include "instance/instance.h"

#define TRACE_OPTIONS(X)				\
	X(PRINT_PARENT,		"print-parent")		\
	X(SYM_OFFSET,		"sym-offset")		\
	X(SYM_ADDR,		"sym-addr")		\
	X(VERBOSE,		"verbose")		\
	X(RAW,			"raw")			\
	X(HEX,			"hex")			\
	X(BIN,			"bin")			\
	X(BLOCK,		"block")		\
	X(FIELDS,		"fields")		\
	X(PRINTK,		"trace_printk")		\
	X(ANNOTATE,		"annotate")		\
	X(USERSTACKTRACE,	"userstacktrace")	\
	X(SYM_USEROBJ,		"sym-userobj")		\
	X(PRINTK_MSGONLY,	"printk-msg-only")	\
	X(CONTEXT_INFO,		"context-info")		\
	X(LATENCY_FMT,		"latency-format")	\
	X(RECORD_CMD,		"record-cmd")		\
	X(RECORD_TGID,		"record-tgid")		\
	X(OVERWRITE,		"overwrite")		\
	X(STOP_ON_FREE,		"disable_on_free")	\
	X(IRQ_INFO,		"irq-info")		\
	X(MARKERS,		"markers")		\
	X(EVENT_FORK,		"event-fork")		\
	X(PRINTK_DEST,		"trace_printk_dest")	\
	X(PAUSE_ON_TRACE,	"pause-on-trace")	\
	X(HASH_PTR,		"hash-ptr")		\
	X(FUNCTION,		"function-trace")	\
	X(FUNC_FORK,		"function-fork")	\
	X(STACKTRACE,		"stacktrace")

enum {
#define X(bit, name) TRACE_OPT_##bit##_BIT,
	TRACE_OPTIONS(X)
#undef X
	TRACE_OPT_COUNT
};
static_assert(TRACE_OPT_COUNT <= 32);

enum {
#define X(bit, name) TRACE_OPT_##bit = 1U << TRACE_OPT_##bit##_BIT,
	TRACE_OPTIONS(X)
#undef X
};

extern const char * const trace_option_names[TRACE_OPT_COUNT];

/**
 * trace_option - is an option of an instance on?
 * @tr: the instance
 * @opt: one TRACE_OPT_*
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool trace_option(const struct trace_array *tr, u32 opt)
{
	return READ_ONCE(tr->options) & opt;
}

int trace_option_set(struct trace_array *tr, u32 opt, bool on);		/* instances lock */
int trace_option_set_word(struct trace_array *tr, const char *word);	/* instances lock */
/* As trace_option_set_word(), for the options of the current tracer, too. "noNAME" clears. */
int trace_option_parse(struct trace_array *tr, char *text);

void trace_options_boot(void);

#endif /* _TRACE_INSTANCE_OPTION_H */
