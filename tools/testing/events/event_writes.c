// SPDX-License-Identifier: GPL-2.0
/*
 * Generated writes to the files that define and change events, to those of their triggers and
 * filters, and to sets of functions with predicates.
 *
 * usage: event_writes DIR WRITES SEED
 *        event_writes --list [--6.12] DIR LIST
 *        event_writes --tell DIR FIRST END SEED
 *        event_writes --self-test
 *
 * DIR is the folder of tracefs. Texts come from a grammar of each file, and some of them are
 * damaged by chance. A write that fails must leave all as it was, as the files list it, and what
 * error_log tells of it has its caret in the text. Every CHECK writes, what is listed is removed
 * and written back, and must be listed again. At the end all is removed; then everything is as it
 * was before, and slab and vmalloc must not have grown by LEAK.
 *
 * Where the kernel can make allocations fail (CONFIG_FAILSLAB), each text of the list and some of
 * the others are written again and again, with the first allocation failing, the second, and so on.
 *
 * With --list, each text of a list is written to the same state, and the errno and what error_log
 * says of it must be what the list has; with --6.12 as well, what it has for that kernel.
 *
 * With --tell, the texts with the numbers from FIRST to END - 1 are written to that state, and a
 * line tells of each what came of it, so that two kernels can be compared.
 *
 * It knows tracefs and nothing of the kernel behind it. The events that have triggers are not hit
 * meanwhile.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../filters/chance.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define CHECK		200
#define LEAK		(2048 * 1024L)
#define TEXT_MAX	2000
#define DEPTH		12

/* Events that are not hit. Both have a number of 4 bytes and a string. */
#define EXEC		"events/sched/sched_process_exec"
#define LOAD		"events/module/module_load"

/* Files that list definitions, triggers and filters. */
static const char * const listings[] = {
	"show_event_triggers", "show_event_filters", "synthetic_events", "dynamic_events",
	"kprobe_events", "uprobe_events", "set_event", "trace_clock", "tracing_on",
	"set_ftrace_filter", "set_graph_function", NULL
};

/*
 * The grammar: a name of one letter, and its alternatives. A '`' and a letter stand for one of the
 * alternatives of that letter. The last alternative has none of them, as it ends the recursion.
 */
