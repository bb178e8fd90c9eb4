/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: BTF's names and types of functions, their arguments, and members of structures.
 * For the parser of arguments.
 */
#ifndef _TRACE_PROBES_FETCH_BTF_H
#define _TRACE_PROBES_FETCH_BTF_H

#include "probes/fetch_parse.h"

struct trace_btf_place;

/**
 * struct fetch_btf - what BTF says of a name, and of members behind it
 * @argument: the number of the argument; < 0: it is the result
 * @nr: how many members are behind arrows
 * @offset: theirs; each is in a structure that the value before it is the address of
 * @type: the type of the value; NULL: none fits
 * @bits: of a bit field; 0: it is none
 * @shift: the first bit
 * @chars: the strings that it leads to
 * @place: of the last name
 * @error: if it is refused; @place is where then
 */
struct fetch_btf {
	int			argument;
	unsigned int		nr;
	long			offset[FETCH_STEPS_MAX];
	const struct fetch_type	*type;
	u8			bits, shift;
	enum fetch_chars	chars;
	const char		*place;
	enum trace_probe_error	error;
};

/**
 * struct fetch_cast - a value is taken for the address of a structure, or of a member of it
 * @name: of the structure
 * @name_end: its end
 * @field: the member, with members of that behind dots; NULL: it is the structure itself
 * @field_end: its end
 * @arrow: the arrow, with the members that are wanted behind it
 * @end: their end
 */
struct fetch_cast {
	const char	*name, *name_end;
	const char	*field, *field_end;
	const char	*arrow, *end;
};

/* fetch_btf.c */
#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
bool fetch_btf_find(const struct trace_fetch_context *ctx, const char *text, const char *end,
		    struct fetch_btf *found);
bool fetch_btf_cast(const struct trace_fetch_context *ctx, const struct fetch_cast *cast,
		    struct fetch_btf *found);
int fetch_btf_params(const struct trace_fetch_context *ctx);
int fetch_btf_name(const struct trace_fetch_context *ctx, unsigned int n, char *name,
		   size_t size);
bool fetch_btf_place(const struct trace_fetch_context *ctx, unsigned int n,
		     struct trace_btf_place *place);
#else
static inline bool fetch_btf_find(const struct trace_fetch_context *ctx, const char *text,
				  const char *end, struct fetch_btf *found)
{
	return false;
}

static inline bool fetch_btf_cast(const struct trace_fetch_context *ctx,
				  const struct fetch_cast *cast, struct fetch_btf *found)
{
	return false;
}

static inline int fetch_btf_params(const struct trace_fetch_context *ctx)
{
	return -EOPNOTSUPP;
}

static inline int fetch_btf_name(const struct trace_fetch_context *ctx, unsigned int n,
				 char *name, size_t size)
{
	return -EOPNOTSUPP;
}

static inline bool fetch_btf_place(const struct trace_fetch_context *ctx, unsigned int n,
				   struct trace_btf_place *place)
{
	return false;
}
#endif

#endif /* _TRACE_PROBES_FETCH_BTF_H */
