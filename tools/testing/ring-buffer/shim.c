// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs, interrupts, locks and memory for shim.h. Code that runs in a signal handler takes no
 * lock of the C library.
 */
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

/* A function that another CPU wants called here. */
struct shim_call {
	void			(*func)(void *info);
	void			*info;
	struct shim_call	*next;
	int			done;
};

struct shim_cpu {
	pthread_t		thread;
	struct shim_call	*calls;
	struct irq_work		*works;
	struct hrtimer		*timers;	/* timers_lock */
	unsigned int		ticks;
};

static struct shim_cpu cpus[SHIM_CPUS];

unsigned int nr_cpu_ids;
__thread int shim_cpu_id;
__thread unsigned int shim_preempt_count;
__thread bool shim_irqs_off;
static __thread bool irq_pending;
#ifdef __SANITIZE_THREAD__
__thread unsigned int shim_points;
static __thread bool has_nmis;
static __thread u64 point_random;
#else
static __thread timer_t timers[2];
static __thread bool has_timer[2];
#endif
bool early_boot_irqs_disabled;
unsigned long shim_online;
unsigned long shim_dead = ~0UL;	/* CPUs that do not write: all that have not come yet, too */
unsigned long shim_absent;	/* CPUs that have never been up when a buffer is made */
shim_hook shim_irq_hook;
shim_hook shim_nmi_hook;

/* Called once, while the next synchronize_rcu() waits. */
shim_hook shim_rcu_hook;
shim_hook shim_queue_hook;

/* Called once, while the next schedule_timeout_uninterruptible() sleeps. */
shim_hook shim_sleep_hook;

/* Called once, when the next hrtimer_cancel() begins, and when it has ended. */
shim_hook shim_cancel_hook;
shim_hook shim_cancelled_hook;

/* Called by who has had a function called on another CPU, before it goes on. */
shim_hook shim_called_hook;
shim_hook shim_clock_hook;
u64 shim_now;
unsigned long shim_jiffies_ahead;
int shim_warnings;
int shim_grace_periods;
long shim_works_queued;
unsigned int shim_patience = 20000;
long shim_fail_at;
char _stext[1], _sdata[1];
static struct task_struct the_task;
struct task_struct *current = &the_task;

void shim_warn(const char *file, int line)
{
	if (__atomic_fetch_add(&shim_warnings, 1, __ATOMIC_RELAXED) < 10)
		fprintf(stderr, "WARNING: %s:%d\n", file, line);
}

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void call_once(shim_hook *hookp)
{
	shim_hook hook = READ_ONCE(*hookp);

	/* Threads may come here together, most of them without a hook. */
	if (hook)
		hook = __atomic_exchange_n(hookp, NULL, __ATOMIC_ACQ_REL);
	if (hook)
		hook();
}

/* How far this CPU's clock has jumped. */
static __thread u64 clock_offset;

u64 sched_clock_noinstr(void)
{
	u64 now = shim_now;

	if (now) {
		call_once(&shim_clock_hook);
		return now;
	}
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc() + clock_offset;
#else
	return now_ns() + clock_offset;
#endif
}

/* An interrupt may have it jump in between, too. */
void shim_jump(u64 by)
{
	__atomic_fetch_add(&clock_offset, by, __ATOMIC_RELAXED);
}

unsigned long shim_jiffies(void)
{
	return now_ns() / 1000000 + READ_ONCE(shim_jiffies_ahead);
}

void schedule_timeout_uninterruptible(long ticks)
{
	u64 end = now_ns() + ticks * 1000000ULL;

	call_once(&shim_sleep_hook);
	while (now_ns() < end)
		shim_idle(200);
	shim_tick();
}

/* interrupts */

static void run_works(void)
{
	struct irq_work *work = xchg(&cpus[shim_cpu_id].works, NULL), *next;

	for (; work; work = next) {
		next = work->next;
		/* Pending no more, but running: it may be queued again. */
		smp_store_release(&work->state, 2);
		work->func(work);
		cmpxchg(&work->state, 2, 0);
	}
}

/*
 * Each CPU has the timers that were started there, and runs those from before the last tick. On
 * PREEMPT_RT a thread does.
 */
