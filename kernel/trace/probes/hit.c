// SPDX-License-Identifier: GPL-2.0
/*
 * A hit of a probe: its records in the buffers of instances and for perf, and programs of BPF.
 *
 * The arguments are fetched once for each record, into the record itself, where its length is
 * known before. Strings have no length before they were read, so a record with strings is made
 * in a place of this CPU and context, and copied to wherever it goes.
 *
 * Context of all: any, NMI included, with preemption off, which keeps the users of the event and
 * the events of instances: they are freed after a grace period.
 */
#include <linux/bpf.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "probes/hit.h"
#include "record/scratch.h"

struct hit_place {
	u8	data[TRACE_PROBE_RECORD_MAX] __aligned(8);
};

struct hit_scratch {
	unsigned int		used;		/* own CPU */
	struct hit_place	place[TRACE_CONTEXTS];
};

/* Set once, when there is the first probe with strings. */
static struct hit_scratch __percpu *hit_scratch;

/* A record that was made in a place, or the arguments of one that is still to be made. */
struct hit_record {
	const struct trace_probe_hit	*hit;
	const struct trace_fetch	*args;
	const void			*made;	/* NULL: it is to be made */
	unsigned int			len;
};

/**
 * trace_probe_hit_prepare - have the memory that hits of a probe need
 * @args: the probe's arguments
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_probe_hit_prepare(const struct trace_fetch *args)
{
	struct hit_scratch __percpu *scratch;

	if (args->max == args->fixed || READ_ONCE(hit_scratch))
		return 0;
	scratch = alloc_percpu(struct hit_scratch);
	if (!scratch)
		return -ENOMEM;
	if (cmpxchg(&hit_scratch, NULL, scratch))
		free_percpu(scratch);
	return 0;
}

/* The addresses, behind what all records begin with. */
static __always_inline void hit_put_addresses(const struct trace_probe_hit *hit, void *record)
{
	unsigned long *at = record + sizeof(struct trace_entry);

	switch (hit->probe->shape) {
	case TRACE_PROBE_RETURN:
		at[1] = hit->at[1];
		fallthrough;
	case TRACE_PROBE_AT:
		at[0] = hit->at[0];
		break;
	case TRACE_PROBE_NOWHERE:
		break;
	}
}

/* The addresses and the arguments. Returns the length. */
static __always_inline unsigned int hit_make(const struct trace_probe_hit *hit,
					     const struct trace_fetch *args, void *record,
					     unsigned int room)
{
	hit_put_addresses(hit, record);
	return trace_fetch_store(args, &hit->source, record, room);
}

/* Fill in a reserved record. */
static __always_inline void hit_fill(const struct hit_record *rec, void *record)
{
	if (!rec->made)
		hit_make(rec->hit, rec->args, record, rec->len);
	else
		memcpy(record + sizeof(struct trace_entry),
		       rec->made + sizeof(struct trace_entry),
		       rec->len - sizeof(struct trace_entry));
}

static __always_inline void hit_record(const struct hit_record *rec,
				       struct trace_event_file *file)
{
	struct trace_event_buffer fbuffer;
	void *record;

	if (trace_trigger_soft_disabled(file))
		return;
	record = trace_event_buffer_reserve(&fbuffer, file, rec->len);
	if (!record)
		return;
	fbuffer.regs = rec->hit->regs;
	hit_fill(rec, record);
	trace_event_buffer_commit(&fbuffer);
}

#ifdef CONFIG_PERF_EVENTS
/* Run the programs of an event. False: perf is to have no record. */
static bool hit_run_programs(struct trace_event_call *call, struct pt_regs *regs, bool *moved)
{
	unsigned long ip = instruction_pointer(regs);
	bool pass = trace_call_bpf(call, regs);

	*moved = ip != instruction_pointer(regs);
	return pass && !*moved;
}

NOKPROBE_SYMBOL(hit_run_programs);

static void hit_perf(const struct hit_record *rec, struct trace_event_call *call)
{
	struct hlist_head *active = this_cpu_ptr(call->perf_events);
	int size = ALIGN(rec->len + sizeof(u32), sizeof(u64)) - sizeof(u32), rctx;
	struct pt_regs *regs = rec->hit->regs, *here;
	void *record;

	if (hlist_empty(active))
		return;
	record = perf_trace_buf_alloc(size, &here, &rctx);
	if (!record)
		return;
	if (!regs) {
		perf_fetch_caller_regs(here);
		regs = here;
	}
	hit_fill(rec, record);
	perf_trace_buf_submit(record, size, rctx, call->event.type, 1, regs, active, NULL);
}

NOKPROBE_SYMBOL(hit_perf);

