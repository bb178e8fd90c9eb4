// SPDX-License-Identifier: GPL-2.0
/*
 * Read trace_pipe_raw through a mapping, as the base tree's map_test does not:
 * while somebody writes faster than we read.  Each record has a number, so what
 * the meta page says to be lost can be checked gap by gap.
 *
 * usage: map_reader TRACING-FOLDER SUB-BUFFER-KIB...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/trace_mmap.h>

#define RECORDS		60000
/* A CPU goes this often, and writes so many records each time that it has come. */
#define ROUNDS		20
#define CHUNK		1000
/* Where a waiter's watermark is looked at: the buffer, and the bytes of write_number()'s record. */
#define WATERMARK_KIB	128
#define NUMBER		36
#define HEADER		(8 + sizeof(long))
#define LENGTH		((1UL << 30) - 1)

static const char *tracing;
static int failures;
/* The CPU whose buffer is mapped. */
static int cpu;

static void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("map_reader: ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	failures++;
}

static void pin(int to)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(to, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("no CPU %d: %s", to, strerror(errno));
}

static int file(const char *name, int flags)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", tracing, name);
	return open(path, flags);
}

/* 0 or the errno. */
static int put(const char *name, const char *text)
{
	int fd = file(name, O_WRONLY | O_TRUNC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

/* A file of the CPU whose buffer is mapped. */
static int cpu_file(const char *name, int flags)
{
	char path[300];

	snprintf(path, sizeof(path), "per_cpu/cpu%d/%s", cpu, name);
	return file(path, flags);
}

static int there(const char *name)
{
	int fd = file(name, O_RDONLY);

	close(fd);
	return fd >= 0;
}

/* How many records were overwritten; the meta page tells it only to who asks for a page. */
static long overwritten(void)
{
	char text[1000] = "";
	const char *line;
	int fd = cpu_file("stats", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) < 0)
		fail("stats: %s", strerror(errno));
	close(fd);
	line = strstr(text, "overrun: ");
	return line ? atol(line + strlen("overrun: ")) : 0;
}

static void expect(const char *what, int got, int want)
{
	if (got != want)
		fail("%s: %s instead of %s", what, strerror(got), strerror(want));
}

static int map_error(int fd, int prot, int flags, size_t len, off_t off)
{
	void *p = mmap(NULL, len, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

/* Write the numbers of records, from one up to another. */
static void write_some(int from, int to)
{
	int fd = file("trace_marker", O_WRONLY);
	char text[64];
	int i;

	for (i = from; i < to; i++) {
		int len = snprintf(text, sizeof(text), "number %d", i);

		if (write(fd, text, len) != len)
			_exit(1);
		if (i % 5000 == 0)
			sched_yield();
	}
	close(fd);
}

static void write_numbers(void)
{
	/* The reader may be on another. */
	pin(cpu);
	write_some(0, RECORDS);
	_exit(0);
}

/* The records of a page from @off to @end: each the one after the last. */
static int check_page(const unsigned char *data, size_t off, size_t end, long *next)
{
	int n = 0;

	while (off < end) {
		unsigned int head = *(unsigned int *)(data + off), len = (head & 31) * 4;
		const unsigned char *body = data + off + 4;
		long number;

		if ((head & 31) >= 30) {		/* a time stamp */
			off += 8;
			continue;
		}
		if (!(head & 31)) {
			len = *(unsigned int *)body;
			body += 4;
		}
		/* The common header and the address are before the text. */
		if (sscanf((const char *)body + 8 + sizeof(long), "number %ld", &number) != 1) {
			fail("not a record at %zu", off);
			return n;
		}
		if (number != *next)
			fail("%ld follows %ld", number, *next - 1);
		*next = number + 1;
		off += 4 + len;
		n++;
	}
	return n;
}

struct map {
	int				fd;
	struct trace_buffer_meta	*meta;
	unsigned char			*data;
};

static bool map(struct map *m)
{
	size_t page = getpagesize();

	m->fd = cpu_file("trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	m->meta = mmap(NULL, page, PROT_READ, MAP_SHARED, m->fd, 0);
	if (m->meta != MAP_FAILED)
		m->data = mmap(NULL, (size_t)m->meta->nr_subbufs * m->meta->subbuf_size,
			       PROT_READ, MAP_SHARED, m->fd, m->meta->meta_page_size);
	if (m->meta != MAP_FAILED && m->data != MAP_FAILED)
		return true;
	fail("no mapping: %s", strerror(errno));
	return false;
}

static void unmap(struct map *m)
{
	munmap(m->data, (size_t)m->meta->nr_subbufs * m->meta->subbuf_size);
	munmap(m->meta, getpagesize());
	close(m->fd);
}

/* Take what is there; the events lost and read. */
static void drain(struct map *m, long *next, long *read, long *lost)
{
	static unsigned int id;
	static size_t done;

	for (;;) {
		unsigned char *page;
		size_t end;

		if (*read + *lost == 0) {
			id = -1;
			done = 0;
		}
		expect("ioctl", ioctl(m->fd, TRACE_MMAP_IOCTL_GET_READER) ? errno : 0, 0);
		page = m->data + (size_t)m->meta->reader.id * m->meta->subbuf_size;
		end = m->meta->reader.read;
		if (m->meta->reader.id != id) {
			id = m->meta->reader.id;
			done = 0;
			*next += m->meta->reader.lost_events;
			*lost += m->meta->reader.lost_events;
			if (m->meta->reader.lost_events &&
			    !(*(unsigned long *)(page + 8) & (1UL << 31)))
				fail("the page does not tell that events are lost");
		}
		if (end == done)
			return;
		if ((*(unsigned long *)(page + 8) & LENGTH) < end)
			fail("the page's length");
		*read += check_page(page + HEADER, done, end, next);
		done = end;
	}
}

static void read_all(const char *kib)
{
	long next = 0, read = 0, lost = 0;
	struct map m;
	pid_t pid;
	int status;

	put("tracing_on", "1");
	put("trace", "");
	if (!map(&m))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid)
		write_numbers();
	/* Something has to be lost: nobody reads before the writer has come round once. */
	while (!waitpid(pid, &status, WNOHANG)) {
		if (lost || overwritten())
			drain(&m, &next, &read, &lost);
		usleep(100000);
	}
	drain(&m, &next, &read, &lost);
	if (status)
		fail("the writer's status is %d", status);
	if (read + lost != RECORDS)
		fail("%ld read, %ld lost, %d written", read, lost, RECORDS);
	if (!read || !lost)
		fail("nothing %s", read ? "lost" : "read");
	if (m.meta->entries != RECORDS || (long)m.meta->read != read ||
	    (long)m.meta->overrun != lost)
		fail("counters of the meta page");
	printf("map_reader: sub-buffers of %s KiB: %ld read, %ld lost\n", kib, read, lost);
	unmap(&m);
}

static void switch_cpu(bool on)
{
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY);
	if (write(fd, on ? "1" : "0", 1) != 1) {
		fail("CPU %d does not %s: %s", cpu, on ? "come" : "go", strerror(errno));
		_exit(1);
	}
	close(fd);
}

/* A CPU comes and goes, and writes when it is there. */
static void write_and_go(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pin(cpu);
		write_some(i * CHUNK, (i + 1) * CHUNK);
		pin(0);
		switch_cpu(false);
		switch_cpu(true);
	}
	_exit(0);
}

/* A CPU comes, writes and goes: its mapping has all of it, or tells it as lost. */
static void beside_hotplug(void)
{
	long next = 0, read = 0, lost = 0;
	struct map m;
	pid_t pid;
	int status;

	cpu = 1;
	put("buffer_size_kb", "64");
	put("trace", "");
	if (map(&m)) {
		fflush(stdout);
		pid = fork();
		if (!pid)
			write_and_go();
		while (!waitpid(pid, &status, WNOHANG))
			drain(&m, &next, &read, &lost);
		drain(&m, &next, &read, &lost);
		if (status)
			fail("the CPU's writer: status %d", status);
		if (read + lost != ROUNDS * CHUNK)
			fail("%ld read, %ld lost, %d written beside hotplug", read, lost,
			     ROUNDS * CHUNK);
		if (!read)
			fail("nothing read beside hotplug");
		printf("map_reader: beside hotplug: %ld read, %ld lost\n", read, lost);
		unmap(&m);
	}
	put("buffer_size_kb", "128");
	cpu = 0;
}

static void errors(void)
{
	size_t page = getpagesize();
	struct map m;
	int status;
	pid_t pid;
	int fd = file("per_cpu/cpu0/trace_pipe_raw", O_RDWR | O_NONBLOCK);

	expect("ioctl, not mapped",
	       ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) ? errno : 0, ENODEV);
	expect("writable", map_error(fd, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0), EPERM);
	expect("executable", map_error(fd, PROT_READ | PROT_EXEC, MAP_SHARED, page, 0), EPERM);
	expect("private", map_error(fd, PROT_READ, MAP_PRIVATE, page, 0), EPERM);
	expect("too long", map_error(fd, PROT_READ, MAP_SHARED, page << 20, 0), EINVAL);
	expect("too far", map_error(fd, PROT_READ, MAP_SHARED, page, (off_t)page << 20), EINVAL);
	expect("size, not mapped", put("buffer_size_kb", "64"), 0);
	if (there("snapshot")) {
		expect("command", put("set_ftrace_filter", "schedule:snapshot"), 0);
		expect("snapshots wanted", map_error(fd, PROT_READ, MAP_SHARED, page, 0), EBUSY);
		expect("no command", put("set_ftrace_filter", "!schedule:snapshot"), 0);
	}
	if (!map(&m))
		return;
	expect("made writable", mprotect(m.meta, page, PROT_READ | PROT_WRITE) ? errno : 0, EACCES);
	expect("size", put("buffer_size_kb", "128"), EBUSY);
	expect("size of sub-buffers", put("buffer_subbuf_size_kb", "64"), EBUSY);
	if (there("snapshot"))
		expect("snapshot", put("snapshot", "1"), EBUSY);
	/* A child does not have it. */
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(!(msync(m.meta, page, MS_ASYNC) && errno == ENOMEM));
	if (waitpid(pid, &status, 0) != pid || status)
		fail("a child has the mapping");
	/* It goes away as a whole only. */
	expect("split", munmap(m.data + page, page) ? errno : 0, EINVAL);
	expect("end cut off", munmap(m.data, page) ? errno : 0, EINVAL);
	/* Closed, it is still a mapping. */
	close(m.fd);
	expect("size, closed", put("buffer_size_kb", "128"), EBUSY);
	munmap(m.data, (size_t)m.meta->nr_subbufs * m.meta->subbuf_size);
	expect("size, meta page mapped", put("buffer_size_kb", "128"), EBUSY);
	munmap(m.meta, page);
	expect("size, unmapped", put("buffer_size_kb", "128"), 0);
	close(fd);
}