static int timers_lock;
static __thread bool in_timers;

static unsigned long timers_take(void)
{
	unsigned long flags;

	local_irq_save(flags);
	while (xchg(&timers_lock, 1))
		;
	return flags;
}

static void timers_give(unsigned long flags)
{
	smp_store_release(&timers_lock, 0);
	local_irq_restore(flags);
}

void hrtimer_start(struct hrtimer *timer, u64 time, int mode)
{
	unsigned long flags = timers_take();

	(void)time;
	/* Another CPU could have it, if it were not pinned. */
	WARN_ON_ONCE(mode != HRTIMER_MODE_REL_PINNED_SOFT);
	/* Started again before it expires, it would expire later. */
	if (!WARN_ON_ONCE(timer->queued)) {
		/* A function that runs keeps the timer where it is. */
		if (!timer->running)
			timer->cpu = shim_cpu_id;
		timer->tick = READ_ONCE(cpus[timer->cpu].ticks);
		timer->next = cpus[timer->cpu].timers;
		cpus[timer->cpu].timers = timer;
		smp_store_release(&timer->queued, 1);
	}
	timers_give(flags);
}

/* Take @timer, or if it is NULL any that expires, from where @cpu has them. Return it, or NULL. */
static struct hrtimer *timer_take(int cpu, struct hrtimer *timer)
{
	struct hrtimer **at = &cpus[cpu].timers, *found;

	while (*at && (timer ? *at != timer : (*at)->tick == cpus[cpu].ticks))
		at = &(*at)->next;
	found = *at;
	if (found) {
		*at = found->next;
		smp_store_release(&found->queued, 0);
	}
	return found;
}

/* A timer that is started from now on expires with the next tick. */
static void begin_tick(void)
{
	WRITE_ONCE(cpus[shim_cpu_id].ticks, cpus[shim_cpu_id].ticks + 1);
}

static void run_timers(void)
{
	unsigned long flags = timers_take();
	struct hrtimer *timer;

	in_timers = true;
	while ((timer = timer_take(shim_cpu_id, NULL))) {
		smp_store_release(&timer->running, 1);
		timers_give(flags);
		timer->function(timer);
		flags = timers_take();
		smp_store_release(&timer->running, 0);
	}
	in_timers = false;
	timers_give(flags);
}

static void run_calls(void)
{
	struct shim_call *call = xchg(&cpus[shim_cpu_id].calls, NULL), *next;

	for (; call; call = next) {
		next = call->next;
		call->func(call->info);
		smp_store_release(&call->done, 1);
	}
}

/* Run the work that was queued by CPUs that have no thread any more. */
void shim_drain(void)
{
	int cpu, was = shim_cpu_id, i;

	for (i = 0; i < 3; i++) {
		for (cpu = 0; cpu < SHIM_CPUS; cpu++) {
			shim_cpu_id = cpu;
			begin_tick();
			run_works();
			run_timers();
		}
	}
	shim_cpu_id = was;
}

/* An interrupt, here and now.  Interrupts are on. */
void shim_interrupt(void)
{
	bool expires = !shim_preempt_count && !in_timers;

	if (expires)
		begin_tick();
	do {
		shim_irqs_off = true;
		shim_preempt_count += HARDIRQ_OFFSET;
		irq_pending = false;
		barrier();
		run_calls();
		run_works();
		if (shim_irq_hook)
			shim_irq_hook();
		barrier();
		shim_preempt_count -= HARDIRQ_OFFSET;
		shim_irqs_off = false;
		barrier();
	} while (irq_pending);
	if (expires && READ_ONCE(cpus[shim_cpu_id].timers))
		run_timers();
}

void shim_tick(void)
{
	shim_interrupt();
}

bool shim_call_pending(void)
{
	return READ_ONCE(cpus[shim_cpu_id].calls);
}

void shim_irqs_on(void)
{
	barrier();
	shim_irqs_off = false;
	barrier();
	if (irq_pending)
		shim_interrupt();
}

static void handle_irq(void)
{
	if (shim_irqs_off)
		irq_pending = true;
	else
		shim_interrupt();
}

