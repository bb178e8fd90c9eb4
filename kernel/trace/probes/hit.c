// SPDX-License-Identifier: GPL-2.0
/*
 * A hit of a probe: its records in the buffers of instances and for perf, and programs of BPF.
 *
 * The arguments are fetched once for each record, into the record itself, where its length is
 * known before. Strings have no length before they were read, so a record with strings is made
 * in a place of this CPU and context, and copied to wherever it goes.
 *
 * Most events are on in one instance, without filters and triggers, and have a few numbers for
 * arguments. Their hits in tasks take the short way of record/quick.h.
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
#include <linux/uaccess.h>

#include "events/quick.h"
#include "probes/fetch_program.h"
#include "probes/hit.h"
#include "record/scratch.h"

struct hit_place {
	u8	data[TRACE_PROBE_RECORD_MAX] __aligned(8);
};

/* For one context with as many event probes as may be, and hits without in the others. */
#define HIT_PLACES	(TRACE_CONTEXTS + TRACE_EPROBE_DEPTH_MAX)

struct hit_scratch {
	unsigned int		used;		/* own CPU */
	struct hit_place	place[HIT_PLACES];
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
static __always_inline void hit_put_addresses(enum trace_probe_shape shape,
					      const unsigned long *from, void *record)
{
	unsigned long *at = record + sizeof(struct trace_entry);

	switch (shape) {
	case TRACE_PROBE_RETURN:
		at[1] = from[1];
		fallthrough;
	case TRACE_PROBE_AT:
		at[0] = from[0];
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
	hit_put_addresses(hit->probe->shape, hit->at, record);
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
	this_cpu_inc(rec->hit->probe->counts->hits);
	rec->len = hit_make(rec->hit, rec->args, place->data,
			    min_t(unsigned int, rec->args->max, sizeof(place->data)));
	rec->made = place->data;
	moved = hit_give(rec, users, call);
	trace_scratch_put(scratch);
	return moved;
}

NOKPROBE_SYMBOL(hit_with_strings);

/* Count a hit, and make its records. */
static noinline bool hit_all(const struct trace_probe_hit *hit,
			     const struct trace_probe_users *users)
{
	struct trace_probe *probe = hit->probe;
	struct hit_record rec = {
		.hit = hit, .args = probe->args, .len = probe->args->fixed,
	};

	/* A hit is counted, or missed. */
	if (unlikely(rec.args->max != rec.args->fixed))
		return hit_with_strings(&rec, users, &probe->event->call);
	this_cpu_inc(probe->counts->hits);
	return hit_give(&rec, users, &probe->event->call);
}

NOKPROBE_SYMBOL(hit_all);

/*
 * Read a word of the kernel, as copy_from_kernel_nofault() does for any memory. The stack of the
 * task, which most addresses of the registers are in, is there, and cannot fault.
 */
static __always_inline bool hit_read_word(unsigned long *val, unsigned long from)
{
	const unsigned long stack = (unsigned long)task_stack_page(current);

	if (from - stack <= THREAD_SIZE - sizeof(*val) && IS_ALIGNED(from, sizeof(*val))) {
		*val = READ_ONCE_NOCHECK(*(const unsigned long *)from);
		return true;
	}
	if (!IS_ALIGNED(from, sizeof(*val)) ||
	    !copy_from_kernel_nofault_allowed((const void *)from, sizeof(*val)))
		return false;
	pagefault_disable();
	__get_kernel_nofault(val, (const void *)from, unsigned long, fault);
	pagefault_enable();
	return true;
fault:
	pagefault_enable();
	return false;
}

/*
 * Store an argument that pointers in the kernel lead to. Returns the step behind it; NULL: it is
 * one of another kind, or the memory is not there. Then the interpreter stores it, and those behind
 * it.
 */
static __always_inline const struct fetch_insn *
hit_fetch_number(const struct fetch_insn *insn, const struct trace_fetch_source *source,
		 void *record)
{
	unsigned long val;

	if (insn->op != FETCH_SOURCE)
		return NULL;
	val = *(const unsigned long *)(source->record + insn->n);
	while ((++insn)->op == FETCH_READ) {
		if (insn->flags || !hit_read_word(&val, val + insn->n))
			return NULL;
	}
	if (insn->op == FETCH_STORE_MEMORY) {
		if (insn->flags || insn->bytes != sizeof(val) ||
		    !hit_read_word(&val, val + insn->n))
			return NULL;
		*(unsigned long *)(record + insn->dest) = val;
		return insn + 1;
	}
	if (insn->op != FETCH_STORE || insn->size != sizeof(val))
		return NULL;
	*(unsigned long *)(record + insn->dest) = val;
	return insn + 1;
}

/* Arguments that are no plain copies. */
static noinline void hit_fetch_rest(const struct fetch_insn *insn,
				    const struct trace_fetch_source *source, void *record,
				    unsigned int len)
{
	const struct fetch_insn *next;

	while (insn->op != FETCH_END) {
		next = hit_fetch_number(insn, source, record);
		if (unlikely(!next)) {
			fetch_store_from(insn, source, record, len);
			return;
		}
		insn = fetch_run_copies(next, source->record, record);
	}
}

NOKPROBE_SYMBOL(hit_fetch_rest);

/*
 * Count a hit, and make its record, on the short way. @source and @at are those of a struct
 * trace_probe_hit. False: that way is closed, and nothing was done.
 */
static __always_inline bool hit_short(struct trace_probe *probe,
				      const struct trace_probe_users *users,
				      const enum trace_probe_shape shape,
				      const struct trace_fetch_source *source,
				      const unsigned long *at)
{
	const struct trace_fetch *args = probe->args;
	const unsigned int len = args->fixed;
	struct trace_event_file *file = users->only;
	struct trace_quick quick __uninitialized;
	const struct fetch_insn *insn;
	void *record;

	/* Triggers that want no record are called on the long way. */
	if (unlikely(!file || trace_event_is_special(file, EVENT_FILE_FL_TRIGGER_MODE)))
		return false;
	/* trace_probe_users_settle() has looked. */
	if (len > RB_MAX_SMALL)
		__builtin_unreachable();
	preempt_disable_notrace();
	if (unlikely(!trace_quick_enter(&quick, file->tr->array_buffer.buffer,
					TRACE_EVENT_HELD))) {
		preempt_enable_notrace();
		return false;
	}
	if (unlikely(!trace_quick_reserve(&quick, rb_size_of(len), trace_quick_clock(&quick)))) {
		rb_short_leave(quick.writer);
		preempt_enable_notrace();
		return false;
	}
	record = trace_quick_record(&quick);
	trace_entry_fill(record, trace_entry_head(file->event_call->event.type,
						  trace_task_context(TRACE_EVENT_HELD, 16, 0)));
	hit_put_addresses(shape, at, record);
	insn = fetch_run_copies(args->program, source->record, record);
	if (unlikely(insn->op != FETCH_END))
		hit_fetch_rest(insn, source, record, len);
	this_cpu_inc(probe->counts->hits);
	/* The functions that have read an argument may have been traced. */
	trace_quick_end_all(quick.writer);
	return true;
}

/**
 * trace_probe_users_settle - see which hits can take the short way
 * @users: complete, and not published yet
 * @args: the arguments of one of the event's probes
 *
 * Context: any.
 */
void trace_probe_users_settle(struct trace_probe_users *users, const struct trace_fetch *args)
{
	bool simple = users->nr == 1 && !users->perf && args->max == args->fixed &&
		      args->fixed - 1 < RB_MAX_SMALL;

	const struct fetch_insn *insn = args->program;

	users->only = simple ? users->file[0] : NULL;
	while (insn->op == FETCH_COPY)
		insn++;
	users->copies = simple && insn->op == FETCH_END;
}

/* Without users, the event was switched off a moment ago. */
static noinline bool hit_not(struct trace_probe *probe, enum trace_probe_miss why)
{
	trace_probe_missed(probe, why);
	return false;
}

NOKPROBE_SYMBOL(hit_not);

/**
 * trace_probe_hit - a probe hits
 * @hit: what is known of it
 *
 * Context: any, NMI included, with preemption off.
 * Return: true: a program of BPF has moved the instruction pointer in @hit->regs.
 */
bool trace_probe_hit(const struct trace_probe_hit *hit)
{
	const struct trace_probe_users *users;

	if (!trace_probe_may_hit())
		return hit_not(hit->probe, TRACE_PROBE_MISS_IDLE);
	users = rcu_dereference_sched(hit->probe->event->users);
	if (unlikely(!users))
		return hit_not(hit->probe, TRACE_PROBE_MISS_OFF);
	if (likely(hit_short(hit->probe, users, hit->probe->shape, &hit->source, hit->at)))
		return false;
	return hit_all(hit, users);
}

NOKPROBE_SYMBOL(trace_probe_hit);

static noinline bool hit_all_at(struct trace_probe *probe, const struct trace_probe_users *users,
				struct pt_regs *regs, unsigned long at)
{
	const struct trace_probe_hit hit = {
		.probe = probe, .regs = regs, .source = { .regs = regs }, .at = { at },
	};

	return hit_all(&hit, users);
}

NOKPROBE_SYMBOL(hit_all_at);

/**
 * trace_probe_hit_at - trace_probe_hit() of a probe with registers and one address
 * @probe: the probe
 * @regs: all registers
 * @at: the address
 *
 * Context: as trace_probe_hit().
 * Return: as trace_probe_hit().
 */
bool trace_probe_hit_at(struct trace_probe *probe, struct pt_regs *regs, unsigned long at)
{
	const struct trace_fetch_source source = { .regs = regs };
	const struct trace_probe_users *users;

	if (!trace_probe_may_hit())
		return hit_not(probe, TRACE_PROBE_MISS_IDLE);
	users = rcu_dereference_sched(probe->event->users);
	if (unlikely(!users))
		return hit_not(probe, TRACE_PROBE_MISS_OFF);
	if (likely(hit_short(probe, users, TRACE_PROBE_AT, &source, &at)))
		return false;
	return hit_all_at(probe, users, regs, at);
}

NOKPROBE_SYMBOL(trace_probe_hit_at);

static noinline void hit_all_record(struct trace_probe *probe,
				    const struct trace_probe_users *users,
				    struct pt_regs *regs, const void *record)
{
	const struct trace_probe_hit hit = {
		.probe = probe, .regs = regs, .source = { .record = record },
	};

	hit_all(&hit, users);
}

NOKPROBE_SYMBOL(hit_all_record);

/**
 * trace_probe_hit_record - another event is hit, with a probe, for some users of the probe's event
 * @probe: the probe
 * @users: these
 * @regs: of the hit, or NULL
 * @record: the record of the other event
 *
 * Context: any, NMI included, with preemption off.
 */
void trace_probe_hit_record(struct trace_probe *probe, const struct trace_probe_users *users,
			    struct pt_regs *regs, const void *record)
{
	const struct trace_fetch_source source = { .record = record };

	if (unlikely(!hit_short(probe, users, TRACE_PROBE_NOWHERE, &source, NULL)))
		hit_all_record(probe, users, regs, record);
}

NOKPROBE_SYMBOL(trace_probe_hit_record);

/**
 * trace_probe_hit_record_copies - trace_probe_hit_record(), if that raises no event
 * @probe: the probe
 * @users: for whom
 * @record: the record of the other event, whose words all arguments are
 *
 * Copying words does not fault, and an event that takes the short way has no trigger.
 *
 * Context: any, NMI included, with preemption off.
 * Return: false: it might raise one, or the buffer wants more care; nothing was done.
 */
bool trace_probe_hit_record_copies(struct trace_probe *probe,
				   const struct trace_probe_users *users, const void *record)
{
	const struct trace_fetch_source source = { .record = record };

	return users->copies && hit_short(probe, users, TRACE_PROBE_NOWHERE, &source, NULL);
}

NOKPROBE_SYMBOL(trace_probe_hit_record_copies);

#ifdef CONFIG_UPROBE_EVENTS
/**
 * trace_probe_hit_copies - a probe hits whose arguments are registers, with one user
 * @hit: what is known of it
 *
 * Context: task, with preemption off.
 * Return: false: it is another one, or the buffer wants more care; nothing was done.
 */
bool trace_probe_hit_copies(const struct trace_probe_hit *hit)
{
	const struct trace_probe_users *users = rcu_dereference_sched(hit->probe->event->users);

	return users && users->copies && hit_short(hit->probe, users, hit->probe->shape,
						   &hit->source, hit->at);
}

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
	hit_put_addresses(hit->probe->shape, hit->at, record);
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
