// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of tracepoints where the kernel checks the type of each function that is called by its
 * address (CONFIG_CFI_CLANG): only a function that is made for the tracepoint can be called by
 * it. Each tracepoint has one that does nothing, __probestub_NAME(). It is registered with the
 * probe as its data, and hooked. All probes of a tracepoint hook it, and each looks whether the
 * call is for itself.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "graph/graph.h"
#include "hooks/hooks.h"
#include "lib/wait.h"
#include "probes/tprobe.h"

struct tprobe_stub {
	struct fprobe		fp;
	struct tprobe		*tprobe;
	struct ftrace_retired	retired;
};

static int tprobe_stub_enter(struct fprobe *fp, unsigned long ip, unsigned long ret,
			     struct pt_regs *regs, void *data)
{
	struct tprobe *tprobe = container_of(fp, struct tprobe_stub, fp)->tprobe;
	unsigned long words[TPROBE_WORDS];

	if (regs_get_kernel_argument(regs, 0) != (unsigned long)tprobe)
		return 0;
	for (unsigned int i = 0; i < TRACE_FETCH_WORDS; i++)
		words[i] = regs_get_kernel_argument(regs, i + 1);
	words[TRACE_FETCH_WORDS] = kernel_stack_pointer(regs);
	tprobe_record(tprobe, words);
	return 0;
}

NOKPROBE_SYMBOL(tprobe_stub_enter);

static void tprobe_stub_free(struct ftrace_retired *retired)
{
	kfree(container_of(retired, struct tprobe_stub, retired));
}

/**
 * trace_tprobe_register - let a tracepoint call a probe
 * @tprobe: the probe, which has a tracepoint
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or the errno of the fprobe or the tracepoint.
 */
int trace_tprobe_register(struct tprobe *tprobe)
{
	struct tprobe_stub *stub = kzalloc(sizeof(*stub), GFP_KERNEL);
	unsigned long ip = tprobe->at;
	int ret;

	if (!stub)
		return -ENOMEM;
	stub->tprobe = tprobe;
	stub->retired.free = tprobe_stub_free;
	stub->fp.entry_handler = tprobe_stub_enter;
	ret = register_fprobe_ips(&stub->fp, &ip, 1);
	if (ret) {
		kfree(stub);
		return ret;
	}
	ret = tracepoint_probe_register(tprobe->tp, tprobe->tp->probestub, tprobe);
	if (ret)
		fprobe_unregister_later(&stub->fp, &stub->retired);
	else
		tprobe->stub = stub;
	return ret;
}

/**
 * trace_tprobe_unregister - undo trace_tprobe_register(), and let the last hits end
 * @tprobe: the probe
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_tprobe_unregister(struct tprobe *tprobe)
{
	tracepoint_probe_unregister(tprobe->tp, tprobe->tp->probestub, tprobe);
	fprobe_unregister_later(&tprobe->stub->fp, &tprobe->stub->retired);
	tprobe->stub = NULL;
}

/**
 * trace_tprobe_synchronize - wait until probes that were unregistered hit no more
 *
 * Context: task, may sleep.
 */
void trace_tprobe_synchronize(void)
{
	trace_wait_probes();
	ftrace_hooks_synchronize();
}