static void handle_nmi(void)
{
	bool irqs_off = shim_irqs_off;

	shim_irqs_off = true;
	shim_preempt_count += NMI_OFFSET;
	barrier();
	if (shim_nmi_hook)
		shim_nmi_hook();
	barrier();
	shim_preempt_count -= NMI_OFFSET;
	shim_irqs_off = irqs_off;
}

#ifdef __SANITIZE_THREAD__
/* The longest way from one point where something comes in to the next. */
#define LONGEST_WAY	256

void shim_point_due(void)
{
	point_random = point_random * 6364136223846793005ULL + 1442695040888963407ULL;
	shim_points = 1 + (point_random >> 33) % LONGEST_WAY;
	if (in_nmi())
		return;
	if (has_nmis && point_random >> 63) {
		handle_nmi();
		if (irq_pending && !shim_irqs_off)
			shim_interrupt();
	} else {
		handle_irq();
	}
}

/* From now on this CPU has interrupts, and NMIs if @nmi_us says so. */
void shim_ticks(unsigned int irq_us, unsigned int nmi_us)
{
	point_random = irq_us * 1000ULL + nmi_us;
	has_nmis = nmi_us;
	shim_points = 1;
}

void shim_no_ticks(void)
{
	shim_points = 0;
}

void shim_relax(void)
{
	struct shim_cpu *cpu = &cpus[shim_cpu_id];

	if (READ_ONCE(cpu->calls) || READ_ONCE(cpu->works))
		handle_irq();
	usleep(1);
}

/* A tick, and some time. */
void shim_idle(unsigned int us)
{
	u64 end = now_ns() + us * 1000ULL;

	do {
		handle_irq();
		usleep(us < 200 ? us : 200);
	} while (now_ns() < end);
}

/* It will look. */
static void interrupt_cpu(int cpu)
{
	(void)cpu;
}

static void take_signals(void)
{
}
#else
static void on_irq(int signal)
{
	int saved = errno;

	(void)signal;
	handle_irq();
	errno = saved;
}

static void on_nmi(int signal)
{
	int saved = errno;

	(void)signal;
	handle_nmi();
	if (irq_pending && !shim_irqs_off)
		pthread_kill(pthread_self(), SIGUSR1);
	errno = saved;
}

static void start_timer(int i, int signal, unsigned int us)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal };
	struct itimerspec spec = {};

	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]))
		abort();
	has_timer[i] = true;
	spec.it_value.tv_nsec = us * 1000;
	spec.it_interval = spec.it_value;
	timer_settime(timers[i], 0, &spec, NULL);
}

/* From now on this CPU has an interrupt and an NMI that often. */
void shim_ticks(unsigned int irq_us, unsigned int nmi_us)
{
	if (irq_us)
		start_timer(0, SIGUSR1, irq_us);
	if (nmi_us)
		start_timer(1, SIGUSR2, nmi_us);
}

void shim_no_ticks(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (has_timer[i])
			timer_delete(timers[i]);
		has_timer[i] = false;
	}
}

void shim_relax(void)
{
	shim_wait();
}

void shim_idle(unsigned int us)
{
	usleep(us);
}

static void interrupt_cpu(int cpu)
{
	pthread_kill(cpus[cpu].thread, SIGUSR1);
}

static void take_signals(void)
{
	struct sigaction irq = { .sa_handler = on_irq, .sa_flags = SA_RESTART };
	struct sigaction nmi = { .sa_handler = on_nmi, .sa_flags = SA_RESTART };

	sigaddset(&nmi.sa_mask, SIGUSR1);
	sigaction(SIGUSR1, &irq, NULL);
	sigaction(SIGUSR2, &nmi, NULL);
}
#endif

/*
 * Another thread is waited for, once more. Where it runs, it answers soon. Where the machine
 * has other work, a yield would hand out the CPU for a slice of each task that wants it; who
 * sleeps comes back in time.
 */
void shim_wait(void)
{
	static const struct timespec nap = { .tv_nsec = 20000 };
	static __thread unsigned int times;

	if (++times % 256)
		barrier();
	else
		nanosleep(&nap, NULL);
}

/*
 * cpus_read_lock(): a CPU comes or goes when nobody has it, and nobody gets it as long as
 * one waits to come or go.
 */
