/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of probe_truth.c and their arguments. A case of ftracetest has the offsets. */
#ifndef _TRACE_PROBES_TESTS_PROBE_TRUTH_H
#define _TRACE_PROBES_TESTS_PROBE_TRUTH_H

#include <linux/compiler.h>
#include <linux/types.h>

struct dentry;
struct file;

#define TRUTH_NAME	16
#define TRUTH_WORDS	4
#define TRUTH_TEXTS	3

/**
 * struct probe_truth - memory that the arguments lead to
 * @number: all bytes differ, and the sign is set
 * @self: the structure
 * @small: a negative byte
 * @letter: a character
 * @half: a number of 16 bits with the highest bit
 * @minus: a negative number of 32 bits
 * @words: numbers, one with the highest bit
 * @text: a string
 * @texts: strings, one of which is empty
 * @name: a string that is here
 * @open: characters without a NUL, up to memory that is not there
 * @fault: where no memory is
 * @func: the function that is called with this
 * @user: the first string of the caller's environment
 * @a: a bit field, as @b and @c
 * @b: as @a
 * @c: as @a
 * @d: one with a sign
 * @left: a member of an anonymous union, as @right
 * @right: as @left
 * @state: 1 when the function begins, 2 when it returns
 * @file: a file that has @dentry
 * @dentry: has a name
 * @changing: a string that another task changes
 * @endless: more characters without a NUL than a record can have
 */
struct probe_truth {
	u64			number;
	struct probe_truth	*self;
	s8			small;
	u8			letter;
	u16			half;
	s32			minus;
	u32			words[TRUTH_WORDS];
	const char		*text;
	const char		*texts[TRUTH_TEXTS];
	char			name[TRUTH_NAME];
	const char		*open;
	const char		*fault;
	unsigned long		func;
	unsigned long		user;
	u32			a : 3;
	u32			b : 7;
	u32			c : 22;
	s32			d : 5;
	union {
		u32		left;
		s32		right;
	};
	u32			state;
	struct file		*file;
	struct dentry		*dentry;
	const char		*changing;
	const char		*endless;
};

/* A symbol of data that probes name */
extern u64 probe_truth_number[2];

/* Their arguments are of use to probes alone, but the compiler must keep all of them. */
noinline __noclone long
probe_truth_enter(struct probe_truth *data, unsigned long number, const char *text, s32 minus,
		  u8 letter, unsigned long user, unsigned long func, long eighth,
		  unsigned long ninth, long pid);
noinline __noclone const char *probe_truth_text(struct probe_truth *data);
noinline __noclone s32 probe_truth_minus(struct probe_truth *data);
noinline __noclone u8 probe_truth_letter(struct probe_truth *data);
noinline __noclone struct probe_truth *probe_truth_self(struct probe_truth *data);
noinline __noclone void probe_truth_watch(struct probe_truth *data);

#endif /* _TRACE_PROBES_TESTS_PROBE_TRUTH_H */
