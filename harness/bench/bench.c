// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions of what tracing does, inside the guest.
 *
 * It knows tracefs and nothing of the kernel behind it; a file or tracer that the kernel lacks
 * makes its rows "-", and so does work that was not done: an event that was lost, a name
 * that no filter took. One row a line: name, tab, count, tab, and what the count is of,
 * such as "20159 sites", as far as that may differ between two kernels.
 *
 * usage: bench [--large | --first-listing | --ipis | --hits | --probes | --off]
 *
 * --large counts filters with thousands of names, too. --first-listing counts work that is
 * cheaper when it was done before, so it needs a boot of its own. --ipis counts interrupts that
 * CPUs send each other, on two CPUs. --hits is for hits.c, --probes for probes.c. --off counts
 * what a kernel does that traces nothing, or has no tracing at all.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/trace_mmap.h>

#include "guest.h"

static double untraced;		/* instructions of an untraced getppid */

/* A line of a trace that stands still. */
static void row_line(const char *name)
{
	struct text text = drain("trace");
	double cost = text.lines ? drain_cost("trace") : -1;

	row_of(name, text.lines ? cost / text.lines : -1, "%ld lines, %ld bytes", text.lines,
	       text.bytes);
}

/* The whole list of functions. */
static void row_listing(const char *name)
{
	double cost = drain_cost("available_filter_functions");
	struct text text = drain("available_filter_functions");

	row_of(name, text.lines ? cost : -1, "%ld lines, %ld bytes", text.lines, text.bytes);
}

static double getppid_calls(void)
{
	double t = now();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return now() - t;
}

/*
 * Run the calls with recording on; cost above the untraced ones, and what was recorded.
 * Recording is off then: kernels that switch it on again may empty the buffer.
 */
static double recorded(struct records *got)
{
	int fd = open(TRACEFS "tracing_on", O_WRONLY);
	double cost;

	must("tracing_on", "0");
	must("trace", "");
	*got = (struct records){};
	if (fd < 0 || write(fd, "1", 1) != 1)
		return -1;
	cost = getppid_calls();
	if (write(fd, "0", 1) != 1)
		return -1;
	close(fd);
	*got = records();
	return cost - CALLS * untraced;
}

static double per_record(struct records *got)
{
	double cost = recorded(got);

	return got->nr > 0 ? cost / got->nr : -1;
}

static void row_records(const char *name, double cost, struct records got)
{
	row_of(name, cost, "%.0f records, %.0f bytes", got.nr, got.bytes);
}

static bool tracer(const char *name)
{
	return put("current_tracer", name) == 0;
}

static bool filter_one(void)
{
	return inner && put("set_ftrace_filter", inner) == 0;
}

/* The cost of a filter, and the number of its functions then. */
struct filter {
	double	cost;
	long	sites;
};

static void row_filter(const char *name, struct filter filter)
{
	row_of(name, filter.cost, "%ld sites", filter.sites);
}

/* Of a text that names @names functions at least. */
static struct filter filter_cost(const char *text, size_t len, long names)
{
	struct filter filter;
	double t = now();
	int err = put_len("set_ftrace_filter", O_TRUNC, text, len);

	t = now() - t;
	filter.sites = drain("set_ftrace_filter").lines;
	filter.cost = err || filter.sites < names ? -1 : t;
	must("set_ftrace_filter", "");
	return filter;
}

/*
 * One name, the mean of several at a fixed stride: a binary search among all symbols
 * takes 10 to 18 steps, according to where the name happens to be.
 */
static struct filter filter_single(void)
{
	enum { SAMPLES = 32 };
	struct filter sum = {};

	for (size_t i = 0; i < SAMPLES; i++) {
		const char *name = nr_names < SAMPLES ? "" : names[i * (nr_names / SAMPLES)];
		struct filter one = filter_cost(name, strlen(name), 1);

		if (one.cost < 0)
			return one;
		sum.cost += one.cost / SAMPLES;
		sum.sites += one.sites;
	}
	return sum;
}

