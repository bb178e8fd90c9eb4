// SPDX-License-Identifier: GPL-2.0
/*
 * Predicates on the arguments of functions that a set names: edits of them, and what is asked at
 * a call.
 *
 * The rules of a judge are an array, sorted by function, which does not change while it is in
 * force, but for rules of a module that goes. An edit works on a copy, and puts its rules into
 * force together with its set of functions:
 *
 *	1. The new rules are in force, and so are, as stale ones, the old rules of functions that
 *	   leave the set.
 *	2. The set is in force: functions are hooked and unhooked. None of their calls was judged
 *	   by no rule.
 *	3. If there are no new rules, the judge has none from now on.
 *
 * Callbacks that have found the old rules may still use them, so they are retired as filters are.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>

#include "functions/judge.h"
#include "functions/predicate.h"
#include "hooks/hooks.h"
#include "instance/error.h"

enum judge_state {
	JUDGE_LIVE,
	JUDGE_STALE,	/* its function leaves the set */
	JUDGE_GONE,	/* its function has left with a module */
};

/**
 * struct judge_rule - one predicate of one function
 * @ip:		the function's site
 * @predicate:	with a reference
 * @turn:	later rules of the function have a higher one
 * @plain:	the function was named without a predicate, too
 * @state:	enum judge_state
 */
struct judge_rule {
	unsigned long		ip;
	struct trace_predicate	*predicate;
	unsigned int		turn;
	bool			plain;
	u8			state;		/* ftrace_lock(), READ_ONCE() */
};

/* Rules in force, or behind their time. */
struct judge_rules {
	struct ftrace_retired	retired;
	unsigned int		nr;
	struct judge_rule	rule[];
};

static LIST_HEAD(all_judges);		/* ftrace_lock() */

