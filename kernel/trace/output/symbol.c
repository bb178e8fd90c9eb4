// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses as text: kernel symbols in the form that the options sym-offset and sym-addr
 * say, and user addresses as offsets into their files.
 *
 * Looking a symbol up costs more than all the rest of a line: kallsyms searches the
 * addresses, and for the name it skips through up to 255 others and expands it. So an open
 * file keeps the texts of some thousand addresses. For an address that is not among them,
 * the start of its function is looked for there: without options, "function" is printed and
 * not "function+offset", so that all addresses in a function have the same text, and its start
 * is cheaper to find than its name.
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

#define SYMBOL_BITS	11
#define SYMBOL_TEXT	55
#define SYMBOL_MAX	(KSYM_SYMBOL_LEN + 2 * sizeof(long) + sizeof(" <>"))
#define SYMBOL_OPTS	(TRACE_OPT_SYM_OFFSET | TRACE_OPT_SYM_ADDR)

/* The text of an address. */
struct trace_symbol {
	unsigned long	ip;		/* file's lock; 0: free */
	u8		len;		/* file's lock */
	char		text[SYMBOL_TEXT];	/* file's lock */
};

/* The texts that an open file keeps, by a hash of the address. */
struct trace_symbols {
	int			generation;	/* file's lock; symbols_generation, of the texts */
	u32			opts;		/* file's lock; options, of the texts */
	struct trace_symbol	slot[1 << SYMBOL_BITS];	/* file's lock */
};

/*
 * Counts modules that come and go. Texts are kept for addresses of the kernel and of
 * modules only, whose names do not change in between.
 */
static atomic_t symbols_generation = ATOMIC_INIT(0);

static int symbols_module_event(struct notifier_block *nb, unsigned long action, void *data)
{
	atomic_inc(&symbols_generation);
	return NOTIFY_DONE;
}

static struct notifier_block symbols_module_nb = {
	.notifier_call = symbols_module_event,
};

/* Boot, once. 0, or the errno of register_module_notifier(). */
int __init trace_symbols_init(void)
{
	return register_module_notifier(&symbols_module_nb);
}

/**
 * trace_print_state_init - prepare printing for one open file
 * @state: zeroed; @next_ts and @dump are the caller's
 *
 * Without memory for the cache, symbols are looked up each time.
 *
 * Context: task, may sleep. trace_print_state_free() must follow.
 */
void trace_print_state_init(struct trace_print_state *state)
{
	state->symbols = kvzalloc(sizeof(*state->symbols), GFP_KERNEL);
}

/**
 * trace_print_state_free - undo trace_print_state_init()
 * @state: nobody prints with it any more
 *
 * Context: task, may sleep.
 */
void trace_print_state_free(struct trace_print_state *state)
{
	kvfree(state->symbols);
	state->symbols = NULL;
}

/* The place of an address. Texts of other options, or before the last module, are dropped. */
static struct trace_symbol *symbol_slot(struct trace_symbols *symbols, unsigned long ip, u32 opts)
{
	int now = atomic_read(&symbols_generation);

	if (unlikely(symbols->generation != now || symbols->opts != opts)) {
		memset(symbols->slot, 0, sizeof(symbols->slot));
		symbols->generation = now;
		symbols->opts = opts;
	}
	return &symbols->slot[hash_long(ip, SYMBOL_BITS)];
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

/* The text of an address, SYMBOL_MAX bytes at most. Returns its length. */
static size_t symbol_text(char *text, unsigned long ip, u32 opts)
{
	size_t len = symbol_name(text, ip, opts);

	if (opts & TRACE_OPT_SYM_ADDR)
		len += scnprintf(text + len, SYMBOL_MAX - len, " <%0*lx>",
				 (int)(2 * sizeof(long)), ip);
	return len;
}

static void symbol_keep(struct trace_symbol *slot, unsigned long ip, const char *text, size_t len)
{
	slot->ip = ip;
	slot->len = len;
	memcpy(slot->text, text, len);
}

/*
 * The place of the start of the function that @ip is in, whose text is that of @ip as
 * well. NULL: the options show more than the function, or it is not known.
 */
static struct trace_symbol *symbol_start_slot(struct trace_symbols *symbols, unsigned long ip,
					      u32 opts, unsigned long *start)
{
	unsigned long size, offset;

	if (opts || is_kretprobe_trampoline(ip) ||
	    !kallsyms_lookup_size_offset(ip, &size, &offset))
		return NULL;
	*start = ip - offset;
	return symbol_slot(symbols, *start, opts);
}

/* Print an address that is not in @slot, and keep its text there; NULL: do not. */
static void symbol_print_new(struct trace_iterator *iter, unsigned long ip, u32 opts,
			     struct trace_symbol *slot)
{
	const struct trace_print_state *state = iter->private;
	bool stays = slot && (core_kernel_text(ip) || is_module_text_address(ip));
	struct trace_symbol *first = NULL;
	char text[SYMBOL_MAX];
	unsigned long start;
	size_t len;

