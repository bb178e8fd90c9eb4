#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All tests of scripts/recordmcount.
#
# usage: run.sh [--kernel BUILD] [--against BUILD] [--base SOURCE]
#               [--fuzz N] [--objects N] [--seed N]
#        run.sh --arm64 BUILD [--objects N] [--seed N]
#
#   --kernel   a finished x86_64 kernel build to compare the recorders over: with it, a
#              comparison that is skipped has failed; default KERNEL_BUILD, or out/obj/patched of
#              this repository
#   --arm64    a finished arm64 kernel build to compare them over, and nothing else
#   --against  a second build, by another recorder, to compare vmlinux and modules with
#   --base     a pristine 6.12 source tree to compare the speed with its recordmcount;
#              default KDIR, or the package linux-source-6.12 in /usr/src
#   --fuzz     damaged objects to try (default 20000)
#   --objects  to compile again with -mrecord-mcount, or -pg for arm64 (default 100)
#   --seed     of the damage and of the choice of objects (default 1)
#
# Needs gcc, binutils, python3 and, unless perf counts instructions, valgrind
# (Debian's packages); tests for arm64 and arm run
# where gcc-aarch64-linux-gnu, gcc-arm-linux-gnueabi or clang are installed. Says what
# it leaves out. The last line counts the tests; exit status 0 if none failed.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
source=$top/scripts/recordmcount.c
package=/usr/src/linux-source-6.12.tar.xz
kernel=${KERNEL_BUILD:-} arm64='' against='' base=${KDIR:-} fuzz=20000 objects=100 seed=1 strict=''

while [ $# -gt 0 ]; do
	case $1 in
	--kernel|--arm64|--against|--base|--fuzz|--objects|--seed)
		[ $# -gt 1 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
		[ "$1" != --kernel ] || strict=1
		eval "${1#--}=\$2"
		shift 2 ;;
	*)
		sed -n '4,/^$/s/^# \{0,1\}//p' "$0" >&2
		exit 2 ;;
	esac
done

for tool in gcc ld objcopy strip python3; do
	command -v $tool > /dev/null || {
		echo "run.sh: no $tool: apt-get install gcc binutils python3" >&2
		exit 2
	}
done

work=$(mktemp -d "${TMPDIR:-/tmp}/recordmcount.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
log=$work/log

# Run a test; one that ends without having said that it failed counts as failed.
step()
{
	name=$1
	shift
	echo "== $name"
	{ "$@" 2>&1; echo $? > "$work/status"; } | tee "$work/step"
	cat "$work/step" >> "$log"
	status=$(cat "$work/status")
	if [ "$status" -ne 0 ] && ! grep -q '^FAIL ' "$work/step"; then
		echo "FAIL $name: status $status" | tee -a "$log"
	fi
}

build()
{
	out=$1
	shift
	if gcc -std=gnu11 -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes \
		"$@" -o "$work/$out" "$source"; then
		echo "ok   build/$out"
	else
		echo "FAIL build/$out"
	fi
}

# The base tree's recordmcount, compiled in $work/base
base_recordmcount()
{
	if [ -z "$base" ] && [ -f "$package" ]; then
		echo "unpacking scripts/recordmcount of $package"
		base=$work/${package##*/}
		base=${base%.tar.xz}
		tar -xJf "$package" -C "$work" --wildcards '*/scripts/recordmcount.[ch]' \
			'*/tools/include/*' || return
	fi
	gcc -O2 -w -I "$base/tools/include" -o "$work/base" "$base/scripts/recordmcount.c"
}

# All tests but those of an arm64 build.
everything()
{
	step "build it with sanitizers" build sanitized -O1 -g -fsanitize=address,undefined \
		-fno-sanitize-recover=all
	mkdir "$work/objects"
	step "objects of every architecture" \
		python3 "$here/test_objects.py" "$work/recordmcount" "$work/objects"

	# no file is of this machine's kind: all go the way of foreign ones
	step "build it for a foreign machine" build foreign -O2 -DELF_NATIVE=0
	mkdir "$work/foreign-objects"
	step "the same objects on a foreign machine" \
		python3 "$here/test_objects.py" "$work/foreign" "$work/foreign-objects"

	step "$fuzz damaged objects" python3 "$here/fuzz.py" --count "$fuzz" --seed "$seed" \
		"$work/sanitized" "$work/fuzz"

	if [ -n "$kernel" ]; then
		step "recorders over $kernel" python3 "$here/compare-recorders.py" \
			--objects "$objects" --seed "$seed" ${against:+--against "$against"} \
			"$work/recordmcount" "$kernel" "$work/compare"
	else
		echo "skip compare: no kernel build (--kernel BUILD)" | tee -a "$log"
	fi

	if [ -z "$kernel" ]; then
		echo "skip speed: no kernel build (--kernel BUILD)" | tee -a "$log"
	elif [ -z "$base" ] && [ ! -f "$package" ]; then
		echo "skip speed: no base tree (--base SOURCE, or the package linux-source-6.12)" |
			tee -a "$log"
	elif base_recordmcount; then
		step "speed against the base tree's" python3 "$here/speed.py" "$work/recordmcount" \
			"$work/base" "$kernel" "$work/speed"
	else
		echo "FAIL speed: the base tree's recordmcount does not build" | tee -a "$log"
	fi
}

if [ -z "$kernel" ] && [ -f "$top/out/obj/patched/vmlinux" ]; then
	kernel=$top/out/obj/patched
fi
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
step "build recordmcount" build recordmcount -O2
if [ -n "$arm64" ]; then
	step "recorders over $arm64" python3 "$here/compare-recorders.py" \
		--objects "$objects" --seed "$seed" "$work/recordmcount" "$arm64" "$work/compare"
else
	everything
fi

skipped=$(grep -c '^skip ' "$log")
failed=$(grep -c '^FAIL ' "$log")
passed=$(grep -c '^ok ' "$log")
missed=$(grep -c '^skip \(compare\|speed\)' "$log")
if [ -n "$strict" ] && [ "$missed" -ne 0 ]; then
	echo "FAIL: $missed comparisons were skipped, see above"
	failed=$((failed + missed)) skipped=$((skipped - missed))
fi
text="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || text="$text, $skipped skipped"
echo "$text"
[ "$failed" -eq 0 ]
