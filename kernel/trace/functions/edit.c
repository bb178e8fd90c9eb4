// SPDX-License-Identifier: GPL-2.0
/*
 * Changing a filter of an instance, word by word: the words go to a copy, which
 * comes into force as a whole. A word for functions of a module that is not
 * loaded is kept with the filter and applied when the module comes.
 *
 * Locks: pending_mutex, then ftrace_lock(). An edit has no lock: it has one user.
 */
#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "functions/internal.h"
#include "instance/error.h"

/**
 * struct trace_pending - a word for a module that is not loaded
 * @list:	in trace_filter_edit.pending or trace_functions.pending
 * @stamp:	a number of pending_stamp, another one when the word was written again or a
 *		module came for it; 0 of a word that an edit has written
 * @module:	name or glob
 * @pattern:	which of its functions; empty: all
 */
struct trace_pending {
	struct list_head	list;
	unsigned long		stamp;
	const char		*module;
	char			pattern[];
};

/* The lock of the words that wait for modules, in all instances. */
static DEFINE_MUTEX(pending_mutex);
static LIST_HEAD(all_functions);	/* pending_mutex; of struct trace_functions */
static unsigned long pending_stamp;	/* pending_mutex; the last one that was given */

/**
 * trace_pending_lock - take the lock of all words that wait for modules
 *
 * Context: task, may sleep.
 */
void trace_pending_lock(void)
{
	mutex_lock(&pending_mutex);
}

/**
 * trace_pending_unlock - undo trace_pending_lock()
 *
 * Context: task.
 */
void trace_pending_unlock(void)
{
	mutex_unlock(&pending_mutex);
}

/*
 * A word of @list, or NULL. The list is that of an edit or, under pending_mutex, of a filter,
 * as for all of the functions below.
 */
static struct trace_pending *edit_pending_find(const struct list_head *list, const char *pattern,
					       const char *module)
{
	struct trace_pending *p;

	list_for_each_entry(p, list, list) {
		if (!strcmp(p->pattern, pattern) && !strcmp(p->module, module))
			return p;
	}
	return NULL;
}

