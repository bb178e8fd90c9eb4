#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Open perf's own kprobes, and see that they count what this task does.
#
# usage: perf_kprobe.pl TYPE
#
# TYPE is the number of the PMU "kprobe". Says what is wrong, if anything is.
use strict;
use warnings;
use Errno;
use POSIX qw(uname);

my ($type) = @ARGV;
my $open = (uname())[4] eq "aarch64" ? 241 : 298;	# perf_event_open()
my $bad = 0;

# Open a kprobe at SYMBOL + OFFSET, or at the address OFFSET; RETURN is 1 for its returns.
sub kprobe {
	my ($symbol, $offset, $return) = @_;
	my $text = "$symbol\0";
	my $where = $symbol eq "" ? 0 : unpack("Q", pack("P", $text));
	# type, size, config, sample_period, sample_type, read_format, flags, wakeup_events,
	# bp_type, config1: the symbol, config2: offset or address
	my $attr = pack("LLQQQQQLLQQ", $type, 72, $return, 0, 0, 0, 0, 0, 0, $where, $offset);

	return syscall($open, $attr, 0, -1, -1, 0);
}

sub expect {
	my ($what, $is) = @_;
	return if $is;
	print "perf_kprobe: $what\n";
	$bad = 1;
}

sub count {
	my ($fd) = @_;
	open(my $file, "<&=", $fd) or die "$fd: $!\n";
	my $n = sysread($file, my $data, 8);
	return defined $n && $n == 8 ? unpack("Q", $data) : -1;
}

my $entry = kprobe("vfs_write", 0, 0);
my $return = kprobe("vfs_write", 0, 1);
expect("no kprobe: $!", $entry >= 0);
expect("no kretprobe: $!", $return >= 0);
if (!$bad) {
	open(my $null, ">", "/dev/null") or die "/dev/null: $!\n";
	syswrite($null, "x") for 1 .. 5;
	expect("entries", count($entry) == 5);
	expect("returns", count($return) == 5);
}
expect("an unknown symbol", kprobe("no_such_function", 0, 0) < 0 && $!{ENOENT});
expect("an address that is none", kprobe("", 1, 0) < 0);
expect("a return in the middle", kprobe("vfs_write", 1, 1) < 0);
expect("an offset that is too large", kprobe("vfs_write", 1 << 40, 0) < 0 && $!{EINVAL});
exit $bad;
