/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites/ inside: where records come from. table.c and module.c make sets of tables,
 * sources.c reads what the recorder wrote between the addresses.
 */
#ifndef _TRACE_SITES_TABLE_H
#define _TRACE_SITES_TABLE_H

#include "sites/sites.h"

struct module;
struct site_set;

/* The kernel's table, from the linker script. */
extern unsigned long __start_mcount_loc[];
extern unsigned long __stop_mcount_loc[];

/*
 * The kernel's records, as the link made them (scripts/recordmcount-link.h), and
 * what that says of them. Their calls are NOPs. Layout: records, then the source runs
 * of these records. Behind the runs of the records that are not freed after init comes
 * the string pool, which both sets use.
 */
struct built_sites {
	u32	count;		/* records at __start_ftrace_sites */
	u32	init_count;	/* at __start_ftrace_init_sites */
	u32	sum;		/* of the first four bytes of each site */
	u32	sources;	/* behind the records */
	u32	init_sources;
};

extern struct dyn_ftrace __start_ftrace_sites[];
extern struct dyn_ftrace __start_ftrace_init_sites[];
extern struct built_sites ftrace_built_sites;

/* The sources that a table names, until there are sets. */
struct table_sources {
	u64		*keys;		/* sites and their paths, NULL: none is known */
	unsigned long	count;
	char		*pool;
	size_t		pool_len;
	u32		path;		/* of the next pointers in the table */
	bool		weak;
};

void table_sources_begin(struct table_sources *src, const unsigned long *ips,
			 unsigned long count);
unsigned long table_sources_read(struct table_sources *src, const unsigned long *ips,
				 unsigned long count);
void table_sources_add(struct table_sources *src, unsigned long ip);
void table_sources_sort(struct table_sources *src, unsigned long *ips);
void table_sources_end(struct table_sources *src);
void site_set_add_sources(struct site_set *set, const struct table_sources *src);

/* A table of addresses on its way to sets. */
unsigned long site_table_sort(unsigned long *ips, unsigned long count, struct module *mod,
			      struct table_sources *src);
unsigned long site_table_make_nops(unsigned long *ips, unsigned long count,
				   struct module *mod);
unsigned long site_records_in_order(const struct dyn_ftrace *sites, unsigned long count);
int site_table_to_set(const unsigned long *ips, unsigned long count, struct module *mod,
		      bool init, const struct table_sources *src);

#endif /* _TRACE_SITES_TABLE_H */
