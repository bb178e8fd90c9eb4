// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests: perf gets the records of an event. In-kernel counters stand for those of user
 * space: they are bound and become active in the same way.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "events/calls.h"
#include "events/perf.h"
#include "events/tests/fake_event.h"
#include "lib/long_hit.h"

/* The size to which the probe of an event rounds a record: perf puts four bytes before it. */
#define PERF_SIZE	((int)(ALIGN(sizeof(struct fake_record) + sizeof(u32), sizeof(u64)) - \
			       sizeof(u32)))
#define PERF_SEEN	4

struct perf_env {
	struct fake_event	*fake;
	unsigned int		type;		/* the event that perf is asked for */
	unsigned int		asked;		/* bits of what reg() was asked */
	int			fails;		/* type that reg() refuses; -1: none */
	unsigned int		seen;		/* records that perf handed out */
	unsigned int		size[PERF_SEEN];
	struct fake_record	record[PERF_SEEN];
};

/* The test that runs: reg() is not told. */
static struct perf_env *perf_env;

static int perf_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	perf_env->asked |= BIT(type);
	return type == perf_env->fails ? -ENOSPC : 0;
}

static int perf_init(struct kunit *test)
{
	struct perf_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->fake = fake_add(test, "kunit_perf", "one");
	env->fake->class.reg = perf_reg;
	env->type = env->fake->call.event.type;
	env->fails = -1;
	perf_env = env;
	test->priv = env;
	return 0;
}

/* perf calls this with each record, with preemption off. */
static void perf_seen(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct perf_env *env = event->overflow_handler_context;
	unsigned int nr = env->seen++;

	if (nr >= PERF_SEEN)
		return;
	env->size[nr] = data->raw->frag.size;
	memcpy(&env->record[nr], data->raw->frag.data, sizeof(env->record[nr]));
}

/* Make a counter of the event in this task. perf_seen() gets every @period-th record. */
static struct perf_event *perf_open_sampling(struct kunit *test, unsigned int period)
{
	struct perf_env *env = test->priv;
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= env->type,
		.sample_period	= period,
		.sample_type	= period ? PERF_SAMPLE_RAW : 0,
	};

	return perf_event_create_kernel_counter(&attr, -1, current, period ? perf_seen : NULL,
						env);
}

/* As perf_open_sampling(); perf_seen() gets every record with @raw, and none without. */
static struct perf_event *perf_open(struct kunit *test, bool raw)
{
	return perf_open_sampling(test, raw);
}

static u64 perf_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Do what the probe of an event does. False if there is no memory for a record. */
static bool perf_hit(struct kunit *test, int num)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	struct fake_record *record;
	struct pt_regs *regs;
	int context;

	guard(preempt_notrace)();
	if (!call->perf_events)
		return false;
	record = perf_trace_buf_alloc(PERF_SIZE, &regs, &context);
	if (!record)
		return false;
	perf_fetch_caller_regs(regs);
	record->num = num;
	record->wide = ~(u64)num;
	perf_trace_buf_submit(record, PERF_SIZE, context, call->event.type, 1, regs,
			      this_cpu_ptr(call->perf_events), NULL);
	return true;
}

/* Are the lists of a call without perf events freed, now or some time later? */
static bool perf_is_drained(struct trace_event_call *call)
{
	for (int i = 0; i < 1000; i++) {
		scoped_guard(trace_events) {
			if (!call->perf_events)
				return true;
		}
		msleep(20);
	}
	return false;
}

static void records_are_whole(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct perf_event *event = perf_open(test, true);
	int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, perf_hit(test, 100 + i));
	KUNIT_EXPECT_EQ(test, perf_count(event), 3);
	KUNIT_ASSERT_EQ(test, env->seen, 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, env->size[i], PERF_SIZE);
		KUNIT_EXPECT_EQ(test, env->record[i].ent.type, env->fake->call.event.type);
		KUNIT_EXPECT_EQ(test, env->record[i].ent.pid, current->pid);
		KUNIT_EXPECT_EQ(test, env->record[i].ent.preempt_count & 0xf,
				IS_ENABLED(CONFIG_PREEMPT_COUNT));
		KUNIT_EXPECT_EQ(test, env->record[i].num, 100 + i);
		KUNIT_EXPECT_EQ(test, env->record[i].wide, ~(u64)(100 + i));
	}
	perf_event_release_kernel(event);
}

