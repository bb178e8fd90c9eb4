// SPDX-License-Identifier: GPL-2.0
/*
 * The files per_cpu/cpuN/trace_pipe_raw and snapshot_raw: whole pages of the
 * ring buffer, as events/header_page describes them, consumed by read() or
 * moved into a pipe by splice(), or read in place through mmap(). It does not
 * look into them. A snapshot gets no more records, so its file ends where the
 * other waits, and it cannot be mapped.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include "reader/internal.h"

/*
 * An open file. @page is what read() gives out piece by piece, @done of its
 * @size bytes are gone; both under @mutex. Whoever waits returns when @wakes
 * changes.
 */
struct raw_reader {
	struct trace_array		*tr;
	struct array_buffer		*from;		/* of tr; snapshot or not */
	int				cpu;
	atomic_t			wakes;
	struct mutex			mutex;	/* of the members below */
	struct buffer_data_read_page	*page;
	unsigned int			size;
	unsigned int			done;
};

/* A page that went into a pipe; it may stay there longer than the file. */
struct raw_page {
	refcount_t			ref;
	struct trace_array		*tr;	/* a reference */
	int				cpu;
	struct buffer_data_read_page	*page;
};

static struct trace_buffer *raw_buffer(const struct raw_reader *raw)
{
	return READ_ONCE(raw->from->buffer);
}

static bool is_snapshot(const struct raw_reader *raw)
{
	return raw->from == &raw->tr->snapshot;
}

static int open_raw(struct inode *inode, struct file *file, bool snapshot)
{
	struct trace_array *tr = inode->i_private;
	struct raw_reader *raw;
	int ret;

	ret = trace_array_open(tr);
	if (ret)
		return ret;
	if (snapshot && READ_ONCE(tr->snapshot_has_max)) {
		trace_array_put(tr);
		return -EBUSY;
	}
	raw = kzalloc(sizeof(*raw), GFP_KERNEL);
	if (!raw) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	raw->tr = tr;
	raw->from = snapshot ? &tr->snapshot : &tr->array_buffer;
	raw->cpu = trace_inode_cpu(inode);
	mutex_init(&raw->mutex);
	/* Keeps the tracer, as trace_pipe does. */
	scoped_guard(trace_instances)
		tr->pipe_readers++;
	file->private_data = raw;
	return stream_open(inode, file);
}

static int raw_open(struct inode *inode, struct file *file)
{
	return open_raw(inode, file, false);
}

static void free_page_of(struct raw_reader *raw)
{
	if (raw->page)
		ring_buffer_free_read_page(raw_buffer(raw), raw->cpu, raw->page);
	raw->page = NULL;
	raw->size = 0;
	raw->done = 0;
}

static int raw_release(struct inode *inode, struct file *file)
{
	struct raw_reader *raw = file->private_data;

	free_page_of(raw);
	scoped_guard(trace_instances) {
		raw->tr->pipe_readers--;
		trace_array_put_locked(raw->tr);
	}
	mutex_destroy(&raw->mutex);
	kfree(raw);
	return 0;
}

/* A call that may wait; one of these for each. */
struct raw_call {
	const struct raw_reader		*raw;
	int				wakes;
	unsigned int			exchanges;	/* of the instance's buffers */
};

static struct raw_call raw_call(const struct raw_reader *raw)
{
	return (struct raw_call) { raw, atomic_read(&raw->wakes) };
}

static bool is_woken(void *data)
{
	const struct raw_call *call = data;

	return atomic_read(&call->raw->wakes) != call->wakes;
}

/* A snapshot gave the file another buffer than the one waited at. */
static bool is_woken_or_moved(void *data)
{
	const struct raw_call *call = data;

	return is_woken(data) || READ_ONCE(call->raw->tr->exchanges) != call->exchanges;
}

static int wait_for(struct raw_call *call, int full)
{
	const struct raw_reader *raw = call->raw;

	return ring_buffer_wait(raw_buffer(raw), raw->cpu, full, is_woken_or_moved, call);
}

