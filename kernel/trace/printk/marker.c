// SPDX-License-Identifier: GPL-2.0
/*
 * trace_marker and trace_marker_raw: text and binary records that user space
 * writes. The bytes are copied straight into the reserved record. A page that is not
 * present fails the copy: the record is discarded, the page brought in, and the whole
 * tried again. If the memory cannot be read at all, a record "<faulted>" tells so.
 *
 * As long as an instance has a probe, a text is copied to memory first, so that the probe sees it
 * before anything decides whether it is recorded.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "instance/option.h"
#include "printk/internal.h"
#include "record/export.h"

/* A page may be taken away again between bringing it in and copying it. */
#define MARKER_COPY_TRIES	8

static const char marker_faulted[] = "<faulted>";

/* The probe's data of each instance that has one. */
DEFINE_TRACE_SLOT(trace_marker_slot);

/* Set once, before an instance has a probe. */
static trace_marker_probe_t marker_probe;

/**
 * trace_marker_set_probe - have texts of an instance's trace_marker seen
 * @tr: the instance
 * @probe: sees them, and records them by trace_marker_record(); of all instances the same
 * @data: for the probe; it stays until tracepoint_synchronize_unregister(). NULL: no more
 *
 * Context: task; the caller orders its calls.
 */
void trace_marker_set_probe(struct trace_array *tr, trace_marker_probe_t probe, void *data)
{
	marker_probe = probe;
	/* Pairs with READ_ONCE() in trace_slot_data(): a reader of @data sees the probe. */
	trace_slot_set_data(tr, &trace_marker_slot, data);
}

/* The most text of one record: with what is printed before it, it fits into a trace_seq. */
#define MARKER_TEXT_MAX		4096

static size_t marker_text_max(struct trace_buffer *buffer)
{
	return min(MARKER_TEXT_MAX, ring_buffer_max_event_size(buffer) - trace_text_size(0));
}

static bool marker_is_allowed(const struct trace_array *tr)
{
	return trace_option(tr, TRACE_OPT_MARKERS) && !trace_disabled_for_good();
}

/* A write() on its way into a record. */
struct marker {
	struct trace_buffer		*buffer;
	const char __user		*ubuf;
	size_t				count;
	unsigned int			trace_ctx;
	struct ring_buffer_event	*event;		/* set by marker_reserve() */
};

/*
 * Copy without bringing pages in. access_ok() takes addresses with a tag where write() does,
 * which copy_from_user_nofault() refuses.
 */
static bool marker_copy(void *to, const char __user *from, size_t len)
{
	unsigned long left;

	if (!access_ok(from, len))
		return false;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, from, len);
	pagefault_enable();
	return !left;
}

/*
 * Reserve a record of @size bytes and copy the user's bytes to @offset of it. Preemption
 * is off then until the commit. ERR_PTR(-EBADF): the buffer takes no records;
 * ERR_PTR(-EFAULT): the memory cannot be read. Preemption is on again after an error.
 */
static void *marker_reserve(struct marker *m, int type, size_t size, size_t offset)
{
	void *entry;

	for (int tries = MARKER_COPY_TRIES; tries; tries--) {
		entry = trace_record_reserve(m->buffer, type, size, m->trace_ctx, &m->event);
		if (!entry)
			return ERR_PTR(-EBADF);
		if (marker_copy(entry + offset, m->ubuf, m->count))
			return entry;
		ring_buffer_discard_commit(m->buffer, m->event);
		if (fault_in_readable(m->ubuf, m->count))
			break;
	}
	return ERR_PTR(-EFAULT);
}

/**
 * trace_marker_record - record a text that a probe has seen
 * @tr: the instance
 * @text: the text
 *
 * Context: the probe.
 * Return: true if it was recorded; false: the buffer takes no records.
 */
bool trace_marker_record(struct trace_array *tr, const struct trace_marker_text *text)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct trace_print_entry *entry;

	entry = trace_record_reserve(buffer, TRACE_PRINT, trace_text_size(text->count),
				     text->trace_ctx, &event);
	if (!entry)
		return false;
	entry->ip = text->entry->ip;
	memcpy(entry->buf, text->entry->buf, text->count);
	trace_text_end_line(entry, text->count);
	trace_export(event, TRACE_EXPORT_MARKER);
	trace_record_commit(buffer);
	return true;
}

