// SPDX-License-Identifier: GPL-2.0
/*
 * Life of instances: the list of them, their creation and removal, the references of their
 * users, and the calls that go through the table of components. Only its components know the
 * data of an instance, see component.h.
 *
 * instances_mutex, the instances lock, makes creation, removal and all changes of an instance's
 * state one step each. An open() must not wait for such a step, which may switch thousands of
 * events: references are counted under instances_refs, which is never held for long.
 * A task that removes an instance holds both locks while it looks at the count and takes
 * the instance off the list; from then on nobody gets a reference.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "hooks/hooks.h"
#include "instance/component.h"
#include "instance/internal.h"
#include "lib/wait.h"

static DEFINE_MUTEX(instances_mutex);		/* the instances lock */
static DEFINE_SPINLOCK(instances_refs);		/* inside of the instances lock */
static DECLARE_WAIT_QUEUE_HEAD(instances_unheld);	/* a removal waits for trace_array::holds */
static LIST_HEAD(instances);			/* N and H; either to read */
static struct trace_array *top_instance;	/* set once at boot */
static bool files_wanted;			/* instances lock, tracefs is up */
static bool disabled_for_good;			/* any context reads and sets it */

/* The owner of instances that are used although their owner has gone, see trace_instances_end(). */
static const char instance_orphan[] = "orphan";

static void instance_orphans_end(struct work_struct *work);

static DECLARE_WORK(instance_orphan_work, instance_orphans_end);

/**
 * trace_instances_lock - take the lock of all instances
 *
 * Context: task, may sleep. setup.c tells which locks come before and after it.
 */
void trace_instances_lock(void)
{
	mutex_lock(&instances_mutex);
	trace_wait_forbid();
}

/**
 * trace_instances_unlock - release the lock of all instances
 *
 * Context: task, the one that took it.
 */
void trace_instances_unlock(void)
{
	trace_wait_allow();
	mutex_unlock(&instances_mutex);
}

/**
 * trace_instances_assert_locked - complain unless the lock is held
 *
 * Context: any.
 */
void trace_instances_assert_locked(void)
{
	lockdep_assert_held(&instances_mutex);
}

/**
 * trace_top_instance - the instance whose files are in the root of tracefs
 *
 * Context: any.
 * Return: the instance, NULL before early_trace_init() or if that failed.
 */
struct trace_array *trace_top_instance(void)
{
	/* Pairs with the smp_store_release() in trace_instances_init(). */
	return READ_ONCE(top_instance);
}

/**
 * trace_instances - list head of all instances, see for_each_trace_array()
 *
 * Context: trace_instances_lock() is held.
 * Return: the head.
 */
struct list_head *trace_instances(void)
{
	trace_instances_assert_locked();
	return &instances;
}

/**
 * trace_disabled_for_good - has tracing given up until the next boot?
 *
 * Context: any.
 * Return: true if it has.
 */
bool trace_disabled_for_good(void)
{
	return READ_ONCE(disabled_for_good);
}

/**
 * trace_disable_for_good - give up tracing until the next boot
 *
 * All files that need an instance answer ENODEV from now on.
 *
 * Context: any.
 */
void trace_disable_for_good(void)
{
	WRITE_ONCE(disabled_for_good, true);
}

/*
 * Components
 */

#include "instance/component.h"

static struct trace_component * const *components __ro_after_init;
static unsigned int nr_components __ro_after_init;

#define for_each_component(p)						\
	for ((p) = components; (p) < components + nr_components; (p)++)

/**
 * trace_components_set - tell which components an instance is made of
 * @table: the components in the order of their creation; it must stay
 * @nr: the number of entries in @table
 *
 * Context: boot, once, before trace_instances_init().
 */
void __init trace_components_set(struct trace_component * const *table, unsigned int nr)
{
	unsigned int i;

	components = table;
	nr_components = nr;
	for (i = 0; i < nr; i++) {
		table[i]->own.nr = i + 1;
		if (table[i]->slot)
			table[i]->slot->nr = i + 1;
	}
}

/**
 * trace_slot_set_data - give an instance the data of a component
 * @tr: the instance
 * @slot: of a component in the table of setup.c
 * @data: what trace_slot_data() returns from now on
 *
 * Context: the component's create or destroy callback.
 */