/* The first of sorted rules that is not below @ip. */
static __always_inline const struct judge_rule *judge_lower(const struct judge_rule *rule,
							    unsigned int nr, unsigned long ip)
{
	unsigned int half;

	while (nr) {
		half = nr / 2;
		if (rule[half].ip < ip) {
			rule += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return rule;
}

/* Hits */

/* Rules that a call of the function at @ip has to pass, up to *end; NULL: it passes. */
static __always_inline const struct judge_rule *judge_find(const struct trace_judge *judge,
							   unsigned long ip,
							   const struct judge_rule **end)
{
	/* Pairs with judge_replace(). No call of RCU: see trace_judge_passes_call(). */
	const struct judge_rules *rules = smp_load_acquire(&judge->rules);
	const struct judge_rule *rule;

	if (!rules)
		return NULL;
	*end = rules->rule + rules->nr;
	rule = judge_lower(rules->rule, rules->nr, ip);
	if (rule == *end || rule->ip != ip || rule->plain || READ_ONCE(rule->state) == JUDGE_GONE)
		return NULL;
	return rule;
}

static noinline bool judge_ask(const struct judge_rule *rule, const struct judge_rule *end,
			       struct ftrace_regs *fregs)
{
	unsigned long ip = rule->ip;

	/* The call has begun in a trampoline that saves no registers, before there were rules. */
	if (!fregs)
		return false;
	for (; rule < end && rule->ip == ip; rule++) {
		if (trace_predicate_is_true(rule->predicate, fregs))
			return true;
	}
	return false;
}

/**
 * trace_judge_passes - ask the predicates about a call
 * @judge:	the judge
 * @ip:		the function's site
 * @fregs:	what it is called with, or NULL
 *
 * Context: any, NMI included, with preemption off, where the caller is protected against
 * recursion.
 * Return: true: one of them is true, or there is none, or the function needs none.
 */
bool trace_judge_passes(const struct trace_judge *judge, unsigned long ip,
			struct ftrace_regs *fregs)
{
	const struct judge_rule *end, *rule = judge_find(judge, ip, &end);

	return !rule || judge_ask(rule, end, fregs);
}

/**
 * trace_judge_passes_call - as trace_judge_passes(), for a caller that is not protected
 * @judge:	the judge
 * @ip:		the function's site
 * @parent_ip:	where it is called from
 * @fregs:	what it is called with, or NULL
 *
 * Strings are copied by functions that may be traced. Their calls are refused meanwhile, if they
 * have a predicate as well. Nothing before that may have a kprobe: its breakpoint would call
 * traced functions, which would come here again, without an end.
 *
 * Context: any, NMI included, with preemption off.
 * Return: as trace_judge_passes().
 */
bool trace_judge_passes_call(const struct trace_judge *judge, unsigned long ip,
			     unsigned long parent_ip, struct ftrace_regs *fregs)
{
	const struct judge_rule *end, *rule = judge_find(judge, ip, &end);
	bool passes;
	int bit;

	if (!rule)
		return true;
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit < 0)
		return false;
	passes = judge_ask(rule, end, fregs);
	ftrace_test_recursion_unlock(bit);
	return passes;
}

NOKPROBE_SYMBOL(trace_judge_passes_call);

/* Rules come and go */

static void judge_rules_free(struct judge_rules *rules)
{
	if (!rules)
		return;
	for (unsigned int i = 0; i < rules->nr; i++)
		trace_predicate_put(rules->rule[i].predicate);
	kvfree(rules);
}

static void judge_rules_free_retired(struct ftrace_retired *retired)
{
	judge_rules_free(container_of(retired, struct judge_rules, retired));
}

static void judge_retire(struct judge_rules *rules)
{
	ftrace_assert_locked();
	if (!rules)
		return;
	rules->retired.free = judge_rules_free_retired;
	ftrace_retire(&rules->retired);
}

/* Put rules into force. The ones before are the caller's. */
static struct judge_rules *judge_replace(struct trace_judge *judge, struct judge_rules *rules)
{
	struct judge_rules *was = judge->rules;

	ftrace_assert_locked();
	/* A callback that finds the rules finds what is in them: pairs with judge_find(). */
	smp_store_release(&judge->rules, rules);
	return was;
}

/**
 * trace_judge_init - a judge without predicates
 * @judge:	is filled
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void trace_judge_init(struct trace_judge *judge)
{
	judge->rules = NULL;
	guard(ftrace_lock)();
	list_add(&judge->node, &all_judges);
}

/**
 * trace_judge_destroy - free a judge's predicates
 * @judge:	nobody asks it any more
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void trace_judge_destroy(struct trace_judge *judge)
{
	scoped_guard(ftrace_lock)
		list_del(&judge->node);
	judge_rules_free(judge->rules);
	judge->rules = NULL;
}

#ifdef CONFIG_MODULES

static void judge_forget(struct judge_rules *rules, struct module *mod)
{
	for (unsigned int i = 0; i < rules->nr; i++) {
		if (within_module(rules->rule[i].ip, mod))
			WRITE_ONCE(rules->rule[i].state, JUDGE_GONE);
	}
}

/* Functions go with their module. Others, which have no rule, may be where they were. */
static int judge_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct trace_judge *judge;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(ftrace_lock)();
	list_for_each_entry(judge, &all_judges, node) {
		if (judge->rules)
			judge_forget(judge->rules, data);
	}
	return NOTIFY_OK;
}

static struct notifier_block judge_module_notifier = { .notifier_call = judge_module_event };

static int __init judge_watch_modules(void)
{
	return register_module_notifier(&judge_module_notifier);
}
core_initcall(judge_watch_modules);

#endif

/* Edits */

static int judge_compare(const void *a, const void *b)
{
	const struct judge_rule *one = a, *two = b;

	if (one->ip != two->ip)
		return one->ip < two->ip ? -1 : 1;
	return one->turn < two->turn ? -1 : one->turn > two->turn;
}

static void judge_edit_sort(struct trace_judge_edit *edit)
{
	sort(edit->rules, edit->nr, sizeof(*edit->rules), judge_compare, NULL);
}

static int judge_edit_reserve(struct trace_judge_edit *edit, unsigned int more)
{
	unsigned int room = max(edit->nr + more, 2 * edit->room);
	struct judge_rule *rules;

	if (edit->nr + more <= edit->room)
		return 0;
	rules = kvmalloc_array(room, sizeof(*rules), GFP_KERNEL);
	if (!rules)
		return -ENOMEM;
	if (edit->nr)
		memcpy(rules, edit->rules, edit->nr * sizeof(*rules));
	kvfree(edit->rules);
	edit->rules = rules;
	edit->room = room;
	return 0;
}

