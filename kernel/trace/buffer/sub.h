/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: the descriptor of a sub-buffer. writer.h has the legend of the letters.
 */
#ifndef _TRACE_BUFFER_SUB_H
#define _TRACE_BUFFER_SUB_H

#include <linux/build_bug.h>
#include <asm/local.h>

struct buffer_data_page;

/**
 * struct rb_sub - descriptor of a sub-buffer's memory
 * @page: the memory
 * @base: position of its first byte, header included
 * @entries: events ever reserved in this memory and not discarded, without @short_entries
 * @short_entries: events reserved by writers that rb_short_enter() has let in; a CPU has one
 *	of these at a time, so they count without an atomic
 * @entries_base: rb_sub_all() when the present use began
 * @first: number of the first event, counted from the last reset
 * @dropped: events the CPU's buffer had dropped when this was opened
 * @slot: index of the slot it was opened in
 * @id: index in rb_cpu::subs
 * @map_id: number of the memory in the mapping
 * @end: bytes of data it was closed with; goes into the page, too, in commit
 */
struct rb_sub {
	struct buffer_data_page	*page;		/* reader_lock */
	unsigned long		base;		/* CPU's writers */
	local_t			entries;	/* CPU's writers */
	unsigned int		short_entries;	/* CPU's writers */
	unsigned int		entries_base;	/* CPU's writers */
	unsigned long		first;		/* c */
	unsigned long		dropped;	/* CPU's writers */
	unsigned int		slot;		/* CPU's writers, quiesced */
	unsigned int		id;		/* quiesced */
	unsigned int		map_id;		/* quiesced */
	unsigned int		end;		/* CPU's writers */
};

static_assert(sizeof(struct rb_sub) <= 64);

#endif /* _TRACE_BUFFER_SUB_H */
