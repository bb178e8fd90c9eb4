/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers that the cases of libtracefs share. A case gets an instance, which is NULL for the top
 * one, and finds it as idle() leaves it. Cases count what this task does, by its pid.
 */
#ifndef CLIENTS_TRACEFS_H
#define CLIENTS_TRACEFS_H

#include <stdbool.h>
#include <sys/types.h>
#include <tracefs.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The calls that do_calls() makes, and those that cases expect. */
#define CALLS		13

/*
 * The prefix of the functions of system calls, and the name that the list of functions has for the
 * one of getppid(). Calls without arguments have more than one name on x86_64.
 */
#if defined(__x86_64__)
#define SYSCALL		"__x64_sys_"
#define GETPPID		"__do_sys_getppid"
#elif defined(__aarch64__)
#define SYSCALL		"__arm64_sys_"
#define GETPPID		SYSCALL "getppid"
#endif

/**
 * struct test_case - one case
 * @name: its name
 * @run: the case, which tells with fail() and the like what is wrong
 * @top: whether it is for the top instance alone, as the files or functions that it needs are
 * @counts: whether it looks at what do_calls() does, so that it fails if a call is left out
 */
struct test_case {
	const char	*name;
	void		(*run)(struct tracefs_instance *instance);
	bool		top;
	bool		counts;
};

extern const struct test_case control_cases[], record_cases[], raw_cases[], hist_cases[],
			      synth_cases[], probe_cases[];

/* All events, as they were when the program began, and this task. */
extern struct tep_handle *tep;
extern pid_t self;

void fail(const char *fmt, ...);
bool expect(const char *what, long long got, long long want);
bool succeeds(const char *what, int ret);
bool refused(const char *what, int ret, int err);
bool text_is(const char *what, const char *got, const char *want);
bool text_has(const char *what, const char *text, const char *part);

/* getppid(), then umask() of 0 and so on, CALLS times each. */
void do_calls(void);
void on_cpu(int cpu);
void idle(struct tracefs_instance *instance);

char *file_text(struct tracefs_instance *instance, const char *file);
long file_number(struct tracefs_instance *instance, const char *file, const char *key);
long text_number(const char *text, const char *key);
long text_lines(const char *text, const char *part);
long taken(struct tracefs_instance *instance, const char *system, const char *event);

#endif /* CLIENTS_TRACEFS_H */