void trace_slot_set_data(struct trace_array *tr, const struct trace_slot *slot, void *data)
{
	if (WARN_ON_ONCE(!slot->nr))
		return;
	/* Pairs with the READ_ONCE() in trace_slot_data(), whose caller finds *data set up. */
	smp_store_release(&tr->slots[slot->nr], data);
}

/*
 * The components before @end let nothing come into an instance any more. Return true if calls of
 * hooks may be going on that began before.
 */
static bool instance_components_retreat(struct trace_array *tr, struct trace_component * const *end)
{
	bool going_on = false;

	trace_instances_assert_locked();
	while (end-- > components) {
		if ((*end)->retreat)
			going_on |= (*end)->retreat(tr);
	}
	return going_on;
}

static void instance_components_destroy(struct trace_array *tr, struct trace_component * const *end)
{
	trace_instances_assert_locked();
	while (end-- > components) {
		if ((*end)->destroy)
			(*end)->destroy(tr);
	}
}

/* Free the rest of the components before @end. No lock is held. */
static void instance_components_release(struct trace_array *tr, struct trace_component * const *end)
{
	while (end-- > components) {
		if ((*end)->release)
			(*end)->release(tr);
	}
}

/* Wait for probes of tracepoints, for readers that have preemption off, and for holds. */
static void instance_wait_probes(void *data)
{
	struct trace_array *tr = data;

	trace_wait_probes();
	wait_event(instances_unheld, !READ_ONCE(tr->holds));
}

/* As instance_wait_probes(), and for callbacks of functions. */
static void instance_wait_hooks(void *tr)
{
	ftrace_hooks_synchronize();
	instance_wait_probes(tr);
}

/*
 * Destroy the components before @end of an instance that cannot be made; a part of @end may be
 * there, if that is one. The lock is given back while readers end that have found it already, as a
 * dump may have, and for the rest.
 */
static void instance_components_give_up(struct trace_array *tr,
					struct trace_component * const *end)
{
	bool hooks = instance_components_retreat(tr, end);

	trace_instances_unlock();
	if (hooks)
		instance_wait_hooks(tr);
	else
		instance_wait_probes(tr);
	scoped_guard(trace_instances)
		instance_components_destroy(tr, end);
	instance_components_release(tr, min(end + 1, components + nr_components));
	trace_instances_lock();
}

/* Create all components. Return 0, or the errno of one that failed; none is left then. */
static int instance_components_create(struct trace_array *tr)
{
	struct trace_component * const *p;
	int ret;

	trace_instances_assert_locked();
	for_each_component(p) {
		ret = (*p)->create ? (*p)->create(tr) : 0;
		if (ret) {
			pr_warn("tracing: no %s: error %d\n", (*p)->name, ret);
			instance_components_give_up(tr, p);
			return ret;
		}
	}
	return 0;
}

/*
 * Make the files of an instance; tracefs is up. The first component makes the folder of the
 * others. Return 0, or the errno of a component that failed: the files of the components before
 * it stay until these are destroyed.
 */
static int instance_components_create_files(struct trace_array *tr)
{
	struct trace_component * const *p;
	int ret;

	trace_instances_assert_locked();
	for_each_component(p) {
		ret = (*p)->create_files ? (*p)->create_files(tr, tr->dir) : 0;
		if (ret) {
			pr_warn("tracing: no files of %s: error %d\n", (*p)->name, ret);
			return ret;
		}
	}
	return 0;
}