static int cpus_readers;	/* -1: a CPU comes or goes */
static int cpus_writers;	/* that wait */
__thread int shim_cpus_held;

bool cpus_read_trylock(void)
{
	int readers = smp_load_acquire(&cpus_readers);

	while (readers >= 0 && !READ_ONCE(cpus_writers)) {
		if (try_cmpxchg(&cpus_readers, &readers, readers + 1)) {
			shim_cpus_held++;
			return true;
		}
	}
	return false;
}

void cpus_read_lock(void)
{
	/* A task that has it already waits for ever if a CPU wants to come in between. */
	WARN_ON_ONCE(shim_preempt_count || shim_irqs_off || shim_cpus_held);
	while (!cpus_read_trylock())
		shim_idle(20);
}

void cpus_read_unlock(void)
{
	shim_cpus_held--;
	__atomic_fetch_sub(&cpus_readers, 1, __ATOMIC_RELEASE);
}

void cpus_write_lock(void)
{
	int none = 0;

	WARN_ON_ONCE(shim_preempt_count || shim_irqs_off || shim_cpus_held);
	__atomic_fetch_add(&cpus_writers, 1, __ATOMIC_SEQ_CST);
	while (!try_cmpxchg(&cpus_readers, &none, -1)) {
		none = 0;
		shim_idle(20);
	}
	__atomic_fetch_sub(&cpus_writers, 1, __ATOMIC_SEQ_CST);
	shim_cpus_held++;
}

void cpus_write_unlock(void)
{
	shim_cpus_held--;
	smp_store_release(&cpus_readers, 0);
}

/* The ring buffers that follow CPUs: each gets a place for good. */
struct shim_hp_state {
	shim_hp_func		up, down;
	struct hlist_node	*nodes[64];
};

static struct shim_hp_state states[SHIM_HP_STATES];
static pthread_mutex_t nodes_lock = PTHREAD_MUTEX_INITIALIZER;

/* The newest first, as in the kernel. */
static void call_nodes(int state, int cpu, bool up)
{
	shim_hp_func func = up ? states[state].up : states[state].down;
	int i;

	for (i = ARRAY_SIZE(states[state].nodes); func && i--;) {
		struct hlist_node *node;

		pthread_mutex_lock(&nodes_lock);
		node = states[state].nodes[i];
		pthread_mutex_unlock(&nodes_lock);
		if (node)
			WARN_ON_ONCE(func(cpu, node));
	}
}

static void replace_node(int state, struct hlist_node *old, struct hlist_node *new)
{
	unsigned int i;

	pthread_mutex_lock(&nodes_lock);
	for (i = 0; i < ARRAY_SIZE(states[state].nodes) && states[state].nodes[i] != old; i++)
		;
	assert(i < ARRAY_SIZE(states[state].nodes));
	states[state].nodes[i] = new;
	pthread_mutex_unlock(&nodes_lock);
}

/* This thread is @cpu from now on.  From "prepare" on it may write. */
void shim_become(int cpu)
{
	shim_cpu_id = cpu;
	cpus[cpu].thread = pthread_self();
	cpus_write_lock();
	call_nodes(CPUHP_TRACE_RB_PREPARE, cpu, true);
	__atomic_fetch_and(&shim_dead, ~(1UL << cpu), __ATOMIC_SEQ_CST);
	barrier();
	__atomic_fetch_or(&shim_online, 1UL << cpu, __ATOMIC_SEQ_CST);
	call_nodes(CPUHP_AP_ONLINE_DYN, cpu, true);
	cpus_write_unlock();
}

/* @cpu does not run any more: others do not wait for it.  It may write until it is dead. */
void shim_leave(int cpu)
{
	cpus_write_lock();
	__atomic_fetch_and(&shim_online, ~(1UL << cpu), __ATOMIC_SEQ_CST);
	/* It has been called before, or has queued something. */
	shim_tick();
	__atomic_fetch_or(&shim_dead, 1UL << cpu, __ATOMIC_SEQ_CST);
	call_nodes(CPUHP_TRACE_RB_PREPARE, cpu, false);
	cpus_write_unlock();
	/* Run the work that this has queued here. */
	shim_tick();
}

