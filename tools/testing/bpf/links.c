// SPDX-License-Identifier: GPL-2.0
/*
 * Links of BPF programs to many functions (kprobe.multi), as bpftrace does not use them:
 * cookies, the address of a function, sessions, what a link tells of itself, calls that
 * it has missed, and what is refused. Then links to one function (fentry, fexit), alone and
 * beside each other, and to a tracepoint, raw and by its event, and of a module. And returns of
 * functions around a program that throws.
 *
 * The programs look at the calls of this task alone, which are system calls of known
 * numbers. They are written down as instructions: no compiler for BPF is needed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The prefix of the functions of system calls, and the place where programs find the result. */
#if defined(__x86_64__)
#define SYSCALL		"__x64_sys_"
/* That is an alias, which BTF does not have. */
#define SYSCALL_BTF	"__do_sys_"
#define RESULT		offsetof(struct user_regs_struct, rax)
#elif defined(__aarch64__)
#define SYSCALL		"__arm64_sys_"
#define SYSCALL_BTF	SYSCALL
#define RESULT		offsetof(struct user_regs_struct, regs[0])
#endif

/* The data that a program keeps for a cookie. */
struct seen {
	uint64_t	calls;
	uint64_t	func_ip;
	uint64_t	result;
};

#define COOKIES		8

/* The system calls, not in the order of their addresses, nor in that of their cookies. */
static const struct {
	const char	*name, *name_btf;
	long		number;
	int		times;
	uint64_t	cookie;
} calls[] = {
	{ SYSCALL "gettid", SYSCALL_BTF "gettid", SYS_gettid, 11, 3 },
	{ SYSCALL "getpid", SYSCALL_BTF "getpid", SYS_getpid, 5, 1 },
	{ SYSCALL "getuid", SYSCALL_BTF "getuid", SYS_getuid, 7, 2 },
};

#define CALLS		ARRAY_SIZE(calls)

static uint64_t addrs[CALLS], cookies[CALLS];
static const char *names[CALLS];
static int map, scratch;
static int failures;
static pid_t self;	/* asked for once, as getpid() is among the calls */

static void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("links: ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	failures++;
}

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int new_map(int type, int key, int value)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = key, .value_size = value, .max_entries = COOKIES,
	};
	int fd = sys_bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		fail("a map: %m");
	return fd;
}

static struct seen seen_with(uint32_t cookie)
{
	struct seen seen = {};
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&cookie, .value = (uintptr_t)&seen,
	};

	if (sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		fail("looking up %u: %m", cookie);
	return seen;
}

static void forget(void)
{
	struct seen none = {};
	uint32_t cookie;

	for (cookie = 0; cookie < COOKIES; cookie++) {
		union bpf_attr attr = {
			.map_fd = map, .key = (uintptr_t)&cookie, .value = (uintptr_t)&none,
		};

		if (sys_bpf(BPF_MAP_UPDATE_ELEM, &attr))
			fail("emptying %u: %m", cookie);
	}
}

/* Instructions. */
#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define SHIFT(d, i)	INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define CALL_KERNEL(id)	INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, id)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, s, o)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE32(d, s, o) INSN(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define INCREASE(d, s)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, 0, BPF_ADD)
#define UNLESS(d, i, n)	INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, n, i)
#define IF(d, i, n)	INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, n, i)
/* These two together. */
#define MAP(d, fd)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd)
#define MAP_END		INSN(0, 0, 0, 0, 0)
#define EXIT		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int load_program(int type, int attach, uint32_t btf, const struct bpf_insn *insns, int nr)
{
	static char log[65536];
	union bpf_attr attr = {
		.prog_type = type, .expected_attach_type = attach, .attach_btf_id = btf,
		.insns = (uintptr_t)insns, .insn_cnt = nr, .license = (uintptr_t)"GPL",
		.prog_flags = type == BPF_PROG_TYPE_SYSCALL ? BPF_F_SLEEPABLE : 0,
		.log_buf = (uintptr_t)log, .log_size = sizeof(log), .log_level = 1,
	};
	int fd = sys_bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		fail("a program of type %d for %d: %m\n%s", type, attach, log);
	return fd;
}

