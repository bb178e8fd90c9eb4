// SPDX-License-Identifier: GPL-2.0
/*
 * The files per_cpu/cpuN/trace_pipe_raw and snapshot_raw: whole pages of the
 * ring buffer, as events/header_page describes them, consumed by read() or
 * moved into a pipe by splice(), or read in place through mmap(). Nothing here looks
 * into them. A reader of snapshot_raw waits for the next snapshot, where one of
 * trace_pipe_raw waits for records. A snapshot cannot be mapped.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uaccess.h>

#include "instance/buffers.h"
#include "instance/file.h"
#include "instance/snapshot.h"
#include "instance/tracer.h"
#include "reader/internal.h"

/*
 * An open file. read() copies @page to the user in pieces; @done of its @size bytes were
 * copied. Each change of @wakes ends the calls that wait.
 */
struct trace_raw {
	struct trace_array		*tr;	/* constant; a reference */
	struct array_buffer		*from;	/* constant; of the trace or of the snapshot */
	int				cpu;	/* constant */
	atomic_t			wakes;	/* atomic */
	struct mutex			mutex;	/* the file's lock */
	struct buffer_data_read_page	*page;	/* file's lock */
	unsigned int			size;	/* file's lock */
	unsigned int			done;	/* file's lock */
};

/* One call of read(), splice() or ioctl() that may wait. */
struct trace_raw_call {
	struct trace_wait		wait;
	const struct trace_raw		*raw;
	int				wakes;	/* of @raw, when the call began */
	bool				on;	/* tracing was on then, and the call ends with it */
};

/*
 * A sub-buffer in a pipe. tee() may put it into others, and it may stay there after the
 * file was closed. Each pipe buffer is a user of it and counted here, not by references
 * of the pages, so that the last one gives the memory back to the ring buffer, which
 * keeps it for the next splice().
 */
struct trace_raw_page {
	atomic_long_t			users;	/* atomic */
	struct trace_array		*tr;	/* constant; a reference */
	int				cpu;	/* constant */
	struct buffer_data_read_page	*page;	/* constant */
};

static struct trace_buffer *raw_buffer(const struct trace_raw *raw)
{
	return READ_ONCE(raw->from->buffer);
}

static bool raw_is_snapshot(const struct trace_raw *raw)
{
	return raw->from == &raw->tr->snapshot;
}

static int raw_file_open(struct inode *inode, struct file *file, bool snapshot)
{
	struct trace_array *tr = inode->i_private;
	struct trace_raw *raw;
	int ret;

	ret = trace_array_open(tr);
	if (ret)
		return ret;
	ret = -EBUSY;
	if (snapshot && trace_snapshot_has_max(tr))
		goto put;
	ret = -ENOMEM;
	raw = kzalloc(sizeof(*raw), GFP_KERNEL);
	if (!raw)
		goto put;
	raw->tr = tr;
	raw->from = snapshot ? &tr->snapshot : &tr->array_buffer;
	raw->cpu = trace_inode_cpu(inode);
	mutex_init(&raw->mutex);
	/* The tracer cannot be changed until release(), as with an open trace_pipe. */
	trace_tracer_pin(tr);
	file->private_data = raw;
	return stream_open(inode, file);
put:
	trace_array_put(tr);
	return ret;
}

static int trace_raw_open(struct inode *inode, struct file *file)
{
	return raw_file_open(inode, file, false);
}

static void raw_free_page(struct trace_raw *raw)
{
	if (raw->page)
		ring_buffer_free_read_page(raw_buffer(raw), raw->cpu, raw->page);
	raw->page = NULL;
	raw->size = 0;
	raw->done = 0;
}

static int trace_raw_release(struct inode *inode, struct file *file)
{
	struct trace_raw *raw = file->private_data;

	raw_free_page(raw);
	trace_tracer_unpin(raw->tr);
	trace_array_put(raw->tr);
	mutex_destroy(&raw->mutex);
	kfree(raw);
	return 0;
}

static bool raw_call_is_woken(void *data)
{
	const struct trace_raw_call *call = data;

	return atomic_read(&call->raw->wakes) != call->wakes;
}

static bool raw_call_is_over(void *data)
{
	const struct trace_raw_call *call = data;

	return raw_call_is_woken(data) || (call->on && !trace_array_is_on(call->raw->tr));
}

/* @wakes: raw->wakes, as it was when the call began. */
static void raw_call_init(struct trace_raw_call *call, const struct trace_raw *raw, int wakes)
{
	*call = (struct trace_raw_call) {
		.wait	= {
			.from	= raw->from,
			.cpu	= raw->cpu,
			.stop	= raw_call_is_over,
			.data	= call,
		},
		.raw	= raw,
		.wakes	= wakes,
	};
}

