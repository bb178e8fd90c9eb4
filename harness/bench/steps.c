// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions that a program executes between two of its functions, one step
 * after the other: a count that no other load of the machine changes.
 *
 * usage: steps BEGIN END PROGRAM [ARGUMENT...]
 *
 * BEGIN and END are the addresses, hexadecimal, of a function with a string as argument and
 * of another one. Each way from the first to the second is a line on the standard error:
 * "steps", the string, and the count. Signals that arrive on the way are delivered after
 * it, each once: a timer that goes on while the program steps would interrupt it all the
 * time. The program's own children are not followed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define BREAKPOINT	0xccUL

static pid_t pid;
static unsigned long begin, end;
static long begin_text;		/* the text at begin, without the breakpoint */

static void fail(const char *what)
{
	fprintf(stderr, "steps: %s: %s\n", what, strerror(errno));
	kill(pid, SIGKILL);
	exit(1);
}

/* The status of the program once it has stopped; does not return when it has ended. */
static int stopped(void)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid)
		fail("waitpid");
	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	if (WIFSIGNALED(status))
		exit(128 + WTERMSIG(status));
	return WSTOPSIG(status);
}

static void resume(int how, int signal)
{
	if (ptrace(how, pid, NULL, (void *)(long)signal))
		fail("resume");
}

static struct user_regs_struct registers(void)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		fail("registers");
	return regs;
}

static void put_breakpoint(void)
{
	errno = 0;
	begin_text = ptrace(PTRACE_PEEKTEXT, pid, (void *)begin, NULL);
	if (errno || ptrace(PTRACE_POKETEXT, pid, (void *)begin,
			    (void *)((begin_text & ~0xffUL) | BREAKPOINT)))
		fail("breakpoint");
}

static void print_name(unsigned long at)
{
	for (;; at++) {
		char c;

		errno = 0;
		c = ptrace(PTRACE_PEEKTEXT, pid, (void *)at, NULL);
		if (errno)
			fail("name");
		if (!c)
			return;
		fputc(c, stderr);
	}
}

/* The program stands behind the breakpoint. */
static void count(struct user_regs_struct regs)
{
	unsigned long nr = 0;
	sigset_t later;

	sigemptyset(&later);
	if (ptrace(PTRACE_POKETEXT, pid, (void *)begin, (void *)begin_text))
		fail("breakpoint");
	regs.rip = begin;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs))
		fail("registers");
	while (registers().rip != end) {
		int signal;

		resume(PTRACE_SINGLESTEP, 0);
		signal = stopped();
		if (signal == SIGTRAP)
			nr++;
		else
			sigaddset(&later, signal);
	}
	fprintf(stderr, "steps ");
	print_name(regs.rdi);
	fprintf(stderr, " %lu\n", nr);
	put_breakpoint();
	for (int signal = 1; signal < SIGRTMIN; signal++)
		if (sigismember(&later, signal) == 1)
			kill(pid, signal);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: steps BEGIN END PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	begin = strtoul(argv[1], NULL, 16);
	end = strtoul(argv[2], NULL, 16);
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	for (;;) {
		int signal = stopped();
		struct user_regs_struct regs = registers();

		if (signal == SIGTRAP && regs.rip == begin + 1) {
			count(regs);
			signal = 0;
		} else if (signal == SIGTRAP) {
			/* The program has executed itself, or been executed. */
			put_breakpoint();
			signal = 0;
		}
		resume(PTRACE_CONT, signal);
	}
}
