// SPDX-License-Identifier: GPL-2.0
/*
 * Words from user space: a control file's writes are cut into words at white
 * space, and a word may arrive in pieces. The caller knows what a word means.
 * The words of a boot parameter are separated by commas.
 */
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
}

/* How many bytes without a word are passed over in one call. */
#define WORDS_SPACES_AT_ONCE	65536

/* Take one byte into the word. True: the word ends here, complete or with @error. */
static bool words_take_byte(struct trace_words *words, char c, int *error)
{
	if (!c || isspace(c))
		return words->open;

	if (words->len == words->max) {
		*error = -EINVAL;
		return true;
	}
	words->word[words->len++] = c;
	words->open = true;
	return false;
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
 * Context: task, may sleep (page faults).
 * Return: bytes consumed, the separator behind a complete word included, and less than
 * @count without a word where there are many spaces;
 * -EINVAL when the word is longer than @words takes, -EFAULT. The word is
 * forgotten on errors.
 */
ssize_t trace_words_next(struct trace_words *words, const char __user *ubuf,
			 size_t count, bool *complete)
{
	size_t done = 0;
	int error = 0;
	char c;

	*complete = false;
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

	words->word[words->len] = '\0';
	if (*complete)
		words->open = false;
	if (error)
		trace_words_clear(words);
	return error ?: done;

fault:
	user_read_access_end();
	trace_words_clear(words);
	return -EFAULT;
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
 * trace_words_append - add the text of a boot parameter to that of the ones before it
 * @words: their words, separated by commas
 * @size: the size of @words
 * @text: the words to add
 *
 * Context: any.
 * Return: false when there is no room; then nothing is added.
 */
bool trace_words_append(char *words, size_t size, const char *text)
{
	size_t len = strlen(words);

	if (len + strlen(text) + 2 > size)
		return false;
	snprintf(words + len, size - len, "%s%s", len ? "," : "", text);
	return true;
}
