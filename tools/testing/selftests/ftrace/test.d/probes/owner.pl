#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Make events, switch them on and off, and remove them, in one task, until it is killed.
#
# usage: owner.pl FILE DEFINITIONS GROUP
#
# FILE gets the text of DEFINITIONS, which are of events of GROUP, by one write. Each phase is told
# on the standard output before it begins: define, on, off, remove, end.
use strict;
use warnings;
use Fcntl;

my ($path, $definitions, $group) = @ARGV;
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

sub switch {
	sysopen(my $f, "events/$group/enable", O_WRONLY) or die "enable: $!\n";
	put($f, $_[0]);
	close $f;
}

sysopen(my $own, $path, O_WRONLY | O_APPEND) or die "$path: $!\n";
phase 'define';
put($own, $lines);
phase 'on';
switch 1;
phase 'off';
switch 0;
phase 'remove';
put($own, "-:$group/\n");
phase 'end';
close $own;
