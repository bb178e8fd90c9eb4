#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Make events, switch them on and off, and remove them, in one task, until it is killed.
#
# usage: owner.pl FILE DEFINITIONS GROUP [INSTANCE]
#
# FILE gets the text of DEFINITIONS, which are of events of GROUP, by one write. Each phase is told
# on the standard output before it begins: define, on, off, remove, end. With INSTANCE, that is made
# first, and the events are on there alone; and after on, its tracer runs, and it is read: make,
# define, on, trace, read, off, remove, end.
use strict;
use warnings;
use Fcntl;

my ($path, $definitions, $group, $instance) = @ARGV;
my $dir = defined $instance ? "instances/$instance/" : '';
my $lines = do { local $/; open(my $f, '<', $definitions) or die "$definitions: $!\n"; <$f> };

$SIG{PIPE} = 'IGNORE';

sub phase {
	syswrite(STDOUT, "$_[0]\n");
}

sub put {
	my ($f, $text) = @_;
	my $done = 0;

	while ($done < length $text) {
		my $n = syswrite($f, $text, length($text) - $done, $done);
		die "$!\n" unless defined $n;
		$done += $n;
	}
}

sub set {
	my ($file, $text) = @_;

	sysopen(my $f, "$dir$file", O_WRONLY) or die "$file: $!\n";
	put($f, $text);
	close $f;
}

sysopen(my $own, $path, O_WRONLY | O_APPEND) or die "$path: $!\n";
if ($dir) {
	phase 'make';
	put($own, "i:$instance\n");
}
phase 'define';
put($own, $lines);
phase 'on';
set "events/$group/enable", 1;
if ($dir) {
	phase 'trace';
	set 'set_ftrace_filter', "vfs_*\n";
	set 'current_tracer', 'function';
	phase 'read';
	sysopen(my $pipe, "${dir}trace_pipe", O_RDONLY) or die "trace_pipe: $!\n";
	sysread($pipe, my $text, 4096);
}
phase 'off';
set "events/$group/enable", 0;
phase 'remove';
put($own, "-:$group/\n");
phase 'end';
close $own;