static const struct rule {
	char		name;
	const char	*alt[24];
} rules[] = {
	/* names, numbers, times */
	{ 'n', { "fz_a", "fz_b", "fz_c", "fz_d" } },
	{ 'v', { "v1", "v2", "v3", "v4" } },
	{ '0', { "0", "1", "2", "7", "10", "255", "4096", "0x10", "-1", "18446744073709551615",
		 "99999999999999999999" } },
	{ 'w', { "1ms", "1s", "10us", "500ns", "0s", "1h", "3" } },
	{ 'm', { "sched.sched_process_exec", "module.module_load" } },
	/* triggers */
	{ 'T', { "`!`C`P`I", "`!hist:keys=`k`H`I", "`!hist:keys=`k`V`H`I", "`!hist:keys=`k`V`H`A`I",
		 "!`X:`E", "`!hist:keys=`k`A", "`!hist:keys=`k`V`A",
		 "`!hist:keys=`e:vals=pid`p,`e`p:`d", "`!hist:keys=`e,`e`p:vals=`e,pid`p:`d`I",
		 "`!hist:keys=pid:v1=`e:vals=$v1`p:`d:sort=$v1`p", "traceoff" } },
	{ 'e', { "filename[0]", "filename[1]", "name[0]", "name[0].hex", "filename[`0]", "pid" } },
	{ 'd', { "interval=`w", "interval=`w:keep=`1", "keep=`1:interval=1s:clock=global",
		 "interval=`0:clock=counter", "size=`0", "size=128" } },
	{ '1', { "1", "2", "3", "6" } },
	{ '!', { "", "", "", "!" } },
	{ 'C', { "traceon", "traceoff", "stacktrace", "snapshot", "`X:`E" } },
	{ 'X', { "enable_event", "disable_event", "enable_hist", "disable_hist" } },
	{ 'E', { "module:module_load", "sched:sched_process_exec", "module:module_free", "fz:`n",
		 "synthetic:`n", "no:such" } },
	{ 'P', { "", ":`0", ":`0:after=`0", ":`0:every=`0", ":`0:ratelimit=`w", ":`0:delay=`w",
		 ":after=`0:every=`0", ":delay=`w", "" } },
	{ 'I', { "", "", " if `F", "" } },
	{ 'k', { "`f", "`f,`f", "`f`M", "`f`M,`f`M,`f", "pid" } },
	{ 'f', { "pid", "old_pid", "filename", "common_pid", "common_cpu", "common_timestamp",
		 "common_stacktrace", "name", "taints", "hitcount", "$`v", "nope", "cpu", "comm",
		 "filename[`0]", "filename[0]", "name[1]", "pid[`0]", "`f[0]", "pid" } },
	{ 'M', { "", ".hex", ".sym", ".sym-offset", ".log2", ".execname", ".syscall", ".usecs",
		 ".buckets=`0", ".percent", ".graph", ".stacktrace", ".nope", "`p", "`p", "" } },
	{ 'p', { ".p50", ".p99", ".p999", ".p5", ".p100", ".p`0", ".hex.max", ".min", ".max" } },
	{ 'H', { "", ":vals=`f`M", ":values=`x,`f", ":sort=`f", ":sort=`f.descending,`f",
		 ":size=`0", ":size=256", ":pause", ":cont", ":clear", ":name=`n", ":clock=mono",
		 ":clock=nope", ":nohitcount", ":NOHC", ":vals=`f:sort=`f:size=512",
		 ":vals=`f`p,`f`p,`f", ":vals=`f`p:sort=`f`p", ":interval=`w", ":keep=`0",
		 ":interval=`w:keep=`0", ":interval=`0:clock=counter:keep=2", "" } },
	{ 'V', { ":`v=`x", ":`v=`x,`v=`x", ":`v=`x:`v=`x", ":`v=$`v", ":v1=pid" } },
	{ 'x', { "`f`M", "`f-`f", "`x+`0", "`x*`x", "-(`x)", "`0", "`f/`0", "$`v", "`m.$`v",
		 "pid" } },
	{ 'A', { ":onmatch(`m).`D", ":onmax($`v).`D", ":onchange($`v).`D",
		 ":onmatch(`m).`D:onmax($`v).`D", ":onmax($v1).snapshot()" } },
	{ 'D', { "trace(`n,`a)", "trace(`n,`a,`a)", "`n(`a)", "`n(`a,`a,`a)", "save(`f)",
		 "save(`f,`f,`f)", "snapshot()", "nope()", "save()" } },
	{ 'a', { "$`v", "`f", "`m.`f", "`m.filename", "`m.name", "`m.pid", "pid" } },
	/* filters */
	{ 'F', { "`f `o `q", "`f `o `q && `F", "`F || `F", "!(`F)", "(`F)", "`f`o`q", "0",
		 "pid == 1" } },
	{ 'o', { "==", "!=", "<", "<=", ">", ">=", "&", "~", "=" } },
	{ 'q', { "`0", "\"*sh*\"", "'init'", "\"abc", "CPUS{0}", "nope", "1" } },
	/* synthetic events */
	{ 'S', { "`n `y `z", "`n `y `z; `y `z", "`n `y `z; `y `z; `y `z", "!`n", "!`n `y `z", "`n",
		 "s:`n `y `z", "fz_a int a" } },
	{ 'y', { "int", "u64", "s32", "unsigned long", "char[]", "char[16]", "char[0]", "pid_t",
		 "unsigned long[]", "bool", "gfp_t", "u8", "nope", "struct foo", "long" } },
	{ 'z', { "a", "b", "c", "a[4]", "1x", "a" } },
	/* dynamic events */
	{ 'Y', { "`K", "`U", "f:fz/`n `s `r", "f:fz/`n `s%return `r", "t:fz/`n `t `r",
		 "e:fz/`n `m `r", "e:fz/`n synthetic.`n `r", "s:`n `y `z; `y `z", "-:fz/`n",
		 "-:fz/", "-:`n", "-:synthetic/`n", "e:fz/`n fz/`n `r", "-:fz/fz_a" } },
	{ 'K', { "p:fz/`n `s `r", "p:fz/`n `s+`0 `r", "r:fz/`n `s `r", "r`0:fz/`n `s `r",
		 "p:`n `s `r", "p `s `r", "p:fz/`n no_such_function", "p:fz/`n nomod:`s",
		 "p:fz/`n `s%return $retval", "-:fz/`n", "-:kprobes/", "p:fz/fz_a vfs_read" } },
	{ 'U', { "p:fz/`n `u:0x40 `r", "r:fz/`n `u:0x40 `r", "p:fz/`n `u:`0 `r", "p `u:0x40",
		 "p:fz/`n `u:0x40(0x80) `r", "p:fz/`n `u:0x40%return `r", "-:fz/`n", "-:uprobes/",
		 "p:fz/fz_a /bin/sh:0x40" } },
	{ 'u', { "/bin/sh", "/bin/busybox", "/bin", "/nope", "/proc/version" } },
	{ 's', { "vfs_read", "vfs_write", "do_sys_openat2", "schedule_timeout", "vfs_fsync" } },
	{ 't', { "sched_process_exec", "module_load", "kfree", "nope" } },
	{ 'r', { "", "`R", "`R `R", "`R `R `R", "" } },
	{ 'R', { "a=`g", "b=`g:`h", "`g", "c=`g:`h[`0]", "1=`g", "a=`g" } },
	{ 'g', { "%ax", "%di", "$arg1", "$arg2", "$retval", "$stack", "$stack`0", "$comm",
		 "+`0(`g)", "-8(`g)", "+u0(`g)", "@vfs_read", "@0xffffffff81000000", "\\`0",
		 "\\\"str\"", "$pid", "$filename", "$nope", "fd", "%nope", "$stack0" } },
	{ 'h', { "u8", "s16", "u32", "x64", "string", "ustring", "symbol", "b4@2/32", "char",
		 "nope", "symstr", "u64" } },
	/* sets of functions, and predicates on the arguments of their calls */
	{ 'J', { "`!`j if `G\n", "`!`j if `G\n", "`j if `G\n`j if `G\n", "`!`j\n", "`j `j\n",
		 "`j if `G `j\n", "!vfs_read if arg3 == 1\n", "!vfs_read if arg`1 `c `1\n",
		 "vfs_read if arg3 == 1\n" } },
	{ 'j', { "vfs_*", "no_such", "*_fsync", "`s", "`s", "`s", "vfs_read" } },
	{ 'G', { "arg`1 `c `1", "$arg`1 `c `0", "(arg`1 & `1) `c 0", "`i `o `q", "`G && `G",
		 "`G || `G", "!(`G)", "`i", "arg3 == 1" } },
	{ 'c', { "==", "!=", "<", "<=", ">", ">=" } },
	{ 'i', { "arg`0", "$arg`0", "arg1", "arg2", "$arg3", "count", "buf", "file", "nope",
		 "$retval", "arg3" } },
	/* set_event, and the file enable of an event that is defined */
	{ 'W', { "`!sched:sched_process_exec", "`!module:module_load", "`!fz:`n", "`!synthetic:`n",
		 "`!`n", "`!no:such", "`!:mod:nomod", "sched:sched_process_exec" } },
	{ 'B', { "1", "0", "2", "" } },
	{ }
};