	if (stays)
		first = symbol_start_slot(state->symbols, ip, opts, &start);
	if (first && first->ip == start) {
		trace_seq_putmem(&iter->seq, first->text, first->len);
		if (first != slot)
			symbol_keep(slot, ip, first->text, first->len);
		return;
	}
	len = symbol_text(text, ip, opts);
	trace_seq_putmem(&iter->seq, text, len);
	if (!stays || len > SYMBOL_TEXT)
		return;
	if (first)
		symbol_keep(first, start, text, len);
	symbol_keep(slot, ip, text, len);
}

/* Print an address as @opts say, by its text if that is kept. */
static __always_inline void symbol_print(struct trace_iterator *iter, unsigned long ip, u32 opts)
{
	const struct trace_print_state *state = iter->private;
	struct trace_symbol *slot = NULL;
	char *p;

	if (likely(state && state->symbols))
		slot = symbol_slot(state->symbols, ip, opts);
	if (unlikely(!slot || slot->ip != ip)) {
		symbol_print_new(iter, ip, opts, slot);
		return;
	}
	/* A copy of fixed length is cheap, and there is room for it. */
	p = trace_text_begin(&iter->seq, SYMBOL_TEXT);
	if (p) {
		memcpy(p, slot->text, SYMBOL_TEXT);
		trace_text_end(&iter->seq, p + slot->len);
	}
}

/**
 * trace_print_ip - a kernel address as a symbol
 * @iter: where to, and whose options
 * @ip: address
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
void trace_print_ip(struct trace_iterator *iter, unsigned long ip)
{
	if (unlikely(!ip))
		trace_seq_putc(&iter->seq, '0');
	else
		symbol_print(iter, trace_ip_now(iter, ip),
			     READ_ONCE(iter->tr->options) & SYMBOL_OPTS);
}

/* As trace_print_ip() does with other options. Only texts of the instance's options are kept. */
static void symbol_print_as(struct trace_iterator *iter, unsigned long ip, u32 opts)
{
	char text[SYMBOL_MAX];
	size_t len;

	if (!ip || opts == (READ_ONCE(iter->tr->options) & SYMBOL_OPTS)) {
		trace_print_ip(iter, ip);
		return;
	}
	len = symbol_text(text, trace_ip_now(iter, ip), opts);
	trace_seq_putmem(&iter->seq, text, len);
}

/**
 * trace_print_ip_offset - a kernel address as a symbol with offset and size
 * @iter: where to, and whose options
 * @ip: address
 *
 * As trace_print_ip() does with the option sym-offset, whether that is set or not.
 *
 * Context: any context of a reader, ftrace_dump() in NMI included.
 */
void trace_print_ip_offset(struct trace_iterator *iter, unsigned long ip)
{
	symbol_print_as(iter, ip,
			(READ_ONCE(iter->tr->options) & SYMBOL_OPTS) | TRACE_OPT_SYM_OFFSET);
}

/**
 * trace_print_ip_name - a kernel address as a symbol without offset and size
 * @iter: where to, and whose options
 * @ip: address
 *
 * As trace_print_ip() does without the option sym-offset, whether that is set or not.
 *
 * Context: any context of a reader, ftrace_dump() in NMI included.
 */
void trace_print_ip_name(struct trace_iterator *iter, unsigned long ip)
{
	symbol_print_as(iter, ip,
			READ_ONCE(iter->tr->options) & SYMBOL_OPTS & ~TRACE_OPT_SYM_OFFSET);
}

/**
 * trace_print_function - a function by its name, and its module behind that
 * @iter: where to
 * @ip: an address in the function
 *
 * The options that change what trace_print_ip() shows do not count.
 *
 * Context: any context of a reader, ftrace_dump() in NMI included.
 */
void trace_print_function(struct trace_iterator *iter, unsigned long ip)
{
	ip = trace_ip_now(iter, ip);
	/* A function of the kernel is printed the same, by the texts that are kept. */
	if (likely(core_kernel_text(ip) && !trace_option(iter->tr, SYMBOL_OPTS)))
		symbol_print(iter, ip, 0);
	else
		trace_seq_printf(&iter->seq, "%ps", (void *)ip);
}

static struct mm_struct *symbol_user_mm(struct trace_iterator *iter, unsigned int tgid)
{
	const struct trace_print_state *state = iter->private;
	struct task_struct *task;

	/* Not in a dump: it may run in NMI, and in the middle of anything. */
	if (!trace_option(iter->tr, TRACE_OPT_SYM_USEROBJ) || !state || state->dump)
		return NULL;
	guard(rcu)();
	task = find_task_by_pid_ns(tgid, &init_pid_ns);
	return task ? get_task_mm(task) : NULL;
}

/*
 * Print a user address as an offset into a file. Return false if it is in no file, or if the
 * mappings are being changed. We do not wait for mmap_lock: its holder may wait for the events
 * mutex, and the holder of the events mutex for our trace_types_read_unlock().
 */
static bool symbol_print_user_file(struct trace_seq *s, struct mm_struct *mm, unsigned long ip)
{
	struct vm_area_struct *vma;
	bool found;

	if (!mmap_read_trylock(mm))
		return false;
	vma = vma_lookup(mm, ip);
	found = vma && vma->vm_file;
	if (found && trace_seq_path(s, file_user_path(vma->vm_file)))
		trace_seq_printf(s, "[+0x%lx]", ip - vma->vm_start);
	mmap_read_unlock(mm);
	return found;
}

/*
 * A line for each address of user code, in the mappings that the task has now if
 * the option sym-userobj asks for them. If the task exits meanwhile, ours may be the last
 * reference to its mappings. Taking them down may close perf's events and so take the
 * events mutex, which comes before the lock that the reader holds: a worker does it.
 */
void trace_print_user_ips(struct trace_iterator *iter, unsigned int tgid,
			  const unsigned long *ips, unsigned int nr)
{
	struct mm_struct *mm = symbol_user_mm(iter, tgid);
	struct trace_seq *s = &iter->seq;

	for (; nr && !trace_seq_has_overflowed(s); nr--, ips++) {
		trace_seq_puts(s, " => ");
		if (!mm || !symbol_print_user_file(s, mm, *ips) ||
		    trace_option(iter->tr, TRACE_OPT_SYM_ADDR))
			trace_seq_printf(s, " <%0*lx>", (int)(2 * sizeof(long)), *ips);
		trace_seq_putc(s, '\n');
	}
	if (mm)
		mmput_async(mm);
}
