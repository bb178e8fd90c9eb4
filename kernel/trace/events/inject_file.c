// SPDX-License-Identifier: GPL-2.0
/*
 * The files "inject" of events: make a record from a text, and let it take the way of one that
 * the event's probe has made.
 *
 *	echo 'prev_pid=1 prev_comm="init" next_pid=0x10' > inject
 *
 * A number that the text does not name is zero, and a string is empty. A field that holds a
 * pointer to a string cannot get one from the user, as the record would point to memory that
 * nobody keeps: it gets a fixed text.
 *
 * Readers trust a record to be of the type that it says and its location words to point into it,
 * so the text sets neither: a number is not put into a field that has a location word.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "events/file.h"
#include "events/internal.h"
#include "events/record.h"
#include "record/context.h"

#define INJECT_POINTER		"STATIC STRING CAN NOT BE INJECTED"

/* A record that is being made. */
struct inject_record {
	void		*data;
	size_t		len;	/* of @data; strings are put behind */
	size_t		max;	/* bytes there are */
};

/* A "field=value" of the text. */
struct inject_value {
	const struct trace_event_field	*field;
	const char			*string;	/* NULL: it is a number */
	u64				number;
};

/* The bytes of the fields of a record. */
static size_t inject_fixed_size(struct trace_event_call *call)
{
	size_t size = sizeof(struct trace_entry);
	const struct trace_event_field *f;

	for_each_trace_event_field(f, call)
		size = max_t(size_t, size, f->offset + f->size);
	return size;
}

/* Let the location word of @field point to @len bytes at @at. */
static void inject_locate(struct inject_record *rec, const struct trace_event_field *field,
			  size_t at, size_t len)
{
	u32 *word = rec->data + field->offset;

	if (field->location == TRACE_FIELD_REL_LOC)
		at -= field->offset + field->size;
	*word = len << 16 | at;
}

/*
 * Begin a record, in which all is zero or empty. The strings of a text of @text_len bytes have
 * room behind it. 0, -ENOMEM, or -EINVAL: location words cannot point as far.
 */
static int inject_begin(struct inject_record *rec, struct trace_event_call *call,
			size_t text_len)
{
	const struct trace_event_field *f;
	size_t fixed = inject_fixed_size(call);

	/* The byte behind the fields is the empty string. */
	rec->len = fixed + 1;
	rec->max = rec->len + text_len;
	if (rec->max > U16_MAX)
		return -EINVAL;
	rec->data = kzalloc(rec->max, GFP_KERNEL);
	if (!rec->data)
		return -ENOMEM;
	for_each_trace_event_field(f, call) {
		if (f->filter_type == FILTER_PTR_STRING)
			*(const char **)(rec->data + f->offset) = "";
		else if (trace_event_field_is_located(f))
			inject_locate(rec, f, fixed, 0);
	}
	tracing_generic_entry_update(rec->data, call->event.type, tracing_gen_ctx());
	return 0;
}

/* The field whose name is at *@text, which moves behind it and what follows up to the value. */
static int inject_parse_field(char **text, struct trace_event_call *call,
			      struct inject_value *value)
{
	char *name = skip_spaces(*text), *end = name;

	while (isalnum(*end) || *end == '_')
		end++;
	if (end == name)
		return -EINVAL;
	value->field = trace_event_field_find(call, name, end - name);
	if (!value->field)
		return -ENOENT;
	end = skip_spaces(end);
	if (*end != '=')
		return -EINVAL;
	*text = skip_spaces(end + 1);
	return 0;
}

/* A number, which ends where the text does or at a blank. */
static int inject_parse_number(char **text, struct inject_value *value)
{
	char *number = *text, *end = number, last;
	s64 with_sign;
	int ret;

	if (*end == '-')
		end++;
	while (isalnum(*end))
		end++;
	last = *end;
	if (last && !isspace(last))
		return -EINVAL;
	*end = '\0';
	if (value->field->is_signed) {
		ret = kstrtoll(number, 0, &with_sign);
		value->number = ret ? 0 : with_sign;
	} else {
		ret = kstrtoull(number, 0, &value->number);
	}
	*end = last;
	*text = end;
	return ret;
}

/* A string in quotes. A quote with a backslash before it does not end it; both are part of it. */
static int inject_parse_string(char **text, struct inject_value *value)
{
	char quote = **text, *end = *text + 1;

	while (*end && *end != quote)
		end += end[0] == '\\' && end[1] ? 2 : 1;
	if (!*end || end - *text - 1 >= MAX_FILTER_STR_VAL)
		return -EINVAL;
	*end = '\0';
	value->string = *text + 1;
	*text = end + 1;
	return 0;
}

/* Take the first "field=value" off the text. 0, -EINVAL, -ENOENT, or the errno of the number. */
static int inject_parse(char **text, struct trace_event_call *call, struct inject_value *value)
{
	int ret = inject_parse_field(text, call, value);
	bool is_string;

	if (ret)
		return ret;
	is_string = trace_event_field_is_string(value->field);
	value->string = NULL;
	if (isdigit(**text) || **text == '-')
		return is_string ? -EINVAL : inject_parse_number(text, value);
	if (**text == '\'' || **text == '"')
		return is_string ? inject_parse_string(text, value) : -EINVAL;
	return -EINVAL;
}

