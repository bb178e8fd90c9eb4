#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Open a perf event that counts a trace event in this task, and close it.
#
# usage: perf_open.pl EVENT-DIR
#
# Prints "opened", or the error, like "EBUSY".
use strict;
use warnings;
use Errno;
use POSIX qw(uname);

my ($event) = @ARGV;
my $open = (uname())[4] eq "aarch64" ? 241 : 298;	# perf_event_open()
my $type = 2;			# PERF_TYPE_TRACEPOINT
my $exclude_kernel = 0x20;	# so any user may

open(my $file, "<", "$event/id") or die "$event/id: $!\n";
my $id = <$file> + 0;
my $attr = pack("LLQQQQQLLQ", $type, 64, $id, 0, 0, 0, $exclude_kernel, 0, 0, 0);

if (syscall($open, $attr, 0, -1, -1, 0) >= 0) {
	print "opened\n";
	exit 0;
}
my ($name) = grep { $!{$_} } keys %!;
print "$name\n";
