/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of printk/ share with each other and with their tests.
 */
#ifndef _TRACE_PRINTK_INTERNAL_H
#define _TRACE_PRINTK_INTERNAL_H

#include "printk/printk.h"
#include "record/kind.h"
#include "record/text.h"

struct trace_bprint_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	const char		*fmt;
	u32			buf[];
};

struct trace_bputs_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	const char		*str;
};

struct trace_raw_data_entry {
	struct trace_entry	ent;
	unsigned int		id;
	char			buf[];
};

/* The sections that the linker collects formats and strings in. */
extern const char *__start___trace_bprintk_fmt[];
extern const char *__stop___trace_bprintk_fmt[];
extern const char *__start___tracepoint_str[];
extern const char *__stop___tracepoint_str[];

/* printk.c */
struct trace_array *trace_printk_target(struct trace_array *tr);

/* kinds.c: printers of the records bprint and bputs */
int trace_printk_kinds_init(void);

/* marker.c */
extern struct trace_slot trace_marker_slot;
ssize_t tracing_mark_write(struct trace_array *tr, const char __user *ubuf, size_t count);
ssize_t trace_marker_write_raw(struct trace_array *tr, const char __user *ubuf, size_t count);
int trace_marker_kinds_init(void);

/* format.c: the formats of the kernel and of modules, by number */
const char **trace_printk_format(loff_t pos);
bool trace_printk_has_formats(void);
void trace_printk_formats_lock(void);
void trace_printk_formats_unlock(void);
int trace_printk_formats_init(void (*used)(void));

/* marker_file.c, format_file.c */
int trace_marker_create_files(struct trace_array *tr, struct dentry *dir);
int trace_printk_create_formats(struct dentry *dir, struct trace_array *tr);

#endif /* _TRACE_PRINTK_INTERNAL_H */
