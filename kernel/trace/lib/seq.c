// SPDX-License-Identifier: GPL-2.0
/*
 * Trace sequences: a page-sized text that is either written whole by a call
 * or not at all. A call that does not fit leaves the text as it was and marks
 * it full; all later calls do nothing. So a record's line is never cut, and
 * the reader may flush and print it again.
 */
#include <linux/export.h>
#include <linux/seq_file.h>
#include <linux/trace_seq.h>

/* A size_t that no text can have. */
#define SEQ_FULL	SIZE_MAX

/*
 * Callers of trace_seq_acquire() write here when their text does not fit. It is never printed.
 */
static char seq_waste[TRACE_SEQ_BUFFER_SIZE];

/* Room for @len bytes that the caller writes, NULL: they do not fit. */
static __always_inline char *trace_seq_room(struct trace_seq *s, size_t len)
{
	char *room = s->seq.buffer + s->seq.len;

	if (unlikely(s->full || len > seq_buf_buffer_left(&s->seq))) {
		s->full = 1;
		return NULL;
	}
	s->seq.len += len;
	return room;
}

/* The length before a call writes, or SEQ_FULL: it must not write. */
static size_t trace_seq_begin(const struct trace_seq *s)
{
	return s->full ? SEQ_FULL : s->seq.len;
}

/* The call has written. False: it did not fit, and is taken back. */
static bool trace_seq_end(struct trace_seq *s, size_t before)
{
	if (!seq_buf_has_overflowed(&s->seq))
		return true;

	s->seq.len = before;
	s->full = 1;
	return false;
}

/**
 * trace_seq_vprintf - append formatted text
 * @s: the sequence
 * @fmt: format as for printk()
 * @args: its arguments
 *
 * Context: any.
 */
void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args)
{
	size_t before = trace_seq_begin(s);

	if (before == SEQ_FULL)
		return;
	seq_buf_vprintf(&s->seq, fmt, args);
	trace_seq_end(s, before);
}
EXPORT_SYMBOL_GPL(trace_seq_vprintf);

/**
 * trace_seq_printf - append formatted text
 * @s: the sequence
 * @fmt: format as for printk()
 *
 * Context: any.
 */
void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	trace_seq_vprintf(s, fmt, args);
	va_end(args);
}
EXPORT_SYMBOL_GPL(trace_seq_printf);

/**
 * trace_seq_bprintf - append text whose arguments were stored in binary
 * @s: the sequence
 * @fmt: the format that stored them
 * @binary: what vbin_printf() wrote
 *
 * Context: any.
 */
void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *binary)
{
	size_t before = trace_seq_begin(s);

	if (before == SEQ_FULL)
		return;
	seq_buf_bprintf(&s->seq, fmt, binary);
	trace_seq_end(s, before);
}
EXPORT_SYMBOL_GPL(trace_seq_bprintf);

/**
 * trace_seq_bitmask - append a bitmap in hex, as "%*pb" does
 * @s: the sequence
 * @maskp: the bitmap
 * @nmaskbits: its bits
 *
 * Context: any.
 */
void trace_seq_bitmask(struct trace_seq *s, const unsigned long *maskp, int nmaskbits)
{
	trace_seq_printf(s, "%*pb", nmaskbits, maskp);
}
EXPORT_SYMBOL_GPL(trace_seq_bitmask);

/**
 * trace_seq_puts - append a string
 * @s: the sequence
 * @str: the string
 *
 * Context: any.
 */
void trace_seq_puts(struct trace_seq *s, const char *str)
{
	size_t len = strlen(str);
	char *room = trace_seq_room(s, len);

	if (room)
		memcpy(room, str, len);
}
EXPORT_SYMBOL_GPL(trace_seq_puts);

/**
 * trace_seq_putc - append a character
 * @s: the sequence
 * @c: the character
 *
 * Context: any.
 */
void trace_seq_putc(struct trace_seq *s, unsigned char c)
{
	char *room = trace_seq_room(s, 1);

	if (room)
		*room = c;
}
EXPORT_SYMBOL_GPL(trace_seq_putc);

/**
 * trace_seq_putmem - append bytes as they are
 * @s: the sequence
 * @mem: the bytes
 * @len: how many
 *
 * Context: any.
 */
