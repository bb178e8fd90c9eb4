# SPDX-License-Identifier: GPL-2.0
#
# For the cases of this folder: does the text of all call sites agree with the
# kernel's records, and do these agree with the hooks and their filters? KUnit
# suites of the kernel look; they change nothing.

sites_suites=/sys/kernel/debug/kunit

sites_can_agree() {
    mount -t debugfs nodev /sys/kernel/debug 2> /dev/null || :
    [ -e $sites_suites/trace_sites/run ] && [ -e $sites_suites/trace_sites_wanted/run ]
}

sites_agree() {
    for suite in trace_sites trace_sites_wanted; do
	echo 1 > $sites_suites/$suite/run
	! grep 'not ok' $sites_suites/$suite/results || return 1
    done
    grep -q '^ *ok .* text_agrees' $sites_suites/trace_sites/results &&
	grep -q '^ *ok .* sites_call_who_wants_them' $sites_suites/trace_sites_wanted/results
}

# The kernel's log is a ring: no line numbers, but a line of our own.
log_mark() {
    mark="sites `cat /proc/uptime`"
    echo "$mark" > /dev/kmsg
}

log_since() {
    dmesg > $TMPDIR/log
    if grep -qF "$mark" $TMPDIR/log; then
	sed -n "/$mark/,\$p" $TMPDIR/log
    else
	cat $TMPDIR/log
    fi
}

# What harness/vm/warned.py looks for, whose self-test compares the two.
complaints='WARNING: |BUG: |BUG [[:alnum:]_-]+ \(|Oops|kernel BUG at|Kernel panic|'\
'general protection fault|INFO: (rcu|task|trying)|UBSAN: |Slab corruption|'\
'DEBUG_LOCKS_WARN_ON|\[ ftrace bug \]|kmemleak: [0-9]+ new suspected|cut here|'\
'(possible|inconsistent|suspicious|Invalid) .*(lock|RCU|dependency|context)'

kernel_complained() {
    log_since | grep -E "$complaints"
}
