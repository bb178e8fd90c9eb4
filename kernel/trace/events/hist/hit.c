// SPDX-License-Identifier: GPL-2.0
/* A hit of an event with a histogram: make its keys and values, and count it in the map. */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "events/hist/internal.h"
#include "events/value.h"
#include "record/scratch.h"

#define HIT_FRAMES	(HIST_STACK + 16)

/* The memory of a hit. A hit of another histogram may come in between, in any context. */
struct hit_place {
	u64		key[(HIST_KEY_MAX + TASK_COMM_LEN) / sizeof(u64)];
	u64		values[HIST_VALUES];
	unsigned long	frames[HIT_FRAMES];
};

struct hit_scratch {
	unsigned int		used;		/* this CPU only, preemption off */
	struct hit_place	place[2 * TRACE_CONTEXTS];
};

/* Allocated with the first histogram, under the instances lock; never freed. */
static struct hit_scratch __percpu *hit_scratch;

/* 0 or -ENOMEM; the instances lock is held. */
int trace_hist_hits_init(void)
{
	if (!hit_scratch)
		hit_scratch = alloc_percpu(struct hit_scratch);
	return hit_scratch ? 0 : -ENOMEM;
}

/* The stack from the caller of the event's probe on. */
static void hit_stack(struct hit_place *place, const struct trace_event_hit *hit, u64 *key)
{
	unsigned long *to = (unsigned long *)key;
	unsigned int nr = 0, first = 0;

	if (rcu_is_watching())
		nr = stack_trace_save(place->frames, HIT_FRAMES, 0);
	for (unsigned int i = 0; i < nr; i++) {
		if (place->frames[i] == hit->from)
			first = i + 1;
	}
	for (unsigned int i = 0; i < HIST_STACK; i++)
		to[i] = first + i < nr ? place->frames[first + i] : 0;
}

static u64 hit_number(const struct hist_field *f, struct trace_event_hit *hit)
{
	u64 number = 0;

	switch (f->source) {
	case HIST_CPU:
		return raw_smp_processor_id();
	case HIST_TIME:
		number = trace_event_hit_time(hit);
		break;
	case HIST_FIELD:
		trace_event_value_number(&f->field, hit->record, &number);
		break;
	default:
		break;
	}
	switch (f->modifier) {
	case HIST_LOG2:
		return number > 1 ? fls64(number - 1) : 0;
	case HIST_BUCKETS:
		return div64_u64(number, f->width) * f->width;
	case HIST_USECS:
		return f->source == HIST_TIME ? div_u64(number, 1000) : number;
	default:
		return number;
	}
}

static void hit_key(struct hit_place *place, const struct hist_field *f,
		    struct trace_event_hit *hit)
{
	u64 *key = &place->key[f->offset / sizeof(u64)];
	long len;

	if (f->source == HIST_STACKTRACE) {
		hit_stack(place, hit, key);
	} else if (f->is_string) {
		len = trace_event_value_string(&f->field, hit->record, (char *)key, f->size,
					       false);
		len = max(len, 0L);
		memset((char *)key + len, 0, f->size - len);
	} else {
		*key = hit_number(f, hit);
	}
}

/* A trigger's hit(): count it. */
bool trace_hist_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	struct hist_trigger *ht = hist_trigger_of(trace_trigger_of(hook));
	const struct hist_spec *spec = &ht->spec;
	struct hit_place *place;

	if (READ_ONCE(ht->paused) || !trace_trigger_wants(&ht->trigger, hit))
		return false;
	place = trace_scratch_get(this_cpu_ptr(hit_scratch));
	if (unlikely(!place)) {
		atomic_long_inc(&ht->hist->nested);
		return false;
	}
	for (unsigned int i = 0; i < spec->nr_keys; i++)
		hit_key(place, &spec->keys[i], hit);
	if (spec->noted)
		memcpy(&place->key[spec->key_size / sizeof(u64)], current->comm, TASK_COMM_LEN);
	for (unsigned int i = 0; i < spec->nr_values; i++)
		place->values[i] = hit_number(&spec->values[i], hit);
	trace_map_hit(ht->hist->map, place->key, place->values);
	trace_scratch_put(this_cpu_ptr(hit_scratch));
	return false;
}
