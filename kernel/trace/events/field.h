/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of records: those in an event's format file, and the names that filters, triggers and
 * histograms know besides.
 */
#ifndef _TRACE_EVENTS_FIELD_H
#define _TRACE_EVENTS_FIELD_H

#include <linux/list.h>
#include <linux/trace_events.h>

#include "record/kind.h"

/* Where the record has the data of a field. */
enum trace_field_location {
	TRACE_FIELD_HERE,	/* at its offset */
	TRACE_FIELD_DATA_LOC,	/* where a location word says, counted from the record's start */
	TRACE_FIELD_REL_LOC,	/* where a location word says, counted from behind the word */
};

/* A filter_type behind those of <linux/trace_events.h>: no record holds it, see context.h. */
#define TRACE_FILTER_CONTEXT	64

/**
 * struct trace_event_field - a field of a record
 * @list:	on the list of the event's class; unused in other fields
 * @name:	as the format file shows it
 * @type:	its C type, with "[LENGTH]" for an array; it may begin with
 *		"__data_loc" or "__rel_loc"
 * @filter_type: FILTER_*, how it can be compared, or TRACE_FILTER_CONTEXT
 * @offset:	bytes from the start of the record
 * @size:	bytes; 0: the rest of the record
 * @len:	elements of an array of known length, or 0
 * @elem_size:	bytes of an element of an array, of known length or not. 0: it is no array, or
 *		one of a type whose size is not known
 * @location:	where the data is, told from @type
 * @element:	of trace_event_field_element(), for an array whose place the record tells: which
 *		of its elements the field is, from 1 on; 0: it is a field as a whole
 * @is_signed:	it is a signed number, or has elements that are
 * @needs_test:	a pointer to a string that printing the record follows
 *
 * Does not change after the event became visible.
 */
struct trace_event_field {
	struct list_head	list;
	const char		*name;
	const char		*type;
	int			filter_type;
	int			offset;
	int			size;
	int			len;
	int			elem_size;
	unsigned int		element;
	enum trace_field_location location;
	bool			is_signed;
	bool			needs_test;
};

/* Is it the event that has the fields of calls of functions? */
static inline bool trace_event_is_function(const struct trace_event_call *call)
{
	return call->event.type == TRACE_FN;
}

/* The fields that are the event's own, in the order of the record. */
#define for_each_trace_event_field(f, call)				\
	list_for_each_entry(f, trace_get_fields(call), list)

const struct trace_event_field *trace_event_common_field(unsigned int i);
const struct trace_event_field *trace_event_field_find(struct trace_event_call *call,
						       const char *name, size_t len);
bool trace_event_field_element(struct trace_event_field *elem, const struct trace_event_field *f,
			       unsigned int index);
const char *trace_event_field_index(struct trace_event_field *elem,
				    const struct trace_event_field *f, const char *text);

/**
 * trace_event_field_is_located - does the record hold a location word for a field?
 * @f: the field
 *
 * Context: any.
 * Return: true: the word tells where in the record the data is; false: it is the data.
 */
static inline bool trace_event_field_is_located(const struct trace_event_field *f)
{
	return f->location != TRACE_FIELD_HERE;
}

/**
 * trace_event_field_is_string - can a field be compared with a string?
 * @f: the field
 *
 * Context: any.
 * Return: true when it can.
 */
static inline bool trace_event_field_is_string(const struct trace_event_field *f)
{
	switch (f->filter_type) {
	case FILTER_STATIC_STRING:
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
	case FILTER_PTR_STRING:
	case FILTER_COMM:
		return true;
	default:
		return false;
	}
}

/**
 * trace_event_field_is_number - can a field be read as a number?
 * @f: the field
 *
 * Context: any.
 * Return: true when it can; a field that is neither this nor a string is bytes.
 */
static inline bool trace_event_field_is_number(const struct trace_event_field *f)
{
	return (f->filter_type == FILTER_OTHER || f->filter_type == FILTER_CPU ||
		f->filter_type == FILTER_TRACE_FN || f->filter_type == TRACE_FILTER_CONTEXT) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

#endif /* _TRACE_EVENTS_FIELD_H */
