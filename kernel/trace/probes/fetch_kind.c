// SPDX-License-Identifier: GPL-2.0
/*
 * The types that a line asks for, and the steps that store a value as one: "TYPE", "TYPE[N]",
 * "bBITS@SHIFT/SIZE", "%pd" and "%pD".
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "probes/fetch_parse.h"

/* A number between @text and @end, which is no longer than a word of a line. */
static bool fetch_kind_number(const char *text, const char *end, unsigned int *number)
{
	char digits[FETCH_TEXT_MAX + 1];
	size_t len = end - text;

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return !kstrtouint(digits, 0, number);
}

/* "[N]" at @open */
static int fetch_kind_array(struct fetch_parser *p, const char *open, const char *end,
			    struct fetch_wanted *wanted)
{
	const char *close = memchr(open, ']', end - open);
	unsigned int count;

	if (!close)
		return fetch_refuse(p, end, PROBE_ARRAY_NO_CLOSE);
	if (close + 1 != end)
		return fetch_refuse(p, close + 1, PROBE_BAD_ARRAY_SUFFIX);
	if (!fetch_kind_number(open + 1, close, &count) || !count)
		return fetch_refuse(p, open + 1, PROBE_BAD_ARRAY_NUM);
	if (count > FETCH_ELEMENTS_MAX)
		return fetch_refuse(p, open + 1, PROBE_ARRAY_TOO_BIG);
	wanted->count = count;
	return 0;
}

/* "bBITS@SHIFT/SIZE" */
static int fetch_kind_bits(struct fetch_parser *p, const char *text, const char *end,
			   struct fetch_wanted *wanted)
{
	const char *at = memchr(text, '@', end - text);
	const char *slash = memchr(text, '/', end - text);
	unsigned int bits, shift, size;

	if (!slash || !fetch_kind_number(slash + 1, end, &size) || size % BITS_PER_BYTE)
		return fetch_refuse(p, text, PROBE_BAD_TYPE);
	wanted->type = fetch_type_number(size / BITS_PER_BYTE, false);
	if (!wanted->type)
		return fetch_refuse(p, text, PROBE_BAD_TYPE);
	if (!at || at > slash || !fetch_kind_number(text + 1, at, &bits) ||
	    !fetch_kind_number(at + 1, slash, &shift) || !bits || bits > size ||
	    shift > size - bits)
		return fetch_refuse(p, text, PROBE_BAD_BITFIELD);
	wanted->bits = bits;
	wanted->shift = shift;
	return 0;
}

/**
 * fetch_kind_parse - read the type that a line asks for
 * @p: the parser
 * @text: the type, behind its colon; NULL: the line has none
 * @end: of it
 * @wanted: filled
 *
 * Return: 0; or an errno, and the error is logged.
 */
int fetch_kind_parse(struct fetch_parser *p, const char *text, const char *end,
		     struct fetch_wanted *wanted)
{
	const char *array;
	int ret;

	*wanted = (struct fetch_wanted){ .place = text };
	if (!text)
		return 0;
	array = memchr(text, '[', end - text);
	if (array) {
		ret = fetch_kind_array(p, array, end, wanted);
		if (ret)
			return ret;
		end = array;
	}
	if (end - text == 3 && (!memcmp(text, "%pd", 3) || !memcmp(text, "%pD", 3)) &&
	    !array && !fetch_at_user(p->ctx)) {
		wanted->pointer = text[2];
		wanted->type = fetch_type_find("string", strlen("string"));
		return 0;
	}
	if (text < end && *text == 'b')
		return fetch_kind_bits(p, text, end, wanted);
	wanted->type = fetch_type_find(text, end - text);
	if (!wanted->type || (fetch_at_user(p->ctx) &&
			      (wanted->type->print == FETCH_PRINT_SYMBOL ||
			       !strcmp(wanted->type->name, "symstr"))))
		return fetch_refuse(p, text, PROBE_BAD_TYPE);
	return 0;
}

/* The step that stores a value. */
struct fetch_end {
	enum fetch_op	op;
	u8		flags;
	u8		size;
	u8		count;
	u16		bytes;
	long		n;
};