/* With a period of N perf hands out every N-th record since the counter was opened. */
static void periods_begin_with_the_counter(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct perf_event *event;

	for (unsigned int period = 1; period <= 4; period++) {
		event = perf_open_sampling(test, period);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		env->seen = 0;
		for (int i = 1; i <= 12; i++)
			KUNIT_EXPECT_TRUE(test, perf_hit(test, i));
		KUNIT_EXPECT_EQ(test, perf_count(event), 12);
		KUNIT_EXPECT_EQ(test, env->seen, 12 / period);
		KUNIT_EXPECT_EQ(test, env->record[0].num, period);
		perf_event_release_kernel(event);
	}
}

/* Bytes of an earlier and longer record must not reach user space. */
static void ends_are_cleared(struct kunit *test)
{
	struct perf_event *event = perf_open(test, false);
	u64 *first, *second;
	int context;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	scoped_guard(preempt_notrace) {
		first = perf_trace_buf_alloc(60, NULL, &context);
		if (first) {
			memset(first, 0xff, 60);
			perf_swevent_put_recursion_context(context);
		}
		second = perf_trace_buf_alloc(28, NULL, &context);
		if (second)
			perf_swevent_put_recursion_context(context);
	}
	KUNIT_EXPECT_NOT_NULL(test, first);
	KUNIT_EXPECT_PTR_EQ(test, first, second);
	if (second) {
		KUNIT_EXPECT_EQ(test, ((u32 *)second)[4], ~0U);
		KUNIT_EXPECT_EQ(test, ((u32 *)second)[5], 0);
		KUNIT_EXPECT_EQ(test, ((u32 *)second)[6], 0);
	}
	perf_event_release_kernel(event);
}

/* A context has one record at a time, and an interrupt another one than the task. */
static void contexts_have_their_own(struct kunit *test)
{
	struct perf_event *event = perf_open(test, false);
	void *task, *again, *irq, *irq_again;
	int context, refused, in_irq;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	scoped_guard(irqsave) {
		task = perf_trace_buf_alloc(28, NULL, &context);
		again = perf_trace_buf_alloc(28, NULL, &refused);
		__irq_enter_raw();
		irq = perf_trace_buf_alloc(28, NULL, &in_irq);
		irq_again = perf_trace_buf_alloc(28, NULL, &refused);
		if (irq)
			perf_swevent_put_recursion_context(in_irq);
		__irq_exit_raw();
		if (task)
			perf_swevent_put_recursion_context(context);
	}
	KUNIT_EXPECT_NOT_NULL(test, task);
	KUNIT_EXPECT_NULL(test, again);
	KUNIT_EXPECT_NOT_NULL(test, irq);
	KUNIT_EXPECT_NULL(test, irq_again);
	KUNIT_EXPECT_PTR_NE(test, task, irq);
	KUNIT_EXPECT_EQ(test, refused, -1);
	perf_event_release_kernel(event);
}

static void counters_are_their_own(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	struct perf_event *one, *two;

	KUNIT_EXPECT_FALSE(test, perf_hit(test, 0));
	one = perf_open(test, false);
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	two = perf_open(test, false);
	KUNIT_EXPECT_FALSE(test, IS_ERR(two));
	if (!IS_ERR(two)) {
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 2);
		KUNIT_EXPECT_TRUE(test, perf_hit(test, 1));
		perf_event_disable(two);
		KUNIT_EXPECT_TRUE(test, perf_hit(test, 2));
		perf_event_enable(two);
		perf_event_disable(one);
		KUNIT_EXPECT_TRUE(test, perf_hit(test, 3));
		KUNIT_EXPECT_TRUE(test, perf_hit(test, 4));
		KUNIT_EXPECT_EQ(test, perf_count(one), 2);
		KUNIT_EXPECT_EQ(test, perf_count(two), 3);
		KUNIT_EXPECT_FALSE(test, env->asked & BIT(TRACE_REG_PERF_UNREGISTER));
		perf_event_release_kernel(two);
	}
	KUNIT_EXPECT_EQ(test, call->perf_refcount, 1);
	KUNIT_EXPECT_FALSE(test, env->asked & BIT(TRACE_REG_PERF_UNREGISTER));
	perf_event_release_kernel(one);
	KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
	KUNIT_EXPECT_TRUE(test, perf_is_drained(call));
	KUNIT_EXPECT_FALSE(test, perf_hit(test, 5));
	KUNIT_EXPECT_EQ(test, env->asked, BIT(TRACE_REG_PERF_REGISTER) |
			BIT(TRACE_REG_PERF_OPEN) | BIT(TRACE_REG_PERF_ADD) |
			BIT(TRACE_REG_PERF_DEL) | BIT(TRACE_REG_PERF_CLOSE) |
			BIT(TRACE_REG_PERF_UNREGISTER));
}

