// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer of an instance in memory that is kept over a reboot: the platform's memory is mapped,
 * and in a panic it gets what the caches have of it. boot.c parses where it is;
 * buffer/persist.c knows what is in it.
 */
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>

#include "instance/internal.h"
#include "lib/write_back.h"

/*
 * A reset may throw away what the caches have. Nothing is recorded from now on: it would overwrite
 * what led to the panic, and be lost in part.
 */
static int kept_on_panic(struct notifier_block *nb, unsigned long action, void *data)
{
	struct trace_array *tr = container_of(nb, struct trace_array, memory_panic);

	ring_buffer_record_off(tr->buffers[0]);
	trace_write_back(tr->memory, tr->boot_memory.size);
	return NOTIFY_DONE;
}

/**
 * trace_kept_alloc - make the first buffer in tr->boot_memory
 * @tr: the instance; it has no second buffer
 * @flags: as for ring_buffer_alloc()
 *
 * Context: task, may sleep.
 * Return: 0; -EOPNOTSUPP, -ENOMEM: call trace_kept_free() all the same.
 */
int trace_kept_alloc(struct trace_array *tr, unsigned int flags)
{
	if (!IS_ENABLED(CONFIG_HAS_IOMEM))
		return -EOPNOTSUPP;
	tr->memory = memremap(tr->boot_memory.start, tr->boot_memory.size, MEMREMAP_WB);
	if (!tr->memory)
		return -ENOMEM;
	tr->buffers[0] = ring_buffer_alloc_range(0, flags, 0, (unsigned long)tr->memory,
						 tr->boot_memory.size);
	if (!tr->buffers[0])
		return -ENOMEM;
	ring_buffer_last_boot_delta(tr->buffers[0], &tr->text_delta, &tr->data_delta);
	tr->memory_panic.notifier_call = kept_on_panic;
	/* Behind the dumps, and before a notifier that resets the machine. */
	tr->memory_panic.priority = INT_MAX - 1;
	return atomic_notifier_chain_register(&panic_notifier_list, &tr->memory_panic);
}

/**
 * trace_kept_free - undo trace_kept_alloc(), which may have failed
 * @tr: the instance; what is in the memory may be read after the next boot
 *
 * Context: task, may sleep.
 */
void trace_kept_free(struct trace_array *tr)
{
	if (!IS_ENABLED(CONFIG_HAS_IOMEM) || !tr->memory)
		return;
	if (tr->buffers[0]) {
		/* If it is not there, this does nothing. */
		atomic_notifier_chain_unregister(&panic_notifier_list, &tr->memory_panic);
		ring_buffer_free(tr->buffers[0]);
	}
	memunmap(tr->memory);
}
