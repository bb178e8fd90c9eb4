// SPDX-License-Identifier: GPL-2.0
/*
 * The tracers that are registered, and the current one of each instance. Each tracer decides
 * what it records; "nop" records nothing.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/internal.h"
#include "instance/latency.h"
#include "instance/snapshot.h"
#include "instance/tracer.h"

/* A registered tracer. */
struct tracer_entry {
	struct list_head	list;		/* tracers, instances lock */
	const struct tracer	*tracer;	/* constant */
	unsigned int		users;		/* tracer_users_lock */
};

/* The data of tracers in an instance. */
struct trace_tracers {
	struct list_head	states;		/* of struct tracer_state, instances lock */
	bool			comm_held;	/* instances lock, see trace_comm_get() */
	unsigned int		starts;		/* of tracers but "nop"; instances lock */
	struct mutex		pins_mutex;	/* held while another tracer starts */
	unsigned int		pins;		/* under @pins_mutex; see trace_tracer_pin() */
};

static LIST_HEAD(tracers);			/* instances lock; the newest is first */
static DEFINE_SPINLOCK(tracer_users_lock);	/* inside of the instances lock */

static unsigned long boot_thresh_ns __ro_after_init;

/* Microseconds, as in the file tracing_thresh. */
static int __init tracer_boot_thresh_setup(char *text)
{
	unsigned long us;

	if (kstrtoul(text, 0, &us) || us > ULONG_MAX / NSEC_PER_USEC)
		return 0;
	boot_thresh_ns = us * NSEC_PER_USEC;
	return 1;
}
__setup("tracing_thresh=", tracer_boot_thresh_setup);

static DEFINE_TRACE_SLOT(tracer_slot);

static struct trace_tracers *tracers_of(const struct trace_array *tr)
{
	return trace_slot_data(tr, &tracer_slot);
}

static bool tracer_is_allowed(const struct trace_array *tr, const struct tracer *tracer)
{
	return !tr->name || tracer->allow_instances;
}

/* The list of all struct tracer_state of an instance: the tracers that can run in it. */
struct list_head *trace_tracer_states(struct trace_array *tr)
{
	trace_instances_assert_locked();
	return &tracers_of(tr)->states;
}

/**
 * trace_tracer_state - what an instance knows of a tracer
 * @tr: the instance
 * @tracer: the tracer
 *
 * Context: trace_instances_lock() is held.
 * Return: the state, NULL when the tracer cannot run in @tr.
 */
struct tracer_state *trace_tracer_state(struct trace_array *tr, const struct tracer *tracer)
{
	struct tracer_state *state;

	list_for_each_entry(state, trace_tracer_states(tr), list) {
		if (state->tracer == tracer)
			return state;
	}
	return NULL;
}

/**
 * trace_tracer_add_state - an instance learns of a tracer
 * @tr: the instance
 * @tracer: the tracer
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, also when the tracer cannot run in @tr; -ENOMEM.
 */
int trace_tracer_add_state(struct trace_array *tr, const struct tracer *tracer)
{
	struct tracer_state *state;

	if (!tracer_is_allowed(tr, tracer))
		return 0;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->tracer = tracer;
	state->options = tracer->default_options;
	list_add_tail(&state->list, trace_tracer_states(tr));
	return 0;
}

static void tracer_free_state(struct tracer_state *state)
{
	list_del(&state->list);
	if (state->data)
		state->tracer->free_data(state->data);
	kfree(state->files);
	kfree(state);
}

/* An instance forgets a tracer, which is not its current one. Under the instances lock. */
void trace_tracer_remove_state(struct trace_array *tr, const struct tracer *tracer)
{
	struct tracer_state *state = trace_tracer_state(tr, tracer);

	if (state)
		tracer_free_state(state);
}

/**
 * trace_tracer_set_data - give a tracer data of its own in an instance
 * @tr: the instance
 * @tracer: the tracer, which may run in @tr and has a free_data callback
 * @data: tr->tracer_data whenever @tracer is the current one; it stays until
 *	the instance goes or the tracer is unregistered
 *
 * Context: a callback of @tracer; trace_instances_lock() is held.
 */