/* A splicing or mapping reader is woken when so much of the buffer is to be had. */
static int watermark(const struct raw_reader *raw)
{
	return READ_ONCE(raw->tr->buffer_percent);
}

static int take_page(struct raw_reader *raw, struct buffer_data_read_page *page,
		     size_t len, bool full)
{
	int ret;

	trace_reader_lock(raw->tr, raw->cpu);
	ret = ring_buffer_read_page(raw_buffer(raw), page, len, raw->cpu, full);
	trace_reader_unlock(raw->tr, raw->cpu);
	return ret;
}

/* A page of the size that sub-buffers have now. */
static int prepare_page(struct raw_reader *raw)
{
	int ret;

	if (raw->page && raw->size != ring_buffer_subbuf_size_get(raw_buffer(raw)))
		free_page_of(raw);
	if (raw->page)
		return 0;
	ret = ring_buffer_alloc_read_page(raw_buffer(raw), raw->cpu, &raw->page);
	if (ret) {
		raw->page = NULL;
		return ret;
	}
	raw->size = ring_buffer_read_page_size(raw->page);
	raw->done = raw->size;
	return 0;
}

/* > 0: the page has something; 0: end, or @len has no room for an event. */
static int refill(struct raw_reader *raw, size_t len, bool nonblock)
{
	struct raw_call call = raw_call(raw);
	int ret;

	for (;;) {
		call.exchanges = READ_ONCE(raw->tr->exchanges);
		ret = prepare_page(raw);
		if (ret)
			return ret;
		ret = take_page(raw, raw->page, len, false);
		if (!ret) {
			raw->done = 0;
			return 1;
		}
		if (ret != -EAGAIN)
			return ret;
		if (!ring_buffer_empty_cpu(raw_buffer(raw), raw->cpu) || is_woken(&call))
			return 0;
		if (nonblock)
			return -EAGAIN;
		if (is_snapshot(raw))
			return 0;
		ret = wait_for(&call, 0);
		if (ret)
			return ret;
	}
}

static ssize_t raw_read_iter(struct kiocb *kiocb, struct iov_iter *to)
{
	struct raw_reader *raw = kiocb->ki_filp->private_data;
	bool nonblock = kiocb->ki_filp->f_flags & O_NONBLOCK || kiocb->ki_flags & IOCB_NOWAIT;
	size_t len = iov_iter_count(to);
	int ret;

	if (!len)
		return 0;
	if (mutex_lock_interruptible(&raw->mutex))
		return -ERESTARTSYS;
	ret = 1;
	if (raw->done >= raw->size)
		ret = refill(raw, len, nonblock);
	if (ret > 0) {
		len = copy_to_iter(ring_buffer_read_page_data(raw->page) + raw->done,
				   min_t(size_t, len, raw->size - raw->done), to);
		raw->done += len;
		ret = len ? len : -EFAULT;
	}
	mutex_unlock(&raw->mutex);
	return ret;
}

static void raw_page_put(struct raw_page *rp)
{
	if (!refcount_dec_and_test(&rp->ref))
		return;
	ring_buffer_free_read_page(rp->tr->array_buffer.buffer, rp->cpu, rp->page);
	trace_array_put(rp->tr);
	kfree(rp);
}

static void raw_buf_release(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	raw_page_put((struct raw_page *)buf->private);
	buf->private = 0;
}

static bool raw_buf_get(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	struct raw_page *rp = (struct raw_page *)buf->private;

	/* As many as the counter can tell; refused beyond. */
	if (refcount_read(&rp->ref) > INT_MAX / 2)
		return false;
	refcount_inc(&rp->ref);
	return true;
}

static const struct pipe_buf_operations raw_buf_ops = {
	.release	= raw_buf_release,
	.get		= raw_buf_get,
};

