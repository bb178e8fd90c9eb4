// SPDX-License-Identifier: GPL-2.0
/* Helpers for all files of the fetch engine, and the end of its objects. */
#include <linux/ctype.h>
#include <linux/slab.h>

#include "probes/fetch_parse.h"

/**
 * fetch_refuse - log why a line is refused
 * @p: the parser
 * @at: the place in the text that is parsed; the word stands for a text that is not in the line
 * @error: what is wrong there
 *
 * Return: an errno.
 */
int fetch_refuse(const struct fetch_parser *p, const char *at, enum trace_probe_error error)
{
	return trace_probe_error(p->ctx->log, p->is_copy ? p->word : at, error);
}

/* Are hits at the entry of a function, or of what has arguments as functions have? */
bool fetch_at_entry(const struct trace_fetch_context *ctx)
{
	return ctx->at == TRACE_FETCH_KPROBE_ENTRY || ctx->at == TRACE_FETCH_FPROBE_ENTRY ||
	       ctx->at == TRACE_FETCH_TRACEPOINT;
}

/* Are hits at the return of a function of the kernel? */
bool fetch_at_return(const struct trace_fetch_context *ctx)
{
	return ctx->at == TRACE_FETCH_KPROBE_RETURN || ctx->at == TRACE_FETCH_FPROBE_RETURN;
}

/* Are hits in user space? */
bool fetch_at_user(const struct trace_fetch_context *ctx)
{
	return ctx->at == TRACE_FETCH_UPROBE || ctx->at == TRACE_FETCH_UPROBE_RETURN;
}

/* Is it a name as C has them? */
bool fetch_is_name(const char *text, size_t len)
{
	if (!len || isdigit(*text))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum(text[i]) && text[i] != '_')
			return false;
	}
	return true;
}

/**
 * trace_fetch_get - take a reference
 * @fetch: the arguments of a probe
 *
 * Context: any.
 * Return: @fetch.
 */
struct trace_fetch *trace_fetch_get(struct trace_fetch *fetch)
{
	refcount_inc(&fetch->refs);
	return fetch;
}

/**
 * trace_fetch_put - give back a reference
 * @fetch: the arguments of a probe, or NULL; no hit uses them if it is the last reference
 *
 * Context: task, may sleep; takes fetch_symbol_mutex.
 */
void trace_fetch_put(struct trace_fetch *fetch)
{
	if (!fetch || !refcount_dec_and_test(&fetch->refs))
		return;
	fetch_symbols_free(fetch->symbols);
	for (unsigned int i = 0; i < fetch->nr; i++) {
		kfree(fetch->args[i].name);
		kfree(fetch->args[i].text);
		kfree(fetch->args[i].shown);
		kfree(fetch->args[i].string);
	}
	kfree(fetch->args);
	kvfree(fetch->program);
	kfree(fetch->entry_program);
	kfree(fetch);
}