void trace_tracer_set_data(struct trace_array *tr, const struct tracer *tracer, void *data)
{
	struct tracer_state *state = trace_tracer_state(tr, tracer);

	if (WARN_ON_ONCE(!state || !tracer->free_data || state->data))
		return;
	state->data = data;
	if (tr->current_trace != tracer)
		return;
	/* Pairs with the READ_ONCE() in the tracer's callbacks, which find *data set up. */
	smp_store_release(&tr->tracer_data, data);
}

/**
 * trace_tracer_data - a tracer's own data in an instance
 * @tr: the instance
 * @tracer: the tracer, the current one or not
 *
 * Context: trace_instances_lock() is held.
 * Return: the pointer that trace_tracer_set_data() has set; NULL before, and when the tracer is
 * not registered.
 */
void *trace_tracer_data(struct trace_array *tr, const struct tracer *tracer)
{
	const struct tracer_state *state = trace_tracer_state(tr, tracer);

	return state ? state->data : NULL;
}

/* Print the names in available_tracers. Under the instances lock. */
void trace_tracers_show(struct seq_file *m, struct trace_array *tr)
{
	struct tracer_entry *entry;
	bool first = true;

	trace_instances_assert_locked();
	list_for_each_entry(entry, &tracers, list) {
		if (!tracer_is_allowed(tr, entry->tracer))
			continue;
		seq_printf(m, "%s%s", first ? "" : " ", entry->tracer->name);
		first = false;
	}
	seq_putc(m, '\n');
}

static struct tracer_entry *tracer_entry_of(const struct tracer *tracer)
{
	struct tracer_entry *entry;

	list_for_each_entry(entry, &tracers, list) {
		if (entry->tracer == tracer)
			return entry;
	}
	return NULL;
}

/**
 * trace_tracer_find - a registered tracer
 * @name: its name
 *
 * Context: trace_instances_lock() is held.
 * Return: the tracer, or NULL.
 */
const struct tracer *trace_tracer_find(const char *name)
{
	struct tracer_entry *entry;

	trace_instances_assert_locked();
	list_for_each_entry(entry, &tracers, list) {
		if (!strcmp(entry->tracer->name, name))
			return entry->tracer;
	}
	return NULL;
}

/* Put a tracer into the list, as the first one of available_tracers. Under the instances lock. */
int trace_tracer_list(const struct tracer *tracer)
{
	struct tracer_entry *entry;

	trace_instances_assert_locked();
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->tracer = tracer;
	/* tracer_get() and tracer_put() walk the list with U, but without N. */
	scoped_guard(spinlock, &tracer_users_lock)
		list_add(&entry->list, &tracers);
	return 0;
}

/* Take a tracer off the list. -ENODEV when it is not there, -EBUSY while a reader has it. */
int trace_tracer_unlist(const struct tracer *tracer)
{
	struct tracer_entry *entry;

	trace_instances_assert_locked();
	scoped_guard(spinlock, &tracer_users_lock) {
		entry = tracer_entry_of(tracer);
		if (!entry)
			return -ENODEV;
		if (entry->users)
			return -EBUSY;
		list_del(&entry->list);
	}
	kfree(entry);
	return 0;
}

/**
 * tracer_get - the current tracer of an instance, for a reader
 * @tr: the instance
 *
 * While one tracer follows another, "nop" stands in.
 *
 * Context: task; takes a spinlock. The result stays registered, also when another
 * one becomes the current tracer.
 * Return: the tracer, tracer_put() must follow; NULL when none is registered.
 */
static const struct tracer *tracer_get(const struct trace_array *tr)
{
	struct tracer_entry *entry;

	guard(spinlock)(&tracer_users_lock);
	if (list_empty(&tracers))
		return NULL;
	/* "nop" was registered first, so it is the last one of the list. */
	entry = tracer_entry_of(READ_ONCE(tr->current_trace)) ?:
		list_last_entry(&tracers, struct tracer_entry, list);
	entry->users++;
	return entry->tracer;
}

