// SPDX-License-Identifier: GPL-2.0
/*
 * Which system call has which number. The table of the architecture has the address of each
 * call's function, the symbol at the address has the name of a call, and the description of
 * the call has that name, too.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kallsyms.h>

#include "events/syscalls/internal.h"
#include "events/syscalls/syscalls.h"

/* Collected by the linker. */
extern struct syscall_metadata *__start_syscalls_metadata[];
extern struct syscall_metadata *__stop_syscalls_metadata[];

struct syscall_metadata *trace_syscall_numbers[NR_syscalls] __ro_after_init;
struct syscall_user *trace_syscall_users[NR_syscalls] __ro_after_init;

unsigned long __init __weak arch_syscall_addr(int nr)
{
	return (unsigned long)sys_call_table[nr];
}

/*
 * The description of the call whose function is at @addr; NULL: there is none. The function of
 * numbers without a call has a description, too, and no events.
 */
static struct syscall_metadata * __init syscall_numbers_find(unsigned long addr)
{
	static char symbol[KSYM_NAME_LEN] __initdata;
	struct syscall_metadata **meta;

	if (!kallsyms_lookup(addr, NULL, NULL, NULL, symbol))
		return NULL;
	if (arch_syscall_match_sym_name(symbol, "sys_ni_syscall"))
		return NULL;
	for (meta = __start_syscalls_metadata; meta < __stop_syscalls_metadata; meta++) {
		if (arch_syscall_match_sym_name(symbol, (*meta)->name))
			return *meta;
	}
	return NULL;
}

/**
 * trace_event_syscalls_init - give system calls their numbers
 *
 * Context: boot, once, before their events are registered.
 */
void __init trace_event_syscalls_init(void)
{
	struct syscall_metadata *meta;

	for (int nr = 0; nr < NR_syscalls; nr++) {
		meta = syscall_numbers_find(arch_syscall_addr(nr));
		/* An event has one number: a function that has more is known by the first. */
		if (!meta || meta->syscall_nr >= 0)
			continue;
		meta->syscall_nr = nr;
		trace_syscall_numbers[nr] = meta;
		trace_syscall_users[nr] = trace_syscall_user_make(meta);
	}
}

/**
 * trace_event_syscall_name - the name of a system call
 * @nr: its number
 *
 * Context: any, after boot.
 * Return: "sys_NAME"; NULL: no call that has events has the number.
 */
const char *trace_event_syscall_name(unsigned int nr)
{
	return nr < NR_syscalls && trace_syscall_numbers[nr] ? trace_syscall_numbers[nr]->name :
							       NULL;
}