/* Ask all components whether an option may change. The first errno is returned. */
int trace_components_option_changing(struct trace_array *tr, u32 opt, bool on)
{
	struct trace_component * const *p;
	int ret;

	trace_instances_assert_locked();
	for_each_component(p) {
		ret = (*p)->option_changing ? (*p)->option_changing(tr, opt, on) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/* Tell all components that an option was changed. */
void trace_components_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	struct trace_component * const *p;

	trace_instances_assert_locked();
	for_each_component(p) {
		if ((*p)->option_changed)
			(*p)->option_changed(tr, opt, on);
	}
}

/* Print the file README: the paragraphs of all components. */
void trace_components_readme(struct seq_file *m)
{
	struct trace_component * const *p;

	for_each_component(p) {
		if ((*p)->readme)
			seq_puts(m, (*p)->readme);
	}
}

/*
 * Life of an instance
 */

/* Is @tr on the list? N or H is held. @tr may have been freed. */
static bool instance_is_listed(const struct trace_array *tr)
{
	struct trace_array *entry;

	lockdep_assert(lockdep_is_held(&instances_mutex) || lockdep_is_held(&instances_refs));
	list_for_each_entry(entry, &instances, list) {
		if (entry == tr)
			return true;
	}
	return false;
}

/**
 * trace_array_get - take a reference
 * @tr: an instance, or the address of one that was removed
 *
 * Context: task; does not wait for changes of instances.
 * Return: 0, -ENODEV when the instance is gone.
 */
int trace_array_get(struct trace_array *tr)
{
	guard(spinlock)(&instances_refs);
	if (!instance_is_listed(tr) || tr->ref == INSTANCE_GOES)
		return -ENODEV;
	tr->ref++;
	return 0;
}

/* Give a reference back. Return true if nobody needs the instance any more. */
static bool instance_put(struct trace_array *tr)
{
	guard(spinlock)(&instances_refs);
	if (WARN_ON_ONCE(tr->ref <= 0))
		return false;
	return !--tr->ref && tr->owner == instance_orphan;
}

/**
 * trace_array_put - give a reference back
 * @tr: the instance; may be NULL
 *
 * Context: task; does not wait for changes of instances.
 */
void trace_array_put(struct trace_array *tr)
{
	if (tr && instance_put(tr))
		trace_wait_queue(&instance_orphan_work);
}
EXPORT_SYMBOL_GPL(trace_array_put);

/**
 * trace_array_hold - have an instance stay for a moment
 * @tr: an instance, or the address of one that was removed
 *
 * A reference is a user's, and a removal is refused because of it. This is for what the kernel
 * does on its own, and a removal waits for it. So the holder does not wait for one, which is
 * trace_instances_lock() at most.
 *
 * Context: task; does not wait for changes of instances.
 * Return: 0, trace_array_unhold() must follow; -ENODEV when the instance goes, or is gone.
 */
int trace_array_hold(struct trace_array *tr)
{
	guard(spinlock)(&instances_refs);
	if (!instance_is_listed(tr) || tr->ref == INSTANCE_GOES)
		return -ENODEV;
	WRITE_ONCE(tr->holds, tr->holds + 1);
	return 0;
}

/**
 * trace_array_unhold - undo trace_array_hold()
 * @tr: the instance; may be NULL
 *
 * Context: task; does not wait for changes of instances.
 */
void trace_array_unhold(struct trace_array *tr)
{
	bool some;

	if (!tr)
		return;
	scoped_guard(spinlock, &instances_refs) {
		some = WARN_ON_ONCE(!tr->holds) || tr->holds > 1;
		WRITE_ONCE(tr->holds, tr->holds - 1);
	}
	if (!some)
		wake_up_all(&instances_unheld);
}

/* May a file of tracefs be opened? 0, -EPERM under lockdown, -ENODEV when tracing has given up. */
static int instance_may_open(void)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (!ret && trace_disabled_for_good())
		ret = -ENODEV;
	return ret;
}

/**
 * trace_array_open - may a file of an instance be opened?
 * @tr: the instance; a reference is taken
 *
 * Context: task, may sleep; does not wait for changes of instances.
 * Return: 0; -EPERM under lockdown; -ENODEV when tracing has given up, or the instance is gone.
 */
int trace_array_open(struct trace_array *tr)
{
	return instance_may_open() ?: trace_array_get(tr);
}

static bool instance_copy_names(struct trace_array *tr, const char *name, const char *systems)
{
	if (name)
		tr->name = kstrdup_const(name, GFP_KERNEL);
	if (systems)
		tr->systems = kstrdup(systems, GFP_KERNEL);
	return !name == !tr->name && !systems == !tr->systems;
}

static void instance_free(struct trace_array *tr)
{
	kfree(tr->systems);
	kfree_const(tr->name);
	kfree(tr);
}

/* An instance without components; NULL without memory. */
static struct trace_array *instance_alloc(const char *name, const char *systems)
{
	struct trace_array *tr;

	/* No component has slot 0. */
	tr = kzalloc(struct_size(tr, slots, nr_components + 1), GFP_KERNEL);
	if (!tr)
		return NULL;
	INIT_LIST_HEAD(&tr->list);
	if (instance_copy_names(tr, name, systems))
		return tr;
	instance_free(tr);
	return NULL;
}