static void raw_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	raw_page_put((struct raw_page *)spd->partial[i].private);
	spd->partial[i].private = 0;
}

/* Put one complete sub-buffer into @spd. */
static int add_page(struct raw_reader *raw, struct splice_pipe_desc *spd)
{
	struct trace_buffer *buffer = raw_buffer(raw);
	struct partial_page *partial = &spd->partial[spd->nr_pages];
	struct buffer_data_read_page *page;
	struct raw_page *rp;
	int ret;

	ret = ring_buffer_alloc_read_page(buffer, raw->cpu, &page);
	if (ret)
		return ret;
	rp = kzalloc(sizeof(*rp), GFP_KERNEL);
	ret = rp ? take_page(raw, page, ring_buffer_read_page_size(page), true) : -ENOMEM;
	/* The file's reference keeps the instance until now. */
	if (!ret)
		ret = trace_array_get(raw->tr);
	if (ret) {
		ring_buffer_free_read_page(buffer, raw->cpu, page);
		kfree(rp);
		return ret;
	}
	refcount_set(&rp->ref, 1);
	rp->tr = raw->tr;
	rp->cpu = raw->cpu;
	rp->page = page;
	spd->pages[spd->nr_pages++] = virt_to_page(ring_buffer_read_page_data(page));
	partial->offset = 0;
	partial->len = ring_buffer_read_page_size(page);
	partial->private = (unsigned long)rp;
	return 0;
}

/* Wait, once, until there are pages; those that are there then are taken. */
static int add_pages(struct raw_reader *raw, struct splice_pipe_desc *spd, size_t len,
		     bool nonblock)
{
	unsigned int size = ring_buffer_subbuf_size_get(raw_buffer(raw));
	struct raw_call call = raw_call(raw);
	bool waited = false;
	int ret;

	for (;;) {
		call.exchanges = READ_ONCE(raw->tr->exchanges);
		for (ret = 0; spd->nr_pages < spd->nr_pages_max && len >= size; len -= size) {
			ret = add_page(raw, spd);
			if (ret)
				break;
		}
		if (spd->nr_pages)
			return 0;
		if (ret != -EAGAIN || is_woken(&call) || waited)
			return ret == -EAGAIN ? 0 : ret;
		if (nonblock)
			return -EAGAIN;
		if (is_snapshot(raw))
			return 0;
		ret = wait_for(&call, watermark(raw));
		if (ret)
			return ret;
		if (!trace_array_is_on(raw->tr))
			return 0;
		waited = true;
	}
}

static ssize_t raw_splice_read(struct file *file, loff_t *ppos, struct pipe_inode_info *pipe,
			       size_t len, unsigned int flags)
{
	struct raw_reader *raw = file->private_data;
	struct partial_page partial[PIPE_DEF_BUFFERS];
	struct page *pages[PIPE_DEF_BUFFERS];
	struct splice_pipe_desc spd = {
		.pages		= pages,
		.partial	= partial,
		.nr_pages_max	= PIPE_DEF_BUFFERS,
		.ops		= &raw_buf_ops,
		.spd_release	= raw_spd_release,
	};
	bool nonblock = file->f_flags & O_NONBLOCK || flags & SPLICE_F_NONBLOCK;
	ssize_t ret;

	/* Less than a page cannot be moved. */
	if (len < ring_buffer_subbuf_size_get(raw_buffer(raw)))
		return -EINVAL;
	if (splice_grow_spd(pipe, &spd))
		return -ENOMEM;
	ret = add_pages(raw, &spd, len, nonblock);
	if (!ret && spd.nr_pages)
		ret = splice_to_pipe(pipe, &spd);
	splice_shrink_spd(&spd);
	return ret;
}

