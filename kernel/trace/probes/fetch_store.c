// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the programs that store the arguments of probes in records.
 *
 * Memory is read once, in one pass, and what a step says of an argument is stored whatever the
 * memory has: bytes for a number that cannot be read are 0, and so is the length of a string.
 * So no byte up to the record's end has what was in the room before.
 *
 * There are no indirect calls. The loop is inlined twice, once for hits that must not fault.
 */
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "events/value.h"
#include "probes/fetch_program.h"

/* Addresses below are of user space. */
#ifdef CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE
#define USER_END	TASK_SIZE_MAX
#else
#define USER_END	0
#endif

/**
 * struct fetch_record - the record that is being filled in
 * @start: its first byte
 * @used: bytes that it has up to now
 * @room: bytes that it can have
 */
struct fetch_record {
	void		*start;
	unsigned int	used;
	unsigned int	room;
};

static __always_inline bool fetch_store_read_user(void *to, unsigned long from, size_t size,
						  const bool may_fault)
{
	const void __user *user = (const void __user *)from;

	if (may_fault)
		return !copy_from_user(to, user, size);
	return !copy_from_user_nofault(to, user, size);
}

/* Read memory. Kernel code has pointers to user memory, too, where these cannot be mistaken. */
static __always_inline bool fetch_store_read(void *to, unsigned long from, size_t size, u8 flags,
					     const bool may_fault)
{
	if (may_fault || flags & FETCH_USER)
		return fetch_store_read_user(to, from, size, may_fault);
	if (likely(!copy_from_kernel_nofault(to, (const void *)from, size)))
		return true;
	return from < USER_END && fetch_store_read_user(to, from, size, false);
}

/* The length with the NUL of the string that was copied to @to, which has @size bytes; or < 0. */
static __always_inline long fetch_store_copy_string(char *to, unsigned long from, long size,
						    u8 flags, const bool may_fault)
{
	const char __user *user = (const char __user *)from;
	long len;

	if (may_fault) {
		len = strncpy_from_user(to, user, size);
		if (len < 0)
			return len;
		len = min(len + 1, size);
		to[len - 1] = '\0';
		return len;
	}
	if (flags & FETCH_USER)
		return strncpy_from_user_nofault(to, user, size);
	len = strncpy_from_kernel_nofault(to, (const void *)from, size);
	if (len < 0 && from < USER_END)
		len = strncpy_from_user_nofault(to, user, size);
	return len;
}

/* How many bytes the string of @dest may have, if @more strings behind it get a byte each. */
static __always_inline long fetch_store_room(const struct fetch_record *record, unsigned int more)
{
	return min_t(long, (long)record->room - record->used - more, FETCH_STRING_MAX);
}

/* The string of the location word at @dest has @len bytes; < 0: it is not there. */
static __always_inline void fetch_store_locate(struct fetch_record *record, unsigned int dest,
					       long len)
{
	len = max(len, 0L);
	*(u32 *)(record->start + dest) = len << 16 | record->used;
	record->used += len;
}

static __always_inline void fetch_store_string(struct fetch_record *record, unsigned int dest,
					       unsigned long from, unsigned int more, u8 flags,
					       const bool may_fault)
{
	long room = fetch_store_room(record, more);

	if (room > 0)
		room = fetch_store_copy_string(record->start + record->used, from, room, flags,
					       may_fault);
	fetch_store_locate(record, dest, room);
}

/* A string that may be read: it ends with a NUL, or after @limit bytes. */
static void fetch_store_text(struct fetch_record *record, const struct fetch_insn *insn,
			     const char *text, unsigned long limit)
{
	long room = fetch_store_room(record, insn->bytes);
	long len;

	if (room > 0) {
		len = strnlen(text, min_t(unsigned long, limit, room - 1));
		memcpy(record->start + record->used, text, len);
		((char *)record->start)[record->used + len] = '\0';
		room = len + 1;
	}
	fetch_store_locate(record, insn->dest, room);
}

static noinline void fetch_store_symbol(struct fetch_record *record,
					const struct fetch_insn *insn, unsigned long addr)
{
	long room = fetch_store_room(record, insn->bytes);

	if (room > 0)
		room = scnprintf(record->start + record->used, room, "%pS", (void *)addr) + 1;
	fetch_store_locate(record, insn->dest, room);
}

/* Strings that an array of pointers leads to. */
static __always_inline void fetch_store_strings(struct fetch_record *record,
						const struct fetch_insn *insn,
						unsigned long from, const bool may_fault)
{
	u8 at = insn->flags & FETCH_USER_POINTERS ? FETCH_USER : 0;
	unsigned int dest = insn->dest, more = insn->bytes + insn->count;
	unsigned long pointer;

	for (unsigned int i = 0; i < insn->count; i++, from += sizeof(long), dest += sizeof(u32)) {
		more--;
		if (fetch_store_read(&pointer, from, sizeof(pointer), at, may_fault))
			fetch_store_string(record, dest, pointer, more, insn->flags, may_fault);
		else
			fetch_store_locate(record, dest, -EFAULT);
	}
}