/* The name of a symbol */
static int fetch_kind_symbol(struct fetch_parser *p, struct fetch_value *value,
			     const struct fetch_wanted *wanted, struct fetch_end *end)
{
	int ret;

	if (wanted->count)
		return fetch_refuse(p, wanted->place, PROBE_BAD_STRING);
	if (value->kind == FETCH_KIND_STRING || value->is_immediate || value->flags & FETCH_USER)
		return fetch_refuse(p, wanted->place, PROBE_BAD_SYMSTRING);
	if (value->kind == FETCH_KIND_MEMORY) {
		ret = fetch_value_deref(p, value, wanted->place, 0, 0);
		if (ret)
			return ret;
	}
	end->op = FETCH_STORE_SYMBOL;
	return 0;
}

/* The strings of an array of pointers */
static int fetch_kind_strings(struct fetch_parser *p, const struct fetch_value *value,
			      const struct fetch_wanted *wanted, u8 user, struct fetch_end *end)
{
	if (value->chars == FETCH_CHARS_NONE)
		return fetch_refuse(p, value->place, PROBE_BAD_TYPE4STR);
	if (value->kind != FETCH_KIND_MEMORY || value->chars != FETCH_CHARS_UNKNOWN)
		return fetch_refuse(p, wanted->place, PROBE_BAD_STRING);
	end->op = FETCH_STORE_STRINGS;
	end->count = wanted->count;
	end->n = value->offset;
	end->flags = user | value->flags;
	if (value->flags & FETCH_USER)
		end->flags |= FETCH_USER_POINTERS;
	return 0;
}

/* A string that is at the value, or that it is the address of. */
static int fetch_kind_string(struct fetch_parser *p, struct fetch_value *value,
			     const struct fetch_wanted *wanted, struct fetch_end *end)
{
	u8 user = fetch_at_user(p->ctx) || !strcmp(wanted->type->name, "ustring") ? FETCH_USER : 0;
	int ret = 0;

	if (wanted->count)
		return fetch_kind_strings(p, value, wanted, user, end);
	if (value->kind == FETCH_KIND_STRING) {
		end->op = FETCH_STORE_TEXT;
		return 0;
	}
	if (value->chars == FETCH_CHARS_NONE)
		return fetch_refuse(p, value->place, PROBE_BAD_TYPE4STR);
	if (value->kind == FETCH_KIND_NUMBER && value->chars != FETCH_CHARS_POINTER &&
	    !value->is_immediate)
		return fetch_refuse(p, wanted->place, PROBE_BAD_STRING);
	if (value->kind == FETCH_KIND_NUMBER || value->chars == FETCH_CHARS_POINTER)
		ret = fetch_value_deref(p, value, value->place, 0, 0);
	end->op = FETCH_STORE_STRING;
	end->n = value->offset;
	end->flags = user | value->flags;
	return ret;
}

static int fetch_kind_plain(struct fetch_parser *p, const struct fetch_value *value,
			    const struct fetch_wanted *wanted, const struct fetch_type *type,
			    struct fetch_end *end)
{
	if (value->kind == FETCH_KIND_STRING)
		return fetch_refuse(p, wanted->place, PROBE_NEED_STRING_TYPE);
	if (wanted->count && value->kind != FETCH_KIND_MEMORY)
		return fetch_refuse(p, wanted->place, PROBE_BAD_STRING);
	end->size = type->size;
	end->op = FETCH_STORE;
	if (value->kind == FETCH_KIND_MEMORY) {
		end->op = FETCH_STORE_MEMORY;
		end->flags = value->flags;
		end->n = value->offset;
		end->bytes = type->size * end->count;
	}
	return 0;
}

/* Read the address of a name out of what the value is the address of. */
static int fetch_kind_pointer(struct fetch_parser *p, struct fetch_value *value,
			      const struct fetch_wanted *wanted)
{
	int ret = 0;

	if (value->kind == FETCH_KIND_STRING)
		return fetch_refuse(p, wanted->place, PROBE_NEED_STRING_TYPE);
	if (wanted->pointer == 'D')
		ret = fetch_value_deref(p, value, wanted->place,
					offsetof(struct file, f_path.dentry), 0);
	return ret ?: fetch_value_deref(p, value, wanted->place,
					offsetof(struct dentry, d_name.name), 0) ?:
		      fetch_value_deref(p, value, wanted->place, 0, 0);
}