/* @rule: of its texts; @weight: how often it is written, beside others */
static const struct target {
	const char	*file;
	char		rule;
	unsigned int	weight;
} targets[] = {
	{ EXEC "/trigger", 'T', 10 }, { LOAD "/trigger", 'T', 6 }, { EXEC "/filter", 'F', 3 },
	{ LOAD "/filter", 'F', 1 }, { "synthetic_events", 'S', 5 }, { "dynamic_events", 'Y', 8 },
	{ "kprobe_events", 'K', 4 }, { "uprobe_events", 'U', 3 }, { "set_event", 'W', 3 },
	{ "events/fz/fz_a/enable", 'B', 2 }, { "events/fz/fz_b/enable", 'B', 1 },
	{ "events/synthetic/fz_a/enable", 'B', 1 }, { "events/synthetic/fz_a/filter", 'F', 1 },
	{ "set_ftrace_filter", 'J', 6 }, { "set_graph_function", 'J', 3 },
	{ }
};

static unsigned long done, taken, refused, carets, absent, starved;
static bool partly;		/* the last write has changed something, and failed */
static bool failed;		/* an allocation of the last write has failed */
static int fail_nth = -1;	/* a file; the allocation of this task that fails */
static char text[TEXT_MAX + 512], file_now[128];

static void fail(const char *fmt, ...)
{
	va_list ap;

	printf("event_writes: FAIL: after %lu writes, \"%s\" to %s: ", done, text, file_now);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	exit(1);
}

/* The text of a file; NULL: there is no such file. */
static char *read_all(const char *file)
{
	size_t cap = 1 << 16, len = 0;
	char *buf = malloc(cap + 1);
	int fd = open(file, O_RDONLY);
	ssize_t n;

	if (fd < 0) {
		free(buf);
		return NULL;
	}
	while ((n = read(fd, buf + len, cap - len)) > 0) {
		len += n;
		if (len == cap) {
			cap *= 2;
			buf = realloc(buf, cap + 1);
		}
	}
	if (n < 0)
		fail("reading %s: %s", file, strerror(errno));
	close(fd);
	buf[len] = 0;
	return buf;
}

/* All that is listed, one file behind the other. */
static char *read_state(void)
{
	char *all = calloc(1, 1), *one;

	for (int i = 0; listings[i]; i++) {
		one = read_all(listings[i]);
		if (!one)
			continue;
		all = realloc(all, strlen(all) + strlen(listings[i]) + strlen(one) + 4);
		strcat(strcat(strcat(strcat(all, "# "), listings[i]), "\n"), one);
		free(one);
	}
	return all;
}

