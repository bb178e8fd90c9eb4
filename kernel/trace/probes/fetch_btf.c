// SPDX-License-Identifier: GPL-2.0
/*
 * Names that BTF knows: the arguments and the result of a function, and members of the structures
 * that they are addresses of, "NAME->MEMBER.MEMBER->MEMBER".
 *
 * BTF is looked at under RCU. So nothing here sleeps, and the caller logs the errors.
 */
#include <linux/bits.h>
#include <linux/btf.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "lib/btf.h"
#include "probes/fetch_btf.h"
#include "probes/fetch_regs.h"

/* Anonymous structures in each other. */
#define DEPTH_MAX	8

/**
 * struct fetch_btf_walk - the way along a name and its members
 * @btf: of the types
 * @found: what is known by now
 * @text: what follows
 * @end: of the text
 * @type: of the value, without modifiers
 * @bit: of a structure that is reached by a dot: where it is in the one behind the arrow
 */
struct fetch_btf_walk {
	const struct btf	*btf;
	struct fetch_btf	*found;
	const char		*text;
	const char		*end;
	const struct btf_type	*type;
	u64			bit;
};

/* A member, and where it is. */
struct fetch_btf_member {
	const struct btf_member	*member;
	u64			bit;
	u32			bits;
};

static bool fetch_btf_refuse(struct fetch_btf_walk *walk, const char *at,
			     enum trace_probe_error error)
{
	walk->found->place = at;
	walk->found->error = error;
	return false;
}

/* The function, which the caller uses under RCU. */
static bool fetch_btf_func(const struct trace_fetch_context *ctx, struct trace_btf_func *func)
{
	return ctx->function && trace_btf_find(ctx->function, ctx->module, func);
}

/* Its parameters, without the first one of a tracepoint, and without "...". */
static const struct btf_param *fetch_btf_list(const struct trace_fetch_context *ctx,
					      const struct trace_btf_func *func, unsigned int *nr)
{
	const struct btf_param *param = btf_params(func->proto);
	bool hidden = ctx->at == TRACE_FETCH_TRACEPOINT;

	*nr = btf_type_vlen(func->proto);
	if (*nr && !param[*nr - 1].type)
		(*nr)--;
	hidden &= *nr > 0;
	*nr -= hidden;
	return param + hidden;
}

/**
 * fetch_btf_params - how many parameters a function has
 * @ctx: has the function
 *
 * Context: task, may sleep; takes btf_owners_mutex.
 * Return: the number; < 0: BTF does not know the function.
 */
int fetch_btf_params(const struct trace_fetch_context *ctx)
{
	struct trace_btf_func func;
	unsigned int nr;

	if (!ctx->function || trace_btf_need())
		return -ENOENT;
	guard(rcu)();
	if (!fetch_btf_func(ctx, &func))
		return -ENOENT;
	fetch_btf_list(ctx, &func, &nr);
	return nr;
}

/* Copy the name of parameter @n, from 0. Return its length, as snprintf(); <= 0: it has none. */
int fetch_btf_name(const struct trace_fetch_context *ctx, unsigned int n, char *name,
		   size_t size)
{
	const struct btf_param *param;
	struct trace_btf_func func;
	unsigned int nr;

	guard(rcu)();
	if (!fetch_btf_func(ctx, &func))
		return -ENOENT;
	param = fetch_btf_list(ctx, &func, &nr);
	if (n >= nr)
		return -ENOENT;
	return snprintf(name, size, "%s", btf_name_by_offset(func.btf, param[n].name_off) ?: "");
}

/* Where argument @n, from 0, is at the entry. False: BTF does not know. */
bool fetch_btf_place(const struct trace_fetch_context *ctx, unsigned int n,
		     struct trace_btf_place *place)
{
	unsigned int nr = fetch_regs_arguments(ctx->partial);
	struct trace_btf_func func;

	guard(rcu)();
	return fetch_btf_func(ctx, &func) && trace_btf_place(&func, &trace_btf_abi, nr, n, place);
}

