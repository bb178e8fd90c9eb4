// SPDX-License-Identifier: GPL-2.0
/*
 * Life of instances: creation and removal with all their components, the
 * references of open files, the size of their buffers. The top instance is
 * made in early boot with the smallest buffer; the first user pays for more.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "instance/internal.h"
#include "record/export.h"

/* What a CPU's buffer holds in the end, unless trace_buf_size= says else. */
#define FULL_SIZE_DEFAULT	1441792UL
#define FULL_SIZE_MIN		4096UL

#define OPTIONS_DEFAULT							\
	(TRACE_OPT_PRINT_PARENT | TRACE_OPT_PRINTK | TRACE_OPT_ANNOTATE | \
	 TRACE_OPT_CONTEXT_INFO | TRACE_OPT_RECORD_CMD | TRACE_OPT_OVERWRITE | \
	 TRACE_OPT_IRQ_INFO | TRACE_OPT_MARKERS | TRACE_OPT_HASH_PTR |	\
	 TRACE_OPT_FUNCTION)
/* What only the top instance has on in the beginning. */
#define OPTIONS_DEFAULT_TOP	TRACE_OPT_PRINTK_DEST
/* What a new instance does not take over from the top one. */
#define OPTIONS_NOT_TAKEN						\
	(TRACE_OPT_PRINTK_DEST | TRACE_OPT_EVENT_FORK | TRACE_OPT_FUNC_FORK)

static DEFINE_MUTEX(instances_mutex);
static LIST_HEAD(instances);
static struct trace_array *top;
static bool disabled_for_good;

static struct trace_component * const *components __ro_after_init;
static unsigned int nr_components __ro_after_init;

static unsigned long full_size __ro_after_init = FULL_SIZE_DEFAULT;

static int __init full_size_setup(char *text)
{
	unsigned long size = memparse(text, &text);

	/* What is too small to be a buffer is taken as a wish for little. */
	if (!size)
		return 0;
	full_size = max(size, FULL_SIZE_MIN);
	return 1;
}
__setup("trace_buf_size=", full_size_setup);

/* Bytes that a CPU's buffer expands to. */
unsigned long trace_buffer_full_size(void)
{
	return full_size;
}

/**
 * trace_instances_lock - take the lock of all instances
 *
 * Context: task, may sleep. The outermost lock of tracing.
 */
void trace_instances_lock(void)
{
	mutex_lock(&instances_mutex);
}

/**
 * trace_instances_unlock - release the lock of all instances
 */
void trace_instances_unlock(void)
{
	mutex_unlock(&instances_mutex);
}

/**
 * trace_instances_assert_locked - complain unless the lock is held
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
	return READ_ONCE(top);
}

/**
 * trace_instances - list head of all instances, see for_each_trace_array()
 *
 * Context: trace_instances_lock() is held.
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

static bool is_listed(const struct trace_array *tr)
{
	struct trace_array *entry;

	for_each_trace_array(entry) {
		if (entry == tr)
			return true;
	}
	return false;
}

/**
 * trace_array_get - take a reference
 * @tr: an instance, or the address of one that was removed
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0, -ENODEV when the instance is gone.
 */
int trace_array_get(struct trace_array *tr)
{
	guard(trace_instances)();

	if (!is_listed(tr))
		return -ENODEV;
	tr->ref++;
	return 0;
}

/**
 * trace_array_put_locked - give a reference back
 * @tr: the instance
 *
 * Context: trace_instances_lock() is held.
 */
void trace_array_put_locked(struct trace_array *tr)
{
	trace_instances_assert_locked();
	if (!WARN_ON_ONCE(!tr->ref))
		tr->ref--;
}

/**
 * trace_array_put - give a reference back
 * @tr: the instance; may be NULL
 *
 * Context: task, may sleep; takes trace_instances_lock().
 */
void trace_array_put(struct trace_array *tr)
{
	if (!tr)
		return;
	guard(trace_instances)();
	trace_array_put_locked(tr);
}
EXPORT_SYMBOL_GPL(trace_array_put);

/**
 * trace_array_open - may a file of an instance be opened?
 * @tr: the instance; a reference is taken
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0, -EPERM under lockdown, -ENODEV when the instance is gone or
 * tracing has given up.
 */
int trace_array_open(struct trace_array *tr)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	if (trace_disabled_for_good())
		return -ENODEV;
	return trace_array_get(tr);
}

/**
 * trace_array_generic_open - open() of a file whose i_private is its instance
 * @inode: the file's
 * @file: its private_data becomes the instance
 *
 * Context: task, may sleep.
 * Return: as trace_array_open().
 */