/* Tell where two states differ. */
static void expect_same(const char *before, const char *after, const char *what)
{
	size_t i = 0;

	if (!strcmp(before, after))
		return;
	while (before[i] && before[i] == after[i])
		i++;
	while (i && before[i - 1] != '\n')
		i--;
	fail("%s: it was\n%.400s\n--- and is\n%.400s", what, before + i, after + i);
}

/* Has the allocation failed that was to fail? It is 0 then. */
static bool has_failed(void)
{
	char number[16] = "";

	return fail_nth >= 0 && pread(fail_nth, number, sizeof(number) - 1, 0) > 0 &&
	       !strtoul(number, NULL, 10);
}

static void set_fail_nth(unsigned int nth)
{
	char number[16];

	if (fail_nth < 0)
		return;
	snprintf(number, sizeof(number), "%u", nth);
	if (pwrite(fail_nth, number, strlen(number), 0) < 0)
		fail("fail-nth: %s", strerror(errno));
}

/*
 * Write to a file, which is opened with @flags besides. @nth: the allocation that fails, 0: none
 * does. 0 or an errno; -1: there is no file. set_event takes a word a write, and those before the
 * one that is refused stay: the text is @partly taken then.
 */
static int write_file_failing(const char *file, const char *what, int flags, unsigned int nth)
{
	int fd = open(file, O_WRONLY | flags), err = 0;
	size_t len = strlen(what), at = 0;
	ssize_t n;

	partly = false;
	if (fd < 0)
		return errno == ENOENT ? -1 : errno;
	set_fail_nth(nth);
	while (at < len && !err) {
		n = write(fd, what + at, len - at);
		if (n > 0)
			at += n;
		else
			err = n ? errno : EIO;
	}
	failed = nth && has_failed();
	set_fail_nth(0);
	partly = err && at;
	if (close(fd))
		err = err ?: errno;
	return err;
}

static int write_file(const char *file, const char *what, int flags)
{
	return write_file_failing(file, what, flags, 0);
}

/* Can allocations fail? They may be reported, and those that may wait do not fail, by default. */
static void open_fail_nth(void)
{
	static const char dir[] = "/sys/kernel/debug/failslab/";
	char file[64];

	snprintf(file, sizeof(file), "%signore-gfp-wait", dir);
	if (write_file(file, "N", 0))
		return;
	snprintf(file, sizeof(file), "%sverbose", dir);
	write_file(file, "0", 0);
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
}

static const struct rule *rule_of(char name)
{
	const struct rule *rule = rules;

	while (rule->name && rule->name != name)
		rule++;
	if (!rule->name)
		fail("the grammar has no '%c'", name);
	return rule;
}

static void expand(char name, int depth)
{
	const struct rule *rule = rule_of(name);
	const char *alt;
	size_t len;
	int nr = 0;

	while (rule->alt[nr])
		nr++;
	alt = rule->alt[depth > DEPTH || strlen(text) > TEXT_MAX ? nr - 1 : (int)chance(nr)];
	for (; *alt; alt++) {
		if (*alt == '`') {
			expand(*++alt, depth + 1);
			continue;
		}
		len = strlen(text);
		text[len] = *alt;
		text[len + 1] = 0;
	}
}

/* A letter goes, comes, is another one, or all behind it goes. */
static void damage(void)
{
	static const char letters[] = " :,.=()$!@+-%^\"'[]{}|&~<>;/\\ax0";
	size_t len = strlen(text), at = len ? chance(len) : 0;

	if (!len)
		return;
	switch (chance(6)) {
	case 0:
		memmove(text + at, text + at + 1, len - at);
		break;
	case 1:
		if (len > TEXT_MAX)
			break;
		memmove(text + at + 1, text + at, len - at + 1);
		break;
	case 2:
	case 3:
		text[at] = letters[chance(sizeof(letters) - 1)];
		break;
	case 4:
		text[at] = 0;
		break;
	default:
		if (len > TEXT_MAX)
			break;
		memmove(text + at + 300, text + at, len - at + 1);
		memset(text + at, 'x', 300);
	}
}

/*
 * Does the caret of the last entry in error_log stand under its text, or behind it, where there may
 * be a blank between them?
 */
static bool caret_stands(const char *log)
{
	static const char head[] = "  Command: ";
	const char *command = NULL, *p, *caret;
	size_t len;

	for (p = log; (p = strstr(p, head)); p++)
		command = p + strlen(head);
	if (!command)
		return false;
	len = strcspn(command, "\n");
	p = command[len] ? command + len + 1 : "";
	caret = p + strspn(p, " ");
	return *caret == '^' && caret - p >= (long)strlen(head) &&
	       caret - p <= (long)(strlen(head) + len + 1);
}