/**
 * tracer_put - undo one tracer_get()
 * @tracer: its result; may be NULL
 *
 * Context: task; takes a spinlock.
 */
static void tracer_put(const struct tracer *tracer)
{
	struct tracer_entry *entry;

	if (!tracer)
		return;
	guard(spinlock)(&tracer_users_lock);
	entry = tracer_entry_of(tracer);
	if (!WARN_ON_ONCE(!entry || !entry->users))
		entry->users--;
}

/**
 * trace_tracer_attach - a file is opened: it gets the current tracer
 * @iter: of the file; its trace member is set
 * @pipe: the file is a trace_pipe
 *
 * Context: open(), may sleep; trace_instances_lock() is not held.
 */
void trace_tracer_attach(struct trace_iterator *iter, bool pipe)
{
	const struct tracer *tracer = tracer_get(iter->tr);
	void (*open)(struct trace_iterator *iter);

	iter->trace = (struct tracer *)tracer;
	if (!tracer)
		return;
	open = pipe ? tracer->pipe_open : tracer->open;
	if (open)
		open(iter);
}

/**
 * trace_tracer_detach - undo trace_tracer_attach()
 * @iter: of the file
 * @pipe: as there
 *
 * Context: release(), may sleep; trace_instances_lock() is not held.
 */
void trace_tracer_detach(struct trace_iterator *iter, bool pipe)
{
	const struct tracer *tracer = iter->trace;
	void (*close)(struct trace_iterator *iter);

	if (!tracer)
		return;
	close = pipe ? tracer->pipe_close : tracer->close;
	if (close)
		close(iter);
	iter->trace = NULL;
	tracer_put(tracer);
}

/**
 * trace_tracer_follow - a file is read: another tracer may be the current one
 * @iter: of the file, which is no trace_pipe
 *
 * Context: task, may sleep; the file's lock is held, trace_instances_lock() is not.
 */
void trace_tracer_follow(struct trace_iterator *iter)
{
	if (iter->trace == READ_ONCE(iter->tr->current_trace))
		return;
	trace_tracer_detach(iter, false);
	trace_tracer_attach(iter, false);
}

static void tracer_set_current(struct trace_array *tr, const struct tracer_state *state)
{
	WRITE_ONCE(tr->tracer_options, state ? state->options : 0);
	/*
	 * A callback that sees the data sees that the tracer before is not current any more. Pairs
	 * with the smp_load_acquire() in function_is_repeat().
	 */
	smp_store_release(&tr->tracer_data, state ? state->data : NULL);
	WRITE_ONCE(tr->current_trace, state ? state->tracer : NULL);
}

static void tracer_hold_comm(struct trace_array *tr)
{
	tracers_of(tr)->comm_held = true;
	trace_comm_get();
}

static void tracer_drop_comm(struct trace_array *tr)
{
	if (tracers_of(tr)->comm_held)
		trace_comm_put();
	tracers_of(tr)->comm_held = false;
}

static void tracer_stop(struct trace_array *tr)
{
	const struct tracer *old = tr->current_trace;

	if (!old)
		return;
	if (old->reset)
		old->reset(tr);
	tracer_drop_comm(tr);
	if (old->use_max)
		trace_snapshot_put_max(tr);
	tracer_set_current(tr, NULL);
}

/* Forget the maximum that another tracer, or an earlier run of this one, has found. */
static void tracer_forget_max(struct trace_array *tr)
{
	int cpu;

	for_each_possible_cpu(cpu)
		trace_latency_clear(tr, cpu);
}