static bool fetch_btf_is_name(const struct btf *btf, u32 name_off, const char *text, size_t len)
{
	const char *name = btf_name_by_offset(btf, name_off);

	return name && strlen(name) == len && !memcmp(name, text, len);
}

/*
 * Find a member of a structure or union, also in anonymous ones inside of it. @bit: where the
 * structure is.
 */
static bool fetch_btf_find_member(const struct btf *btf, const struct btf_type *t,
				  const struct fetch_btf_walk *walk, size_t len,
				  struct fetch_btf_member *found)
{
	struct { const struct btf_type *t; u32 i; u64 bit; } level[DEPTH_MAX];
	unsigned int depth = 0;

	level[0].t = t;
	level[0].i = 0;
	level[0].bit = walk->bit;
	for (;;) {
		const struct btf_type *in = level[depth].t, *inner;
		const struct btf_member *member;
		u64 bit;

		if (level[depth].i == btf_type_vlen(in)) {
			if (!depth--)
				return false;
			continue;
		}
		member = btf_members(in) + level[depth].i;
		bit = level[depth].bit + __btf_member_bit_offset(in, member);
		if (fetch_btf_is_name(btf, member->name_off, walk->text, len)) {
			found->member = member;
			found->bit = bit;
			/* The structure that has it tells whether it is a bit field. */
			found->bits = __btf_member_bitfield_size(in, member);
			return true;
		}
		level[depth].i++;
		inner = btf_type_skip_modifiers(btf, member->type, NULL);
		if (member->name_off && *btf_name_by_offset(btf, member->name_off))
			continue;
		if (inner && btf_type_is_struct(inner) && depth + 1 < DEPTH_MAX) {
			depth++;
			level[depth].t = inner;
			level[depth].i = 0;
			level[depth].bit = bit;
		}
	}
}

/* Is it a character? BTF tells it as a number of a byte. */
static bool fetch_btf_is_char(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);

	return t && btf_type_is_int(t) && t->size == 1 &&
	       !(btf_int_encoding(t) & BTF_INT_BOOL);
}

static enum fetch_chars fetch_btf_chars(const struct btf *btf, const struct btf_type *t)
{
	if (btf_type_is_ptr(t) && fetch_btf_is_char(btf, t->type))
		return FETCH_CHARS_POINTER;
	if (btf_type_is_array(t) && fetch_btf_is_char(btf, btf_array(t)->type))
		return FETCH_CHARS_HERE;
	return FETCH_CHARS_NONE;
}

static const struct fetch_type *fetch_btf_type(const struct btf_type *t)
{
	if (btf_type_is_int(t))
		return fetch_type_number(t->size, btf_int_encoding(t) & BTF_INT_SIGNED);
	/* An enum's numbers have a sign, as far as users can see. */
	if (btf_is_any_enum(t))
		return fetch_type_number(t->size, true);
	return NULL;
}

/* Say what is known of the value: its type and, of a bit field, where its number is. */
static void fetch_btf_tell(struct fetch_btf_walk *walk, u64 bit, u32 bits)
{
	struct fetch_btf *found = walk->found;
	u32 width;

	found->type = fetch_btf_type(walk->type);
	found->chars = fetch_btf_chars(walk->btf, walk->type);
	if (!found->nr)
		return;
	found->offset[found->nr - 1] = bit / BITS_PER_BYTE;
	if (!bits || !found->type)
		return;
	width = found->type->size * BITS_PER_BYTE;
	if (bit % width + bits > width) {
		/* It is packed. */
		width = BITS_PER_LONG_LONG;
		found->type = fetch_type_number(sizeof(u64), found->type->is_signed);
		bit -= found->offset[found->nr - 1] * BITS_PER_BYTE;
	} else {
		found->offset[found->nr - 1] = bit / width * found->type->size;
		bit %= width;
	}
	found->bits = bits;
	found->shift = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? width - bits - bit : bit;
}

