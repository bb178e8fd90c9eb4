// SPDX-License-Identifier: GPL-2.0
/*
 * trace_marker and trace_marker_raw: text and binary records that user space
 * writes. The bytes go straight into the reserved record; user memory that is
 * not present is brought in first and the record tried again.
 */
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "instance/internal.h"
#include "record/export.h"

/* Memory may be taken away again between bringing it in and copying it. */
#define COPY_TRIES	8

/*
 * Bytes of a record at most: what a sub-buffer of one page holds, however large
 * they are. So the pieces of a long text do not depend on buffer_subbuf_size_kb.
 */
static size_t record_max(struct trace_buffer *buffer)
{
	return ring_buffer_max_event_size(buffer) -
	       (ring_buffer_subbuf_size_get(buffer) - PAGE_SIZE);
}

static enum print_line_t raw_data_text(struct trace_iterator *iter,
				       const struct trace_printer *printer)
{
	const struct trace_raw_data_entry *data =
		trace_kind_record(iter, struct trace_raw_data_entry);
	int len = iter->ent_size - offsetof(struct trace_raw_data_entry, buf);

	trace_seq_printf(&iter->seq, "# %x buf:", data->id);
	for (int i = 0; i < len; i++)
		trace_seq_printf(&iter->seq, " %02x", (unsigned char)data->buf[i]);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field raw_data_fields[] = {
	TRACE_KIND_FIELD(struct trace_raw_data_entry, unsigned int, id),
	TRACE_KIND_TAIL(struct trace_raw_data_entry, char, buf),
	{ }
};

static const struct trace_kind raw_data_kind = {
	.type		= TRACE_RAW_DATA,
	.size		= offsetof(struct trace_raw_data_entry, buf),
	.name		= "raw_data",
	.fields		= raw_data_fields,
	.print_fmt	= "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
	.print		= {
		[TRACE_MODE_TEXT]	= raw_data_text,
		[TRACE_MODE_RAW]	= raw_data_text,
	},
};

/* At boot: raw markers can be read. */
int __init trace_marker_kinds_init(void)
{
	return trace_kind_register(&raw_data_kind);
}

static bool may_mark(const struct trace_array *tr)
{
	return trace_option(tr, TRACE_OPT_MARKERS) && !trace_disabled_for_good();
}

/*
 * Reserve a record of @size and fill @count bytes at @offset of it from @ubuf.
 * NULL: *error tells, nothing is reserved.
 */
static void *reserve_and_copy(struct trace_buffer *buffer, int type, size_t size, size_t offset,
			      const char __user *ubuf, size_t count, unsigned int trace_ctx,
			      struct ring_buffer_event **event, int *error)
{
	int tries = COPY_TRIES;
	void *entry;

	while (tries--) {
		entry = trace_record_reserve(buffer, type, size, trace_ctx, event);
		if (!entry) {
			*error = -EBADF;
			return NULL;
		}
		if (!copy_from_user_nofault(entry + offset, ubuf, count))
			return entry;
		ring_buffer_discard_commit(buffer, *event);
		if (fault_in_readable(ubuf, count))
			break;
	}
	*error = -EFAULT;
	return NULL;
}

/**
 * tracing_mark_write - write text into the trace
 * @tr: the instance
 * @ubuf: the text
 * @count: its length; what one record cannot hold is left to the next write
 *
 * The trace shows this function's name before the text.
 *
 * Context: task, may sleep.
 * Return: bytes written; -EINVAL when markers are off, -EBADF when the buffer
 * takes no records, -EFAULT.
 */
noinline ssize_t tracing_mark_write(struct trace_array *tr, const char __user *ubuf,
				    size_t count)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_print_entry *entry;
	struct ring_buffer_event *event;
	unsigned int trace_ctx;
	size_t len;
	int error = 0;

	if (!may_mark(tr) || (ssize_t)count < 0)
		return -EINVAL;

	/* With a newline and a NUL. */
	count = min(count, record_max(buffer) - sizeof(*entry) - 2);
	if (trace_option(tr, TRACE_OPT_RECORD_CMD))
		tracing_record_cmdline(current);

	trace_ctx = tracing_gen_ctx();
	entry = reserve_and_copy(buffer, TRACE_PRINT, sizeof(*entry) + count + 2, sizeof(*entry),
				 ubuf, count, trace_ctx, &event, &error);
	if (!entry)
		return error;
	entry->ip = _THIS_IP_;
	len = count;
	if (!len || entry->buf[len - 1] != '\n')
		entry->buf[len++] = '\n';
	entry->buf[len] = '\0';
	trace_export(event, TRACE_EXPORT_MARKER);
	trace_record_commit(buffer);
	return count;
}

/**
 * trace_marker_write_raw - write a binary record into the trace
 * @tr: the instance
 * @ubuf: a number that tells what the bytes behind it mean, and those
 * @count: bytes
 *
 * Context: task, may sleep.
 * Return: @count; -EINVAL when markers are off, the number is not whole or the
 * record would be too long; -EBADF when the buffer takes no records, -EFAULT.
 */
ssize_t trace_marker_write_raw(struct trace_array *tr, const char __user *ubuf, size_t count)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	size_t offset = offsetof(struct trace_raw_data_entry, id);
	struct trace_raw_data_entry *entry;
	struct ring_buffer_event *event;
	int error = 0;

	if (!may_mark(tr))
		return -EINVAL;
	/* As if the number came on top; users know this limit. */
	if (count < sizeof(entry->id) || count > record_max(buffer) - sizeof(*entry))
		return -EINVAL;
	if (trace_option(tr, TRACE_OPT_RECORD_CMD))
		tracing_record_cmdline(current);

	entry = reserve_and_copy(buffer, TRACE_RAW_DATA, offset + count, offset, ubuf, count,
				 tracing_gen_ctx(), &event, &error);
	if (!entry)
		return error;
	trace_export(event, TRACE_EXPORT_MARKER);
	trace_record_commit(buffer);
	return count;
}
