/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: helpers that know nothing of tracing: words from user space, name
 * patterns, sets of process ids. (Trace sequences and trace clocks belong to
 * this layer too; their interfaces are <linux/trace_seq.h> and
 * <linux/trace_clock.h>.)
 */
#ifndef _TRACE_LIB_H
#define _TRACE_LIB_H

#include <linux/trace_clock.h>
#include <linux/trace_seq.h>
#include <linux/types.h>

/*
 * Words from user space
 *
 * A control file takes words separated by white space, and one word may
 * arrive in several writes. @open tells that the last write ended inside a
 * word; the word is complete when white space follows or the file is closed.
 */
struct trace_words {
	char	*word;		/* NUL-terminated */
	size_t	len;		/* without the NUL */
	size_t	max;		/* longest word that is taken */
	bool	open;
	/*
	 * A word that makes those around it one word: the word before it, it, and all up to the
	 * end of the line. NULL: there is none.
	 */
	const char	*clause;
	bool	line;		/* the present word ends with its line */
	/* How many words trace_words_write() and trace_words_end() have had taken, or refused. */
	unsigned long	good;
	unsigned long	bad;
};

/* Takes a word, which it may change. Returns 0, or an errno if the word is refused. */
typedef int (*trace_words_take)(char *word, void *data);

int trace_words_init(struct trace_words *words, size_t max);
void trace_words_free(struct trace_words *words);
ssize_t trace_words_next(struct trace_words *words, const char __user *ubuf,
			 size_t count, bool *complete);
int trace_words_write(struct trace_words *words, const char __user *ubuf, size_t count,
		      size_t *taken, trace_words_take take, void *data);
int trace_words_end(struct trace_words *words, trace_words_take take, void *data);
void trace_words_clear(struct trace_words *words);
bool trace_words_join(char *words, size_t size, char separator, const char *text);

/* As trace_words_join(), for words with commas between them. */
static inline bool trace_words_append(char *words, size_t size, const char *text)
{
	return trace_words_join(words, size, ',', text);
}

/*
 * Name patterns
 *
 * The forms that filters know: "name", "front*", "*end", "*middle*", and any
 * other use of '*', '?', '[...]' and '\' through glob_match(). @negate is set by a
 * leading '!'.
 */
enum trace_glob_type {
	TRACE_GLOB_ALL,
	TRACE_GLOB_EXACT,
	TRACE_GLOB_FRONT,
	TRACE_GLOB_MIDDLE,
	TRACE_GLOB_END,
	TRACE_GLOB_FULL,
};

struct trace_glob {
	const char		*text;	/* points into the caller's string */
	size_t			len;
	enum trace_glob_type	type;
	bool			negate;
};

void trace_glob_parse(struct trace_glob *glob, char *text);
bool trace_glob_match(const struct trace_glob *glob, const char *name, size_t len);

/*
 * Sets of process ids
 *
 * Nothing needs a lock. Tests may run in any context, NMI included; set and
 * clear never sleep; who may sleep calls trace_pid_list_prepare() before set, which
 * does not fail then. trace_pid_list_next() finds the smallest id not below
 * @pid, -ENOENT when there is none.
 */
struct trace_pid_list;

struct trace_pid_list *trace_pid_list_alloc(void);
void trace_pid_list_free(struct trace_pid_list *list);
void trace_pid_list_free_later(struct trace_pid_list *list);
int trace_pid_list_prepare(struct trace_pid_list *list, unsigned int pid);
int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid);
int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid);
bool trace_pid_list_is_set(struct trace_pid_list *list, unsigned int pid);
#if IS_ENABLED(CONFIG_KUNIT)
unsigned long *trace_pid_page_give(struct trace_pid_list *list, unsigned int pid,
				   unsigned long *page);
#endif
int trace_pid_list_next(struct trace_pid_list *list, unsigned int pid,
			unsigned int *next);

#endif /* _TRACE_LIB_H */