/* count names at a fixed stride over all of them, in one string */
static struct filter filter_many(size_t count)
{
	size_t stride = nr_names / count, len = 0;
	struct filter filter = { .cost = -1 };
	char *text;

	if (!stride)
		return filter;
	text = malloc(count * 256);
	for (size_t i = 0; i < count; i++)
		len += sprintf(text + len, "%s\n", names[i * stride]);
	filter = filter_cost(text, len, count);
	free(text);
	return filter;
}

/* Before anything else has used names: the first glob may build an index. */
static void rows_filter(bool large)
{
	struct filter none = { .cost = -1 }, glob = none, again = none, one = none, some = none;
	struct filter k1 = none, k10 = none;
	double index = 0;

	if (has("set_ftrace_filter")) {
		index = kernel_bytes();
		glob = filter_cost("*sched*", strlen("*sched*"), 1);
		/* The filter is freed by then. */
		afterwards();
		index = kernel_bytes() - index;
		if (index < 0)
			index = 0;
		again = filter_cost("*sched*", strlen("*sched*"), 1);
		load_names();
		one = filter_single();
		some = filter_many(20);
		if (large) {
			k1 = filter_many(1000);
			k10 = filter_many(10000);
		}
	}
	row_filter("filter-glob", glob);
	row_filter("filter-glob-again", again);
	row_filter("filter-1", one);
	row_filter("filter-20", some);
	row_filter("filter-1000", k1);
	row_filter("filter-10000", k10);
	row_listing("list-functions");
	row_of("name-index-bytes", nr_names ? index / nr_names : -1,
	       "%zu sites, %.0f bytes", nr_names, index);
}

/* Switch a tracer on or off; what that takes, what is left to do, for how long it waits. */
struct change {
	double	cost;
	double	after;
	double	waits;
};

static struct change change(const char *name)
{
	struct change c = { .waits = idle() };
	double t = now();

	c.cost = tracer(name) ? now() - t : -1;
	c.waits = idle() - c.waits;
	c.after = c.cost < 0 ? -1 : afterwards();
	return c;
}

static void rows_change(const char *label, const char *what, bool one, struct change c, long sites)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%s%s", label, what, one ? "-one" : "");
	row_of(name, c.cost, "%ld sites, waits %.0f", sites, c.waits);
	snprintf(name, sizeof(name), "%s-%s%s-after", label, what, one ? "-one" : "");
	row(name, c.after);
}

static void rows_switch(const char *name, const char *label, bool one)
{
	struct change on = { .cost = -1, .after = -1 }, off = on;
	long sites = 0;

	if (!one || filter_one()) {
		on = change(name);
		sites = drain("enabled_functions").lines;
		if (on.cost >= 0)
			off = change("nop");
	}
	put("set_ftrace_filter", "");
	rows_change(label, "on", one, on, sites);
	rows_change(label, "off", one, off, sites);
}

/* Both trace every function inside getppid, then one of them. */
static void rows_function(void)
{
	struct records got = {}, got_one = {}, got_named = {};
	double all = -1, one = -1, named = -1;

	if (tracer("function")) {
		recorded(&got);		/* warm: buffer pages, caches of the kernel */
		all = per_record(&got);
		row_line("trace-line");
		must("current_tracer", "nop");
		if (filter_one() && tracer("function")) {
			one = per_record(&got_one);
			must("current_tracer", "nop");
		}
		/* Every function by its name, so that the filter is as large as can be. */
		if (!put("set_ftrace_filter", "[a-zA-Z_]*") && tracer("function")) {
			named = per_record(&got_named);
			must("current_tracer", "nop");
		}
		must("set_ftrace_filter", "");
	}
	row_records("function-record", all, got);
	row_records("function-record-one", one, got_one);
	row_records("function-record-named", named, got_named);
}

