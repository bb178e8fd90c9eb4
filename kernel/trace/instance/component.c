// SPDX-License-Identifier: GPL-2.0
/*
 * The table of components, and the calls that go through all of it.
 */
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

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
	for (i = 0; i < nr; i++)
		table[i]->slot = i + 1;
}

/**
 * trace_components_count - the number of components
 *
 * Context: any.
 * Return: the greatest slot that a component has.
 */
unsigned int trace_components_count(void)
{
	return nr_components;
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
	/* Pairs with the READ_ONCE() in trace_component_data(), whose caller finds *data set up. */
	smp_store_release(&tr->component_data[component->slot], data);
}

static void components_destroy_before(struct trace_array *tr, struct trace_component * const *end)
{
	while (end-- > components) {
		if ((*end)->destroy)
			(*end)->destroy(tr);
	}
}

/**
 * trace_components_create - create all components of an instance
 * @tr: the instance
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, or the errno of a component that failed; none is left then.
 */
int trace_components_create(struct trace_array *tr)
{
	struct trace_component * const *p;
	int ret;

	trace_instances_assert_locked();
	for_each_component(p) {
		ret = (*p)->create ? (*p)->create(tr) : 0;
		if (ret) {
			pr_warn("tracing: no %s: error %d\n", (*p)->name, ret);
			components_destroy_before(tr, p);
			return ret;
		}
	}
	return 0;
}

/**
 * trace_components_retreat - let no hook of an instance be called any more
 * @tr: the instance, which is going to be removed and nobody has a reference of
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: true if ftrace_hooks_synchronize() has to follow before the components are destroyed.
 */
bool trace_components_retreat(struct trace_array *tr)
{
	struct trace_component * const *p = components + nr_components;
	bool going_on = false;

	trace_instances_assert_locked();
	while (p-- > components) {
		if ((*p)->retreat)
			going_on |= (*p)->retreat(tr);
	}
	return going_on;
}

/**
 * trace_components_destroy - destroy all components of an instance
 * @tr: the instance, which nobody can find any more
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_components_destroy(struct trace_array *tr)
{
	trace_instances_assert_locked();
	components_destroy_before(tr, components + nr_components);
}

/**
 * trace_components_create_files - make the files of an instance
 * @tr: the instance
 *
 * The first component makes the folder of the others.
 *
 * Context: task, may sleep; trace_instances_lock() is held; tracefs is up.
 * Return: 0, or the errno of a component that failed; the files of those before
 * it stay until the components are destroyed.
 */
int trace_components_create_files(struct trace_array *tr)
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
