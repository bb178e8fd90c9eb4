/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors in the line that defines a probe. They have the texts that users and their tools know,
 * and error_log shows each with a caret under its place.
 *
 *	struct trace_probe_log log = { .subsystem = "trace_kprobe", .line = line };
 *
 *	if (!isdigit(*p))
 *		return trace_probe_error(&log, p, PROBE_BAD_MAXACT);
 *
 * A place is a pointer into the line. No place outside of the line is logged: its begin is, or its
 * end.
 */
#ifndef _TRACE_PROBES_ERROR_H
#define _TRACE_PROBES_ERROR_H

enum trace_probe_error {
	/* Of the probed place, by front ends */
	PROBE_FILE_NOT_FOUND,
	PROBE_NO_REGULAR_FILE,
	PROBE_BAD_REFCNT,
	PROBE_REFCNT_OPEN_BRACE,
	PROBE_BAD_REFCNT_SUFFIX,
	PROBE_BAD_UPROBE_OFFS,
	PROBE_BAD_MAXACT_TYPE,
	PROBE_BAD_MAXACT,
	PROBE_MAXACT_TOO_BIG,
	PROBE_BAD_PROBE_ADDR,
	PROBE_NON_UNIQ_SYMBOL,
	PROBE_BAD_RETPROBE,
	PROBE_NO_TRACEPOINT,
	PROBE_BAD_TP_NAME,
	PROBE_BAD_ADDR_SUFFIX,
	PROBE_BAD_INSN_BNDRY,
	PROBE_FAIL_REG_PROBE,
	/* Of the event, by front ends */
	PROBE_NO_GROUP_NAME,
	PROBE_GROUP_TOO_LONG,
	PROBE_BAD_GROUP_NAME,
	PROBE_NO_EVENT_NAME,
	PROBE_EVENT_TOO_LONG,
	PROBE_BAD_EVENT_NAME,
	PROBE_EVENT_EXIST,
	PROBE_DIFF_PROBE_TYPE,
	PROBE_DIFF_ARG_TYPE,
	PROBE_SAME_PROBE,
	PROBE_NO_EVENT_INFO,
	PROBE_BAD_ATTACH_EVENT,
	PROBE_EP_TOO_DEEP,
	PROBE_NO_EP_FILTER,
	/* Of arguments, by trace_fetch_parse() */
	PROBE_BAD_ATTACH_ARG,
	PROBE_RETVAL_ON_PROBE,
	PROBE_NO_RETVAL,
	PROBE_BAD_STACK_NUM,
	PROBE_BAD_ARG_NUM,
	PROBE_BAD_VAR,
	PROBE_BAD_REG_NAME,
	PROBE_BAD_MEM_ADDR,
	PROBE_BAD_IMM,
	PROBE_IMMSTR_NO_CLOSE,
	PROBE_FILE_ON_KPROBE,
	PROBE_BAD_FILE_OFFS,
	PROBE_SYM_ON_UPROBE,
	PROBE_TOO_MANY_OPS,
	PROBE_DEREF_NEED_BRACE,
	PROBE_BAD_DEREF_OFFS,
	PROBE_DEREF_OPEN_BRACE,
	PROBE_COMM_CANT_DEREF,
	PROBE_BAD_FETCH_ARG,
	PROBE_ARRAY_NO_CLOSE,
	PROBE_BAD_ARRAY_SUFFIX,
	PROBE_BAD_ARRAY_NUM,
	PROBE_ARRAY_TOO_BIG,
	PROBE_BAD_TYPE,
	PROBE_BAD_STRING,
	PROBE_BAD_SYMSTRING,
	PROBE_BAD_BITFIELD,
	PROBE_ARG_NAME_TOO_LONG,
	PROBE_NO_ARG_NAME,
	PROBE_BAD_ARG_NAME,
	PROBE_USED_ARG_NAME,
	PROBE_ARG_TOO_LONG,
	PROBE_NO_ARG_BODY,
	PROBE_NOSUP_BTFARG,
	PROBE_NO_BTFARG,
	PROBE_NO_BTF_ENTRY,
	PROBE_BAD_VAR_ARGS,
	PROBE_NOFENTRY_ARGS,
	PROBE_DOUBLE_ARGS,
	PROBE_ARGS_2LONG,
	PROBE_ARGIDX_2BIG,
	PROBE_NO_PTR_STRCT,
	PROBE_NOSUP_DAT_ARG,
	PROBE_BAD_HYPHEN,
	PROBE_NO_BTF_FIELD,
	PROBE_BAD_BTF_TID,
	PROBE_BAD_TYPE4STR,
	PROBE_NEED_STRING_TYPE,
	PROBE_EVENT_TOO_BIG,
	PROBE_TOO_MANY_ARGS,
	PROBE_NOSUP_PERCPU,
	PROBE_TOO_MANY_NESTED,
	PROBE_TYPECAST_REQ_FIELD,
	PROBE_TYPECAST_SYM_OFFSET,
	PROBE_TYPECAST_NOT_ALIGNED,
	PROBE_TYPECAST_BAD_ARROW,
};

/**
 * struct trace_probe_log - where the errors of a line are logged
 * @subsystem: "trace_kprobe", "trace_uprobe", "trace_fprobe" or "event_probe"
 * @line: the whole line, as the user wrote it. NULL: nothing is logged
 * @error: the last error
 * @pos: its place, in characters from 0
 */
struct trace_probe_log {
	const char		*subsystem;
	const char		*line;
	enum trace_probe_error	error;
	unsigned int		pos;
};

int trace_probe_error(struct trace_probe_log *log, const char *pos,
		      enum trace_probe_error error);

#endif /* _TRACE_PROBES_ERROR_H */
