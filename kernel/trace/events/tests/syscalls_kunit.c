// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests: events of system calls. A test cannot make a system call, so it calls the
 * tracepoints with registers that look like those of one. Cases of
 * tools/testing/selftests/ftrace make real calls.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <trace/events/syscalls.h>

#include "events/calls.h"
#include "events/filter/apply.h"
#include "events/file.h"
#include "events/syscalls/internal.h"
#include "instance/buffers.h"
#include "instance/instance.h"

struct syscalls_env {
	struct trace_array		*tr;
	struct pt_regs			*regs;
	struct syscall_metadata		*meta;
	const char			*enter;		/* names of its events */
	const char			*exit;
};

/*
 * Registers of a call of this number, in which each word is another one. Where the number is in
 * them is up to the architecture, so it is found.
 */
static void syscalls_make_regs(struct kunit *test, struct pt_regs *regs, int nr)
{
	u32 *word = (u32 *)regs;

	for (size_t i = 0; i < sizeof(*regs) / sizeof(*word); i++)
		word[i] = 0x10000 + i;
	for (size_t i = 0; i < sizeof(*regs) / sizeof(*word); i++) {
		u32 old = word[i];

		word[i] = nr;
		if (syscall_get_nr(current, regs) == nr)
			return;
		word[i] = old;
	}
	KUNIT_FAIL(test, "there is no number in the registers");
}

static int syscalls_init(struct kunit *test)
{
	struct syscalls_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->regs = kunit_kzalloc(test, sizeof(*env->regs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->regs);
	env->tr = trace_array_get_by_name("kunit_syscalls", NULL);
	KUNIT_ASSERT_NOT_NULL(test, env->tr);
	KUNIT_EXPECT_EQ(test, trace_array_expand(env->tr), 0);
	test->priv = env;
	/* It has as many arguments as a call can have. */
	env->meta = trace_syscall_numbers[__NR_mmap];
	syscalls_make_regs(test, env->regs, __NR_mmap);
	if (!env->meta)
		return -ENODEV;
	env->enter = trace_event_name(env->meta->enter_event);
	env->exit = trace_event_name(env->meta->exit_event);
	return 0;
}

static void syscalls_exit(struct kunit *test)
{
	struct syscalls_env *env = test->priv;

	trace_array_set_clr_event(env->tr, "syscalls", NULL, false);
	trace_array_put(env->tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(env->tr), 0);
}

static int syscalls_switch(struct kunit *test, const char *event, bool on)
{
	struct syscalls_env *env = test->priv;

	return trace_array_set_clr_event(env->tr, "syscalls", event, on);
}

/* The next record of an instance; NULL: there is none. */
static void *syscalls_record(struct trace_array *tr)
{
	struct ring_buffer_event *event = NULL;
	u64 ts;

	for (int cpu = 0; cpu < nr_cpu_ids && !event; cpu++)
		event = ring_buffer_consume(tr->array_buffer.buffer, cpu, &ts, NULL);
	return event ? ring_buffer_event_data(event) : NULL;
}

/* Every description is at its number, and calls that each architecture has are described. */
static void calls_have_numbers(struct kunit *test)
{
	static const struct {
		unsigned int	nr;
		const char	*name;
	} some[] = {
		{ __NR_openat, "sys_openat" },	{ __NR_read, "sys_read" },
		{ __NR_getpid, "sys_getpid" },	{ __NR_mmap, "sys_mmap" },
		{ __NR_futex, "sys_futex" },	{ __NR_openat2, "sys_openat2" },
	};
	unsigned int found = 0;

	for (unsigned int nr = 0; nr < NR_syscalls; nr++) {
		if (!trace_syscall_numbers[nr])
			continue;
		found++;
		KUNIT_EXPECT_EQ(test, trace_syscall_numbers[nr]->syscall_nr, nr);
		KUNIT_EXPECT_STRNEQ(test, trace_syscall_numbers[nr]->name, "sys_ni_syscall");
	}
	KUNIT_EXPECT_GT(test, found, 250);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		struct syscall_metadata *meta = trace_syscall_numbers[some[i].nr];

		KUNIT_ASSERT_NOT_NULL_MSG(test, meta, "%s", some[i].name);
		KUNIT_EXPECT_STREQ(test, meta->name, some[i].name);
	}
}