static void inject_set_string(struct inject_record *rec, const struct inject_value *value)
{
	const struct trace_event_field *field = value->field;
	size_t len = strlen(value->string) + 1;
	void *at = rec->data + field->offset;

	if (field->filter_type == FILTER_PTR_STRING) {
		*(const char **)at = INJECT_POINTER;
	} else if (field->filter_type == FILTER_STATIC_STRING) {
		strscpy_pad(at, value->string, field->size);
	} else if (!WARN_ON_ONCE(rec->len + len > rec->max)) {
		/* The text of each is longer than its string. */
		memcpy(rec->data + rec->len, value->string, len);
		inject_locate(rec, field, rec->len, len);
		rec->len += len;
	}
}

/* 0, or -EINVAL: the field is no number. */
static int inject_set_number(struct inject_record *rec, const struct inject_value *value)
{
	void *at = rec->data + value->field->offset;

	if (trace_event_field_is_located(value->field))
		return -EINVAL;
	switch (value->field->size) {
	case 1:
		*(u8 *)at = value->number;
		return 0;
	case 2:
		*(u16 *)at = value->number;
		return 0;
	case 4:
		*(u32 *)at = value->number;
		return 0;
	case 8:
		*(u64 *)at = value->number;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Does the record hold a field that the text may set? Its type decides how it is read. */
static bool inject_may_set(const struct trace_event_field *field)
{
	switch (field->filter_type) {
	case FILTER_TRACE_FN:
	case FILTER_CPU:
	case FILTER_COMM:
	case FILTER_STACKTRACE:
	case TRACE_FILTER_CONTEXT:
		return false;
	default:
		return field != trace_event_common_field(0);
	}
}

/* Set the fields that the text names. 0 or errno. */
static int inject_fill(struct inject_record *rec, struct trace_event_call *call, char *text)
{
	struct inject_value value;
	int ret;

	while (*text) {
		ret = inject_parse(&text, call, &value);
		if (ret)
			return ret;
		if (!inject_may_set(value.field))
			return -EINVAL;
		if (value.string)
			inject_set_string(rec, &value);
		else
			ret = inject_set_number(rec, &value);
		if (ret)
			return ret;
	}
	return 0;
}

static void inject_commit(struct inject_record *rec, struct trace_event_file *file)
{
	struct trace_event_buffer fbuffer;
	void *to;

	/* The last soft user may have left the bit, which nobody looks at while there is none. */
	if (!(file->flags & EVENT_FILE_FL_SOFT_MODE))
		clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
	/* The record goes with the event, as if the event had been on. */
	set_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
	to = trace_event_reserve_preemptible(&fbuffer, file, rec->len);
	if (!to)
		return;
	memcpy(to, rec->data, rec->len);
	trace_event_commit_preemptible(&fbuffer);
}

/*
 * Raise an event of an instance as the text says, which is changed. The event need not be on. Its
 * filter and triggers see the record. 0, -EINVAL, -ENOENT (no such field), -ERANGE, -ENOMEM;
 * the events mutex is held.
 */
int trace_event_inject(struct trace_event_file *file, char *text)
{
	struct inject_record rec = { };
	int ret;

	trace_events_assert_locked();

	text = strim(text);
	ret = inject_begin(&rec, file->event_call, strlen(text));
	ret = ret ?: inject_fill(&rec, file->event_call, text);
	if (!ret)
		inject_commit(&rec, file);
	kfree(rec.data);
	return ret;
}

static ssize_t inject_write(struct file *filp, const char __user *ubuf, size_t count,
			    loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	int ret = -ENODEV;
	char *text;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	scoped_guard(trace_events) {
		if (!trace_event_file_is_gone(file))
			ret = trace_event_inject(file, text);
	}
	kfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* Users know that it cannot be read, not even by root. */
static ssize_t inject_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return -EPERM;
}

static const struct file_operations inject_fops = {
	.open		= trace_event_file_open,
	.read		= inject_read,
	.write		= inject_write,
	.release	= trace_event_file_release,
};

static int inject_entry(const char *name, umode_t *mode, void **data,
			const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0200;
	*fops = &inject_fops;
	return trace_event_usable(file->event_call);
}

/* Boot, once; the events mutex is held. */
void __init trace_event_inject_init(void)
{
	static const struct eventfs_entry entry __initconst = { "inject", inject_entry };

	WARN_ON(trace_event_dir_add(TRACE_EVENT_DIR_EVENT, &entry));
}

struct trace_component trace_event_inject_component __ro_after_init = {
	.name		= "inject",
	.readme		=
		"  events/*/*/inject\t- raise the event: <field>=<number> <field>=\"<text>\" ...\n",
};
