// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of a record: make a list with offsets from the description by the stages of
 * <trace/trace_events.h>. All events of a class have one list, unless the class has a
 * get_fields(): then each event has one of its own, as system calls do.
 *
 * A list is built before the first event of its class becomes visible, and freed
 * after the last one has gone; nobody changes it in between, so it is read without a
 * lock. format.c shows it.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/context.h"
#include "events/internal.h"
#include "lib/ctext.h"

#define EVENT_COMMON_FIELD(_type, _name, _member) {				\
	.name = #_name, .type = #_type,					\
	.offset = offsetof(struct trace_entry, _member),		\
	.size = sizeof_field(struct trace_entry, _member),		\
	.is_signed = is_signed_type(_type),				\
	.filter_type = FILTER_OTHER,			\
}

static const struct trace_event_field common_fields[] = {
	EVENT_COMMON_FIELD(unsigned short, common_type, type),
	EVENT_COMMON_FIELD(unsigned char, common_flags, flags),
	EVENT_COMMON_FIELD(unsigned char, common_preempt_count, preempt_count),
	EVENT_COMMON_FIELD(int, common_pid, pid),
};

#define EVENT_CPU_FIELD(_name) {						\
	.name = _name, .filter_type = FILTER_CPU,			\
	.size = sizeof(int), .is_signed = true,		\
}

#define EVENT_CONTEXT_FIELD(_type, _name, _context) {			\
	.name = _name, .type = #_type, .filter_type = TRACE_FILTER_CONTEXT, \
	.offset = TRACE_CONTEXT_##_context, .size = sizeof(_type),	\
	.is_signed = is_signed_type(_type),		\
}

/*
 * Names that every event knows although no record holds them. A stack cannot be compared with
 * anything. It is here so that users are told so, and not that there is no such field.
 */
static const struct trace_event_field generic_fields[] = {
	EVENT_CPU_FIELD("CPU"),
	EVENT_CPU_FIELD("cpu"),
	EVENT_CPU_FIELD("common_cpu"),
	{ .name = "COMM", .filter_type = FILTER_COMM, .size = TASK_COMM_LEN },
	{ .name = "comm", .filter_type = FILTER_COMM, .size = TASK_COMM_LEN },
	{ .name = "common_comm", .filter_type = FILTER_COMM, .size = TASK_COMM_LEN },
	{ .name = "STACKTRACE", .filter_type = FILTER_STACKTRACE },
	{ .name = "stacktrace", .filter_type = FILTER_STACKTRACE },
	EVENT_CONTEXT_FIELD(int, "common_prio", PRIO),
	EVENT_CONTEXT_FIELD(pid_t, "common_tgid", TGID),
	EVENT_CONTEXT_FIELD(pid_t, "common_vpid", VPID),
	EVENT_CONTEXT_FIELD(uid_t, "common_uid", UID),
#ifdef CONFIG_CGROUPS
	EVENT_CONTEXT_FIELD(u64, "common_cgroup", CGROUP),
#endif
	EVENT_CONTEXT_FIELD(u64, "common_nsecs", NSECS),
};

/**
 * trace_event_common_field - the fields that every record begins with
 * @i: which, from 0
 *
 * Context: any.
 * Return: the field, NULL behind the last one.
 */
const struct trace_event_field *trace_event_common_field(unsigned int i)
{
	return i < ARRAY_SIZE(common_fields) ? &common_fields[i] : NULL;
}

static bool event_field_is_named(const struct trace_event_field *f, const char *name, size_t len)
{
	return !strncmp(f->name, name, len) && !f->name[len];
}

/**
 * trace_event_field_find - find a field by its name
 * @call: the event; the caller keeps it from going
 * @name: the name, which need not end with a NUL
 * @len: its length
 *
 * An event's own field hides one of the same name that all events know: "CPU",
 * "COMM" and the common ones.
 *
 * Context: any.
 * Return: the field, as long as the event is there; NULL: there is none.
 */
const struct trace_event_field *trace_event_field_find(struct trace_event_call *call,
						       const char *name, size_t len)
{
	const struct trace_event_field *f;

	for_each_trace_event_field(f, call)
		if (event_field_is_named(f, name, len))
			return f;
	for (int i = 0; i < ARRAY_SIZE(generic_fields); i++)
		if (event_field_is_named(&generic_fields[i], name, len))
			return &generic_fields[i];
	for (int i = 0; i < ARRAY_SIZE(common_fields); i++)
		if (event_field_is_named(&common_fields[i], name, len))
			return &common_fields[i];
	return NULL;
}

