// SPDX-License-Identifier: GPL-2.0
/* What recordmcount has to tell apart, in little: fuzz.py damages its objects. */
int elsewhere(int x);

static int __attribute__((noinline)) helper(int x)
{
	return elsewhere(x) + 1;
}

int __attribute__((weak)) weak_one(int x)
{
	return helper(x) * 2;
}

int __attribute__((weak, alias("weak_one"))) weak_two(int x);

int __attribute__((section(".init.text"))) init_one(int x)
{
	return helper(x) + elsewhere(x + 1);
}

int __attribute__((section(".exit.text"))) exit_one(int x)
{
	return helper(x) - elsewhere(x + 1);
}

int global_one(int x)
{
	return helper(x) + 3;
}

#if defined(__x86_64__)
asm(".section .text.inline, \"axG\", @progbits, inline_one, comdat\n"
    ".weak inline_one\n"
    ".type inline_one, @function\n"
    "inline_one: call __fentry__\n"
    "ret\n"
    ".size inline_one, . - inline_one\n"
    ".text\n");
#endif
