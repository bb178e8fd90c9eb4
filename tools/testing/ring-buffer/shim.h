/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel as kernel/trace/buffer/ needs it, in a process: a thread is a CPU,
 * SIGUSR1 is its interrupt, SIGUSR2 its NMI.  Each header that the ring buffer
 * includes becomes this one; "run" makes them.
 *
 * local_irq_save() sets irqs_off. A signal that finds it set is noted, and handled when
 * interrupts come on again. Ticks, calls from other CPUs and lazy irq_works all are handled in
 * an interrupt, as they are there.
 *
 * Under the thread sanitizer there are no signals.  It keeps a signal back while the
 * thread waits for a lock, whose owner may wait for the handler; and handlers that
 * nest there leave all signals blocked.  So a CPU calls its interrupts and NMIs
 * itself: at some of its accesses to what is shared, and wherever it waits.
 */
#ifndef _RING_BUFFER_SHIM_H
#define _RING_BUFFER_SHIM_H

#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <linux/types.h>

#include "shim/kernel.h"

#define CONFIG_SMP 1
#define CONFIG_RING_BUFFER 1
#define CONFIG_RING_BUFFER_ALLOW_SWAP 1
#ifdef __LP64__
# define CONFIG_64BIT 1
#endif
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
# define CONFIG_CPU_BIG_ENDIAN 1
#endif
#include <linux/kconfig.h>

typedef unsigned int __poll_t;

#define ____cacheline_aligned_in_smp __aligned(64)
#define _THIS_IP_		0UL
#define _RET_IP_		0UL

/* atomics */
typedef struct { atomic_long_t a; } local_t;

static inline bool atomic_inc_unless_negative(atomic_t *v)
{
	int old = atomic_read(v);

	while (old >= 0) {
		if (atomic_try_cmpxchg(v, &old, old + 1))
			return true;
	}
	return false;
}

static inline int atomic_dec_if_positive(atomic_t *v)
{
	int old = atomic_read(v);

	while (old > 0 && !atomic_try_cmpxchg(v, &old, old - 1))
		;
	return old - 1;
}

/* One instruction, so that a signal comes before it or after it. */
#define local_read(l)		atomic_long_read(&(l)->a)
#define local_set(l, i)		atomic_long_set(&(l)->a, (i))
#ifdef __LP64__
# define SHIM_WORD		"q"
#else
# define SHIM_WORD		"l"
#endif
#if SHIM_SANITIZED || !(defined(__x86_64__) || defined(__i386__))
static inline void local_add(long i, local_t *l)
{
	shim_point();
	__atomic_fetch_add(&l->a.counter, i, __ATOMIC_RELAXED);
	shim_point();
}

static inline bool try_cmpxchg_local(unsigned long *p, unsigned long *old, unsigned long new)
{
	bool success;

	shim_point();
	success = try_cmpxchg(p, old, new);
	shim_point();
	return success;
}
#else
static inline void local_add(long i, local_t *l)
{
	__asm__ __volatile__("add" SHIM_WORD " %1, %0" : "+m" (l->a.counter) : "er" (i) : "memory");
}

static inline bool try_cmpxchg_local(unsigned long *p, unsigned long *old, unsigned long new)
{
	bool success;

	__asm__ __volatile__("cmpxchg" SHIM_WORD " %3, %1"
			     : "=@ccz" (success), "+m" (*p), "+a" (*old)
			     : "r" (new) : "memory");
	return success;
}
#endif
#define local_inc(l)		local_add(1, l)
#define local_dec(l)		local_add(-1, l)
#define cmpxchg_local(p, old, new) cmpxchg(p, old, new)

void shim_wait(void);
/* Interrupts come meanwhile. */
void shim_relax(void);
void shim_idle(unsigned int us);

#define cpu_relax()		shim_relax()
#define prefetch(at)		__builtin_prefetch(at)