/*
 * Percent of the buffer that must be filled before splice() or a mapping's reader wakes. A
 * snapshot is not filled: it comes as a whole.
 */
static int raw_watermark(const struct trace_raw *raw)
{
	return raw_is_snapshot(raw) ? 0 : READ_ONCE(raw->tr->buffer_percent);
}

static int raw_take_page(const struct trace_raw *raw, struct trace_buffer *buffer,
			 struct buffer_data_read_page *page, size_t len, bool full)
{
	int ret;

	trace_reader_lock(raw->tr, raw->cpu);
	ret = ring_buffer_read_page(buffer, page, len, raw->cpu, full);
	trace_reader_unlock(raw->tr, raw->cpu);
	return ret;
}

/*
 * Allocate a page as large as a sub-buffer of @buffer, unless @raw has one. While the size
 * changes, the page may be of the wrong size for the CPU; raw_take_page() returns -ESTALE then.
 */
static int raw_prepare_page(struct trace_raw *raw, struct trace_buffer *buffer)
{
	int ret;

	lockdep_assert_held(&raw->mutex);
	if (raw->page && raw->size != ring_buffer_subbuf_size_get(buffer))
		raw_free_page(raw);
	if (raw->page)
		return 0;
	ret = ring_buffer_alloc_read_page(buffer, raw->cpu, &raw->page);
	if (ret)
		return ret;
	raw->size = ring_buffer_read_page_size(raw->page);
	raw->done = raw->size;
	return 0;
}

/* Fill raw->page with records, if there are some. 0: it has some. */
static int raw_fill(struct trace_raw *raw, struct trace_buffer *buffer, size_t len)
{
	int ret = raw_prepare_page(raw, buffer) ?:
		  raw_take_page(raw, buffer, raw->page, len, false);

	if (!ret)
		raw->done = 0;
	return ret;
}

/*
 * raw_fill(), and wait for records. @wakes: as for raw_call_init(). > 0: the page has some; 0: the
 * file ends, or @len bytes have no room for the next event; or an errno.
 */
static noinline int raw_fill_wait(struct trace_raw *raw, size_t len, bool nonblock, int wakes)
{
	struct trace_raw_call call;
	int ret;

	raw_call_init(&call, raw, wakes);
	for (;;) {
		struct trace_buffer *buffer;

		trace_wait_prepare(&call.wait);
		buffer = raw_buffer(raw);
		ret = raw_fill(raw, buffer, len);
		if (!ret)
			return 1;
		/*
		 * The page has an earlier size of sub-buffers. The next page is allocated with
		 * the CPU's current size.
		 */
		if (ret == -ESTALE) {
			raw_free_page(raw);
			if (signal_pending(current))
				return -ERESTARTSYS;
			cond_resched();
			continue;
		}
		/* -EINVAL: @len bytes have no room for any event. */
		if (ret != -EAGAIN && ret != -EINVAL)
			return ret;
		if (!ring_buffer_empty_cpu(buffer, raw->cpu) || raw_call_is_woken(&call))
			return 0;
		if (nonblock)
			return -EAGAIN;
		ret = trace_wait_for_records(&call.wait, 0);
		if (ret)
			return ret;
	}
}

/* As raw_fill_wait(), for a call that mostly finds records. */
static int raw_refill(struct trace_raw *raw, size_t len, bool nonblock)
{
	int wakes = atomic_read(&raw->wakes);

	if (likely(!raw_fill(raw, raw_buffer(raw), len)))
		return 1;
	return raw_fill_wait(raw, len, nonblock, wakes);
}

static ssize_t trace_raw_read(struct file *file, char __user *ubuf, size_t len, loff_t *pos)
{
	struct trace_raw *raw = file->private_data;
	int ret = 1;

	if (!len)
		return 0;
	if (mutex_lock_interruptible(&raw->mutex))
		return -ERESTARTSYS;
	if (raw->done >= raw->size)
		ret = raw_refill(raw, len, file->f_flags & O_NONBLOCK);
	if (ret > 0) {
		len = min_t(size_t, len, raw->size - raw->done);
		len -= copy_to_user(ubuf, ring_buffer_read_page_data(raw->page) + raw->done, len);
		raw->done += len;
		ret = len ? len : -EFAULT;
	}
	mutex_unlock(&raw->mutex);
	return ret;
}

/*
 * Take a complete sub-buffer of at most @len bytes for a pipe. The file's reference keeps
 * the instance.
 */
