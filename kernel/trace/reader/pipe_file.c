// SPDX-License-Identifier: GPL-2.0
/*
 * The files trace_pipe and per_cpu/cpuN/trace_pipe: records are consumed as
 * they are read, and a reader waits for more. One open file at a time for a CPU.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>

#include "instance/buffers.h"
#include "instance/file.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "reader/internal.h"

static int trace_pipe_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int cpu = trace_inode_cpu(inode);
	struct trace_reader *reader;
	int ret;

	ret = trace_array_open(tr);
	if (ret)
		return ret;
	reader = trace_reader_alloc(tr, cpu);
	if (!reader) {
		ret = -ENOMEM;
		goto put;
	}
	if (trace_option(tr, TRACE_OPT_LATENCY_FMT))
		reader->iter.iter_flags |= TRACE_FILE_LAT_FMT;
	ret = trace_reader_claim_pipe(tr, cpu);
	if (ret) {
		trace_reader_free(reader);
		goto put;
	}
	/* No other tracer comes as long as the CPUs are claimed. */
	trace_tracer_attach(&reader->iter, true);
	reader->attached = true;
	file->private_data = reader;
	return stream_open(inode, file);
put:
	trace_array_put(tr);
	return ret;
}

static int trace_pipe_release(struct inode *inode, struct file *file)
{
	struct trace_reader *reader = file->private_data;
	struct trace_array *tr = inode->i_private;

	trace_tracer_detach(&reader->iter, true);
	trace_reader_free(reader);
	trace_reader_release_pipe(tr, trace_inode_cpu(inode));
	trace_array_put(tr);
	return 0;
}

static bool pipe_has_records(const struct trace_reader *reader)
{
	return reader->taken || !trace_iter_is_empty(&reader->iter);
}

/*
 * Does the file end here? It does when tracing is switched off after something was read.
 * A reader that was there before tracing is switched on waits.
 */
static bool pipe_is_at_end(void *data)
{
	const struct trace_reader *reader = data;

	return READ_ONCE(reader->has_read) && !trace_array_is_on(reader->iter.tr);
}

/*
 * Wait for records; iter.mutex is given up meanwhile. > 0: there are some, 0: the file
 * ends, or an errno. *@locked is false if a signal came before it had the mutex again.
 */
static int pipe_wait(struct trace_reader *reader, bool nonblock, bool *locked)
{
	struct trace_iterator *iter = &reader->iter;
	struct trace_wait wait = {
		.from	= iter->array_buffer,
		.cpu	= iter->cpu_file,
		.stop	= pipe_is_at_end,
		.data	= reader,
	};
	int ret;

	lockdep_assert_held(&iter->mutex);
	for (;;) {
		trace_wait_prepare(&wait);
		if (pipe_has_records(reader))
			return 1;
		if (nonblock)
			return -EAGAIN;
		if (pipe_is_at_end(reader))
			return 0;
		mutex_unlock(&iter->mutex);
		ret = trace_wait_for_records(&wait, 0);
		if (mutex_lock_interruptible(&iter->mutex)) {
			*locked = false;
			return ret ?: -ERESTARTSYS;
		}
		if (ret)
			return ret;
	}
}

/*
 * Print the current record and consume it. False: it did not fit behind the text in the
 * sequence, and is left for the next one. A line that fits into no sequence is replaced.
 */
static bool pipe_print_record(struct trace_iterator *iter)
{
	size_t before = trace_seq_used(&iter->seq);
	enum print_line_t ret = trace_print_record(iter);

	if (ret == TRACE_TYPE_PARTIAL_LINE) {
		iter->seq.full = 0;
		if (before) {
			iter->seq.seq.len = before;
			return false;
		}
		trace_seq_puts(&iter->seq, "[LINE TOO BIG]\n");
	}
	if (ret != TRACE_TYPE_NO_CONSUME)
		trace_iter_consume(iter);
	return true;
}

/* Let the tracer answer the read() itself: > 0 bytes, 0: it does not, or an errno. */
static ssize_t pipe_read_tracer(struct trace_iterator *iter, struct iov_iter *to)
{
	const struct tracer *tracer = iter->trace;

	lockdep_assert_held(&iter->mutex);
	return tracer && tracer->read ? tracer->read(iter, to) : 0;
}

/* The most records that are consumed with the locks held: some records print nothing. */
#define PIPE_RECORDS_AT_ONCE	1024

