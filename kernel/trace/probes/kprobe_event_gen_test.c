// SPDX-License-Identifier: GPL-2.0
/*
 * A module that makes kprobe events in each way that code of the kernel has, and switches them
 * on. After
 *
 *	modprobe kprobe_event_gen_test
 *	cat /sys/kernel/tracing/trace
 *
 * there are records of gen_kprobe_test and gen_kretprobe_test, of each file that was opened. The
 * events go when the module is unloaded. Its functions begin with kprobe_gen_.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#define GEN_FUNCTION	"do_sys_openat2"

static const char * const gen_names[] = { "gen_kprobe_test", "gen_kretprobe_test" };
static struct trace_event_file *gen_file[ARRAY_SIZE(gen_names)];

/* An event at the entry, whose arguments come in two pieces. */
static int kprobe_gen_define_entry(struct dynevent_cmd *cmd, const char *name)
{
	int ret = kprobe_event_gen_cmd_start(cmd, name, GEN_FUNCTION, "stack=$stack0",
					     "top=$stack");

	ret = ret ?: kprobe_event_add_fields(cmd, "comm=$comm", "one=\\1");
	ret = ret ?: kprobe_event_add_field(cmd, "two=\\2:u8");
	return ret ?: kprobe_event_gen_cmd_end(cmd);
}

static int kprobe_gen_define_return(struct dynevent_cmd *cmd, const char *name)
{
	int ret = kretprobe_event_gen_cmd_start(cmd, name, GEN_FUNCTION, "$retval");

	return ret ?: kretprobe_event_gen_cmd_end(cmd);
}

static int (* const gen_define[])(struct dynevent_cmd *cmd, const char *name) = {
	kprobe_gen_define_entry, kprobe_gen_define_return,
};

/* A definition without a place is refused before it is run, and so is an unknown name. */
static int kprobe_gen_refused(struct dynevent_cmd *cmd)
{
	if (kprobe_event_gen_cmd_start(cmd, "gen_nowhere", NULL) != -EINVAL)
		return -EBADE;
	if (kprobe_event_delete("gen_nowhere") != -ENOENT)
		return -EBADE;
	return 0;
}

static int kprobe_gen_make(char *buf, unsigned int i)
{
	struct trace_event_file *file;
	struct dynevent_cmd cmd;
	int ret;

	kprobe_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = gen_define[i](&cmd, gen_names[i]);
	if (ret)
		return ret;
	file = trace_get_event_file(NULL, "kprobes", gen_names[i]);
	if (IS_ERR(file)) {
		kprobe_event_delete(gen_names[i]);
		return PTR_ERR(file);
	}
	gen_file[i] = file;
	return trace_array_set_clr_event(file->tr, "kprobes", gen_names[i], true);
}

static void kprobe_gen_remove(unsigned int i)
{
	if (!gen_file[i])
		return;
	WARN_ON(trace_array_set_clr_event(gen_file[i]->tr, "kprobes", gen_names[i], false));
	trace_put_event_file(gen_file[i]);
	gen_file[i] = NULL;
	WARN_ON(kprobe_event_delete(gen_names[i]));
}

static void kprobe_gen_remove_all(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(gen_names); i++)
		kprobe_gen_remove(i);
}

static int __init kprobe_gen_init(void)
{
	char *buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	struct dynevent_cmd cmd;
	int ret = 0;

	if (!buf)
		return -ENOMEM;
	kprobe_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = kprobe_gen_refused(&cmd);
	for (unsigned int i = 0; i < ARRAY_SIZE(gen_names) && !ret; i++)
		ret = kprobe_gen_make(buf, i);
	kfree(buf);
	if (ret)
		kprobe_gen_remove_all();
	return ret;
}

static void __exit kprobe_gen_exit(void)
{
	kprobe_gen_remove_all();
}

module_init(kprobe_gen_init)
module_exit(kprobe_gen_exit)

MODULE_DESCRIPTION("Make kprobe events from code of the kernel");
MODULE_LICENSE("GPL");