/* Types of arguments tell which of them point to a text, and which to a buffer. */
static void memory_of_user_space_is_chosen(struct kunit *test)
{
	static const struct {
		unsigned int	nr;
		unsigned int	args;
		int		size;		/* of the first */
		const char	*field;		/* of the first */
	} some[] = {
		{ __NR_openat, 1, -1, "__filename_val" },
		{ __NR_renameat2, 2, -1, "__oldname_val" },
		{ __NR_write, 1, 2, "__buf_val" },
		{ __NR_pwrite64, 1, 2, "__buf_val" },
		{ __NR_sethostname, 1, 1, "__name_val" },
		{ __NR_sendto, 1, 2, "__buff_val" },
		{ __NR_execve, 1, -1, "__filename_val" },
		{ __NR_mount, 3, -1, "__dev_name_val" },
		{ __NR_truncate, 1, -1, "__path_val" },
		{ __NR_read }, { __NR_mmap }, { __NR_getcwd }, { __NR_getpid },
	};

	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		const struct syscall_user *user = trace_syscall_users[some[i].nr];
		const char *name;

		/* There may be no network. */
		if (!trace_syscall_numbers[some[i].nr])
			continue;
		name = trace_syscall_numbers[some[i].nr]->name;
		KUNIT_ASSERT_EQ_MSG(test, user ? user->nr : 0, some[i].args, "%s", name);
		if (!user)
			continue;
		KUNIT_EXPECT_STREQ(test, user->arg[0].name, some[i].field);
		KUNIT_EXPECT_EQ_MSG(test, user->arg[0].size, some[i].size, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, user->arg[0].text,
				    some[i].size < 0 || some[i].nr == __NR_sethostname, "%s", name);
	}
}

/* Memory that is not there is told of, and nobody waits for it. */
static void missing_memory_is_told_of(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	struct syscall_enter_record *rec;
	const char *text;
	u32 word;

	KUNIT_ASSERT_EQ(test, syscalls_switch(test, "sys_enter_openat", true), 0);
	syscalls_make_regs(test, env->regs, __NR_openat);
	trace_sys_enter(env->regs, __NR_openat);
	rec = syscalls_record(env->tr);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	word = *(u32 *)&rec->args[trace_syscall_numbers[__NR_openat]->nb_args];
	text = (const char *)rec + (word & 0xffff);
	KUNIT_EXPECT_EQ(test, word >> 16, sizeof("(fault)"));
	KUNIT_EXPECT_STREQ(test, text, "(fault)");

	KUNIT_EXPECT_EQ(test, trace_syscall_set_user_size(env->tr, 0), 0);
	trace_sys_enter(env->regs, __NR_openat);
	rec = syscalls_record(env->tr);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	word = *(u32 *)&rec->args[trace_syscall_numbers[__NR_openat]->nb_args];
	KUNIT_EXPECT_EQ(test, word >> 16, 1);
}

/* Tasks take the long way into system calls only while an event is on, whoever has it on. */
static void tasks_pay_while_an_event_is_on(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	/* An event that was on before keeps the probes. */
	bool before = test_task_syscall_work(current, SYSCALL_TRACEPOINT);
	struct trace_array *top = trace_top_instance();

	KUNIT_EXPECT_EQ(test, syscalls_switch(test, env->enter, true), 0);
	KUNIT_EXPECT_TRUE(test, test_task_syscall_work(current, SYSCALL_TRACEPOINT));
	KUNIT_EXPECT_EQ(test, syscalls_switch(test, "sys_enter_openat", true), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(top, "syscalls", env->exit, true), 0);
	KUNIT_EXPECT_EQ(test, syscalls_switch(test, env->enter, false), 0);
	KUNIT_EXPECT_TRUE(test, test_task_syscall_work(current, SYSCALL_TRACEPOINT));
	KUNIT_EXPECT_EQ(test, syscalls_switch(test, "sys_enter_openat", false), 0);
	KUNIT_EXPECT_TRUE(test, test_task_syscall_work(current, SYSCALL_TRACEPOINT));
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(top, "syscalls", env->exit, false), 0);
	KUNIT_EXPECT_EQ(test, before, !!test_task_syscall_work(current, SYSCALL_TRACEPOINT));
}