/* Files, each of which has functions of its own. A kernel that lacks one does less. */
static void mixed_files(void)
{
	static const char * const paths[] = {
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/loadavg",
		"/proc/vmstat", "/proc/interrupts", "/proc/filesystems", "/proc/mounts",
		"/proc/self/maps", "/proc/self/stat", "/proc/self/status", "/proc/self/limits",
		"/proc/self/io", "/proc/self/wchan", "/proc/self/cmdline", "/proc/net/dev",
		"/proc/net/route", "/proc/sys/kernel/osrelease", "/dev/zero", "/dev/null",
		"/sys/kernel/uevent_seqnum", "/sys/devices/system/cpu/online", "/dev/kmsg",
	};
	char buf[8192];
	struct stat st;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_NONBLOCK);

		if (fd < 0)
			continue;
		if (read(fd, buf, sizeof(buf)) >= 0)
			fstat(fd, &st);
		close(fd);
	}
}

static void mixed_folders(void)
{
	int fd = open("/bench-a", O_CREAT | O_RDWR | O_TRUNC, 0600);
	struct statfs fs;
	char buf[256];
	DIR *dir;

	if (write(fd, buf, sizeof(buf)) > 0 && pread(fd, buf, 16, 8) > 0 && !ftruncate(fd, 99))
		fsync(fd);
	flock(fd, LOCK_EX);
	fchmod(fd, 0640);
	close(fd);
	if (!link("/bench-a", "/bench-b") && !rename("/bench-b", "/bench-c") &&
	    !symlink("/bench-c", "/bench-d") && readlink("/bench-d", buf, sizeof(buf)) > 0)
		access("/bench-d", R_OK);
	unlink("/bench-a");
	unlink("/bench-c");
	unlink("/bench-d");
	mkdir("/bench-dir", 0700);
	dir = opendir("/");
	while (dir && readdir(dir))
		;
	if (dir)
		closedir(dir);
	rmdir("/bench-dir");
	statfs("/", &fs);
	if (getcwd(buf, sizeof(buf)) && !chdir("/proc"))
		umask(umask(022));
	if (chdir(buf))
		perror("bench: chdir");
}

static void mixed_descriptors(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 1000 };
	struct epoll_event event = { .events = EPOLLIN };
	int ends[2], pair[2], ep = epoll_create1(0), fd;
	struct pollfd pfd;
	char buf[64] = "";

	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return;
	epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &event);
	if (write(ends[1], buf, 10) > 0)
		epoll_wait(ep, &event, 1, 0);
	pfd = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	poll(&pfd, 1, 0);
	if (read(ends[0], buf, 10) > 0 && send(pair[0], buf, 10, 0) > 0)
		recv(pair[1], buf, 10, 0);
	fd = eventfd(1, EFD_NONBLOCK);
	if (read(fd, buf, 8) > 0)
		close(fd);
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(fd, 0, &soon, NULL);
	if (read(fd, buf, 8) > 0)
		close(fd);
	fd = inotify_init();
	close(inotify_add_watch(fd, "/", IN_CREATE) < 0 ? -1 : dup(fd));
	close(fd);
	close(ends[0]);
	close(ends[1]);
	close(pair[0]);
	close(pair[1]);
	close(ep);
}

static void mixed_tasks(void)
{
	struct itimerval timer = { .it_value.tv_sec = 100 };
	struct timespec soon = { .tv_nsec = 1000 };
	struct rusage usage;
	struct utsname uts;
	struct sysinfo info;
	int fd = memfd_create("bench", 0), status;
	cpu_set_t cpus;
	pid_t pid;
	char *mem;

	if (!ftruncate(fd, 4 * PAGE)) {
		mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		mem[PAGE] = 1;
		mprotect(mem, PAGE, PROT_READ);
		madvise(mem, 4 * PAGE, MADV_DONTNEED);
		munmap(mem, 4 * PAGE);
	}
	close(fd);
	signal(SIGUSR1, SIG_IGN);
	kill(getpid(), SIGUSR1);
	pid = fork();
	if (!pid)
		_exit(execl("/nowhere", "nowhere", NULL));
	waitpid(pid, &status, 0);
	setitimer(ITIMER_REAL, &timer, NULL);
	timer.it_value.tv_sec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	nanosleep(&soon, NULL);
	sched_yield();
	sched_getaffinity(0, sizeof(cpus), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0));
	getrusage(RUSAGE_SELF, &usage);
	uname(&uts);
	sysinfo(&info);
	syscall(SYS_getrandom, &uts, sizeof(uts), 0);
}