/* The letters of the name at @walk, which "." or "->" or the end ends. */
static size_t fetch_btf_letters(const struct fetch_btf_walk *walk)
{
	const char *c = walk->text;

	while (c < walk->end && *c != '.' && *c != '-')
		c++;
	return c - walk->text;
}

/* Move over an arrow. False, and the error is set: it is none. */
static bool fetch_btf_arrow(struct fetch_btf_walk *walk)
{
	if (walk->end - walk->text < 2 || walk->text[1] != '>')
		return fetch_btf_refuse(walk, walk->text, PROBE_BAD_HYPHEN);
	walk->text += 2;
	return true;
}

/* Walk from a structure to a member, over dots to members of that, up to an arrow or the end. */
static bool fetch_btf_members(struct fetch_btf_walk *walk)
{
	struct fetch_btf_member found = { };
	size_t len;

	walk->bit = 0;
	for (;;) {
		len = fetch_btf_letters(walk);
		if (walk->text + len < walk->end && walk->text[len] == '-' &&
		    (walk->end - walk->text < len + 2 || walk->text[len + 1] != '>'))
			return fetch_btf_refuse(walk, walk->text + len, PROBE_BAD_HYPHEN);
		if (!len || !btf_type_is_struct(walk->type) ||
		    !fetch_btf_find_member(walk->btf, walk->type, walk, len, &found))
			return fetch_btf_refuse(walk, walk->text, PROBE_NO_BTF_FIELD);
		walk->found->place = walk->text;
		walk->text += len;
		walk->type = btf_type_skip_modifiers(walk->btf, found.member->type, NULL);
		if (!walk->type)
			return fetch_btf_refuse(walk, walk->found->place, PROBE_BAD_BTF_TID);
		if (walk->text == walk->end || *walk->text == '-')
			break;
		walk->text++;
		walk->bit = found.bit;
	}
	fetch_btf_tell(walk, found.bit, found.bits);
	return true;
}

/* Walk over all arrows. The value before each is the address of a structure. */
static bool fetch_btf_arrows(struct fetch_btf_walk *walk)
{
	while (walk->text < walk->end) {
		if (!fetch_btf_arrow(walk))
			return false;
		if (!btf_type_is_ptr(walk->type))
			return fetch_btf_refuse(walk, walk->text, PROBE_NO_PTR_STRCT);
		walk->type = btf_type_skip_modifiers(walk->btf, walk->type->type, NULL);
		if (!walk->type)
			return fetch_btf_refuse(walk, walk->text, PROBE_BAD_BTF_TID);
		if (!btf_type_is_struct(walk->type))
			return fetch_btf_refuse(walk, walk->text, PROBE_NO_PTR_STRCT);
		if (walk->found->nr == FETCH_STEPS_MAX)
			return fetch_btf_refuse(walk, walk->text, PROBE_TOO_MANY_OPS);
		walk->found->nr++;
		walk->found->bits = 0;
		if (!fetch_btf_members(walk))
			return false;
	}
	return true;
}

/* The type of the argument, or of the result, that the text begins with. 0: there is none. */
static u32 fetch_btf_first(const struct trace_fetch_context *ctx,
			   const struct trace_btf_func *func, struct fetch_btf_walk *walk)
{
	size_t len = fetch_btf_letters(walk);
	const struct btf_param *param;
	const char *name = walk->text;
	unsigned int nr;

	walk->text += len;
	if (len == strlen("$retval") && !memcmp(name, "$retval", len)) {
		walk->found->argument = -1;
		if (!func->proto->type)
			fetch_btf_refuse(walk, name, PROBE_NO_RETVAL);
		return func->proto->type;
	}
	param = fetch_btf_list(ctx, func, &nr);
	for (unsigned int i = 0; i < nr; i++) {
		if (!fetch_btf_is_name(func->btf, param[i].name_off, name, len))
			continue;
		walk->found->argument = i;
		return param[i].type;
	}
	fetch_btf_refuse(walk, name, nr ? PROBE_NO_BTFARG : PROBE_NO_BTF_ENTRY);
	return 0;
}

