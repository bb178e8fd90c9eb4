// SPDX-License-Identifier: GPL-2.0
/* The errors that the text of a filter may have: numbers, words, errnos. */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/sprintf.h>

#include "events/filter/program.h"
#include "instance/error.h"
#include "instance/instance.h"

static const char * const filter_error_texts[] = {
	[FILTER_ERR_INVALID_OP]		= "Invalid operator",
	[FILTER_ERR_TOO_MANY_OPEN]	= "Too many '('",
	[FILTER_ERR_TOO_MANY_CLOSE]	= "Too few '('",
	[FILTER_ERR_MISSING_QUOTE]	= "Missing matching quote",
	[FILTER_ERR_MISSING_BRACE_OPEN]	= "Missing '{'",
	[FILTER_ERR_MISSING_BRACE_CLOSE] = "Missing '}'",
	[FILTER_ERR_OPERAND_TOO_LONG]	= "Operand too long",
	[FILTER_ERR_EXPECT_STRING]	= "Expecting string field",
	[FILTER_ERR_EXPECT_DIGIT]	= "Expecting numeric field",
	[FILTER_ERR_ILLEGAL_FIELD_OP]	= "Illegal operation for field type",
	[FILTER_ERR_FIELD_NOT_FOUND]	= "Field not found",
	[FILTER_ERR_ILLEGAL_INTVAL]	= "Illegal integer value",
	[FILTER_ERR_BAD_SUBSYS_FILTER]	=
		"Couldn't find or set field in one of a subsystem's events",
	[FILTER_ERR_TOO_MANY_PREDS]	= "Too many terms in predicate expression",
	[FILTER_ERR_INVALID_FILTER]	= "Meaningless filter expression",
	[FILTER_ERR_INVALID_CPULIST]	= "Invalid cpulist",
	[FILTER_ERR_INVALID_VALUE]	= "Invalid value (did you forget quotes)?",
	[FILTER_ERR_NO_FUNCTION]	= "Function not found",
	[FILTER_ERR_NO_FILTER]		= "No filter found",
	[FILTER_ERR_INVALID_INDEX]	= "No such element",
	[FILTER_ERR_OTHER]		= "Error",
};

/*
 * Note what is wrong and where. Returns the errno that users of the files know for it,
 * which is not always EINVAL.
 */
int trace_filter_fail(struct filter_text *t, enum trace_filter_code code, const char *at)
{
	t->error->code = code;
	t->error->pos = at - t->text;
	switch (code) {
	case FILTER_ERR_TOO_MANY_OPEN:
		return -ENOENT;
	case FILTER_ERR_TOO_MANY_CLOSE:
	case FILTER_ERR_TOO_MANY_PREDS:
		return -EPERM;
	case FILTER_ERR_MISSING_QUOTE:
		return -ESRCH;
	default:
		return -EINVAL;
	}
}

/*
 * A text, the place of its error and what is wrong with it, as users read them in the file
 * "filter"; the caller frees it. The caret is one to the left of the error log's, as it is known
 * there. NULL: there is no memory.
 */
char *trace_filter_refusal_text(const char *text, const struct trace_filter_error *error)
{
	return kasprintf(GFP_KERNEL, "%s\n%*s\nparse_error: %s\n", text, (int)error->pos, "^",
			 filter_error_texts[error->code]);
}

/**
 * trace_filter_error_log - tell in an instance's error_log what is wrong with a text
 * @tr: the instance
 * @text: the text as it was given to trace_filter_compile()
 * @error: what that said
 *
 * Context: task, may sleep.
 */
void trace_filter_error_log(struct trace_array *tr, const char *text,
			    const struct trace_filter_error *error)
{
	trace_error_log(tr, "event filter parse error", text, filter_error_texts, error->code,
			error->pos);
}