/* A line of a trace of many functions, most of which are there a few times. */
static void row_mixed(void)
{
	must("tracing_on", "1");
	if (tracer("function")) {
		must("trace", "");
		mixed_files();
		mixed_folders();
		mixed_descriptors();
		mixed_tasks();
		must("tracing_on", "0");
		row_line("trace-line-mixed");
		must("current_tracer", "nop");
	}
	must("trace", "");
}

#define RAW		TRACEFS "per_cpu/cpu0/trace_pipe_raw"

/* Have pages of function records to read, and what reads them not traced. */
static bool fill_pages(void)
{
	struct records got;

	if (!tracer("function"))
		return false;
	recorded(&got);
	return got.nr > 0 && filter_one();
}

static void empty_pages(void)
{
	must("set_ftrace_filter", "");
	must("trace", "");
	must("current_tracer", "nop");
}

/* A page by read(), which copies it once. */
static double read_pages(void)
{
	static char page[PAGE];
	int fd = open(RAW, O_RDONLY | O_NONBLOCK);
	long pages = 0;
	double t;

	if (fd < 0)
		return -1;
	t = now();
	while (read(fd, page, PAGE) == PAGE)
		pages++;
	t = now() - t;
	close(fd);
	return pages ? t / pages : -1;
}

/* A page by splice() into a pipe, as trace-cmd does, and out of it. */
static double splice_pages(void)
{
	int fd = open(RAW, O_RDONLY | O_NONBLOCK);
	int null = open("/dev/null", O_WRONLY);
	double cost = 0, bytes = 0, t;
	int ends[2];
	ssize_t n;

	if (fd < 0 || null < 0 || pipe(ends))
		return -1;
	for (;;) {
		t = now();
		n = splice(fd, NULL, ends[1], NULL, 16 * PAGE, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		if (n <= 0)
			break;
		cost += now() - t;
		bytes += n;
		/* The freeing of the pages is part of it. */
		t = now();
		if (splice(ends[0], NULL, null, NULL, n, SPLICE_F_MOVE) != n)
			break;
		cost += now() - t;
	}
	close(ends[0]);
	close(ends[1]);
	close(null);
	close(fd);
	return bytes ? cost * PAGE / bytes : -1;
}

/* A page by the ioctl of a mapping. */
static double mapped_pages(void)
{
	int fd = open(RAW, O_RDONLY | O_NONBLOCK);
	struct trace_buffer_meta *meta;
	double cost = 0, t;
	long pages = 0;

	if (fd < 0)
		return -1;
	meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED) {
		close(fd);
		return -1;
	}
	/* When there is nothing left, the reader stays where it was. */
	for (;; pages++) {
		unsigned int id = meta->reader.id, bytes = meta->reader.read;

		t = now();
		if (ioctl(fd, TRACE_MMAP_IOCTL_GET_READER))
			break;
		t = now() - t;
		if (meta->reader.id == id && meta->reader.read == bytes)
			break;
		cost += t;
	}
	munmap(meta, PAGE);
	close(fd);
	return pages ? cost / pages : -1;
}

static void rows_pages(void)
{
	static const struct {
		const char	*name;
		double		(*cost)(void);
	} ways[] = {
		{ "read-page", read_pages },
		{ "splice-page", splice_pages },
		{ "mmap-page", mapped_pages },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		double cost = fill_pages() ? ways[i].cost() : -1;

		empty_pages();
		row(ways[i].name, cost);
	}
}

