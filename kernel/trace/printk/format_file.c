// SPDX-License-Identifier: GPL-2.0
/*
 * printk_formats: address and text of the formats that records point to, for
 * programs that decode raw pages.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>
#include <linux/tracefs.h>

#include "instance/file.h"
#include "printk/internal.h"

static void *formats_start(struct seq_file *m, loff_t *pos)
{
	trace_printk_formats_lock();
	return trace_printk_format(*pos);
}

static void *formats_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_printk_format(++*pos);
}

static void formats_stop(struct seq_file *m, void *v)
{
	trace_printk_formats_unlock();
}

static int formats_show(struct seq_file *m, void *v)
{
	const char *format = *(const char **)v;

	/* A module's format that was not constant or could not be copied. */
	if (!format)
		return SEQ_SKIP;
	seq_printf(m, "0x%lx : \"", (unsigned long)format);
	seq_escape_str(m, format, ESCAPE_SPACE | ESCAPE_SPECIAL, "\n\t\\\"");
	seq_puts(m, "\"\n");
	return 0;
}

static const struct seq_operations formats_seq_ops = {
	.start	= formats_start,
	.next	= formats_next,
	.stop	= formats_stop,
	.show	= formats_show,
};

DEFINE_TRACE_FILE_SEQ(formats);

/* Create the file in @dir, the folder of the top instance @tr. 0 or -ENOMEM. */
int trace_printk_create_formats(struct dentry *dir, struct trace_array *tr)
{
	return tracefs_create_file("printk_formats", 0440, dir, tr, &formats_fops) ? 0 : -ENOMEM;
}