/* Add a word to @list, which has the newest one first, unless it is there. */
static int edit_pending_add(struct list_head *list, const char *pattern, const char *module,
			    unsigned long stamp)
{
	size_t len = strlen(pattern) + 1, module_len = strlen(module) + 1;
	struct trace_pending *p;

	if (edit_pending_find(list, pattern, module))
		return 0;
	p = kmalloc(struct_size(p, pattern, len + module_len), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	memcpy(p->pattern, pattern, len);
	memcpy(p->pattern + len, module, module_len);
	p->module = p->pattern + len;
	p->stamp = stamp;
	list_add(&p->list, list);
	return 0;
}

static void edit_pending_free(struct trace_pending *p)
{
	list_del(&p->list);
	kfree(p);
}

static void edit_pending_free_all(struct list_head *list)
{
	struct trace_pending *p, *next;

	list_for_each_entry_safe(p, next, list, list)
		edit_pending_free(p);
}

static int edit_pending_copy(const struct list_head *from, struct list_head *to)
{
	struct trace_pending *p;
	int ret = 0;

	list_for_each_entry_reverse(p, from, list) {
		ret = edit_pending_add(to, p->pattern, p->module, p->stamp);
		if (ret)
			break;
	}
	return ret;
}

/* Remove the words with this pattern and module, or, by "*", all of the module. */
static int edit_pending_remove(struct list_head *list, const char *pattern, const char *module)
{
	bool all = !*pattern || !strcmp(pattern, "*");
	struct trace_pending *p, *next;
	int ret = -EINVAL;

	list_for_each_entry_safe(p, next, list, list) {
		if (strcmp(p->module, module) || (!all && strcmp(p->pattern, pattern)))
			continue;
		edit_pending_free(p);
		ret = 0;
	}
	return ret;
}

static bool edit_pending_is_glob(const char *text)
{
	return !*text || strpbrk(text, "*?[\\");
}

/*
 * Is a module loaded, so that there is nothing to wait for? A module that is coming does not
 * count, as the notifier may not have been called for it yet.
 */
static bool edit_filter_module_is_there(const char *name)
{
#ifdef CONFIG_MODULES
	struct module *mod;

	guard(preempt)();
	mod = find_module(name);
	return mod && mod->state != MODULE_STATE_COMING;
#else
	return false;
#endif
}

/* Apply a pattern for functions of @module to @hash. Returns how many match, or an errno. */
static long edit_filter_apply_copy(struct ftrace_hash *hash, const char *pattern,
				   const char *module)
{
	char *text = kstrdup(pattern, GFP_KERNEL), *name = kstrdup(module, GFP_KERNEL);
	long ret = -ENOMEM;

	if (text && name)
		ret = ftrace_hash_apply(hash, text, name, NULL);
	kfree(text);
	kfree(name);
	return ret;
}

#ifdef CONFIG_MODULES

static bool edit_pending_matches(const struct trace_pending *p, const char *module)
{
	struct trace_glob glob;
	bool match;
	char *text;

	if (!edit_pending_is_glob(p->module))
		return !strcmp(p->module, module);
	if (!*p->module)
		return true;
	text = kstrdup(p->module, GFP_KERNEL);
	if (!text)
		return false;
	trace_glob_parse(&glob, text);
	match = trace_glob_match(&glob, module, strlen(module));
	kfree(text);
	return match;
}

/* A module is coming: apply the words that wait for it, before one of its functions runs. */
static void edit_pending_resolve(struct trace_functions *fns, bool exclude, const char *module)
{
	struct list_head *list = &fns->pending[exclude];
	struct ftrace_hash *hash = NULL;
	struct trace_pending *p, *next;
	long found = 0, ret;

	lockdep_assert_held(&pending_mutex);
	list_for_each_entry_safe(p, next, list, list) {
		if (!edit_pending_matches(p, module))
			continue;
		if (!hash)
			hash = ftrace_ops_filter_get(&fns->ops, exclude);
		ret = hash ? edit_filter_apply_copy(hash, p->pattern, module) : -ENOMEM;
		if (ret < 0)
			pr_warn("ftrace: no memory to filter functions of %s\n", module);
		else
			found += ret;
		if (edit_pending_is_glob(p->module))
			p->stamp = ++pending_stamp;
		else
			edit_pending_free(p);
	}
	if (found) {
		ret = ftrace_ops_filter_set(&fns->ops, hash, exclude);
		if (ret)
			pr_warn("ftrace: functions of %s are not filtered: %ld\n", module, ret);
	} else if (hash) {
		ftrace_hash_free(hash);
	}
}

static int edit_filter_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	struct trace_functions *fns;

	if (event != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	guard(mutex)(&pending_mutex);
	list_for_each_entry(fns, &all_functions, node) {
		edit_pending_resolve(fns, false, mod->name);
		edit_pending_resolve(fns, true, mod->name);
	}
	return NOTIFY_OK;
}

static struct notifier_block filter_module_notifier = { .notifier_call = edit_filter_module_event };

static int __init edit_filter_watch_modules(void)
{
	return register_module_notifier(&filter_module_notifier);
}
core_initcall(edit_filter_watch_modules);

#endif

/**
 * trace_filter_init - prepare the filters of an instance for edits
 * @fns: the instance's functions
 *
 * Context: task, may sleep; takes pending_mutex. Undone by trace_filter_destroy().
 */
void trace_filter_init(struct trace_functions *fns)
{
	INIT_LIST_HEAD(&fns->pending[false]);
	INIT_LIST_HEAD(&fns->pending[true]);
	trace_judge_init(&fns->judge);
	guard(mutex)(&pending_mutex);
	list_add_tail(&fns->node, &all_functions);
}

/**
 * trace_filter_destroy - forget what waits for modules
 * @fns: the instance's functions
 *
 * Context: task, may sleep; takes pending_mutex. Nobody edits its filters any more.
 */
void trace_filter_destroy(struct trace_functions *fns)
{
	trace_judge_destroy(&fns->judge);
	guard(mutex)(&pending_mutex);
	list_del(&fns->node);
	edit_pending_free_all(&fns->pending[false]);
	edit_pending_free_all(&fns->pending[true]);
}

/**
 * trace_filter_edit_begin - copy a filter to change it
 * @edit:	is filled
 * @fns:	the instance's functions
 * @exclude:	set_ftrace_notrace instead of set_ftrace_filter
 * @empty:	begin with an empty filter
 *
 * Context: task, may sleep; takes pending_mutex and ftrace_lock().
 * Return: 0, then trace_filter_edit_commit() or trace_filter_edit_cancel() must follow;
 * -ENOMEM.
 */
int trace_filter_edit_begin(struct trace_filter_edit *edit, struct trace_functions *fns,
			    bool exclude, bool empty)
{
	int ret = 0;

	*edit = (struct trace_filter_edit){ .fns = fns, .exclude = exclude };
	INIT_LIST_HEAD(&edit->pending);
	/* Nobody puts an edit into force between the copies of the words, the set and the rules. */
	guard(mutex)(&pending_mutex);
	if (!empty)
		ret = edit_pending_copy(&fns->pending[exclude], &edit->pending);
	if (!ret) {
		edit->hash = empty ? ftrace_hash_alloc()
				   : ftrace_ops_filter_get(&fns->ops, exclude);
		if (edit->hash && !trace_judge_edit_begin(&edit->rules, &fns->judge, fns->tr,
							  empty || exclude ? NULL : edit->hash))
			return 0;
		ftrace_hash_free(edit->hash);
	}
	edit_pending_free_all(&edit->pending);
	return -ENOMEM;
}

/*
 * Is this word "PATTERN:ACTION"? Not "PATTERN:mod:...", "PATTERN:src:...", or
 * "PATTERN:mod", which names no module and is PATTERN.
 */
static bool edit_filter_word_is_command(const char *word)
{
	word = strchr(word, ':');
	return word && strcmp(word, ":mod") && !str_has_prefix(word, ":mod:") &&
	       !str_has_prefix(word, ":src:");
}

/* Functions of a module, loaded or not. */
static int edit_filter_module(struct trace_filter_edit *edit, const char *pattern,
			      const char *module)
{
	long found = edit_filter_apply_copy(edit->hash, pattern, module);
	int ret;

	if (found < 0)
		return found;
	if (*pattern == '!') {
		ret = edit_pending_remove(&edit->pending, pattern + 1, module);
		/* As with the last name: when the last word has gone, there is no filter. */
		if (!ret && list_empty(&edit->pending))
			ftrace_hash_set_nothing(edit->hash, false);
		return found ? 0 : ret;
	}
	if (found)
		return 0;
	/*
	 * Nothing was found, so a loaded module has no such function, and no module to come has
	 * a negated name.
	 */
	if (*module == '!' || edit_filter_module_is_there(module))
		return -EINVAL;
	return edit_pending_add(&edit->pending, pattern, module, 0);
}

/*
 * Change the copy by a word: NAME, GLOB or INDEX, PATTERN:mod:MODULE or PATTERN:src:PATH where an
 * empty PATTERN means all, each of them with ! for removal. The word is changed while it is
 * parsed. Takes ftrace_lock(). 0; -EINVAL when it means nothing; -EOPNOTSUPP for a path when none
 * is known; -ENOMEM.
 */
static int edit_word(struct trace_filter_edit *edit, char *word)
{
	char *pattern = word, *kind, *value;
	long found;

	word = strchr(word, ':');
	if (word)
		*word++ = '\0';
	kind = strsep(&word, ":");
	value = strsep(&word, ":");
	/* Nothing comes behind the module or the path. */
	if (word)
		return -EINVAL;
	if (kind && !strcmp(kind, "mod")) {
		if (value)
			return edit_filter_module(edit, pattern, value);
		kind = NULL;
	}
	if (kind && (!value || !*value))
		return -EINVAL;
	found = ftrace_hash_apply(edit->hash, pattern, NULL, value);
	if (found < 0)
		return found;
	return found ? 0 : -EINVAL;
}

/* As edit_word(). A function that is removed loses its predicates, too. */
static int edit_plain_word(struct trace_filter_edit *edit, char *word)
{
	int dropped = *word == '!' ? trace_judge_edit_drop(&edit->rules, word + 1) : 0;

	return dropped < 0 ? dropped : edit_word(edit, word);
}

static const char * const edit_errors[] = {
	[TRACE_FILTER_NO_FUNCTION]	= "No function has such a name",
	[TRACE_FILTER_NOT_THERE]	= "None of these functions is in the list",
	[TRACE_FILTER_NO_COMMAND]	=
		"Expecting FUNCTIONS:COMMAND or FUNCTIONS:COMMAND:COUNT",
	[TRACE_FILTER_NOT_HERE]		= "The command cannot be used here with this parameter",
	[TRACE_FILTER_COMMAND_IS_THERE]	= "All of these functions have the command already",
	[TRACE_FILTER_COMMAND_NOT_THERE] = "None of these functions has the command",
	[TRACE_FILTER_NAMES_ONLY]	= "Expecting names without a command or a condition",
};

/* Tell in the log of @tr. Of a word that was parsed, the colons have become NULs. */
static void edit_tell(struct trace_array *tr, char *word, size_t len, enum trace_filter_error error)
{
	for (size_t i = 0; i < len; i++) {
		if (!word[i])
			word[i] = ':';
	}
	trace_error_log(tr, "function filter", word, edit_errors, error, 0);
}

/**
 * trace_functions_tell_unknown - tell in error_log that a word names no function
 * @tr:		the instance
 * @word:	the word; it may have been parsed
 * @len:	its length before
 * @known:	it names some, but none of them can be removed from the list, as it is not there
 *
 * Context: task, may sleep; takes error_mutex.
 */
void trace_functions_tell_unknown(struct trace_array *tr, char *word, size_t len, bool known)
{
	edit_tell(tr, word, len, known ? TRACE_FILTER_NOT_THERE : TRACE_FILTER_NO_FUNCTION);
}

/* As trace_filter_edit_take(), with the error to be told of -EINVAL, unless it was told. */
static int edit_take(struct trace_filter_edit *edit, char *word, enum trace_filter_error *error)
{
	bool names_only = edit->exclude || edit->fns->no_commands;
	bool line = trace_judge_is_line(word);
	char *pattern;

	if (!line && !edit_filter_word_is_command(word)) {
		*error = TRACE_FILTER_NO_FUNCTION;
		return edit_plain_word(edit, word);
	}
	*error = TRACE_FILTER_NAMES_ONLY;
	if (names_only)
		return -EINVAL;
	*error = line ? TRACE_FILTER_TOLD : TRACE_FILTER_NO_COMMAND;
	if (line)
		return trace_judge_edit_take(&edit->rules, word);
	pattern = strsep(&word, ":");
	return trace_func_command_apply(edit->fns, pattern, word, error);
}

/**
 * trace_filter_edit_take - take a word that a user wrote: for the copy, or a command
 * @edit: the edit
 * @word: as edit_word() takes it; or PATTERN:ACTION, which is in force at
 *	once; or a line with a predicate, "FUNCTIONS if EXPRESSION"; changed while it is parsed
 *
 * error_log tells why a word is refused with -EINVAL.
 *
 * Context: task; takes trace_instances_lock() and ftrace_lock().
 * Return: as edit_word(), trace_judge_edit_take() or trace_func_command_apply(); -EINVAL for a
 * command or a predicate in the list of functions that are not traced, or of those of the stack
 * tracer.
 */
int trace_filter_edit_take(struct trace_filter_edit *edit, char *word)
{
	/* Parsing overwrites a '*' at the end of a pattern. */
	char *copy __free(kfree) = strchr(word, '*') ? kstrdup(word, GFP_KERNEL) : NULL;
	size_t len = strlen(word);
	enum trace_filter_error error;
	int ret = edit_take(edit, word, &error);

	if (ret == -EINVAL && error != TRACE_FILTER_TOLD)
		edit_tell(edit->rules.tr, copy ?: word, len, error);
	return ret;
}

/* Are there predicates, before or behind the edit? */
static bool edit_concerns_judge(const struct trace_filter_edit *edit)
{
	return !edit->exclude && (edit->rules.nr || trace_judge_is_used(&edit->fns->judge));
}

/* The filter's functions are known, and so are its predicates. */
static int edit_apply(struct ftrace_hash *hash, void *data)
{
	struct trace_filter_edit *edit = data;
	struct trace_functions *fns = edit->fns;
	int ret = edit_concerns_judge(edit) ? trace_functions_judge_changed(fns) : 0;

	if (!ret)
		return ftrace_ops_filter_set(&fns->ops, hash, edit->exclude);
	ftrace_hash_free(hash);
	return ret;
}

/* Let the copy be the filter. Under pending_mutex. */
static int edit_commit(struct trace_filter_edit *edit)
{
	struct list_head *list = &edit->fns->pending[edit->exclude];
	struct trace_pending *p, *next, *now;
	bool judged;
	int ret;

	lockdep_assert_held(&pending_mutex);
	/*
	 * A module may have come since a word was written or copied. Its functions are in the
	 * filter then, if at all, and not in the copy. A word that nothing happened to is not
	 * applied again: functions of it may have been removed by name.
	 */
	list_for_each_entry_safe(p, next, &edit->pending, list) {
		now = edit_pending_find(list, p->pattern, p->module);
		if (now && now->stamp == p->stamp)
			continue;
		p->stamp = ++pending_stamp;
		if (edit_filter_apply_copy(edit->hash, p->pattern, p->module) > 0 &&
		    !edit_pending_is_glob(p->module))
			edit_pending_free(p);
	}
	/* A filter that only waits for modules names no function until one comes. */
	if (!edit->exclude && !ftrace_hash_count(edit->hash) && !list_empty(&edit->pending))
		ftrace_hash_set_nothing(edit->hash, true);
	judged = edit_concerns_judge(edit);
	ret = edit->exclude ? edit_apply(edit->hash, edit) :
	      trace_judge_edit_commit(&edit->rules, edit->hash, edit_apply, edit);
	/*
	 * There may be no predicates any more, or again the old ones. If trampolines that save no
	 * registers cannot be had, those that do are as good.
	 */
	if (judged)
		trace_functions_judge_changed(edit->fns);
	if (!ret) {
		edit_pending_free_all(list);
		list_splice_init(&edit->pending, list);
	}
	return ret;
}

/**
 * trace_filter_edit_commit - let the copy be the filter
 * @edit: the edit, which ends
 *
 * Context: task, may sleep; takes pending_mutex and ftrace_lock(), and trace_instances_lock() if
 * there are predicates.
 * Return: 0; -ENOMEM, or the error of ftrace_ops_filter_set() or of
 * trace_functions_judge_changed(), when nothing has changed.
 */
int trace_filter_edit_commit(struct trace_filter_edit *edit)
{
	int ret = -EAGAIN;

	if (!edit_concerns_judge(edit)) {
		guard(mutex)(&pending_mutex);
		/* Another edit may have brought predicates since this one was looked at. */
		if (!edit_concerns_judge(edit))
			ret = edit_commit(edit);
	}
	if (ret == -EAGAIN) {
		guard(trace_instances)();
		guard(mutex)(&pending_mutex);
		ret = edit_commit(edit);
	}
	trace_judge_edit_end(&edit->rules);
	edit_pending_free_all(&edit->pending);
	return ret;
}

/**
 * trace_filter_edit_cancel - forget an edit
 * @edit: the edit, which ends
 *
 * Context: task.
 */
void trace_filter_edit_cancel(struct trace_filter_edit *edit)
{
	ftrace_hash_free(edit->hash);
	trace_judge_edit_end(&edit->rules);
	edit_pending_free_all(&edit->pending);
}

/**
 * trace_filter_set_text - add the names of a text to a filter
 * @fns:	the instance's functions
 * @text:	words as edit_word() takes them, separated by commas; changed
 *		while it is parsed
 * @exclude:	which filter
 *
 * Words that match nothing are left out, and so are commands.
 *
 * Context: task or boot; takes pending_mutex and ftrace_lock().
 * Return: how many words were left out; -ENOMEM, or the errno of
 * trace_filter_edit_commit(), when nothing has changed.
 */
int trace_filter_set_text(struct trace_functions *fns, char *text, bool exclude)
{
	struct trace_filter_edit edit;
	int ret, bad = 0;
	char *word;

	ret = trace_filter_edit_begin(&edit, fns, exclude, false);
	if (ret)
		return ret;
	while ((word = strsep(&text, ","))) {
		if (*word && (edit_filter_word_is_command(word) ||
			      edit_word(&edit, word)))
			bad++;
	}
	return trace_filter_edit_commit(&edit) ?: bad;
}

static struct trace_pending *edit_pending_nth(struct list_head *list, unsigned long n)
{
	struct trace_pending *p;

	list_for_each_entry(p, list, list) {
		if (!n--)
			return p;
	}
	return NULL;
}

/**
 * trace_pending_nth - a word that waits for a module, by its number
 * @fns:	the instance's functions
 * @exclude:	which filter
 * @n:		the number, from 0
 *
 * Context: trace_pending_lock() is held.
 * Return: the word, or NULL past the last.
 */
struct trace_pending *trace_pending_nth(struct trace_functions *fns, bool exclude, unsigned long n)
{
	lockdep_assert_held(&pending_mutex);
	return edit_pending_nth(&fns->pending[exclude], n);
}

/**
 * trace_filter_edit_nth - a word of an edit that waits for a module, by its number
 * @edit:	the edit
 * @n:		the number, from 0
 *
 * Context: task, the user of the edit.
 * Return: the word, or NULL past the last.
 */
struct trace_pending *trace_filter_edit_nth(struct trace_filter_edit *edit, unsigned long n)
{
	return edit_pending_nth(&edit->pending, n);
}

/**
 * trace_filter_edit_empty - would the copy be a filter that names every function?
 * @edit:	the edit
 *
 * Context: task, the user of the edit.
 */
bool trace_filter_edit_empty(const struct trace_filter_edit *edit)
{
	return !ftrace_hash_count(edit->hash) && !edit->hash->nothing && !edit->rules.nr &&
	       list_empty(&edit->pending);
}

/**
 * trace_pending_show - print the line of a word that waits for a module
 * @m:	where to
 * @p:	the word
 *
 * Context: trace_pending_lock() is held.
 */
void trace_pending_show(struct seq_file *m, const struct trace_pending *p)
{
	seq_printf(m, "%s:mod:%s\n", p->pattern, p->module);
}
