#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Open perf events of ftrace:function, and count calls of what reads /proc/version with them.
#
# usage: perf_function.pl EVENTS-DIR
#
# Prints a line for each thing that is not as it should be, and ends with 1 then.
use strict;
use warnings;
use POSIX qw(uname);

my ($events) = @ARGV;
my $open = (uname())[4] eq "aarch64" ? 241 : 298;	# perf_event_open()
my $set_filter = 0x40082406;	# PERF_EVENT_IOC_SET_FILTER
my $type = 2;			# PERF_TYPE_TRACEPOINT
my $bad = 0;

sub id_of { # event
	open(my $file, "<", "$events/$_[0]/format") or die "$_[0]: $!\n";
	my ($id) = join("", <$file>) =~ /^ID: (\d+)$/m or die "$_[0]: no ID\n";
	return $id;
}

sub counter { # event, inherited by children?
	my $attr = pack("LLQQQQQLLQ", $type, 64, id_of($_[0]), 0, 0, 0, $_[1] ? 2 : 0, 0, 0, 0);
	my $fd = syscall($open, $attr, 0, -1, -1, 0);

	return undef if $fd < 0;
	open(my $file, "+<&=", $fd) or die "$fd: $!\n";
	return $file;
}

sub filter { # counter, text
	my $text = "$_[1]\0";

	return ioctl($_[0], $set_filter, $text);
}

sub count { # counter
	sysread($_[0], my $value, 8) == 8 or die "read: $!\n";
	return unpack("Q", $value);
}

sub read_version { # how often
	for (1 .. $_[0]) {
		open(my $file, "<", "/proc/version") or die;
		sysread($file, my $text, 100);
	}
}

sub expect { # what, seen, wanted
	return if $_[1] == $_[2];
	print "$_[0]: $_[1], not $_[2]\n";
	$bad = 1;
}

sub children_read { # how often
	my $child = fork();

	if (!$child) {
		my $grandchild = fork();

		read_version($_[0]);
		waitpid($grandchild, 0) if $grandchild;
		exit 0;
	}
	waitpid($child, 0);
}

for my $inherit (0, 1) {
	my $counter = counter("ftrace/function", $inherit) or die "ftrace:function: $!\n";

	filter($counter, "ip == version_proc_show") or die "filter: $!\n";
	my $before = count($counter);
	read_version(3);
	children_read(10);
	read_version(1);
	# Children have the filter, too.
	expect("calls, inherit=$inherit", count($counter) - $before, $inherit ? 24 : 4);
	filter($counter, "ip == version_proc_show no_such_function") and
		expect("a name that names nothing is taken", 1, 0);
	$before = count($counter);
	read_version(5);
	expect("calls after a refused filter", count($counter) - $before, 5);
}
# What has a file "id" is what perf may open.
expect("files id", join(" ", sort map { m{([^/]+)/id$} } glob("$events/ftrace/*/id")) eq
	"function print" ? 1 : 0, 1);
counter("ftrace/print", 0) or expect("ftrace:print is refused", 1, 0);
counter("ftrace/kernel_stack", 0) and expect("ftrace:kernel_stack is not refused", 1, 0);
exit $bad;
