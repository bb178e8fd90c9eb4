// SPDX-License-Identifier: GPL-2.0
/*
 * events/tracer/: events of an instance's own buffers. They are events as others are, of
 * the instance that it happens to: recorded where a user switches them on, and a place for
 * triggers, such as a stop when the first record is lost. A user who wants all events gets
 * none of them: they tell of the trace, and not of the system that is traced.
 *
 *	page_full	sub-buffers were completed
 *	lost		records were overwritten or dropped
 *	snapshot	a snapshot was taken
 */
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "events/internal.h"
#include "instance/news.h"

#define NEWS_SYSTEM	"tracer"

/* The records of all three: page_full and snapshot end with @number. */
struct news_record {
	struct trace_entry	ent;
	int			cpu;
	unsigned long		number;
	unsigned long		dropped;
};

#define NEWS_SIZE	offsetofend(struct news_record, number)
#define NEWS_LOST_SIZE	offsetofend(struct news_record, dropped)

static void news_record(struct trace_event_file *file, const struct trace_news_told *told,
			unsigned int size)
{
	struct trace_event_buffer fbuffer;
	struct news_record *rec;

	if (trace_trigger_soft_disabled(file))
		return;
	rec = trace_event_buffer_reserve(&fbuffer, file, size);
	if (!rec)
		return;
	rec->cpu = told->cpu;
	rec->number = told->number;
	if (size == NEWS_LOST_SIZE)
		rec->dropped = told->dropped;
	trace_event_buffer_commit(&fbuffer);
}

static void news_happens(void *data, const struct trace_news_told *told)
{
	news_record(data, told, NEWS_SIZE);
}

static void news_are_lost(void *data, const struct trace_news_told *told)
{
	news_record(data, told, NEWS_LOST_SIZE);
}

static struct trace_event_call news_calls[TRACE_NEWS_KINDS];

/* perf has buffers of its own. */
static int news_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	enum trace_news_kind kind = call - news_calls;
	struct trace_event_file *file = data;

	if (type != TRACE_REG_REGISTER && type != TRACE_REG_UNREGISTER)
		return -EOPNOTSUPP;
	trace_news_set_probe(file->tr, kind,
			     kind == TRACE_NEWS_LOST ? news_are_lost : news_happens,
			     type == TRACE_REG_REGISTER ? file : NULL);
	return 0;
}

#define NEWS_CPU {								\
	.type = "int", .name = "cpu", .size = sizeof(int),			\
	.align = __alignof__(int), .is_signed = true, .filter_type = FILTER_OTHER }

#define NEWS_NUMBER(_name) {							\
	.type = "unsigned long", .name = _name, .size = sizeof(long),		\
	.align = __alignof__(long), .filter_type = FILTER_OTHER }

#define NEWS_CLASS(_name)							\
static struct trace_event_class news_class_##_name = {				\
	.system		= NEWS_SYSTEM,						\
	.reg		= news_reg,						\
	.fields_array	= news_fields_##_name,					\
	.fields		= LIST_HEAD_INIT(news_class_##_name.fields),		\
	.raw_init	= trace_event_raw_init,					\
}

static struct trace_event_fields news_fields_page[] = {
	NEWS_CPU,
	NEWS_NUMBER("pages"),
	{ }
};

static struct trace_event_fields news_fields_lost[] = {
	NEWS_CPU,
	NEWS_NUMBER("overwritten"),
	NEWS_NUMBER("dropped"),
	{ }
};

static struct trace_event_fields news_fields_snapshot[] = {
	NEWS_CPU,
	NEWS_NUMBER("snapshots"),
	{ }
};

NEWS_CLASS(page);
NEWS_CLASS(lost);
NEWS_CLASS(snapshot);

static enum print_line_t news_print_page(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	const struct news_record *rec = (const void *)iter->ent;

	trace_seq_printf(&iter->seq, "page_full: cpu=%d pages=%lu\n", rec->cpu, rec->number);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t news_print_lost(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	const struct news_record *rec = (const void *)iter->ent;

	trace_seq_printf(&iter->seq, "lost: cpu=%d overwritten=%lu dropped=%lu\n", rec->cpu,
			 rec->number, rec->dropped);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t news_print_snapshot(struct trace_iterator *iter, int flags,
					     struct trace_event *event)
{
	const struct news_record *rec = (const void *)iter->ent;

	trace_seq_printf(&iter->seq, "snapshot: cpu=%d snapshots=%lu\n", rec->cpu, rec->number);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions news_page_funcs = { .trace = news_print_page };
static struct trace_event_functions news_lost_funcs = { .trace = news_print_lost };
static struct trace_event_functions news_snapshot_funcs = { .trace = news_print_snapshot };

#define NEWS_LOST_ARGS	"REC->cpu, REC->overwritten, REC->dropped"

static struct trace_event_call news_calls[TRACE_NEWS_KINDS] = {
	[TRACE_NEWS_PAGE] = {
		.class		= &news_class_page,
		.name		= "page_full",
		.flags		= TRACE_EVENT_OWN,
		.event.funcs	= &news_page_funcs,
		.print_fmt	= "\"cpu=%d pages=%lu\", REC->cpu, REC->pages",
	},
	[TRACE_NEWS_LOST] = {
		.class		= &news_class_lost,
		.name		= "lost",
		.flags		= TRACE_EVENT_OWN,
		.event.funcs	= &news_lost_funcs,
		.print_fmt	= "\"cpu=%d overwritten=%lu dropped=%lu\", " NEWS_LOST_ARGS,
	},
	[TRACE_NEWS_SNAPSHOT] = {
		.class		= &news_class_snapshot,
		.name		= "snapshot",
		.flags		= TRACE_EVENT_OWN,
		.event.funcs	= &news_snapshot_funcs,
		.print_fmt	= "\"cpu=%d snapshots=%lu\", REC->cpu, REC->snapshots",
	},
};

/* The linker collects the kernel's events. An array would be aligned as none of them is. */
#define NEWS_COLLECT(_name, _kind)						\
static struct trace_event_call *news_event_##_name				\
	__used __section("_ftrace_events") = &news_calls[_kind]

NEWS_COLLECT(page, TRACE_NEWS_PAGE);
NEWS_COLLECT(lost, TRACE_NEWS_LOST);
#ifdef CONFIG_TRACER_SNAPSHOT
NEWS_COLLECT(snapshot, TRACE_NEWS_SNAPSHOT);
#endif
