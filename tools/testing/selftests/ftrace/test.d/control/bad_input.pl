#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Write bad input to control files, one write() each, and tell the errno.
#
# usage: bad_input.pl FILE...
#
# Prints "file<tab>kind<tab>ok|ERRNO" for each, or dies when a refused write
# changed what the file shows. A write that is taken is undone.
use strict;
use warnings;
use Errno;
use Fcntl;

my @kinds = (
	[empty => ""],
	[newline => "\n"],
	[spaces => "   "],
	[unknown => "no_such_thing_at_all\n"],
	[unterminated => "no_such_thing_at_all"],
	[negative => "-1\n"],
	[huge => "99999999999999999999999\n"],
	[trailing => "12 no_such_thing_at_all\n"],
	[bang => "!no_such_thing_at_all\n"],
	[colons => ":::::\n"],
	[command => "no_such_thing_at_all:no_such_command:5\n"],
	[binary => "\001\002\377\376\200\033\n"],
	[nul => "no_such\000thing\n"],
	[long => "a" x 6000 . "\n"],
	[longer => "a" x 70000],
	[words => "no_such_thing " x 1000],
	[absent => "!vfs_fsync\n"],
	[absent_command => "!vfs_fsync:traceoff\n"],
	[brackets => "((((\n"],
	[quote => "comm ~ \"a\n"],
	[float => "1.5\n"],
	[octal => "08\n"],
	[newlines => "\n\n1\n\n2\n"],
);

# These change by themselves, or are written to be added to.
my $moving = qr/^(saved_cmdlines|saved_tgids|error_log|trace_marker\w*|.*stats|.*trace_pipe\w*)$/;

my %undo = (
	tracing_on => "0", tracing_thresh => "0",
	set_ftrace_filter => "schedule", set_ftrace_notrace => "",
	set_ftrace_pid => "", set_ftrace_notrace_pid => "",
	saved_cmdlines_size => "128", buffer_size_kb => "64",
	"per_cpu/cpu0/buffer_size_kb" => "64", trace_clock => "local",
	buffer_percent => "50", buffer_subbuf_size_kb => "4", max_graph_depth => "0",
	snapshot => "0", "per_cpu/cpu0/snapshot" => "0", stack_trace_filter => "",
	stack_max_size => "0",
	set_graph_function => "", set_graph_notrace => "", function_profile_enabled => "0",
	set_event => "", set_event_pid => "", set_event_notrace_pid => "",
	"events/enable" => "0", "events/sched/enable" => "0", "events/sched/filter" => "0",
	"events/sched/sched_switch/enable" => "0", "events/sched/sched_switch/filter" => "0",
);

$undo{tracing_cpumask} = state_of("tracing_cpumask") =~ s/\n//r;

sub name_of {
	my $error = shift;
	for my $name (keys %!) {
		return $name if Errno->can($name)->() == $error
			and $name ne "EWOULDBLOCK" and $name ne "ENOTSUP";
	}
	return $error;
}

sub state_of {
	my $file = shift;
	return "" if $file =~ $moving;
	# The file shows what it has refused, too, where this one has what is in force.
	$file = "show_event_filters" if $file =~ m{^events/.*/filter$};
	open(my $f, "<", $file) or return "";
	local $/;
	my $text = <$f>;
	return defined $text ? $text : "";
}

sub put {
	my ($file, $flags, $text) = @_;
	sysopen(my $f, $file, $flags) or return name_of($! + 0);
	my $n = syswrite($f, $text);
	my $error = $! + 0;
	close($f);
	return defined $n ? "ok" : name_of($error);
}

for my $file (@ARGV) {
	for my $kind (@kinds) {
		my ($name, $text) = @$kind;
		my $before = state_of($file);
		my $error = put($file, O_WRONLY, $text);

		print "$file\t$name\t$error\n";
		if ($error eq "ok" or $name eq "trailing") {
			# The first word of a line may have been taken.
			put($file, O_WRONLY | O_TRUNC, "$undo{$file}\n")
				if defined $undo{$file};
		} elsif ($before ne state_of($file)) {
			die "$file: a refused write ($name) changed it\n";
		}
	}
}