static bool is_usual(int err)
{
	/*
	 * The parentheses of a filter give EPERM, ENOENT and ESRCH. 524 and EIO are what uprobes
	 * say of instructions that they cannot probe, and of places that are not in the file.
	 */
	static const int usual[] = { EINVAL, EPERM, ENOENT, EEXIST, EBUSY, ENODEV, ERANGE, E2BIG,
				     ENOSPC, EOPNOTSUPP, ENAMETOOLONG, EILSEQ, ESRCH, EISDIR,
				     ENOTDIR, EDOM, EIO, 524, 0 };

	for (int i = 0; usual[i]; i++) {
		if (usual[i] == err)
			return true;
	}
	return false;
}

static const struct target *choose_target(void)
{
	const struct target *t;
	unsigned int sum = 0;

	for (t = targets; t->file; t++)
		sum += t->weight;
	sum = chance(sum);
	for (t = targets; sum >= t->weight; t++)
		sum -= t->weight;
	return t;
}

/* Write the text with each allocation failing in turn, until it is taken. */
static void write_starved(const struct target *t, const char *before)
{
	char *after;
	int err;

	for (unsigned int nth = 1; nth < 1000; nth++) {
		err = write_file_failing(t->file, text, O_APPEND, nth);
		if (err <= 0)
			return;
		starved += err == ENOMEM;
		if (partly)
			return;
		after = read_state();
		expect_same(before, after, "without memory");
		free(after);
		/* The text is wrong, whatever fails. */
		if (err != ENOMEM && nth > 20)
			return;
	}
}

/* Is there a word that names no single event, or none at all? */
static bool names_system(const char *words)
{
	size_t len;

	do {
		words += strspn(words, " \t\n");
		len = strcspn(words, " \t\n");
		if (!memchr(words, ':', len) || words[len - 1] == ':')
			return true;
		words += len;
	} while (words[strspn(words, " \t\n")]);
	return false;
}

/* A text for a file; NULL: not this one. */
static const struct target *make_text(void)
{
	const struct target *t = choose_target();

	text[0] = 0;
	snprintf(file_now, sizeof(file_now), "%s", t->file);
	expand(t->rule, 0);
	for (int n = chance(3) ? 0 : 1 + chance(3); n; n--)
		damage();
	/* Whole systems are not to be switched on, nor is a user's log emptied. */
	return t->rule == 'W' && names_system(text) ? NULL : t;
}

static void write_one(void)
{
	const struct target *t = make_text();
	char *before, *after, *log, *new_log;
	int err;

	if (!t)
		return;
	before = read_state();
	log = read_all("error_log");
	if (fail_nth >= 0 && !chance(4)) {
		write_starved(t, before);
		free(before);
		before = read_state();
	}
	err = write_file(t->file, text, O_APPEND);
	if (err > 0) {
		refused++;
		if (!is_usual(err))
			fail("it gives %s", strerror(err));
		if (!partly) {
			after = read_state();
			expect_same(before, after, strerror(err));
			free(after);
		}
		new_log = read_all("error_log");
		if (new_log && log && strcmp(log, new_log) && *new_log) {
			if (!caret_stands(new_log))
				fail("the caret is wrong:\n%s", new_log);
			carets++;
		}
		free(new_log);
	} else if (err) {
		absent++;
	} else {
		taken++;
	}
	free(before);
	free(log);
}

static void drop_word(char *line, const char *word)
{
	char *at = strstr(line, word);

	if (at)
		memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* Write each line of a listing to a file, with @before in front of it. How many were refused. */
static int write_lines(const char *file, const char *listing, const char *before, bool backwards)
{
	char *copy = strdup(listing), *lines[512], *line, *rest = copy, *end;
	int nr = 0, bad = 0, err;

	while ((line = strsep(&rest, "\n")) && nr < 512) {
		if (!*line || *line == '#')
			continue;
		/* A count has a word in front of it where it is shown, and none when written. */
		drop_word(line, ":unlimited");
		drop_word(line, "count=");
		end = strstr(line, " [");
		if (end && (!strcmp(end, " [active]") || !strcmp(end, " [paused]")))
			*end = 0;
		lines[nr++] = line;
	}
	for (int i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "%s%s", before, lines[backwards ? nr - 1 - i : i]);
		snprintf(file_now, sizeof(file_now), "%s", file);
		err = write_file(file, text, O_APPEND);
		if (err && *before)
			bad++;
		else if (err)
			fail("a line that was listed gives %s, of\n%s", strerror(err), listing);
	}
	free(copy);
	return bad;
}

