/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's types, attributes, numbers and atomics, for kernel files that are compiled into
 * a program. The shim.h of each program has the CPUs, locks and memory.
 */
#ifndef _SHIM_KERNEL_H
#define _SHIM_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* compiler */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef long long s64;
typedef unsigned long long u64;
typedef unsigned int gfp_t;

#define __packed		__attribute__((__packed__))
#undef __aligned
#define __aligned(x)		__attribute__((__aligned__(x)))
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define __noreturn		__attribute__((__noreturn__))
#define __cold			__attribute__((__cold__))
#define __maybe_unused		__attribute__((__unused__))
#define __cleanup(func)		__attribute__((__cleanup__(func)))
#undef __must_check
#define __must_check		__attribute__((__warn_unused_result__))
#define __force
#define __user
#define __percpu
#define __init
#define __read_mostly
#define __ro_after_init
#define __uninitialized
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define OPTIMIZER_HIDE_VAR(x)	__asm__ ("" : "+r" (x))
#define EXPORT_SYMBOL_GPL(symbol)
#define NOKPROBE_SYMBOL(name)
#define EXPORT_SYMBOL_IF_KUNIT(name)
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define container_of_const	container_of
#define struct_size(p, member, n) (sizeof(*(p)) + sizeof((p)->member[0]) * (n))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define is_signed_type(type)	((type)-1 < (type)1)
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* numbers */
#define U16_MAX			UINT16_MAX
#define BITS_PER_LONG		(8 * __SIZEOF_LONG__)
#define BITS_PER_TYPE(type)	(sizeof(type) * 8)
#define BIT(n)			(1UL << (n))
#define GENMASK(high, low)	((~0UL >> (BITS_PER_LONG - 1 - (high))) & (~0UL << (low)))
#define ALIGN(x, a)		(((x) + (a) - 1) & ~((typeof(x))(a) - 1))
#define ALIGN_DOWN(x, a)	((x) & ~((typeof(x))(a) - 1))
#define PTR_ALIGN(p, a)		((typeof(p))ALIGN((unsigned long)(p), (a)))
#define IS_ALIGNED(x, a)	(((x) & ((typeof(x))(a) - 1)) == 0)
#define round_up(x, n)		(((x) + (n) - 1) / (n) * (n))
#define __ffs(x)		((unsigned int)__builtin_ctzl(x))
#define min(a, b)		({ typeof(a) _a = (a); typeof(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b)		({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(x, low, high)	min(max((x), (low)), (high))
#define clamp_t(type, x, low, high) clamp((type)(x), (type)(low), (type)(high))
#define swap(a, b)		do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)

/* memory order; the sanitizers want to see atomics */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
# define SHIM_SANITIZED		1
#else
# define SHIM_SANITIZED		0
#endif

/* Under the thread sanitizer a program may let something come in here. */
#ifdef __SANITIZE_THREAD__
extern __thread unsigned int shim_points;	/* so many times from now */
void shim_point_due(void);

static inline void shim_point(void)
{
	if (__builtin_expect(!--shim_points, 0))
		shim_point_due();
}
#else
static inline void shim_point(void)
{
}
#endif

#define barrier()							\
do {									\
	__asm__ __volatile__("" : : : "memory");			\
	shim_point();							\
	__asm__ __volatile__("" : : : "memory");			\
} while (0)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb__after_atomic()	smp_mb()
#define smp_mb__before_atomic()	smp_mb()
#define smp_acquire__after_ctrl_dep() smp_rmb()
/* On 32 bits the kernel loads and stores 64 bits in two parts. */
#ifdef __LP64__
# define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
# define shim_store(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELAXED)
#else
# define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
# define shim_store(p, v)	((void)(*(volatile typeof(*(p)) *)(p) = (v)))
#endif
#define WRITE_ONCE(x, v)						\
do {									\
	shim_store(&(x), v);						\
	shim_point();							\
} while (0)
/* data_race: the memory that the expression accesses may be accessed by others meanwhile */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
# define data_race(x)							\
({									\
	typeof(x) _x;							\
									\
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);			\
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);			\
	_x = (x);							\
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);			\
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);			\
	_x;								\
})
#else
# define data_race(x)		(x)
#endif
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_store_mb(x, v)	do { WRITE_ONCE(x, v); smp_mb(); } while (0)
#define xchg(p, v)		__atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new)						\
({									\
	typeof(*(p)) _old = (old);					\
	__atomic_compare_exchange_n((p), &_old, (new), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	_old;								\
})
#define try_cmpxchg(p, old, new)					\
	__atomic_compare_exchange_n((p), (old), (new), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, (i))
#define atomic_read_acquire(v)	smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic_add(i, v)	((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_sub(i, v)	atomic_add(-(int)(i), v)
#define atomic_inc(v)		atomic_add(1, v)
#define atomic_dec(v)		atomic_add(-1, v)
#define atomic_or(i, v)		((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_andnot(i, v)	((void)__atomic_fetch_and(&(v)->counter, ~(i), __ATOMIC_RELAXED))
#define atomic_xchg(v, i)	xchg(&(v)->counter, i)
#define atomic_inc_return(v)	__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_inc_return_release(v) __atomic_add_fetch(&(v)->counter, 1, __ATOMIC_RELEASE)
#define atomic_cmpxchg(v, old, new) cmpxchg(&(v)->counter, old, new)
#define atomic_try_cmpxchg(v, old, new) try_cmpxchg(&(v)->counter, old, new)
#define atomic_long_read(v)	READ_ONCE((v)->counter)
#define atomic_long_set(v, i)	WRITE_ONCE((v)->counter, (i))
#define atomic_long_inc(v)	((void)__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_RELAXED))
#define atomic_long_add(i, v)	((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_long_or(i, v)	((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_long_try_cmpxchg(v, old, new) try_cmpxchg(&(v)->counter, old, new)

#define GFP_KERNEL		0U

#endif /* _SHIM_KERNEL_H */
