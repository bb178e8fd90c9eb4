// SPDX-License-Identifier: GPL-2.0
/*
 * A hit of an event with a histogram: make its keys, get the variables of others that it refers
 * to, make its own, count it in the map, and do what the actions say.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "events/hist/handler.h"
#include "events/hist/load.h"
#include "events/hist/poll.h"
#include "events/hist/ring.h"
#include "record/scratch.h"

/* Histograms feed each other through synthetic events, so a context may have some. */
#define HIT_PLACES	(4 + 2 * TRACE_CONTEXTS)

struct hit_scratch {
	unsigned int		used;		/* this CPU only, preemption off */
	struct hist_place	place[HIT_PLACES];
};

/* Allocated with the first histogram, under the instances lock; never freed. */
static DEFINE_PER_CPU(struct hit_scratch *, hit_scratch);

/* 0 or -ENOMEM; the instances lock is held. */
int trace_hist_hits_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct hit_scratch **scratch = per_cpu_ptr(&hit_scratch, cpu);

		if (!*scratch)
			*scratch = kvzalloc_node(sizeof(**scratch), GFP_KERNEL, cpu_to_node(cpu));
		if (!*scratch)
			return -ENOMEM;
	}
	return 0;
}

/* Tell the histogram of the variables which of them have been taken. */
static void hit_taken(const struct hist_group *group)
{
	for (u32 taken = group->taken; taken; taken &= taken - 1)
		trace_map_count(group->owner->hist->map, HIST_BOOKS + __ffs(taken));
}

/* Copy the variables of another histogram into the room. */
static __always_inline enum hist_cell_result hit_ref(const struct hist_group *group,
						     struct hist_cell *cell,
						     struct hist_place *place)
{
	enum hist_cell_result ret;

	ret = hist_cell_read(cell, hist_room(place, group->room), group->size, group->wanted,
			     group->taken);
	if (ret == HIST_CELL_DONE)
		hit_taken(group);
	return ret;
}

/* If one of them has no value, none is taken, unless another hit takes it in between. */
static noinline enum hist_cell_result hit_refs_many(const struct hist_spec *spec,
						    struct hist_place *place)
{
	struct hist_cell *cells[HIST_GROUPS] __uninitialized;
	enum hist_cell_result ret = HIST_CELL_DONE;

	for (unsigned int i = 0; i < spec->nr_groups; i++) {
		const struct hist_group *group = &spec->groups[i];

		cells[i] = trace_map_find(group->owner->hist->map, place->key);
		if (!cells[i] || !hist_cell_has(cells[i], group->wanted))
			return HIST_CELL_UNSET;
	}
	for (unsigned int i = 0; i < spec->nr_groups && ret == HIST_CELL_DONE; i++)
		ret = hit_ref(&spec->groups[i], cells[i], place);
	return ret;
}

/* Copy the variables of all others into the room. Mostly there is one histogram that has some. */
static noinline enum hist_cell_result hit_refs(const struct hist_spec *spec,
					       struct hist_place *place)
{
	const struct hist_group *group = spec->groups;
	struct hist_cell *cell;

	/* A longer key of another histogram is found if it ends with zeros. */
	if (spec->other_size > spec->key_size)
		memset(&place->key[spec->key_size / sizeof(u64)], 0,
		       spec->other_size - spec->key_size);
	if (spec->nr_groups > 1)
		return hit_refs_many(spec, place);
	cell = trace_map_find(group->owner->hist->map, place->key);
	return cell ? hit_ref(group, cell, place) : HIST_CELL_UNSET;
}

/* Does the record have all elements of arrays that the text names? */
static noinline bool hit_has_elements(const struct hist_spec *spec,
				      const struct trace_event_hit *hit)
{
	for (const struct hist_element *e = spec->elements; e; e = e->next) {
		if (trace_event_value_elements(&e->field, hit->record) < e->field.element)
			return false;
	}
	return true;
}

/* A variable that is perhaps no number. */
static noinline void hit_var(const struct hist_var *var, struct hist_place *place,
			     struct trace_event_hit *hit)
{
	u64 value = trace_hist_load(place, &var->value, hit), *to = hist_room(place, var->at);

	if (var->value.kind == HIST_NUMBER)
		*to = value;
	else if (var->value.source == HIST_VAR)
		memcpy(to, (void *)(unsigned long)value, var->value.bytes);
}

/* Make the trigger's own variables, in the order in which they may refer to each other. */
static __always_inline void hit_vars(const struct hist_spec *spec, struct hist_place *place,
				     struct trace_event_hit *hit)
{
	for (unsigned int i = 0; i < spec->nr_vars; i++) {
		const struct hist_var *var = spec->vars[i];

		if (likely(var->value.load))
			*hist_room(place, var->at) = hist_load(place, &var->value, hit);
		else
			hit_var(var, place, hit);
	}
}

/* Store the variables at the key. False: others were in the way. */
static __always_inline bool hit_store(const struct hist_spec *spec, const struct hist_place *place,
				      struct hist_cell *cell)
{
	u64 state;