static __always_inline void fetch_store_number(void *to, unsigned int size, unsigned long val)
{
	if (likely(size == 8))
		*(u64 *)to = val;
	else if (size == 4)
		*(u32 *)to = val;
	else if (size == 2)
		*(u16 *)to = val;
	else
		*(u8 *)to = val;
}

/* Cut the bits out of a number that was stored. */
static u64 fetch_store_cut(u64 val, unsigned int size, const struct fetch_insn *insn)
{
	unsigned int unused = (sizeof(u64) - size) * BITS_PER_BYTE;
	unsigned int right = (insn->bytes >> 8) + unused;

	val <<= (insn->bytes & 0xff) + unused;
	return insn->flags & FETCH_SIGNED ? (s64)val >> right : val >> right;
}

static noinline void fetch_store_bits(void *record, const struct fetch_insn *insn)
{
	void *at = record + insn->dest;
	u64 val;

	for (unsigned int i = 0; i < insn->count; i++, at += insn->size) {
		val = trace_value_number_at(at, insn->size, false);
		fetch_store_number(at, insn->size, fetch_store_cut(val, insn->size, insn));
	}
}

/* The value of @insn's argument cannot be made: store that, and return the step that would. */
static noinline const struct fetch_insn *fetch_store_nothing(struct fetch_record *record,
							     const struct fetch_insn *insn)
{
	while (insn->op < FETCH_FIRST_STORE)
		insn++;
	switch (insn->op) {
	case FETCH_STORE:
		memset(record->start + insn->dest, 0, insn->size);
		break;
	case FETCH_STORE_MEMORY:
		memset(record->start + insn->dest, 0, insn->bytes);
		break;
	default:
		for (unsigned int i = 0; i < insn->count; i++)
			fetch_store_locate(record, insn->dest + i * sizeof(u32), -EFAULT);
	}
	return insn;
}

/* Make a value of a field of a record. False: it has none. */
static __always_inline bool fetch_store_field(const struct fetch_insn *insn, const void *record,
					      unsigned long *val, unsigned long *limit)
{
	const void *field = record + insn->n;
	unsigned int len;

	if (insn->op == FETCH_FIELD) {
		*val = trace_value_number_at(field, insn->size, insn->flags & FETCH_SIGNED);
		return true;
	}
	len = insn->bytes;
	if (insn->op == FETCH_FIELD_LOCATED)
		field = trace_value_located(insn->flags & FETCH_RELATIVE ? field + sizeof(u32) :
					    record, field, &len);
	*val = (unsigned long)field;
	*limit = len;
	return len;
}

/* Read a word of the kernel stack that @sp is on. False: it is beyond. */
static __always_inline bool fetch_store_stack(unsigned long *val, unsigned long sp, long offset)
{
	unsigned long from = sp + offset;

	return !((from ^ sp) & ~(THREAD_SIZE - 1UL)) &&
	       !copy_from_kernel_nofault(val, (const void *)from, sizeof(*val));
}

/* Make a value. False: it is not there. @limit: bytes that there are of a string. */
static __always_inline bool fetch_store_value(const struct fetch_insn *insn,
					      const struct trace_fetch_source *source,
					      unsigned long *val, unsigned long *limit,
					      const bool may_fault)
{
	switch (insn->op) {
	case FETCH_SOURCE:
		*val = *(const unsigned long *)(source->record + insn->n);
		return true;
	case FETCH_READ:
		return fetch_store_read(val, *val + insn->n, sizeof(*val), insn->flags, may_fault);
	case FETCH_STACK:
		return fetch_store_stack(val, *val, insn->n);
	case FETCH_ENTRY:
		*val = source->entry[insn->n];
		return true;
	case FETCH_SYMBOL:
		/* Pairs with the store of fetch_symbol_resolve(); there is no other data. */
		*val = READ_ONCE(insn->n);
		return *val;
	case FETCH_COMM:
		*val = (unsigned long)current->comm;
		*limit = TASK_COMM_LEN;
		return true;
	case FETCH_CURRENT:
		*val = (unsigned long)current;
		return true;
	case FETCH_PERCPU:
		/* Preemption is off. */
		*val = (unsigned long)raw_cpu_ptr((char __percpu *)*val);
		return true;
	case FETCH_BASE:
		*val = source->base + insn->n;
		return true;
	case FETCH_VALUE:
	case FETCH_TEXT:
		*val = insn->n;
		*limit = FETCH_STRING_MAX;
		return true;
	default:
		return fetch_store_field(insn, source->record, val, limit);
	}
}

