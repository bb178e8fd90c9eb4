// SPDX-License-Identifier: GPL-2.0
/*
 * Formats of trace_printk(): records point to them, so those of a module must
 * outlive it. When a module comes, each of its formats is replaced by a copy
 * that stays. Tracepoint strings, which records point to as well, are listed
 * with them for who decodes raw pages.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "printk/internal.h"

struct kept_format {
	struct list_head	list;
	const char		*format;	/* text; listed by its address */
	char			text[];
};

static LIST_HEAD(kept_formats);		/* grows only */
static DEFINE_MUTEX(kept_mutex);

void trace_printk_formats_lock(void)
{
	mutex_lock(&kept_mutex);
}

void trace_printk_formats_unlock(void)
{
	mutex_unlock(&kept_mutex);
}

/* Is there a trace_printk() in the kernel itself? */
bool trace_printk_has_formats(void)
{
	return &__start___trace_bprintk_fmt[0] != &__stop___trace_bprintk_fmt[0];
}

/* Format number @pos: the kernel's, the modules', the tracepoint strings. */
const char **trace_printk_format(loff_t pos)
{
	loff_t nr = __stop___trace_bprintk_fmt - __start___trace_bprintk_fmt;
	struct kept_format *kept;

	lockdep_assert_held(&kept_mutex);
	if (pos < nr)
		return __start___trace_bprintk_fmt + pos;
	pos -= nr;
	list_for_each_entry(kept, &kept_formats, list) {
		if (!pos--)
			return &kept->format;
	}
	nr = __stop___tracepoint_str - __start___tracepoint_str;
	return pos < nr ? __start___tracepoint_str + pos : NULL;
}

#ifdef CONFIG_MODULES

static const char *keep_format(const char *format)
{
	struct kept_format *kept;
	size_t size = strlen(format) + 1;

	lockdep_assert_held(&kept_mutex);
	list_for_each_entry(kept, &kept_formats, list) {
		if (!strcmp(kept->text, format))
			return kept->format;
	}
	kept = kmalloc(struct_size(kept, text, size), GFP_KERNEL);
	if (!kept)
		return NULL;
	memcpy(kept->text, format, size);
	kept->format = kept->text;
	list_add_tail(&kept->list, &kept_formats);
	return kept->format;
}

/*
 * The section holds the pointers that the module's code reads at each call,
 * so a format that cannot be kept (NULL) prints nothing.
 */
static int module_comes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	const char **format = mod->trace_bprintk_fmt_start;
	unsigned int i;

	if (state != MODULE_STATE_COMING || !mod->num_trace_bprintk_fmt)
		return NOTIFY_DONE;

	trace_printk_formats_lock();
	for (i = 0; i < mod->num_trace_bprintk_fmt; i++) {
		if (format[i])
			format[i] = keep_format(format[i]);
	}
	trace_printk_formats_unlock();
	trace_printk_init_buffers();
	return NOTIFY_OK;
}

static struct notifier_block module_nb = {
	.notifier_call = module_comes,
};

int __init trace_printk_formats_init(void)
{
	return register_module_notifier(&module_nb);
}

#else

int __init trace_printk_formats_init(void)
{
	return 0;
}

#endif