/*
 * A call of one function that the graph tracers of @nr instances trace. That they record
 * is seen in the last one.
 */
static double graph_users(int nr)
{
	double cost = -1, seen = 0;
	char path[64];
	int i, made;

	for (made = 0; made < nr; made++) {
		snprintf(path, sizeof(path), TRACEFS "instances/graph%d", made);
		if (mkdir(path, 0755))
			break;
		snprintf(path, sizeof(path), "instances/graph%d/set_ftrace_filter", made);
		if (!inner || put(path, inner))
			break;
		snprintf(path, sizeof(path), "instances/graph%d/current_tracer", made);
		if (put(path, "function_graph"))
			break;
	}
	if (made == nr) {
		getppid_calls();
		cost = getppid_calls() / CALLS - untraced;
		snprintf(path, sizeof(path), "instances/graph%d/trace", made - 1);
		seen = drain(path).lines;
	}
	for (i = 0; i <= made && i < nr; i++) {
		snprintf(path, sizeof(path), TRACEFS "instances/graph%d", i);
		rmdir(path);
	}
	return seen > 0 ? cost : -1;
}

static void rows_graph(void)
{
	double all = -1, one = -1, other = -1, cost;
	struct records got = {}, got_one = {}, none;

	if (tracer("function_graph")) {
		recorded(&got);
		cost = per_record(&got);
		/* an entry and a return are two records of one function */
		all = cost < 0 ? -1 : 2 * cost;
		must("current_tracer", "nop");
		if (filter_one() && tracer("function_graph")) {
			cost = per_record(&got_one);
			one = cost < 0 ? -1 : 2 * cost;
			must("current_tracer", "nop");
		}
		must("set_ftrace_filter", "");
		if (got.nr && has("set_graph_function") &&
		    !put("set_graph_function", "do_unlinkat") &&
		    tracer("function_graph")) {
			other = untraced + recorded(&none) / CALLS;
			must("current_tracer", "nop");
			must("set_graph_function", "");
		}
	}
	row("graph-10-users", graph_users(10));
	row_records("graph-function", all, got);
	row_records("graph-function-one", one, got_one);
	row("graph-other-root", other);
}

/*
 * The memory that it takes to trace one function which one task calls, while there are
 * a thousand others, asleep.
 */
static void row_graph_memory(void)
{
	enum { TASKS = 1000 };
	static pid_t tasks[TASKS];
	double bytes = -1, before;

	for (int i = 0; i < TASKS; i++) {
		tasks[i] = fork();
		if (!tasks[i]) {
			pause();
			_exit(0);
		}
	}
	if (filter_one()) {
		/* All have run, and sleep. */
		sleep(1);
		must("tracing_on", "1");
		before = kernel_bytes();
		if (tracer("function_graph")) {
			getppid_calls();
			bytes = kernel_bytes() - before;
			must("current_tracer", "nop");
		}
	}
	must("set_ftrace_filter", "");
	for (int i = 0; i < TASKS; i++) {
		if (tasks[i] > 0 && !kill(tasks[i], SIGKILL))
			waitpid(tasks[i], NULL, 0);
	}
	row("graph-memory", bytes);
}

static void row_event(void)
{
	struct records got = {};
	double event = -1;

	if (!put("events/raw_syscalls/enable", "1")) {
		event = per_record(&got);
		must("events/raw_syscalls/enable", "0");
	}
	row_records("event", event, got);
}