void trace_seq_putmem(struct trace_seq *s, const void *mem, unsigned int len)
{
	char *room = trace_seq_room(s, len);

	if (room)
		memcpy(room, mem, len);
}
EXPORT_SYMBOL_GPL(trace_seq_putmem);

/**
 * trace_seq_putmem_hex - append bytes as hex digits, most significant first
 * @s: the sequence
 * @mem: a number of the CPU's byte order, or bytes
 * @len: how many bytes
 *
 * Context: any.
 */
void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, unsigned int len)
{
	size_t before = trace_seq_begin(s);

	if (before == SEQ_FULL)
		return;
	seq_buf_putmem_hex(&s->seq, mem, len);
	trace_seq_end(s, before);
}
EXPORT_SYMBOL_GPL(trace_seq_putmem_hex);

/**
 * trace_seq_path - append a path, with newlines escaped
 * @s: the sequence
 * @path: the path
 *
 * Context: task.
 * Return: 1, or 0 when it did not fit.
 */
int trace_seq_path(struct trace_seq *s, const struct path *path)
{
	size_t before = trace_seq_begin(s);

	if (before == SEQ_FULL)
		return 0;
	seq_buf_path(&s->seq, path, "\n");
	return trace_seq_end(s, before);
}
EXPORT_SYMBOL_GPL(trace_seq_path);

/**
 * trace_seq_hex_dump - append a hex dump, as print_hex_dump() prints it
 * @s: the sequence
 * @prefix_str: before each line
 * @prefix_type: DUMP_PREFIX_*
 * @rowsize: bytes a line, 16 or 32
 * @groupsize: bytes a group, 1, 2, 4 or 8
 * @buf: the bytes
 * @len: how many
 * @ascii: append the characters
 *
 * Context: any.
 * Return: 1, or 0 when it did not fit.
 */
int trace_seq_hex_dump(struct trace_seq *s, const char *prefix_str,
		       int prefix_type, int rowsize, int groupsize,
		       const void *buf, size_t len, bool ascii)
{
	size_t before = trace_seq_begin(s);

	if (before == SEQ_FULL)
		return 0;
	seq_buf_hex_dump(&s->seq, prefix_str, prefix_type, rowsize, groupsize,
			 buf, len, ascii);
	return trace_seq_end(s, before);
}
EXPORT_SYMBOL(trace_seq_hex_dump);

/**
 * trace_seq_acquire - room for bytes that the caller writes
 * @s: the sequence
 * @len: how many
 *
 * The formats of events write there without a look at what they got, see __get_buf(). So
 * when the bytes do not fit, the place is one that is no part of the text: the sequence is
 * full, and takes nothing of what the format prints then.
 *
 * Context: any.
 * Return: where to write up to @len bytes; NULL for more than any sequence has.
 */
char *trace_seq_acquire(struct trace_seq *s, unsigned int len)
{
	char *room = trace_seq_room(s, len);

	return room || len > sizeof(seq_waste) ? room : seq_waste;
}
EXPORT_SYMBOL(trace_seq_acquire);

/**
 * trace_print_seq - move the text into a seq_file
 * @m: where to
 * @s: empty afterwards, when it fitted
 *
 * Context: task.
 * Return: 0, or not 0 when @m has no room (the text stays in @s).
 */
int trace_print_seq(struct seq_file *m, struct trace_seq *s)
{
	int ret = seq_buf_print_seq(m, &s->seq);

	if (!ret)
		trace_seq_init(s);
	return ret;
}

/**
 * trace_seq_to_user - copy text that was not copied yet to user space
 * @s: the sequence; remembers how far it was copied
 * @ubuf: user memory
 * @cnt: bytes in it
 *
 * Context: task, may sleep.
 * Return: bytes copied, -EBUSY when nothing is left, -EFAULT.
 */
int trace_seq_to_user(struct trace_seq *s, char __user *ubuf, int cnt)
{
	int copied = cnt ? seq_buf_to_user(&s->seq, ubuf, s->readpos, cnt) : 0;

	s->readpos += max(copied, 0);
	return copied;
}
EXPORT_SYMBOL_GPL(trace_seq_to_user);