static void entries_and_exits_are_recorded(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	unsigned long args[SYSCALL_DEFINE_MAXARGS];
	struct syscall_enter_record *enter;
	struct syscall_exit_record *exit;

	KUNIT_ASSERT_EQ(test, syscalls_switch(test, env->enter, true), 0);
	trace_sys_enter(env->regs, env->meta->syscall_nr);
	trace_sys_exit(env->regs, -77);
	syscall_get_arguments(current, env->regs, args);
	enter = syscalls_record(env->tr);
	KUNIT_ASSERT_NOT_NULL(test, enter);
	KUNIT_EXPECT_EQ(test, env->meta->nb_args, SYSCALL_DEFINE_MAXARGS);
	KUNIT_EXPECT_EQ(test, enter->ent.type, env->meta->enter_event->event.type);
	KUNIT_EXPECT_EQ(test, enter->nr, env->meta->syscall_nr);
	for (int i = 0; i < env->meta->nb_args; i++)
		KUNIT_EXPECT_EQ(test, enter->args[i], args[i]);
	KUNIT_EXPECT_NULL(test, syscalls_record(env->tr));

	KUNIT_EXPECT_EQ(test, syscalls_switch(test, env->enter, false), 0);
	KUNIT_ASSERT_EQ(test, syscalls_switch(test, env->exit, true), 0);
	trace_sys_enter(env->regs, env->meta->syscall_nr);
	trace_sys_exit(env->regs, -77);
	exit = syscalls_record(env->tr);
	KUNIT_ASSERT_NOT_NULL(test, exit);
	KUNIT_EXPECT_EQ(test, exit->ent.type, env->meta->exit_event->event.type);
	KUNIT_EXPECT_EQ(test, exit->nr, env->meta->syscall_nr);
	KUNIT_EXPECT_EQ(test, exit->ret, -77L);
	KUNIT_EXPECT_NULL(test, syscalls_record(env->tr));
}

/* An event that is on in one instance is not in another, nor is another call. */
static void instances_and_calls_are_apart(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	struct trace_array *other = trace_array_get_by_name("kunit_syscalls2", NULL);
	const char *call = "sys_enter_openat";

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, syscalls_switch(test, call, true), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(other, "syscalls", env->enter, true), 0);
	trace_sys_enter(env->regs, env->meta->syscall_nr);
	KUNIT_EXPECT_NULL(test, syscalls_record(env->tr));
	KUNIT_EXPECT_NOT_NULL(test, syscalls_record(other));
	KUNIT_EXPECT_NULL(test, syscalls_record(other));

	/* It goes with its instance, and takes the probe along. */
	trace_array_put(other);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(other), 0);
	trace_sys_enter(env->regs, env->meta->syscall_nr);
	KUNIT_EXPECT_NULL(test, syscalls_record(env->tr));
}

/* A number of which there is no call, or no event, is passed over. */
static void other_numbers_are_passed_over(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	struct pt_regs regs;

	KUNIT_ASSERT_EQ(test, syscalls_switch(test, NULL, true), 0);
	/* No kernel has a system call -1, or as many as that. */
	memset(&regs, 0xff, sizeof(regs));
	trace_sys_enter(&regs, -1);
	trace_sys_exit(&regs, -38);
	memset(&regs, 0x7f, sizeof(regs));
	trace_sys_enter(&regs, 0x7f7f7f7f);
	trace_sys_exit(&regs, -38);
	/* Others may make calls, but no other call of this task is seen. */
	for (struct trace_entry *ent; (ent = syscalls_record(env->tr));)
		KUNIT_EXPECT_NE(test, ent->pid, current->pid);
}