/* An event that is opened again at once goes on with its lists, and is whole. */
static void lists_outlive_the_last(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	struct perf_event *event;

	for (int i = 0; i < 50; i++) {
		event = perf_open(test, true);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		env->seen = 0;
		KUNIT_EXPECT_TRUE(test, perf_hit(test, i));
		KUNIT_EXPECT_EQ(test, env->seen, 1);
		KUNIT_EXPECT_EQ(test, env->record[0].num, i);
		KUNIT_EXPECT_EQ(test, perf_count(event), 1);
		perf_event_release_kernel(event);
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
	}
	env->fails = TRACE_REG_PERF_REGISTER;
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_open(test, false)), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, perf_is_drained(call));
}

/* A registration that fails may have put some probes in place, which still hit for a while. */
static void failed_probes_keep_the_lists(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;

	long_hit_begin(test);
	env->fails = TRACE_REG_PERF_REGISTER;
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_open(test, false)), -ENOSPC);
	KUNIT_EXPECT_NOT_NULL(test, call->perf_events);
	KUNIT_EXPECT_TRUE(test, perf_hit(test, 1));
	long_hit_end();
	KUNIT_EXPECT_TRUE(test, perf_is_drained(call));
}

/* An event that is removed waits for the probes that perf had a moment ago. */
static void removal_waits_for_probes(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct fake_event *other = fake_add(test, "kunit_perf", "other");
	struct perf_event *event;
	unsigned int type;

	KUNIT_ASSERT_NOT_NULL(test, other);
	type = env->type;
	env->type = other->call.event.type;
	event = perf_open(test, false);
	env->type = type;
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	perf_event_release_kernel(event);
	kunit_release_action(test, fake_remove, other);
	KUNIT_EXPECT_NULL(test, other->call.perf_events);
	scoped_guard(trace_events)
		KUNIT_EXPECT_NULL(test, trace_event_call_find("kunit_perf", "other"));
}

/* An event whose class refuses is bound to nothing, and goes when it is removed. */
static void refusal_leaves_nothing(struct kunit *test)
{
	static const enum trace_reg steps[] = { TRACE_REG_PERF_REGISTER, TRACE_REG_PERF_OPEN };
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		env->fails = steps[i];
		env->asked = 0;
		KUNIT_EXPECT_EQ(test, PTR_ERR(perf_open(test, false)), -ENOSPC);
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
		KUNIT_EXPECT_TRUE(test, perf_is_drained(call));
		/* Each registration was undone. */
		KUNIT_EXPECT_EQ(test, !!(env->asked & BIT(TRACE_REG_PERF_UNREGISTER)),
				steps[i] == TRACE_REG_PERF_OPEN);
	}
	env->type = TRACE_EVENT_TYPE_MAX;
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_open(test, false)), -EINVAL);
}

/* The class of TRACE_CUSTOM_EVENT() has no probe for perf, which the tracepoint is not told. */
static void probe_is_needed(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	const char *name = call->name;

	env->fake->class.reg = trace_event_reg;
	scoped_guard(trace_events) {
		call->tp = &__tracepoint_sched_switch;
		call->flags |= TRACE_EVENT_FL_TRACEPOINT;
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_open(test, false)), -ENODEV);
	KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
	KUNIT_EXPECT_TRUE(test, perf_is_drained(call));
	scoped_guard(trace_events) {
		call->name = name;
		call->flags &= ~TRACE_EVENT_FL_TRACEPOINT;
	}
	env->fake->class.reg = perf_reg;
}