void shim_init(unsigned int nr)
{
	take_signals();
	nr_cpu_ids = nr;
	WARN_ON_ONCE(trace_rb_hotplug_init());
	shim_become(0);
}

/* These tests have no lock that others need. */
bool trace_wait_is_forbidden(void)
{
	return false;
}

int trace_cpu_call(int cpu, void (*func)(void *), void *info)
{
	struct shim_call call = { func, info, NULL, 0 };
	unsigned long flags;

	if (cpu == shim_cpu_id) {
		local_irq_save(flags);
		shim_preempt_count += HARDIRQ_OFFSET;
		func(info);
		shim_preempt_count -= HARDIRQ_OFFSET;
		local_irq_restore(flags);
		return 0;
	}
	if (!cpu_online(cpu))
		return -ENXIO;
	WARN_ON_ONCE(shim_irqs_off);
	call.next = READ_ONCE(cpus[cpu].calls);
	while (!try_cmpxchg(&cpus[cpu].calls, &call.next, &call))
		;
	interrupt_cpu(cpu);
	while (!smp_load_acquire(&call.done))
		shim_relax();
	if (shim_called_hook)
		shim_called_hook();
	return 0;
}

static void was_preemptible(void *info)
{
	*(bool *)info = shim_preempt_count == HARDIRQ_OFFSET;
}

/* Each CPU was seen without a reader. */
void synchronize_rcu(void)
{
	int cpu;

	WARN_ON_ONCE(shim_preempt_count || shim_irqs_off);
	__atomic_fetch_add(&shim_grace_periods, 1, __ATOMIC_RELAXED);
	call_once(&shim_rcu_hook);
	for_each_online_cpu(cpu) {
		bool seen = cpu == shim_cpu_id;

		while (!seen && !trace_cpu_call(cpu, was_preemptible, &seen))
			shim_relax();
	}
}

bool irq_work_queue(struct irq_work *work)
{
	struct irq_work **head = &cpus[shim_cpu_id].works;

	/* 1 is pending */
	if (xchg(&work->state, 1) == 1)
		return false;
	work->next = READ_ONCE(*head);
	while (!try_cmpxchg(head, &work->next, work))
		;
	__atomic_fetch_add(&shim_works_queued, 1, __ATOMIC_RELAXED);
	call_once(&shim_queue_hook);
	if (work->hard)
		handle_irq();
	return true;
}

void irq_work_sync(struct irq_work *work)
{
	while (smp_load_acquire(&work->state)) {
		if (READ_ONCE(cpus[shim_cpu_id].works))
			shim_tick();
		shim_relax();
	}
	/* As where ticks alone run irq_works. No reader is there when a test calls this. */
	__atomic_fetch_add(&shim_grace_periods, 1, __ATOMIC_RELAXED);
}

int hrtimer_cancel(struct hrtimer *timer)
{
	unsigned long flags;
	int ret = 0;

	call_once(&shim_cancel_hook);
	for (;;) {
		flags = timers_take();
		if (timer->queued)
			ret = !!timer_take(timer->cpu, timer);
		timers_give(flags);
		if (!smp_load_acquire(&timer->running))
			break;
		shim_relax();
	}
	call_once(&shim_cancelled_hook);
	return ret;
}

int cpuhp_setup_state_multi(int state, const char *name, shim_hp_func up, shim_hp_func down)
{
	(void)name;
	states[state].up = up;
	states[state].down = down;
	return state;
}

/* All CPUs have been up, and so have buffers, but those that are absent. */
int cpuhp_state_add_instance(int state, struct hlist_node *node)
{
	int ret = 0;

	cpus_read_lock();
	for (unsigned int cpu = 0; cpu < nr_cpu_ids && !ret; cpu++) {
		if (shim_absent & 1UL << cpu)
			continue;
		ret = states[state].up(cpu, node);
		if (!ret && !cpu_online(cpu))
			states[state].down(cpu, node);
	}
	if (!ret)
		replace_node(state, NULL, node);
	cpus_read_unlock();
	shim_tick();
	return ret;
}

int cpuhp_state_add_instance_nocalls(int state, struct hlist_node *node)
{
	replace_node(state, NULL, node);
	return 0;
}