/* Add a rule behind the others, with a reference of its own. There is room. */
static void judge_edit_add(struct trace_judge_edit *edit, unsigned long ip,
			   struct trace_predicate *predicate)
{
	unsigned int turn = edit->nr;

	refcount_inc(&predicate->refs);
	edit->rules[edit->nr++] = (struct judge_rule){
		.ip = ip, .predicate = predicate, .turn = turn,
	};
}

/* Remove the rules behind the first @nr. */
static void judge_edit_cut(struct trace_judge_edit *edit, unsigned int nr)
{
	while (edit->nr > nr)
		trace_predicate_put(edit->rules[--edit->nr].predicate);
}

/*
 * The present rules. Functions that were not named without one leave the set meanwhile. A function
 * that is not in the set, as others have changed it or its module has gone, has no rule any more.
 */
static int judge_edit_copy(struct trace_judge_edit *edit, struct ftrace_hash *hash)
{
	const struct judge_rules *rules = edit->judge->rules;
	const struct judge_rule *rule;
	int ret;

	ftrace_assert_locked();
	ret = rules ? judge_edit_reserve(edit, rules->nr) : 0;
	for (unsigned int i = 0; !ret && rules && i < rules->nr; i++) {
		rule = &rules->rule[i];
		if (rule->state == JUDGE_LIVE && ftrace_hash_has(hash, rule->ip))
			judge_edit_add(edit, rule->ip, rule->predicate);
	}
	/* A function may have several rules, so all of them have been copied. */
	for (unsigned int i = 0; !ret && rules && i < rules->nr; i++) {
		rule = &rules->rule[i];
		if (rule->state == JUDGE_LIVE && !rule->plain)
			ftrace_hash_del(hash, rule->ip);
	}
	return ret;
}

/**
 * trace_judge_edit_begin - copy the predicates to change them
 * @edit:	is filled
 * @judge:	the judge
 * @tr:		whose error_log tells what is wrong
 * @hash:	a copy of the set of functions; NULL: begin without predicates
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: 0, then trace_judge_edit_end() must follow; -ENOMEM.
 */
int trace_judge_edit_begin(struct trace_judge_edit *edit, struct trace_judge *judge,
			   struct trace_array *tr, struct ftrace_hash *hash)
{
	int ret = 0;

	*edit = (struct trace_judge_edit){ .judge = judge, .tr = tr };
	if (hash) {
		scoped_guard(ftrace_lock)
			ret = judge_edit_copy(edit, hash);
	}
	if (ret)
		trace_judge_edit_end(edit);
	return ret;
}

/**
 * trace_judge_edit_end - forget an edit
 * @edit:	was put into force, or not
 *
 * Context: task, may sleep.
 */
void trace_judge_edit_end(struct trace_judge_edit *edit)
{
	judge_edit_cut(edit, 0);
	kvfree(edit->rules);
	edit->rules = NULL;
	edit->room = 0;
}