/**
 * trace_event_field_element - the element of an array as a field of its own
 * @elem: the field, whose name and type are those of the array
 * @f: the array
 * @index: which element
 *
 * A record tells how many elements an array has whose place it tells. If it has no such element,
 * trace_event_value_number() says that the field has no value.
 *
 * Context: any; @elem is good for as long as the event is there.
 * Return: false if the field is no array of numbers, or one of a known length without that
 * element.
 */
bool trace_event_field_element(struct trace_event_field *elem, const struct trace_event_field *f,
			       unsigned int index)
{
	if (!f->elem_size || f->elem_size > sizeof(u64) || !is_power_of_2(f->elem_size) ||
	    f->element || index > U16_MAX)
		return false;
	*elem = *f;
	elem->filter_type = FILTER_OTHER;
	elem->len = 0;
	if (trace_event_field_is_located(f)) {
		elem->element = index + 1;
		elem->size = f->elem_size;
		return true;
	}
	elem->offset += index * f->elem_size;
	elem->size = f->elem_size;
	elem->elem_size = 0;
	return index < f->size / f->elem_size;
}

/**
 * trace_event_field_index - the element that "[INDEX]" behind the name of an array means
 * @elem: as trace_event_field_element() makes it
 * @f: the array
 * @text: the text at the '['
 *
 * Context: any; @elem is good for as long as the event is there.
 * Return: the text behind the ']'; NULL: the text is no index, or the array has no such element.
 */
const char *trace_event_field_index(struct trace_event_field *elem,
				    const struct trace_event_field *f, const char *text)
{
	const char *start = text + 1, *end = start + strspn(start, "0123456789");
	char digits[8] = "";
	unsigned int index;

	if (end == start || *end != ']' || end - start >= sizeof(digits))
		return NULL;
	memcpy(digits, start, end - start);
	if (kstrtouint(digits, 10, &index) || !trace_event_field_element(elem, f, index))
		return NULL;
	return end + 1;
}

/* How a filter may compare a field, told from the spelling of its type. */
static const struct field_spelling {
	enum { SPELLS_ALL, SPELLS_PART, SPELLS_DATA, SPELLS_REL } how;
	const char	*text;
	int		filter_type;
} field_spellings[] = {
	{ SPELLS_DATA,	"cpumask_t",		FILTER_CPUMASK },
	{ SPELLS_REL,	"cpumask_t",		FILTER_CPUMASK },
	{ SPELLS_ALL,	"cpumask_t",		FILTER_CPUMASK },
	{ SPELLS_ALL,	"struct cpumask",	FILTER_CPUMASK },
	{ SPELLS_DATA,	"char",			FILTER_DYN_STRING },
	{ SPELLS_REL,	"char",			FILTER_RDYN_STRING },
	{ SPELLS_ALL,	"char *",		FILTER_PTR_STRING },
	{ SPELLS_ALL,	"const char *",		FILTER_PTR_STRING },
	{ SPELLS_PART,	"char[",		FILTER_STATIC_STRING },
	{ SPELLS_PART,	"char [",		FILTER_STATIC_STRING },
};

/* Does @type match? SPELLS_DATA and SPELLS_REL are for types that begin with a location word. */
static bool event_field_spells(const char *type, const struct field_spelling *spelling)
{
	switch (spelling->how) {
	case SPELLS_ALL:
		return !strcmp(type, spelling->text);
	case SPELLS_DATA:
		return str_has_prefix(type, "__data_loc") && strstr(type, spelling->text);
	case SPELLS_REL:
		return str_has_prefix(type, "__rel_loc") && strstr(type, spelling->text);
	default:
		return strstr(type, spelling->text);
	}
}

static int event_field_filter_type(const char *type)
{
	for (int i = 0; i < ARRAY_SIZE(field_spellings); i++) {
		if (event_field_spells(type, &field_spellings[i]))
			return field_spellings[i].filter_type;
	}
	return FILTER_OTHER;
}

#define FIELD_NUMBER(_type) { #_type, sizeof(_type) }