static int tracer_start(struct trace_array *tr, const struct tracer *tracer)
{
	int ret = tracer->use_max ? trace_snapshot_get_max(tr) : 0;

	if (ret)
		return ret;
	if (tracer->use_max)
		tracer_forget_max(tr);
	tracer_set_current(tr, trace_tracer_state(tr, tracer));
	if (!tracer->init)
		return 0;

	tracer_hold_comm(tr);
	ret = tracer->init(tr);
	if (ret) {
		tracer_drop_comm(tr);
		if (tracer->use_max)
			trace_snapshot_put_max(tr);
		tracer_set_current(tr, NULL);
	}
	return ret;
}

/**
 * trace_tracer_start_nop - an instance begins, and a failure ends, with "nop"
 * @tr: the instance, which has no current tracer
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0.
 */
int trace_tracer_start_nop(struct trace_array *tr)
{
	const struct tracer *nop = trace_tracer_find("nop");

	return nop ? tracer_start(tr, nop) : 0;
}

/**
 * trace_tracers_exports_changed - tell tracers that trace_export_function_key may have changed
 *
 * A tracer may have one callback that exports functions, and one that does not.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 */
void trace_tracers_exports_changed(void)
{
	struct trace_array *tr;

	guard(trace_instances)();
	for_each_trace_array(tr) {
		if (tr->current_trace && tr->current_trace->exports_changed)
			tr->current_trace->exports_changed(tr);
	}
}

/**
 * trace_tracer_pin - no other tracer may become the current one
 * @tr: the instance
 *
 * An open() that calls this waits for a change of this instance's tracer, but not for
 * trace_instances_lock().
 *
 * Context: task, may sleep; takes pins_mutex, which comes after trace_instances_lock().
 */
void trace_tracer_pin(struct trace_array *tr)
{
	struct trace_tracers *data = tracers_of(tr);

	guard(mutex)(&data->pins_mutex);
	data->pins++;
}

/**
 * trace_tracer_unpin - undo one trace_tracer_pin()
 * @tr: the instance
 *
 * Context: as trace_tracer_pin().
 */
void trace_tracer_unpin(struct trace_array *tr)
{
	struct trace_tracers *data = tracers_of(tr);

	guard(mutex)(&data->pins_mutex);
	if (!WARN_ON_ONCE(!data->pins))
		data->pins--;
}

/* "nop" is the current tracer from now on, unless somebody keeps the present one. */
static int tracer_leave(struct trace_array *tr)
{
	guard(mutex)(&tracers_of(tr)->pins_mutex);
	if (tracers_of(tr)->pins)
		return -EBUSY;
	tracer_stop(tr);
	return trace_tracer_start_nop(tr);
}

static int tracer_change(struct trace_array *tr, const struct tracer *tracer)
{
	int ret;

	guard(mutex)(&tracers_of(tr)->pins_mutex);
	if (tracers_of(tr)->pins)
		return -EBUSY;
	tracer_stop(tr);
	tracers_of(tr)->starts++;
	ret = tracer_start(tr, tracer);
	if (ret)
		trace_tracer_start_nop(tr);
	return ret;
}

/*
 * Make the buffers ready for another tracer, which may print records another way: those of the
 * last one go. Each CPU has to take an interrupt for it, so the lock is given back meanwhile.
 */
static int tracer_make_room(struct trace_array *tr, bool max)
{
	int ret;

	trace_instances_unlock();
	ret = trace_array_expand(tr);
	if (!ret && max && !trace_snapshot_has_max(tr))
		ret = trace_snapshot_prepare(tr);
	ret = ret ?: trace_array_clear_killable(tr);
	trace_instances_lock();
	return ret;
}

/* The tracer of that name, which may become the current one; an error pointer; NULL: it is. */
static const struct tracer *tracer_next(struct trace_array *tr, const char *name)
{
	const struct tracer *tracer = trace_tracer_find(name);

	if (!tracer || !tracer_is_allowed(tr, tracer))
		return ERR_PTR(-EINVAL);
	if (tracer == tr->current_trace)
		return NULL;
	if (tracer->noboot && system_state < SYSTEM_RUNNING) {
		pr_warn("Tracer '%s' is not allowed on command line, ignored\n", name);
		return ERR_PTR(-EINVAL);
	}
	return tracer;
}

