// SPDX-License-Identifier: GPL-2.0
/*
 * The words behind the place of a probe become its arguments: "[NAME=]FETCH[:TYPE]". "$arg*" is
 * one of them for each argument that BTF knows, and a word "$argN" is the argument by its name.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/field.h"
#include "probes/fetch_btf.h"
#include "probes/fetch_parse.h"

/* Letters of all names that "$argN" and "$arg*" of a line stand for. */
#define NAMES_MAX	512

/* Steps that an argument may have, with those that store it. */
#define STEPS_MAX	(FETCH_STEPS_MAX + 2)

/* Steps that store an argument at an entry. */
#define ENTRY_STEPS_MAX	3

/**
 * struct fetch_word - the text of an argument
 * @text: begin
 * @end: its end
 * @at: the word of the line that it comes from
 * @index: which one that is
 */
struct fetch_word {
	const char	*text;
	const char	*end;
	const char	*at;
	unsigned int	index;
};

/**
 * struct fetch_words - the texts of all arguments
 * @ctx: where hits are
 * @nr: how many
 * @has_all: there was "$arg*"
 * @used: letters of @names
 * @names: what texts that are not in the line are in
 * @word: the texts
 */
struct fetch_words {
	const struct trace_fetch_context *ctx;
	unsigned int		nr;
	bool			has_all;
	unsigned int		used;
	char			names[NAMES_MAX];
	struct fetch_word	word[TRACE_FETCH_ARGS_MAX];
};

/* All lines without arguments that have as long a header share this. */
#define FETCH_PARSE_NONE(_words) {						\
	.fixed		= sizeof(struct trace_entry) + (_words) * sizeof(long),	\
	.max		= sizeof(struct trace_entry) + (_words) * sizeof(long),	\
	.header		= sizeof(struct trace_entry) + (_words) * sizeof(long),	\
	.program	= &fetch_parse_end,					\
	.refs		= REFCOUNT_INIT(1),					\
}

static const struct fetch_insn fetch_parse_end = { .op = FETCH_END };

/* Nobody frees them, as each has a reference of its own. */
static struct trace_fetch fetch_parse_none[] = {
	FETCH_PARSE_NONE(0), FETCH_PARSE_NONE(1), FETCH_PARSE_NONE(2),
};

/* Names that no argument may have. */
static const char * const fetch_parse_reserved[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid", "common_tgid",
	"__probe_ip", "__probe_ret_ip", "__probe_func",
};

static int fetch_parse_add_word(struct fetch_words *words, const struct fetch_word *word)
{
	if (words->nr == TRACE_FETCH_ARGS_MAX)
		return trace_probe_error(words->ctx->log, word->at, PROBE_TOO_MANY_ARGS);
	words->word[words->nr++] = *word;
	return 0;
}

/* Add the name of argument @n, from 0, with the type that the word has behind it. */
static int fetch_parse_add_name(struct fetch_words *words, const struct fetch_word *word,
				unsigned int n, const char *type)
{
	char *name = words->names + words->used;
	size_t room = sizeof(words->names) - words->used;
	size_t type_len = word->end - type;
	int len = fetch_btf_name(words->ctx, n, name, room);

	if (len <= 0)
		return trace_probe_error(words->ctx->log, word->at, PROBE_NO_BTF_ENTRY);
	if (len + type_len >= room)
		return trace_probe_error(words->ctx->log, word->at, PROBE_ARGS_2LONG);
	memcpy(name + len, type, type_len);
	words->used += len + type_len;
	return fetch_parse_add_word(words, &(struct fetch_word){
		.text = name, .end = name + len + type_len, .at = word->at, .index = word->index,
	});
}

/* The word "$arg*" */
static int fetch_parse_all(struct fetch_words *words, const struct fetch_word *word)
{
	int ret = 0, params = fetch_btf_params(words->ctx);

	if (words->has_all)
		return trace_probe_error(words->ctx->log, word->at, PROBE_DOUBLE_ARGS);
	words->has_all = true;
	if (params <= 0)
		return trace_probe_error(words->ctx->log, word->at, PROBE_NOSUP_BTFARG);
	for (int n = 0; !ret && n < params; n++)
		ret = fetch_parse_add_name(words, word, n, word->end);
	return ret;
}

