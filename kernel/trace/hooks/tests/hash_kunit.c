// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: sets of addresses, compared with a bitmap that says what should be in.
 */
#include <linux/bitmap.h>
#include <linux/prandom.h>

#include "hooks/tests/support.h"

#define BASE	0xffffffff81000000UL
#define SLOTS	40000

static unsigned long ip_of(unsigned int i)
{
	return BASE + 16UL * i;
}

/* Is @hash what @should says, by each way to ask? */
static void hash_compare(struct kunit *test, struct ftrace_hash *hash, unsigned long *should)
{
	unsigned long i = 0, ip, listed = 0, wrong = 0;
	unsigned int n;

	for (n = 0; n < SLOTS; n++)
		wrong += ftrace_hash_has(hash, ip_of(n)) != test_bit(n, should);
	KUNIT_EXPECT_EQ(test, 0, wrong);
	while ((ip = ftrace_hash_next(hash, &i))) {
		wrong += !test_bit((ip - BASE) / 16, should);
		listed++;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_EQ(test, bitmap_weight(should, SLOTS), listed);
	KUNIT_EXPECT_EQ(test, listed, ftrace_hash_count(hash));
}

static void test_random(struct kunit *test)
{
	unsigned long *should = kunit_kcalloc(test, BITS_TO_LONGS(SLOTS), sizeof(long), GFP_KERNEL);
	struct ftrace_hash *hash = ftrace_hash_alloc(), *copy;
	struct rnd_state rnd;
	unsigned int i, n;

	KUNIT_ASSERT_NOT_NULL(test, should);
	KUNIT_ASSERT_NOT_NULL(test, hash);
	prandom_seed_state(&rnd, 612);
	hash_compare(test, hash, should);
	for (i = 0; i < 60000; i++) {
		n = prandom_u32_state(&rnd) % SLOTS;
		/* First it mostly grows, then it mostly shrinks: tombstones. */
		if (prandom_u32_state(&rnd) % 8 < (i < 30000 ? 6 : 2)) {
			KUNIT_ASSERT_EQ(test, 0, ftrace_hash_add(hash, ip_of(n)));
			__set_bit(n, should);
		} else {
			KUNIT_ASSERT_EQ(test, __test_and_clear_bit(n, should),
					ftrace_hash_del(hash, ip_of(n)));
		}
	}
	hash_compare(test, hash, should);
	copy = ftrace_hash_dup(hash);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	ftrace_hash_clear(hash);
	KUNIT_EXPECT_EQ(test, 0, ftrace_hash_count(hash));
	hash_compare(test, copy, should);
	bitmap_zero(should, SLOTS);
	hash_compare(test, hash, should);
	ftrace_hash_free(hash);
	ftrace_hash_free(copy);
}

/* Adding and removing the same forever needs no more room. */
static void test_steady(struct kunit *test)
{
	struct ftrace_hash *hash = ftrace_hash_alloc();
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	for (i = 0; i < 100000; i++) {
		KUNIT_ASSERT_EQ(test, 0, ftrace_hash_add(hash, ip_of(i % SLOTS)));
		KUNIT_ASSERT_TRUE(test, ftrace_hash_del(hash, ip_of(i % SLOTS)));
	}
	KUNIT_EXPECT_EQ(test, 0, ftrace_hash_count(hash));
	/* The marks of free and of deleted slots are no addresses in the set. */
	KUNIT_EXPECT_FALSE(test, ftrace_hash_has(hash, FTRACE_HASH_FREE));
	KUNIT_EXPECT_FALSE(test, ftrace_hash_has(hash, FTRACE_HASH_TOMB));
	KUNIT_EXPECT_FALSE(test, ftrace_hash_del(hash, FTRACE_HASH_FREE));
	KUNIT_EXPECT_EQ(test, 0, ftrace_hash_count(hash));
	KUNIT_EXPECT_LE(test, rcu_dereference_raw(hash->table)->bits, 6);
	ftrace_hash_free(hash);
}

static void test_nothing(struct kunit *test)
{
	struct ftrace_hash *hash = ftrace_hash_alloc(), *copy;
	struct ftrace_scope scope = { .filter = hash };
	unsigned long ip = ftrace_location((unsigned long)hooks_target_1);
	struct dyn_ftrace *site = ftrace_site_find(ip);

	KUNIT_ASSERT_NOT_NULL(test, hash);
	KUNIT_ASSERT_NOT_NULL(test, site);
	KUNIT_ASSERT_EQ(test, 0, ftrace_hash_add(hash, ip));
	KUNIT_EXPECT_TRUE(test, ftrace_scope_has(&scope, ip));
	ftrace_hash_forget(hash, site, 1);
	KUNIT_EXPECT_TRUE(test, hash->nothing);
	KUNIT_EXPECT_FALSE(test, ftrace_scope_has(&scope, ip));
	copy = ftrace_hash_dup(hash);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_TRUE(test, copy->nothing);
	KUNIT_ASSERT_EQ(test, 0, ftrace_hash_add(hash, ip));
	KUNIT_EXPECT_FALSE(test, hash->nothing);
	/* Removed by hand, it is empty as it never had any. */
	KUNIT_EXPECT_TRUE(test, ftrace_hash_del(hash, ip));
	KUNIT_EXPECT_FALSE(test, hash->nothing);
	/* It can be told to name no site, until it names one. */
	ftrace_hash_set_nothing(hash, true);
	KUNIT_EXPECT_TRUE(test, hash->nothing);
	KUNIT_ASSERT_EQ(test, 0, ftrace_hash_add(hash, ip));
	KUNIT_EXPECT_FALSE(test, hash->nothing);
	ftrace_hash_free(hash);
	ftrace_hash_free(copy);
}

static struct kunit_case hash_cases[] = {
	KUNIT_CASE(test_random),
	KUNIT_CASE(test_steady),
	KUNIT_CASE(test_nothing),
	{}
};

static struct kunit_suite hash_suite = {
	.name = "ftrace_hooks_hash",
	.test_cases = hash_cases,
};

kunit_test_suite(hash_suite);