int trace_array_generic_open(struct inode *inode, struct file *file)
{
	int ret = trace_array_open(inode->i_private);

	if (!ret)
		file->private_data = inode->i_private;
	return ret;
}

/**
 * trace_array_generic_release - undo trace_array_generic_open()
 * @inode: the file's
 * @file: the file
 *
 * Context: task, may sleep.
 * Return: 0.
 */
int trace_array_generic_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return 0;
}

/**
 * trace_array_resize - change the size of the buffer
 * @tr: the instance
 * @bytes: of each CPU
 * @cpu: one CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -ENOMEM, -EINVAL, -EBUSY while the buffer cannot be resized.
 */
int trace_array_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	int ret;

	trace_instances_assert_locked();

	ret = trace_snapshot_resize(tr, bytes, cpu);
	if (ret < 0)
		return ret;
	/* A size that was asked for is not to be expanded any more. */
	tr->expanded = true;
	return 0;
}

/**
 * trace_array_expand - from the boot-time minimum to the full size
 * @tr: the instance; nothing happens when it was expanded or resized before
 *
 * To be called before something is switched on that records.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: as trace_array_resize().
 */
int trace_array_expand(struct trace_array *tr)
{
	trace_instances_assert_locked();
	if (tr->expanded)
		return 0;
	return trace_array_resize(tr, full_size, RING_BUFFER_ALL_CPUS);
}

/* Throw away all records, but perhaps not one that is being written. T or boot */
void trace_array_clear(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	tr->array_buffer.time_start = ring_buffer_time_stamp(buffer);
	ring_buffer_reset_online_cpus(buffer);
	/* What comes now is this boot's. */
	WRITE_ONCE(tr->text_delta, 0);
	WRITE_ONCE(tr->data_delta, 0);
}

/**
 * trace_array_reset - throw away all records
 * @tr: the instance
 *
 * Context: task, may sleep.
 */
void trace_array_reset(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	ring_buffer_record_disable(buffer);
	/* Writers that saw recording enabled have left after this. */
	synchronize_rcu();
	trace_array_clear(tr);
	ring_buffer_record_enable(buffer);
}

/**
 * trace_array_reset_all - throw away all records, those of the snapshot, too
 * @tr: the instance
 *
 * For whoever takes away what it needs to read them. CPUs that are offline are
 * emptied as well.
 *
 * Context: task, may sleep.
 */
void trace_array_reset_all(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	/* An exchange may come in between: do each step to both. */
	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_disable(*buffer);
	/* As in trace_array_reset(). */
	synchronize_rcu();
	for_each_trace_buffer(tr, buffer)
		ring_buffer_reset(*buffer);
	trace_array_clear(tr);
	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_enable(*buffer);
}

/**
 * trace_array_reset_cpu - throw away the records of a CPU
 * @tr: the instance
 * @cpu: the CPU
 *
 * Context: task, may sleep.
 */
void trace_array_reset_cpu(struct trace_array *tr, int cpu)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	ring_buffer_record_disable_cpu(buffer, cpu);
	/* As in trace_array_reset(). */
	synchronize_rcu();
	tr->array_buffer.time_start = ring_buffer_time_stamp(buffer);
	ring_buffer_reset_cpu(buffer, cpu);
	ring_buffer_record_enable_cpu(buffer, cpu);
}

/**
 * trace_component_set_data - set a component's data in an instance
 * @tr: the instance
 * @component: the component; it is in the table of setup.c
 * @data: what trace_component_data() returns from now on
 *
 * Context: the component's create or destroy callback.
 */
void trace_component_set_data(struct trace_array *tr, const struct trace_component *component,
			      void *data)
{
	if (WARN_ON_ONCE(!component->slot))
		return;
	/* Pairs with the READ_ONCE() in trace_component_data(): *data is set up. */
	smp_store_release(&tr->component_data[component->slot], data);
}

/* Tell all layers above that an option was changed. */
void trace_components_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	unsigned int i;

	for (i = 0; i < nr_components; i++) {
		if (components[i]->option_changed)
			components[i]->option_changed(tr, opt, on);
	}
}

static void destroy_components(struct trace_array *tr, unsigned int nr)
{
	while (nr--) {
		if (components[nr]->destroy)
			components[nr]->destroy(tr);
	}
}

static int create_components(struct trace_array *tr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr_components; i++) {
		if (!components[i]->create)
			continue;
		ret = components[i]->create(tr);
		if (ret) {
			pr_warn("tracing: no %s: error %d\n", components[i]->name, ret);
			destroy_components(tr, i);
			return ret;
		}
	}
	return 0;
}

