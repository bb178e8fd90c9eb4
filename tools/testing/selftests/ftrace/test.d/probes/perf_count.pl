#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Count a trace event in this task, while it reads a file some times.
#
# usage: perf_count.pl EVENT-DIR FILE TIMES
#
# Prints the count, or the error, like "EBUSY".
use strict;
use warnings;
use Errno;
use POSIX qw(uname);

my ($event, $name, $times) = @ARGV;
my $open = (uname())[4] eq "aarch64" ? 241 : 298;	# perf_event_open()
my $type = 2;			# PERF_TYPE_TRACEPOINT

open(my $file, "<", "$event/id") or die "$event/id: $!\n";
my $id = <$file> + 0;
my $attr = pack("LLQQQQQLLQ", $type, 64, $id, 0, 0, 0, 0, 0, 0, 0);

my $fd = syscall($open, $attr, 0, -1, -1, 0);
if ($fd < 0) {
	my ($error) = grep { $!{$_} } keys %!;
	print "$error\n";
	exit 0;
}
for (1..$times) {
	open(my $read, "<", $name) or die "$name: $!\n";
	my @lines = <$read>;
}
open(my $counter, "<&=", $fd) or die "the counter: $!\n";
sysread($counter, my $count, 8) == 8 or die "the counter: $!\n";
print unpack("Q", $count), "\n";
