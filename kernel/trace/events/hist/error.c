// SPDX-License-Identifier: GPL-2.0
/* The errors in texts of histograms, for the error log. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "events/hist/parse.h"
#include "instance/error.h"

static const char * const error_texts[] = {
	[HIST_ERR_NONE]		= "No error",
	[HIST_ERR_DUPLICATE_VAR] = "Variable already defined",
	[HIST_ERR_NOT_UNIQUE]	=
		"Variable name not unique, need to use fully qualified name (subsys.event.var) for variable",
	[HIST_ERR_MANY_VARS]	= "Too many variables defined",
	[HIST_ERR_MALFORMED]	= "Malformed assignment",
	[HIST_ERR_MISMATCH]	=
		"Named hist trigger doesn't match existing named trigger (includes variables)",
	[HIST_ERR_EXISTS]	= "Hist trigger already exists",
	[HIST_ERR_NO_TRIGGER]	= "Can't clear or continue a nonexistent hist trigger",
	[HIST_ERR_CLOCK]	= "Couldn't set trace_clock",
	[HIST_ERR_MODIFIER]	= "Invalid field modifier",
	[HIST_ERR_MANY_SUBEXPR]	= "Too many subexpressions (3 max)",
	[HIST_ERR_UNITS]	= "Timestamp units in expression don't match",
	[HIST_ERR_MANY_FIELD_VARS] = "Too many field variables defined",
	[HIST_ERR_NO_FILE]	= "Event file not found",
	[HIST_ERR_NO_HIST]	= "Matching event histogram not found",
	[HIST_ERR_HIST_FAIL]	= "Couldn't create histogram for field",
	[HIST_ERR_NO_SYNTH_VAR]	= "Couldn't find synthetic variable",
	[HIST_ERR_NO_SYNTH]	= "Couldn't find synthetic event",
	[HIST_ERR_SYNTH_TYPE]	= "Param type doesn't match synthetic event field type",
	[HIST_ERR_SYNTH_COUNT]	= "Param count doesn't match synthetic event field count",
	[HIST_ERR_FIELD_VAR_PARSE] = "Couldn't parse field variable",
	[HIST_ERR_VAR_FAIL]	= "Couldn't create or find variable",
	[HIST_ERR_TRACK_NO_VAR]	= "For onmax(x) or onchange(x), x must be a variable",
	[HIST_ERR_TRACK_NOT_FOUND] = "Couldn't find onmax or onchange variable",
	[HIST_ERR_TRACK_FAIL]	= "Couldn't create onmax or onchange variable",
	[HIST_ERR_FIELD_VAR_FAIL] = "Couldn't create field variable",
	[HIST_ERR_MANY_PARAMS]	= "Too many action params",
	[HIST_ERR_NO_PARAM]	= "Couldn't find param",
	[HIST_ERR_PARAM]	= "Invalid action param",
	[HIST_ERR_NO_ACTION]	= "No action found",
	[HIST_ERR_NO_SAVE_PARAMS] = "No params found for save()",
	[HIST_ERR_MANY_SAVES]	= "Can't have more than one save() action per hist",
	[HIST_ERR_ACTION]	= "Handler doesn't support action",
	[HIST_ERR_NO_PAREN]	= "No closing paren found",
	[HIST_ERR_NO_SYSTEM]	= "Missing subsystem",
	[HIST_ERR_NO_EVENT]	= "Invalid subsystem or event name",
	[HIST_ERR_REF_KEY]	= "Using variable references in keys not supported",
	[HIST_ERR_NO_VAR]	= "Couldn't find variable",
	[HIST_ERR_NO_FIELD]	= "Couldn't find field",
	[HIST_ERR_EMPTY]	= "Empty assignment",
	[HIST_ERR_SORT_MODIFIER] = "Invalid sort modifier",
	[HIST_ERR_SORT_EMPTY]	= "Empty sort field",
	[HIST_ERR_SORT_MANY]	= "Too many sort fields (Max = 2)",
	[HIST_ERR_SORT_FIELD]	= "Sort field must be a key or a val",
	[HIST_ERR_STRING]	= "String type can not be an operand in expression",
	[HIST_ERR_NUMBER]	= "Expecting numeric literal",
	[HIST_ERR_MINUS]	= "Unary minus not supported in sub-expressions",
	[HIST_ERR_DIVISION]	= "Division by zero",
	[HIST_ERR_NEED_VALUE]	= "Non-hitcount value is required for 'nohitcount'",
	[HIST_ERR_NO_ELEMENT]	= "No such element",
	[HIST_ERR_INTERVAL]	= "No interval (as 10ms, 1s, or a number of the clock)",
	[HIST_ERR_KEEP]		= "Expecting a number of tables (1 to 1024)",
	[HIST_ERR_KEEP_ALONE]	= "keep= needs an interval=",
	[HIST_ERR_INTERVAL_VAR]	= "Variables of a histogram with an interval cannot be referred to",
	[HIST_ERR_PERCENTILE]	= "No percentile (as .p50, .p99, .p999)",
};

/**
 * trace_hist_fail - tell in the error log why a text is refused
 * @file: the event
 * @text: what was written
 * @error: what is wrong
 * @pos: where in the text
 *
 * Context: task, may sleep.
 * Return: the errno that users know for it.
 */
int trace_hist_fail(struct trace_event_file *file, const struct trace_trigger_text *text,
		    enum hist_error error, unsigned int pos)
{
	char loc[128];

	snprintf(loc, sizeof(loc), "hist:%s:%s", file->event_call->class->system,
		 trace_event_name(file->event_call));
	trace_error_log(file->tr, loc, text->text, error_texts, error, pos);
	switch (error) {
	case HIST_ERR_EXISTS:
	case HIST_ERR_MANY_SAVES:
		return -EEXIST;
	case HIST_ERR_NO_TRIGGER:
	case HIST_ERR_NEED_VALUE:
		return -ENOENT;
	case HIST_ERR_DIVISION:
		return -EDOM;
	default:
		return -EINVAL;
	}
}

/*
 * @at: in the copy of the parameters, which is as long as they are; NULL: the text as a whole.
 * There is no copy of a text that another one implies
 */
int trace_hist_fail_at(const struct hist_spec *spec, struct trace_event_file *file,
		       const struct trace_trigger_text *text, enum hist_error error,
		       const char *at)
{
	const char *param = at && spec->text ? strstr(text->text, text->param) : NULL;

	return trace_hist_fail(file, text, error,
			       param ? param - text->text + (at - spec->text) : 0);
}

int trace_hist_parse_fail(const struct hist_parse *p, enum hist_error error, const char *at)
{
	if (p->quiet)
		return -EINVAL;
	return trace_hist_fail_at(p->spec, p->file, p->text, error, at);
}
