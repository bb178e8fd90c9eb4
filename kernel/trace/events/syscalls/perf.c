// SPDX-License-Identifier: GPL-2.0
/*
 * System calls for perf, and for programs of BPF that are attached to a perf event. One probe
 * at sys_enter serves all entries that perf has, and one at sys_exit all exits.
 *
 * A bit says that perf has a call. It is cleared before perf waits for the probes and frees the
 * call's lists, so a probe that has seen it, with preemption off, may use the lists.
 */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <trace/events/syscalls.h>

#include "events/calls.h"
#include "events/syscalls/internal.h"

struct syscall_perf {
	unsigned int	nr_on;				/* events mutex */
	DECLARE_BITMAP(on, NR_syscalls);		/* events mutex, RCU */
};

static struct syscall_perf perf_enter, perf_exit;

/* Does perf have a call? Pairs with trace_syscall_perf_on(): then its lists are there. */
static bool syscall_perf_has(const struct syscall_perf *perf, unsigned int nr)
{
	return nr != NR_syscalls && test_bit_acquire(nr, perf->on);
}

/* Does nobody on this CPU want the call now? */
static bool syscall_perf_is_unwanted(struct trace_event_call *call)
{
	return hlist_empty(this_cpu_ptr(call->perf_events)) && !bpf_prog_array_valid(call);
}

/* Bytes of a record of @len for perf, which puts its length before it. */
static int syscall_perf_record_size(int len)
{
	return ALIGN(len + sizeof(u32), sizeof(u64)) - sizeof(u32);
}

/*
 * Give a record to the call's programs, and to perf if they let it pass. Programs that walk the
 * stack begin at the kernel's registers in @here; samples show where user space was.
 */
static void syscall_perf_submit(struct trace_event_call *call, void *rec, int size, int rctx,
				struct pt_regs *here, struct pt_regs *regs)
{
	struct hlist_head *head = this_cpu_ptr(call->perf_events);

	if (bpf_prog_array_valid(call)) {
		perf_fetch_caller_regs(here);
		/* perf fills in the fields that all events have, which the pointer hides. */
		*(struct pt_regs **)rec = here;
		if (!trace_call_bpf(call, rec))
			goto drop;
	}
	if (hlist_empty(head))
		goto drop;
	perf_trace_buf_submit(rec, size, rctx, call->event.type, 1, regs, head, NULL);
	return;

drop:
	perf_swevent_put_recursion_context(rctx);
}

static void syscall_perf_enter_probe(void *data, struct pt_regs *regs, long id)
{
	const struct syscall_user_data *user_data = NULL;
	unsigned int nr = trace_syscall_number(regs);
	unsigned long args[SYSCALL_DEFINE_MAXARGS];
	const struct syscall_metadata *meta;
	struct syscall_enter_record *rec;
	const struct syscall_user *user;
	struct pt_regs *here;
	unsigned int fixed;
	int size, rctx;

	if (!syscall_perf_has(&perf_enter, nr))
		return;
	meta = trace_syscall_numbers[nr];
	if (syscall_perf_is_unwanted(meta->enter_event))
		return;
	fixed = struct_size(rec, args, meta->nb_args);
	syscall_get_arguments(current, regs, args);
	user = trace_syscall_users[nr];
	if (user)
		user_data = trace_syscall_user_read(user, args,
						    CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT);
	size = syscall_perf_record_size(fixed + (user ? user_data->len : 0));
	rec = perf_trace_buf_alloc(size, &here, &rctx);
	if (!rec)
		return;
	trace_syscall_fill_enter(rec, nr, meta->nb_args, args);
	if (user)
		trace_syscall_user_fill(rec, fixed, user, user_data);
	syscall_perf_submit(meta->enter_event, rec, size, rctx, here, regs);
}

static void syscall_perf_exit_probe(void *data, struct pt_regs *regs, long ret)
{
	unsigned int nr = trace_syscall_number(regs);
	struct syscall_exit_record *rec;
	int size = syscall_perf_record_size(sizeof(*rec)), rctx;
	struct trace_event_call *call;
	struct pt_regs *here;

	if (!syscall_perf_has(&perf_exit, nr))
		return;
	call = trace_syscall_numbers[nr]->exit_event;
	if (syscall_perf_is_unwanted(call))
		return;
	rec = perf_trace_buf_alloc(size, &here, &rctx);
	if (!rec)
		return;
	trace_syscall_fill_exit(rec, nr, ret);
	syscall_perf_submit(call, rec, size, rctx, here, regs);
}

/* perf has its first event of a call. 0, or the errno of the tracepoint. */
int trace_syscall_perf_on(struct trace_event_call *call)
{
	const struct syscall_metadata *meta = call->data;
	bool is_exit = trace_syscall_is_exit(call);
	struct syscall_perf *perf = is_exit ? &perf_exit : &perf_enter;
	int ret = 0;

	trace_events_assert_locked();

	if (!perf->nr_on)
		ret = is_exit ? register_trace_sys_exit(syscall_perf_exit_probe, NULL) :
				register_trace_sys_enter(syscall_perf_enter_probe, NULL);
	if (ret)
		return ret;
	perf->nr_on++;
	/* Pairs with syscall_perf_has(): a probe that sees the bit sees the call's lists. */
	smp_mb__before_atomic();
	set_bit(meta->syscall_nr, perf->on);
	return 0;
}

/* The last one has gone. The probe may still run for a grace period. */
void trace_syscall_perf_off(struct trace_event_call *call)
{
	const struct syscall_metadata *meta = call->data;
	bool is_exit = trace_syscall_is_exit(call);
	struct syscall_perf *perf = is_exit ? &perf_exit : &perf_enter;

	trace_events_assert_locked();

	clear_bit(meta->syscall_nr, perf->on);
	if (--perf->nr_on)
		return;
	if (is_exit)
		unregister_trace_sys_exit(syscall_perf_exit_probe, NULL);
	else
		unregister_trace_sys_enter(syscall_perf_enter_probe, NULL);
}
