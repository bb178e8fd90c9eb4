# SPDX-License-Identifier: GPL-2.0
#
# For cases that load modules where there are some. The kernel's configuration tells which:
# one that it has and that cannot be loaded is a failure, not a reason to skip anything.

for CONFIG in /proc/config.gz /lib/modules/`uname -r`/config /boot/config-`uname -r`; do
    [ ! -r $CONFIG ] || break
done
[ -r $CONFIG ] || exit_unresolved

configuration() {
    case $CONFIG in
    *.gz)	zcat $CONFIG ;;
    *)		cat $CONFIG ;;
    esac
}

configured() { # option
    configuration | grep -q "^CONFIG_$1=[ym]\$"
}

module_configured() { # option
    configuration | grep -q "^CONFIG_$1=m\$"
}

# MODULES: those of a list that the configuration has.
choose_modules() { # module:OPTION...
    MODULES=
    for module; do
	module_configured ${module#*:} || continue
	modprobe -n ${module%:*} || exit_fail
	MODULES="$MODULES ${module%:*}"
    done
}
