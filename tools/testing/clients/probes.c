// SPDX-License-Identifier: GPL-2.0
/* Probes: events that the library makes in the top instance, and that each instance may enable. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracefs.h"

#define GROUP	"tracefs_probes"

/* The first argument of a system call, in the registers that its function gets, and of give(). */
#if defined(__x86_64__)
#define CALL_ARG	"+0x70($arg1):u32"
#define USER_ARG	"%di:u32"
#elif defined(__aarch64__)
#define CALL_ARG	"+0($arg1):u32"
#define USER_ARG	"%x0:u32"
#endif

/* The records of an event: how many there are, and the sum of a field. */
static struct {
	const char	*name, *field;
	long		number, sum;
} probed;

static int look_at_probe(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	unsigned long long value;

	(void)cpu;
	(void)data;
	if (strcmp(event->name, probed.name) || tep_data_pid(event->tep, record) != self)
		return 0;
	probed.number++;
	if (probed.field && !tep_get_field_val(NULL, event, probed.field, record, &value, 1))
		probed.sum += value;
	return 0;
}

/* Its place in the file that this program is of. */
static unsigned long long place_in_file(void *function)
{
	unsigned long long at = (unsigned long)function, begin, end, offset, found = 0;
	char line[300];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx %*s %llx", &begin, &end, &offset) == 3 &&
		    at >= begin && at < end)
			found = at - begin + offset;
	}
	if (f)
		fclose(f);
	return found;
}

/*
 * Make the probe, let it see @call, and count its records and the sum of its field. It cannot go
 * while it is enabled, but with force.
 */
static void try_probe(struct tracefs_instance *instance, struct tracefs_dynevent *probe,
		      void (*call)(void), const char *name, const char *field, long sum)
{
	char *system, *event, *error;

	if (!probe) {
		fail("%s cannot be allocated: %m", name);
		return;
	}
	if (!succeeds(name, tracefs_dynevent_create(probe))) {
		error = tracefs_error_last(NULL);
		fail("%s: %s", name, error ?: "no error");
		free(error);
		tracefs_dynevent_free(probe);
		return;
	}
	if (tracefs_dynevent_info(probe, &system, &event, NULL, NULL, NULL) ==
	    TRACEFS_DYNEVENT_UNKNOWN) {
		fail("%s: its kind is not known", name);
	} else {
		text_is("system", system, GROUP);
		text_is("event", event, name);
		free(system);
		free(event);
	}
	if (!tracefs_dynevent_get_event(tep, probe))
		fail("%s: its format is not known: %m", name);
	succeeds("enable", tracefs_event_enable(instance, GROUP, name));
	probed.name = name;
	probed.field = field;
	probed.number = 0;
	probed.sum = 0;
	call();
	succeeds("iterating", tracefs_iterate_raw_events(tep, instance, NULL, 0, look_at_probe,
							 NULL));
	expect(name, probed.number, CALLS);
	if (field)
		expect(field, probed.sum, sum);
	refused("destroying it while it is enabled", tracefs_dynevent_destroy(probe, false), EBUSY);
	succeeds("destroying it by force", tracefs_dynevent_destroy(probe, true));
	expect("it is gone", tracefs_event_file_exists(NULL, GROUP, name, "format"), false);
	tracefs_dynevent_free(probe);
}

#define MASKS	(CALLS * (CALLS - 1) / 2)

/* Another name for each instance, as the library keeps the number that a name had at first. */
static const char *named(struct tracefs_instance *instance, const char *what)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s%s", what, instance ? "_own" : "");
	return name;
}

static void test_kprobe(struct tracefs_instance *instance)
{
	const char *name = named(instance, "entry");

	try_probe(instance, tracefs_kprobe_alloc(GROUP, name, SYSCALL "umask",
						 "value=" CALL_ARG),
		  do_calls, name, "value", MASKS);
}

static void test_kretprobe(struct tracefs_instance *instance)
{
	const char *name = named(instance, "leaving");

	try_probe(instance, tracefs_kretprobe_alloc(GROUP, name, SYSCALL "getppid",
						    "value=$retval comm=$comm", 0),
		  do_calls, name, "value", (long)CALLS * getppid());
}