/* The type that a value has if the line asks for none. */
static const struct fetch_type *fetch_kind_default(const struct fetch_value *value)
{
	if (value->kind == FETCH_KIND_STRING)
		return fetch_type_find("string", strlen("string"));
	return value->type ?: fetch_type_word();
}

/* Put the steps that make the value, store it, and cut bits out of it, behind those of others. */
static void fetch_kind_add(struct fetch_parser *p, const struct fetch_value *value,
			   const struct fetch_end *end, const struct fetch_arg *arg)
{
	struct fetch_insn *step = &p->step[p->nr];

	memcpy(step, value->step, value->nr * sizeof(*step));
	if (value->symbol)
		p->symbol[p->symbols++] = (struct fetch_wish){
			.step = p->nr, .name = value->symbol, .len = value->symbol_len,
		};
	step[value->nr] = (struct fetch_insn){
		.op = end->op, .flags = end->flags, .size = end->size, .count = end->count,
		.bytes = end->bytes, .dest = arg->dest, .n = end->n,
	};
	p->nr += value->nr + 1;
	/* The value is stored as it is in the source, or in the record that is the source. */
	if (end->op == FETCH_STORE && value->nr == 1 && end->size == sizeof(long) &&
	    (step->op == FETCH_SOURCE ||
	     (step->op == FETCH_FIELD && step->size == sizeof(long)))) {
		step->op = FETCH_COPY;
		step->dest = arg->dest;
		p->nr--;
	}
}

static void fetch_kind_add_bits(struct fetch_parser *p, const struct fetch_end *end,
				unsigned int bits, unsigned int shift,
				const struct fetch_arg *arg)
{
	unsigned int width = end->size * BITS_PER_BYTE;

	p->step[p->nr++] = (struct fetch_insn){
		.op = FETCH_BITS, .flags = arg->type->is_signed ? FETCH_SIGNED : 0,
		.size = end->size, .count = end->count, .dest = arg->dest,
		.bytes = (width - bits) << BITS_PER_BYTE | (width - bits - shift),
	};
}

/**
 * fetch_kind_store - add the steps of an argument to the program
 * @p: the parser
 * @value: what is fetched
 * @wanted: the type that the line asks for
 * @at: the place of what is fetched
 * @arg: has its place in the record, and gets its type
 *
 * Return: 0; or an errno, and the error is logged.
 */
int fetch_kind_store(struct fetch_parser *p, struct fetch_value *value,
		     const struct fetch_wanted *wanted, const char *at, struct fetch_arg *arg)
{
	const struct fetch_type *type = wanted->type ?: fetch_kind_default(value);
	struct fetch_end end = { .count = wanted->count ?: 1 };
	bool is_known = !wanted->type;
	int ret = 0;

	if (wanted->pointer) {
		value->chars = FETCH_CHARS_UNKNOWN;
		ret = fetch_kind_pointer(p, value, wanted);
	}
	if (ret)
		return ret;
	if (!fetch_type_is_string(type)) {
		ret = fetch_kind_plain(p, value, wanted, type, &end);
	} else if (!strcmp(type->name, "symstr")) {
		ret = fetch_kind_symbol(p, value, wanted, &end);
	} else {
		struct fetch_wanted string = *wanted;

		string.type = type;
		ret = fetch_kind_string(p, value, &string, &end);
	}
	if (ret)
		return ret;
	arg->type = type;
	arg->count = wanted->count;
	fetch_kind_add(p, value, &end, arg);
	if (is_known && value->bits && end.size)
		fetch_kind_add_bits(p, &end, value->bits, value->shift, arg);
	else if (wanted->bits)
		fetch_kind_add_bits(p, &end, wanted->bits, wanted->shift, arg);
	return 0;
}