/* Find the functions of "PATTERN", "PATTERN:mod:MODULE" or "PATTERN:src:PATH". */
static long judge_find_sites(struct ftrace_hash *sites, const char *funcs, size_t len)
{
	char *text, *rest, *pattern, *kind, *value;
	long found = -EINVAL;

	text = kmemdup_nul(funcs, len, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	rest = text;
	pattern = strsep(&rest, ":");
	kind = strsep(&rest, ":");
	value = strsep(&rest, ":");
	if (!rest && !kind)
		found = ftrace_hash_apply(sites, pattern, NULL, NULL);
	else if (!rest && value && *value && !strcmp(kind, "mod"))
		found = ftrace_hash_apply(sites, pattern, value, NULL);
	else if (!rest && value && *value && !strcmp(kind, "src"))
		found = ftrace_hash_apply(sites, pattern, NULL, value);
	kfree(text);
	return found;
}

/* Does the edit's rule @i have the text? Any has NULL. */
static bool judge_edit_is(const struct trace_judge_edit *edit, unsigned int i, const char *text)
{
	return !text || !strcmp(trace_filter_text(edit->rules[i].predicate->filter), text);
}

/* Remove the rules of @sites that have the text. Returns how many. */
static int judge_edit_remove(struct trace_judge_edit *edit, const struct ftrace_hash *sites,
			     const char *text)
{
	unsigned int nr = 0, removed = 0;

	for (unsigned int i = 0; i < edit->nr; i++) {
		if (ftrace_hash_has(sites, edit->rules[i].ip) && judge_edit_is(edit, i, text)) {
			trace_predicate_put(edit->rules[i].predicate);
			removed++;
		} else {
			edit->rules[nr++] = edit->rules[i];
		}
	}
	edit->nr = nr;
	return removed;
}

/* Is there a rule with this text, among the first @nr? */
static bool judge_edit_knows(const struct trace_judge_edit *edit, unsigned int nr,
			     unsigned long ip, const char *text)
{
	unsigned int i = judge_lower(edit->rules, nr, ip) - edit->rules;

	for (; i < nr && edit->rules[i].ip == ip; i++) {
		if (judge_edit_is(edit, i, text))
			return true;
	}
	return false;
}

/*
 * Add a rule to all of @sites whose functions have the arguments. Returns 0; -EINVAL: none has,
 * and @error tells about one of them; -ENOMEM.
 */
static int judge_edit_extend(struct trace_judge_edit *edit, const struct ftrace_hash *sites,
			     struct trace_predicate_maker *maker, struct trace_filter_error *error)
{
	struct trace_predicate *predicate;
	unsigned int known = edit->nr;
	unsigned long i = 0, ip;
	bool any = false;

	if (judge_edit_reserve(edit, ftrace_hash_count(sites)))
		return -ENOMEM;
	while ((ip = ftrace_hash_next(sites, &i))) {
		cond_resched();
		if (judge_edit_knows(edit, known, ip, maker->text)) {
			any = true;
			continue;
		}
		predicate = trace_predicate_make(maker, ip, error);
		if (PTR_ERR_OR_ZERO(predicate) == -ENOMEM) {
			judge_edit_cut(edit, known);
			return -ENOMEM;
		}
		if (IS_ERR(predicate))
			continue;
		judge_edit_add(edit, ip, predicate);
		trace_predicate_put(predicate);
		any = true;
	}
	judge_edit_sort(edit);
	return any ? 0 : -EINVAL;
}

/* A line, cut into its parts, which point into it. */
struct judge_line {
	const char	*line;
	const char	*funcs;
	size_t		len;		/* of @funcs */
	bool		removes;
	const char	*expr;
};

enum judge_error {
	JUDGE_NO_FUNCTION,
	JUDGE_NO_RULE,
	JUDGE_NO_CLAUSE,
};

static const char * const judge_errors[] = {
	[JUDGE_NO_FUNCTION]	= "No function has such a name",
	[JUDGE_NO_RULE]		= "No such entry",
	[JUDGE_NO_CLAUSE]	= "Expecting FUNCTIONS if EXPRESSION",
};

static int judge_fail(const struct trace_judge_edit *edit, const struct judge_line *line,
		      enum judge_error error, const char *at)
{
	trace_error_log(edit->tr, "function filter", line->line, judge_errors, error,
			at - line->line);
	return -EINVAL;
}

/* The filter's errnos are those of events' filter files. A set of functions has one. */
static int judge_fail_expr(const struct trace_judge_edit *edit, const struct judge_line *line,
			   struct trace_filter_error *error)
{
	error->pos += line->expr - line->line;
	trace_filter_error_log(edit->tr, line->line, error);
	return -EINVAL;
}

static int judge_cut_line(const struct trace_judge_edit *edit, const char *text,
			  struct judge_line *line)
{
	const char *clause;

	line->line = text;
	line->removes = *text == '!';
	line->funcs = text + line->removes;
	line->len = strcspn(line->funcs, " \t");
	clause = line->funcs + line->len;
	clause += strspn(clause, " \t");
	line->expr = clause + strlen(TRACE_JUDGE_CLAUSE);
	if (!str_has_prefix(clause, TRACE_JUDGE_CLAUSE) || !strspn(line->expr, " \t"))
		return judge_fail(edit, line, JUDGE_NO_CLAUSE, clause);
	line->expr += strspn(line->expr, " \t");
	return 0;
}

static int judge_edit_change(struct trace_judge_edit *edit, const struct judge_line *line,
			     const struct ftrace_hash *sites)
{
	struct trace_predicate_maker maker;
	struct trace_filter_error error = { };
	int ret;

	if (line->removes)
		return judge_edit_remove(edit, sites, line->expr) ? 0 :
		       judge_fail(edit, line, JUDGE_NO_RULE, line->funcs);
	trace_predicate_maker_init(&maker, line->expr);
	ret = judge_edit_extend(edit, sites, &maker, &error);
	trace_predicate_maker_end(&maker);
	return ret == -EINVAL ? judge_fail_expr(edit, line, &error) : ret;
}

/**
 * trace_judge_edit_take - take a line that a user wrote
 * @edit:	the edit
 * @word:	"FUNCTIONS if EXPRESSION", with '!' for removal
 *
 * Of functions that a glob names, those without arguments of such names are left out.
 *
 * Context: task, may sleep; takes error_mutex, btf_owners_mutex and ftrace_lock().
 * Return: 0; -EINVAL, and the error log has the reason; -ENOMEM; -EOPNOTSUPP for a path if none
 * is known. Nothing has changed on error.
 */
int trace_judge_edit_take(struct trace_judge_edit *edit, const char *word)
{
	char *text = kstrdup(word, GFP_KERNEL);
	struct ftrace_hash *sites = ftrace_hash_alloc();
	struct judge_line line;
	long ret = -ENOMEM;

	if (text && sites) {
		ret = judge_cut_line(edit, strim(text), &line);
		if (!ret) {
			ret = judge_find_sites(sites, line.funcs, line.len);
			if (!ret || ret == -EINVAL)
				ret = judge_fail(edit, &line, JUDGE_NO_FUNCTION, line.funcs);
		}
		if (ret > 0)
			ret = judge_edit_change(edit, &line, sites);
	}
	ftrace_hash_free(sites);
	kfree(text);
	return ret;
}

/**
 * trace_judge_edit_drop - remove all predicates of functions
 * @edit:	the edit
 * @funcs:	a name, a glob and so on, without '!'
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: how many there were; -ENOMEM.
 */
int trace_judge_edit_drop(struct trace_judge_edit *edit, const char *funcs)
{
	struct ftrace_hash *sites;
	long ret;

	if (!edit->nr)
		return 0;
	sites = ftrace_hash_alloc();
	if (!sites)
		return -ENOMEM;
	ret = judge_find_sites(sites, funcs, strlen(funcs));
	if (ret > 0)
		ret = judge_edit_remove(edit, sites, NULL);
	ftrace_hash_free(sites);
	return ret == -ENOMEM ? ret : max(ret, 0);
}

/**
 * trace_judge_edit_has - does the edit have a predicate of a function?
 * @edit:	the edit
 * @ip:		the function's site
 *
 * Context: task, the user of the edit.
 * Return: true if it has.
 */
bool trace_judge_edit_has(const struct trace_judge_edit *edit, unsigned long ip)
{
	return judge_edit_knows(edit, edit->nr, ip, NULL);
}

/* Commit */

/* Add the functions to the set, and note which are there without a predicate, too. */
static int judge_edit_join(struct trace_judge_edit *edit, struct ftrace_hash *hash)
{
	struct judge_rule *rule = edit->rules, *end = rule + edit->nr;
	int ret = 0;

	for (; rule < end; rule++)
		rule->plain = ftrace_hash_has(hash, rule->ip);
	for (rule = edit->rules; !ret && rule < end; rule++)
		ret = ftrace_hash_add(hash, rule->ip);
	return ret;
}

/* A rule in force whose function is not in the set any more. */
static bool judge_leaves(const struct judge_rule *rule, const struct ftrace_hash *hash)
{
	return rule->state == JUDGE_LIVE && !ftrace_hash_has(hash, rule->ip);
}

/* The rules of the edit, and stale ones. NULL: the edit has none. ERR_PTR(-ENOMEM). */
static struct judge_rules *judge_edit_seal(struct trace_judge_edit *edit,
					   const struct ftrace_hash *hash)
{
	const struct judge_rules *was = edit->judge->rules;
	unsigned int old = was ? was->nr : 0;
	struct judge_rules *rules;

	ftrace_assert_locked();
	if (!edit->nr)
		return NULL;
	rules = kvmalloc(struct_size(rules, rule, size_add(edit->nr, old)), GFP_KERNEL);
	if (!rules)
		return ERR_PTR(-ENOMEM);
	memcpy(rules->rule, edit->rules, edit->nr * sizeof(*edit->rules));
	rules->nr = edit->nr;
	for (unsigned int i = 0; i < old; i++) {
		if (!judge_leaves(&was->rule[i], hash))
			continue;
		rules->rule[rules->nr] = was->rule[i];
		rules->rule[rules->nr++].state = JUDGE_STALE;
	}
	for (unsigned int i = 0; i < rules->nr; i++)
		refcount_inc(&rules->rule[i].predicate->refs);
	sort(rules->rule, rules->nr, sizeof(*rules->rule), judge_compare, NULL);
	return rules;
}

/**
 * trace_judge_edit_commit - put an edit and its set of functions into force
 * @edit:	the edit, which the caller ends
 * @hash:	the functions without a predicate; is consumed, also on error
 * @apply:	puts all functions into force. The judge has its rules before, or still has its
 *		old ones if there are no new rules
 * @data:	for @apply
 *
 * Edits of one judge exclude each other, by a lock of the caller.
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: 0; -ENOMEM; the error of @apply. Nothing has changed on error.
 */
int trace_judge_edit_commit(struct trace_judge_edit *edit, struct ftrace_hash *hash,
			    trace_judge_apply apply, void *data)
{
	struct judge_rules *rules, *was = NULL;
	int ret = judge_edit_join(edit, hash);

	scoped_guard(ftrace_lock) {
		rules = ret ? ERR_PTR(ret) : judge_edit_seal(edit, hash);
		if (!IS_ERR_OR_NULL(rules))
			was = judge_replace(edit->judge, rules);
	}
	if (IS_ERR(rules)) {
		ftrace_hash_free(hash);
		return PTR_ERR(rules);
	}
	ret = apply(hash, data);
	scoped_guard(ftrace_lock) {
		/* The rules that are not to be in force: on error the new ones. */
		if (rules && ret)
			was = judge_replace(edit->judge, was);
		else if (!rules && !ret)
			was = judge_replace(edit->judge, NULL);
		judge_retire(was);
	}
	return ret;
}

/* Listing */

static void judge_put_name(struct seq_file *m, const struct dyn_ftrace *site)
{
	const char *module, *name;
	size_t len;

	name = ftrace_site_text(site, &len, &module);
	seq_write(m, name, len);
	if (module)
		seq_printf(m, " [%s]", module);
}

/**
 * trace_judge_show - print the lines of a function
 * @m:		where to
 * @judge:	the judge
 * @edit:	an edit of it, or NULL
 * @hash:	functions that the edit has without a predicate, or NULL: those in force
 * @site:	the function
 *
 * Context: task, ftrace_lock() is held.
 * Return: the number of lines; 0: it has no predicate.
 */
int trace_judge_show(struct seq_file *m, const struct trace_judge *judge,
		     const struct trace_judge_edit *edit, const struct ftrace_hash *hash,
		     const struct dyn_ftrace *site)
{
	const struct judge_rules *rules = judge->rules;
	unsigned int nr = hash ? edit->nr : rules ? rules->nr : 0, lines = 0;
	const struct judge_rule *first = hash ? edit->rules : rules ? rules->rule : NULL;
	unsigned long ip = ftrace_site_ip(site);
	const struct judge_rule *rule = judge_lower(first, nr, ip);
	const char *module;
	size_t len;

	ftrace_assert_locked();
	for (; rule < first + nr && rule->ip == ip; rule++) {
		if (rule->state != JUDGE_LIVE || !ftrace_site_text(site, &len, &module))
			continue;
		if (!lines++ && (hash ? ftrace_hash_has(hash, ip) : rule->plain)) {
			judge_put_name(m, site);
			seq_putc(m, '\n');
		}
		judge_put_name(m, site);
		seq_printf(m, " " TRACE_JUDGE_CLAUSE " %s\n",
			   trace_filter_text(rule->predicate->filter));
	}
	return lines;
}