/* Let the probe of an instance see a text, and record it. The record is of @ip. */
static noinline ssize_t marker_write_seen(struct trace_array *tr, const struct marker *m,
					  unsigned long ip)
{
	struct trace_print_entry *entry __free(kfree) = NULL;
	struct trace_marker_text text = {
		.count		= m->count,
		.trace_ctx	= m->trace_ctx,
		.from		= _RET_IP_,
	};
	void *data;

	entry = kmalloc(trace_text_size(m->count), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	if (copy_from_user(entry->buf, m->ubuf, m->count)) {
		trace_text_write(m->buffer, ip, marker_faulted);
		return -EFAULT;
	}
	/* Filters compare the text as it was written, without the newline of the record. */
	entry->buf[m->count] = '\0';
	entry->ip = ip;
	tracing_generic_entry_update(&entry->ent, TRACE_PRINT, m->trace_ctx);
	text.entry = entry;
	/* The probe's data stay as long as preemption is off. */
	guard(preempt_notrace)();
	data = trace_slot_data(tr, &trace_marker_slot);
	if (!(data ? marker_probe(data, &text) : trace_marker_record(tr, &text)))
		return -EBADF;
	return m->count;
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
 * takes no records; -EFAULT, then the text of the record is "<faulted>".
 */
noinline ssize_t tracing_mark_write(struct trace_array *tr, const char __user *ubuf,
				    size_t count)
{
	struct marker m = {
		.buffer = tr->array_buffer.buffer,
		.ubuf = ubuf,
		.trace_ctx = tracing_gen_ctx(),
	};
	struct trace_print_entry *entry;

	if (!marker_is_allowed(tr) || (ssize_t)count < 0)
		return -EINVAL;
	m.count = min(count, marker_text_max(m.buffer));
	if (trace_option(tr, TRACE_OPT_RECORD_CMD))
		tracing_record_cmdline(current);
	if (unlikely(trace_slot_data(tr, &trace_marker_slot))) {
		ssize_t ret = marker_write_seen(tr, &m, _THIS_IP_);

		/* This is no tail call, so that stacks begin with this function. */
		barrier();
		return ret;
	}

	entry = marker_reserve(&m, TRACE_PRINT, trace_text_size(m.count), sizeof(*entry));
	if (IS_ERR(entry)) {
		if (PTR_ERR(entry) == -EFAULT)
			trace_text_write(m.buffer, _THIS_IP_, marker_faulted);
		return PTR_ERR(entry);
	}
	entry->ip = _THIS_IP_;
	trace_text_end_line(entry, m.count);
	trace_export(m.event, TRACE_EXPORT_MARKER);
	trace_record_commit(m.buffer);
	return m.count;
}

static void marker_raw_faulted(struct marker *m)
{
	const size_t len = sizeof(marker_faulted) - 1;
	struct trace_raw_data_entry *entry;

	entry = trace_record_reserve(m->buffer, TRACE_RAW_DATA,
				     offsetof(struct trace_raw_data_entry, buf) + len,
				     m->trace_ctx, &m->event);
	if (!entry)
		return;
	entry->id = -1;
	memcpy(entry->buf, marker_faulted, len);
	trace_record_commit(m->buffer);
}

/**
 * trace_marker_write_raw - write a binary record into the trace
 * @tr: the instance
 * @ubuf: four bytes of tag, which tell what the bytes behind them mean
 * @count: bytes, those of the tag included
 *
 * Context: task, may sleep.
 * Return: @count; -EINVAL when markers are off, the tag is incomplete or the record
 * would be too long; -EBADF when the buffer takes no records; -EFAULT, then the tag in
 * the record is -1 and its bytes are "<faulted>".
 */
ssize_t trace_marker_write_raw(struct trace_array *tr, const char __user *ubuf, size_t count)
{
	const size_t offset = offsetof(struct trace_raw_data_entry, id);
	struct trace_raw_data_entry *entry;
	struct marker m = {
		.buffer = tr->array_buffer.buffer,
		.ubuf = ubuf,
		.count = count,
		.trace_ctx = tracing_gen_ctx(),
	};

	if (!marker_is_allowed(tr))
		return -EINVAL;
	/*
	 * The header with its tag is subtracted although @count includes the tag, so four bytes
	 * more would fit. It is the limit that programs know.
	 */
	if (count < sizeof(entry->id) ||
	    count > ring_buffer_max_event_size(m.buffer) - sizeof(*entry))
		return -EINVAL;
	if (trace_option(tr, TRACE_OPT_RECORD_CMD))
		tracing_record_cmdline(current);

	entry = marker_reserve(&m, TRACE_RAW_DATA, offset + count, offset);
	if (IS_ERR(entry)) {
		if (PTR_ERR(entry) == -EFAULT)
			marker_raw_faulted(&m);
		return PTR_ERR(entry);
	}
	trace_record_commit(m.buffer);
	return count;
}

static enum print_line_t marker_raw_data_text(struct trace_iterator *iter,
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
		[TRACE_MODE_TEXT]	= marker_raw_data_text,
		[TRACE_MODE_RAW]	= marker_raw_data_text,
	},
};

/**
 * trace_marker_kinds_init - make raw markers readable
 *
 * Context: boot, may sleep.
 * Return: 0, or what trace_kind_register() says.
 */
int __init trace_marker_kinds_init(void)
{
	return trace_kind_register(&raw_data_kind);
}
