// SPDX-License-Identifier: GPL-2.0
/*
 * Generated writes to set_ftrace_filter and set_ftrace_notrace, against a model
 * of what they mean.
 *
 * usage: filter_writes DIR FILE WRITES SEED [errno]
 *
 * DIR is a folder of tracefs with an instance, FILE one of the two files. Words
 * come from the grammar (names, globs, numbers of lines, removal, words for
 * modules that are not there, commands) and from chance. For each write the model
 * says how many words are taken and with which error it stops; every CHECK writes,
 * and at each 16th error, the file must list what the model holds. Bytes of pure
 * chance are beyond the model: there only the errno is checked, and that an error
 * changed nothing. At the end slab and vmalloc must not have grown by LEAK.
 *
 * With "errno" only the errors are compared: for another kernel, whose users the
 * model's errors come from, but not what it does after one.
 *
 * It knows tracefs and nothing of the kernel behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chance.h"

#define CHECK		64
#define LEAK		(2048 * 1024L)
#define WORDS_MAX	6
#define PENDING_MAX	40

struct function {
	char *line;	/* as listings show it */
	char *name;
	bool exact;	/* no other function has it as an alias */
};

struct model {
	bool *in;			/* by number of the function */
	char *pending[PENDING_MAX];	/* the oldest first */
	int nr_pending;
};

static struct function *functions;
static struct function **sorted_functions;	/* by name */
static size_t nr_functions;
static bool exclude;		/* set_ftrace_notrace */
static bool errno_only;
static char path[256];
static unsigned long done, errors, taken, differ;

static void fail(const char *fmt, ...)
{
	va_list ap;

	printf("filter_writes: FAIL: after %lu writes: ", done);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	exit(1);
}

static char *read_all(const char *file, size_t *size)
{
	size_t cap = 1 << 20, len = 0;
	char *buf = malloc(cap + 1);
	ssize_t n;
	int fd = open(file, O_RDONLY);

	if (fd < 0)
		fail("cannot read %s: %s", file, strerror(errno));
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
	*size = len;
	return buf;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char **)a, *(char **)b);
}

static int by_function_name(const void *a, const void *b)
{
	return strcmp((*(struct function **)a)->name, (*(struct function **)b)->name);
}

static size_t count_name(char **sorted, size_t n, const char *name)
{
	char **hit = bsearch(&name, sorted, n, sizeof(*sorted), by_name);
	size_t count = 1;
	char **p;

	if (!hit)
		return 0;
	for (p = hit; p > sorted && !strcmp(p[-1], name); p--)
		count++;
	for (p = hit; p + 1 < sorted + n && !strcmp(p[1], name); p++)
		count++;
	return count;
}

/* A name that kallsyms has more often than the list is somewhere an alias. */
static void find_exact_names(void)
{
	size_t size, nr_syms = 0, i;
	char *text = read_all("/proc/kallsyms", &size), *line, *rest = text;
	char **syms = malloc(size / 8 * sizeof(*syms)), **names;

	names = malloc(nr_functions * sizeof(*names));
	for (i = 0; i < nr_functions; i++)
		names[i] = functions[i].name;
	qsort(names, nr_functions, sizeof(*names), by_name);
	while ((line = strsep(&rest, "\n"))) {
		char *name = line + strcspn(line, " ");

		if (!*name || !strchr("tTwW", name[1]))
			continue;
		name += 3;
		name[strcspn(name, "\t")] = 0;
		syms[nr_syms++] = name;
	}
	qsort(syms, nr_syms, sizeof(*syms), by_name);
	for (i = 0; i < nr_functions; i++) {
		const char *name = functions[i].name;

		functions[i].exact = count_name(syms, nr_syms, name) ==
				     count_name(names, nr_functions, name);
	}
	free(names);
	free(syms);
	free(text);
}

static void read_functions(const char *dir)
{
	char file[256], *text, *line;
	size_t size, i;

	snprintf(file, sizeof(file), "%s/available_filter_functions", dir);
	if (access(file, F_OK))
		snprintf(file, sizeof(file), "%s/../../available_filter_functions", dir);
	text = read_all(file, &size);
	functions = malloc(size / 2 * sizeof(*functions));
	while ((line = strsep(&text, "\n")) && *line) {
		struct function *f = &functions[nr_functions++];

		f->line = line;
		f->name = strdup(line);
		f->name[strcspn(f->name, " ")] = 0;
	}
	sorted_functions = malloc(nr_functions * sizeof(*sorted_functions));
	for (i = 0; i < nr_functions; i++)
		sorted_functions[i] = &functions[i];
	qsort(sorted_functions, nr_functions, sizeof(*sorted_functions), by_function_name);
	find_exact_names();
}

