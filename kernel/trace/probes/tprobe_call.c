// SPDX-License-Identifier: GPL-2.0
/* Tracepoints call probes as their own functions. */
#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "lib/wait.h"
#include "probes/tprobe.h"

/*
 * A tracepoint calls this with its own parameters behind @data. All are numbers or addresses, of
 * which the ABIs of x86-64 and arm64 pass each in a register or a word of the stack. A tracepoint
 * that has less leaves something in the others, which lie in the frame of the caller.
 */
static void tprobe_call_hit(void *data, unsigned long a, unsigned long b, unsigned long c,
			    unsigned long d, unsigned long e, unsigned long f, unsigned long g,
			    unsigned long h, unsigned long i, unsigned long j, unsigned long k,
			    unsigned long l)
{
	const unsigned long words[TPROBE_WORDS] = {
		a, b, c, d, e, f, g, h, i, j, k, l, (unsigned long)__builtin_frame_address(0),
	};

	tprobe_record(data, words);
}

NOKPROBE_SYMBOL(tprobe_call_hit);

/**
 * trace_tprobe_register - let a tracepoint call a probe
 * @tprobe: the probe, which has a tracepoint
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or the errno of the tracepoint.
 */
int trace_tprobe_register(struct tprobe *tprobe)
{
	return tracepoint_probe_register(tprobe->tp, tprobe_call_hit, tprobe);
}

/**
 * trace_tprobe_unregister - undo trace_tprobe_register(), and let the last hits end
 * @tprobe: the probe
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_tprobe_unregister(struct tprobe *tprobe)
{
	tracepoint_probe_unregister(tprobe->tp, tprobe_call_hit, tprobe);
}

/**
 * trace_tprobe_synchronize - wait until probes that were unregistered hit no more
 *
 * Context: task, may sleep.
 */
void trace_tprobe_synchronize(void)
{
	trace_wait_probes();
}
