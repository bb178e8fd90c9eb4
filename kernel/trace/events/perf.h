/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events of calls that are on no list: perf's own kprobes and uprobes, each of which is
 * made for one perf event. The PMU's event_init() attaches the call, and adds and deletes the
 * perf event with perf_trace_add() and perf_trace_del(); its destroy() detaches the call.
 * And perf events of ftrace:function, each of which has an ops of its own.
 */
#ifndef _TRACE_EVENTS_PERF_H
#define _TRACE_EVENTS_PERF_H

struct ftrace_ops;
struct perf_event;
struct trace_event_call;

/* Task context; they take the events mutex. */
int trace_event_perf_attach(struct trace_event_call *call, struct perf_event *event);
void trace_event_perf_detach(struct perf_event *event,
			     void (*release)(struct trace_event_call *call));

/* perf_function.c */
struct ftrace_ops *trace_event_perf_function_ops(struct perf_event *event);

#endif /* _TRACE_EVENTS_PERF_H */
