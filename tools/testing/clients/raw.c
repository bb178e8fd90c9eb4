// SPDX-License-Identifier: GPL-2.0
/* The pages of one CPU, read, spliced and piped. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <kbuffer.h>
#include "tracefs.h"

#define EVENT	"sys_enter_getppid"

/* Records of the event that this task has made, on a page as the kernel gives it. */
static long records_of_page(void *page)
{
	struct tep_event *event = tep_find_event_by_name(tep, "syscalls", EVENT);
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	struct tep_record record = {};
	unsigned long long ts;
	long n = 0;

	if (!kbuf || kbuffer_load_subbuffer(kbuf, page))
		fail("this is no page");
	while (kbuf && (record.data = kbuffer_read_event(kbuf, &ts))) {
		record.size = kbuffer_event_size(kbuf);
		if (tep_data_type(tep, &record) == event->id &&
		    tep_data_pid(tep, &record) == self)
			n++;
		kbuffer_next_event(kbuf, NULL);
	}
	kbuffer_free(kbuf);
	return n;
}

/* Records of the pages in a file, from its beginning. */
static long records_of_file(int fd, int size)
{
	void *page = calloc(1, size);
	long n = 0;

	lseek(fd, 0, SEEK_SET);
	while (read(fd, page, size) == size)
		n += records_of_page(page);
	free(page);
	return n;
}

static struct tracefs_cpu *start(struct tracefs_instance *instance, bool nonblock)
{
	struct tracefs_cpu *cpu = tracefs_cpu_open(instance, 0, nonblock);

	if (!cpu)
		fail("it cannot be opened: %m");
	succeeds("event", tracefs_event_enable(instance, "syscalls", EVENT));
	return cpu;
}

/* Calls for more than one page, and for less than the buffer. */
#define MANY	(64 * CALLS)

static void many_calls(void)
{
	int i;

	for (i = 0; i < 64; i++)
		do_calls();
}

static void test_read(struct tracefs_instance *instance)
{
	struct tracefs_cpu *cpu = start(instance, true);
	int size = tracefs_cpu_read_size(cpu), n;
	void *page = calloc(1, size);
	long got = 0;

	expect("the size of a page", size, getpagesize());
	expect("an empty buffer", tracefs_cpu_read(cpu, page, true), 0);
	many_calls();
	succeeds("off", tracefs_trace_off(instance));
	n = tracefs_cpu_read(cpu, page, true);
	expect("a page that is full", n, size);
	got += records_of_page(page);
	if (!got)
		fail("nothing on the first page");
	while ((n = tracefs_cpu_read(cpu, page, true)) > 0)
		got += records_of_page(page);
	expect("calls", got, MANY);
	expect("what is flushed", tracefs_cpu_flush(cpu, page), 0);
	tracefs_cpu_close(cpu);
	free(page);
	if (tracefs_cpu_open(instance, 1000, true))
		fail("there is a CPU 1000");
}

static void test_buffered(struct tracefs_instance *instance)
{
	struct tracefs_cpu *cpu = start(instance, true);
	void *page = calloc(1, tracefs_cpu_read_size(cpu));
	long got = 0, flushed = 0;

	many_calls();
	succeeds("off", tracefs_trace_off(instance));
	while (tracefs_cpu_buffered_read(cpu, page, true) > 0)
		got += records_of_page(page);
	if (!got)
		fail("nothing on full pages");
	/* Records on a page that is not full yet. */
	while (tracefs_cpu_flush(cpu, page) > 0)
		flushed += records_of_page(page);
	expect("calls", got + flushed, MANY);
	if (!flushed)
		fail("a part of a page was spliced");
	tracefs_cpu_close(cpu);
	free(page);
}

static void test_write(struct tracefs_instance *instance)
{
	struct tracefs_cpu *cpu = start(instance, true);
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	many_calls();
	succeeds("off", tracefs_trace_off(instance));
	while (tracefs_cpu_write(cpu, fd, true) > 0)
		;
	while (tracefs_cpu_flush_write(cpu, fd) > 0)
		;
	expect("calls in the file", records_of_file(fd, tracefs_cpu_read_size(cpu)), MANY);
	close(fd);
	tracefs_cpu_close(cpu);
}

/* By way of a pipe of the program, of which the library may not ask for the size. */
static void test_splice(struct tracefs_instance *instance)
{
	int fd = tracefs_instance_file_open(instance, "per_cpu/cpu0/trace_pipe_raw",
					    O_RDONLY | O_NONBLOCK);
	struct tracefs_cpu *cpu = tracefs_cpu_alloc_fd(fd, getpagesize(), true);
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600), ends[2], n;

	succeeds("event", tracefs_event_enable(instance, "syscalls", EVENT));
	many_calls();
	succeeds("off", tracefs_trace_off(instance));
	if (pipe(ends)) {
		fail("no pipe: %m");
		return;
	}
	/* This makes the library's own pipe, with nothing to write yet but full pages. */
	tracefs_cpu_write(cpu, file, true);
	while ((n = tracefs_cpu_pipe(cpu, ends[1], true)) > 0) {
		while (n > 0) {
			int moved = splice(ends[0], NULL, file, NULL, n, 0);

			if (!succeeds("splice", moved) || !moved)
				break;
			n -= moved;
		}
	}
	while (tracefs_cpu_flush_write(cpu, file) > 0)
		;
	expect("calls in the file", records_of_file(file, getpagesize()), MANY);
	close(ends[0]);
	close(ends[1]);
	close(file);
	tracefs_cpu_free_fd(cpu);
	close(fd);
}

struct waiter {
	struct tracefs_cpu	*cpu;
	pid_t			tid;
	int			ret;
};

static void *wait_for_page(void *data)
{
	struct waiter *waiter = data;
	char page[65536];

	__atomic_store_n(&waiter->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	waiter->ret = tracefs_cpu_read(waiter->cpu, page, false);
	return NULL;
}

/* Whether a thread sleeps. */
static bool sleeps(pid_t tid)
{
	char path[40], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

/* A reader that waits is told to stop, and one that has something to read gets it. */
static void test_stop(struct tracefs_instance *instance)
{
	struct waiter waiter = { .cpu = tracefs_cpu_open(instance, 0, false), .ret = 1 };
	pthread_t thread;
	char page[65536];

	if (!waiter.cpu || pthread_create(&thread, NULL, wait_for_page, &waiter)) {
		fail("no waiter: %m");
		return;
	}
	while (!__atomic_load_n(&waiter.tid, __ATOMIC_ACQUIRE) || !sleeps(waiter.tid))
		usleep(1000);
	expect("nobody has to be woken by a signal", tracefs_cpu_stop(waiter.cpu), 0);
	pthread_join(thread, NULL);
	expect("a wait without any records", waiter.ret, 0);
	tracefs_cpu_close(waiter.cpu);

	waiter.cpu = start(instance, false);
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	expect("a page", tracefs_cpu_read(waiter.cpu, page, true) > 0, true);
	expect("calls", records_of_page(page), CALLS);
	tracefs_cpu_close(waiter.cpu);
}

const struct test_case raw_cases[] = {
	{ .name = "read", .run = test_read, .counts = true },
	{ .name = "buffered", .run = test_buffered, .counts = true },
	{ .name = "write", .run = test_write, .counts = true },
	{ .name = "splice", .run = test_splice, .counts = true },
	{ .name = "stop", .run = test_stop, .counts = true },
	{}
};