/* The instructions of new_program() that call out. */
#define OUT		7

/*
 * A program that counts the calls of this task by their cookies, and returns @value. Does
 * it call a function that is not its own, too?
 */
static int new_program(int type, int value, int calls_out)
{
	const struct bpf_insn first[] = {
		MOV(6, 1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		SHIFT(0, 32),
		UNLESS(0, self, 17 + calls_out * OUT),
		MOV(1, 6),
		CALL(BPF_FUNC_get_attach_cookie),
		STORE32(10, 0, -4),
		MAP(1, map), MAP_END,
		MOV(2, 10),
		ADD(2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		IF(0, 0, 8 + calls_out * OUT),
		MOV(7, 0),
		SET(1, 1),
		INCREASE(7, 1),
		MOV(1, 6),
		CALL(BPF_FUNC_get_func_ip),
		STORE(7, 0, offsetof(struct seen, func_ip)),
		LOAD(1, 6, RESULT),
		STORE(7, 1, offsetof(struct seen, result)),
	};
	const struct bpf_insn out[OUT] = {
		MAP(1, scratch), MAP_END,
		MOV(2, 10),
		ADD(2, -4),
		MOV(3, 2),
		SET(4, 0),
		CALL(BPF_FUNC_map_update_elem),
	};
	const struct bpf_insn last[] = { SET(0, value), EXIT };
	struct bpf_insn insns[sizeof(first) / 8 + sizeof(out) / 8 + sizeof(last) / 8];
	int n = ARRAY_SIZE(first);

	memcpy(insns, first, sizeof(first));
	if (calls_out) {
		memcpy(insns + n, out, sizeof(out));
		n += ARRAY_SIZE(out);
	}
	memcpy(insns + n, last, sizeof(last));
	return load_program(BPF_PROG_TYPE_KPROBE, type, 0, insns, n + ARRAY_SIZE(last));
}

/* Attach. The link or, less than 0, the errno. */
static int new_link(int prog, int type, union bpf_attr attr)
{
	int fd;

	attr.link_create.prog_fd = prog;
	attr.link_create.attach_type = type;
	fd = sys_bpf(BPF_LINK_CREATE, &attr);
	return fd < 0 ? -errno : fd;
}

static union bpf_attr by_names(int flags)
{
	union bpf_attr attr = {};

	attr.link_create.kprobe_multi.flags = flags;
	attr.link_create.kprobe_multi.cnt = CALLS;
	attr.link_create.kprobe_multi.syms = (uintptr_t)names;
	attr.link_create.kprobe_multi.cookies = (uintptr_t)cookies;
	return attr;
}

static union bpf_attr by_addrs(int flags)
{
	union bpf_attr attr = by_names(flags);

	attr.link_create.kprobe_multi.syms = 0;
	attr.link_create.kprobe_multi.addrs = (uintptr_t)addrs;
	return attr;
}

static void make_calls(void)
{
	size_t i;
	int n;

	for (i = 0; i < CALLS; i++)
		for (n = 0; n < calls[i].times; n++)
			syscall(calls[i].number);
}

/* Does @link see each call @runs times, and the right one? Then close it. */
static void check_link(const char *what, int link, int runs, int returns)
{
	size_t i;

	if (link < 0) {
		fail("%s: not attached: %s", what, strerror(-link));
		return;
	}
	forget();
	make_calls();
	close(link);
	/* Nothing is counted any more. */
	make_calls();
	for (i = 0; i < CALLS; i++) {
		struct seen seen = seen_with(calls[i].cookie);
		uint64_t want = syscall(calls[i].number);

		if (seen.calls != (uint64_t)runs * calls[i].times)
			fail("%s: %s: %llu runs, not %d times %d", what, names[i],
			     (unsigned long long)seen.calls, runs, calls[i].times);
		if (runs && seen.func_ip != addrs[i])
			fail("%s: %s: is at %llx, the program is told %llx", what, names[i],
			     (unsigned long long)addrs[i], (unsigned long long)seen.func_ip);
		if (returns && seen.result != want)
			fail("%s: %s: returns %llu, the program is told %llu", what, names[i],
			     (unsigned long long)want, (unsigned long long)seen.result);
	}
	if (seen_with(0).calls)
		fail("%s: runs without a cookie", what);
}

static void get_info(int fd, void *info, int size)
{
	union bpf_attr attr = {};

	attr.info.bpf_fd = fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	if (sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		fail("what a link or a program tells: %m");
}

static struct bpf_link_info info_of(int link, uint64_t *info_addrs, uint64_t *info_cookies,
				    int count)
{
	struct bpf_link_info info = {};

	info.kprobe_multi.addrs = (uintptr_t)info_addrs;
	info.kprobe_multi.cookies = (uintptr_t)info_cookies;
	info.kprobe_multi.count = count;
	get_info(link, &info, sizeof(info));
	return info;
}

static void test_kinds(void)
{
	const int multi = BPF_TRACE_KPROBE_MULTI, session = BPF_TRACE_KPROBE_SESSION;
	const int ret = BPF_F_KPROBE_MULTI_RETURN;
	int plain = new_program(multi, 0, 0);
	int both = new_program(session, 0, 0), entry = new_program(session, 1, 0);

	check_link("names", new_link(plain, multi, by_names(0)), 1, 0);
	check_link("addresses", new_link(plain, multi, by_addrs(0)), 1, 0);
	check_link("returns by name", new_link(plain, multi, by_names(ret)), 1, 1);
	check_link("returns by address", new_link(plain, multi, by_addrs(ret)), 1, 1);
	check_link("a session", new_link(both, session, by_names(0)), 2, 1);
	check_link("a session that wants no return", new_link(entry, session, by_addrs(0)), 1, 0);
	close(plain);
	close(both);
	close(entry);
}

static void test_info(void)
{
	uint64_t got[CALLS] = {}, with[CALLS] = {};
	int prog = new_program(BPF_TRACE_KPROBE_MULTI, 0, 0);
	int link = new_link(prog, BPF_TRACE_KPROBE_MULTI, by_names(BPF_F_KPROBE_MULTI_RETURN));
	struct bpf_link_info info = info_of(link, got, with, CALLS);
	size_t i, k, found = 0;

	if (info.type != BPF_LINK_TYPE_KPROBE_MULTI || info.kprobe_multi.count != CALLS ||
	    info.kprobe_multi.flags != BPF_F_KPROBE_MULTI_RETURN || info.kprobe_multi.missed)
		fail("a link tells: type %d, count %u, flags %u, missed %llu", info.type,
		     info.kprobe_multi.count, info.kprobe_multi.flags,
		     (unsigned long long)info.kprobe_multi.missed);
	for (i = 0; i < CALLS; i++)
		for (k = 0; k < CALLS; k++)
			found += got[k] == addrs[i] && with[k] == cookies[i];
	if (found != CALLS)
		fail("a link tells %zu of %zu addresses with their cookies", found, CALLS);
	close(link);
	close(prog);
}

/*
 * Each run of the program calls a function that has the program, too. The probe may call
 * it for that function or not; then the program is not run, or the probe has missed a call.
 */
static void test_missed(void)
{
	const char *inside[2] = { SYSCALL "getpid", "htab_map_update_elem" };
	uint64_t with[] = { 1, 4 };
	int prog = new_program(BPF_TRACE_KPROBE_MULTI, 0, 1);
	union bpf_attr attr = {};
	struct bpf_prog_info prog_info = {};
	unsigned long long missed;
	int link, n;

	attr.link_create.kprobe_multi.cnt = 2;
	attr.link_create.kprobe_multi.syms = (uintptr_t)inside;
	attr.link_create.kprobe_multi.cookies = (uintptr_t)with;
	link = new_link(prog, BPF_TRACE_KPROBE_MULTI, attr);
	if (link < 0) {
		fail("a program that calls: not attached: %s", strerror(-link));
		return;
	}
	forget();
	for (n = 0; n < 13; n++)
		syscall(SYS_getpid);
	get_info(prog, &prog_info, sizeof(prog_info));
	missed = info_of(link, NULL, NULL, 0).kprobe_multi.missed + prog_info.recursion_misses;
	if (seen_with(1).calls != 13 || seen_with(4).calls)
		fail("a program that calls: %llu and %llu runs, not 13 and 0",
		     (unsigned long long)seen_with(1).calls,
		     (unsigned long long)seen_with(4).calls);
	if (missed != 13)
		fail("a program that calls: %llu missed, not 13", missed);
	close(link);
	close(prog);
}

/* The lines of enabled_functions. */
static int nr_attached(void)
{
	FILE *f = fopen("/sys/kernel/tracing/enabled_functions", "r");
	int c, lines = 0;

	while (f && (c = getc(f)) != EOF)
		lines += c == '\n';
	if (!f || fclose(f))
		fail("enabled_functions: %m");
	return lines;
}

static void refuse(const char *what, int prog, int type, union bpf_attr attr, int want)
{
	int before = nr_attached(), fd = new_link(prog, type, attr);

	if (fd != -want)
		fail("%s: %s, not %s", what, fd < 0 ? strerror(-fd) : "attached", strerror(want));
	if (fd >= 0)
		close(fd);
	else if (nr_attached() != before)
		fail("%s: functions are attached", what);
}

static void test_refused(void)
{
	const int multi = BPF_TRACE_KPROBE_MULTI;
	int prog = new_program(multi, 0, 0), other = new_program(0, 0, 0);
	const char *unknown[CALLS] = { names[0], "no_such_function", names[1] };
	const char *data[CALLS] = { names[0], "jiffies", names[1] };
	uint64_t odd[] = { addrs[0], addrs[1] + 1, addrs[2] };
	union bpf_attr attr = by_names(0);

	attr.link_create.kprobe_multi.syms = (uintptr_t)unknown;
	refuse("an unknown name", prog, multi, attr, ESRCH);
	attr.link_create.kprobe_multi.syms = (uintptr_t)data;
	refuse("the name of a variable", prog, multi, attr, ESRCH);
	attr.link_create.kprobe_multi.syms = 8;
	refuse("names that are nowhere", prog, multi, attr, EFAULT);
	attr = by_addrs(0);
	attr.link_create.kprobe_multi.addrs = (uintptr_t)odd;
	refuse("an address in a function", prog, multi, attr, EINVAL);
	attr = by_addrs(0);
	attr.link_create.kprobe_multi.syms = (uintptr_t)names;
	refuse("names and addresses", prog, multi, attr, EINVAL);
	attr = by_names(0);
	attr.link_create.kprobe_multi.syms = 0;
	refuse("neither names nor addresses", prog, multi, attr, EINVAL);
	attr = by_names(0);
	attr.link_create.kprobe_multi.cnt = 0;
	refuse("no function", prog, multi, attr, EINVAL);
	attr.link_create.kprobe_multi.cnt = (1 << 20) + 1;
	refuse("too many functions", prog, multi, attr, E2BIG);
	refuse("an unknown flag", prog, multi, by_names(2), EINVAL);
	refuse("a program of another kind", other, multi, by_names(0), EINVAL);
	close(prog);
	close(other);
}

/* The number that BTF has for a function. */
static uint32_t btf_of(const char *name)
{
	/* The bytes behind a type of a kind: in any case, and for each of its parts. */
	static const uint8_t more[NR_BTF_KINDS] = {
		[BTF_KIND_INT] = 4, [BTF_KIND_ARRAY] = 12, [BTF_KIND_VAR] = 4,
		[BTF_KIND_DECL_TAG] = 4,
	};
	static const uint8_t part[NR_BTF_KINDS] = {
		[BTF_KIND_STRUCT] = 12, [BTF_KIND_UNION] = 12, [BTF_KIND_ENUM] = 8,
		[BTF_KIND_FUNC_PROTO] = 8, [BTF_KIND_DATASEC] = 12, [BTF_KIND_ENUM64] = 12,
	};
	static char data[32 << 20];
	const struct btf_header *btf = (const void *)data;
	const char *p, *end;
	uint32_t id;

	if (!btf->magic) {
		FILE *f = fopen("/sys/kernel/btf/vmlinux", "r");

		if (!f || !fread(data, 1, sizeof(data), f) || !feof(f) || fclose(f)) {
			fail("the kernel's BTF: %m");
			return 0;
		}
	}
	p = data + btf->hdr_len + btf->type_off;
	end = p + btf->type_len;
	for (id = 1; p < end; id++) {
		const struct btf_type *t = (const void *)p;
		unsigned int kind = BTF_INFO_KIND(t->info);

		if (kind == BTF_KIND_FUNC &&
		    !strcmp(data + btf->hdr_len + btf->str_off + t->name_off, name))
			return id;
		p += sizeof(*t) + more[kind] + part[kind] * BTF_INFO_VLEN(t->info);
	}
	fail("%s is not in BTF", name);
	return 0;
}

/*
 * A program that counts by its cookie how often this task comes, and keeps what its context
 * has at @result. If @number is not less than 0, only what has @only there counts.
 */
static int new_counter(int type, int attach, uint32_t btf, int result, int number, int only)
{
	const struct bpf_insn insns[] = {
		MOV(6, 1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		SHIFT(0, 32),
		UNLESS(0, self, 15),
		number < 0 ? MOV(1, 6) : LOAD(1, 6, number),
		number < 0 ? MOV(1, 6) : UNLESS(1, only, 13),
		MOV(1, 6),
		CALL(BPF_FUNC_get_attach_cookie),
		STORE32(10, 0, -4),
		MAP(1, map), MAP_END,
		MOV(2, 10),
		ADD(2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		IF(0, 0, 4),
		SET(1, 1),
		INCREASE(0, 1),
		LOAD(1, 6, result),
		STORE(0, 1, offsetof(struct seen, result)),
		SET(0, 0),
		EXIT,
	};

	return load_program(type, attach, btf, insns, ARRAY_SIZE(insns));
}

static void check_counted(const char *what, const char *name, uint32_t cookie, int wanted)
{
	unsigned long long got = seen_with(cookie).calls;

	if (got != (unsigned int)wanted)
		fail("%s: %s: %llu runs, not %d", what, name, got, wanted);
}

#define ENTRY_COOKIE	4
#define EXIT_COOKIE	5

/* An exit has the result behind the only argument. */
static int new_function_link(int attach, const char *name)
{
	int is_exit = attach == BPF_TRACE_FEXIT;
	int prog = new_counter(BPF_PROG_TYPE_TRACING, attach, btf_of(name), 8 * is_exit, -1, 0);
	union bpf_attr attr = {};
	int link;

	attr.link_create.tracing.cookie = is_exit ? EXIT_COOKIE : ENTRY_COOKIE;
	link = new_link(prog, attach, attr);
	if (link < 0)
		fail("%s: attach type %d: %s", name, attach, strerror(-link));
	close(prog);
	return link;
}

static void test_entry_and_exit(size_t i)
{
	uint64_t want = syscall(calls[i].number), got;
	int times = calls[i].times, at_entry, at_exit;

	forget();
	at_entry = new_function_link(BPF_TRACE_FENTRY, calls[i].name_btf);
	make_calls();
	check_counted("fentry", names[i], ENTRY_COOKIE, times);
	at_exit = new_function_link(BPF_TRACE_FEXIT, calls[i].name_btf);
	make_calls();
	check_counted("fentry beside fexit", names[i], ENTRY_COOKIE, 2 * times);
	check_counted("fexit beside fentry", names[i], EXIT_COOKIE, times);
	close(at_entry);
	make_calls();
	check_counted("fentry that is closed", names[i], ENTRY_COOKIE, 2 * times);
	check_counted("fexit", names[i], EXIT_COOKIE, 2 * times);
	got = seen_with(EXIT_COOKIE).result;
	if (got != want)
		fail("fexit: %s: returns %llu, the program is told %llu", names[i],
		     (unsigned long long)want, (unsigned long long)got);
	close(at_exit);
	make_calls();
	check_counted("fexit that is closed", names[i], EXIT_COOKIE, 2 * times);
}

/* One function after the other, then all of them beside a link to many. */
static void test_functions(void)
{
	const int multi = BPF_TRACE_KPROBE_MULTI;
	int prog = new_program(multi, 0, 0), links[2 * CALLS], many, times = 0;
	size_t i;

	for (i = 0; i < CALLS; i++) {
		test_entry_and_exit(i);
		times += calls[i].times;
	}

	for (i = 0; i < CALLS; i++) {
		links[i] = new_function_link(BPF_TRACE_FENTRY, calls[i].name_btf);
		links[CALLS + i] = new_function_link(BPF_TRACE_FEXIT, calls[i].name_btf);
	}
	check_link("names beside fentry", new_link(prog, multi, by_names(0)), 1, 0);
	many = new_link(prog, multi, by_names(BPF_F_KPROBE_MULTI_RETURN));
	forget();
	make_calls();
	close(many);
	for (i = 0; i < CALLS; i++)
		check_counted("returns beside fexit", names[i], calls[i].cookie, calls[i].times);
	check_counted("fentry", "all", ENTRY_COOKIE, times);
	check_counted("fexit", "all", EXIT_COOKIE, times);
	for (i = 0; i < ARRAY_SIZE(links); i++)
		close(links[i]);
	close(prog);
}

/* Where all contexts have the number of the system call, and where that of an exit has more. */
#define NUMBER_AT	8
#define RETURNED_AT	16

static int new_raw_link(int prog, uint64_t cookie)
{
	union bpf_attr attr = {};
	int link;

	attr.raw_tracepoint.name = (uintptr_t)"sys_enter";
	attr.raw_tracepoint.prog_fd = prog;
	attr.raw_tracepoint.cookie = cookie;
	link = sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	return link < 0 ? -errno : link;
}

/* An event of this task, SYSTEM/EVENT. */
static int new_event(const char *name)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	char path[128];
	int id, fd;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%d", &id) != 1 || fclose(f)) {
		fail("the number of %s: %m", name);
		return -1;
	}
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		fail("an event: %m");
	return fd;
}

/*
 * A program at the raw tracepoint sys_enter, or at the event @name if there is one, is told of
 * each call of the first number, and reads @want at @result of its context.
 */
static void test_tracepoint(const char *what, const char *name, int result, uint64_t want)
{
	int type = name ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_RAW_TRACEPOINT;
	int prog = new_counter(type, 0, 0, result, NUMBER_AT, calls[0].number);
	int event = name ? new_event(name) : -1, link;
	union bpf_attr attr = {};
	uint64_t got;

	attr.link_create.target_fd = event;
	attr.link_create.perf_event.bpf_cookie = calls[0].cookie;
	link = name ? new_link(prog, BPF_PERF_EVENT, attr) : new_raw_link(prog, calls[0].cookie);
	if (link < 0)
		fail("%s: not attached: %s", what, strerror(-link));
	forget();
	make_calls();
	close(link);
	make_calls();
	check_counted(what, names[0], calls[0].cookie, calls[0].times);
	got = seen_with(calls[0].cookie).result;
	if (got != want)
		fail("%s: the program is told %llu, not %llu", what, (unsigned long long)got,
		     (unsigned long long)want);
	if (name)
		close(event);
	close(prog);
}

#define THROWN		13
#define THROWER_COOKIE	6
#define OUTER_COOKIE	7

/*
 * A program that ends by bpf_throw(): that function never returns, and the one that runs the
 * program does. A probe of both returns finds the outer frame, and counts the inner one as missed.
 */
static void test_thrown(void)
{
	const struct bpf_insn insns[] = {
		SET(1, 0),
		CALL_KERNEL(btf_of("bpf_throw")),
		SET(0, 1),
		EXIT,
	};
	const int multi = BPF_TRACE_KPROBE_MULTI;
	static const char * const hooked[] = { "bpf_throw", "bpf_prog_test_run_syscall" };
	uint64_t with[] = { THROWER_COOKIE, OUTER_COOKIE };
	int prog = new_program(multi, 0, 0), thrower, link, n;
	union bpf_attr attr = by_names(BPF_F_KPROBE_MULTI_RETURN), run = {};
	unsigned long long missed;

	attr.link_create.kprobe_multi.cnt = 2;
	attr.link_create.kprobe_multi.syms = (uintptr_t)hooked;
	attr.link_create.kprobe_multi.cookies = (uintptr_t)with;
	link = new_link(prog, multi, attr);
	if (link < 0) {
		fail("a program that throws: no link: %s", strerror(-link));
		return;
	}
	thrower = load_program(BPF_PROG_TYPE_SYSCALL, 0, 0, insns, ARRAY_SIZE(insns));
	run.test.prog_fd = thrower;
	forget();
	for (n = 0; n < THROWN; n++) {
		if (sys_bpf(BPF_PROG_TEST_RUN, &run) || run.test.retval)
			fail("a program that throws: run %d: %m, returns %u", n, run.test.retval);
	}
	check_counted("a program that throws", hooked[0], THROWER_COOKIE, 0);
	check_counted("a program that throws", hooked[1], OUTER_COOKIE, THROWN);
	missed = info_of(link, NULL, NULL, 0).kprobe_multi.missed;
	if (missed != THROWN)
		fail("a program that throws: %llu returns are missed, not %d", missed, THROWN);
	close(link);
	close(thrower);
	close(prog);
}

#define MODULE		"late_fail"
#define ANSWER		"/sys/module/" MODULE "/parameters/answer"

/* Load a module whose init function waits for an answer. Returns when it waits. */
static pid_t start_module(void)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("modprobe", "modprobe", MODULE, (char *)NULL);
		_exit(127);
	}
	while (access(ANSWER, W_OK)) {
		if (waitpid(pid, NULL, WNOHANG)) {
			fail("there is no module " MODULE);
			return -1;
		}
		usleep(10000);
	}
	return pid;
}

/* 0: the module becomes live, 1: its init function fails. */
static void answer_module(pid_t pid, int answer)
{
	FILE *f = fopen(ANSWER, "w");
	int status;

	if (!f || fprintf(f, "%d", answer) < 0 || fclose(f))
		fail("no answer: %m");
	if (waitpid(pid, &status, 0) != pid || !!status != answer)
		fail("the module's status after answer %d is %d", answer, status);
}

static int new_module_link(int prog)
{
	union bpf_attr attr = {
		.raw_tracepoint = { .name = (uintptr_t)"late_fail_step", .prog_fd = prog },
	};
	int fd = sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);

	return fd < 0 ? -errno : fd;
}