/* The model */

static void model_clear(struct model *m)
{
	memset(m->in, 0, nr_functions);
	while (m->nr_pending)
		free(m->pending[--m->nr_pending]);
}

static void model_copy(struct model *to, const struct model *from)
{
	int i;

	model_clear(to);
	memcpy(to->in, from->in, nr_functions);
	for (i = 0; i < from->nr_pending; i++)
		to->pending[i] = strdup(from->pending[i]);
	to->nr_pending = from->nr_pending;
}

/* The part of the language of globs that is generated. */
static bool glob_match(const char *glob, const char *name)
{
	for (; *glob; glob++, name++) {
		if (*glob == '*') {
			if (!glob[1])
				return true;
			for (; *name; name++) {
				if (glob_match(glob + 1, name))
					return true;
			}
			return glob_match(glob + 1, name);
		}
		if (!*name)
			return false;
		if (*glob == '[') {
			if (*name != glob[1] && *name != glob[2])
				return false;
			glob += 3;
		} else if (*glob != '?' && *glob != *name) {
			return false;
		}
	}
	return !*name;
}

static bool model_exact(struct model *m, const char *name, bool remove)
{
	struct function key = { .name = (char *)name }, *k = &key;
	struct function **hit = bsearch(&k, sorted_functions, nr_functions, sizeof(*hit),
					by_function_name);

	if (!hit)
		return false;
	while (hit > sorted_functions && !strcmp(hit[-1]->name, name))
		hit--;
	for (; hit < sorted_functions + nr_functions && !strcmp((*hit)->name, name); hit++)
		m->in[*hit - functions] = !remove;
	return true;
}

static bool model_names(struct model *m, const char *pattern, bool remove)
{
	bool glob = strpbrk(pattern, "*?["), found = false;
	size_t i;

	if (!glob && *pattern >= '0' && *pattern <= '9') {
		i = strtoul(pattern, NULL, 10);
		if (!i || i > nr_functions)
			return false;
		m->in[i - 1] = !remove;
		return true;
	}
	if (!glob)
		return model_exact(m, pattern, remove);
	for (i = 0; i < nr_functions; i++) {
		if (!glob_match(pattern, functions[i].name))
			continue;
		m->in[i] = !remove;
		found = true;
	}
	return found;
}

static bool model_module(struct model *m, char *word, bool remove)
{
	size_t len = strcspn(word, ":");
	bool all = remove && len == 1 && *word == '*', found = false;
	int i, kept = 0;

	if (!remove) {
		for (i = 0; i < m->nr_pending; i++) {
			if (!strcmp(m->pending[i], word))
				return true;
		}
		m->pending[m->nr_pending++] = strdup(word);
		return true;
	}
	for (i = 0; i < m->nr_pending; i++) {
		const char *p = m->pending[i];

		if (all ? !strcmp(p + strcspn(p, ":"), word + len) : !strcmp(p, word)) {
			free(m->pending[i]);
			found = true;
		} else {
			m->pending[kept++] = m->pending[i];
		}
	}
	m->nr_pending = kept;
	return found;
}

/* Is @word taken? */
static bool model_word(struct model *m, char *word)
{
	bool remove = *word == '!';
	char *kind;

	word += remove;
	kind = strchr(word, ':');
	/* It names no module. */
	if (kind && !strcmp(kind, ":mod")) {
		*kind = 0;
		kind = NULL;
	}
	if (!kind)
		return *word && model_names(m, word, remove);
	if (!strncmp(kind, ":mod:", 5))
		return model_module(m, word, remove);
	return false;
}

/* The text that the file lists */
static char *model_text(const struct model *m)
{
	bool empty = true;
	size_t len = 256, i;
	char *text, *p;
	int k;

	for (i = 0; i < nr_functions; i++)
		len += m->in[i] ? strlen(functions[i].line) + 1 : 0;
	for (k = 0; k < m->nr_pending; k++)
		len += strlen(m->pending[k]) + 1;
	text = malloc(len);
	p = text;
	*p = 0;
	for (i = 0; i < nr_functions; i++)
		empty &= !m->in[i];
	if (empty && exclude)
		p += sprintf(p, "#### no functions disabled ####\n");
	else if (empty && !m->nr_pending)
		p += sprintf(p, "#### all functions enabled ####\n");
	for (i = 0; i < nr_functions; i++) {
		if (m->in[i])
			p += sprintf(p, "%s\n", functions[i].line);
	}
	for (k = m->nr_pending; k--; )
		p += sprintf(p, "%s\n", m->pending[k]);
	return text;
}

