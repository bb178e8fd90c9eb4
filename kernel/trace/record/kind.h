/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/kind.h: the kinds of records that tracing itself writes, functions,
 * stacks and text among them, and which number of a record belongs to whom.
 *
 * A kind is a constant in the file that writes its records. Once it is
 * registered, output/ prints its records in every mode, and events/ shows its
 * fields in events/ftrace/NAME, so that user space can decode raw pages. The
 * records of trace events have numbers from TRACE_FIRST_EVENT on; their
 * struct trace_event is found here, too.
 */
#ifndef _TRACE_RECORD_KIND_H
#define _TRACE_RECORD_KIND_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>

/*
 * User space knows these numbers. The numbers of kinds that the series does not write (yet) are
 * left out.
 */
enum trace_type {
	TRACE_FN		= 1,
	TRACE_STACK		= 4,
	TRACE_PRINT		= 5,
	TRACE_BPRINT		= 6,
	TRACE_GRAPH_RET		= 10,
	TRACE_GRAPH_ENT		= 11,
	TRACE_USER_STACK	= 12,
	TRACE_BPUTS		= 14,
	TRACE_RAW_DATA		= 18,
	TRACE_FUNC_REPEATS	= 19,
	TRACE_GRAPH_RETADDR_ENT	= 20,
	TRACE_GRAPH_RET_TIMES	= 21,
	TRACE_FIRST_EVENT	= 22,	/* trace events have numbers from here on */
};

/**
 * struct trace_kind_field - a field of a record, as its format file shows it
 * @type:	C type; an array has its length in it
 * @name:	name
 * @offset:	bytes from the start of the record
 * @size:	bytes; 0: an array up to the end of the record
 * @filter_type: FILTER_*, see <linux/trace_events.h>
 * @is_signed:	it is a signed number
 */
struct trace_kind_field {
	const char	*type;
	const char	*name;
	u16		offset;
	u16		size;
	u8		filter_type;
	bool		is_signed;
};

/* 0; the build fails unless the member has the type that user space is told of. */
#define TRACE_KIND_SAME(_type, _member_type)				\
	BUILD_BUG_ON_ZERO(!__same_type(_type, _member_type))

/* The entries of trace_kind.fields: a member of _struct of the type _type. */
#define TRACE_KIND_FIELD(_struct, _type, _member, ...) {		\
	.type = #_type, .name = #_member,				\
	.offset = offsetof(_struct, _member),				\
	.size = sizeof(_type) +						\
		TRACE_KIND_SAME(_type, typeof_member(_struct, _member)), \
	.is_signed = is_signed_type(_type), __VA_ARGS__ }

/* An array, of which user space is told _len elements; it may have more. */
#define TRACE_KIND_ARRAY(_struct, _type, _member, _len) {		\
	.type = #_type "[" __stringify(_len) "]", .name = #_member,	\
	.offset = offsetof(_struct, _member),				\
	.size = (_len) * sizeof(_type) +				\
		TRACE_KIND_SAME(_type, typeof_member(_struct, _member[0])), \
	.is_signed = is_signed_type(_type) }

/* An array that ends the record. */
#define TRACE_KIND_TAIL(_struct, _type, _member) {			\
	.type = #_type "[]", .name = #_member,				\
	.offset = offsetof(_struct, _member),				\
	.size = TRACE_KIND_SAME(_type, typeof_member(_struct, _member[0])), \
	.is_signed = is_signed_type(_type) }

/* How a record is printed. */
enum trace_mode {
	TRACE_MODE_TEXT,
	TRACE_MODE_RAW,		/* option raw: numbers as text */
	TRACE_MODE_HEX,		/* option hex: numbers as hex digits in memory order */
	TRACE_MODE_BIN,		/* option bin: numbers as they are */
	TRACE_MODE_MESSAGE,	/* option printk-msg-only: the text and nothing else */
	TRACE_MODES
};

/**
 * struct trace_printer - what output/ lends to the printers of kinds
 * @ip:		print the address of kernel code as a symbol
 * @user_ips:	print addresses of user code, a line each, behind an arrow
 *
 * Context: as the printer that was given it.
 */
struct trace_printer {
	void	(*ip)(struct trace_iterator *iter, unsigned long ip);
	void	(*user_ips)(struct trace_iterator *iter, unsigned int tgid,
			    const unsigned long *ips, unsigned int nr);
};

typedef enum print_line_t (*trace_kind_print_t)(struct trace_iterator *iter,
						const struct trace_printer *printer);

/**
 * struct trace_kind - a kind of record
 * @type:	its number, enum trace_type
 * @size:	bytes that each of its records has at least, the common header included. A
 *		shorter record is printed as such and never given to @print
 * @name:	of its folder in events/ftrace
 * @fields:	behind the common header; ends with an empty one
 * @print_fmt:	C text of a format and its arguments, for user space
 * @print:	how a record (iter->ent, of iter->ent_size bytes) is printed. Text
 *		is needed. A kind without a message is no text of a user, and its
 *		records are printed in the usual way; the bare number of the kind
 *		stands for any other mode that is missing
 *
 * @print is called in the context of a reader, that of ftrace_dump() in an NMI
 * included: it takes no lock and does not sleep.
 */
struct trace_kind {
	unsigned int			type;
	unsigned int			size;
	const char			*name;
	const struct trace_kind_field	*fields;
	const char			*print_fmt;
	trace_kind_print_t		print[TRACE_MODES];
};

/* The record that is printed, seen as _struct, whose member ent is the header. */
#define trace_kind_record(_iter, _struct) \
	container_of_const((_iter)->ent, _struct, ent)

/**
 * struct trace_kind_listener - who wants to know which kinds there are
 * @added:	a kind was registered; an errno refuses it
 * @removed:	a kind was unregistered, no record of it is being printed
 *
 * Context: task, may sleep; the mutex of registration is held, which comes
 * before all other locks of tracing.
 */
struct trace_kind_listener {
	int	(*added)(const struct trace_kind *kind);
	void	(*removed)(const struct trace_kind *kind);
};

int trace_kind_register(const struct trace_kind *kind);
void trace_kind_unregister(const struct trace_kind *kind);
void trace_kinds_listen(const struct trace_kind_listener *listener);

/* The result stays valid while the caller holds trace_types_read_lock(). */
const struct trace_kind *trace_kind_by_type(unsigned int type);
struct trace_event *trace_event_by_type(unsigned int type);
void trace_types_read_lock(void);
void trace_types_read_unlock(void);

#endif /* _TRACE_RECORD_KIND_H */