/* A call of a function with a hook on its entry or its return, counted in the same way. */
static double hooked_call(const char *hook)
{
	double calls, sum, cost = -1;
	char text[128], *next;
	int fd = open("/returns.ko", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	snprintf(text, sizeof(text), "calls=%d hook=%s", CALLS, hook);
	if (syscall(SYS_finit_module, fd, text, 0) && errno == EINVAL) {
		for (next = kernel_log(); (next = strstr(next, "returns: ")); next++)
			cost = sscanf(next, "returns: %lf calls in %lf ns", &calls, &sum) == 2 ?
			       sum / calls : -1;
	}
	close(fd);
	return cost;
}

static void rows_returns(void)
{
	static const char * const hooks[] = { "fprobe-entry", "fprobe-exit", "kretprobe" };
	double none = hooked_call("none"), cost;

	for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks); i++) {
		cost = none < 0 ? -1 : hooked_call(hooks[i]);
		row(hooks[i], cost < 0 ? -1 : cost - none);
	}
}

/*
 * The rows of ring_buffer_work.h, which runs as one program on all kernels. Work that was not
 * completed gives no count.
 */
static void rows_ring_buffer(void)
{
	static const char * const works[] = {
		"write", "write-copy", "discard", "consume", "iterate", "page", "overwrite",
	};
	int fd = open("/ring_events.ko", O_RDONLY | O_CLOEXEC);
	double ns, cost;
	char text[64];
	unsigned int nr;
	bool ran;

	ran = fd >= 0 && syscall(SYS_finit_module, fd, "", 0) && errno == EINVAL;
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		char *at = kernel_log();

		cost = -1;
		snprintf(text, sizeof(text), "ring_events: %s ", works[i]);
		at = ran ? strstr(at, text) : NULL;
		if (at && sscanf(at + strlen(text), "%u events in %lf ns", &nr, &ns) == 2)
			cost = ns / nr;
		snprintf(text, sizeof(text), "ring-buffer-%s", works[i]);
		row_of(text, cost, "%u events", nr);
	}
	if (fd >= 0)
		close(fd);
}

static void rows_ops(void)
{
	static const int numbers[] = { 1, 2, 10, 100 };
	double none = ops_call(0), cost;
	char name[32];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		cost = none < 0 ? -1 : ops_call(numbers[i]);
		snprintf(name, sizeof(name), "hit-%d-ops", numbers[i]);
		row(name, cost < 0 ? -1 : cost - none);
	}
}

/*
 * The sites that there are, and the pages that were allocated for them: as kernels tell it
 * now, without the sites of init's text. The boot log tells how many boot had.
 */
static void rows_boot(void)
{
	FILE *f = fopen(TRACEFS "dyn_ftrace_total_info", "r");
	char *log = strstr(kernel_log(), "ftrace: allocating ");
	double sites = 0, pages = 0, all;

	if (f) {
		if (fscanf(f, "%lf pages:%lf", &sites, &pages) != 2)
			sites = 0;
		fclose(f);
	}
	if (!log || sscanf(log, "ftrace: allocating %lf entries", &all) != 1)
		all = 0;
	row_of("site-bytes", sites ? pages * PAGE / sites : -1, "%.0f sites, %.0f bytes", sites,
	       pages * PAGE);
	/* Another program counts the cost of sites at boot. */
	row_of("boot-sites", all ? 0 : -1, "%.0f sites", all);
}

/* Interrupts that have made CPUs call a function, of all CPUs. */
static double calls_between_cpus(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[1024], *at;
	double sum = 0, n;
	int len;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "Function call interrupts"))
			continue;
		for (at = strchr(line, ':') + 1; sscanf(at, "%lf%n", &n, &len) == 1; at += len)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

/* How often another CPU is interrupted while all functions are switched on, and off. */
static void rows_interrupts(void)
{
	static const char * const names[] = { "function-on-ipis", "function-off-ipis" };
	static const char * const tracers[] = { "function", "nop" };
	cpu_set_t first;
	long sites = 0;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || sched_setaffinity(0, sizeof(first), &first)) {
		fprintf(stderr, "bench: --ipis wants two CPUs\n");
		exit(1);
	}
	for (size_t i = 0; i < 2; i++) {
		double before = calls_between_cpus();
		bool done = tracer(tracers[i]);

		before = done ? calls_between_cpus() - before : -1;
		if (!i)
			sites = drain("enabled_functions").lines;
		row_of(names[i], before, "%ld sites", sites);
	}
}