/* Types of elements, as they are spelled where events are defined. */
static const struct {
	const char	*name;
	unsigned int	size;
} field_numbers[] = {
	FIELD_NUMBER(char), FIELD_NUMBER(signed char), FIELD_NUMBER(unsigned char),
	FIELD_NUMBER(short), FIELD_NUMBER(unsigned short), FIELD_NUMBER(int),
	FIELD_NUMBER(unsigned int), FIELD_NUMBER(long),
	FIELD_NUMBER(unsigned long), FIELD_NUMBER(long long), FIELD_NUMBER(unsigned long long),
	FIELD_NUMBER(bool), FIELD_NUMBER(size_t), FIELD_NUMBER(pid_t), FIELD_NUMBER(gfp_t),
	FIELD_NUMBER(loff_t), FIELD_NUMBER(sector_t), FIELD_NUMBER(dma_addr_t),
	FIELD_NUMBER(phys_addr_t), FIELD_NUMBER(u8), FIELD_NUMBER(s8), FIELD_NUMBER(u16),
	FIELD_NUMBER(s16), FIELD_NUMBER(u32), FIELD_NUMBER(s32), FIELD_NUMBER(u64),
	FIELD_NUMBER(s64), FIELD_NUMBER(__u8), FIELD_NUMBER(__s8), FIELD_NUMBER(__u16),
	FIELD_NUMBER(__s16), FIELD_NUMBER(__u32), FIELD_NUMBER(__s32), FIELD_NUMBER(__u64),
	FIELD_NUMBER(__s64), FIELD_NUMBER(uint8_t), FIELD_NUMBER(uint16_t),
	FIELD_NUMBER(uint32_t), FIELD_NUMBER(uint64_t), FIELD_NUMBER(__le16),
	FIELD_NUMBER(__be16), FIELD_NUMBER(__le32), FIELD_NUMBER(__be32), FIELD_NUMBER(__le64),
	FIELD_NUMBER(__be64),
};

static enum trace_field_location event_field_location(const char *type)
{
	if (str_has_prefix(type, "__data_loc"))
		return TRACE_FIELD_DATA_LOC;
	return str_has_prefix(type, "__rel_loc") ? TRACE_FIELD_REL_LOC : TRACE_FIELD_HERE;
}

/*
 * The size of the elements of a field of this C type, "__data_loc u32[]", "char buf[8]" or
 * "u8[4]"; 0: it is no array, or the size is not known.
 */
static int event_field_elem_size(const struct trace_event_field *f)
{
	const char *start = f->type, *end = strchr(start, '[');

	if (!end)
		return 0;
	if (f->len && f->size % f->len == 0)
		return f->size / f->len;
	if (trace_event_field_is_located(f))
		start = skip_spaces(start + strcspn(start, " "));
	if (str_has_prefix(start, "const "))
		start = skip_spaces(start + strlen("const "));
	while (end > start && isspace(end[-1]))
		end--;
	if (end > start && end[-1] == '*')
		return sizeof(void *);
	for (int i = 0; i < ARRAY_SIZE(field_numbers); i++) {
		size_t len = strlen(field_numbers[i].name);

		if (end - start == len && !strncmp(start, field_numbers[i].name, len))
			return field_numbers[i].size;
	}
	return 0;
}

#define FIELD_ATTRIBUTE	"__attribute__"

/* Behind an attribute and blanks, from behind its keyword on; NULL: it has no end. */
static const char *event_field_attribute_end(const char *p)
{
	struct trace_ctext t;

	trace_ctext_start(&t, p);
	while (trace_ctext_next(&t)) {
		if (t.kind != TRACE_CTEXT_SPACE && !t.depth)
			return trace_ctext_is(&t, ")") ? skip_spaces(t.next) : NULL;
	}
	return NULL;
}

/* Take the compiler's attributes (__user has one, for BTF) out of the text of a type. */
static void event_field_type_strip(char *type)
{
	const char *end;
	char *at;

	while ((at = strstr(type, FIELD_ATTRIBUTE))) {
		end = event_field_attribute_end(at + strlen(FIELD_ATTRIBUTE));
		if (!end)
			break;
		memmove(at, end, strlen(end) + 1);
	}
	strim(type);
}