/* The word "$argN" or "$argN:TYPE": its name is that of the argument, if BTF knows it. */
static int fetch_parse_numbered(struct fetch_words *words, const struct fetch_word *word)
{
	const char *number = word->text + strlen("$arg"), *type = number;
	int params = fetch_btf_params(words->ctx);
	unsigned int n = 0;

	while (type < word->end && isdigit(*type))
		n = min(n, 100000U) * 10 + *type++ - '0';
	if (type < word->end && *type != ':')
		return trace_probe_error(words->ctx->log, word->at, PROBE_BAD_VAR);
	if (!n)
		return trace_probe_error(words->ctx->log, word->at, PROBE_BAD_ARG_NUM);
	if (params <= 0 || (word->end - type == 4 && type[1] == '%'))
		return fetch_parse_add_word(words, word);
	if (n > params)
		return trace_probe_error(words->ctx->log, word->at, PROBE_NO_BTFARG);
	return fetch_parse_add_name(words, word, n - 1, type);
}

static int fetch_parse_word(struct fetch_words *words, const struct fetch_word *word)
{
	size_t len = word->end - word->text;

	if (len < 5 || memcmp(word->text, "$arg", 4) || words->ctx->at == TRACE_FETCH_EVENT)
		return fetch_parse_add_word(words, word);
	if (!fetch_at_entry(words->ctx) && !fetch_at_return(words->ctx))
		return trace_probe_error(words->ctx->log, word->at, PROBE_NOFENTRY_ARGS);
	if (isdigit(word->text[4]))
		return fetch_parse_numbered(words, word);
	if (word->text[4] == '*' && len == 5)
		return fetch_parse_all(words, word);
	return trace_probe_error(words->ctx->log, word->at,
				 word->text[4] == '*' ? PROBE_BAD_VAR_ARGS : PROBE_BAD_VAR);
}

static int fetch_parse_words(struct fetch_words *words, const char *text, const char *end)
{
	struct fetch_word word = { .end = text };
	int ret = 0;

	for (; !ret; word.index++) {
		for (text = word.end; text < end && isspace(*text); text++)
			;
		if (text == end)
			return 0;
		word.text = text;
		word.at = text;
		while (text < end && !isspace(*text))
			text++;
		word.end = text;
		ret = fetch_parse_word(words, &word);
	}
	return ret;
}

static bool fetch_parse_is_used(const struct trace_fetch *fetch, unsigned int i,
				const char *name)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(fetch_parse_reserved); k++) {
		if (!strcmp(fetch_parse_reserved[k], name))
			return true;
	}
	for (unsigned int k = 0; k < i; k++) {
		if (!strcmp(fetch->args[k].name, name))
			return true;
	}
	return false;
}

/* The '=' behind a name, NULL: there is none. A string may have one in it. */
static const char *fetch_parse_equals(const struct fetch_word *word)
{
	for (const char *c = word->text; c < word->end && *c != '"'; c++) {
		if (*c == '=')
			return c;
	}
	return NULL;
}

/* Where the type begins, or the text's end. A string may have a colon in it. */
static const char *fetch_parse_colon(const char *text, const char *end)
{
	const char *quote = end;

	if (end - text >= 2 && text[0] == '\\' && text[1] == '"') {
		while (--quote > text + 1 && *quote != '"')
			;
		if (quote > text + 1)
			text = quote;
	}
	return memchr(text, ':', end - text) ?: end;
}

/* The name that stands in the line, or one that the argument has without. */
static int fetch_parse_name(struct fetch_parser *p, struct trace_fetch *fetch, unsigned int i,
			    const struct fetch_word *word, const char *equals)
{
	struct fetch_arg *arg = &fetch->args[i];
	const char *end = equals ?: fetch_parse_colon(word->text, word->end);
	size_t len = end - word->text;

	if (equals && len > FETCH_NAME_MAX)
		return fetch_refuse(p, word->text, PROBE_ARG_NAME_TOO_LONG);
	if (equals && !len)
		return fetch_refuse(p, word->text, PROBE_NO_ARG_NAME);
	if (equals && !fetch_is_name(word->text, len))
		return fetch_refuse(p, word->text, PROBE_BAD_ARG_NAME);
	if (fetch_is_name(word->text, len))
		arg->name = kmemdup_nul(word->text, len, GFP_KERNEL);
	else
		arg->name = kasprintf(GFP_KERNEL, "arg%u", i + 1);
	if (!arg->name)
		return -ENOMEM;
	if (fetch_parse_is_used(fetch, i, arg->name))
		return fetch_refuse(p, word->text, PROBE_USED_ARG_NAME);
	return 0;
}

/* The type as the event's format shows it. */
static int fetch_parse_shown(struct fetch_arg *arg)
{
	if (arg->count)
		arg->shown = kasprintf(GFP_KERNEL, "%s[%u]", arg->type->shown, arg->count);
	else
		arg->shown = kstrdup(arg->type->shown, GFP_KERNEL);
	return arg->shown ? 0 : -ENOMEM;
}

