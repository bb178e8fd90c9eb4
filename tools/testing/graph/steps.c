// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of hooked functions with an NMI after each of their instructions in turn: of the
 * entry of each user, and of the return. The NMI calls hooked functions itself and walks
 * the stack. The processor's trace flag makes a SIGTRAP after every instruction. Its handler
 * forks: in the child it is the NMI, behind which the calls go on and end; the parent
 * steps to the next instruction.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "shim/step.h"

static unsigned long steps, data_sum;
static bool interrupted, until_stack;

/* Shared with the children. Only one runs at a time, since the parent waits for it. */
static struct {
	unsigned long nmis, failures, checks;
	bool found_stack;
} *told;

/* The words of a stack on which return addresses stand, outer calls first. */
#define WORDS	8

static unsigned long words[WORDS];
static unsigned int nr_words;

static unsigned long real_of(const unsigned long *word)
{
	return 0x10000 + (word - words);
}

/*
 * A walk of the stack finds the return address of each function that is on it. Only NMIs walk:
 * it is the calls that are stepped through.
 */
static void walk_stack(void)
{
	unsigned int i;

	if (!shim_level)
		return;
	for (i = 0; i < nr_words; i++)
		expect(ftrace_graph_ret_addr(current, NULL, READ_ONCE(words[i]), &words[i]) ==
		       real_of(&words[i]));
}

static int user_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	unsigned long *data;
	unsigned int i;

	if (gops->private)
		return 0;
	data = fgraph_reserve_data(gops->idx, (gops->idx + 1) * sizeof(*data));
	expect(data);
	for (i = 0; i <= gops->idx; i++)
		data[i] = trace->func + i;
	data_sum += trace->func;
	return 1;
}

static void user_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	unsigned long *data;
	int size = 0;

	data = fgraph_retrieve_data(gops->idx, &size);
	expect(data && size == (gops->idx + 1) * sizeof(*data));
	expect(data && data[gops->idx] == trace->func + gops->idx);
	data_sum -= trace->func;
	/* The frame is still there. */
	walk_stack();
}

/* The third user does not want returns, and does not keep others from it. */
static struct fgraph_ops users[3] = {
	{ .entryfunc = user_entry, .retfunc = user_return, .sole_return = graph_return_user,
	  .idx = 0, .bit = BIT(0), .since = 1 },
	{ .entryfunc = user_entry, .retfunc = user_return, .sole_return = graph_return_user,
	  .idx = 3, .bit = BIT(3), .since = 1, .private = &users },
	{ .entryfunc = user_entry, .retfunc = user_return, .sole_return = graph_return_user,
	  .idx = 14, .bit = BIT(14), .since = 1 },
};

/*
 * Does the NMI let the user below forget its calls, and record those that come? As the tracer
 * does with a new threshold, which lets all callbacks end that go by the old one, and before
 * that makes them record nothing.
 */
static bool renews, renewed;

static bool short_is_off(void)
{
	return renews && !READ_ONCE(renewed);
}

/* A user with a short way, which has no data. */
static int short_any_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	if (short_is_off())
		return 0;
	data_sum += trace->func;
	return 1;
}

static void short_any_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	data_sum -= trace->func;
	walk_stack();
}

static void short_return(struct ftrace_regs *fregs, struct graph_stack *stack,
			 struct fgraph_ops *gops, struct ftrace_ret_stack *frame)
{
	if (shim_level || !graph_short_leave(stack, frame)) {
		graph_return_long(fregs, stack, frame);
		return;
	}
	data_sum -= frame->func;
	graph_short_return(fregs, stack, frame, stack->nr - 1);
}

static struct fgraph_ops short_user = {
	.entryfunc = short_any_entry, .retfunc = short_any_return, .sole_return = short_return,
	.idx = 5, .bit = BIT(5), .since = 1
};

static void short_entry(unsigned long func, struct ftrace_regs *fregs)
{
	struct graph_short_call call;

	/* As with trace_task_usual(): the short way is for tasks. The epoch is read last. */
	if (shim_level || short_is_off() || !graph_short_enter(func, fregs, &call)) {
		graph_hook_entry(func, *fregs->retp, &short_user.ops, fregs);
		return;
	}
	data_sum += func;
	graph_short_hook(&call, func, 1, &short_user);
}