/* complaints */
void shim_warn(const char *file, int line);
#define WARN_ON_ONCE(condition)						\
({									\
	bool _warn = (condition);					\
									\
	if (_warn)							\
		shim_warn(__FILE__, __LINE__);				\
	_warn;								\
})
#define WARN_ON(condition)	WARN_ON_ONCE(condition)
#define WARN_ONCE(condition, ...) WARN_ON_ONCE(condition)
#define pr_info(fmt, ...)	((void)sizeof(printf(fmt, ##__VA_ARGS__)))
#define pr_warn(fmt, ...)	pr_info(fmt, ##__VA_ARGS__)
#define pr_warn_once(fmt, ...)	pr_info(fmt, ##__VA_ARGS__)
#define pr_warn_ratelimited(fmt, ...) pr_info(fmt, ##__VA_ARGS__)

/* CPUs */
#define SHIM_CPUS		8
extern unsigned int nr_cpu_ids;
extern __thread int shim_cpu_id;
extern __thread unsigned int shim_preempt_count;
extern __thread bool shim_irqs_off;
extern bool early_boot_irqs_disabled;

#define SOFTIRQ_OFFSET		0x100U
#define HARDIRQ_OFFSET		0x10000U
#define NMI_OFFSET		0x100000U
#define HARDIRQ_MASK		0xf0000U
#define NMI_MASK		0xf00000U
#define preempt_count()		shim_preempt_count
#define in_dbg_master()	false
#define in_nmi()		(shim_preempt_count & NMI_MASK)
#define raw_smp_processor_id()	shim_cpu_id
#define cpu_to_node(cpu)	0

static inline void preempt_disable_notrace(void)
{
	shim_preempt_count++;
	barrier();
}

static inline void preempt_enable_notrace(void)
{
	barrier();
	shim_preempt_count--;
}

void shim_irqs_on(void);
#define local_irq_disable()	do { shim_irqs_off = true; barrier(); } while (0)
#define local_irq_enable()	shim_irqs_on()
#define local_irq_save(flags)						\
do {									\
	(flags) = shim_irqs_off;					\
	local_irq_disable();						\
} while (0)
#define local_irq_restore(flags)					\
do {									\
	if (!(flags))							\
		shim_irqs_on();						\
} while (0)
#define raw_local_irq_save(flags)	local_irq_save(flags)
#define raw_local_irq_restore(flags)	local_irq_restore(flags)
#define irqs_disabled()		shim_irqs_off
#define lockdep_assert_irqs_disabled() WARN_ON_ONCE(!shim_irqs_off)

int trace_cpu_call(int cpu, void (*func)(void *), void *info);
void synchronize_rcu(void);

/* A work item behind a grace period, which is done at once. */
struct work_struct {
	void	(*func)(struct work_struct *work);
};

struct rcu_work {
	struct work_struct	work;
};

#define to_rcu_work(w)		container_of(w, struct rcu_work, work)
#define INIT_RCU_WORK(w, f)	((w)->work.func = (f))
#define system_unbound_wq	true

static inline void queue_rcu_work(bool wq, struct rcu_work *rwork)
{
	synchronize_rcu();
	rwork->work.func(&rwork->work);
}

void cpus_read_lock(void);
bool cpus_read_trylock(void);
void cpus_read_unlock(void);
void cpus_write_lock(void);
void cpus_write_unlock(void);
extern __thread int shim_cpus_held;
#define lockdep_assert_cpus_held() WARN_ON_ONCE(!shim_cpus_held)

typedef unsigned long cpumask_var_t[1];
extern unsigned long shim_online;
#define zalloc_cpumask_var(mask, gfp) ({ (*(mask))[0] = 0; true; })
#define free_cpumask_var(mask)	((void)(mask))
/* The thread sanitizer knows no smp_rmb(), which stands behind it where it is needed. */
#define cpumask_test_cpu(cpu, mask) ((bool)(smp_load_acquire(&(mask)[0]) >> (cpu) & 1))
#define cpumask_set_cpu(cpu, mask) \
	((void)__atomic_fetch_or(&(mask)[0], 1UL << (cpu), __ATOMIC_RELEASE))
