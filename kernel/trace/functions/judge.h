/* SPDX-License-Identifier: GPL-2.0 */
/*
 * functions/judge.h: predicates on the arguments of functions that a set of functions names, as in
 *
 *	echo 'vfs_read if count > 4096' > set_ftrace_filter
 *
 * The set has such functions as well as those without a predicate, and decides which functions are
 * hooked. A judge decides about their calls: a call passes if one of the predicates of its
 * function is true, or if the function was named without one, too.
 */
#ifndef _TRACE_FUNCTIONS_JUDGE_H
#define _TRACE_FUNCTIONS_JUDGE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/types.h>

struct dyn_ftrace;
struct ftrace_hash;
struct ftrace_regs;
struct judge_rule;
struct judge_rules;
struct seq_file;
struct trace_array;

/**
 * struct trace_judge - the predicates of a set of functions
 * @rules:	those in force; NULL: there are none
 * @node:	in the list of all judges
 */
struct trace_judge {
	struct judge_rules	*rules;		/* ftrace_lock(), READ_ONCE() */
	struct list_head	node;		/* ftrace_lock() */
};

/**
 * struct trace_judge_edit - a copy of a judge's predicates that is being changed
 * @judge:	the judge
 * @tr:		the instance whose error_log tells what is wrong
 * @rules:	one for each function and text, sorted by function
 * @nr:		how many
 * @room:	for so many
 *
 * It has one user, and belongs to a copy of the set of functions, which has only the functions
 * without a predicate meanwhile.
 */
struct trace_judge_edit {
	struct trace_judge	*judge;
	struct trace_array	*tr;
	struct judge_rule	*rules;
	unsigned int		nr, room;
};

/* Puts a set of functions into force, which it consumes. Returns 0 or an errno. */
typedef int (*trace_judge_apply)(struct ftrace_hash *hash, void *data);

#ifdef CONFIG_FUNCTION_PREDICATES

void trace_judge_init(struct trace_judge *judge);
void trace_judge_destroy(struct trace_judge *judge);

/* The copy of the set is @hash, NULL: there is none. 0 or -ENOMEM. */
int trace_judge_edit_begin(struct trace_judge_edit *edit, struct trace_judge *judge,
			   struct trace_array *tr, struct ftrace_hash *hash);
int trace_judge_edit_take(struct trace_judge_edit *edit, const char *word);
int trace_judge_edit_drop(struct trace_judge_edit *edit, const char *funcs);
bool trace_judge_edit_has(const struct trace_judge_edit *edit, unsigned long ip);
int trace_judge_edit_commit(struct trace_judge_edit *edit, struct ftrace_hash *hash,
			    trace_judge_apply apply, void *data);
void trace_judge_edit_end(struct trace_judge_edit *edit);

/* Print the lines of a function of the judge, or of @edit if it has a hash. ftrace_lock(). */
int trace_judge_show(struct seq_file *m, const struct trace_judge *judge,
		     const struct trace_judge_edit *edit, const struct ftrace_hash *hash,
		     const struct dyn_ftrace *site);

bool trace_judge_passes(const struct trace_judge *judge, unsigned long ip,
			struct ftrace_regs *fregs);
bool trace_judge_passes_call(const struct trace_judge *judge, unsigned long ip,
			     unsigned long parent_ip, struct ftrace_regs *fregs);

/* Are there predicates? */
static inline bool trace_judge_is_used(const struct trace_judge *judge)
{
	return READ_ONCE(judge->rules);
}

#else

static inline void trace_judge_init(struct trace_judge *judge) { }
static inline void trace_judge_destroy(struct trace_judge *judge) { }

static inline int trace_judge_edit_begin(struct trace_judge_edit *edit, struct trace_judge *judge,
					 struct trace_array *tr, struct ftrace_hash *hash)
{
	return 0;
}

static inline int trace_judge_edit_take(struct trace_judge_edit *edit, const char *word)
{
	return -EINVAL;
}

static inline int trace_judge_edit_drop(struct trace_judge_edit *edit, const char *funcs)
{
	return 0;
}

static inline bool trace_judge_edit_has(const struct trace_judge_edit *edit, unsigned long ip)
{
	return false;
}

static inline int trace_judge_edit_commit(struct trace_judge_edit *edit, struct ftrace_hash *hash,
					  trace_judge_apply apply, void *data)
{
	return apply(hash, data);
}

static inline void trace_judge_edit_end(struct trace_judge_edit *edit) { }

static inline int trace_judge_show(struct seq_file *m, const struct trace_judge *judge,
				   const struct trace_judge_edit *edit,
				   const struct ftrace_hash *hash, const struct dyn_ftrace *site)
{
	return 0;
}

static inline bool trace_judge_passes(const struct trace_judge *judge, unsigned long ip,
				      struct ftrace_regs *fregs)
{
	return true;
}

static inline bool trace_judge_passes_call(const struct trace_judge *judge, unsigned long ip,
					   unsigned long parent_ip, struct ftrace_regs *fregs)
{
	return true;
}

static inline bool trace_judge_is_used(const struct trace_judge *judge)
{
	return false;
}

#endif

/* The word of a line that has a predicate, between functions and the expression. */
#define TRACE_JUDGE_CLAUSE	"if"

/* Longest line with a predicate. */
#define TRACE_JUDGE_LINE_MAX	2048

/* Is it a line with a predicate? Other words have no blank. */
static inline bool trace_judge_is_line(const char *word)
{
	return strpbrk(word, " \t");
}

#endif /* _TRACE_FUNCTIONS_JUDGE_H */
