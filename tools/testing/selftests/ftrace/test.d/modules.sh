# SPDX-License-Identifier: GPL-2.0
#
# For cases that load modules where there are some. The kernel's configuration tells which:
# one that it has and that cannot be loaded is a failure, not a reason to skip anything.

[ -r /proc/config.gz ] || exit_unresolved

configured() { # option
    zcat /proc/config.gz | grep -q "^CONFIG_$1=[ym]\$"
}

module_configured() { # option
    zcat /proc/config.gz | grep -q "^CONFIG_$1=m\$"
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