static struct trace_raw_page *raw_page_take(const struct trace_raw *raw, size_t len)
{
	struct trace_buffer *buffer = raw_buffer(raw);
	struct trace_raw_page *rp = kzalloc(sizeof(*rp), GFP_KERNEL);
	int ret;

	if (!rp)
		return ERR_PTR(-ENOMEM);
	atomic_long_set(&rp->users, 1);
	rp->tr = raw->tr;
	rp->cpu = raw->cpu;
	ret = ring_buffer_alloc_read_page(buffer, rp->cpu, &rp->page);
	if (ret)
		goto free;
	ret = -EINVAL;
	if (ring_buffer_read_page_size(rp->page) <= len)
		ret = raw_take_page(raw, buffer, rp->page, ring_buffer_read_page_size(rp->page),
				    true);
	/* The sub-buffers' size has changed, which has emptied them. */
	if (ret == -ESTALE)
		ret = -EAGAIN;
	if (!ret)
		ret = trace_array_get(rp->tr);
	if (!ret)
		return rp;
	ring_buffer_free_read_page(buffer, rp->cpu, rp->page);
free:
	kfree(rp);
	return ERR_PTR(ret);
}

static void raw_page_put(struct trace_raw_page *rp)
{
	if (atomic_long_dec_return(&rp->users))
		return;
	ring_buffer_free_read_page(rp->tr->array_buffer.buffer, rp->cpu, rp->page);
	trace_array_put(rp->tr);
	kfree(rp);
}

static void raw_page_pipe_release(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	raw_page_put((struct trace_raw_page *)buf->private);
}

/* The count cannot overflow: each user is a pipe buffer, which takes memory. */
static bool raw_page_pipe_get(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	atomic_long_inc(&((struct trace_raw_page *)buf->private)->users);
	return true;
}

static const struct pipe_buf_operations raw_page_pipe_ops = {
	.release	= raw_page_pipe_release,
	.get		= raw_page_pipe_get,
};

/* A page that did not fit into the pipe: its records are consumed and lost. */
static void raw_page_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	raw_page_put((struct trace_raw_page *)spd->partial[i].private);
}

static void raw_page_to_spd(struct splice_pipe_desc *spd, struct trace_raw_page *rp)
{
	spd->pages[spd->nr_pages] = virt_to_page(ring_buffer_read_page_data(rp->page));
	spd->partial[spd->nr_pages++] = (struct partial_page) {
		.len		= ring_buffer_read_page_size(rp->page),
		.private	= (unsigned long)rp,
	};
}

/* Put complete sub-buffers into @spd, at most @len bytes. 0, or why there are no more. */
static int raw_fill_spd(const struct trace_raw *raw, struct splice_pipe_desc *spd, size_t len)
{
	struct trace_raw_page *rp;

	/* This check saves an allocation. If the size changes now, raw_page_take() checks again. */
	while (spd->nr_pages < spd->nr_pages_max &&
	       len >= ring_buffer_subbuf_size_get(raw_buffer(raw))) {
		rp = raw_page_take(raw, len);
		if (IS_ERR(rp))
			return PTR_ERR(rp);
		len -= ring_buffer_read_page_size(rp->page);
		raw_page_to_spd(spd, rp);
	}
	/* The sub-buffers have grown since the caller has looked. */
	return spd->nr_pages ? 0 : -EINVAL;
}

/* Take the complete sub-buffers; if there are none, wait once and take those that came. */
static int raw_collect_spd(const struct trace_raw *raw, struct splice_pipe_desc *spd,
			   size_t len, bool nonblock)
{
	struct trace_raw_call call;
	bool waited = false;
	int ret;

	raw_call_init(&call, raw, atomic_read(&raw->wakes));
	call.on = !raw_is_snapshot(raw) && trace_array_is_on(raw->tr);
	for (;;) {
		trace_wait_prepare(&call.wait);
		ret = raw_fill_spd(raw, spd, len);
		if (spd->nr_pages)
			return 0;
		if (ret != -EAGAIN)
			return ret;
		if (waited || raw_call_is_woken(&call))
			return 0;
		if (nonblock)
			return -EAGAIN;
		ret = trace_wait_for_records(&call.wait, raw_watermark(raw));
		if (ret)
			return ret;
		if (!raw_is_snapshot(raw) && !trace_array_is_on(raw->tr))
			return 0;
		waited = true;
	}
}