static void test_eprobe(struct tracefs_instance *instance)
{
	const char *name = named(instance, "event");

	try_probe(instance, tracefs_eprobe_alloc(GROUP, name, "syscalls", "sys_enter_umask",
						 "value=$mask:u32"),
		  do_calls, name, "value", MASKS);
}

static long give(long value)
{
	return value + 1;
}

/* The compiler cannot know that this is give(), so it calls it. */
static long (*volatile given)(long value) = give;

static void do_both(void)
{
	static int made;
	long i;

	/* As many calls of give() as of getppid(). */
	do_calls();
	made = umask(0) + 1;
	for (i = 0; i < made; i++)
		given(i);
}

static void try_user(struct tracefs_instance *instance, const char *name, bool leaving)
{
	unsigned long long at = place_in_file(give);
	char path[300] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0 || !at) {
		fail("where is this program?");
		return;
	}
	if (leaving)
		try_probe(instance, tracefs_uretprobe_alloc(GROUP, name, path, at,
							    "value=$retval:u32"),
			  do_both, name, "value", MASKS + CALLS);
	else
		try_probe(instance, tracefs_uprobe_alloc(GROUP, name, path, at,
							 "value=" USER_ARG),
			  do_both, name, "value", MASKS);
}

static void test_uprobe(struct tracefs_instance *instance)
{
	try_user(instance, named(instance, "user"), false);
}

static void test_uretprobe(struct tracefs_instance *instance)
{
	try_user(instance, named(instance, "user_left"), true);
}

static void test_raw(struct tracefs_instance *instance)
{
	struct tracefs_dynevent **all, *one;
	char *prefix = NULL, *address = NULL, *format = NULL;

	(void)instance;
	succeeds("kprobe", tracefs_kprobe_raw(GROUP, "raw", SYSCALL "getppid", "value=$comm"));
	succeeds("kretprobe", tracefs_kretprobe_raw(GROUP, "raw_left", SYSCALL "getppid",
						    "value=$retval"));
	refused("twice", tracefs_kprobe_raw(GROUP, "raw", SYSCALL "umask", NULL), EEXIST);
	refused("no such function", tracefs_kprobe_raw(GROUP, "nosuch", "no_such_function", NULL),
		EINVAL);
	refused("no such argument",
		tracefs_kprobe_raw(GROUP, "nosuch", SYSCALL "umask", "v=%nosuch"), EINVAL);
	all = tracefs_dynevent_get_all(TRACEFS_DYNEVENT_KPROBE, GROUP);
	expect("kprobes", !!all && !!all[0] && !all[1], true);
	tracefs_dynevent_list_free(all);
	all = tracefs_dynevent_get_all(TRACEFS_DYNEVENT_KPROBE | TRACEFS_DYNEVENT_KRETPROBE, GROUP);
	expect("both", !!all && !!all[0] && !!all[1] && !all[2], true);
	tracefs_dynevent_list_free(all);
	one = tracefs_dynevent_get(TRACEFS_DYNEVENT_KPROBE, GROUP, "raw");
	expect("its kind", tracefs_dynevent_info(one, NULL, NULL, &prefix, &address, &format),
	       TRACEFS_DYNEVENT_KPROBE);
	text_is("prefix", prefix, "p");
	text_is("address", address, SYSCALL "getppid");
	text_is("format", format, "value=$comm");
	free(prefix);
	free(address);
	free(format);
	tracefs_dynevent_free(one);
	succeeds("the end of all", tracefs_dynevent_destroy_all(TRACEFS_DYNEVENT_KPROBE |
								TRACEFS_DYNEVENT_KRETPROBE, true));
	all = tracefs_dynevent_get_all(TRACEFS_DYNEVENT_KPROBE, GROUP);
	expect("kprobes at the end", !!all, false);
}

const struct test_case probe_cases[] = {
	{ .name = "kprobe", .run = test_kprobe, .counts = true },
	{ .name = "kretprobe", .run = test_kretprobe, .counts = true },
	{ .name = "eprobe", .run = test_eprobe, .counts = true },
	{ .name = "uprobe", .run = test_uprobe, .counts = true },
	{ .name = "uretprobe", .run = test_uretprobe, .counts = true },
	{ .name = "probes-raw", .run = test_raw, .top = true },
	{}
};
