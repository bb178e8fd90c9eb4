// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses as text: kernel symbols as the options sym-offset and sym-addr
 * want them, and user addresses as offsets into their files. A trace names
 * few functions many times, so an open file keeps the last few hundred texts.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "instance/option.h"
#include "output/format.h"
#include "output/internal.h"
#include "output/output.h"

#define SYMBOL_BITS	9
#define SYMBOL_TEXT	55
#define SYMBOL_MAX	(KSYM_SYMBOL_LEN + 2 * sizeof(long) + sizeof(" <>"))
#define SYMBOL_OPTS	(TRACE_OPT_SYM_OFFSET | TRACE_OPT_SYM_ADDR)

struct trace_symbol {
	unsigned long	ip;		/* 0: free */
	u8		len;
	char		text[SYMBOL_TEXT];
};

/* Owned by one iterator, protected by what protects that. */
struct trace_symbols {
	int			generation;
	u32			opts;
	struct trace_symbol	slot[1 << SYMBOL_BITS];
};

/*
 * Moves when modules come and go. Only kernel and module text is kept, whose
 * names cannot change in between.
 */
static atomic_t generation = ATOMIC_INIT(0);

static int symbols_module_event(struct notifier_block *nb, unsigned long action, void *data)
{
	atomic_inc(&generation);
	return NOTIFY_DONE;
}

static struct notifier_block symbols_module_nb = {
	.notifier_call = symbols_module_event,
};

int __init trace_symbols_init(void)
{
	return register_module_notifier(&symbols_module_nb);
}

/**
 * trace_print_state_init - prepare printing for one open file
 * @state: zeroed; @next_ts and @dump are the caller's
 *
 * Task context, may sleep. Without memory for the cache it prints slower.
 */
void trace_print_state_init(struct trace_print_state *state)
{
	state->symbols = kvzalloc(sizeof(*state->symbols), GFP_KERNEL);
}

void trace_print_state_free(struct trace_print_state *state)
{
	kvfree(state->symbols);
	state->symbols = NULL;
}

static struct trace_symbol *cache_slot(struct trace_symbols *cache,
				       unsigned long ip, u32 opts)
{
	int now = atomic_read(&generation);

	if (unlikely(cache->generation != now || cache->opts != opts)) {
		memset(cache->slot, 0, sizeof(cache->slot));
		cache->generation = now;
		cache->opts = opts;
	}
	return &cache->slot[hash_long(ip, SYMBOL_BITS)];
}

static size_t symbol_name(char *text, unsigned long ip, u32 opts)
{
	const char *name = text;

	text[0] = '\0';
	if (is_kretprobe_trampoline(ip))
		return strscpy(text, "[unknown/kretprobe'd]", KSYM_SYMBOL_LEN);
	if (opts & TRACE_OPT_SYM_OFFSET)
		sprint_symbol(text, ip);
	else
		name = kallsyms_lookup(ip, NULL, NULL, NULL, text);
	if (!name || !*name)
		return scnprintf(text, SYMBOL_MAX, "0x%08lx", ip);
	return strlen(text);
}

static void print_symbol_slow(struct trace_iterator *iter, unsigned long ip, u32 opts,
			      struct trace_symbol *slot)
{
	char text[SYMBOL_MAX];
	size_t len = symbol_name(text, ip, opts);

	if (opts & TRACE_OPT_SYM_ADDR)
		len += scnprintf(text + len, sizeof(text) - len, " <%0*lx>",
				 (int)(2 * sizeof(long)), ip);
	trace_seq_putmem(&iter->seq, text, len);

	if (slot && len <= SYMBOL_TEXT &&
	    (core_kernel_text(ip) || is_module_text_address(ip))) {
		slot->ip = ip;
		slot->len = len;
		memcpy(slot->text, text, len);
	}
}

/**
 * trace_print_ip - a kernel address as a symbol
 * @iter: where to, and whose options
 * @ip: address
 *
 * Reader's context, NMI included for an iterator of its own.
 */
void trace_print_ip(struct trace_iterator *iter, unsigned long ip)
{
	const struct trace_print_state *state = iter->private;
	u32 opts = READ_ONCE(iter->tr->options) & SYMBOL_OPTS;
	struct trace_symbol *slot = NULL;
	long delta = READ_ONCE(iter->tr->text_delta);
	char *p;

	if (unlikely(!ip)) {
		trace_seq_putc(&iter->seq, '0');
		return;
	}
	/* An address of the last boot, when the kernel was somewhere else. */
	if (unlikely(delta && core_kernel_text(ip + delta)))
		ip += delta;
	if (likely(state && state->symbols))
		slot = cache_slot(state->symbols, ip, opts);
	if (likely(slot && slot->ip == ip)) {
		p = trace_text_begin(&iter->seq, SYMBOL_TEXT);
		if (p)
			trace_text_end(&iter->seq, trace_text_mem(p, slot->text, slot->len));
		return;
	}
	print_symbol_slow(iter, ip, opts, slot);
}

static struct mm_struct *user_mm(struct trace_iterator *iter, unsigned int tgid)
{
	const struct trace_print_state *state = iter->private;
	struct task_struct *task;

	/* Looking into it sleeps, which only the reader of a file may. */
	if (!trace_option(iter->tr, TRACE_OPT_SYM_USEROBJ) || !state || state->dump)
		return NULL;
	guard(rcu)();
	task = find_task_by_pid_ns(tgid, &init_pid_ns);
	return task ? get_task_mm(task) : NULL;
}

/* True: it was printed as an offset into a file. */
static bool print_user_file(struct trace_seq *s, struct mm_struct *mm, unsigned long ip)
{
	struct vm_area_struct *vma;
	bool found;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, ip);
	found = vma && vma->vm_file;
	if (found && trace_seq_path(s, file_user_path(vma->vm_file)))
		trace_seq_printf(s, "[+0x%lx]", ip - vma->vm_start);
	mmap_read_unlock(mm);
	return found;
}

/*
 * A line for each address of user code, in the mappings that the task has now if
 * the option sym-userobj asks for them. Sleeps then, but not in a dump.
 */
void trace_print_user_ips(struct trace_iterator *iter, unsigned int tgid,
			  const unsigned long *ips, unsigned int nr)
{
	struct mm_struct *mm = user_mm(iter, tgid);
	struct trace_seq *s = &iter->seq;

	for (; nr && !trace_seq_has_overflowed(s); nr--, ips++) {
		trace_seq_puts(s, " => ");
		if (!mm || !print_user_file(s, mm, *ips) ||
		    trace_option(iter->tr, TRACE_OPT_SYM_ADDR))
			trace_seq_printf(s, " <%0*lx>", (int)(2 * sizeof(long)), *ips);
		trace_seq_putc(s, '\n');
	}
	if (mm)
		mmput(mm);
}