/**
 * trace_instance_find - the instance of a name
 * @name: as in instances/; the top instance has none
 *
 * Context: trace_instances_lock() is held, and until it is released, the instance stays.
 * Return: the instance, NULL when there is none.
 */
struct trace_array *trace_instance_find(const char *name)
{
	struct trace_array *tr;

	for_each_trace_array(tr) {
		if (tr->name && !strcmp(tr->name, name))
			return tr;
	}
	return NULL;
}

/* The first instance behind @tr, or of all, that does not go; held. */
static struct trace_array *instance_next(struct trace_array *tr)
{
	guard(trace_instances)();
	tr = list_prepare_entry(tr, &instances, list);
	list_for_each_entry_continue(tr, &instances, list) {
		if (!trace_array_hold(tr))
			return tr;
	}
	return NULL;
}

/**
 * trace_instance_next - walk the instances without the lock of all of them
 * @tr: the one before, from this function; NULL: begin
 *
 * Instances that are made or removed meanwhile are found, or not.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: the instance, which trace_array_hold() holds until the next call; NULL behind the last.
 */
struct trace_array *trace_instance_next(struct trace_array *tr)
{
	struct trace_array *next = instance_next(tr);

	trace_array_unhold(tr);
	return next;
}

/* Let nobody get a reference any more. -EBUSY: somebody has one, or removes the instance. */
static int instance_claim(struct trace_array *tr)
{
	trace_instances_assert_locked();
	guard(spinlock)(&instances_refs);
	if (tr->ref)
		return -EBUSY;
	tr->ref = INSTANCE_GOES;
	tr->owner = NULL;
	return 0;
}

/* Nobody uses an instance any more: take it out of the list. instance_release() has to follow. */
static void instance_finish(struct trace_array *tr)
{
	trace_instances_assert_locked();
	scoped_guard(spinlock, &instances_refs)
		list_del_init(&tr->list);
	instance_components_destroy(tr, components + nr_components);
}

/* The rest of a removal. A CPU that stands still may have to run for it, so no lock is held. */
static void instance_release(struct trace_array *tr)
{
	instance_components_release(tr, components + nr_components);
	instance_free(tr);
}

static void instance_remove_rest(void *tr)
{
	scoped_guard(trace_instances)
		instance_finish(tr);
	instance_release(tr);
}

/*
 * The instance stays on the list until its callbacks have ended: modules that come and go find
 * it, and its name is taken. Nobody can open its files. The instances lock is given back
 * meanwhile, so that a busy CPU keeps no other instance waiting. @user: a signal ends the wait,
 * and the instance is removed as soon as it can be; -EINTR is returned then.
 */
static int instance_remove(struct trace_array *tr, bool user)
{
	void (*wait)(void *tr);
	int ret;

	trace_instances_assert_locked();
	if (!tr)
		return -ENODEV;
	ret = instance_claim(tr);
	if (ret)
		return ret;
	wait = instance_components_retreat(tr, components + nr_components) ?
	       instance_wait_hooks : instance_wait_probes;
	trace_instances_unlock();
	if (user) {
		ret = trace_wait_call(wait, instance_remove_rest, tr, TASK_INTERRUPTIBLE);
	} else {
		wait(tr);
		instance_remove_rest(tr);
	}
	trace_instances_lock();
	return ret;
}

/* A new instance, on the list and with its files; an error pointer. */
static struct trace_array *instance_create(const char *name, const char *systems,
					   const struct trace_memory *memory)
{
	struct trace_array *tr;
	int ret;

	trace_instances_assert_locked();
	if (!top_instance || trace_disabled_for_good())
		return ERR_PTR(-ENODEV);
	tr = instance_alloc(name, systems);
	if (!tr)
		return ERR_PTR(-ENOMEM);
	tr->maker = current;
	if (memory)
		tr->boot_memory = *memory;
	ret = instance_components_create(tr);
	if (ret) {
		instance_free(tr);
		return ERR_PTR(ret);
	}
	/* Its files can be opened when it is on the list, and not before. */
	ret = files_wanted ? instance_components_create_files(tr) : 0;
	if (ret) {
		instance_components_give_up(tr, components + nr_components);
		instance_free(tr);
		return ERR_PTR(ret);
	}
	scoped_guard(spinlock, &instances_refs)
		list_add_tail(&tr->list, &instances);
	return tr;
}