/* Consume records until the sequence is full or has @want bytes, or a signal comes. */
static int pipe_fill(struct trace_reader *reader, size_t want)
{
	struct trace_iterator *iter = &reader->iter;
	unsigned int nr = 0;
	int ret;

	lockdep_assert_held(&iter->mutex);
	trace_seq_init(&iter->seq);
	ret = trace_reader_reserve(reader);
	if (ret)
		return ret;
	trace_types_read_lock();
	trace_reader_lock(iter->tr, iter->cpu_file);
	trace_reader_update(reader);
	trace_reader_rewind(reader);
	while (trace_seq_used(&iter->seq) < want && trace_iter_next(iter)) {
		if (!pipe_print_record(iter) || ++nr == PIPE_RECORDS_AT_ONCE ||
		    signal_pending(current))
			break;
		cond_resched();
	}
	trace_reader_unlock(iter->tr, iter->cpu_file);
	trace_types_read_unlock();
	return 0;
}

static bool pipe_has_text(struct trace_iterator *iter)
{
	return iter->seq.readpos < trace_seq_used(&iter->seq);
}

static size_t pipe_copy_text(struct trace_iterator *iter, struct iov_iter *to)
{
	struct trace_seq *s = &iter->seq;
	size_t len = trace_seq_used(s) - s->readpos;

	len = copy_to_iter(s->buffer + s->readpos, len, to);
	s->readpos += len;
	return len;
}

/* *@locked: iter.mutex is still held. */
static ssize_t pipe_read(struct trace_reader *reader, struct iov_iter *to, bool nonblock,
			 bool *locked)
{
	struct trace_iterator *iter = &reader->iter;
	size_t left = iov_iter_count(to);
	ssize_t ret;

	lockdep_assert_held(&iter->mutex);
	if (!pipe_has_text(iter)) {
		ret = pipe_read_tracer(iter, to);
		if (ret)
			return ret;
	}

	/* Records that print nothing are consumed and do not end the read, but a signal does. */
	while (!pipe_has_text(iter)) {
		ret = pipe_wait(reader, nonblock, locked);
		if (ret <= 0)
			return ret;
		ret = pipe_fill(reader, left);
		if (ret)
			return ret;
		if (!pipe_has_text(iter) && signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
	}
	while (pipe_copy_text(iter, to)) {
		WRITE_ONCE(reader->has_read, true);
		if (!iov_iter_count(to) || pipe_has_text(iter) || signal_pending(current) ||
		    !pipe_has_records(reader) || pipe_fill(reader, iov_iter_count(to)))
			break;
	}
	left -= iov_iter_count(to);
	return left ? left : -EFAULT;
}

static ssize_t trace_pipe_read_iter(struct kiocb *kiocb, struct iov_iter *to)
{
	struct trace_reader *reader = kiocb->ki_filp->private_data;
	bool nonblock = kiocb->ki_filp->f_flags & O_NONBLOCK || kiocb->ki_flags & IOCB_NOWAIT;
	bool locked = true;
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	/* Tasks that share the file read one after the other. */
	if (mutex_lock_interruptible(&reader->iter.mutex))
		return -ERESTARTSYS;
	ret = pipe_read(reader, to, nonblock, &locked);
	if (locked)
		mutex_unlock(&reader->iter.mutex);
	return ret;
}

static __poll_t trace_pipe_poll(struct file *file, poll_table *poll)
{
	struct trace_reader *reader = file->private_data;
	struct trace_iterator *iter = &reader->iter;
	bool left;

	/*
	 * If the last read() has left a part of a line, or a record, there is something to
	 * read. A read() that has the mutex is reading right now.
	 */
	if (!mutex_trylock(&iter->mutex))
		return EPOLLIN | EPOLLRDNORM;
	left = pipe_has_text(iter) || reader->taken;
	mutex_unlock(&iter->mutex);
	if (left)
		return EPOLLIN | EPOLLRDNORM;
	return trace_wait_poll(iter->array_buffer, iter->cpu_file, file, poll);
}

const struct file_operations trace_pipe_fops = {
	.open		= trace_pipe_open,
	.read_iter	= trace_pipe_read_iter,
	.splice_read	= copy_splice_read,
	.poll		= trace_pipe_poll,
	.release	= trace_pipe_release,
};
