#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Make a program whose functions are called with known arguments, without a compiler: the file is
# an ELF of x86_64 or arm64 with one segment of code and one of data.
#
# usage: truth_program.pl FILE
#
# Prints where in the file functions are (enter, text, minus), where they are in memory (_at), what
# the program's addresses are, and the file's offset of the data.
use strict;
use warnings;
no warnings 'portable';	# The machine has 64 bits.
use POSIX qw(uname);

my ($path) = @ARGV;
my $machine = (uname())[4];
my $base = 0x400000;
my $offset = 0x10000;		# of the data; also the largest size of a page
my $size = 2 * $offset;
my $data = $base + $offset;
my $end = $data + $size;	# Behind it is nothing.
my %at;				# functions

# The data, as truth.tc reads it: numbers, pointers to strings, strings.
my $text = $data + 128;
my @texts = ($data + 160, $data + 164, $data + 168);
my $endless = $data + 4096;
my $memory = pack('Q Q c a S l L4 Q Q3 a16 Q Q Q', 0x8899aabbccddeeff, $data, -2, 'z', 0xfedc, -3,
		  1, 0x80000002, 3, 4, $text, @texts, 'in place', $end - 8, $end, $endless);

$memory = pack('a128 a32 a4 a4 a8', $memory, 'text of a program', 'one', '', 'three');
$memory = pack('a4096', $memory) . 'x' x ($size - 4096 - 8) . 'o' x 8;

my @arguments = ($data, 0x8899aabbccddeeff, $text, 0xfffffffd, ord('z'), 0x9999999999999999);
my $on_stack = 0x7777777777777777;
my $result = 0x666666666666665f;
my $code = '';
my @calls;			# where the code calls which function

sub call {
	my ($name) = @_;
	push @calls, [length $code, $name];
	$code .= $machine eq 'x86_64' ? "\xe8" . pack('l', 0) : pack('L', 0);
	$at{"${name}_back"} = $base + 0x1000 + length $code;
}

sub function {
	my ($name, $instructions) = @_;
	$code .= "\0" while length($code) % 16;
	$at{$name} = 0x1000 + length $code;
	$code .= $instructions;
}

# Move a number to a register of arm64.
sub load {
	my ($register, $number) = @_;
	return pack 'L4', map { ($_ ? 0xf2800000 : 0xd2800000) | $_ << 21 |
				($number >> 16 * $_ & 0xffff) << 5 | $register } 0 .. 3;
}

if ($machine eq 'x86_64') {
	my @to = ("\x48\xbf", "\x48\xbe", "\x48\xba", "\x48\xb9", "\x49\xb8", "\x49\xb9");

	$code .= $to[$_] . pack('Q', $arguments[$_]) for 0 .. 5;
	$code .= "\x48\xb8" . pack('Q', $on_stack) . "\x50";		# mov, push %rax
	call 'enter';
	call 'text';
	call 'minus';
	$code .= "\x31\xff\xb8" . pack('L', 60) . "\x0f\x05";		# exit(0)
	function 'enter', "\x48\xb8" . pack('Q', $result) . "\xc3";
	function 'text', "\x48\x8b\x47\x28\xc3";			# mov 40(%rdi),%rax
	function 'minus', "\x8b\x47\x14\xc3";				# mov 20(%rdi),%eax
} elsif ($machine eq 'aarch64') {
	$code .= load($_, $arguments[$_]) for 0 .. 5;
	$code .= load(9, $on_stack) . pack('L2', 0xd10043ff, 0xf90003e9);	# sub sp; str x9, [sp]
	call 'enter';
	$code .= load(0, $data);
	call 'text';
	$code .= load(0, $data);
	call 'minus';
	$code .= load(0, 0) . load(8, 93) . pack('L', 0xd4000001);	# exit(0)
	function 'enter', load(0, $result) . pack('L', 0xd65f03c0);
	function 'text', pack('L2', 0xf9401400, 0xd65f03c0);		# ldr x0, [x0, 40]
	function 'minus', pack('L2', 0xb9401400, 0xd65f03c0);		# ldr w0, [x0, 20]
} else {
	exit 1;
}
for (@calls) {
	my ($from, $name) = @$_;
	my $way = $at{$name} - 0x1000 - $from;

	if ($machine eq 'x86_64') {
		substr($code, $from + 1, 4) = pack('l', $way - 5);
	} else {
		substr($code, $from, 4) = pack('L', 0x94000000 | ($way >> 2 & 0x3ffffff));
	}
}

# Headers: of the file, of the code, of the data, and of a stack that is not executable.
my $elf = pack('a4 C5 x7 S2 L Q3 L S6', "\x7fELF", 2, 1, 1, 0, 0, 2,
	       $machine eq 'x86_64' ? 62 : 183, 1, $base + 0x1000, 64, 0, 0, 64, 56, 3, 0, 0, 0);
$elf .= pack('L2 Q6', 1, 5, 0, $base, $base, 0x1000 + length $code, 0x1000 + length $code, $offset);
$elf .= pack('L2 Q6', 1, 6, $offset, $data, $data, $size, $size, $offset);
$elf .= pack('L2 Q6', 0x6474e551, 6, 0, 0, 0, 0, 0, 16);

open(my $f, '>', $path) or die "$path: $!\n";
binmode $f;
print $f pack("a$offset", pack('a4096', $elf) . $code) . $memory or die "$path: $!\n";
close $f or die "$path: $!\n";
chmod 0755, $path;
printf "%s=0x%x %s_at=0x%x %s_back=0x%x\n", $_, $at{$_}, $_, $base + $at{$_}, $_, $at{"${_}_back"}
	for qw(enter text minus);
printf "data=0x%x fault=0x%x offset=0x%x\n", $data, $end, $offset;