/**
 * trace_set_tracer - change the current tracer
 * @tr: the instance
 * @name: as in available_tracers
 *
 * When the new tracer fails to start, "nop" is the current one. So it is while the lock is given
 * back. If another tracer has been started by then, its records go as well.
 *
 * Context: task, may sleep; trace_instances_lock() is held, and is given back meanwhile; the caller
 * has a reference of the instance.
 * Return: 0; -EINVAL when @tr has no such tracer, -EBUSY while a trace_pipe of
 * it is open, -EINTR if the task was killed, or what the tracer's init() gives.
 */
int trace_set_tracer(struct trace_array *tr, const char *name)
{
	const struct tracer *tracer;
	unsigned int starts;
	int ret;

	for (;;) {
		tracer = tracer_next(tr, name);
		if (IS_ERR(tracer))
			return PTR_ERR(tracer);
		if (!tracer)
			return trace_array_expand(tr);
		ret = tracer_leave(tr);
		starts = tracers_of(tr)->starts;
		ret = ret ?: tracer_make_room(tr, tracer->use_max);
		if (ret)
			return ret;
		if (starts != tracers_of(tr)->starts)
			continue;
		/* It may have gone, or come anew. */
		tracer = tracer_next(tr, name);
		if (IS_ERR_OR_NULL(tracer))
			return PTR_ERR_OR_ZERO(tracer);
		ret = tracer_change(tr, tracer);
		/* Somebody has freed the memory for its maximum. */
		if (ret != -EPROBE_DEFER || !tracer->use_max)
			return ret;
	}
}

/**
 * trace_set_thresh - change what latency is worth a record
 * @tr: the instance
 * @ns: nanoseconds; 0: every new maximum is
 *
 * Context: task, may sleep; trace_instances_lock() is held, and may be given back meanwhile; the
 * caller has a reference of the instance.
 */
void trace_set_thresh(struct trace_array *tr, unsigned long ns)
{
	const struct tracer *tracer = tr->current_trace;

	trace_instances_assert_locked();
	WRITE_ONCE(tr->thresh_ns, ns);
	if (tracer && tracer->update_thresh)
		tracer->update_thresh(tr);
}

/* The hooks of a tracer are those of other components, which tell whether one is called. */
static bool tracers_retreat(struct trace_array *tr)
{
	tracer_stop(tr);
	trace_tracer_start_nop(tr);
	return false;
}

static void tracers_destroy(struct trace_array *tr)
{
	struct tracer_state *state, *next;

	tracer_stop(tr);
	list_for_each_entry_safe(state, next, trace_tracer_states(tr), list)
		tracer_free_state(state);
	kfree(tracers_of(tr));
	trace_slot_set_data(tr, &tracer_slot, NULL);
}

/* A new instance learns of all tracers. */
static int tracers_create(struct trace_array *tr)
{
	struct trace_tracers *data = kzalloc(sizeof(*data), GFP_KERNEL);
	struct tracer_entry *entry;
	int ret = 0;

	if (!data)
		return -ENOMEM;
	INIT_LIST_HEAD(&data->states);
	mutex_init(&data->pins_mutex);
	/* Tracers of latencies run in the top instance alone. */
	if (!tr->name)
		tr->thresh_ns = boot_thresh_ns;
	trace_slot_set_data(tr, &tracer_slot, data);
	list_for_each_entry_reverse(entry, &tracers, list)
		ret = ret ?: trace_tracer_add_state(tr, entry->tracer);
	ret = ret ?: trace_tracer_start_nop(tr);
	if (ret)
		tracers_destroy(tr);
	return ret;
}

/*
 * It is the last one of the table: a tracer uses all other parts of its instance, so it
 * stops before they go.
 */
struct trace_component trace_tracer_component __ro_after_init = {
	.name			= "tracers",
	.slot			= &tracer_slot,
	.create			= tracers_create,
	.retreat		= tracers_retreat,
	.destroy		= tracers_destroy,
};