/* Let a forked child tell whether it has the mapping, and then exit or unmap it. */
static void child_has(struct map *m, bool wanted)
{
	size_t page = getpagesize();
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bool has = !msync(m->meta, page, MS_ASYNC);

		if (has && m->meta->nr_subbufs < 2)
			_exit(2);
		if (has && munmap(m->meta, page))
			_exit(3);
		_exit(has != wanted);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		fail("a child that is %sto have the mapping: status %d", wanted ? "" : "not ",
		     status);
}

static int remap_error(void *old, size_t old_len, size_t new_len, int flags, void *new)
{
	return mremap(old, old_len, new_len, flags, new) == MAP_FAILED ? errno : 0;
}

/*
 * A mapping may be inherited after all, and moved as a whole. The buffer keeps its size for as long
 * as any of it is there, and not longer.
 */
static void other_mappings(void)
{
	size_t page = getpagesize(), size;
	unsigned char *moved;
	struct map m;
	int ends[2];

	if (!map(&m))
		return;
	size = (size_t)m.meta->nr_subbufs * m.meta->subbuf_size;
	child_has(&m, false);
	expect("MADV_DOFORK", madvise(m.meta, page, MADV_DOFORK) ? errno : 0, 0);
	child_has(&m, true);
	child_has(&m, true);
	expect("size, a child had it", put("buffer_size_kb", "128"), EBUSY);
	expect("MADV_DONTFORK", madvise(m.meta, page, MADV_DONTFORK) ? errno : 0, 0);
	child_has(&m, false);

	/* Nothing takes a part away, or adds one. */
	expect("DOFORK of a part", madvise(m.data + page, page, MADV_DOFORK) ? errno : 0, EINVAL);
	expect("a part protected", mprotect(m.data + page, page, PROT_NONE) ? errno : 0, EINVAL);
	expect("shrunk", remap_error(m.data, size, page, 0, NULL), EINVAL);
	expect("grown", remap_error(m.data, size, size + page, MREMAP_MAYMOVE, NULL), EFAULT);
	expect("mapped twice", remap_error(m.data, 0, size, MREMAP_MAYMOVE, NULL), EFAULT);
	expect("moved and left", remap_error(m.data, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
					     NULL), EINVAL);

	/* Moved as a whole, it is one mapping, at another place. */
	moved = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect("a part moved", remap_error(m.data + page, page, page,
					   MREMAP_MAYMOVE | MREMAP_FIXED, moved), EINVAL);
	expect("moved", remap_error(m.data, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, moved), 0);
	expect("its old place", msync(m.data, page, MS_ASYNC) ? errno : 0, ENOMEM);
	m.data = moved;
	if (pipe(ends) || write(ends[1], m.data + size - page, 1) != 1)
		fail("what was moved cannot be read: %s", strerror(errno));
	close(ends[0]);
	close(ends[1]);
	expect("size, moved", put("buffer_size_kb", "128"), EBUSY);
	unmap(&m);
	expect("size, unmapped", put("buffer_size_kb", "128"), 0);
}