static double reads(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	char byte;
	double t = now();

	for (int i = 0; i < CALLS; i++) {
		if (read(fd, &byte, 1) != 1)
			return -1;
	}
	t = now() - t;
	close(fd);
	return t / CALLS;
}

/* Two tasks that wake each other through pipes: half of a round has one switch. */
static double switches(void)
{
	int there[2], back[2];
	char byte = 0;
	double t = -1;
	pid_t pid;

	if (pipe(there) || pipe(back))
		return -1;
	pid = fork();
	if (!pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	for (int round = 0; round < 2; round++) {
		t = now();
		for (int i = 0; i < CALLS; i++) {
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				return -1;
		}
		t = (now() - t) / (2 * CALLS);
	}
	close(there[1]);
	waitpid(pid, NULL, 0);
	close(back[0]);
	close(back[1]);
	return t;
}

/* A loop of as many instructions each time; how long it takes says what interrupted it. */
static double loop(void)
{
	double t = now();

	for (unsigned int i = 0; i < 5000000; i++)
		__asm__ __volatile__("" : "+r" (i));
	return now() - t;
}

/* Interrupts of timers that nobody waits for, so many that ticks in between do not count. */
static double interrupts(void)
{
	enum { TIMERS = 500, ROUNDS = 20 };
	unsigned long long expired;
	double alone = 0, with = 0;
	int timers[TIMERS];

	for (int i = 0; i < TIMERS; i++)
		timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	loop();
	for (int round = 0; round < ROUNDS; round++) {
		alone += loop();
		for (int i = 0; i < TIMERS; i++) {
			struct itimerspec when = { .it_value.tv_nsec = 2000000 + i * 20000 };

			if (timerfd_settime(timers[i], 0, &when, NULL))
				return -1;
		}
		with += loop();
		for (int i = 0; i < TIMERS; i++) {
			if (read(timers[i], &expired, sizeof(expired)) != sizeof(expired))
				return -1;
		}
	}
	for (int i = 0; i < TIMERS; i++)
		close(timers[i]);
	return (with - alone) / (TIMERS * ROUNDS);
}

/* Work that goes on all the time, while nothing is traced. */
static void rows_off(void)
{
	getppid_calls();
	row("off-getppid", getppid_calls() / CALLS);
	reads();
	row("off-read", reads());
	row("off-switch", switches());
	row("off-interrupt", interrupts());
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "--off")) {
		rows_off();
		return 0;
	}

	if (!has("trace")) {
		fprintf(stderr, "bench: no tracefs at " TRACEFS "\n");
		return 1;
	}
	if (!strcmp(what, "--first-listing")) {
		row_listing("list-functions-first");
		return 0;
	}
	if (!strcmp(what, "--ipis")) {
		rows_interrupts();
		return 0;
	}
	must("tracing_on", "1");
	put("buffer_size_kb", "16384");
	getppid_calls();
	untraced = getppid_calls() / CALLS;
	if (!strcmp(what, "--hits")) {
		rows_hits(untraced);
		return 0;
	}
	if (!strcmp(what, "--probes")) {
		load_names();
		rows_probes();
		return 0;
	}
	rows_boot();
	row("getppid-untraced", untraced);
	quiet = afterwards();

	rows_filter(!strcmp(what, "--large"));
	rows_switch("function", "function", false);
	rows_switch("function", "function", true);
	/*
	 * While tasks sleep in functions whose returns were hooked, calls look for their parents.
	 * So the function tracer comes before anything that hooks returns.
	 */
	rows_function();
	rows_switch("function_graph", "graph", false);
	row_mixed();
	rows_pages();
	rows_ring_buffer();
	rows_ops();
	rows_returns();
	rows_graph();
	row_event();
	row_graph_memory();
	return 0;
}