/* For perf and its programs. True: a program has moved the instruction pointer. */
static noinline bool hit_for_perf(const struct hit_record *rec, struct trace_event_call *call)
{
	bool moved = false;

	if ((call->flags & TRACE_EVENT_FL_KPROBE) && bpf_prog_array_valid(call) &&
	    !hit_run_programs(call, rec->hit->regs, &moved))
		return moved;
	hit_perf(rec, call);
	return false;
}

NOKPROBE_SYMBOL(hit_for_perf);
#else
static bool hit_for_perf(const struct hit_record *rec, struct trace_event_call *call)
{
	return false;
}
#endif

static __always_inline bool hit_give(const struct hit_record *rec,
				     const struct trace_probe_users *users,
				     struct trace_event_call *call)
{
	for (unsigned int i = 0; i < users->nr; i++)
		hit_record(rec, users->file[i]);
	return unlikely(users->perf) && hit_for_perf(rec, call);
}

/* A record with strings. */
static noinline bool hit_with_strings(struct hit_record *rec,
				      const struct trace_probe_users *users,
				      struct trace_event_call *call)
{
	struct hit_scratch *scratch = this_cpu_ptr(hit_scratch);
	struct hit_place *place = trace_scratch_get(scratch);
	bool moved;

	if (!place) {
		trace_probe_missed(rec->hit->probe, TRACE_PROBE_MISS_ROOM);
		return false;
	}
	rec->len = hit_make(rec->hit, rec->args, place->data,
			    min_t(unsigned int, rec->args->max, sizeof(place->data)));
	rec->made = place->data;
	moved = hit_give(rec, users, call);
	trace_scratch_put(scratch);
	return moved;
}

NOKPROBE_SYMBOL(hit_with_strings);

/* Count a hit, and make its records. */
static __always_inline bool hit_all(const struct trace_probe_hit *hit,
				    const struct trace_probe_users *users)
{
	struct trace_probe *probe = hit->probe;
	struct hit_record rec = {
		.hit = hit, .args = probe->args, .len = probe->args->fixed,
	};

	this_cpu_inc(probe->counts->hits);
	if (unlikely(rec.args->max != rec.args->fixed))
		return hit_with_strings(&rec, users, &probe->event->call);
	return hit_give(&rec, users, &probe->event->call);
}

/**
 * trace_probe_hit - a probe hits
 * @hit: what is known of it
 *
 * Context: any, NMI included, with preemption off.
 * Return: true: a program of BPF has moved the instruction pointer in @hit->regs.
 */
bool trace_probe_hit(const struct trace_probe_hit *hit)
{
	const struct trace_probe_users *users = rcu_dereference_sched(hit->probe->event->users);

	/* Without users, the event was switched off a moment ago. */
	return likely(users) && hit_all(hit, users);
}

NOKPROBE_SYMBOL(trace_probe_hit);

/**
 * trace_probe_hit_users - a probe hits for some users of its event
 * @hit: what is known of it
 * @users: these
 *
 * Context: any, NMI included, with preemption off.
 */
void trace_probe_hit_users(const struct trace_probe_hit *hit,
			   const struct trace_probe_users *users)
{
	hit_all(hit, users);
}

NOKPROBE_SYMBOL(trace_probe_hit_users);

#ifdef CONFIG_UPROBE_EVENTS
/**
 * trace_probe_hit_fetch - make the record of a hit in user space
 * @hit: what is known of it
 * @record: where to
 * @room: its bytes, as many as the arguments have without strings, at least
 *
 * Context: task, may sleep to bring in memory of user space.
 * Return: the length of the record.
 */
unsigned int trace_probe_hit_fetch(const struct trace_probe_hit *hit, void *record,
				   unsigned int room)
{
	hit_put_addresses(hit, record);
	return trace_fetch_store_faultable(hit->probe->args, &hit->source, record, room);
}

/**
 * trace_probe_hit_made - a probe has hit, and the record is made
 * @hit: what is known of it
 * @record: the record
 * @len: its length
 * @perf: perf gets it, too; programs of BPF have run
 *
 * Context: task, with preemption off.
 */
void trace_probe_hit_made(const struct trace_probe_hit *hit, const void *record,
			  unsigned int len, bool perf)
{
	struct trace_probe_event *event = hit->probe->event;
	const struct trace_probe_users *users = rcu_dereference_sched(event->users);
	const struct hit_record rec = { .hit = hit, .made = record, .len = len };

	if (!users)
		return;
	this_cpu_inc(hit->probe->counts->hits);
	for (unsigned int i = 0; i < users->nr; i++)
		hit_record(&rec, users->file[i]);
	if (users->perf && perf)
		hit_perf(&rec, &event->call);
}
#endif
