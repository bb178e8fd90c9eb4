// SPDX-License-Identifier: GPL-2.0
/*
 * Which part of the test is wanted, and what the parts share.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int test_failures;
u64 test_seed = 1;

u32 test_random(void)
{
	u64 x = test_seed += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x >> 32;
}

struct trace_buffer *test_buffer(unsigned int subs, unsigned int flags)
{
	struct trace_buffer *buffer;

	buffer = ring_buffer_alloc(subs * (PAGE_SIZE - RB_HDR), flags);
	if (!buffer)
		abort();
	return buffer;
}

int test_put(struct trace_buffer *buffer, unsigned int length)
{
	static char data[4 * PAGE_SIZE];

	if (shim_now)
		shim_now += 10;
	return ring_buffer_write(buffer, length, data);
}

static bool run_one(const struct test_case *one, unsigned int seconds)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(seconds);
		shim_init(SHIM_CPUS);
		one->run();
		if (shim_warnings)
			fprintf(stderr, "%s: %d warnings\n", one->name, shim_warnings);
		exit(test_failures || shim_warnings);
	}
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status)) {
		printf("ok %s\n", one->name);
		return true;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("FAIL %s: still running after %u s\n", one->name, seconds);
	else
		printf("FAIL %s\n", one->name);
	return false;
}

int test_run(const char *part, const struct test_case *const *tables, unsigned int nr,
	     unsigned int seconds)
{
	unsigned int passed = 0, failed = 0, i;
	const struct test_case *one;

	for (i = 0; i < nr; i++) {
		for (one = tables[i]; one->name; one++) {
			if (run_one(one, seconds))
				passed++;
			else
				failed++;
		}
	}
	printf("%s: %u passed, %u failed\n", part, passed, failed);
	return failed != 0;
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	setlinebuf(stdout);
	if (!strcmp(part, "cases"))
		return test_cases();
	if (!strcmp(part, "looks"))
		return test_looks();
	if (!strcmp(part, "steps") && argc == 3)
		return test_steps(strtoul(argv[2], NULL, 0));
	if (!strcmp(part, "fuzz") && argc == 4)
		return test_fuzz(strtoull(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
	if (!strcmp(part, "stress") && argc == 5)
		return test_stress(strtoull(argv[2], NULL, 0), strtoul(argv[3], NULL, 0),
				   strtoul(argv[4], NULL, 0));
	if (!strcmp(part, "speed"))
		return test_speed();
	fprintf(stderr, "usage: %s cases | looks | steps STRIDE | fuzz SEED IMAGES | ", argv[0]);
	fprintf(stderr, "stress SEED SECONDS EVENTS | speed\n");
	return 2;
}