static void check(const struct model *m, const char *why)
{
	char *want, *got;
	size_t size, i;

	if (errno_only)
		return;
	want = model_text(m);
	got = read_all(path, &size);
	if (strcmp(want, got)) {
		for (i = 0; want[i] == got[i]; i++)
			;
		while (i && want[i - 1] != '\n')
			i--;
		fail("%s: %s differs: \"%.60s\" instead of \"%.60s\"", why, path, got + i,
		     want + i);
	}
	free(want);
	free(got);
}

/* Generated words */

static const char *any_exact(void)
{
	size_t i;

	do
		i = chance(nr_functions);
	while (!functions[i].exact);
	return functions[i].name;
}

static void make_glob(char *word)
{
	const char *name = functions[chance(nr_functions)].name;
	size_t len = strlen(name), at = chance(len), n = len - at;

	switch (chance(6)) {
	case 0:
		sprintf(word, "%s*", name);
		break;
	case 1:
		sprintf(word, "*%s", name);
		break;
	case 2:
		sprintf(word, "*%s*", name);
		break;
	case 3:
		sprintf(word, "%.*s?%.*s*", (int)at, name, (int)(n ? n - 1 : 0), name + at + 1);
		break;
	case 4:
		sprintf(word, "%.*s[%c%c]%s", (int)at, name, name[at], 'a' + chance(26),
			name + at + 1);
		break;
	default:
		/* shorter ones match many functions, which takes time */
		if (len < 8)
			sprintf(word, "%s*", name);
		else
			sprintf(word, "%.*s*%s", (int)(len / 2), name, name + len - 2);
	}
}

static void make_unknown(char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_.$@%=+-;<>/(){}\\\"'\x7f\x80\xff";
	size_t len = 1 + (chance(50) ? chance(30) : chance(900)), i;

	*word++ = '~';
	for (i = 0; i < len; i++)
		*word++ = letters[chance(sizeof(letters) - 1)];
	*word = 0;
}

/* Words that the model knows. Returns whether it may be taken. */
static void make_word(char *word, const struct model *m)
{
	/* No unknown name with ":mod": stock finds no memory for that. */
	static const char * const bad[] = {
		"!", "0", "4000000000", "99999999999999999999999", "!0", "x:nosuch", "x:nosuch:1",
		":nosuch:", "vfs_read:traceon:x", "vfs_read:traceoff:-", "!vfs_read:nosuch",
		"vfs_read:mod", "!vfs_read:mod", "!nosuch_function", "nosuch_function*",
		"*nosuch_function*",
	};

	switch (chance(16)) {
	case 0 ... 4:
		sprintf(word, "%s", any_exact());
		break;
	case 5 ... 6:
		sprintf(word, "!%s", any_exact());
		break;
	case 7:
		make_glob(word);
		break;
	case 8:
		*word = '!';
		make_glob(word + 1);
		break;
	case 9:
		sprintf(word, "%s%u", chance(3) ? "" : "!",
			1 + chance(nr_functions + nr_functions / 4));
		break;
	case 10:
		if (m->nr_pending < PENDING_MAX - WORDS_MAX)
			sprintf(word, "%s:mod:none%u", chance(3) ? any_exact() : "*", chance(20));
		else
			sprintf(word, "!*:mod:none%u", chance(20));
		break;
	case 11:
		if (m->nr_pending && chance(2))
			sprintf(word, "!%s", m->pending[chance(m->nr_pending)]);
		else
			sprintf(word, "!*:mod:none%u", chance(20));
		break;
	case 12 ... 13:
		sprintf(word, "%s", bad[chance(sizeof(bad) / sizeof(*bad))]);
		break;
	default:
		make_unknown(word);
	}
}

static int write_text(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0)
			return errno;
		if (!n)
			fail("a write of %zu bytes took none", len);
		text += n;
		len -= n;
	}
	return 0;
}