static ssize_t trace_raw_splice_read(struct file *file, loff_t *ppos,
				     struct pipe_inode_info *pipe, size_t len,
				     unsigned int flags)
{
	struct trace_raw *raw = file->private_data;
	struct partial_page partial[PIPE_DEF_BUFFERS];
	struct page *pages[PIPE_DEF_BUFFERS];
	struct splice_pipe_desc spd = {
		.pages		= pages,
		.partial	= partial,
		.nr_pages_max	= PIPE_DEF_BUFFERS,
		.ops		= &raw_page_pipe_ops,
		.spd_release	= raw_page_spd_release,
	};
	bool nonblock = file->f_flags & O_NONBLOCK || flags & SPLICE_F_NONBLOCK;
	ssize_t ret;

	/* Less than a sub-buffer cannot be moved. */
	if (len < ring_buffer_subbuf_size_get(raw_buffer(raw)))
		return -EINVAL;
	if (splice_grow_spd(pipe, &spd))
		return -ENOMEM;
	ret = raw_collect_spd(raw, &spd, len, nonblock);
	if (!ret && spd.nr_pages)
		ret = splice_to_pipe(pipe, &spd);
	splice_shrink_spd(&spd);
	return ret;
}

static __poll_t trace_raw_poll(struct file *file, poll_table *poll)
{
	struct trace_raw *raw = file->private_data;

	return trace_wait_poll(raw->from, raw->cpu, file, poll);
}

static void raw_wake(struct trace_raw *raw)
{
	struct trace_buffer **buffer;

	atomic_inc(&raw->wakes);
	for_each_trace_buffer(raw->tr, buffer)
		ring_buffer_wake_waiters(*buffer, raw->cpu);
}

/* A thread that waits in read() or splice() must notice close(). */
static int trace_raw_flush(struct file *file, fl_owner_t id)
{
	raw_wake(file->private_data);
	return 0;
}

/* The ioctl of a mapping: wait for data unless @nonblock, and take the next sub-buffer. */
static int raw_next_reader(const struct trace_raw *raw, bool nonblock)
{
	int ret;

	if (!ring_buffer_mapped(raw_buffer(raw), raw->cpu))
		return -ENODEV;
	if (!nonblock) {
		struct trace_raw_call call;

		raw_call_init(&call, raw, atomic_read(&raw->wakes));
		call.on = trace_array_is_on(raw->tr);
		trace_wait_prepare(&call.wait);
		ret = trace_wait_for_records(&call.wait, raw_watermark(raw));
		if (ret)
			return ret;
	}
	trace_reader_lock(raw->tr, raw->cpu);
	ret = ring_buffer_map_get_reader(raw_buffer(raw), raw->cpu);
	trace_reader_unlock(raw->tr, raw->cpu);
	return ret;
}

/* Command 0 ends the calls that wait for records of this file. */
static long trace_raw_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct trace_raw *raw = file->private_data;

	switch (cmd) {
	case 0:
		raw_wake(raw);
		return 0;
	case TRACE_MMAP_IOCTL_GET_READER:
		return raw_next_reader(raw, file->f_flags & O_NONBLOCK);
	default:
		return -ENOTTY;
	}
}

static void raw_vma_open(struct vm_area_struct *vma)
{
	struct trace_raw *raw = vma->vm_file->private_data;

	WARN_ON_ONCE(trace_buffers_pin(raw->tr));
	ring_buffer_map_dup(raw_buffer(raw), raw->cpu);
}

static void raw_vma_close(struct vm_area_struct *vma)
{
	struct trace_raw *raw = vma->vm_file->private_data;

	ring_buffer_unmap(raw_buffer(raw), raw->cpu);
	trace_buffers_unpin(raw->tr);
}

/* Refuse to split a mapping: raw_vma_close() of a part would unmap the whole. */
static int raw_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct raw_vm_ops = {
	.may_split	= raw_vma_may_split,
	.open		= raw_vma_open,
	.close		= raw_vma_close,
};

static int trace_raw_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct trace_raw *raw = file->private_data;
	int ret;

	/* The buffer that is mapped must still be the file's buffer when it is unmapped. */
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
	.open		= trace_raw_open,
	.read		= trace_raw_read,
	.splice_read	= trace_raw_splice_read,
	.poll		= trace_raw_poll,
	.unlocked_ioctl	= trace_raw_ioctl,
	.mmap		= trace_raw_mmap,
	.flush		= trace_raw_flush,
	.release	= trace_raw_release,
};

#ifdef CONFIG_TRACER_SNAPSHOT
/* The next snapshot may come while tracing is off or on: poll() would not know of it. */
static int trace_raw_snapshot_open(struct inode *inode, struct file *file)
{
	return raw_file_open(inode, file, true);
}

const struct file_operations trace_snapshot_raw_fops = {
	.open		= trace_raw_snapshot_open,
	.read		= trace_raw_read,
	.splice_read	= trace_raw_splice_read,
	.flush		= trace_raw_flush,
	.release	= trace_raw_release,
};
#endif