/* State of a process in /proc. */
static char state_of(pid_t pid)
{
	char path[40], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(f);
	}
	return state;
}

/* A reader that waits for the next sub-buffer is woken when tracing is switched off. */
static void ends_with_tracing(void)
{
	struct map m;
	int status;
	char state;
	pid_t pid;

	put("trace", "");
	put("buffer_percent", "50");
	if (!map(&m))
		return;
	fcntl(m.fd, F_SETFL, 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(60);
		_exit(!!ioctl(m.fd, TRACE_MMAP_IOCTL_GET_READER));
	}
	/* It sleeps when it waits for a sub-buffer, and is a zombie if it did not wait. */
	for (state = 0; state != 'S' && state != 'Z'; state = state_of(pid))
		usleep(1000);
	if (state != 'S')
		fail("nobody waits for a sub-buffer that is not there");
	put("tracing_on", "0");
	if (waitpid(pid, &status, 0) != pid || status)
		fail("the end of tracing does not end a wait: status %d", status);
	put("tracing_on", "1");
	unmap(&m);
}

/* The number of records that were begun by now, and when the waiting call returned. */
static volatile struct {
	long now, seen;
} *written;

static void write_number(int fd)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "number %06ld", written->now++ % 1000000);

	if (write(fd, text, len) != len)
		fail("trace_marker: %s", strerror(errno));
}

