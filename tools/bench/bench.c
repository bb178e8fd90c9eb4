// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions of what tracing does, inside the guest.
 *
 * Under QEMU's -icount shift=0 an instruction takes a nanosecond of guest
 * time, so a difference of two readings of CLOCK_MONOTONIC_RAW is a count of
 * instructions. Waiting (a grace period) counts as well. It knows tracefs and
 * nothing of the kernel behind it; a file or tracer that the kernel lacks
 * makes its rows "-". One row a line: name, tab, count.
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
#include <sys/klog.h>
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

#define TRACEFS		"/sys/kernel/tracing/"
#define CALLS		20000	/* getppid calls of a run */
#define PAGE		4096

static char **names;		/* available_filter_functions, in order */
static size_t nr_names;
static const char *inner;	/* the function inside getppid that is hooked alone */
static double untraced;		/* instructions of an untraced getppid */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void row(const char *name, double count)
{
	if (count < 0)
		printf("%s\t-\n", name);
	else
		printf("%s\t%.*f\n", name, count < 100 ? 1 : 0, count);
	fflush(stdout);
}

static bool has(const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	return access(path, F_OK) == 0;
}

/* Write all of text, in as many calls as the file wants; 0 or an errno. */
static int put_len(const char *file, int flags, const char *text, size_t len)
{
	char path[256];
	int fd, err = 0;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_WRONLY | flags);
	if (fd < 0)
		return errno;
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n <= 0) {
			err = n ? errno : EIO;
			break;
		}
		text += n;
		len -= n;
	}
	if (close(fd) && !err)
		err = errno;
	return err;
}

static int put(const char *file, const char *text)
{
	return put_len(file, O_TRUNC, text, strlen(text));
}

static void must(const char *file, const char *text)
{
	int err = put(file, text);

	if (err) {
		fprintf(stderr, "bench: writing '%s' to %s: %s\n", text, file,
			strerror(err));
		exit(1);
	}
}

/* Read a file to its end and throw it away; its lines (no comments), or -1. */
static long drain(const char *file)
{
	static char buf[65536];
	char path[256];
	bool start = true;
	long lines = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (start && buf[i] != '#')
				lines++;
			start = buf[i] == '\n';
		}
	}
	close(fd);
	return lines;
}

/* The cost of reading alone, without looking at what was read. */
static double drain_cost(const char *file)
{
	static char buf[65536];
	char path[256];
	double t;
	int fd;

	t = now();
	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	return now() - t;
}

static void load_names(void)
{
	FILE *f = fopen(TRACEFS "available_filter_functions", "r");
	static const char * const inside[] = {
		"__do_sys_getppid", "__x64_sys_getppid", "__arm64_sys_getppid",
	};
	char line[512];
	size_t room = 0;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = 0;
		if (nr_names == room) {
			room = room ? 2 * room : 4096;
			names = realloc(names, room * sizeof(*names));
		}
		names[nr_names++] = strdup(line);
	}
	fclose(f);
	for (size_t i = 0; i < nr_names && !inner; i++)
		for (size_t k = 0; k < sizeof(inside) / sizeof(*inside); k++)
			if (!strcmp(names[i], inside[k]))
				inner = inside[k];
}

/* Records written so far, those overwritten included. */
static double records(void)
{
	FILE *f = fopen(TRACEFS "per_cpu/cpu0/stats", "r");
	double sum = 0, n;
	char line[256];

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "entries: %lf", &n) == 1 ||
		    sscanf(line, "overrun: %lf", &n) == 1)
			sum += n;
	fclose(f);
	return sum;
}

static double getppid_calls(void)
{
	double t = now();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return now() - t;
}

/* Run the calls with recording on; cost above the untraced ones, and records. */
static double recorded(double *nr)
{
	int fd = open(TRACEFS "tracing_on", O_WRONLY);
	double cost;

	must("tracing_on", "0");
	must("trace", "");
	*nr = records();
	if (fd < 0 || write(fd, "1", 1) != 1)
		return -1;
	cost = getppid_calls();
	if (write(fd, "0", 1) != 1)
		return -1;
	close(fd);
	*nr = records() - *nr;
	must("tracing_on", "1");
	return cost - CALLS * untraced;
}

static double per_record(void)
{
	double nr, cost = recorded(&nr);

	return nr > 0 ? cost / nr : -1;
}

static bool tracer(const char *name)
{
	return put("current_tracer", name) == 0;
}

static bool filter_one(void)
{
	return inner && put("set_ftrace_filter", inner) == 0;
}

static double filter_cost(const char *text)
{
	double t = now();
	int err = put("set_ftrace_filter", text);

	t = now() - t;
	return err ? -1 : t;
}

/*
 * One name, the mean of several at a fixed stride: a binary search among all symbols
 * takes 10 to 18 steps, according to where the name happens to be.
 */
static double filter_single(void)
{
	enum { SAMPLES = 32 };
	double sum = 0;

	for (size_t i = 0; i < SAMPLES; i++) {
		double cost = nr_names < SAMPLES ? -1 :
			      filter_cost(names[i * (nr_names / SAMPLES)]);

		if (cost < 0)
			return -1;
		sum += cost;
		must("set_ftrace_filter", "");
	}
	return sum / SAMPLES;
}

