/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of an instance, in the order of setup.c's table. The code that creates and removes
 * instances calls no part by name.
 */
#ifndef _TRACE_INSTANCE_COMPONENT_H
#define _TRACE_INSTANCE_COMPONENT_H

#include "instance/instance.h"

struct dentry;
struct seq_file;

/**
 * struct trace_slot - where an instance has the data of a component
 * @nr: the place of the component in the table of setup.c, counted from 1;
 *	trace_components_set() sets it. 0: the component is not in the table, its data are NULL
 *
 * A slot stands at the bottom of its folder, where all files can use it. The component stands at
 * the top: it names the functions of these files.
 */
struct trace_slot {
	unsigned int	nr;
};

#define DEFINE_TRACE_SLOT(name)	struct trace_slot name __ro_after_init

/**
 * struct trace_component - a part of every instance
 * @name:	names the component in messages
 * @readme:	its paragraph of the file README
 * @create:	allocates the component's data; for the top instance, this is in
 *		early boot and no files exist yet
 * @create_files: makes its files in @dir; tracefs is up. @dir is NULL for the
 *		top instance, which tracefs takes for its root
 * @retreat:	lets no function call the instance's hooks, no tracepoint its probes, and no reader
 *		find it that has no reference. Calls that have begun go on until @destroy: in
 *		between, trace_instances_lock() is given back, and probes and RCU are waited for.
 *		Return: true if callbacks of hooks may be going on; they are waited for as well,
 *		which takes until each CPU has scheduled
 * @destroy:	undoes @create and @create_files; nobody uses the instance any more, and it
 *		does not wait for anybody
 * @release:	frees what interrupts and timers may still use, when it has waited for them. It
 *		follows @destroy, also if only a part of @create was done, and nobody finds the
 *		instance any more
 * @option_changing: is asked before an option of the instance changes; an errno
 *		refuses it. It changes nothing, since a component that is asked after it
 *		may refuse. The instance may not have data of the component yet
 * @option_changed: is told that an option of the instance was changed
 * @slot:	where an instance has the data of the component; NULL: it has none, or they are
 *		in @own
 * @own:	the slot of a component whose data no file below needs
 *
 * Every callback may be NULL. They are called in the order of the table, @retreat, @destroy and
 * @release in reverse order. A component that sees options when it is created finds them set:
 * option_changed() is not called before.
 *
 * A component and its slot are defined with __ro_after_init, because they get numbers at boot.
 *
 * Context of all callbacks: task, may sleep; trace_instances_lock() is held, but not in @release.
 */
struct trace_component {
	const char	*name;
	const char	*readme;
	int		(*create)(struct trace_array *tr);
	int		(*create_files)(struct trace_array *tr, struct dentry *dir);
	bool		(*retreat)(struct trace_array *tr);
	void		(*destroy)(struct trace_array *tr);
	void		(*release)(struct trace_array *tr);
	int		(*option_changing)(struct trace_array *tr, u32 opt, bool on);
	void		(*option_changed)(struct trace_array *tr, u32 opt, bool on);
	struct trace_slot	*slot;
	struct trace_slot	own;
};

/**
 * trace_slot_data - the data that an instance has in a slot
 * @tr: the instance
 * @slot: the slot
 *
 * Context: any.
 * Return: the pointer that trace_slot_set_data() has set, NULL before.
 */
static inline void *trace_slot_data(const struct trace_array *tr, const struct trace_slot *slot)
{
	/* Pairs with the smp_store_release() in trace_slot_set_data(). */
	return READ_ONCE(tr->slots[slot->nr]);
}

void trace_slot_set_data(struct trace_array *tr, const struct trace_slot *slot, void *data);

static inline void *trace_component_data(const struct trace_array *tr,
					 const struct trace_component *component)
{
	return trace_slot_data(tr, &component->own);
}

static inline void trace_component_set_data(struct trace_array *tr,
					    const struct trace_component *component, void *data)
{
	trace_slot_set_data(tr, &component->own, data);
}

/* setup.c hands over the table once, before the top instance is created. */
void trace_components_set(struct trace_component * const *table, unsigned int nr);

/* Calls that go to all components, in the order of the table. N */
int trace_components_option_changing(struct trace_array *tr, u32 opt, bool on);
void trace_components_option_changed(struct trace_array *tr, u32 opt, bool on);
void trace_components_readme(struct seq_file *m);

/* The components that an instance has of instance/ itself. */
extern struct trace_component trace_folder_component;
extern struct trace_component trace_option_component;
extern struct trace_component trace_buffers_component;
extern struct trace_component trace_switch_component;
extern struct trace_component trace_snapshot_component;
extern struct trace_component trace_error_component;
extern struct trace_component trace_comm_component;
extern struct trace_component trace_tracer_component;
/* The components that are files only, in the order of README. */
extern struct trace_component trace_switch_files_component;
extern struct trace_component trace_tracer_files_component;
extern struct trace_component trace_option_files_component;
extern struct trace_component trace_buffer_files_component;
extern struct trace_component trace_clock_component;
extern struct trace_component trace_error_file_component;
extern struct trace_component trace_readme_component;
extern struct trace_component trace_refusing_component;	/* of the tests */

#endif /* _TRACE_INSTANCE_COMPONENT_H */
