/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the parts of the test share.
 */
#ifndef _RING_BUFFER_TEST_H
#define _RING_BUFFER_TEST_H

#include "shim.h"
#include "buffer/internal.h"
#include "buffer/tests/words.h"

/* A case says what is wrong, and goes on.  Threads may find something together. */
extern int test_failures;

static inline int test_count_failure(void)
{
	return __atomic_fetch_add(&test_failures, 1, __ATOMIC_RELAXED);
}

#define CHECK(condition)						\
({									\
	bool _ok = (condition);						\
									\
	if (!_ok && test_count_failure() < 20)				\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
	_ok;								\
})

/* Both printed. */
#define CHECK_EQ(a, b)							\
({									\
	long long _x = (a), _y = (b);					\
									\
	if (_x != _y && test_count_failure() < 20)			\
		fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, \
			_x, _y);					\
	_x == _y;							\
})

struct test_case {
	const char	*name;
	void		(*run)(void);
};

/*
 * Run @nr tables of cases, each of which ends with one that has no name. Each case is a process
 * of its own, with a time limit. Returns 1 if one fails.
 */
int test_run(const char *part, const struct test_case *const *tables, unsigned int nr,
	     unsigned int seconds);

u32 test_random(void);
extern u64 test_seed;

struct trace_buffer *test_buffer(unsigned int subs, unsigned int flags);
int test_put(struct trace_buffer *buffer, unsigned int length);

/*
 * step.c: run @op(@arg), and after its instruction number @at, @hook(@arg).
 * False if @op has not as many.
 */
bool step_run(void (*op)(void *arg), void (*hook)(void *arg), void *arg, unsigned long at);
/* Run @op(@arg).  Returns how many of its instructions ran with interrupts off. */
unsigned long step_irqs_off(void (*op)(void *arg), void *arg);
/* The hook is on another CPU meanwhile. */
void step_on_cpu(int cpu, void (*func)(void *arg), void *arg);

int test_cases(void);
int test_looks(void);
int test_steps(unsigned long stride);
int test_fuzz(u64 seed, unsigned long images);
int test_stress(u64 seed, unsigned int seconds, unsigned long events);
int test_speed(void);

#endif /* _RING_BUFFER_TEST_H */
