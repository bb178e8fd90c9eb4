// SPDX-License-Identifier: GPL-2.0
/*
 * README: the files of the tracing folder in a line or two each, as the components
 * that make them tell.
 */
#include <linux/fs.h>

#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"

static int readme_show(struct seq_file *m, void *v)
{
	trace_components_readme(m);
	return 0;
}

DEFINE_TRACE_FILE_RO(readme);

static int readme_create_files(struct trace_array *tr, struct dentry *dir)
{
	return tr->name ? 0 : trace_create_file("README", 0440, tr, &readme_fops);
}

struct trace_component trace_readme_component __ro_after_init = {
	.name		= "README",
	.create_files	= readme_create_files,
};