static void free_array(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	trace_error_log_clear(tr);
	trace_option_free_files(tr);
	kfree(tr->cpu_dirs);
	trace_tracers_destroy(tr);
	if (tr->snapshot.buffer)
		trace_snapshot_destroy(tr);
	for_each_trace_buffer(tr, buffer)
		ring_buffer_free(*buffer);
	mutex_destroy(&tr->snapshot_mutex);
	if (tr->memory)
		trace_memory_unmap(tr->memory);
	free_percpu(tr->array_buffer.data);
	free_cpumask_var(tr->tracing_cpumask);
	kfree(tr->systems);
	kfree_const(tr->name);
	kfree(tr);
}

/* A buffer in memory that is kept over a reboot; there can be no snapshot. */
static bool alloc_kept_buffer(struct trace_array *tr, const struct trace_memory *memory,
			      unsigned int flags)
{
	tr->memory = trace_memory_map(memory);
	if (!tr->memory)
		return false;
	tr->array_buffer.buffer = ring_buffer_alloc_range(0, flags, 0, (unsigned long)tr->memory,
							  memory->size);
	tr->buffers[0] = tr->array_buffer.buffer;
	tr->expanded = true;
	if (!tr->buffers[0])
		return false;
	ring_buffer_last_boot_delta(tr->buffers[0], &tr->text_delta, &tr->data_delta);
	return true;
}

/*
 * The top instance gets the least that a buffer can be (one byte, rounded up)
 * until somebody uses it; who makes another instance wants to use it.
 */
static bool alloc_buffer(struct trace_array *tr, const struct trace_memory *memory)
{
	unsigned long size = tr->name ? full_size : 1;
	unsigned int flags = trace_option(tr, TRACE_OPT_OVERWRITE) ? RB_FL_OVERWRITE : 0;

	tr->array_buffer.tr = tr;
	tr->array_buffer.cpu = RING_BUFFER_ALL_CPUS;
	tr->array_buffer.data = alloc_percpu(struct trace_array_cpu);
	tr->buffer_percent = TRACE_BUFFER_PERCENT;
	if (!tr->array_buffer.data)
		return false;
	if (memory && memory->size)
		return alloc_kept_buffer(tr, memory, flags);
	tr->array_buffer.buffer = ring_buffer_alloc(size, flags);
	tr->buffers[0] = tr->array_buffer.buffer;
	tr->expanded = tr->name;
	return tr->buffers[0] && !trace_snapshot_create(tr);
}

static bool copy_names(struct trace_array *tr, const char *name, const char *systems)
{
	if (name)
		tr->name = kstrdup_const(name, GFP_KERNEL);
	if (systems)
		tr->systems = kstrdup(systems, GFP_KERNEL);
	return !name == !tr->name && !systems == !tr->systems;
}

/* An instance without components and files; NULL without memory. */
static struct trace_array *alloc_array(const char *name, const char *systems,
				       const struct trace_memory *memory)
{
	struct trace_array *tr;

	/* No component has slot 0. */
	tr = kzalloc(struct_size(tr, component_data, nr_components + 1), GFP_KERNEL);
	if (!tr)
		return NULL;

	INIT_LIST_HEAD(&tr->list);
	INIT_LIST_HEAD(&tr->tracer_states);
	INIT_LIST_HEAD(&tr->err_log);
	mutex_init(&tr->snapshot_mutex);
	tr->options = name ? top->options & ~OPTIONS_NOT_TAKEN :
			     OPTIONS_DEFAULT | OPTIONS_DEFAULT_TOP;
	if (!copy_names(tr, name, systems) ||
	    !zalloc_cpumask_var(&tr->tracing_cpumask, GFP_KERNEL))
		goto fail;
	cpumask_copy(tr->tracing_cpumask, cpu_all_mask);
	if (!alloc_buffer(tr, memory) || trace_tracers_create(tr))
		goto fail;
	return tr;
fail:
	free_array(tr);
	return NULL;
}

static struct trace_array *find_array(const char *name)
{
	struct trace_array *tr;

	for_each_trace_array(tr) {
		if (tr->name && !strcmp(tr->name, name))
			return tr;
	}
	return NULL;
}

/* Nobody has a reference and nothing records: take it apart. */
static void remove_array(struct trace_array *tr)
{
	/* From here on no file of it can be opened, see trace_array_open(). */
	list_del_init(&tr->list);
	trace_tracers_stop(tr);
	destroy_components(tr, nr_components);
	trace_instance_remove_files(tr);
	/* Who still writes into it does so with preemption off. */
	synchronize_rcu();
	free_array(tr);
}

