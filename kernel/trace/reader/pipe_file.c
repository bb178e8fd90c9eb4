// SPDX-License-Identifier: GPL-2.0
/*
 * The files trace_pipe and per_cpu/cpuN/trace_pipe: records are consumed as
 * they are read, and a reader waits for more. One reader at a time for a CPU.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/uio.h>

#include "reader/internal.h"

/* Claim the CPUs of the file, for this open file alone. */
static int claim_cpus(struct trace_array *tr, int cpu)
{
	struct cpumask *open = trace_reader_instance(tr)->pipe_cpus;

	trace_instances_assert_locked();
	if (cpu == RING_BUFFER_ALL_CPUS) {
		if (!cpumask_empty(open))
			return -EBUSY;
		cpumask_setall(open);
	} else if (cpumask_test_and_set_cpu(cpu, open)) {
		return -EBUSY;
	}
	tr->pipe_readers++;
	return 0;
}

static void release_cpus(struct trace_array *tr, int cpu)
{
	struct cpumask *open = trace_reader_instance(tr)->pipe_cpus;

	trace_instances_assert_locked();
	if (cpu == RING_BUFFER_ALL_CPUS)
		cpumask_clear(open);
	else
		cpumask_clear_cpu(cpu, open);
	tr->pipe_readers--;
}

static int pipe_open(struct inode *inode, struct file *file)
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
	scoped_guard(trace_instances)
		ret = claim_cpus(tr, cpu);
	if (ret) {
		trace_reader_free(reader);
		goto put;
	}
	file->private_data = reader;
	return stream_open(inode, file);
put:
	trace_array_put(tr);
	return ret;
}

static int pipe_release(struct inode *inode, struct file *file)
{
	struct trace_reader *reader = file->private_data;
	struct trace_array *tr = inode->i_private;

	trace_reader_free(reader);
	scoped_guard(trace_instances) {
		release_cpus(tr, trace_inode_cpu(inode));
		trace_array_put_locked(tr);
	}
	return 0;
}

static bool nothing_to_read(struct trace_reader *reader)
{
	struct trace_buffer *buffer = reader->iter.array_buffer->buffer;

	if (reader->iter.cpu_file == RING_BUFFER_ALL_CPUS)
		return ring_buffer_empty(buffer);
	return ring_buffer_empty_cpu(buffer, reader->iter.cpu_file);
}

/*
 * The end of the file: tracing is off, after something was read. Somebody who
 * starts to read before tracing is switched on gets to wait.
 */
static bool at_end(struct trace_reader *reader)
{
	return reader->has_read && !trace_array_is_on(reader->iter.tr);
}

/* After a snapshot, records come to another buffer than the one waited for. */
static bool stop_waiting(void *data)
{
	struct trace_reader *reader = data;

	return at_end(reader) || READ_ONCE(reader->iter.tr->exchanges) != reader->exchanges;
}

/* > 0: there is something, 0: end of file. iter.mutex is let go meanwhile. */
static int wait_for_records(struct trace_reader *reader, bool nonblock)
{
	struct trace_iterator *iter = &reader->iter;
	int ret;

	for (;;) {
		reader->exchanges = READ_ONCE(iter->tr->exchanges);
		if (!nothing_to_read(reader))
			return 1;
		if (nonblock)
			return -EAGAIN;
		if (at_end(reader))
			return 0;
		mutex_unlock(&iter->mutex);
		ret = ring_buffer_wait(iter->array_buffer->buffer, iter->cpu_file, 0,
				       stop_waiting, reader);
		mutex_lock(&iter->mutex);
		if (ret)
			return ret;
	}
}

/* Consume records until the sequence is full or has @want bytes. */
static void fill_sequence(struct trace_reader *reader, size_t want)
{
	struct trace_iterator *iter = &reader->iter;
	enum print_line_t ret;
	size_t before;

	trace_seq_init(&iter->seq);
	trace_output_read_lock();
	trace_reader_lock(iter->tr, iter->cpu_file);
	trace_reader_update(reader);
	trace_reader_rewind(reader);
	while (trace_seq_used(&iter->seq) < want && trace_iter_next(iter)) {
		before = trace_seq_used(&iter->seq);
		ret = trace_print_record(iter);
		if (ret == TRACE_TYPE_PARTIAL_LINE) {
			iter->seq.full = 0;
			/* It comes again, unless it fits in no sequence at all. */
			if (before) {
				iter->seq.seq.len = before;
				break;
			}
			trace_seq_puts(&iter->seq, "[LINE TOO BIG]\n");
		}
		if (ret != TRACE_TYPE_NO_CONSUME)
			trace_iter_consume(iter);
	}
	trace_reader_unlock(iter->tr, iter->cpu_file);
	trace_output_read_unlock();
}

static bool sequence_is_empty(struct trace_iterator *iter)
{
	return iter->seq.readpos >= trace_seq_used(&iter->seq);
}

static size_t sequence_to_user(struct trace_iterator *iter, struct iov_iter *to)
{
	struct trace_seq *s = &iter->seq;
	size_t len = trace_seq_used(s) - s->readpos;

	len = copy_to_iter(s->buffer + s->readpos, len, to);
	s->readpos += len;
	return len;
}

static ssize_t pipe_read_iter(struct kiocb *kiocb, struct iov_iter *to)
{
	struct trace_reader *reader = kiocb->ki_filp->private_data;
	bool nonblock = kiocb->ki_filp->f_flags & O_NONBLOCK || kiocb->ki_flags & IOCB_NOWAIT;
	struct trace_iterator *iter = &reader->iter;
	size_t left = iov_iter_count(to);
	int ret;

	if (!left)
		return 0;
	/* Threads that share the file take whole turns. */
	guard(mutex)(&iter->mutex);

	/* Records that print nothing are consumed and do not end the read. */
	while (sequence_is_empty(iter)) {
		ret = wait_for_records(reader, nonblock);
		if (ret <= 0)
			return ret;
		fill_sequence(reader, left);
	}
	while (sequence_to_user(iter, to)) {
		reader->has_read = true;
		if (!iov_iter_count(to) || !sequence_is_empty(iter) || nothing_to_read(reader))
			break;
		fill_sequence(reader, iov_iter_count(to));
	}
	left -= iov_iter_count(to);
	return left ? left : -EFAULT;
}

static __poll_t pipe_poll(struct file *file, poll_table *poll)
{
	struct trace_reader *reader = file->private_data;
	struct trace_iterator *iter = &reader->iter;
	struct trace_buffer **buffer;

	/* The option block: a read waits, poll does not. */
	if (trace_option(iter->tr, TRACE_OPT_BLOCK))
		return EPOLLIN | EPOLLRDNORM;
	/* Either may be the one that is written to when there is something. */
	for_each_trace_buffer(iter->tr, buffer)
		ring_buffer_poll_wait(*buffer, iter->cpu_file, file, poll, 0);
	return nothing_to_read(reader) ? 0 : EPOLLIN | EPOLLRDNORM;
}

const struct file_operations trace_pipe_fops = {
	.open		= pipe_open,
	.read_iter	= pipe_read_iter,
	.splice_read	= copy_splice_read,
	.poll		= pipe_poll,
	.release	= pipe_release,
};
