/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts that the counting programs of the guest share: rows, files of tracefs, counts. Under QEMU's
 * -icount shift=0 an instruction takes a nanosecond of guest time, so a difference of two readings
 * of now() is a count of instructions. Waiting (a grace period) counts as well.
 */
#ifndef BENCH_GUEST_H
#define BENCH_GUEST_H

#include <stdbool.h>
#include <stddef.h>

#define TRACEFS		"/sys/kernel/tracing/"
#define CALLS		20000	/* getppid calls of a run */
#define PAGE		4096

/* How much a file has: its lines without comments, and all of its bytes. */
struct text {
	long	lines;
	long	bytes;
};

/* Records that are in the buffer, and their bytes. None of them was overwritten. */
struct records {
	double	nr;
	double	bytes;
};

extern char **names;		/* available_filter_functions, in order */
extern size_t nr_names;
extern const char *inner;	/* the function inside getppid that is hooked alone */
extern double quiet;		/* instructions in afterwards() when nothing is left to do */

double now(void);
bool has(const char *file);
int put_len(const char *file, int flags, const char *text, size_t len);
int put(const char *file, const char *text);
void must(const char *file, const char *text);
struct text drain(const char *file);
double drain_cost(const char *file);
double idle(void);
double afterwards(void);
struct records records(void);
double memory(const char *what);
double kernel_bytes(void);
char *kernel_log(void);
double ops_call(int nr);
void load_names(void);
size_t probe_names(const char **found, size_t most);
void row_of(const char *name, double count, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void row(const char *name, double count);

/* hits.c */
void rows_hits(double untraced);
/* probes.c */
void rows_probes(void);

#endif