/**
 * fetch_btf_find - find a name, and members behind it
 * @ctx: has the function
 * @text: the name, "$retval" for the result
 * @end: of the text
 * @found: filled
 *
 * Context: task, may sleep; takes btf_owners_mutex.
 * Return: false: found->error tells why, and found->place where.
 */
bool fetch_btf_find(const struct trace_fetch_context *ctx, const char *text, const char *end,
		    struct fetch_btf *found)
{
	struct fetch_btf_walk walk = { .found = found, .text = text, .end = end };
	struct trace_btf_func func;
	u32 id;

	*found = (struct fetch_btf){ .place = text, .error = PROBE_NO_BTF_ENTRY };
	if (!ctx->function || trace_btf_need())
		return false;
	guard(rcu)();
	if (!fetch_btf_func(ctx, &func))
		return false;
	walk.btf = func.btf;
	id = fetch_btf_first(ctx, &func, &walk);
	if (!id)
		return false;
	walk.type = btf_type_skip_modifiers(func.btf, id, NULL);
	if (!walk.type)
		return fetch_btf_refuse(&walk, text, PROBE_BAD_BTF_TID);
	if (walk.text < walk.end && *walk.text == '.')
		return fetch_btf_refuse(&walk, walk.text + 1, PROBE_NOSUP_DAT_ARG);
	fetch_btf_tell(&walk, 0, 0);
	return fetch_btf_arrows(&walk);
}

/* The offset in a structure of the member that a cast names; false, and the error is set. */
static bool fetch_btf_field(struct fetch_btf_walk *walk, const struct fetch_cast *cast,
			    long *offset)
{
	struct fetch_btf found = { .nr = 1 };
	struct fetch_btf_walk field = {
		.btf = walk->btf, .found = &found, .type = walk->type,
		.text = cast->field, .end = cast->field_end,
	};

	if (!fetch_btf_members(&field))
		return fetch_btf_refuse(walk, found.place, found.error);
	if (field.text < field.end)
		return fetch_btf_refuse(walk, field.text, PROBE_TYPECAST_BAD_ARROW);
	if (found.bits)
		return fetch_btf_refuse(walk, found.place, PROBE_TYPECAST_NOT_ALIGNED);
	*offset = found.offset[0];
	return true;
}

/**
 * fetch_btf_cast - find members of a structure that a value is said to lead to
 * @ctx: where hits are
 * @cast: the structure and the members
 * @found: filled, but for the argument. The first offset is from the value, which leads to a
 *	member if the cast names one
 *
 * Context: task, may sleep; takes btf_owners_mutex.
 * Return: false: found->error tells why, and found->place where.
 */
bool fetch_btf_cast(const struct trace_fetch_context *ctx, const struct fetch_cast *cast,
		    struct fetch_btf *found)
{
	struct fetch_btf_walk walk = { .found = found, .text = cast->arrow, .end = cast->end };
	char name[FETCH_TEXT_MAX + 1];
	long back = 0;

	*found = (struct fetch_btf){ .place = cast->name, .error = PROBE_NO_PTR_STRCT };
	if (cast->name_end - cast->name >= sizeof(name) || cast->name == cast->name_end)
		return false;
	memcpy(name, cast->name, cast->name_end - cast->name);
	name[cast->name_end - cast->name] = '\0';
	if (trace_btf_need())
		return fetch_btf_refuse(&walk, cast->name, PROBE_NOSUP_BTFARG);
	guard(rcu)();
	walk.type = trace_btf_find_struct(name, ctx->module, &walk.btf);
	if (!walk.type)
		return false;
	if (cast->field && !fetch_btf_field(&walk, cast, &back))
		return false;
	walk.text += strlen("->");
	found->nr = 1;
	if (!fetch_btf_members(&walk) || !fetch_btf_arrows(&walk))
		return false;
	found->offset[0] -= back;
	return true;
}