static int open_file(bool truncate)
{
	int fd = open(path, O_WRONLY | (truncate ? O_TRUNC : O_APPEND));

	if (fd < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* Some words in one write; the model tells what comes of it. */
static void write_words(struct model *m, struct model *next)
{
	static const char * const blanks[] = { " ", "\n", "  ", "\t", "\r\n", "\n\n " };
	char text[WORDS_MAX * 1024] = "", word[1024];
	bool truncate = !chance(100), refused = false;
	int n = 1 + (chance(4) || errno_only ? 0 : chance(WORDS_MAX)), good = 0, i, err, fd;

	if (truncate)
		model_clear(next);
	else
		model_copy(next, m);
	for (i = 0; i < n; i++) {
		make_word(word, next);
		strcat(text, word);
		strcat(text, blanks[chance(6)]);
		if (refused)
			continue;
		if (model_word(next, word))
			good++;
		else
			refused = true;
	}
	fd = open_file(truncate);
	err = write_text(fd, text, strlen(text));
	if (close(fd))
		fail("close: %s", strerror(errno));
	if (err != (refused ? EINVAL : 0)) {
		if (!errno_only)
			fail("\"%s\" gives %s", text, strerror(err));
		/* All of them, at the end. */
		printf("filter_writes: \"%.80s\" gives %s\n", text, strerror(err));
		differ++;
	}
	if (good || !refused || errno_only)
		model_copy(m, next);
	taken += good;
	if (refused && !(++errors % 16))
		check(m, text);
}

/* A variable, for compilers that see through it. */
char *wrong_address = (char *)16;

/* As the kernel has it: a space that does not break is one. */
static bool is_blank(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

/* Bytes of chance, wrong addresses: an error that leaves everything as it was. */
static void write_chance(struct model *m)
{
	static const char special[] = "\n\t *?[]!:";
	unsigned char bytes[600];
	size_t len = chance(4) ? chance(24) : chance(sizeof(bytes)), i;
	/* With both, it may be a class that matches a letter of a name. */
	unsigned char bracket = chance(2) ? '[' : ']';
	bool blank = true;
	int fd, err;

	for (i = 0; i < len; i++) {
		bytes[i] = chance(8) ? chance(256) :
				       (unsigned char)special[chance(sizeof(special) - 1)];
		/* Nothing that can be a name, a number or match one. */
		if (bytes[i] == '*' || bytes[i] == '?' || bytes[i] == ':' || bytes[i] == bracket ||
		    (bytes[i] >= '0' && bytes[i] <= '9'))
			bytes[i] = '~';
		blank &= is_blank(bytes[i]);
	}
	fd = open_file(false);
	if (!chance(8)) {
		if (write(fd, wrong_address, 1 + len) >= 0 || errno != EFAULT)
			fail("a wrong address gives %s", strerror(errno));
		err = EFAULT;
	} else {
		err = write_text(fd, (char *)bytes, len);
		if (err && err != EINVAL)
			fail("%zu bytes of chance give %s", len, strerror(err));
		/* A first word that stands alone at the end is refused at close. */
		if (!err && len && !blank && is_blank(bytes[len - 1]))
			fail("%zu bytes of chance are taken", len);
	}
	close(fd);
	errors += !!err;
	if (!chance(16))
		check(m, "bytes of chance");
}

/* Kernel memory that nobody can take back, in bytes. */
static long kernel_memory(void)
{
	static const char * const keys[] = { "SUnreclaim:", "VmallocUsed:" };
	size_t size, i;
	char *text, *p;
	long sum = 0;

	/* Memory that is freed after a grace period is free by then. */
	sleep(3);
	text = read_all("/proc/meminfo", &size);
	for (i = 0; i < 2; i++) {
		p = strstr(text, keys[i]);
		if (p)
			sum += strtol(p + strlen(keys[i]), NULL, 10) * 1024;
	}
	free(text);
	return sum;
}

int main(int argc, char **argv)
{
	struct model now = { 0 }, next = { 0 };
	unsigned long writes;
	long before = 0, after;

	errno_only = argc == 6 && !strcmp(argv[5], "errno");
	if (argc != 5 && !errno_only) {
		fprintf(stderr, "usage: filter_writes DIR FILE WRITES SEED [errno]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/%s", argv[1], argv[2]);
	exclude = !strcmp(argv[2], "set_ftrace_notrace");
	writes = strtoul(argv[3], NULL, 0);
	state = strtoull(argv[4], NULL, 0) * 2 + 1;
	printf("filter_writes: %s, %lu writes, seed %s\n", path, writes, argv[4]);
	read_functions(argv[1]);
	now.in = calloc(nr_functions, 1);
	next.in = calloc(nr_functions, 1);
	close(open_file(true));
	check(&now, "the empty filter");
	for (done = 0; done < writes; done++) {
		/* Tables of the kernel that grow once have grown by then. */
		if (done == writes / 10)
			before = kernel_memory();
		if (chance(8))
			write_words(&now, &next);
		else
			write_chance(&now);
		if (!(done % CHECK))
			check(&now, "a regular check");
	}
	check(&now, "the end");
	close(open_file(true));
	model_clear(&now);
	check(&now, "the emptied filter");
	after = kernel_memory();
	printf("filter_writes: %lu words taken, %lu errors, %ld KiB more memory\n", taken, errors,
	       (after - before) / 1024);
	if (after - before > LEAK)
		fail("memory is lost");
	if (differ)
		fail("%lu give other errors", differ);
	printf("filter_writes: passed\n");
	return 0;
}