#define cpumask_clear_cpu(cpu, mask) \
	((void)__atomic_fetch_and(&(mask)[0], ~(1UL << (cpu)), __ATOMIC_RELAXED))
#define shim_for_each(cpu, bits)					\
	for ((cpu) = 0; (cpu) < (int)nr_cpu_ids; (cpu)++)		\
		if ((bits) >> (cpu) & 1)
#define for_each_cpu(cpu, mask)	shim_for_each(cpu, READ_ONCE((mask)[0]))
#define for_each_online_cpu(cpu) shim_for_each(cpu, READ_ONCE(shim_online))
#define cpu_online(cpu)		((bool)(READ_ONCE(shim_online) >> (cpu) & 1))

struct hlist_node { struct hlist_node *next; };
enum { CPUHP_TRACE_RB_PREPARE, CPUHP_AP_ONLINE_DYN, SHIM_HP_STATES };
typedef int (*shim_hp_func)(unsigned int cpu, struct hlist_node *node);
int cpuhp_setup_state_multi(int state, const char *name, shim_hp_func up, shim_hp_func down);
int cpuhp_state_add_instance(int state, struct hlist_node *node);
int cpuhp_state_add_instance_nocalls(int state, struct hlist_node *node);
void cpuhp_state_remove_instance_nocalls(int state, struct hlist_node *node);
int trace_rb_cpu_prepare(unsigned int cpu, struct hlist_node *node);
int trace_rb_cpu_online(unsigned int cpu, struct hlist_node *node);
int trace_rb_cpu_dead(unsigned int cpu, struct hlist_node *node);
int trace_rb_hotplug_init(void);

/* locks */
#define __PASTE2(a, b)		a##b
#define __PASTE(a, b)		__PASTE2(a, b)
#define __UNIQUE_ID(prefix)	__PASTE(prefix, __COUNTER__)
#include <linux/cleanup.h>

struct lock_class_key { int unused; };
typedef struct { int owner; } raw_spinlock_t;	/* CPU + 1 */
struct mutex {
	pthread_mutex_t	lock;
	int		owner;			/* CPU + 1 */
};
#define mutex_init(m)		pthread_mutex_init(&(m)->lock, NULL)
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);
#define mutex_lock_nested(m, depth) mutex_lock(m)
void raw_spin_lock_init(raw_spinlock_t *lock);
void raw_spin_lock(raw_spinlock_t *lock);
bool raw_spin_trylock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);
#define lockdep_set_class(lock, key)
#define lockdep_assert_held(lock) WARN_ON_ONCE(READ_ONCE((lock)->owner) != shim_cpu_id + 1)

DEFINE_GUARD(mutex, struct mutex *, mutex_lock(_T), mutex_unlock(_T))
DEFINE_LOCK_GUARD_0(cpus_read_lock, cpus_read_lock(), cpus_read_unlock())
DEFINE_LOCK_GUARD_0(preempt_notrace, preempt_disable_notrace(), preempt_enable_notrace())

/* irq_work, timers and waiting */
struct irq_work {
	void		(*func)(struct irq_work *work);
	struct irq_work	*next;
	int		state;			/* pending, running */
	bool		hard;
};
#define IRQ_WORK_INIT_LAZY(f)	((struct irq_work){ .func = (f) })
#define IRQ_WORK_INIT(f)	IRQ_WORK_INIT_LAZY(f)
#define IRQ_WORK_INIT_HARD(f)	((struct irq_work){ .func = (f), .hard = true })
bool irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);
#define irq_work_is_busy(work)	(!!smp_load_acquire(&(work)->state))
enum { SYSTEM_SCHEDULING, SYSTEM_RUNNING };
#define system_state		SYSTEM_RUNNING

