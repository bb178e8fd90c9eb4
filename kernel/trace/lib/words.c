// SPDX-License-Identifier: GPL-2.0
/*
 * Words from user space: a control file's writes are cut into words at white
 * space, and a word may arrive in pieces. The caller knows what a word means.
 * The words of a boot parameter are separated by commas.
 */
#include <linux/bug.h>
#include <linux/ctype.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "lib/lib.h"

/**
 * trace_words_init - prepare for the first word
 * @words: what to prepare
 * @max: longest word that is taken, in bytes without the NUL
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_words_init(struct trace_words *words, size_t max)
{
	words->word = kmalloc(max + 1, GFP_KERNEL);
	if (!words->word)
		return -ENOMEM;

	words->max = max;
	words->clause = NULL;
	words->good = 0;
	words->bad = 0;
	trace_words_clear(words);
	return 0;
}

/**
 * trace_words_free - undo trace_words_init()
 * @words: no word can be read after this
 *
 * Context: any where kfree() may be called.
 */
void trace_words_free(struct trace_words *words)
{
	kfree(words->word);
	words->word = NULL;
	words->len = 0;
	words->open = false;
}

/**
 * trace_words_clear - forget the word, the next one starts afresh
 * @words: where the word was
 *
 * Context: any.
 */
void trace_words_clear(struct trace_words *words)
{
	words->word[0] = '\0';
	words->len = 0;
	words->open = false;
	words->line = false;
}

/* How many bytes without a word are passed over in one call. */
#define WORDS_SPACES_AT_ONCE	65536

/* Take one byte into the word. True: the word ends here, complete or with @error. */
static bool words_take_byte(struct trace_words *words, char c, int *error)
{
	if (!c || (words->line ? c == '\n' : isspace(c)))
		return words->open;

	if (words->len == words->max) {
		*error = -EINVAL;
		return true;
	}
	words->word[words->len++] = c;
	words->open = true;
	return false;
}

/* Read on until a word is complete. Returns as trace_words_next(), which sees to errors. */
static ssize_t words_read(struct trace_words *words, const char __user *ubuf, size_t count,
			  bool *complete)
{
	size_t done = 0;
	int error = 0;
	char c;

	if (!user_read_access_begin(ubuf, count))
		return -EFAULT;
	while (done < count) {
		unsafe_get_user(c, ubuf + done, fault);
		done++;
		if (words_take_byte(words, c, &error)) {
			*complete = !error;
			break;
		}
		/* Nothing can interrupt this loop. The caller goes on behind the spaces. */
		if (done == WORDS_SPACES_AT_ONCE && !words->open)
			break;
	}
	user_read_access_end();
	return error ?: done;

fault:
	user_read_access_end();
	return -EFAULT;
}

static bool words_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Blanks that may stand in front of the clause, and the longest clause. */
#define WORDS_BLANKS_MAX	64
#define WORDS_CLAUSE_MAX	8

/*
 * A word has ended with a blank. Is the next one of this line, whose bytes are at @ubuf, the one
 * that makes both of them one word? If so, the word goes on.
 */
static bool words_goes_on(struct trace_words *words, const char __user *ubuf, size_t count)
{
	size_t len = words->clause ? strlen(words->clause) : 0, at = 0;
	char next[WORDS_CLAUSE_MAX];
	char c = ' ';

	if (!len || WARN_ON_ONCE(len >= sizeof(next)) || words->len == words->max)
		return false;
	while (at < count && at < WORDS_BLANKS_MAX && !get_user(c, ubuf + at) && words_is_blank(c))
		at++;
	if (count - at <= len || copy_from_user(next, ubuf + at, len + 1) ||
	    !words_is_blank(next[len]) || memcmp(next, words->clause, len))
		return false;
	words->word[words->len++] = ' ';
	words->line = true;
	return true;
}

/**
 * trace_words_next - read on until a word is complete
 * @words: holds the word, and what earlier calls left of an open one
 * @ubuf: user memory
 * @count: bytes in it
 * @complete: set when @words holds a whole word
 *
 * White space and NUL bytes separate words. A word that ends with the input
 * is not complete: more of it may come with the next write, or the file is
 * closed, which the caller knows. Clear the word before reading on behind a
 * complete one.
 *
 * If @words has a clause, a word that is followed by it in the same line, and in the same write,
 * ends with the line.
 *
 * Context: task, may sleep (page faults).
 * Return: bytes consumed, the separator behind a complete word included, and less than
 * @count without a word where there are many spaces;
 * -EINVAL when the word is longer than @words takes, -EFAULT. The word is
 * forgotten on errors.
 */
ssize_t trace_words_next(struct trace_words *words, const char __user *ubuf,
			 size_t count, bool *complete)
{
	ssize_t done, more;
	char last;

	*complete = false;
	done = words_read(words, ubuf, count, complete);
	if (done > 0 && *complete && !words->line && words->clause &&
	    !get_user(last, ubuf + done - 1) && words_is_blank(last) &&
	    words_goes_on(words, ubuf + done, count - done)) {
		*complete = false;
		more = words_read(words, ubuf + done, count - done, complete);
		done = more < 0 ? more : done + more;
	}
	if (done < 0) {
		trace_words_clear(words);
		return done;
	}
	words->word[words->len] = '\0';
	if (*complete)
		words->open = false;
	return done;
}

/* Have the word taken that is there, and count it. */
static int words_take(struct trace_words *words, trace_words_take take, void *data)
{
	int ret = take(words->word, data);

	trace_words_clear(words);
	if (ret)
		words->bad++;
	else
		words->good++;
	return ret;
}

/**
 * trace_words_write - pass the words of a write to a function
 * @words: may hold the beginning of a word, from the write before
 * @ubuf: user memory
 * @count: bytes in it
 * @taken: set to the number of bytes before the word that is refused, or to @count
 * @take: takes a complete word
 * @data: for @take
 *
 * A write may have 2 GB of words, so the loop ends when the task is killed, and lets others run.
 *
 * Context: task, may sleep.
 * Return: 0, the error of @take, -EINVAL if a word is too long, -EFAULT, or -EINTR.
 */
int trace_words_write(struct trace_words *words, const char __user *ubuf, size_t count,
		      size_t *taken, trace_words_take take, void *data)
{
	ssize_t len;
	bool complete;
	int ret;

	for (*taken = 0; *taken < count; *taken += len) {
		cond_resched();
		len = fatal_signal_pending(current) ? -EINTR :
		      trace_words_next(words, ubuf + *taken, count - *taken, &complete);
		if (len < 0) {
			words->bad++;
			return len;
		}
		ret = complete ? words_take(words, take, data) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * trace_words_end - pass the last word to a function, if no white space follows it
 * @words: may hold that word
 * @take: takes it
 * @data: for @take
 *
 * Context: that of @take.
 * Return: 0, there may be no word; or what @take returned.
 */
int trace_words_end(struct trace_words *words, trace_words_take take, void *data)
{
	return words->open ? words_take(words, take, data) : 0;
}

/**
 * trace_words_join - add the text of a boot parameter to that of the ones before it
 * @words: their words, each but the first behind a separator
 * @size: the size of @words
 * @separator: what separates them
 * @text: the words to add
 *
 * Context: any.
 * Return: false when there is no room; then nothing is added.
 */
bool trace_words_join(char *words, size_t size, char separator, const char *text)
{
	size_t len = strlen(words);

	if (len + strlen(text) + 2 > size)
		return false;
	if (len)
		words[len++] = separator;
	strscpy(words + len, text, size - len);
	return true;
}
