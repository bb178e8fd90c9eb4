// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a trigger "hist": all that its text becomes is freed as a whole, whether the text
 * was accepted or not. A trigger has references to those whose variables it reads.
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/hist/internal.h"
#include "events/hist/ring.h"
#include "lib/wait.h"

static_assert(HIST_BOOKS + HIST_VARS <= TRACE_MAP_BOOKS_MAX);

const char trace_hist_name[] = "hist";

/* Zeroed memory that trace_hist_spec_free() frees. NULL: there is none. */
void *trace_hist_alloc(struct hist_spec *spec, size_t size)
{
	struct hist_memory *memory = kzalloc(struct_size_t(struct hist_memory, data,
							   DIV_ROUND_UP(size, sizeof(u64))),
					     GFP_KERNEL);

	if (!memory)
		return NULL;
	memory->next = spec->memory;
	spec->memory = memory;
	return memory->data;
}

/* A copy of the first @len letters of @text, NULL: there is no memory. */
const char *trace_hist_strndup(struct hist_spec *spec, const char *text, size_t len)
{
	char *copy = trace_hist_alloc(spec, len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

/* Free all that a text has become, but for the spec itself. */
void trace_hist_spec_free(struct hist_spec *spec)
{
	struct hist_memory *memory;

	while ((memory = spec->memory)) {
		spec->memory = memory->next;
		kfree(memory);
	}
	for (unsigned int i = 0; i < spec->nr_groups; i++)
		trace_hist_trigger_put(spec->groups[i].owner);
	spec->nr_groups = 0;
	kfree(spec->text);
	spec->text = NULL;
}

/* Give away some of the room that a hit has. Where it begins; 0: there is not so much. */
unsigned int trace_hist_room(struct hist_spec *spec, unsigned int size)
{
	unsigned int at = spec->room;

	size = ALIGN(size, sizeof(u64));
	if (size > HIST_ROOM - at)
		return 0;
	spec->room += size;
	return at;
}

/* A trigger without a text, which is not attached. NULL: no memory. */
struct hist_trigger *trace_hist_trigger_new(void)
{
	struct hist_trigger *ht = kzalloc(sizeof(*ht), GFP_KERNEL);

	if (!ht)
		return NULL;
	refcount_set(&ht->ref, 1);
	ht->spec.room = HIST_OWN;
	__set_bit(HIST_STOP_UNREADY, &ht->stopped);
	return ht;
}

static void memory_hist_put(struct hist *hist)
{
	if (!hist || !refcount_dec_and_test(&hist->ref))
		return;
	trace_map_free(hist->map);
	if (hist->ring)
		trace_hist_ring_put(hist->ring);
	kfree(hist->name);
	kfree(hist);
}

/* Give back a reference to a trigger, in task context; there are no hits any more. */
void trace_hist_trigger_put(struct hist_trigger *ht)
{
	if (!ht || !refcount_dec_and_test(&ht->ref))
		return;
	memory_hist_put(ht->hist);
	trace_hist_spec_free(&ht->spec);
	trace_hist_trigger_put(ht->like);
	kfree(ht);
}

/* The sums of a text. NULL: no memory. */
struct hist *trace_hist_create(const struct hist_spec *spec)
{
	struct trace_map_shape shape = {
		.key_size	= spec->key_size,
		.note_size	= spec->noted ? TASK_COMM_LEN : 0,
		.values		= spec->nr_values,
		.data_size	= spec->data_size,
		.books		= HIST_BOOKS + spec->nr_vars,
		.size		= spec->size,
		.synchronize	= trace_wait_probes,
	};
	struct hist *hist = kzalloc(sizeof(*hist), GFP_KERNEL);

	if (!hist)
		return NULL;
	if (spec->folds) {
		shape.values = spec->folds->sums;
		shape.maxima = spec->folds->maxima;
		shape.spreads = spec->folds->spreads;
		shape.signed_spreads = spec->folds->signed_spreads;
		shape.groups = shape.spreads * spec->size * HIST_GROUPS_OF_KEY;
	}
	INIT_LIST_HEAD(&hist->list);
	refcount_set(&hist->ref, 1);
	if (spec->interval)
		hist->ring = trace_hist_ring_create(&shape, spec->interval, spec->keep);
	else
		hist->map = trace_map_create(&shape);
	if (spec->name)
		hist->name = kstrdup(spec->name, GFP_KERNEL);
	if ((hist->ring || !IS_ERR_OR_NULL(hist->map)) && (!spec->name || hist->name))
		return hist;
	memory_hist_put(hist);
	return NULL;
}

/* Forget all hits, which go on. The instances lock is held. 0 or -ENOMEM. */
int trace_hist_clear(struct hist *hist)
{
	struct hist_ring *old = hist->ring, *ring;

	if (!old)
		return trace_map_clear(hist->map);
	ring = trace_hist_ring_again(old);
	if (!ring)
		return -ENOMEM;
	/* Pairs with the smp_load_acquire() of hits. */
	smp_store_release(&hist->ring, ring);
	trace_hist_ring_retire(old);
	return 0;
}