/* A new instance, on the list and with its files. */
static struct trace_array *create_array(const char *name, const char *systems,
					const struct trace_memory *memory)
{
	struct trace_array *tr;
	int ret;

	if (!top || trace_disabled_for_good())
		return ERR_PTR(-ENODEV);
	tr = alloc_array(name, systems, memory);
	if (!tr)
		return ERR_PTR(-ENOMEM);
	ret = create_components(tr);
	if (ret) {
		free_array(tr);
		return ERR_PTR(ret);
	}
	list_add_tail(&tr->list, &instances);
	ret = trace_tracers_start(tr);
	/* Before the top instance has its files, this one waits with it. */
	if (!ret && top->files)
		ret = trace_instance_create_files(tr);
	if (ret) {
		remove_array(tr);
		return ERR_PTR(ret);
	}
	return tr;
}

static int try_remove(struct trace_array *tr)
{
	if (!tr)
		return -ENODEV;
	if (tr->ref || tr->pipe_readers)
		return -EBUSY;
	remove_array(tr);
	return 0;
}

/* For boot.c: an instance whose buffer is in @memory, if that has a size. T */
struct trace_array *trace_instance_create(const char *name, const struct trace_memory *memory)
{
	return find_array(name) ? ERR_PTR(-EEXIST) : create_array(name, NULL, memory);
}

/* mkdir in instances/: -EEXIST, -ENOMEM, -ENODEV. */
int trace_instance_mkdir(const char *name)
{
	guard(trace_instances)();
	if (find_array(name))
		return -EEXIST;
	return PTR_ERR_OR_ZERO(create_array(name, NULL, NULL));
}

/* rmdir there: -ENODEV, -EBUSY while a file of it is open. */
int trace_instance_rmdir(const char *name)
{
	guard(trace_instances)();
	return try_remove(find_array(name));
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
		len = strcspn(word, ",");
		if (len == strlen(system) && !memcmp(word, system, len))
			return true;
	}
	return false;
}

/**
 * trace_array_get_by_name - an instance for the kernel's own use
 * @name: as in instances/; it is made when there is none
 * @systems: names of event systems, separated by commas, that a new instance
 *	shall have events of; NULL: all
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: the instance with a reference, see trace_array_put(); NULL when it
 * could not be made.
 */
struct trace_array *trace_array_get_by_name(const char *name, const char *systems)
{
	struct trace_array *tr;

	guard(trace_instances)();
	tr = find_array(name) ?: create_array(name, systems, NULL);
	if (IS_ERR(tr))
		return NULL;
	tr->ref++;
	return tr;
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
	return try_remove(is_listed(tr) ? tr : NULL);
}
EXPORT_SYMBOL_GPL(trace_array_destroy);

/**
 * trace_components_set - tell which components an instance is made of
 * @table: the components in the order of their creation; it must stay
 * @nr: the number of entries in @table
 *
 * Context: boot, once, before trace_instance_early_init().
 */
void __init trace_components_set(struct trace_component * const *table, unsigned int nr)
{
	unsigned int i;

	components = table;
	nr_components = nr;
	for (i = 0; i < nr; i++)
		table[i]->slot = i + 1;
}

static int __init make_top(void)
{
	struct trace_array *tr;
	int ret;

	guard(trace_instances)();

	tr = alloc_array(NULL, NULL, NULL);
	if (!tr)
		return -ENOMEM;
	/* The top instance is never removed. */
	tr->ref = 1;
	trace_clock_init(tr);
	trace_options_apply_boot(tr);
	ret = create_components(tr);
	if (ret) {
		free_array(tr);
		return ret;
	}
	list_add(&tr->list, &instances);
	trace_snapshot_boot_alloc(tr);
	/* Pairs with the READ_ONCE() in trace_top_instance(): all is set up. */
	smp_store_release(&top, tr);
	return 0;
}

/**
 * trace_instance_early_init - make the top instance
 *
 * Context: early_trace_init(): memory is up, one CPU runs.
 * Return: 0 or an errno, then tracing stays off for good.
 */
int __init trace_instance_early_init(void)
{
	int ret;

	/* Buffers join this state when they are allocated. */
	ret = cpuhp_setup_state_multi(CPUHP_TRACE_RB_PREPARE, "trace/RB:prepare",
				      trace_rb_cpu_prepare, NULL);
	if (ret >= 0)
		ret = trace_comm_init();
	if (!ret)
		ret = make_top();
	if (ret) {
		trace_disable_for_good();
		pr_err("tracing: no top instance: error %d\n", ret);
		return ret;
	}
	trace_export_listen(trace_tracers_exports_changed);
	return 0;
}

/* The files of all components, in their order. */
int trace_components_create_files(struct trace_array *tr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr_components; i++) {
		if (!components[i]->create_files)
			continue;
		ret = components[i]->create_files(tr, tr->dir);
		if (ret)
			return ret;
	}
	return 0;
}