/* It does not matter to a probe which hook has pushed the frame of the innermost call. */
static int probe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	expect(ret_ip == real_of(words + nr_words - 1));
	expect(!data == !fp->entry_data_size);
	if (data)
		*(unsigned long *)data = ip + fp->nr_maxactive;
	data_sum += ip;
	return 0;
}

static void probe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	expect(ret_ip == real_of(words + nr_words - 1) && regs->ip == ret_ip);
	expect(!data == !fp->entry_data_size);
	expect(!data || *(unsigned long *)data == ip + fp->nr_maxactive);
	data_sum -= ip;
	walk_stack();
}

static int probe_decline(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	return 1;
}

/*
 * The first one has a frame of its own, if no user comes before it. The last one does not want
 * returns. Two have room for no more calls than there are at a time, three of the task and
 * three of the NMI: none is lost.
 */
#define PROBES	4

static struct fprobe probes[PROBES] = {
	{ .entry_handler = probe_entry, .exit_handler = probe_exit, .nr_maxactive = 6 },
	{ .entry_handler = probe_entry, .exit_handler = probe_exit, .entry_data_size = 8,
	  .nr_maxactive = 6 },
	{ .entry_handler = probe_entry, .exit_handler = probe_exit, .entry_data_size = 24 },
	{ .entry_handler = probe_decline, .exit_handler = probe_exit, .nr_maxactive = 6 },
};

/*
 * The hooks that are called at entries: the user with a short way, or not; and then the users;
 * one of them, and the probes; or one probe, a user and the other probes.
 */
static unsigned int users_first, users_behind, nr_probes;
static bool short_first, short_last;

static void call_user(unsigned int i, unsigned long func, struct ftrace_regs *fregs)
{
	graph_hook_entry(func, *fregs->retp, &users[i].ops, fregs);
}

/* The entries of all, at the site of @func. */
static void call_entries(unsigned long func, struct ftrace_regs *fregs)
{
	unsigned int i;

	if (short_first)
		short_entry(func, fregs);
	for (i = 0; i < users_first; i++)
		call_user(i, func, fregs);
	for (i = 0; i < nr_probes; i++) {
		graph_fprobe_func(&probes[i])(func, *fregs->retp, &probes[i].ops, fregs);
		if (i < users_behind)
			call_user(i, func, fregs);
	}
	if (short_last)
		short_entry(func, fregs);
}

/* One call: @func's site calls the entries of all users, the body runs, it returns. */
static void call_function(unsigned long func, bool jump, void (*body)(void))
{
	unsigned long *word = &words[nr_words];
	struct ftrace_regs fregs = { .retp = word };

	*word = real_of(word);
	barrier();
	nr_words++;
	call_entries(func, &fregs);
	/* It ends with a jump to another one. */
	if (jump)
		call_entries(func + 1, &fregs);
	if (body)
		body();
	while (READ_ONCE(*word) == (unsigned long)return_to_handler)
		ftrace_return_to_handler(&fregs);
	expect(*word == real_of(word));
	nr_words--;
}

static void call_leaf(void)
{
	call_function(0x30000, true, walk_stack);
}

/* Slots that hold no frame have no retp, even where data of a call have been before. */
static void check_free(const struct graph_stack *stack)
{
	const struct ftrace_ret_stack *frame;

	for (frame = &stack->frames[stack->nr];
	     (const void *)(frame + 1) <= (const void *)stack + stack->data; frame++)
		expect(!frame->retp);
}

static void nmi(void)
{
	unsigned int nr = nr_words;
	int level = shim_level;

	told->nmis++;
	told->found_stack = current->graph_stack;
	shim_level = 3;
	if (renews) {
		short_user.since = graph_state.epoch + 1;
		graph_state.epoch++;
		renewed = true;
	}
	if (current->graph_stack)
		check_free(current->graph_stack);
	walk_stack();
	/* The word that the interrupted call is about to use is below. */
	nr_words += 2;
	words[nr_words - 2] = real_of(&words[nr_words - 2]);
	words[nr_words - 1] = real_of(&words[nr_words - 1]);
	call_function(0x40000, false, call_leaf);
	walk_stack();
	nr_words = nr;
	shim_level = level;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	int status = -1;
	pid_t child;

	(void)signal;
	(void)info;
	steps++;
	child = fork();
	if (!child) {
		shim_step_end(context);
		interrupted = true;
		test_failures = 0;
		test_checks = 0;
		nmi();
		return;
	}
	if (!expect(waitpid(child, &status, 0) == child && !status))
		fprintf(stderr, "at instruction %lu\n", steps);
	if (until_stack && told->found_stack)
		shim_step_end(context);
}

