// SPDX-License-Identifier: GPL-2.0
/* The errors that a line with a probe may have: error.h tells how they are logged. */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "instance/error.h"
#include "probes/error.h"

static const char * const error_texts[] = {
	[PROBE_FILE_NOT_FOUND]		= "Failed to find the given file",
	[PROBE_NO_REGULAR_FILE]		= "Not a regular file",
	[PROBE_BAD_REFCNT]		= "Invalid reference counter offset",
	[PROBE_REFCNT_OPEN_BRACE]	= "Reference counter brace is not closed",
	[PROBE_BAD_REFCNT_SUFFIX]	= "Reference counter has wrong suffix",
	[PROBE_BAD_UPROBE_OFFS]		= "Invalid uprobe offset",
	[PROBE_BAD_MAXACT_TYPE]		= "Maxactive is only for function exit",
	[PROBE_BAD_MAXACT]		= "Invalid maxactive number",
	[PROBE_MAXACT_TOO_BIG]		= "Maxactive is too big",
	[PROBE_BAD_PROBE_ADDR]		= "Invalid probed address or symbol",
	[PROBE_NON_UNIQ_SYMBOL]		= "The symbol is not unique",
	[PROBE_BAD_RETPROBE]		= "Retprobe address must be an function entry",
	[PROBE_NO_TRACEPOINT]		= "Tracepoint is not found",
	[PROBE_BAD_TP_NAME]		= "Invalid character in tracepoint name",
	[PROBE_BAD_ADDR_SUFFIX]		= "Invalid probed address suffix",
	[PROBE_BAD_INSN_BNDRY]		= "Probe point is not an instruction boundary",
	[PROBE_FAIL_REG_PROBE]		= "Failed to register probe event",
	[PROBE_NO_GROUP_NAME]		= "Group name is not specified",
	[PROBE_GROUP_TOO_LONG]		= "Group name is too long",
	[PROBE_BAD_GROUP_NAME]		= "Group name must follow the same rules as C identifiers",
	[PROBE_NO_EVENT_NAME]		= "Event name is not specified",
	[PROBE_EVENT_TOO_LONG]		= "Event name is too long",
	[PROBE_BAD_EVENT_NAME]		= "Event name must follow the same rules as C identifiers",
	[PROBE_EVENT_EXIST]		= "Given group/event name is already used by another event",
	[PROBE_DIFF_PROBE_TYPE]		= "Probe type is different from existing probe",
	[PROBE_DIFF_ARG_TYPE]		= "Argument type or name is different from existing probe",
	[PROBE_SAME_PROBE]		= "There is already the exact same probe event",
	[PROBE_NO_EVENT_INFO]		= "This requires both group and event name to attach",
	[PROBE_BAD_ATTACH_EVENT]	= "Attached event does not exist",
	[PROBE_EP_TOO_DEEP]		= "Too many event probes on top of each other",
	[PROBE_NO_EP_FILTER]		= "No filter rule after 'if'",
	[PROBE_BAD_ATTACH_ARG]		= "Attached event does not have this field",
	[PROBE_RETVAL_ON_PROBE]		= "$retval is not available on probe",
	[PROBE_NO_RETVAL]		= "This function returns 'void' type",
	[PROBE_BAD_STACK_NUM]		= "Invalid stack number",
	[PROBE_BAD_ARG_NUM]		= "Invalid argument number",
	[PROBE_BAD_VAR]			= "Invalid $-variable specified",
	[PROBE_BAD_REG_NAME]		= "Invalid register name",
	[PROBE_BAD_MEM_ADDR]		= "Invalid memory address",
	[PROBE_BAD_IMM]			= "Invalid immediate value",
	[PROBE_IMMSTR_NO_CLOSE]		= "String is not closed with '\"'",
	[PROBE_FILE_ON_KPROBE]		= "File offset is not available with kprobe",
	[PROBE_BAD_FILE_OFFS]		= "Invalid file offset value",
	[PROBE_SYM_ON_UPROBE]		= "Symbol is not available with uprobe",
	[PROBE_TOO_MANY_OPS]		= "Dereference is too much nested",
	[PROBE_DEREF_NEED_BRACE]	= "Dereference needs a brace",
	[PROBE_BAD_DEREF_OFFS]		= "Invalid dereference offset",
	[PROBE_DEREF_OPEN_BRACE]	= "Dereference brace is not closed",
	[PROBE_COMM_CANT_DEREF]		= "$comm can not be dereferenced",
	[PROBE_BAD_FETCH_ARG]		= "Invalid fetch argument",
	[PROBE_ARRAY_NO_CLOSE]		= "Array is not closed",
	[PROBE_BAD_ARRAY_SUFFIX]	= "Array has wrong suffix",
	[PROBE_BAD_ARRAY_NUM]		= "Invalid array size",
	[PROBE_ARRAY_TOO_BIG]		= "Array number is too big",
	[PROBE_BAD_TYPE]		= "Unknown type is specified",
	[PROBE_BAD_STRING]		= "String accepts only memory argument",
	[PROBE_BAD_SYMSTRING]		= "Symbol String doesn't accept data/userdata",
	[PROBE_BAD_BITFIELD]		= "Invalid bitfield",
	[PROBE_ARG_NAME_TOO_LONG]	= "Argument name is too long",
	[PROBE_NO_ARG_NAME]		= "Argument name is not specified",
	[PROBE_BAD_ARG_NAME]	=
		"Argument name must follow the same rules as C identifiers",
	[PROBE_USED_ARG_NAME]		= "This argument name is already used",
	[PROBE_ARG_TOO_LONG]		= "Argument expression is too long",
	[PROBE_NO_ARG_BODY]		= "No argument expression",
	[PROBE_NOSUP_BTFARG]		= "BTF is not available or not supported",
	[PROBE_NO_BTFARG]		= "This variable is not found at this probe point",
	[PROBE_NO_BTF_ENTRY]		= "No BTF entry for this probe point",
	[PROBE_BAD_VAR_ARGS]	=
		"$arg* must be an independent parameter without name etc.",
	[PROBE_NOFENTRY_ARGS]		= "$arg* can be used only on function entry or exit",
	[PROBE_DOUBLE_ARGS]		= "$arg* can be used only once in the parameters",
	[PROBE_ARGS_2LONG]		= "$arg* failed because the argument list is too long",
	[PROBE_ARGIDX_2BIG]		= "$argN index is too big",
	[PROBE_NO_PTR_STRCT]		= "This is not a pointer to union/structure.",
	[PROBE_NOSUP_DAT_ARG]		= "Non pointer structure/union argument is not supported.",
	[PROBE_BAD_HYPHEN]		= "Failed to parse single hyphen. Forgot '>'?",
	[PROBE_NO_BTF_FIELD]		= "This field is not found.",
	[PROBE_BAD_BTF_TID]		= "Failed to get BTF type info.",
	[PROBE_BAD_TYPE4STR]		= "This type does not fit for string.",
	[PROBE_NEED_STRING_TYPE]	= "$comm and immediate-string only accepts string type",
	[PROBE_EVENT_TOO_BIG]		= "Event too big (too many fields?)",
	[PROBE_TOO_MANY_ARGS]		= "Too many arguments are specified",
	[PROBE_NOSUP_PERCPU]	=
		"Per-cpu variable access is only for kernel probes",
	[PROBE_TOO_MANY_NESTED]		= "Too many nested typecasts/dereferences",
	[PROBE_TYPECAST_REQ_FIELD]	= "Typecast requires a field access",
	[PROBE_TYPECAST_SYM_OFFSET]	=
		"@SYM+/-OFFSET with typecast needs parentheses",
	[PROBE_TYPECAST_NOT_ALIGNED]	= "Typecast field option is not byte-aligned",
	[PROBE_TYPECAST_BAD_ARROW]	=
		"Typecast field option does not support -> operator",
};

