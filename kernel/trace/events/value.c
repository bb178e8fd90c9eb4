// SPDX-License-Identifier: GPL-2.0
/* Values of the fields of a record; value.h tells what for. */
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "events/context.h"
#include "events/value.h"

/**
 * trace_value_copy_string - copy a string that a pointer leads to
 * @to: where to; it ends with a NUL, whatever is returned
 * @size: its size, at least 1
 * @from: the pointer
 * @user: it is one of user space
 *
 * Memory that is not there does not fault.
 *
 * Context: any.
 * Return: the length of the string, which may have been cut; -EFAULT.
 */
long trace_value_copy_string(char *to, size_t size, const void *from, bool user)
{
	long len;

	*to = '\0';
	if (user)
		len = strncpy_from_user_nofault(to, (const void __user *)from, size);
	else
		len = strncpy_from_kernel_nofault(to, from, size);
	/* An address that cannot be one is refused with another errno. */
	if (len < 0)
		return -EFAULT;
	to[size - 1] = '\0';
	return strnlen(to, size);
}

/**
 * trace_event_value_number - a field as a number
 * @f: the field; trace_event_field_is_number() says that it is one, and it is no array
 * @record: the record
 * @val: the number, extended with its sign if @f is signed
 *
 * Context: any, with preemption off if @f is the number of this CPU.
 * Return: false if the field is none, or an element that the record does not have.
 */
bool trace_event_value_number(const struct trace_event_field *f, const void *record, u64 *val)
{
	if (f->filter_type == TRACE_FILTER_CONTEXT) {
		*val = trace_context_number(f->offset);
		return true;
	}
	if (f->element)
		return trace_event_value_element(f, record, f->element - 1, val);
	if (!trace_event_field_is_number(f) || trace_event_field_is_located(f) || f->elem_size)
		return false;
	*val = f->filter_type == FILTER_CPU ? raw_smp_processor_id() :
	       trace_value_number_at(record + f->offset, f->size, f->is_signed);
	return true;
}

/**
 * trace_event_value_bytes - where the bytes of a field are
 * @f: the field
 * @record: the record
 * @record_len: its length, which a field that is the rest of the record needs
 * @len: how many bytes there are
 *
 * Context: any.
 * Return: the first byte; NULL if no record holds the field.
 */
const void *trace_event_value_bytes(const struct trace_event_field *f, const void *record,
				    unsigned int record_len, unsigned int *len)
{
	const void *field = record + f->offset;

	*len = 0;
	if (f->filter_type == FILTER_CPU || f->filter_type == FILTER_COMM ||
	    f->filter_type == FILTER_STACKTRACE || f->filter_type == TRACE_FILTER_CONTEXT)
		return NULL;
	switch (f->location) {
	case TRACE_FIELD_DATA_LOC:
		return trace_value_located(record, field, len);
	case TRACE_FIELD_REL_LOC:
		return trace_value_located(field + sizeof(u32), field, len);
	default:
		*len = f->size ?: record_len - f->offset;
		return field;
	}
}

/**
 * trace_event_value_string - copy a field that is a string
 * @f: the field; trace_event_field_is_string() says that it is one, or @user is true and it has
 *	the size of a pointer
 * @record: the record
 * @to: where to; it ends with a NUL, whatever is returned
 * @size: its size, at least 1
 * @user: a pointer is one of user space
 *
 * Context: any.
 * Return: the length of the string, which may have been cut; -EFAULT: its pointer leads nowhere;
 * -EINVAL: the field is no string.
 */
long trace_event_value_string(const struct trace_event_field *f, const void *record,
			      char *to, size_t size, bool user)
{
	unsigned int len = TASK_COMM_LEN;
	const void *from;

	*to = '\0';
	if (f->filter_type == FILTER_PTR_STRING || (user && f->size == sizeof(void *)))
		return trace_value_copy_string(to, size,
					       *(const void **)(record + f->offset), user);
	if (!trace_event_field_is_string(f))
		return -EINVAL;
	from = f->filter_type == FILTER_COMM ? current->comm :
	       trace_event_value_bytes(f, record, 0, &len);
	len = min_t(size_t, strnlen(from, len), size - 1);
	memcpy(to, from, len);
	to[len] = '\0';
	return len;
}

/**
 * trace_event_value_elements - how many elements an array has
 * @f: the field
 * @record: the record
 *
 * Context: any.
 * Return: the number; 0 for what is no array of elements whose size is known.
 */
unsigned int trace_event_value_elements(const struct trace_event_field *f, const void *record)
{
	unsigned int len;

	if (!f->elem_size || !trace_event_value_bytes(f, record, 0, &len))
		return 0;
	return len / f->elem_size;
}

/**
 * trace_event_value_element - an element of an array as a number
 * @f: the field
 * @record: the record
 * @i: its index
 * @val: the number, extended with its sign if the elements are signed
 *
 * Context: any.
 * Return: false if the array has no such element, or elements that are no numbers.
 */
bool trace_event_value_element(const struct trace_event_field *f, const void *record,
			       unsigned int i, u64 *val)
{
	unsigned int len;
	const void *at;

	if (!f->elem_size || f->elem_size > sizeof(u64) || !is_power_of_2(f->elem_size))
		return false;
	at = trace_event_value_bytes(f, record, 0, &len);
	if (!at || i >= len / f->elem_size)
		return false;
	*val = trace_value_number_at(at + i * f->elem_size, f->elem_size, f->is_signed);
	return true;
}