static void drop_triggers(const char *file)
{
	char *lines = read_all(file);

	write_lines(file, lines, "!", true);
	free(lines);
}

/* Remove all triggers, of which some refer to others. */
static void drop_all_triggers(void)
{
	for (int i = 0; i < 8; i++) {
		drop_triggers(LOAD "/trigger");
		drop_triggers(EXEC "/trigger");
	}
}

/* A field that an action has made is not written, and a trigger that is paused would not be. */
static bool can_come_back(const char *triggers)
{
	return !strstr(triggers, "synthetic_") && !strstr(triggers, "[paused]");
}

/* Triggers are removed by the lines that list them, and come back by these. */
static void check_triggers(void)
{
	static const char * const files[] = { EXEC "/trigger", LOAD "/trigger" };
	char *before = read_all("show_event_triggers"), *after, *lines[2];

	for (int i = 0; i < 2; i++)
		lines[i] = read_all(files[i]);
	drop_all_triggers();
	after = read_all("show_event_triggers");
	expect_same("", after, "triggers stay");
	free(after);
	/* A trigger that refers to the other event's comes behind it, which is not known here. */
	if (can_come_back(before) && !strchr(before, '$')) {
		for (int i = 0; i < 2; i++)
			write_lines(files[i], lines[i], "", false);
		after = read_all("show_event_triggers");
		expect_same(before, after, "triggers do not come back");
		free(after);
	}
	free(before);
	free(lines[0]);
	free(lines[1]);
}

/* Definitions likewise. Some are in use: then all stay. */
static void check_definitions(void)
{
	char *before = read_all("dynamic_events"), *after;
	int err;

	text[0] = 0;
	snprintf(file_now, sizeof(file_now), "dynamic_events");
	err = write_file("dynamic_events", "", O_TRUNC);
	after = read_all("dynamic_events");
	if (err) {
		expect_same(before, after, strerror(err));
	} else {
		expect_same("", after, "definitions stay");
		write_lines("dynamic_events", before, "", false);
		free(after);
		after = read_all("dynamic_events");
		expect_same(before, after, "definitions do not come back");
	}
	free(before);
	free(after);
}

/* The functions of a set, with their predicates, are what its lines say. */
static void check_functions(const char *file)
{
	char *before = read_all(file), *after;

	if (!before)
		return;
	snprintf(file_now, sizeof(file_now), "%s", file);
	text[0] = 0;
	if (write_file(file, "", O_TRUNC))
		fail("%s", strerror(errno));
	after = read_all(file);
	if (after[0] != '#')
		fail("functions stay: %.200s", after);
	free(after);
	write_lines(file, before, "", false);
	after = read_all(file);
	expect_same(before, after, "functions do not come back");
	free(before);
	free(after);
}

/* Remove one definition after the other: where one has another's event, not all go at once. */
static void drop_definitions(void)
{
	char *lines = read_all("dynamic_events"), *line, *rest, name[128];

	for (int i = 0; i < 2; i++) {
		for (rest = lines; rest && *rest; rest = *line ? line + 1 : NULL) {
			line = rest + strcspn(rest, "\n");
			rest += strcspn(rest, ":");
			snprintf(name, sizeof(name), "-%.*s", (int)strcspn(rest, "\n "), rest);
			write_file("dynamic_events", name, O_APPEND);
		}
	}
	free(lines);
}

static void clear(void)
{
	drop_all_triggers();
	write_file("set_event", "", O_TRUNC);
	write_file(EXEC "/filter", "0", 0);
	write_file(LOAD "/filter", "0", 0);
	if (write_file("dynamic_events", "", O_TRUNC))
		drop_definitions();
	write_file("trace_clock", "local", 0);
	write_file("set_ftrace_filter", "", O_TRUNC);
	write_file("set_graph_function", "", O_TRUNC);
}

/* Kernel memory that nobody can take back, in bytes. */
static long kernel_memory(void)
{
	static const char * const keys[] = { "SUnreclaim:", "VmallocUsed:", "Percpu:" };
	char *meminfo, *p;
	long sum = 0;

	/* Memory that is freed after a grace period is free by then. */
	sleep(3);
	meminfo = read_all("/proc/meminfo");
	for (int i = 0; i < 3; i++) {
		p = strstr(meminfo, keys[i]);
		if (p)
			sum += strtol(p + strlen(keys[i]), NULL, 10) * 1024;
	}
	free(meminfo);
	return sum;
}