	if (!hist_cell_begin(cell, &state))
		return false;
	hist_cell_write(cell, place->room, spec->cell_size);
	hist_cell_end(cell, state, BIT_ULL(spec->nr_vars) - 1);
	return true;
}

/* Count the hit in the map, with values of which some are not added up. */
static void *hit_fold(const struct hist_folds *folds, struct trace_map *map,
		      struct hist_place *place, struct trace_event_hit *hit)
{
	for (unsigned int i = 0; i < folds->nr; i++)
		place->values[i] = trace_hist_load(place, folds->load[i], hit) ^ folds->flip[i];
	return trace_map_hit_folds(map, place->key, place->values);
}

/* The map of a hit. With a ring, the stamp of the hit chooses the table. */
static struct trace_map *hit_map(const struct hist *hist, struct trace_event_hit *hit)
{
	/* Pairs with the smp_store_release() of trace_hist_clear(). */
	struct hist_ring *ring = smp_load_acquire(&hist->ring);

	return ring ? trace_hist_ring_hit(ring, trace_event_hit_time(hit)) : hist->map;
}

static __always_inline void hit_keys(const struct hist_spec *spec, struct hist_place *place,
				     struct trace_event_hit *hit)
{
	for (unsigned int i = 0; i < spec->nr_keys; i++) {
		const struct hist_field *f = &spec->keys[i];

		if (likely(f->load))
			place->key[f->offset / sizeof(u64)] = hist_load(place, f, hit);
		else
			trace_hist_load_key(place, f, hit);
	}
}

/* @more: the text may be one that trace_hist_is_more() tells of. Hits of others do not ask. */
static __always_inline void hit_count(struct hist_trigger *ht, struct hist_place *place,
				      struct trace_event_hit *hit, bool acts, bool more)
{
	const struct hist_spec *spec = &ht->spec;
	struct trace_map *map = more ? hit_map(ht->hist, hit) : ht->hist->map;
	enum hist_cell_result ret;
	void *data;

	if (more && !hit_has_elements(spec, hit)) {
		trace_map_count(map, HIST_ABSENT);
		return;
	}
	hit_keys(spec, place, hit);
	if (spec->nr_groups) {
		ret = hit_refs(spec, place);
		if (ret != HIST_CELL_DONE) {
			trace_map_count(map, ret == HIST_CELL_UNSET ? HIST_UNMATCHED : HIST_BUSY);
			return;
		}
	}
	hit_vars(spec, place, hit);
	if (spec->noted)
		memcpy(&place->key[spec->key_size / sizeof(u64)], current->comm, TASK_COMM_LEN);
	if (more && spec->folds) {
		data = hit_fold(spec->folds, map, place, hit);
	} else {
		for (unsigned int i = 0; i < spec->nr_values; i++)
			place->values[i] = hist_load(place, &spec->values[i], hit);
		data = trace_map_hit_data(map, place->key, place->values);
	}
	if (!data)
		return;
	if (spec->nr_vars && !hit_store(spec, place, data))
		trace_map_count(map, HIST_LOST);
	if (acts)
		trace_hist_actions_hit(ht, map, place, data, hit);
}

static __always_inline void hit_place(struct hist_trigger *ht, struct trace_event_hit *hit,
				      bool acts, bool more)
{
	struct hit_scratch *scratch = this_cpu_read(hit_scratch);
	struct hist_place *place;
	unsigned int index;

	if (unlikely(!trace_scratch_take(&scratch->used, HIT_PLACES, &index))) {
		trace_map_count(more ? hit_map(ht->hist, hit) : ht->hist->map, HIST_NESTED);
		return;
	}
	place = &scratch->place[index];
	/* The compiler would begin at the index for each access. */
	OPTIMIZER_HIDE_VAR(place);
	hit_count(ht, place, hit, acts, more);
	trace_scratch_put(scratch);
	trace_hist_poll_hit();
}

/**
 * trace_hist_count - count a hit
 * @ht: the trigger, of whose text trace_hist_is_more() does not tell
 * @hit: the hit, which the trigger wants
 * @acts: carry out the trigger's actions
 *
 * Context: any, preemption is off.
 */
void trace_hist_count(struct hist_trigger *ht, struct trace_event_hit *hit, bool acts)
{
	hit_place(ht, hit, acts, false);
}

/* trace_hist_count() for any trigger. */
void trace_hist_count_more(struct hist_trigger *ht, struct trace_event_hit *hit, bool acts)
{
	hit_place(ht, hit, acts, true);
}

/* A trigger's hit(), by what trace_hist_is_more() tells of its text. */
bool trace_hist_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	struct hist_trigger *ht = hist_trigger_of(trace_trigger_of(hook));

	if (!READ_ONCE(ht->stopped) && trace_trigger_wants(&ht->trigger, hit))
		trace_hist_count(ht, hit, true);
	return false;
}

bool trace_hist_hit_more(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	struct hist_trigger *ht = hist_trigger_of(trace_trigger_of(hook));

	if (!READ_ONCE(ht->stopped) && trace_trigger_wants(&ht->trigger, hit))
		trace_hist_count_more(ht, hit, true);
	return false;
}