/* "$comm" and immediate strings have one type. Fields of events may have these names. */
static bool fetch_parse_is_text(const struct fetch_parser *p, const char *text, const char *end)
{
	size_t len = end - text;

	if (p->ctx->at == TRACE_FETCH_EVENT)
		return false;
	return (len == 5 && (!memcmp(text, "$comm", 5) || !memcmp(text, "$COMM", 5))) ||
	       (len >= 2 && !memcmp(text, "\\\"", 2));
}

/* Parse "FETCH[:TYPE]" at @text. */
static int fetch_parse_body(struct fetch_parser *p, struct trace_fetch *fetch,
			    struct fetch_arg *arg, const char *text, const char *end)
{
	const char *colon = fetch_parse_colon(text, end);
	const char *type = colon < end ? colon + 1 : NULL;
	struct fetch_value value;
	struct fetch_wanted wanted;
	int ret;

	if (type && fetch_parse_is_text(p, text, colon) &&
	    (end - type != 6 || memcmp(type, "string", 6)))
		return fetch_refuse(p, type, PROBE_NEED_STRING_TYPE);
	ret = fetch_kind_parse(p, type, end, &wanted);
	if (ret)
		return ret;
	arg->dest = fetch->fixed;
	ret = fetch_value_parse(p, text, colon, &value);
	arg->string = value.string;
	if (!ret)
		ret = fetch_kind_store(p, &value, &wanted, text, arg);
	if (ret)
		return ret;
	fetch->fixed += arg->type->size * (arg->count ?: 1);
	if (fetch->fixed - fetch->header > FETCH_BYTES_MAX)
		return fetch_refuse(p, text, PROBE_EVENT_TOO_BIG);
	return fetch_parse_shown(arg);
}

static int fetch_parse_arg(struct fetch_parser *p, struct trace_fetch *fetch, unsigned int i,
			   const struct fetch_word *word)
{
	const char *equals = fetch_parse_equals(word);
	const char *text = equals ? equals + 1 : word->text;
	struct fetch_arg *arg = &fetch->args[i];
	int ret;

	p->word = word->at;
	p->is_copy = word->text != word->at;
	arg->word = word->index;
	ret = fetch_parse_name(p, fetch, i, word, equals);
	if (ret)
		return ret;
	if (text == word->end)
		return fetch_refuse(p, text, PROBE_NO_ARG_BODY);
	if (word->end - text > FETCH_TEXT_MAX)
		return fetch_refuse(p, text, PROBE_ARG_TOO_LONG);
	arg->text = kmemdup_nul(text, word->end - text, GFP_KERNEL);
	if (!arg->text)
		return -ENOMEM;
	return fetch_parse_body(p, fetch, arg, text, word->end);
}

/* Tell each string how many come behind it, and the arguments how long a record can be. */
static void fetch_parse_count_strings(struct fetch_parser *p, struct trace_fetch *fetch)
{
	unsigned int strings = 0;

	for (unsigned int i = p->nr; i--;) {
		struct fetch_insn *step = &p->step[i];

		if (step->op < FETCH_STORE_STRING || step->op > FETCH_STORE_SYMBOL)
			continue;
		step->bytes = strings;
		strings += step->count;
	}
	fetch->max = fetch->fixed + strings * FETCH_STRING_MAX;
}

/* The program of the entry, which stores the words that the return takes. 0 or -ENOMEM. */
static int fetch_parse_entry(struct fetch_parser *p, struct trace_fetch *fetch)
{
	struct fetch_insn *step;
	unsigned int nr = 0;

	if (!p->entries)
		return 0;
	step = kcalloc(p->entries * ENTRY_STEPS_MAX + 1, sizeof(*step), GFP_KERNEL);
	if (!step)
		return -ENOMEM;
	for (unsigned int i = 0; i < p->entries; i++) {
		nr += fetch_value_place(p->ctx, p->entry[i], &step[nr]);
		step[nr++] = (struct fetch_insn){
			.op = FETCH_STORE, .size = sizeof(long), .dest = i * sizeof(long),
		};
	}
	step[nr].op = FETCH_END;
	fetch->entry_program = step;
	fetch->entry_size = p->entries * sizeof(long);
	return 0;
}

/* Follow the symbols of a program that is complete. 0 or -ENOMEM. */
static int fetch_parse_symbols(struct fetch_parser *p, struct trace_fetch *fetch)
{
	int ret = 0;

	if (!p->symbols)
		return 0;
	fetch->symbols = fetch_symbols_alloc(p->symbols);
	if (!fetch->symbols)
		return -ENOMEM;
	for (unsigned int i = 0; !ret && i < p->symbols; i++) {
		const struct fetch_wish *wish = &p->symbol[i];
		struct fetch_insn *step = &p->step[wish->step];

		ret = fetch_symbols_add(fetch->symbols, step, wish->name, wish->len, step->n);
	}
	if (!ret)
		fetch_symbols_start(fetch->symbols);
	return ret;
}