/* Store a value, or what it leads to, or change what was stored. */
static __always_inline void fetch_store_put(struct fetch_record *record,
					    const struct fetch_insn *insn, unsigned long val,
					    unsigned long limit, const bool may_fault)
{
	void *to = record->start + insn->dest;

	switch (insn->op) {
	case FETCH_STORE:
		fetch_store_number(to, insn->size, val);
		break;
	case FETCH_STORE_MEMORY:
		if (!fetch_store_read(to, val + insn->n, insn->bytes, insn->flags, may_fault))
			memset(to, 0, insn->bytes);
		break;
	case FETCH_STORE_STRING:
		fetch_store_string(record, insn->dest, val + insn->n, insn->bytes, insn->flags,
				   may_fault);
		break;
	case FETCH_STORE_STRINGS:
		fetch_store_strings(record, insn, val + insn->n, may_fault);
		break;
	case FETCH_STORE_TEXT:
		fetch_store_text(record, insn, (const char *)val, limit);
		break;
	case FETCH_STORE_SYMBOL:
		fetch_store_symbol(record, insn, val);
		break;
	case FETCH_BITS:
		fetch_store_bits(record->start, insn);
		break;
	}
}

/* Run a program. @used: where in the record its strings begin. Return where they end. */
static __always_inline unsigned int fetch_store_run(const struct fetch_insn *insn,
						    const struct trace_fetch_source *source,
						    struct fetch_record record,
						    const bool may_fault)
{
	unsigned long val = 0, limit = 0;

	for (; insn->op != FETCH_END; insn++) {
		if (insn->op == FETCH_COPY)
			*(unsigned long *)(record.start + insn->dest) =
				*(const unsigned long *)(source->record + insn->n);
		else if (insn->op > FETCH_COPY)
			fetch_store_put(&record, insn, val, limit, may_fault);
		else if (!fetch_store_value(insn, source, &val, &limit, may_fault))
			insn = fetch_store_nothing(&record, insn);
	}
	return record.used;
}

static __always_inline struct fetch_record fetch_store_begin(const struct trace_fetch *fetch,
							     void *record, unsigned int room)
{
	return (struct fetch_record){
		.start	= record,
		.used	= fetch->fixed,
		/* A location word cannot tell of more. */
		.room	= min_t(unsigned int, room, U16_MAX),
	};
}

/**
 * trace_fetch_store - store the arguments of a probe
 * @fetch: the arguments
 * @source: what the hit has
 * @record: where to, with the header that @fetch was made for
 * @room: its bytes, fetch->fixed at least
 *
 * Context: any, NMI included, with preemption off.
 * Return: bytes of the record, header included, all of which were stored.
 */
unsigned int trace_fetch_store(const struct trace_fetch *fetch,
			       const struct trace_fetch_source *source, void *record,
			       unsigned int room)
{
	return fetch_store_run(fetch->program, source, fetch_store_begin(fetch, record, room),
			       false);
}

NOKPROBE_SYMBOL(trace_fetch_store);

/**
 * fetch_store_from - store the arguments of a probe, the first of which are there
 * @insn: the step of the program to begin with; there are no strings
 * @source: what the hit has
 * @record: where to
 * @len: bytes of the record
 *
 * Context: as trace_fetch_store().
 * Return: @len.
 */
unsigned int fetch_store_from(const struct fetch_insn *insn,
			      const struct trace_fetch_source *source, void *record,
			      unsigned int len)
{
	return fetch_store_run(insn, source,
			       (struct fetch_record){ .start = record, .used = len, .room = len },
			       false);
}

NOKPROBE_SYMBOL(fetch_store_from);

/**
 * trace_fetch_store_faultable - store the arguments of a uprobe
 * @fetch: the arguments
 * @source: what the hit has
 * @record: where to, with the header that @fetch was made for; no ring buffer
 * @room: its bytes, fetch->fixed at least
 *
 * Context: task, may sleep to bring in memory of user space.
 * Return: as trace_fetch_store().
 */
unsigned int trace_fetch_store_faultable(const struct trace_fetch *fetch,
					 const struct trace_fetch_source *source, void *record,
					 unsigned int room)
{
	return fetch_store_run(fetch->program, source, fetch_store_begin(fetch, record, room),
			       true);
}

/**
 * trace_fetch_store_entry - store what the return of a function needs of its arguments
 * @fetch: the arguments of the probe of the return
 * @source: what the entry has
 * @entry: where to, fetch->entry_size bytes
 *
 * Context: any, NMI included, with preemption off.
 */
void trace_fetch_store_entry(const struct trace_fetch *fetch,
			     const struct trace_fetch_source *source, unsigned long *entry)
{
	if (fetch->entry_size)
		fetch_store_run(fetch->entry_program, source,
				(struct fetch_record){ .start = entry }, false);
}

NOKPROBE_SYMBOL(trace_fetch_store_entry);
