#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Prints where in a file of a program (64 bits, of this machine's order of bytes) its function
# _init() is, which the loader calls once, and which returns: what DT_INIT of PT_DYNAMIC tells.
use strict;
use warnings;

open(my $f, '<', $ARGV[0]) or die "$ARGV[0]: $!\n";
binmode $f;
my $elf = do { local $/; <$f> };
my ($start, $size, $nr) = unpack 'x32 Q x14 S S', $elf;
my (@load, $dynamic, $init);

for my $i (0 .. $nr - 1) {
	my ($type, $offset, $address, $length) = unpack 'L x4 Q Q x8 Q',
							substr $elf, $start + $i * $size, 40;
	push @load, [$offset, $address, $length] if $type == 1;
	$dynamic = substr $elf, $offset, $length if $type == 2;
}
for (my $at = 0; $at + 16 <= length $dynamic; $at += 16) {
	my ($tag, $value) = unpack 'Q Q', substr $dynamic, $at, 16;
	$init = $value if $tag == 12;
}
for (@load) {
	my ($offset, $address, $length) = @$_;
	printf "0x%x\n", $init - $address + $offset
		if defined $init && $init >= $address && $init < $address + $length;
}
