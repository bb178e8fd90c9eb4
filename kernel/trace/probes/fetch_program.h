/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: the program that stores the arguments of a probe, and how it is made. For
 * fetch*.c, and hit.c, which runs the most frequent steps itself.
 *
 * For each argument, a program has steps that make a value, a word, and one that stores it or what
 * it leads to; steps that change what was stored may follow. If a value cannot be made, a store
 * step stores that, and the steps in between are skipped.
 */
#ifndef _TRACE_PROBES_FETCH_PROGRAM_H
#define _TRACE_PROBES_FETCH_PROGRAM_H

#include <linux/limits.h>

#include "probes/fetch.h"

#define FETCH_TEXT_MAX		63	/* letters of what is fetched, with the type */
#define FETCH_NAME_MAX		32
#define FETCH_ELEMENTS_MAX	64
#define FETCH_BYTES_MAX		3072	/* of all arguments without strings */
#define FETCH_STRING_MAX	PATH_MAX
#define FETCH_STEPS_MAX		14	/* that make a value */

/* Actions of a step. @val is the value, and @n, @size and others are members of the step. */
enum fetch_op {
	FETCH_SOURCE,		/* val = the word at @n of the source */
	FETCH_STACK,		/* val = the word at val + @n, if it is on the stack of val */
	FETCH_ENTRY,		/* val = word @n of what was stored at the entry */
	FETCH_VALUE,		/* val = @n */
	FETCH_SYMBOL,		/* val = @n, which changes; 0: the symbol is not there */
	FETCH_TEXT,		/* val = @n, the address of a string of ours */
	FETCH_COMM,		/* val = the address of the task's name */
	FETCH_CURRENT,		/* val = the address of the task */
	FETCH_BASE,		/* val = where the file's byte @n is */
	FETCH_FIELD,		/* val = the number at @n of the record, @size bytes */
	FETCH_FIELD_ADDRESS,	/* val = its address, @bytes long */
	FETCH_FIELD_LOCATED,	/* val = what a location word at @n leads to */
	FETCH_READ,		/* val = the word at val + @n */
	FETCH_PERCPU,		/* val = where the per-CPU variable at val is on this CPU */

	/* Steps that store; they come behind those that make a value. */
	FETCH_COPY,		/* the word at @n of the source */
	FETCH_STORE,		/* val, @size bytes */
	FETCH_STORE_MEMORY,	/* @bytes at val + @n */
	FETCH_STORE_STRING,	/* the string at val + @n */
	FETCH_STORE_STRINGS,	/* @count strings, by pointers at val + @n */
	FETCH_STORE_TEXT,	/* the string of a step before */
	FETCH_STORE_SYMBOL,	/* the name of the symbol of val */

	FETCH_BITS,		/* bits of @count numbers of @size bytes that were stored */
	FETCH_END,
};

#define FETCH_FIRST_STORE	FETCH_COPY

/* Flags of a step */
#define FETCH_USER		BIT(0)	/* the memory, or the string, is one of user space */
#define FETCH_USER_POINTERS	BIT(1)	/* the pointers to strings are in user space */
#define FETCH_SIGNED		BIT(2)
#define FETCH_RELATIVE		BIT(3)	/* the location counts from behind its word */

/**
 * struct fetch_insn - a step
 * @op: FETCH_*
 * @flags: FETCH_USER and others
 * @size: bytes of a number: 1, 2, 4 or 8
 * @count: numbers or strings
 * @dest: where in the record
 * @bytes: how many, of memory. Of strings: how many come behind them, each of which gets a byte.
 *	Of bits: how far a number is shifted to the left, and in the upper byte to the right
 * @n: see enum fetch_op
 */
struct fetch_insn {
	u8	op;
	u8	flags;
	u8	size;
	u8	count;
	u16	dest;
	u16	bytes;
	long	n;
};

/* How a value is printed. */
enum fetch_print {
	FETCH_PRINT_NUMBER,
	FETCH_PRINT_HEX,
	FETCH_PRINT_CHAR,
	FETCH_PRINT_SYMBOL,
	FETCH_PRINT_STRING,
};

/**
 * struct fetch_type - a type of arguments
 * @name: of it
 * @shown: in an event's format
 * @format: how printf() prints it, as text in C
 * @size: bytes in the record; of a string those of its location word
 * @is_signed: the number is signed
 * @print: how a record is printed
 */
struct fetch_type {
	const char		*name;
	const char		*shown;
	const char		*format;
	u8			size;
	bool			is_signed;
	enum fetch_print	print;
};

/**
 * struct fetch_arg - an argument
 * @name: of the field
 * @text: what is fetched, as in a line
 * @shown: the type in the event's format
 * @string: of an immediate string; NULL
 * @type: of its elements
 * @dest: where in the record
 * @count: elements of an array; 0: it is none
 * @word: which of the line's words it is made from
 */
struct fetch_arg {
	char			*name;
	char			*text;
	char			*shown;
	char			*string;
	const struct fetch_type	*type;
	u16			dest;
	u8			count;
	u8			word;
};

/*
 * Run the copies that a program begins with, which is all of it where registers and words of
 * tracepoints are stored as they are. Returns the step that follows.
 */
static __always_inline const struct fetch_insn *fetch_run_copies(const struct fetch_insn *insn,
								 const void *source, void *record)
{
	for (; insn->op == FETCH_COPY; insn++)
		*(unsigned long *)(record + insn->dest) =
			*(const unsigned long *)(source + insn->n);
	return insn;
}

/* fetch_store.c: go on from a step. Returns as trace_fetch_store(). */
unsigned int fetch_store_from(const struct fetch_insn *insn,
			      const struct trace_fetch_source *source, void *record,
			      unsigned int len);

static inline bool fetch_type_is_string(const struct fetch_type *type)
{
	return type->print == FETCH_PRINT_STRING;
}

/* fetch_type.c */
const struct fetch_type *fetch_type_find(const char *name, size_t len);
const struct fetch_type *fetch_type_number(unsigned int size, bool is_signed);
const struct fetch_type *fetch_type_word(void);

/* fetch_symbol.c */
struct fetch_symbols *fetch_symbols_alloc(unsigned int nr);
int fetch_symbols_add(struct fetch_symbols *symbols, struct fetch_insn *insn, const char *name,
		      size_t len, long offset);
void fetch_symbols_start(struct fetch_symbols *symbols);
void fetch_symbols_free(struct fetch_symbols *symbols);

#endif /* _TRACE_PROBES_FETCH_PROGRAM_H */
