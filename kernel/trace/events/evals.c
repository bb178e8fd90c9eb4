// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces names that user space cannot know (enums, sizeof) by numbers in the print
 * formats that it parses. TRACE_DEFINE_ENUM() and TRACE_DEFINE_SIZEOF() make the maps; a
 * map is for the events of its system.
 *
 * The maps are init data. They are used once, when the events of the kernel or of a module
 * are registered; eval_map_file.c has copies for the file eval_map.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/internal.h"
#include "lib/ctext.h"

/* A print format that became longer than the original, allocated here. */
struct eval_owned {
	struct list_head		list;
	struct trace_event_call		*call;
	char				text[];
};

static LIST_HEAD(eval_owned);		/* events mutex */

/* Narrow @evals to the maps from the first to the last one of @system. */
static void eval_maps_narrow(struct trace_event_evals *evals, const char *system)
{
	if (evals->system == system)
		return;
	evals->system = system;
	evals->nr_part = 0;
	for (unsigned int i = 0; i < evals->nr; i++) {
		if (strcmp(evals->maps[i]->system, system))
			continue;
		if (!evals->nr_part)
			evals->part = &evals->maps[i];
		evals->nr_part = &evals->maps[i] - evals->part + 1;
	}
}

static const struct trace_eval_map *eval_map_find(const struct trace_event_evals *evals,
						  const char *name, size_t len)
{
	for (unsigned int i = 0; i < evals->nr_part; i++) {
		const struct trace_eval_map *map = evals->part[i];

		if (!strncmp(map->eval_string, name, len) && !map->eval_string[len] &&
		    !strcmp(map->system, evals->system))
			return map;
	}
	return NULL;
}

/*
 * The length of what may be a name in the maps at the token @t: an identifier,
 * or all of "sizeof(...)". 0: it is nothing of the kind.
 */
static size_t eval_name_len(const struct trace_ctext *t)
{
	const char *close;

	if (t->kind != TRACE_CTEXT_NAME || t->member)
		return 0;
	if (trace_ctext_is(t, "sizeof") && *t->next == '(') {
		close = strchr(t->next, ')');
		if (close)
			return close + 1 - t->token;
	}
	return t->len;
}

/* Rewrite @fmt to @out (NULL: only measure). Returns the length, *hits counts. */
static size_t eval_rewrite(char *out, size_t size, const char *fmt,
			   const struct trace_event_evals *evals, unsigned int *hits)
{
	const struct trace_eval_map *map;
	struct trace_ctext t;
	size_t len, n = 0;

	*hits = 0;
	trace_ctext_start(&t, fmt);
	while (trace_ctext_next(&t)) {
		len = eval_name_len(&t);
		map = len ? eval_map_find(evals, t.token, len) : NULL;
		if (map) {
			n += snprintf(out ? out + n : NULL, out ? size - n : 0, "%ld",
				      (long)map->eval_value);
			trace_ctext_start(&t, t.token + len);
			++*hits;
			continue;
		}
		if (out)
			memcpy(out + n, t.token, t.len);
		n += t.len;
	}
	if (out)
		out[n] = '\0';
	return n;
}

static struct eval_owned *eval_new_text(const char *fmt, const struct trace_event_evals *evals)
{
	struct eval_owned *owned;
	unsigned int hits;
	size_t len;

	len = eval_rewrite(NULL, 0, fmt, evals, &hits);
	if (!hits)
		return NULL;
	owned = kmalloc(struct_size(owned, text, len + 1), GFP_KERNEL);
	if (owned)
		eval_rewrite(owned->text, len + 1, fmt, evals, &hits);
	return owned;
}

/*
 * Replace the names in the print format of @call. Formats are shared by the
 * events of a class and stand in writable memory, so a text that fits goes
 * where the old one was. Without memory the format keeps its names: user
 * space then prints them as they are.
 */
void trace_event_evals_apply(struct trace_event_call *call, struct trace_event_evals *evals)
{
	struct eval_owned *owned;
	size_t len;

	trace_events_assert_locked();

	if (!call->print_fmt || !evals->nr)
		return;
	eval_maps_narrow(evals, call->class->system);
	if (!evals->nr_part)
		return;
	owned = eval_new_text(call->print_fmt, evals);
	if (!owned)
		return;
	len = strlen(owned->text);
	if (len <= strlen(call->print_fmt)) {
		memcpy(call->print_fmt, owned->text, len + 1);
		kfree(owned);
		return;
	}
	owned->call = call;
	call->print_fmt = owned->text;
	list_add(&owned->list, &eval_owned);
}

/* Free what trace_event_evals_apply() has allocated for @call, which is going. */
void trace_event_evals_forget(struct trace_event_call *call)
{
	struct eval_owned *owned, *next;

	trace_events_assert_locked();

	list_for_each_entry_safe(owned, next, &eval_owned, list) {
		if (owned->call != call)
			continue;
		list_del(&owned->list);
		kfree(owned);
	}
}