/* Each timer expires with a tick of the CPU that has started it, if that may be preempted then. */
enum hrtimer_restart { HRTIMER_NORESTART };
struct hrtimer {
	enum hrtimer_restart	(*function)(struct hrtimer *timer);
	struct hrtimer		*next;
	int			cpu;
	unsigned int		tick;
	int			queued, running;
};
enum { HRTIMER_MODE_REL_SOFT, HRTIMER_MODE_REL_PINNED_SOFT };
#define TICK_NSEC		1000000
#define ns_to_ktime(ns)		(ns)
#define hrtimer_init(timer, clock, mode) \
	((timer)->queued = (timer)->running = 0 * (clock) * (mode))
void hrtimer_start(struct hrtimer *timer, u64 time, int mode);
int hrtimer_cancel(struct hrtimer *timer);
#define hrtimer_active(timer) \
	(smp_load_acquire(&(timer)->queued) || smp_load_acquire(&(timer)->running))

typedef struct { unsigned int seq; } wait_queue_head_t;
#define init_waitqueue_head(wq)	((wq)->seq = 0)
void wake_up_all(wait_queue_head_t *wq);
bool shim_sleep(wait_queue_head_t *wq, unsigned int seq);
#define ERESTARTSYS		512
#define wait_event_interruptible(wq, condition)				\
({									\
	int _ret = 0;							\
									\
	for (;;) {							\
		unsigned int _seq = smp_load_acquire(&(wq).seq);	\
									\
		if (condition)						\
			break;						\
		if (!shim_sleep(&(wq), _seq)) {				\
			_ret = -ERESTARTSYS;				\
			break;						\
		}							\
	}								\
	_ret;								\
})

struct file;
typedef struct {
	wait_queue_head_t	*wq;
	unsigned int		seq;
} poll_table;
static inline void poll_wait(struct file *file, wait_queue_head_t *wq, poll_table *table)
{
	(void)file;
	if (table) {
		table->wq = wq;
		table->seq = smp_load_acquire(&wq->seq);
	}
}

/* memory */
#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define MAX_PAGE_ORDER		10
#define __GFP_RETRY_MAYFAIL	0U
#define __GFP_NOWARN		0U
#define __GFP_COMP		0U
#define __GFP_ZERO		0U
#define gfpflags_allow_blocking(flags) ((flags) == GFP_KERNEL)
#define cache_line_size()	64

/* A page's struct page is the page itself. */
struct page { char bytes[PAGE_SIZE]; };

extern long shim_fail_at;	/* which allocation fails: 1 is the next; 0: none */
void *shim_alloc(size_t size, size_t align);
#define kzalloc(size, gfp)	shim_alloc(size, 64)
#define kzalloc_node(size, gfp, node) shim_alloc(size, 64)
#define kmalloc(size, gfp)	shim_alloc(size, 64)
#define kvmalloc(size, gfp)	shim_alloc(size, 64)
#define kvcalloc(n, size, gfp)	shim_alloc((n) * (size), 64)
#define kvmalloc_array(n, size, gfp) shim_alloc((n) * (size), 64)
#define bitmap_zalloc(bits, gfp) \
	((unsigned long *)shim_alloc(((bits) / BITS_PER_LONG + 1) * sizeof(long), 64))
void shim_free(const void *p);
#define kfree(p)		shim_free(p)
#define kvfree(p)		shim_free(p)
#define bitmap_free(p)		shim_free(p)
#define alloc_pages_node(node, gfp, order) \
	((struct page *)shim_alloc(PAGE_SIZE << (order), PAGE_SIZE << (order)))
#define free_pages(address, order) shim_free((void *)(address))
#define page_address(page)	((void *)(page))
#define virt_to_page(address)	((struct page *)(address))
#define virt_to_folio(address)	virt_to_page(address)
#define page_ref_count(page)	((void)(page), 1)
#define ARCH_IMPLEMENTS_FLUSH_DCACHE_PAGE 0
#define flush_dcache_folio(folio) ((void)(folio))
#define si_mem_available()	(1L << 30)