/* The errno that users of the files know for an error. */
static int error_number(enum trace_probe_error error)
{
	switch (error) {
	case PROBE_FILE_NOT_FOUND:
	case PROBE_NO_RETVAL:
	case PROBE_NO_BTFARG:
	case PROBE_NO_BTF_ENTRY:
	case PROBE_NO_BTF_FIELD:
		return -ENOENT;
	case PROBE_ARG_TOO_LONG:
	case PROBE_ARGS_2LONG:
	case PROBE_EVENT_TOO_BIG:
	case PROBE_TOO_MANY_ARGS:
	case PROBE_TOO_MANY_NESTED:
		return -E2BIG;
	case PROBE_NOSUP_BTFARG:
	case PROBE_NOSUP_DAT_ARG:
		return -EOPNOTSUPP;
	case PROBE_BAD_ATTACH_EVENT:
		return -ENODEV;
	case PROBE_EVENT_EXIST:
	case PROBE_DIFF_PROBE_TYPE:
	case PROBE_DIFF_ARG_TYPE:
	case PROBE_SAME_PROBE:
		return -EEXIST;
	default:
		return -EINVAL;
	}
}

/**
 * trace_probe_error - log why a line is refused
 * @log: the line, and whose it is
 * @pos: the place in it
 * @error: what is wrong there
 *
 * Context: task, may sleep.
 * Return: the errno for @error, which is never 0: most are -EINVAL.
 */
int trace_probe_error(struct trace_probe_log *log, const char *pos,
		      enum trace_probe_error error)
{
	log->error = error;
	log->pos = 0;
	if (log->line) {
		/* A word that is missing would come behind a blank. */
		log->pos = clamp_t(long, pos - log->line, 0, strlen(log->line) + 1);
		trace_error_log(NULL, log->subsystem, log->line, error_texts, error, log->pos);
	}
	return error_number(error);
}