static int fetch_parse_finish(struct fetch_parser *p, struct trace_fetch *fetch)
{
	struct fetch_insn *step;

	p->step[p->nr].op = FETCH_END;
	fetch_parse_count_strings(p, fetch);
	step = kvmalloc_array(p->nr + 1, sizeof(*step), GFP_KERNEL);
	if (!step)
		return -ENOMEM;
	memcpy(step, p->step, (p->nr + 1) * sizeof(*step));
	kvfree(p->step);
	p->step = step;
	/* @fetch has it from now on, and symbols are in it. */
	fetch->program = step;
	return fetch_parse_entry(p, fetch) ?: fetch_parse_symbols(p, fetch);
}

/* Parse all arguments; @fetch has room for them. */
static int fetch_parse_args(struct fetch_parser *p, struct trace_fetch *fetch,
			    const struct fetch_words *words)
{
	int ret = 0;

	p->step = kvcalloc(words->nr * STEPS_MAX + 1, sizeof(*p->step), GFP_KERNEL);
	p->symbol = kcalloc(words->nr, sizeof(*p->symbol), GFP_KERNEL);
	fetch->args = kcalloc(words->nr, sizeof(*fetch->args), GFP_KERNEL);
	if (!p->step || !p->symbol || !fetch->args)
		return -ENOMEM;
	while (!ret && fetch->nr < words->nr) {
		ret = fetch_parse_arg(p, fetch, fetch->nr, &words->word[fetch->nr]);
		fetch->nr++;
	}
	return ret ?: fetch_parse_finish(p, fetch);
}

/* The object, of words that are cut. */
static struct trace_fetch *fetch_parse_make(struct fetch_parser *p,
					    const struct fetch_words *words)
{
	struct trace_fetch *fetch = kzalloc(sizeof(*fetch), GFP_KERNEL);
	int ret;

	if (!fetch)
		return ERR_PTR(-ENOMEM);
	refcount_set(&fetch->refs, 1);
	fetch->header = p->ctx->header;
	fetch->fixed = p->ctx->header;
	ret = fetch_parse_args(p, fetch, words);
	if (!fetch->program)
		kvfree(p->step);
	kfree(p->symbol);
	if (!ret)
		return fetch;
	trace_fetch_put(fetch);
	return ERR_PTR(ret);
}

/* The arguments of a line that has none. NULL: no line has had such a header. */
static struct trace_fetch *fetch_parse_nothing(const struct trace_fetch_context *ctx)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fetch_parse_none); i++) {
		if (fetch_parse_none[i].header == ctx->header)
			return trace_fetch_get(&fetch_parse_none[i]);
	}
	return NULL;
}

/**
 * trace_fetch_parse - make the arguments of a probe of words
 * @ctx: where they are parsed for
 * @args: the words
 * @end: of them
 *
 * Context: task, may sleep; takes error_mutex, btf_owners_mutex and fetch_symbol_mutex.
 * Return: the arguments with one reference; or ERR_PTR(): -ENOMEM, or another errno, and the
 * error is logged.
 */
struct trace_fetch *trace_fetch_parse(const struct trace_fetch_context *ctx, const char *args,
				      const char *end)
{
	struct trace_fetch *none = args == end ? fetch_parse_nothing(ctx) : NULL;
	struct fetch_words *words __free(kfree) = NULL;
	struct fetch_parser *p __free(kfree) = NULL;
	int ret;

	if (none)
		return none;
	words = kmalloc(sizeof(*words), GFP_KERNEL);
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!words || !p)
		return ERR_PTR(-ENOMEM);
	p->ctx = ctx;
	words->ctx = ctx;
	/* Names and words are filled in as they are found: a few of many. */
	words->nr = 0;
	words->has_all = false;
	words->used = 0;
	ret = fetch_parse_words(words, args, end);
	return ret ? ERR_PTR(ret) : fetch_parse_make(p, words);
}

/**
 * trace_fetch_place - find an argument in the words that it was made from
 * @fetch: the arguments
 * @args: the words
 * @end: of them
 * @i: the argument, from 0
 *
 * Context: any.
 * Return: where its word begins; where a further word would begin if there is no such argument.
 */
const char *trace_fetch_place(const struct trace_fetch *fetch, const char *args,
			      const char *end, unsigned int i)
{
	unsigned int word = i < fetch->nr ? fetch->args[i].word : UINT_MAX;

	while (args < end && isspace(*args))
		args++;
	while (word && args < end) {
		while (args < end && !isspace(*args))
			args++;
		while (args < end && isspace(*args))
			args++;
		word--;
	}
	return i < fetch->nr || isspace(args[-1]) ? args : args + 1;
}
