# SPDX-License-Identifier: GPL-2.0
# A CPU that does not run: a real-time task spins on CPU 1 for as long as the case likes, and real-
# time throttling and the CPU's fair server are off. It takes interrupts, and nothing else of the
# kernel runs there. The case itself runs on CPU 0. For cases of progress/, which source this.
#
# SPINNER_FAIR= nanoseconds that the fair server has of each period instead of none.

taskset 3 true 2> /dev/null && taskset 2 true 2> /dev/null || exit_unresolved
chrt -f 50 true 2> /dev/null || exit_unresolved
taskset -p 1 $PID > /dev/null

RT_RUNTIME=/proc/sys/kernel/sched_rt_runtime_us
rt_runtime=`cat $RT_RUNTIME`
spinner=
failed=
# A write takes some grace periods of RCU at most, which are tenths of a second; one that waits for
# the spinner takes until the spinner ends. It has LIMIT seconds, and when they are over, as long
# as this shell takes to count COUNTS times, on the CPU that it shares with the write. That is many
# times what it counts beside a change of all functions. So whatever slows the machine down, and
# whenever it does, gives the write more seconds.
# KILL_LIMIT: seconds that a task has to end after SIGKILL. That waits for nothing of another CPU.
seconds() {
    cut -d. -f1 /proc/uptime
}
count() {
    n=0
    while [ $n -lt 200 ]; do n=$((n + 1)); done
}
rm -f $TMPDIR/changed
begin=`seconds`
(echo function_graph > current_tracer || :
 echo nop > current_tracer
 : > $TMPDIR/changed) &
COUNTS=20
until [ -e $TMPDIR/changed ]; do
    count
    COUNTS=$((COUNTS + 20))
done
wait
slow=$((`seconds` - begin))
LIMIT=${LIMIT:-$((60 + 20 * slow))}
KILL_LIMIT=$((5 + 2 * slow))

# The fair server gives other tasks a part of a CPU that real-time tasks keep. Machines have it on;
# the guests of this test do not. It is on while a task runs there, so that task switches it.
FAIR=/sys/kernel/debug/sched/fair_server
fair_set() { # CPU, nanoseconds of its period or nothing
    [ -e $FAIR/cpu$1/runtime ] && [ -n "$2" ] && [ `cat $FAIR/cpu$1/runtime` != $2 ] || return 0
    taskset -c $1 sh -c "echo $2 > $FAIR/cpu$1/runtime"
}

fair_get() { # CPU
    cat $FAIR/cpu$1/runtime 2> /dev/null || :
}

fair_runtime=`fair_get 1`

spin_end() {
    [ -z "$spinner" ] || kill -9 $spinner 2> /dev/null || :
    spinner=
    echo $rt_runtime > $RT_RUNTIME
    fair_set 1 $fair_runtime || :
}

# Do something on CPU 1 as a real-time task, and spin from then on.
spin_begin() { # [shell commands]
    fair_set 1 ${SPINNER_FAIR:-0}
    echo -1 > $RT_RUNTIME
    rm -f $TMPDIR/spins
    chrt -f 50 taskset 2 sh -c "$1
	: > $TMPDIR/spins
	while :; do :; done" & spinner=$!
    trap spin_end EXIT
    until [ -e $TMPDIR/spins ]; do
	kill -0 $spinner || { echo "the spinner has ended"; exit_fail; }
	sleep .1
    done
}

# Run it in the background, and wait for LIMIT seconds. It must succeed.
bounded() { # shell commands
    within $LIMIT "$1"
}

# Kill it, and wait until it has ended, or is a zombie.
kill_soon() { # pid
    kill -9 $1 2> /dev/null || return 0
    within $KILL_LIMIT "while [ -e /proc/$1 ] && ! grep -q '^State:.Z' /proc/$1/status; do
	sleep .1
    done"
}

within() { # seconds, shell commands
    rm -f $TMPDIR/ended
    (set +e; (eval "$2"); echo $? > $TMPDIR/status; mv $TMPDIR/status $TMPDIR/ended) & writer=$!
    end=$((`seconds` + $1))
    until [ -e $TMPDIR/ended ] || [ `seconds` -gt $end ]; do
	sleep .1
    done
    counted=0
    until [ -e $TMPDIR/ended ] || [ $counted = $COUNTS ]; do
	count
	counted=$((counted + 1))
    done
    if [ ! -e $TMPDIR/ended ]; then
	echo "[$2] has not ended in $1 seconds and $COUNTS counts:"
	cat /proc/$writer/stack 2> /dev/null || :
	failed="$failed [$2]"
	# All that comes now may wait for this one.
	spin_end
	wait $writer || :
	echo "failed:$failed"
	exit_fail
    fi
    [ "`cat $TMPDIR/ended`" = 0 ] || failed="$failed [$2: `cat $TMPDIR/ended`]"
}

irq_works() { # sum of all CPUs
    awk '/IRQ work/ { for (i = 2; $i ~ /^[0-9]+$/; i++) sum += $i } END { print sum + 0 }' \
	/proc/interrupts
}

no_stack() {
    awk '$1 == "no-stack" { print $2 }' graph_missed
}

finish() {
    spin_end
    [ -z "$failed" ] || { echo "failed:$failed"; exit_fail; }
    exit 0
}