/* count names at a fixed stride over all of them, in one string */
static double filter_many(size_t count)
{
	size_t stride = nr_names / count, len = 0;
	double t;
	char *text;
	int err;

	if (!stride)
		return -1;
	text = malloc(count * 256);
	for (size_t i = 0; i < count; i++)
		len += sprintf(text + len, "%s\n", names[i * stride]);
	t = now();
	err = put_len("set_ftrace_filter", O_TRUNC, text, len);
	t = now() - t;
	free(text);
	return err ? -1 : t;
}

/* Before anything else has used names: the first glob may build an index. */
static void rows_filter(bool large)
{
	double glob = -1, again = -1, one = -1, some = -1, k1 = -1, k10 = -1;

	if (has("set_ftrace_filter")) {
		glob = filter_cost("*sched*");
		must("set_ftrace_filter", "");
		again = filter_cost("*sched*");
		must("set_ftrace_filter", "");
		load_names();
		one = filter_single();
		some = filter_many(20);
		must("set_ftrace_filter", "");
		if (large) {
			k1 = filter_many(1000);
			must("set_ftrace_filter", "");
			k10 = filter_many(10000);
			must("set_ftrace_filter", "");
		}
	}
	row("filter-glob", glob);
	row("filter-glob-again", again);
	row("filter-1", one);
	row("filter-20", some);
	row("filter-1000", k1);
	row("filter-10000", k10);
	row("list-functions", drain_cost("available_filter_functions"));
}

static void rows_switch(const char *name, const char *label, bool one)
{
	double on = -1, off = -1, t;
	char text[64];

	if (!one || filter_one()) {
		t = now();
		if (tracer(name)) {
			on = now() - t;
			t = now();
			must("current_tracer", "nop");
			off = now() - t;
		}
	}
	put("set_ftrace_filter", "");
	snprintf(text, sizeof(text), "%s-on%s", label, one ? "-one" : "");
	row(text, on);
	snprintf(text, sizeof(text), "%s-off%s", label, one ? "-one" : "");
	row(text, off);
}

/* Both trace every function inside getppid, then one of them. */
static void rows_function(void)
{
	double all = -1, one = -1, named = -1, line = -1;

	if (tracer("function")) {
		recorded(&all);		/* warm: buffer pages, caches of the kernel */
		all = per_record();
		must("tracing_on", "0");
		long lines = drain("trace");

		if (lines > 0)
			line = drain_cost("trace") / lines;
		must("tracing_on", "1");
		must("current_tracer", "nop");
		if (filter_one() && tracer("function")) {
			one = per_record();
			must("current_tracer", "nop");
		}
		/* Every function by its name, so that the filter is as large as can be. */
		if (!put("set_ftrace_filter", "[a-zA-Z_]*") && tracer("function")) {
			named = per_record();
			must("current_tracer", "nop");
		}
		must("set_ftrace_filter", "");
	}
	row("function-record", all);
	row("function-record-one", one);
	row("function-record-named", named);
	row("trace-line", line);
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
	double line = -1;
	long lines;

	if (tracer("function")) {
		must("trace", "");
		mixed_files();
		mixed_folders();
		mixed_descriptors();
		mixed_tasks();
		must("tracing_on", "0");
		lines = drain("trace");
		if (lines > 0)
			line = drain_cost("trace") / lines;
		must("trace", "");
		must("tracing_on", "1");
		must("current_tracer", "nop");
	}
	row("trace-line-mixed", line);
}

#define RAW		TRACEFS "per_cpu/cpu0/trace_pipe_raw"

/* Have pages of function records to read, and what reads them not traced. */
static bool fill_pages(void)
{
	double nr;

	if (!tracer("function"))
		return false;
	recorded(&nr);
	must("tracing_on", "0");
	return nr > 0 && filter_one();
}

static void empty_pages(void)
{
	must("set_ftrace_filter", "");
	must("trace", "");
	must("tracing_on", "1");
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
		seen = drain(path);
	}
	for (i = 0; i <= made && i < nr; i++) {
		snprintf(path, sizeof(path), TRACEFS "instances/graph%d", i);
		rmdir(path);
	}
	return seen > 0 ? cost : -1;
}

static void rows_graph(void)
{
	double all = -1, one = -1, other = -1, nr, cost, inside = 0;

	if (tracer("function_graph")) {
		cost = recorded(&nr);
		cost = recorded(&nr);
		/* an entry and a return are two records of one function */
		inside = nr / 2;
		all = cost / inside;
		must("current_tracer", "nop");
		if (filter_one() && tracer("function_graph")) {
			one = 2 * per_record();
			must("current_tracer", "nop");
		}
		must("set_ftrace_filter", "");
		if (inside && has("set_graph_function") &&
		    !put("set_graph_function", "do_unlinkat") &&
		    tracer("function_graph")) {
			other = untraced + recorded(&nr) / CALLS;
			must("current_tracer", "nop");
			must("set_graph_function", "");
		}
	}
	row("graph-10-users", graph_users(10));
	row("graph-function", all);
	row("graph-function-one", one);
	row("graph-other-root", other);
}