static __poll_t raw_poll(struct file *file, poll_table *poll)
{
	struct raw_reader *raw = file->private_data;
	struct trace_buffer **buffer;
	__poll_t mask = 0, ready;

	if (trace_option(raw->tr, TRACE_OPT_BLOCK))
		return EPOLLIN | EPOLLRDNORM;
	/* As in trace_pipe: a snapshot may exchange them. */
	for_each_trace_buffer(raw->tr, buffer) {
		ready = ring_buffer_poll_wait(*buffer, raw->cpu, file, poll, watermark(raw));
		if (*buffer == raw_buffer(raw))
			mask = ready;
	}
	return mask;
}

static void wake(struct raw_reader *raw)
{
	struct trace_buffer **buffer;

	atomic_inc(&raw->wakes);
	for_each_trace_buffer(raw->tr, buffer)
		ring_buffer_wake_waiters(*buffer, raw->cpu);
}

/* A thread that waits in read() or splice() must notice close(). */
static int raw_flush(struct file *file, fl_owner_t id)
{
	wake(file->private_data);
	return 0;
}

/* Of who maps the file: wait for data, if the file waits, and consume it. */
static int next_reader(struct raw_reader *raw, bool nonblock)
{
	struct raw_call call = raw_call(raw);
	int ret = 0;

	if (!ring_buffer_mapped(raw_buffer(raw), raw->cpu))
		return -ENODEV;
	call.exchanges = READ_ONCE(raw->tr->exchanges);
	if (!nonblock)
		ret = wait_for(&call, watermark(raw));
	if (ret)
		return ret;
	trace_reader_lock(raw->tr, raw->cpu);
	ret = ring_buffer_map_get_reader(raw_buffer(raw), raw->cpu);
	trace_reader_unlock(raw->tr, raw->cpu);
	return ret;
}

/* 0 wakes those who wait. */
static long raw_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct raw_reader *raw = file->private_data;

	switch (cmd) {
	case 0:
		wake(raw);
		return 0;
	case TRACE_MMAP_IOCTL_GET_READER:
		return next_reader(raw, file->f_flags & O_NONBLOCK);
	default:
		return -ENOTTY;
	}
}

static void raw_vm_open(struct vm_area_struct *vma)
{
	struct raw_reader *raw = vma->vm_file->private_data;

	WARN_ON_ONCE(trace_buffers_pin(raw->tr));
	ring_buffer_map_dup(raw_buffer(raw), raw->cpu);
}

static void raw_vm_close(struct vm_area_struct *vma)
{
	struct raw_reader *raw = vma->vm_file->private_data;

	ring_buffer_unmap(raw_buffer(raw), raw->cpu);
	trace_buffers_unpin(raw->tr);
}

static const struct vm_operations_struct raw_vm_ops = {
	.open		= raw_vm_open,
	.close		= raw_vm_close,
};

static int raw_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct raw_reader *raw = file->private_data;
	int ret;

	/* What is mapped must still be the file's buffer when it is unmapped. */
	ret = trace_buffers_pin(raw->tr);
	if (ret)
		return ret;
	ret = ring_buffer_map(raw_buffer(raw), raw->cpu, vma);
	if (ret)
		trace_buffers_unpin(raw->tr);
	else
		vma->vm_ops = &raw_vm_ops;
	return ret;
}

const struct file_operations trace_raw_fops = {
	.open		= raw_open,
	.read_iter	= raw_read_iter,
	.splice_read	= raw_splice_read,
	.poll		= raw_poll,
	.unlocked_ioctl	= raw_ioctl,
	.mmap		= raw_mmap,
	.flush		= raw_flush,
	.release	= raw_release,
};

#ifdef CONFIG_TRACER_SNAPSHOT
static int snapshot_raw_open(struct inode *inode, struct file *file)
{
	return open_raw(inode, file, true);
}

const struct file_operations trace_snapshot_raw_fops = {
	.open		= snapshot_raw_open,
	.read_iter	= raw_read_iter,
	.splice_read	= raw_splice_read,
	.poll		= raw_poll,
	.flush		= raw_flush,
	.release	= raw_release,
};
#endif