/*
 * A raw tracepoint of a module whose init function runs: a link would not keep the module if that
 * fails. A link to one that is live does.
 */
static void test_module(void)
{
	const struct bpf_insn insns[] = { SET(0, 0), EXIT };
	int prog = load_program(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, insns, ARRAY_SIZE(insns));
	int answer, link;
	pid_t pid;

	for (answer = 1; answer >= 0; answer--) {
		pid = start_module();
		if (pid < 0)
			return;
		link = new_module_link(prog);
		if (link != -ENOENT)
			fail("a module that is not live: link %d", link);
		answer_module(pid, answer);
		if (link >= 0)
			close(link);
	}
	link = new_module_link(prog);
	if (link < 0)
		fail("a live module: %s", strerror(-link));
	if (!syscall(SYS_delete_module, MODULE, O_NONBLOCK) || errno != EWOULDBLOCK)
		fail("a link does not keep a live module: %m");
	close(link);
	close(prog);
	/* The link goes after a grace period. */
	while (syscall(SYS_delete_module, MODULE, O_NONBLOCK) && errno == EWOULDBLOCK)
		usleep(10000);
	if (!access(ANSWER, F_OK))
		fail("the module stays: %m");
}

static void find_calls(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long addr;
	char name[300];
	size_t i;

	for (i = 0; i < CALLS; i++) {
		names[i] = calls[i].name;
		cookies[i] = calls[i].cookie;
	}
	while (f && fscanf(f, "%llx %*c %299s%*[^\n]", &addr, name) == 2)
		for (i = 0; i < CALLS; i++)
			if (!strcmp(name, names[i]))
				addrs[i] = addr;
	if (f)
		fclose(f);
	for (i = 0; i < CALLS; i++)
		if (!addrs[i])
			fail("%s has no address", names[i]);
}