/* Make the things that a definition, a trigger or a filter may refer to. */
static void define(void)
{
	static const char * const events[] = {
		"s:fz_a u64 a", "p:fz/fz_b vfs_read a=$arg1:u64", "p:fz/fz_c vfs_write", NULL
	};

	snprintf(file_now, sizeof(file_now), "dynamic_events");
	for (int i = 0; events[i]; i++) {
		snprintf(text, sizeof(text), "%s", events[i]);
		if (write_file("dynamic_events", text, O_APPEND))
			fail("%s", strerror(errno));
	}
}

/* Make the state anew. The text stays. */
static void make_state(void)
{
	static char kept[sizeof(text)], kept_file[sizeof(file_now)];

	memcpy(kept, text, sizeof(text));
	memcpy(kept_file, file_now, sizeof(file_now));
	clear();
	define();
	memcpy(text, kept, sizeof(text));
	memcpy(file_now, kept_file, sizeof(file_now));
}

/* A text as one word. */
static void print_escaped(const char *what, size_t len)
{
	for (; len; len--, what++) {
		if (*what == '\\' || !isprint(*what))
			printf("\\x%02x", (unsigned char)*what);
		else
			putchar(*what);
	}
}

/* Write the text to the state that define() has made, and tell what came of it. */
static void tell_one(unsigned long nr, const char *file)
{
	char *log;
	int err;

	write_file("error_log", "", O_TRUNC);
	printf("event_writes: %lu\t%s\t", nr, file);
	print_escaped(text, strlen(text));
	fflush(stdout);
	err = write_file(file, text, O_APPEND);
	log = read_all("error_log");
	printf("\t%d\t", err);
	print_escaped(log ?: "", log ? strlen(log) : 0);
	printf("\n");
	fflush(stdout);
	free(log);
	if (!err)
		make_state();
}

static void tell(unsigned long first, unsigned long end, uint64_t seed)
{
	const struct target *t;

	for (done = first; done < end; done++) {
		state = (seed * 1000003 + done) * 2 + 1;
		/* The first numbers are alike where the seeds are. */
		for (int i = 0; i < 8; i++)
			chance(2);
		t = make_text();
		if (t)
			tell_one(done, t->file);
	}
}

/*
 * The answer to a write: its errno, and the last entry of error_log, the place and the words of
 * it. In front of the words stands the subsystem.
 */
static void answer_of(int err, const char *log, char *answer, size_t size)
{
	static const char says[] = ": error: ";
	const char *entry = NULL, *p, *caret;

	for (p = log; p && (p = strstr(p, says)); p++)
		entry = p + strlen(says);
	if (!entry) {
		snprintf(answer, size, "%d", err);
		return;
	}
	/* It is the last letter. */
	caret = entry + strlen(entry) - 1;
	while (caret > entry && *caret == '\n')
		caret--;
	for (p = caret; p > entry && p[-1] != '\n'; p--)
		;
	snprintf(answer, size, "%d %ld %.*s", err,
		 *caret == '^' ? (long)(caret - p) - (long)strlen("  Command: ") : -1L,
		 (int)strcspn(entry, "\n"), entry);
}

/*
 * Write the text to the state that define() has made, with each allocation of the write failing in
 * turn: nothing is left then, or all, which is @whole.
 */
static void starve(const char *file, const char *whole)
{
	char *before = read_state(), *after;
	unsigned int nth = 0;
	int err;

	do {
		err = write_file_failing(file, text, O_APPEND, ++nth);
		starved += err == ENOMEM;
		after = read_state();
		expect_same(err ? before : whole, after, "without memory");
		free(after);
		if (!err)
			make_state();
	} while (failed);
	free(before);
}

/* Write the text to the state that define() has made. False: the answer is another one. */
static bool answers(const char *file, const char *expected)
{
	char answer[256], *log, *whole;
	int err;

	write_file("error_log", "", O_TRUNC);
	err = write_file(file, text, O_APPEND);
	log = read_all("error_log");
	answer_of(err, log, answer, sizeof(answer));
	free(log);
	whole = read_state();
	if (!err)
		make_state();
	if (fail_nth >= 0)
		starve(file, whole);
	free(whole);
	if (!strcmp(answer, expected))
		return true;
	printf("event_writes: FAIL: \"%s\" to %s gives\n\t%s\nand not\n\t%s\n", text, file,
	       answer, expected);
	return false;
}

/*
 * Texts from a list. A line has a file, a blank and a text; the next one a tab and the answer. If
 * 6.12 gives another one, it is in a third line, behind a tab and @word, and counts if @old.
 */
