// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of size, and memory that is short or freed.
 */
#include "cases.h"

/* Memory is freed by the task that asked for the change, and not in the interrupt on the CPU. */
static void order_frees_outside(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct buffer_data_read_page *page[3];
	int i;

	for (i = 0; i < 3; i++)
		CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &page[i]), 0);
	for (i = 0; i < 3; i++)
		ring_buffer_free_read_page(buffer, 0, page[i]);
	CHECK_EQ(cpu0(buffer)->nr_free_pages, 3);
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, 1), 0);
	CHECK_EQ(cpu0(buffer)->nr_free_pages, 0);
	CHECK_EQ(test_put(buffer, 6000), 0);
	ring_buffer_free(buffer);
}

/* Two buffers change their order together: as long as one cannot, both stay as they are. */
static void order_of_both(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	int at, ret;

	test_put(a, BYTES);
	test_put(b, BYTES);
	iter = ring_buffer_read_start(b, 0, GFP_KERNEL);
	CHECK_EQ(ring_buffer_subbuf_order_set_both(a, b, 1), -EBUSY);
	CHECK_EQ(ring_buffer_subbuf_order_set_both(b, a, 1), -EBUSY);
	ring_buffer_read_finish(iter);
	CHECK(ring_buffer_lock_reserve(b, BYTES));
	shim_preempt_count = 0;
	CHECK_EQ(ring_buffer_subbuf_order_set_both(a, b, 1), -EBUSY);
	shim_preempt_count = 1;
	ring_buffer_unlock_commit(b);
	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		CHECK_EQ(ring_buffer_entries(a), 1);
		CHECK_EQ(ring_buffer_entries(b), 2);
		CHECK_EQ(cpu0(a)->order, 0);
		CHECK_EQ(cpu0(b)->order, 0);
		shim_fail_at = at;
		ret = ring_buffer_subbuf_order_set_both(a, b, 1);
	}
	shim_fail_at = 0;
	CHECK_EQ(ret, 0);
	CHECK_EQ(ring_buffer_subbuf_order_get(a), 1);
	CHECK_EQ(ring_buffer_subbuf_order_get(b), 1);
	CHECK_EQ(ring_buffer_size(a, 0), ring_buffer_size(b, 0));
	CHECK_EQ(test_put(a, 6000), 0);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), 0);
	CHECK_EQ(ring_buffer_entries(b), 1);
	CHECK_EQ(ring_buffer_subbuf_order_set(b, 0), 0);
	CHECK_EQ(ring_buffer_subbuf_order_set_both(a, b, 2), -EINVAL);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

/* A page that was allocated before a change of the order does not fit from the change on. */

static struct trace_buffer *page_buffer;
static struct buffer_data_read_page *old_page;

static void read_during_change(void)
{
	if (cpu0(page_buffer)->order != 1) {
		/* The rings have not changed yet. */
		shim_rcu_hook = read_during_change;
		return;
	}
	CHECK_EQ(ring_buffer_subbuf_order_get(page_buffer), 0);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, PAGE_SIZE, 0, 0), -ESTALE);
	ring_buffer_free_read_page(page_buffer, 0, old_page);
	CHECK_EQ(ring_buffer_alloc_read_page(page_buffer, 0, &old_page), 0);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, PAGE_SIZE, 0, 0), -EAGAIN);
}

static void page_of_old_order(void)
{
	page_buffer = test_buffer(8, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_alloc_read_page(page_buffer, 0, &old_page), 0);
	test_put(page_buffer, BYTES);
	shim_rcu_hook = read_during_change;
	CHECK_EQ(ring_buffer_subbuf_order_set(page_buffer, 1), 0);
	CHECK(!shim_rcu_hook);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, RB_HDR, 0, 0), -EINVAL);
	test_put(page_buffer, BYTES);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, PAGE_SIZE, 0, 0), 0);
	ring_buffer_free_read_page(page_buffer, 0, old_page);
	ring_buffer_free(page_buffer);
}

/* Memory is short at each allocation in turn: all is as before, and nothing leaks. */
static void short_of_memory(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct vm_area_struct vma = { .vm_end = 8 * PAGE_SIZE, .vm_flags = VM_MAYSHARE };
	struct ring_buffer_iter *iter = NULL;
	struct trace_buffer *other;
	int at, ret;

	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		shim_fail_at = at;
		ret = ring_buffer_resize(buffer, 20 * PAGE_SIZE, RING_BUFFER_ALL_CPUS);
		CHECK(!ret || cpu0(buffer)->nr == 8);
	}
	CHECK_EQ(ret, 0);
	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		shim_fail_at = at;
		ret = ring_buffer_subbuf_order_set(buffer, 1);
	}
	CHECK_EQ(ret, 0);
	shim_fail_at = 0;
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, 0), 0);
	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		shim_fail_at = at;
		ret = ring_buffer_map(buffer, 0, &vma);
		CHECK(!ret || !ring_buffer_mapped(buffer, 0));
	}
	CHECK_EQ(ret, 0);
	CHECK_EQ(ring_buffer_unmap(buffer, 0), 0);
	for (at = 1; !iter; at++) {
		shim_fail_at = at;
		iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	}
	ring_buffer_read_finish(iter);
	for (at = 1, other = NULL; !other; at++) {
		shim_fail_at = at;
		other = ring_buffer_alloc(4 * PAGE_SIZE, 0);
	}
	shim_fail_at = 0;
	ring_buffer_free(other);
	CHECK_EQ(test_put(buffer, BYTES), 0);
	ring_buffer_free(buffer);
}

static bool is_smaller(struct trace_buffer *buffer)
{
	return rb_cpu_at(buffer, 1)->nr != 8;
}

/* Each interrupt of the CPU comes in the midst of a write, until there are no more writes. */
static void resize_amid_each_write(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);

	trapped_begin(buffer, is_smaller);
	CHECK_EQ(ring_buffer_resize(buffer, 4 * (PAGE_SIZE - RB_HDR), 1), 0);
	CHECK_EQ(rb_cpu_at(buffer, 1)->nr, 4);
	CHECK(!rb_cpu_disabled(rb_cpu_at(buffer, 1)));
	trapped_end();
	CHECK_EQ(put_on(1, buffer), 0);
	ring_buffer_free(buffer);
}

/* Each call of another CPU takes longer than a writer that is not closed out may take. */
static void call_is_late(void)
{
	shim_jiffies_ahead += RB_QUIESCE_TICKS + 1;
}

/* As above. The time in which nobody tries is none in which the writers might have ended. */
static void resize_by_late_calls(void)
{
	shim_called_hook = call_is_late;
	resize_amid_each_write();
	shim_called_hook = NULL;
}

const struct test_case size_cases[] = {
	{ "order-frees-outside", order_frees_outside },
	{ "order-of-both", order_of_both },
	{ "page-of-old-order", page_of_old_order },
	{ "resize-amid-each-write", resize_amid_each_write },
	{ "resize-by-late-calls", resize_by_late_calls },
	{ "short-of-memory", short_of_memory },
	{}
};