/*
 * Hold a link of each kind until standard input ends. Somebody ends tracing meanwhile. No program
 * is called after its link has gone, though nothing can be patched any more by then.
 */
static void test_held(void)
{
	const int multi = BPF_TRACE_KPROBE_MULTI;
	int prog = new_program(multi, 0, 0), links[4];
	char end;
	size_t i;

	links[0] = new_link(prog, multi, by_names(0));
	links[1] = new_link(prog, multi, by_names(BPF_F_KPROBE_MULTI_RETURN));
	links[2] = new_function_link(BPF_TRACE_FENTRY, calls[0].name_btf);
	links[3] = new_function_link(BPF_TRACE_FEXIT, calls[0].name_btf);
	for (i = 0; i < ARRAY_SIZE(links); i++)
		if (links[i] < 0)
			fail("link %zu: %s", i, strerror(-links[i]));
	forget();
	make_calls();
	check_counted("fentry that is held", names[0], ENTRY_COOKIE, calls[0].times);
	printf("links: held\n");
	fflush(stdout);
	while (read(0, &end, 1) > 0)
		;
	make_calls();
	for (i = 0; i < ARRAY_SIZE(links); i++)
		close(links[i]);
	close(prog);
	forget();
	make_calls();
	check_counted("fentry that has gone", names[0], ENTRY_COOKIE, 0);
	check_counted("fexit that has gone", names[0], EXIT_COOKIE, 0);
	for (i = 0; i < CALLS; i++)
		check_counted("kprobes that have gone", names[i], calls[i].cookie, 0);
}

int main(int argc, char **argv)
{
	int before = nr_attached();

	self = getpid();
	find_calls();
	map = new_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct seen));
	scratch = new_map(BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(uint32_t));
	if (!failures && argc > 1 && !strcmp(argv[1], "hold")) {
		test_held();
	} else if (!failures) {
		test_kinds();
		test_info();
		test_missed();
		test_refused();
		test_functions();
		test_tracepoint("a raw tracepoint", NULL, NUMBER_AT, calls[0].number);
		test_tracepoint("a tracepoint's event", "raw_syscalls/sys_enter", NUMBER_AT,
				calls[0].number);
		test_tracepoint("a system call's event", "syscalls/sys_exit_gettid", RETURNED_AT,
				syscall(SYS_gettid));
		test_thrown();
		test_module();
		if (nr_attached() != before)
			fail("%d functions attached, %d before", nr_attached(), before);
	}
	printf("links: %d failures\n", failures);
	return failures != 0;
}