static inline bool __test_and_set_bit(unsigned int nr, unsigned long *bits)
{
	bool was = bits[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1;

	bits[nr / BITS_PER_LONG] |= 1UL << (nr % BITS_PER_LONG);
	return was;
}

static inline unsigned int find_first_zero_bit(const unsigned long *bits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && bits[i / BITS_PER_LONG] >> (i % BITS_PER_LONG) & 1;)
		i++;
	return i;
}

struct vm_area_struct {
	unsigned long	vm_start;
	unsigned long	vm_end;
	unsigned long	vm_pgoff;
	unsigned long	vm_flags;
	struct page	*pages[256];
};
#define VM_WRITE		0x2UL
#define VM_EXEC			0x4UL
#define VM_MAYWRITE		0x20UL
#define VM_MAYSHARE		0x80UL
#define VM_DONTCOPY		0x20000UL
#define VM_DONTEXPAND		0x40000UL
#define VM_DONTDUMP		0x4000000UL
#define vma_pages(vma)		(((vma)->vm_end - (vma)->vm_start) >> PAGE_SHIFT)
#define vm_flags_mod(vma, set, clear) \
	((vma)->vm_flags = ((vma)->vm_flags | (set)) & ~(clear))
int vm_insert_pages(struct vm_area_struct *vma, unsigned long address,
		    struct page **pages, unsigned long *nr);

/* tasks and time */
struct task_struct { void *mm; };
extern struct task_struct *current;
#define signal_pending(task)	false
#define fatal_signal_pending(task) false
#define set_current_oom_origin() ((void)0)
#define clear_current_oom_origin() ((void)0)
#define cond_resched()		barrier()
void schedule_timeout_uninterruptible(long ticks);
#define HZ			1000
unsigned long shim_jiffies(void);
extern unsigned long shim_jiffies_ahead;	/* how far they have jumped */
#define jiffies			shim_jiffies()
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)

u64 sched_clock_noinstr(void);
#define trace_clock_local	sched_clock_noinstr

/* the rest */
struct seq_file;
struct trace_seq { char text[4096]; size_t len; };
void trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
#define trace_seq_has_overflowed(s) ((s)->len >= sizeof((s)->text))
u32 jhash(const void *key, u32 length, u32 seed);
#define sort(base, n, size, cmp, swap) qsort(base, n, size, cmp)
#define linux_banner		"a kernel in a process"
extern char _stext[], _sdata[];

/* for tests */
typedef void (*shim_hook)(void);

/* Called by a CPU in each interrupt and NMI, besides the queued work, if not NULL. */
extern shim_hook shim_irq_hook;
extern shim_hook shim_nmi_hook;
extern shim_hook shim_rcu_hook;
/* Called by irq_work_queue(), as a traced function is that it calls. */
extern shim_hook shim_queue_hook;
extern shim_hook shim_sleep_hook;
extern shim_hook shim_cancel_hook;
extern shim_hook shim_cancelled_hook;
extern shim_hook shim_called_hook;
/* Called by the clock once it has read shim_now, as an interrupt that comes then. */
extern shim_hook shim_clock_hook;
extern unsigned long shim_absent;
extern unsigned long shim_dead;

/* Its time if it is not 0; else the machine's clock is read. */
extern u64 shim_now;

/* The clock of this CPU jumps. */
void shim_jump(u64 by);

/* How many grace periods were waited for, and how often an irq_work was queued. */
extern int shim_grace_periods;
extern long shim_works_queued;

/* How often something was wrong. */
extern int shim_warnings;

/* A sleep longer than this, in ms, is a lost wakeup: it is a warning and ends. */
extern unsigned int shim_patience;

void shim_init(unsigned int cpus);
void shim_become(int cpu);
void shim_leave(int cpu);
void shim_ticks(unsigned int irq_us, unsigned int nmi_us);
void shim_no_ticks(void);
void shim_interrupt(void);
void shim_tick(void);
void shim_drain(void);
bool shim_call_pending(void);

#endif /* _RING_BUFFER_SHIM_H */