/**
 * trace_instance_create - make an instance
 * @name: as in instances/
 * @memory: where its buffer is to be; NULL or no size: anywhere
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: the instance, or an error pointer: -EEXIST, -ENOMEM, -ENODEV.
 */
struct trace_array *trace_instance_create(const char *name, const struct trace_memory *memory)
{
	trace_instances_assert_locked();
	if (trace_instance_find(name))
		return ERR_PTR(-EEXIST);
	return instance_create(name, NULL, memory);
}

/**
 * trace_instance_remove - remove an instance
 * @name: as in instances/
 *
 * Context: task, may sleep; trace_instances_lock() is held, and is given back meanwhile.
 * Return: 0, -ENODEV when there is none, -EBUSY while somebody has a reference or removes it;
 * -EINTR: a signal has come, and it goes as soon as its callbacks have ended.
 */
int trace_instance_remove(const char *name)
{
	trace_instances_assert_locked();
	return instance_remove(trace_instance_find(name), true);
}

/*
 * Owners
 */

/**
 * trace_instance_own - have an owner for an instance that this task has made
 * @name: as in instances/
 * @owner: an address that nobody else has until trace_instances_end()
 *
 * Nothing happens if somebody has removed the instance already.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 */
void trace_instance_own(const char *name, const void *owner)
{
	struct trace_array *tr;

	guard(trace_instances)();
	tr = trace_instance_find(name);
	guard(spinlock)(&instances_refs);
	/* Another task may have made one of this name since. */
	if (tr && tr->maker == current && tr->ref != INSTANCE_GOES)
		tr->owner = owner;
}

/**
 * trace_instances_own - give the instances of an owner to another one
 * @owner: the owner
 * @next: the other one, as in trace_instance_own()
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: true if there is such an instance.
 */
bool trace_instances_own(const void *owner, const void *next)
{
	struct trace_array *tr;
	bool some = false;

	guard(trace_instances)();
	guard(spinlock)(&instances_refs);
	list_for_each_entry(tr, &instances, list) {
		if (tr->owner != owner)
			continue;
		tr->owner = next;
		some = true;
	}
	return some;
}

/**
 * trace_instances_print - print the instances of an owner, a line each
 * @m: where to
 * @prefix: stands in front of each name
 * @owner: the owner
 *
 * Context: task.
 */
void trace_instances_print(struct seq_file *m, const char *prefix, const void *owner)
{
	struct trace_array *tr;

	guard(spinlock)(&instances_refs);
	list_for_each_entry(tr, &instances, list) {
		if (tr->owner == owner)
			seq_printf(m, "%s%s\n", prefix, tr->name);
	}
}

/*
 * An owner goes. Begin the removal of its instance; if the instance is used, it is left as an
 * orphan. Return true if the removal has begun: the instance has its owner until it is freed.
 */
static bool instance_take(struct trace_array *tr, const void *owner)
{
	guard(spinlock)(&instances_refs);
	if (tr->owner != owner || tr->ref == INSTANCE_GOES)
		return false;
	if (tr->ref) {
		tr->owner = instance_orphan;
		return false;
	}
	tr->ref = INSTANCE_GOES;
	return true;
}

/*
 * Begin the removal of the instances of an owner. Return true if there are some. @hooks: calls of
 * hooks may be going on.
 */
static bool instances_take(const void *owner, bool *hooks)
{
	struct trace_array *tr;
	bool some = false;

	guard(trace_instances)();
	for_each_trace_array(tr) {
		if (!instance_take(tr, owner))
			continue;
		*hooks |= instance_components_retreat(tr, components + nr_components);
		some = true;
	}
	return some;
}

/* Does anybody hold an instance of an owner that goes? */
static bool instances_held(const void *owner)
{
	struct trace_array *tr;

	guard(spinlock)(&instances_refs);
	list_for_each_entry(tr, &instances, list) {
		if (tr->owner == owner && tr->ref == INSTANCE_GOES && tr->holds)
			return true;
	}
	return false;
}

/**
 * trace_instances_end - an owner goes, and its instances with it
 * @owner: the owner
 *
 * An instance that somebody uses stays as it is, and a work item removes it when its last
 * reference is given back.
 *
 * Context: task, may sleep; takes trace_instances_lock(), and waits without until no CPU is in a
 * hook of the instances.
 */