/* A copy of @field. A type with attributes is copied without them, behind the field. */
static struct trace_event_field *event_field_copy(const struct trace_event_field *field)
{
	size_t len = strstr(field->type, FIELD_ATTRIBUTE) ? strlen(field->type) + 1 : 0;
	struct trace_event_field *copy = kmalloc(sizeof(*copy) + len, GFP_KERNEL);

	if (!copy)
		return NULL;
	*copy = *field;
	if (len) {
		copy->type = memcpy(copy + 1, field->type, len);
		event_field_type_strip((char *)(copy + 1));
	}
	return copy;
}

/* Put a copy of @field at the end of the class's list, with a way to compare it. */
static int event_field_add(struct trace_event_call *call, const struct trace_event_field *field)
{
	struct trace_event_field *copy;

	if (WARN_ON(!call->class))
		return 0;
	copy = event_field_copy(field);
	if (!copy)
		return -ENOMEM;
	if (copy->filter_type == FILTER_OTHER)
		copy->filter_type = event_field_filter_type(copy->type);
	copy->location = event_field_location(copy->type);
	copy->elem_size = event_field_elem_size(copy);
	list_add_tail(&copy->list, trace_get_fields(call));
	return 0;
}

/**
 * trace_define_field - add a field to an event's class
 * @call: the event
 * @type: C type, as the format file is to show it; must outlive the class
 * @name: the field's name; must outlive the class
 * @offset: bytes from the start of the record
 * @size: bytes
 * @is_signed: it is a signed number
 * @filter_type: FILTER_*; FILTER_OTHER lets @type decide
 *
 * Context: task, may sleep; a class's define_fields(), or before
 * trace_add_event_call().
 * Return: 0 or -ENOMEM.
 */
int trace_define_field(struct trace_event_call *call, const char *type, const char *name,
		       int offset, int size, int is_signed, int filter_type)
{
	const struct trace_event_field field = {
		.type		= type,
		.name		= name,
		.offset		= offset,
		.size		= size,
		.is_signed	= is_signed,
		.filter_type	= filter_type,
	};

	return event_field_add(call, &field);
}
EXPORT_SYMBOL_GPL(trace_define_field);

/* Add the field that follows @offset bytes of a record; *offset moves behind it. */
static int event_field_append(struct trace_event_call *call, const struct trace_event_fields *f,
			      int *offset)
{
	const struct trace_event_field field = {
		.type		= f->type,
		.name		= f->name,
		.offset		= ALIGN(*offset, f->align),
		.size		= f->size,
		.len		= f->len,
		.is_signed	= f->is_signed,
		.filter_type	= f->filter_type,
	};

	*offset = field.offset + field.size;
	return event_field_add(call, &field);
}

/*
 * Give the class of @call, or the event, its fields. Events share a class: it may have them
 * already. The events mutex is held. 0 or -ENOMEM, then there are none.
 */
int trace_event_fields_create(struct trace_event_call *call)
{
	int offset = sizeof(struct trace_entry);
	struct trace_event_fields *f;
	int ret = 0;

	trace_events_assert_locked();

	if (!call->class->fields_array || !list_empty(trace_get_fields(call)))
		return 0;

	for (f = call->class->fields_array; f->type && !ret; f++)
		ret = f->type == TRACE_FUNCTION_TYPE ? f->define_fields(call) :
						       event_field_append(call, f, &offset);
	if (ret)
		trace_event_fields_destroy(call);
	return ret;
}

/* Free the fields of @call, which no other event has. */
void trace_event_fields_destroy(struct trace_event_call *call)
{
	struct trace_event_field *field, *next;
	struct list_head *fields = trace_get_fields(call);

	list_for_each_entry_safe(field, next, fields, list)
		kfree(field);
	INIT_LIST_HEAD(fields);
}

/**
 * trace_event_get_offsets - the size of an event's fixed part
 * @call: the event
 *
 * BPF programs must not read records beyond it.
 *
 * Context: task; the caller holds a reference to the event.
 * Return: bytes from the start of a record, 0 for an event without fields of its
 * own.
 */
int trace_event_get_offsets(struct trace_event_call *call)
{
	struct list_head *fields = trace_get_fields(call);
	struct trace_event_field *last;

	if (list_empty(fields))
		return 0;
	last = list_last_entry(fields, struct trace_event_field, list);
	return last->offset + last->size;
}
