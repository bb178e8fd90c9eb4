// SPDX-License-Identifier: GPL-2.0
/* Parts that the counting programs of the guest share, see guest.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

char **names;
size_t nr_names;
const char *inner;
double quiet;

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* A count, and what it is of. */
void row_of(const char *name, double count, const char *format, ...)
{
	va_list args;

	if (count < 0) {
		printf("%s\t-\t\n", name);
	} else {
		printf("%s\t%.*f\t", name, count < 100 ? 1 : 0, count);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		putchar('\n');
	}
	fflush(stdout);
}

void row(const char *name, double count)
{
	row_of(name, count, "%s", "");
}

bool has(const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	return access(path, F_OK) == 0;
}

/* Write all of text, in as many calls as the file wants; 0 or an errno. */
int put_len(const char *file, int flags, const char *text, size_t len)
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

int put(const char *file, const char *text)
{
	return put_len(file, O_TRUNC, text, strlen(text));
}

void must(const char *file, const char *text)
{
	int err = put(file, text);

	if (err) {
		fprintf(stderr, "bench: writing '%s' to %s: %s\n", text, file,
			strerror(err));
		exit(1);
	}
}

/* Read a file to its end and throw it away; nothing of one that is not there. */
struct text drain(const char *file)
{
	static char buf[65536];
	struct text text = {};
	char path[256];
	bool start = true;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return text;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		text.bytes += n;
		for (ssize_t i = 0; i < n; i++) {
			if (start && buf[i] != '#')
				text.lines++;
			start = buf[i] == '\n';
		}
	}
	close(fd);
	return text;
}

/* The cost of reading alone, without looking at what was read. */
double drain_cost(const char *file)
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

/*
 * Nanoseconds for which the only CPU was idle. The kernel adds them up when it leaves idle.
 */
double idle(void)
{
	FILE *f = fopen("/proc/timer_list", "r");
	double sum = 0, ns;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " .idle_sleeptime : %lf", &ns) == 1)
			sum += ns;
	}
	if (f)
		fclose(f);
	return sum;
}

/*
 * The instructions of the next three seconds, in which this program sleeps: they count the work
 * that was left to kernel threads, to RCU and to interrupts, without the usual background.
 */
double afterwards(void)
{
	double asleep = idle(), t = now();

	sleep(3);
	asleep = idle() - asleep;
	t = now() - t - asleep - quiet;
	return asleep <= 0 ? -1 : t > 0 ? t : 0;
}

/* Records that are in the buffer. */
struct records records(void)
{
	FILE *f = fopen(TRACEFS "per_cpu/cpu0/stats", "r");
	struct records all = {};
	double overrun = 0, n;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "entries: %lf", &n) == 1)
			all.nr = n;
		else if (sscanf(line, "bytes: %lf", &n) == 1)
			all.bytes = n;
		else if (sscanf(line, "overrun: %lf", &n) == 1)
			overrun = n;
	}
	if (f)
		fclose(f);
	return overrun ? (struct records){} : all;
}

/* A number of /proc/meminfo, in bytes. */
double memory(const char *what)
{
	FILE *f = fopen("/proc/meminfo", "r");
	double kilobytes = 0, n;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, what, strlen(what)) &&
		    sscanf(line + strlen(what), ": %lf kB", &n) == 1)
			kilobytes = n;
	}
	if (f)
		fclose(f);
	return kilobytes * 1024;
}

/* The memory that the kernel has allocated for itself and cannot give back, in bytes. */
double kernel_bytes(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);

	/* Have each CPU add what it has counted by itself. */
	if (fd >= 0 && write(fd, "1", 1) == 1)
		close(fd);
	return memory("SUnreclaim") + memory("VmallocUsed");
}

char *kernel_log(void)
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
double ops_call(int nr)
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

void load_names(void)
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

/* Words of a file, such as /proc/kallsyms, sorted. */
struct words {
	char	**word;
	size_t	nr;
};

static int words_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct words words_load(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	struct words all = {};
	char line[512], word[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, format, word) != 1)
			continue;
		if (!(all.nr & (all.nr - 1)))
			all.word = realloc(all.word, 2 * (all.nr + 1) * sizeof(*all.word));
		all.word[all.nr++] = strdup(word);
	}
	if (f)
		fclose(f);
	if (all.nr)
		qsort(all.word, all.nr, sizeof(*all.word), words_order);
	return all;
}

/* How often a word is there: 0, 1, or 2 for more. */
static int words_count(const struct words *all, const char *word)
{
	char **at = all->nr ? bsearch(&word, all->word, all->nr, sizeof(word), words_order) : NULL;

	if (!at)
		return 0;
	return 1 + ((at > all->word && !strcmp(at[-1], word)) ||
		    (at + 1 < all->word + all->nr && !strcmp(at[1], word)));
}

/*
 * Up to @most functions, from all of the text, of which probes can be made by name; how many
 * there are.
 */
size_t probe_names(const char **found, size_t most)
{
	struct words symbols = words_load("/proc/kallsyms", "%*s %*s %255s");
	struct words refused = words_load("/sys/kernel/debug/kprobes/blacklist", "%*s %255s");
	const char **all = malloc(nr_names * sizeof(*all));
	size_t nr = 0;

	/* A name that several functions have is no place for a probe. */
	for (size_t i = 0; i < nr_names; i++) {
		if (words_count(&symbols, names[i]) == 1 && !words_count(&refused, names[i]))
			all[nr++] = names[i];
	}
	if (most > nr)
		most = nr;
	for (size_t i = 0; i < most; i++)
		found[i] = all[i * (nr / most)];
	free(all);
	return most;
}