void trace_instances_end(const void *owner)
{
	struct trace_array *tr, *next;
	bool hooks = false;
	LIST_HEAD(gone);

	if (!instances_take(owner, &hooks))
		return;
	if (hooks)
		ftrace_hooks_synchronize();
	trace_wait_probes();
	wait_event(instances_unheld, !instances_held(owner));
	scoped_guard(trace_instances) {
		list_for_each_entry_safe(tr, next, &instances, list) {
			if (tr->owner != owner || tr->ref != INSTANCE_GOES)
				continue;
			instance_finish(tr);
			list_add(&tr->list, &gone);
		}
	}
	list_for_each_entry_safe(tr, next, &gone, list)
		instance_release(tr);
}

static void instance_orphans_end(struct work_struct *work)
{
	trace_instances_end(instance_orphan);
}

/**
 * trace_array_has_system - shall an instance have the events of a system?
 * @tr: the instance
 * @system: the name of the system
 *
 * Context: any.
 * Return: true unless the instance was made for other systems only.
 */
bool trace_array_has_system(const struct trace_array *tr, const char *system)
{
	const char *word = tr->systems;
	size_t len;

	if (!word)
		return true;
	for (; *word; word += len + !!word[len]) {
		len = strcspn(word, ", \t\n");
		if (len && len == strlen(system) && !memcmp(word, system, len))
			return true;
	}
	return false;
}

/**
 * trace_array_get_by_name - an instance for the kernel's own use
 * @name: as in instances/; it is made when there is none
 * @systems: names of event systems, separated by commas or blanks, that a new
 *	instance shall have events of; NULL: all
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: the instance with a reference, see trace_array_put(); NULL when it
 * could not be made.
 */
struct trace_array *trace_array_get_by_name(const char *name, const char *systems)
{
	struct trace_array *tr;

	guard(trace_instances)();
	tr = trace_instance_find(name) ?: instance_create(name, systems, NULL);
	/* With the lock held, it stays on the list. */
	return IS_ERR(tr) || trace_array_get(tr) ? NULL : tr;
}
EXPORT_SYMBOL_GPL(trace_array_get_by_name);

/**
 * trace_array_destroy - remove an instance
 * @tr: from trace_array_get_by_name(); its reference was given back before
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0; -EINVAL without @tr, -ENODEV when it is gone, -EBUSY while others
 * use it.
 */
int trace_array_destroy(struct trace_array *tr)
{
	if (!tr)
		return -EINVAL;
	guard(trace_instances)();
	return instance_remove(instance_is_listed(tr) ? tr : NULL, false);
}
EXPORT_SYMBOL_GPL(trace_array_destroy);

/**
 * trace_instances_init - make the top instance
 *
 * Context: early_trace_init(): memory is up, one CPU runs; after
 * trace_components_set().
 * Return: 0 or an errno; then trace_top_instance() stays NULL.
 */
int __init trace_instances_init(void)
{
	struct trace_array *tr;
	int ret;

	guard(trace_instances)();
	tr = instance_alloc(NULL, NULL);
	if (!tr)
		return -ENOMEM;
	ret = instance_components_create(tr);
	if (ret) {
		instance_free(tr);
		return ret;
	}
	/* The top instance is never removed. */
	tr->ref = 1;
	scoped_guard(spinlock, &instances_refs)
		list_add(&tr->list, &instances);
	/* Pairs with the READ_ONCE() in trace_top_instance(), whose caller finds *tr set up. */
	smp_store_release(&top_instance, tr);
	return 0;
}

/**
 * trace_instances_have_files - is tracefs up?
 *
 * Context: trace_instances_lock() is held.
 * Return: true if every instance on the list has its folder.
 */
bool trace_instances_have_files(void)
{
	trace_instances_assert_locked();
	return files_wanted;
}

/**
 * trace_instances_init_files - make the files of all instances, now and later
 *
 * Context: boot, tracefs is up; trace_instances_lock() is held.
 * Return: 0 or the errno of what failed; then files are missing.
 */
int __init trace_instances_init_files(void)
{
	struct trace_array *tr;
	int ret = 0;

	trace_instances_assert_locked();
	files_wanted = true;
	/* The top instance comes first and has the folder of the others. */
	for_each_trace_array(tr)
		ret = ret ?: instance_components_create_files(tr);
	return ret;
}