static void filters_see_arguments(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	char want[64], none[] = "0";
	struct trace_event_file *file;
	struct syscall_exit_record *exit;

	snprintf(want, sizeof(want), "ret == -77 && __syscall_nr == %d", env->meta->syscall_nr);
	KUNIT_ASSERT_EQ(test, syscalls_switch(test, env->exit, true), 0);
	scoped_guard(trace_events) {
		file = trace_event_file_of(env->tr, env->meta->exit_event);
		KUNIT_ASSERT_EQ(test, trace_event_filter_set(file, want), 0);
	}
	trace_sys_exit(env->regs, 77);
	trace_sys_exit(env->regs, -77);
	exit = syscalls_record(env->tr);
	KUNIT_EXPECT_NOT_NULL(test, exit);
	if (exit)
		KUNIT_EXPECT_EQ(test, exit->ret, -77L);
	KUNIT_EXPECT_NULL(test, syscalls_record(env->tr));
	scoped_guard(trace_events)
		KUNIT_EXPECT_EQ(test, trace_event_filter_set(file, none), 0);
}

#ifdef CONFIG_PERF_EVENTS
static struct perf_event *syscalls_perf_open(struct trace_event_call *call)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= call->event.type,
	};

	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

static u64 syscalls_perf_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* perf counts the calls that it has asked for, and tasks pay until its last event has gone. */
static void perf_counts_calls(struct kunit *test)
{
	struct syscalls_env *env = test->priv;
	bool before = test_task_syscall_work(current, SYSCALL_TRACEPOINT);
	struct perf_event *enter, *exit, *open;

	enter = syscalls_perf_open(env->meta->enter_event);
	KUNIT_ASSERT_FALSE(test, IS_ERR(enter));
	exit = syscalls_perf_open(env->meta->exit_event);
	open = syscalls_perf_open(trace_syscall_numbers[__NR_openat]->enter_event);
	KUNIT_EXPECT_FALSE(test, IS_ERR(exit) || IS_ERR(open));
	KUNIT_EXPECT_TRUE(test, test_task_syscall_work(current, SYSCALL_TRACEPOINT));
	for (int i = 0; i < 3; i++)
		trace_sys_enter(env->regs, env->meta->syscall_nr);
	trace_sys_exit(env->regs, 0);
	KUNIT_EXPECT_EQ(test, syscalls_perf_count(enter), 3);
	perf_event_release_kernel(enter);
	if (!IS_ERR(exit)) {
		KUNIT_EXPECT_EQ(test, syscalls_perf_count(exit), 1);
		perf_event_release_kernel(exit);
	}
	if (!IS_ERR(open)) {
		/* The others' lists have gone, and its probe runs on. */
		trace_sys_enter(env->regs, env->meta->syscall_nr);
		KUNIT_EXPECT_EQ(test, syscalls_perf_count(open), 0);
		perf_event_release_kernel(open);
	}
	KUNIT_EXPECT_EQ(test, before, !!test_task_syscall_work(current, SYSCALL_TRACEPOINT));
}
#endif

static struct kunit_case syscalls_cases[] = {
	KUNIT_CASE(calls_have_numbers),
	KUNIT_CASE(memory_of_user_space_is_chosen),
	KUNIT_CASE(missing_memory_is_told_of),
	KUNIT_CASE(tasks_pay_while_an_event_is_on),
	KUNIT_CASE(entries_and_exits_are_recorded),
	KUNIT_CASE(instances_and_calls_are_apart),
	KUNIT_CASE(other_numbers_are_passed_over),
	KUNIT_CASE(filters_see_arguments),
#ifdef CONFIG_PERF_EVENTS
	KUNIT_CASE(perf_counts_calls),
#endif
	{ }
};

static struct kunit_suite syscalls_suite = {
	.name		= "trace-event-syscalls",
	.init		= syscalls_init,
	.exit		= syscalls_exit,
	.test_cases	= syscalls_cases,
};

kunit_test_suite(syscalls_suite);
