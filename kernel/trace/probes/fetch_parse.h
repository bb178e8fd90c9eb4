/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: how the words of a line become a program. fetch_parse.c has the words, which it
 * cuts into names, values and types, and puts the result together. fetch_value.c makes steps of a
 * value, with the help of fetch_btf.c, and fetch_kind.c those that store it as a type.
 */
#ifndef _TRACE_PROBES_FETCH_PARSE_H
#define _TRACE_PROBES_FETCH_PARSE_H

#include "probes/fetch_program.h"

/* Kinds of values. */
enum fetch_kind {
	FETCH_KIND_NUMBER,
	FETCH_KIND_MEMORY,	/* it is at an address that the steps make */
	FETCH_KIND_STRING,	/* the steps make the address of a string that is there */
};

/* Strings that a value leads to, as far as they are known. */
enum fetch_chars {
	FETCH_CHARS_UNKNOWN,
	FETCH_CHARS_NONE,	/* its type is no string */
	FETCH_CHARS_HERE,	/* it is an array of characters */
	FETCH_CHARS_POINTER,	/* it is the address of characters */
};

/**
 * struct fetch_value - the steps that make a value, and what is known of it
 * @step: the steps
 * @nr: how many
 * @kind: what it is
 * @offset: of FETCH_KIND_MEMORY, from the address
 * @flags: of FETCH_KIND_MEMORY, FETCH_USER or 0
 * @is_immediate: it is the same at each hit
 * @is_final: nothing can be read from where it leads to
 * @type: its type, if that is known; otherwise NULL
 * @bits: of a bit field; 0: it is none
 * @shift: the first bit
 * @chars: the strings that it leads to
 * @place: of the name that tells its type, for errors
 * @symbol: that FETCH_SYMBOL wants
 * @symbol_len: its letters
 * @string: the immediate string, to be freed
 */
struct fetch_value {
	struct fetch_insn	step[FETCH_STEPS_MAX];
	unsigned int		nr;
	enum fetch_kind		kind;
	long			offset;
	u8			flags;
	bool			is_immediate;
	bool			is_final;
	const struct fetch_type	*type;
	u8			bits, shift;
	enum fetch_chars	chars;
	const char		*place;
	const char		*symbol;
	size_t			symbol_len;
	char			*string;
};

/**
 * struct fetch_wanted - the type that a line asks for
 * @place: of its name in the line; NULL: it asks for none
 * @type: the type
 * @count: elements of an array; 0: it is none
 * @bits: of a bit field; 0: it is none
 * @shift: the first bit
 * @pointer: 'd' or 'D': the name of a struct dentry, or of a struct file
 */
struct fetch_wanted {
	const char		*place;
	const struct fetch_type	*type;
	u8			count;
	u8			bits, shift;
	char			pointer;
};

/**
 * struct fetch_parser - the state of parsing
 * @ctx: of the caller
 * @word: where the word begins in the line
 * @is_copy: the text that is parsed is not the word
 * @step: steps of all arguments
 * @nr: how many
 * @symbol: the symbols that they want
 * @symbols: how many
 * @entry: numbers of the arguments that an entry has to store
 * @entries: how many
 * @casts: casts that the text that is parsed now is within
 */
struct fetch_parser {
	const struct trace_fetch_context *ctx;
	const char		*word;
	bool			is_copy;
	struct fetch_insn	*step;
	unsigned int		nr;
	struct fetch_wish {
		unsigned int	step;
		const char	*name;
		size_t		len;
	}			*symbol;
	unsigned int		symbols;
	u16			entry[TRACE_FETCH_ARGS_MAX];
	unsigned int		entries;
	unsigned int		casts;
};

/* fetch.c */
int fetch_refuse(const struct fetch_parser *p, const char *at, enum trace_probe_error error);
bool fetch_at_entry(const struct trace_fetch_context *ctx);
bool fetch_at_return(const struct trace_fetch_context *ctx);
bool fetch_at_user(const struct trace_fetch_context *ctx);
bool fetch_is_name(const char *text, size_t len);

/* fetch_value.c */
int fetch_value_parse(struct fetch_parser *p, const char *text, const char *end,
		      struct fetch_value *value);
int fetch_value_deref(struct fetch_parser *p, struct fetch_value *value, const char *at,
		      long offset, u8 flags);
int fetch_value_place(const struct trace_fetch_context *ctx, unsigned int n,
		      struct fetch_insn *step);

/* fetch_kind.c */
int fetch_kind_parse(struct fetch_parser *p, const char *text, const char *end,
		     struct fetch_wanted *wanted);
int fetch_kind_store(struct fetch_parser *p, struct fetch_value *value,
		     const struct fetch_wanted *wanted, const char *at, struct fetch_arg *arg);

#endif /* _TRACE_PROBES_FETCH_PARSE_H */