/* What the kernel has in slabs that it cannot give back, in bytes. */
static double slab_bytes(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);
	double kilobytes = -1;
	char line[256];
	FILE *f;

	/* Have each CPU add what it has counted by itself. */
	if (fd >= 0 && write(fd, "1", 1) == 1)
		close(fd);
	f = fopen("/proc/meminfo", "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "SUnreclaim: %lf kB", &kilobytes);
	if (f)
		fclose(f);
	return kilobytes * 1024;
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
		before = slab_bytes();
		if (tracer("function_graph")) {
			getppid_calls();
			bytes = slab_bytes() - before;
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

static void rows_events(void)
{
	double event = -1, probe = -1;
	char text[256];

	if (!put("events/raw_syscalls/enable", "1")) {
		event = per_record();
		must("events/raw_syscalls/enable", "0");
	}
	if (inner && has("kprobe_events")) {
		snprintf(text, sizeof(text), "p:bench/inner %s", inner);
		if (!put("kprobe_events", text) && !put("events/bench/enable", "1")) {
			probe = per_record();
			must("events/bench/enable", "0");
		}
		put("kprobe_events", "");
	}
	row("event", event);
	row("kprobe-event", probe);
}

static char *kernel_log(void)
{
	static char log[1 << 20];
	int n = klogctl(3 /* read all */, log, sizeof(log) - 1);

	log[n > 0 ? n : 0] = 0;
	return log;
}

/*
 * A call of a function with nr empty ops, as the base's samples/ftrace/ftrace-ops
 * counts it while it loads. That ends with an error, and nothing is loaded.
 */
static double ops_call(int nr)
{
	double calls, sum, cost = -1;
	char text[128], *line, *next;
	int fd = open("/ftrace-ops.ko", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	snprintf(text, sizeof(text), "nr_function_calls=%d nr_ops_relevant=%d", CALLS, nr);
	if (syscall(SYS_finit_module, fd, text, 0) && errno == EINVAL) {
		for (line = kernel_log(); (next = strstr(line, "Attempted ")); line = next + 1)
			if (sscanf(next, "Attempted %lf calls to %*[^]]] in %lfns", &calls,
				   &sum) == 2)
				cost = sum / calls;
	}
	close(fd);
	return cost;
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
 * An event of the ring buffer's benchmark without reader: the first round, which is
 * ten seconds. The base tree's tells it in the trace, ours in the log.
 */
static void row_benchmark(void)
{
	int fd = open("/ring_buffer_benchmark.ko", O_RDONLY | O_CLOEXEC);
	double cost = -1, n;
	char line[256];
	FILE *trace;

	must("trace", "");
	if (fd >= 0 && !syscall(SYS_finit_module, fd, "disable_reader=1", 0)) {
		sleep(15);
		trace = fopen(TRACEFS "trace", "r");
		while (trace && fgets(line, sizeof(line), trace)) {
			char *text = strstr(line, "]");

			text = text ? strstr(text, ": ") : NULL;
			text = text ? strstr(text + 2, ": ") : NULL;
			if (text && strstr(text, "ns per entry") &&
			    sscanf(text + 2, "%lf ns", &n) == 1)
				cost = n;
		}
		if (trace)
			fclose(trace);
		for (char *at = kernel_log(); (at = strstr(at, " events a ms, ")); at++)
			if (sscanf(at, " events a ms, %lf ns an event", &n) == 1)
				cost = n;
		syscall(SYS_delete_module, "ring_buffer_benchmark", O_NONBLOCK);
	}
	if (fd >= 0)
		close(fd);
	row("ring-buffer-event", cost);
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

/* The boot log tells how many sites there are, and the pages they take. */
static void rows_boot(void)
{
	double sites, pages, bytes = -1;
	char *line = strstr(kernel_log(), "ftrace: allocating ");

	if (line && sscanf(line, "ftrace: allocating %lf entries in %lf pages",
			   &sites, &pages) == 2)
		bytes = pages * PAGE / sites;
	row("site-bytes", bytes);
}

int main(int argc, char **argv)
{
	bool large = argc > 1 && !strcmp(argv[1], "--large");

	if (!has("trace")) {
		fprintf(stderr, "bench: no tracefs at " TRACEFS "\n");
		return 1;
	}
	rows_boot();
	must("tracing_on", "1");
	put("buffer_size_kb", "16384");
	getppid_calls();
	untraced = getppid_calls() / CALLS;
	row("getppid-untraced", untraced);

	rows_filter(large);
	rows_switch("function", "function", false);
	rows_switch("function", "function", true);
	rows_switch("function_graph", "graph", false);
	rows_function();
	row_mixed();
	rows_pages();
	row_benchmark();
	rows_ops();
	rows_returns();
	rows_graph();
	rows_events();
	row_graph_memory();
	return 0;
}