static void try_list(const char *list, bool old)
{
	static const char word[] = "\t6.12: ";
	char *lines = read_all(list), *rest = lines, *file, *what, *expected, *other;
	unsigned int nr = 0, wrong = 0;

	if (!lines)
		fail("%s: %s", list, strerror(errno));
	while ((file = strsep(&rest, "\n"))) {
		what = file + strcspn(file, " ");
		if (*file == '#' || !*what)
			continue;
		*what++ = 0;
		snprintf(text, sizeof(text), "%s", what);
		expected = strsep(&rest, "\n");
		if (!expected || *expected++ != '\t')
			fail("no answer stands in %s", list);
		if (rest && !strncmp(rest, word, strlen(word))) {
			other = strsep(&rest, "\n");
			if (old)
				expected = other + strlen(word);
		}
		snprintf(file_now, sizeof(file_now), "%s", file);
		nr++;
		wrong += !answers(file_now, expected);
	}
	printf("event_writes: %u answers, %u wrong\n", nr, wrong);
	printf("event_writes: %lu had no memory\n", starved);
	free(lines);
	if (wrong)
		exit(1);
}

static int write_many(unsigned long writes, const char *seed)
{
	char *first, *last;
	long memory = 0, more;

	state = strtoull(seed, NULL, 0) * 2 + 1;
	printf("event_writes: %lu writes, seed %s\n", writes, seed);
	clear();
	first = read_state();
	for (done = 0; done < writes; done++) {
		/* Tables of the kernel that grow once have grown by then. */
		if (done == writes / 5) {
			clear();
			memory = kernel_memory();
		}
		write_one();
		if (done % CHECK == CHECK - 1) {
			check_triggers();
			check_definitions();
			check_functions("set_ftrace_filter");
			check_functions("set_graph_function");
		}
		if (done % (CHECK * 4) == CHECK * 4 - 1)
			clear();
	}
	clear();
	last = read_state();
	expect_same(first, last, "the end");
	more = kernel_memory() - memory;
	printf("event_writes: %lu taken, %lu refused, %lu carets, %lu without a file\n", taken,
	       refused, carets, absent);
	printf("event_writes: %lu had no memory, %ld KiB more memory\n", starved, more / 1024);
	if (more > LEAK)
		fail("memory is lost");
	printf("event_writes: passed\n");
	return 0;
}

/* Do the checks find what is wrong? */
static int self_test(void)
{
	static const struct {
		const char	*log;
		bool		stands;
		const char	*answer;
	} logs[] = {
		{ "[    1.0] a: error: b c\n  Command: xyz\n           ^\n", true, "22 0 b c" },
		{ "[    1.0] a: error: b\n  Command: xyz\n             ^\n", true, "22 2 b" },
		{ "[    1.0] a: error: b\n  Command: xyz\n               ^\n", true, "22 4 b" },
		{ "[    1.0] a: error: b\n  Command: xyz\n                ^\n", false, "22 5 b" },
		{ "[    1.0] a: error: b\n  Command: xyz\n          ^\n", false, "22 -1 b" },
		{ "[    1.0] a: error: b\n  Command: xyz\n", false, "22 -1 b" },
		{ "[    1.0] a: error: b\n  Command: x\n           ^\n"
		  "[    1.0] a: error: c\n  Command: xyz\n             ^\n", true, "22 2 c" },
		{ "", false, "22" },
	};
	char answer[256];
	int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(logs); i++) {
		answer_of(22, logs[i].log, answer, sizeof(answer));
		if (caret_stands(logs[i].log) == logs[i].stands &&
		    !strcmp(answer, logs[i].answer))
			continue;
		printf("event_writes: FAIL: \"%s\" of\n%s", answer, logs[i].log);
		wrong++;
	}
	return !!wrong;
}

/* Read a number that is an argument. */
static unsigned long number_of(const char *text)
{
	return strtoul(text, NULL, 0);
}

int main(int argc, char **argv)
{
	bool old = argc == 5 && !strcmp(argv[1], "--list") && !strcmp(argv[2], "--6.12");
	bool list = old || (argc == 4 && !strcmp(argv[1], "--list"));
	bool told = argc == 6 && !strcmp(argv[1], "--tell");
	char **arg = argv + 1 + (told || list) + old;

	if (argc == 2 && !strcmp(argv[1], "--self-test"))
		return self_test();
	if ((!list && !told && argc != 4) || chdir(*arg)) {
		fprintf(stderr, "usage: event_writes DIR WRITES SEED\n"
			"       event_writes --list [--6.12] DIR LIST\n"
			"       event_writes --tell DIR FIRST END SEED\n"
			"       event_writes --self-test\n");
		return 2;
	}
	if (!told)
		open_fail_nth();
	if (!list && !told)
		return write_many(number_of(arg[1]), arg[2]);
	clear();
	define();
	if (list)
		try_list(arg[1], old);
	else
		tell(number_of(arg[1]), number_of(arg[2]), number_of(arg[3]));
	clear();
	return 0;
}
