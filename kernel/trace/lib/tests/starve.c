// SPDX-License-Identifier: GPL-2.0
/* See starve.h. */
#include <kunit/test.h>
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/sched.h>

#include "lib/starve.h"

/* The variables behind two files of failslab, and what they were. */
static bool *starve_spares, starve_spared;
static unsigned long *starve_tells, starve_told;

static void *starve_variable(struct kunit *test, struct dentry *dir, const char *name)
{
	struct dentry *dentry = debugfs_lookup(name, dir);
	void *variable;

	KUNIT_ASSERT_NOT_NULL_MSG(test, dentry, "failslab/%s", name);
	variable = d_inode(dentry)->i_private;
	dput(dentry);
	return variable;
}

static void starve_restore(void *unused)
{
	current->fail_nth = 0;
	WRITE_ONCE(*starve_spares, starve_spared);
	WRITE_ONCE(*starve_tells, starve_told);
}

/* Allocations that may wait can fail, too, and nothing tells of it, until the test ends. */
void starve_init(struct kunit *test)
{
	struct dentry *dir = debugfs_lookup("failslab", NULL);

	KUNIT_ASSERT_NOT_NULL(test, dir);
	starve_spares = starve_variable(test, dir, "ignore-gfp-wait");
	starve_tells = starve_variable(test, dir, "verbose");
	dput(dir);
	starve_spared = *starve_spares;
	starve_told = *starve_tells;
	WRITE_ONCE(*starve_spares, false);
	WRITE_ONCE(*starve_tells, 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, starve_restore, NULL), 0);
}

/* From here on, the @nth allocation of this task fails. */
void starve_begin(unsigned int nth)
{
	current->fail_nth = nth;
}

/* Allocations succeed again. Return true if one has failed. */
bool starve_end(void)
{
	unsigned int left = current->fail_nth;

	current->fail_nth = 0;
	return !left;
}