void cpuhp_state_remove_instance_nocalls(int state, struct hlist_node *node)
{
	replace_node(state, node, NULL);
}

/* locks */

void mutex_lock(struct mutex *mutex)
{
	WARN_ON_ONCE(shim_preempt_count || shim_irqs_off);
	while (pthread_mutex_trylock(&mutex->lock))
		shim_idle(20);
	WRITE_ONCE(mutex->owner, shim_cpu_id + 1);
}

void mutex_unlock(struct mutex *mutex)
{
	WARN_ON_ONCE(READ_ONCE(mutex->owner) != shim_cpu_id + 1);
	WRITE_ONCE(mutex->owner, 0);
	pthread_mutex_unlock(&mutex->lock);
}

void raw_spin_lock_init(raw_spinlock_t *lock)
{
	lock->owner = 0;
}

bool raw_spin_trylock(raw_spinlock_t *lock)
{
	int free = 0;

	return __atomic_compare_exchange_n(&lock->owner, &free, shim_cpu_id + 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void raw_spin_lock(raw_spinlock_t *lock)
{
	if (WARN_ON_ONCE(READ_ONCE(lock->owner) == shim_cpu_id + 1))
		abort();
	WARN_ON_ONCE(!shim_irqs_off);
	while (!raw_spin_trylock(lock))
		shim_relax();
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	WARN_ON_ONCE(READ_ONCE(lock->owner) != shim_cpu_id + 1);
	smp_store_release(&lock->owner, 0);
}

/* waiting */

void wake_up_all(wait_queue_head_t *wq)
{
	/* On PREEMPT_RT the lock of the queue sleeps. */
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PREEMPT_RT) && (shim_irqs_off || shim_preempt_count));
	__atomic_fetch_add(&wq->seq, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &wq->seq, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Until a wakeup since @seq was read.  False, and a warning, if there is none for long. */
bool shim_sleep(wait_queue_head_t *wq, unsigned int seq)
{
	u64 end = now_ns() + shim_patience * 1000000ULL;
	/* Ticks go on. */
	struct timespec part = { .tv_nsec = 1000000 };

	while (smp_load_acquire(&wq->seq) == seq) {
		if (now_ns() > end) {
			shim_warn("a wakeup is lost", shim_cpu_id);
			return false;
		}
		syscall(SYS_futex, &wq->seq, FUTEX_WAIT_PRIVATE, seq, &part, NULL, 0);
		shim_relax();
	}
	return true;
}

/* memory */

void *shim_alloc(size_t size, size_t align)
{
	void *p;

	/* In the kernel this sleeps. */
	WARN_ON_ONCE(shim_preempt_count || shim_irqs_off);
	if (shim_fail_at && !--shim_fail_at)
		return NULL;
	size = ALIGN(size ?: 1, align);
	p = aligned_alloc(align, size);
	if (p)
		memset(p, 0, size);
	return p;
}

void shim_free(const void *p)
{
	/* On PREEMPT_RT this sleeps, too. */
	WARN_ON_ONCE(p && (shim_irqs_off || shim_preempt_count));
	free((void *)p);
}

int vm_insert_pages(struct vm_area_struct *vma, unsigned long address,
		    struct page **pages, unsigned long *nr)
{
	unsigned long i, first = (address - vma->vm_start) >> PAGE_SHIFT;

	if (first + *nr > ARRAY_SIZE(vma->pages))
		return -ENOMEM;
	for (i = 0; i < *nr; i++)
		vma->pages[first + i] = pages[i];
	*nr = 0;
	return 0;
}

void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
	va_list args;

	if (trace_seq_has_overflowed(s))
		return;
	va_start(args, fmt);
	s->len += vsnprintf(s->text + s->len, sizeof(s->text) - s->len, fmt, args);
	va_end(args);
}

/* FNV-1a: any hash does, the ring buffer compares only what it hashed itself. */
u32 jhash(const void *key, u32 length, u32 seed)
{
	const unsigned char *p = key;
	u32 hash = seed ^ 2166136261U;

	while (length--)
		hash = (hash ^ *p++) * 16777619U;
	return hash;
}