static void traced_calls(void)
{
	call_function(0x20000, false, call_leaf);
}

static unsigned int spares_left(void)
{
	unsigned int nr = 0;

	while (graph_task_give()) {
		/* In a child, freeing would only make the kernel copy the page. */
		if (!interrupted)
			free(current->graph_stack);
		current->graph_stack = NULL;
		nr++;
	}
	return nr;
}

/*
 * Take all spare stacks, and ask for more of them many times. The work item that would bring
 * them never runs here, and is asked for once.
 */
static unsigned int check_asks_once(void)
{
	unsigned int nr = spares_left(), i;

	for (i = 0; i < 100; i++)
		expect(!graph_task_give());
	expect(shim_irq_works == 1);
	return nr;
}

/* The calls have left nothing behind, and each shadow stack has exactly one owner. */
static void check_end(unsigned int spares)
{
	unsigned int i;

	expect(current->graph_stack->nr == 0 && nr_words == 0);
	expect(current->graph_stack->data == GRAPH_STACK_SIZE);
	expect(current->trace_recursion == 0);
	for (i = 0; i < GRAPH_FRAMES; i++)
		expect(!current->graph_stack->frames[i].retp);
	expect(data_sum == 0);
	test_task_anew();
	expect(!graph_ahead_want());
	expect(spares_left() == spares);
	graph_spares_unwant();
	for (i = 0; i < FGRAPH_MISS_NR; i++)
		expect(!fgraph_missed(&users[0], i));
	for (i = 0; i < PROBES; i++)
		expect(!probes[i].nmissed);
}

/* Make the calls. After each instruction a child takes an NMI and finishes them by itself. */
static void step_calls(unsigned int spares)
{
	steps = 0;
	told->found_stack = false;
	shim_step_on();
	traced_calls();
	shim_step_off();
	check_end(spares);
	if (interrupted) {
		told->failures += test_failures;
		told->checks += test_checks;
		_exit(!!test_failures);
	}
	expect(told->found_stack);
}

static const char *run_way(void)
{
	if (renews)
		return short_last ? ", and a user that others come before begins anew" :
				    ", and a user begins anew";
	if (!short_first)
		return "";
	return users_first ? ", on the short way and not" : ", on the short way";
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };
	unsigned int spares, passed, runs;
	unsigned long before;
	unsigned int i;

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	expect(told != MAP_FAILED);
	graph_state.epoch = 1;
	graph_users[0] = &users[0];
	graph_users[3] = &users[1];
	graph_users[14] = &users[2];
	graph_users[5] = &short_user;
	sigaction(SIGTRAP, &action, NULL);
	expect(!graph_ahead_want());
	for (i = 0; i < PROBES; i++)
		expect(!graph_fprobe_get(&probes[i]));
	spares = check_asks_once();

	/*
	 * Users, then probes, then a short way; with a stack, and up to where one has been
	 * given. And a short way that begins anew, before a user and behind it.
	 */
	for (runs = 0, passed = 0; runs < 12; runs++) {
		renews = runs >= 10;
		short_first = runs >= 6 && runs < 11;
		short_last = runs == 11;
		users_first = runs < 2 ? 3 : runs < 4 ? 1 : runs < 8 ? 0 : runs < 10 ? 3 : 1;
		users_behind = runs < 4 || runs >= 6 ? 0 : 1;
		nr_probes = runs < 2 || runs >= 6 ? 0 : PROBES;
		until_stack = runs < 10 && runs % 2;
		before = test_failures;
		test_task_anew();
		expect(!graph_ahead_want());
		if (!until_stack)
			expect(graph_task_give());
		step_calls(spares);
		printf("graph: an NMI after each of %lu instructions%s%s%s\n", steps,
		       run_way(), nr_probes ? ", with probes" : "",
		       until_stack ? ", up to that which gives the task its stack" : "");
		fflush(stdout);
		passed += test_failures == before && steps > 1;
	}
	for (i = 0; i < PROBES; i++)
		graph_fprobe_put(&probes[i]);
	graph_spares_unwant();
	printf("graph: %lu NMIs, %lu checks\n", told->nmis, told->checks + test_checks);
	expect(!told->failures);
	if (test_failures && passed == runs)
		passed--;
	printf("graph: %u passed, %u failed\n", passed, runs - passed);
	return 0;
}