static int wait_ioctl(int fd)
{
	return ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
}

static int wait_splice(int fd)
{
	int ends[2];

	return pipe(ends) || splice(fd, NULL, ends[1], NULL, 1 << 16, 0) < 0;
}

static int wait_read(int fd)
{
	char page[4096];

	return read(fd, page, sizeof(page)) <= 0;
}

/* Start @call when there is one record, write more, and tell how many there were at its end. */
static long returns_at(int fd, int (*call)(int fd))
{
	int marker = file("trace_marker", O_WRONLY), status, i;
	char state;
	pid_t pid;

	written->now = 0;
	write_number(marker);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int err = call(fd);

		written->seen = written->now;
		_exit(!!err);
	}
	for (state = 0; state != 'S' && state != 'Z'; state = state_of(pid))
		usleep(1000);
	/* More than the buffer holds. */
	for (i = 0; state == 'S' && i < 3 * WATERMARK_KIB * 1024 / NUMBER; i++)
		write_number(marker);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("a wait ends with status %d", status);
	close(marker);
	return written->seen;
}

/* Half of the sub-buffers are complete, but for the one that is being written. */
static void expect_half(const char *what, long records)
{
	long pages = WATERMARK_KIB / 4 / 2 - 1;

	/* Each record may have a time stamp of 8 bytes before it. */
	if (records < pages * (long)((4096 - HEADER) / (NUMBER + 8)))
		fail("%s returns after %ld records", what, records);
}

static void expect_one(const char *what, long records)
{
	if (records != 1)
		fail("%s returns after %ld records, not after the first one", what, records);
}

static long mapped_returns_at(void)
{
	struct map m;
	long records;

	put("trace", "");
	if (!map(&m))
		return -1;
	fcntl(m.fd, F_SETFL, 0);
	records = returns_at(m.fd, wait_ioctl);
	unmap(&m);
	return records;
}

static long file_returns_at(int (*call)(int fd))
{
	int fd = file("per_cpu/cpu0/trace_pipe_raw", O_RDONLY);
	long records;

	put("trace", "");
	records = returns_at(fd, call);
	close(fd);
	return records;
}

/* splice() and a mapping's reader wait for buffer_percent, read() for any record. */
static void watermark(void)
{
	char kib[16];

	written = mmap(NULL, sizeof(*written), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pin(0);
	snprintf(kib, sizeof(kib), "%d", WATERMARK_KIB);
	put("buffer_size_kb", kib);
	put("buffer_percent", "50");
	expect_half("the ioctl", mapped_returns_at());
	expect_half("splice()", file_returns_at(wait_splice));
	expect_one("read()", file_returns_at(wait_read));
	put("buffer_percent", "0");
	expect_one("the ioctl, 0 percent,", mapped_returns_at());
	expect_one("splice(), 0 percent,", file_returns_at(wait_splice));
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 3)
		return 2;
	tracing = argv[1];
	for (i = 2; i < argc; i++) {
		put("buffer_size_kb", "128");
		expect(argv[i], put("buffer_subbuf_size_kb", argv[i]), 0);
		read_all(argv[i]);
		beside_hotplug();
		errors();
		other_mappings();
	}
	put("buffer_subbuf_size_kb", "4");
	ends_with_tracing();
	watermark();
	printf("map_reader: %d failures\n", failures);
	return !!failures;
}