#ifdef CONFIG_MODULE_UNLOAD
/* A module is kept from the end of its init function to its end, and not before or behind. */
static void live_module_is_kept(struct kunit *test)
{
	static struct module mod = { .name = "kunit_perf", .refcnt = ATOMIC_INIT(1) };
	static const enum module_state others[] = {
		MODULE_STATE_COMING, MODULE_STATE_GOING, MODULE_STATE_UNFORMED,
	};
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	struct perf_event *event;

	call->module = &mod;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		mod.state = others[i];
		KUNIT_EXPECT_EQ(test, PTR_ERR(perf_open(test, false)), -EBUSY);
		KUNIT_EXPECT_EQ(test, atomic_read(&mod.refcnt), 1);
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
	}
	mod.state = MODULE_STATE_LIVE;
	event = perf_open(test, false);
	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	if (!IS_ERR(event)) {
		KUNIT_EXPECT_EQ(test, atomic_read(&mod.refcnt), 2);
		perf_event_release_kernel(event);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&mod.refcnt), 1);
	call->module = NULL;
}
#endif

static int perf_refuse(struct trace_event_call *call, struct perf_event *event)
{
	return -EACCES;
}

/* Open the event and close it. Returns the errno if that is refused, else 0. */
static int perf_refusal(struct kunit *test, bool raw)
{
	struct perf_event *event = perf_open(test, raw);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

/*
 * A user without the permission to trace may count events, and may have the records of events
 * that tell a task about itself only.
 */
static void records_need_permission(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	struct cred *cred = prepare_creds();
	int paranoid = sysctl_perf_event_paranoid;
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	sysctl_perf_event_paranoid = 2;
	KUNIT_EXPECT_EQ(test, perf_refusal(test, true), 0);
	old = override_creds(cred);
	KUNIT_EXPECT_EQ(test, perf_refusal(test, false), 0);
	KUNIT_EXPECT_EQ(test, perf_refusal(test, true), -EPERM);
	call->flags |= TRACE_EVENT_FL_CAP_ANY;
	KUNIT_EXPECT_EQ(test, perf_refusal(test, true), 0);
	call->flags &= ~TRACE_EVENT_FL_CAP_ANY;
	revert_creds(old);
	sysctl_perf_event_paranoid = paranoid;
	put_cred(cred);

	call->perf_perm = perf_refuse;
	KUNIT_EXPECT_EQ(test, perf_refusal(test, false), -EACCES);
	KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
}

/*
 * perf may destroy a perf event with the lock of some memory held. The task's PF_KTHREAD is the
 * mark of a task without memory, so this one does without it for a moment.
 */
static void call_is_put_later(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct trace_event_call *call = &env->fake->call;
	struct perf_event *event = perf_open(test, false);
	struct mm_struct *mm = mm_alloc();

	KUNIT_EXPECT_NOT_NULL(test, mm);
	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	if (mm && !IS_ERR(event)) {
		current->flags &= ~PF_KTHREAD;
		mmap_write_lock(mm);
		perf_event_release_kernel(event);
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 1);
		KUNIT_EXPECT_TRUE(test, env->asked & BIT(TRACE_REG_PERF_CLOSE));
		KUNIT_EXPECT_FALSE(test, env->asked & BIT(TRACE_REG_PERF_UNREGISTER));
		mmap_write_unlock(mm);
		current->flags |= PF_KTHREAD;
		/* As on the way to user space. */
		task_work_run();
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
		KUNIT_EXPECT_TRUE(test, env->asked & BIT(TRACE_REG_PERF_UNREGISTER));
	}
	if (mm)
		mmput(mm);
}

/* perf's own kprobes, as they will be: a PMU that makes a call for each perf event. */
struct local_probe {
	struct trace_event_class	class;
	struct trace_event_call		call;
	unsigned int			released;
};

static struct local_probe local_probe;

static void pmu_release(struct trace_event_call *call)
{
	container_of(call, struct local_probe, call)->released++;
}

static void pmu_destroy(struct perf_event *event)
{
	trace_event_perf_detach(event, pmu_release);
}

static int pmu_init(struct perf_event *event)
{
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	ret = trace_event_perf_attach(&local_probe.call, event);
	if (!ret)
		event->destroy = pmu_destroy;
	return ret;
}

static void pmu_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void pmu_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
}

static void pmu_read(struct perf_event *event)
{
}

static struct pmu local_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.event_init	= pmu_init,
	.add		= perf_trace_add,
	.del		= perf_trace_del,
	.start		= pmu_start,
	.stop		= pmu_stop,
	.read		= pmu_read,
};

static void local_calls_are_on_no_list(struct kunit *test)
{
	struct perf_env *env = test->priv;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct trace_event_call *call = &local_probe.call;
	struct perf_event *event;
	struct pt_regs *regs;
	void *record;
	int context;

	local_probe = (struct local_probe){
		.class = { .system = "kunit_perf", .reg = perf_reg },
		.call = { .class = &local_probe.class, .name = "local" },
	};
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&local_pmu, "kunit_local", -1), 0);
	attr.type = local_pmu.type;
	env->fails = TRACE_REG_PERF_REGISTER;
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, env);
	KUNIT_EXPECT_EQ(test, PTR_ERR(event), -ENOSPC);
	env->fails = -1;
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, env);
	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	if (!IS_ERR(event)) {
		KUNIT_EXPECT_EQ(test, call->perf_refcount, 1);
		scoped_guard(preempt_notrace) {
			record = perf_trace_buf_alloc(28, &regs, &context);
			if (record) {
				perf_fetch_caller_regs(regs);
				perf_trace_buf_submit(record, 28, context, 0, 1, regs,
						      this_cpu_ptr(call->perf_events), NULL);
			}
		}
		KUNIT_EXPECT_EQ(test, perf_count(event), 1);
		KUNIT_EXPECT_EQ(test, local_probe.released, 0);
		perf_event_release_kernel(event);
	}
	KUNIT_EXPECT_EQ(test, local_probe.released, 1);
	KUNIT_EXPECT_EQ(test, call->perf_refcount, 0);
	perf_pmu_unregister(&local_pmu);
}

struct perf_closing {
	struct work_struct	work;
	struct perf_event	*event;
	struct completion	closed;
};

static void perf_close_work(struct work_struct *work)
{
	struct perf_closing *closing = container_of(work, struct perf_closing, work);

	perf_event_release_kernel(closing->event);
	complete(&closing->closed);
}

/* A worker that takes the memory of a task apart closes a counter without the events mutex. */
static void workers_put_calls_later(struct kunit *test)
{
	struct perf_closing *closing = kunit_kzalloc(test, sizeof(*closing), GFP_KERNEL);
	struct perf_env *env = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, closing);
	INIT_WORK(&closing->work, perf_close_work);
	init_completion(&closing->closed);
	closing->event = perf_open(test, false);
	KUNIT_ASSERT_FALSE(test, IS_ERR(closing->event));
	scoped_guard(trace_events) {
		schedule_work(&closing->work);
		KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&closing->closed, 60 * HZ), 0);
	}
	flush_work(&closing->work);
	while (READ_ONCE(env->fake->call.perf_refcount))
		msleep(20);
	KUNIT_EXPECT_TRUE(test, env->asked & BIT(TRACE_REG_PERF_UNREGISTER));
}

static struct kunit_case perf_cases[] = {
	KUNIT_CASE(records_are_whole),
	KUNIT_CASE(periods_begin_with_the_counter),
	KUNIT_CASE(ends_are_cleared),
	KUNIT_CASE(contexts_have_their_own),
	KUNIT_CASE(counters_are_their_own),
	KUNIT_CASE(lists_outlive_the_last),
	KUNIT_CASE(failed_probes_keep_the_lists),
	KUNIT_CASE(removal_waits_for_probes),
	KUNIT_CASE(refusal_leaves_nothing),
	KUNIT_CASE(probe_is_needed),
#ifdef CONFIG_MODULE_UNLOAD
	KUNIT_CASE(live_module_is_kept),
#endif
	KUNIT_CASE(records_need_permission),
	KUNIT_CASE(call_is_put_later),
	KUNIT_CASE(workers_put_calls_later),
	KUNIT_CASE(local_calls_are_on_no_list),
	{ }
};

static struct kunit_suite perf_suite = {
	.name		= "trace-event-perf",
	.init		= perf_init,
	.test_cases	= perf_cases,
};

kunit_test_suite(perf_suite);
