#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Write to the control files at random, to those of an instance or to all: what they take,
# and what is made of that by exchanging, adding and leaving out.
#
# usage: many_writes.pl DIR SEED WRITES
#
# Dies when a write that was refused has changed what its file shows, or when the files
# differ from what they were at first after all has been put back. Prints how many writes
# were taken, and how many were refused by errno.
use strict;
use warnings;
use Errno qw(EBUSY);
use Fcntl;

my ($dir, $seed, $writes) = @ARGV;
my $batch = 500;	# writes until all is put back

# Functions that nobody calls meanwhile, so the counts of their commands stay.
my %words = (
	tracing_on => [qw(0 1)],
	trace_clock => [qw(local global counter uptime perf mono boot tai)],
	trace_options => [],
	buffer_percent => [qw(0 1 50 100)],
	tracing_cpumask => [qw(1 0 f)],
	max_graph_depth => [qw(0 1 7)],
	tracing_thresh => [qw(0 10)],
	set_ftrace_filter => [qw(ksys_sync ksys_sync:traceoff:3 !ksys_sync:traceoff:3 ksys_sync*
				 !ksys_sync ksys_sync:stacktrace vfs_fsync :mod:no_such_module)],
	set_ftrace_notrace => [qw(ksys_sync vfs_f* !vfs_fsync)],
	set_graph_function => [qw(ksys_sync vfs_fsync !ksys_sync)],
	set_graph_notrace => [qw(ksys_sync vfs_fsync !ksys_sync)],
	set_ftrace_pid => [qw(1 2 77777 !1)],
	set_ftrace_notrace_pid => [qw(1 2 !1)],
	set_event => [qw(sched sched:sched_switch !sched:* irq:* sched_process_exit !irq)],
	set_event_pid => [qw(1 2 77777 !1)],
	set_event_notrace_pid => [qw(1 2)],
	"events/enable" => [qw(0 1)],
	"events/sched/enable" => [qw(0 1)],
	"events/sched/sched_switch/enable" => [qw(0 1)],
	"events/sched/sched_switch/filter" => ["0", "prev_pid>5", "prev_comm~\"a*\"",
					       "(prev_pid==1||next_pid==2)&&prev_prio!=3"],
	"events/sched/filter" => ["0", "common_pid>5"],
	trace => ["", "0"],
	"per_cpu/cpu0/trace" => ["", "0"],
	trace_marker => ["marked", "two words", "%s %d %n"],
	trace_marker_raw => ["\1\0\0\0data", "\377\377\377\377", "abc"],
	error_log => [""],
	free_buffer => [""],
	stack_max_size => [qw(0 100)],
	stack_trace_filter => [qw(ksys_sync vfs_f* !ksys_sync)],
	saved_cmdlines_size => [qw(1 128 1000)],
	# These wait for grace periods, or patch functions.
	current_tracer => [qw(nop function function_graph)],
	buffer_size_kb => [qw(1 7 64 200)],
	buffer_subbuf_size_kb => [qw(4 8 16)],
	"per_cpu/cpu0/buffer_size_kb" => [qw(1 7 64 200)],
	snapshot => [qw(0 1 2)],
	"per_cpu/cpu0/snapshot" => [qw(0 1 2)],
	function_profile_enabled => [qw(0 1)],
);
my $slow = qr/^(current_tracer|.*size_kb|.*snapshot|events\/enable|function_profile_enabled)$/;

# These show nothing, or what changes by itself.
my $moving = qr/(^|\/)(trace|snapshot|trace_marker(_raw)?|free_buffer|error_log)$/;

my %undo = (
	tracing_on => "0", trace_clock => "local", buffer_percent => "50", max_graph_depth => "0",
	tracing_thresh => "0", set_ftrace_filter => "ksys_sync", set_ftrace_notrace => "",
	set_graph_function => "", set_graph_notrace => "", set_ftrace_pid => "",
	set_ftrace_notrace_pid => "", set_event => "", set_event_pid => "",
	set_event_notrace_pid => "", "events/enable" => "0",
	"events/sched/sched_switch/filter" => "0", "events/sched/filter" => "0",
	current_tracer => "nop", buffer_size_kb => "64", buffer_subbuf_size_kb => "4",
	snapshot => "0", tracing_cpumask => "", stack_max_size => "0", stack_trace_filter => "",
	saved_cmdlines_size => "128", function_profile_enabled => "0",
);

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
	open(my $f, "<", "$dir/$file") or die "$file: $!\n";
	local $/;
	my $text = <$f>;
	return defined $text ? $text : "";
}

# 0, or the errno of what is refused first.
sub put {
	my ($file, $flags, $text) = @_;
	my $error = 0;

	sysopen(my $f, "$dir/$file", $flags) or return $! + 0;
	defined syswrite($f, $text) or $error = $! + 0;
	close($f) or $error ||= $! + 0;
	return $error;
}

my @options = split /\n/, state_of("trace_options");
$words{trace_options} = [map { ($_, /^no(.*)/ ? $1 : "no$_") } @options];
$words{"options/$_"} = [qw(0 1)] for map { s/^no//r } @options;
# The stack of each function of the kernel would take all the time there is, and one instance
# only is the destination of trace_printk().
my $left_out = qr/func_stack_trace|trace_printk_dest/;
delete $words{$_} for grep { /$left_out/ } keys %words;
$words{trace_options} = [grep { !/$left_out/ } @{$words{trace_options}}];
my @files = sort grep { -w "$dir/$_" } keys %words;
$undo{tracing_cpumask} = state_of("tracing_cpumask") =~ s/\n//r;

# While somebody reads the trace, its buffer keeps its size.
sub must_put {
	my ($file, $flags, $text) = @_;
	my $error;

	select(undef, undef, undef, 0.01) while ($error = put($file, $flags, "$text\n")) == EBUSY;
	die "$file: '$text' is refused: " . name_of($error) . "\n" if $error;
}

# Put all back. The size of the buffer is rounded up to sub-buffers, so theirs comes first.
# Truncation leaves the commands of set_ftrace_filter, each is removed by name.
sub all_back {
	for my $file (qw(events/enable tracing_on current_tracer buffer_subbuf_size_kb), @files) {
		next unless -w "$dir/$file" and defined $undo{$file};
		must_put($file, O_WRONLY | O_TRUNC, $undo{$file});
	}
	must_put("trace_options", O_WRONLY, $_) for @options;
	for (split /\n/, state_of("set_ftrace_filter")) {
		must_put("set_ftrace_filter", O_WRONLY | O_APPEND, "!$1") if /^([^#:]+:\w.*)/;
	}
	return { map { ($_ => state_of($_)) } @files };
}

sub pick { return $_[int rand @_] }

sub spoil {
	my ($text, $words) = @_;
	my $way = int rand 12;
	my $at = int rand(1 + length $text);

	return "" if $way == 0;
	return substr($text, 0, $at) if $way == 1;
	return "!$text" if $way == 2;
	return $text . ":" . pick(@$words) if $way == 3;
	return $text . pick("x", "-", "*", "\0", "\"", "(", "&&", "9") if $way == 4;
	return "-" . $text if $way == 5;
	return "no_such_thing_" . int rand 10 if $way == 6;
	return join "", map { chr int rand 256 } 1 .. 1 + rand 40 if $way == 7;
	return $text x (1 + rand 300) if $way == 8;
	return "$text " . pick(@$words) if $way == 9;
	substr($text, $at, 1) = chr(33 + int rand 94) if $way == 10;
	substr($text, $at, 0) = chr(33 + int rand 94) if $way == 11;
	return $text;
}

# Memory for that would not be refused, but taken from others.
sub is_greedy {
	my ($file, $text) = @_;
	return $file =~ /size(_kb)?$/ && $text =~ /\d{5}/;
}

srand $seed;
my $first = all_back();
my ($taken, %refused) = (0);
for my $nr (1 .. $writes) {
	my $file = pick(@files);
	$file = pick(@files) while $file =~ $slow && rand() < 0.9;
	my $text = pick(@{$words{$file}});
	$text = spoil($text, $words{$file}) if rand() < 0.6;
	next if is_greedy($file, $text);
	my $flags = O_WRONLY | (rand() < 0.3 ? O_TRUNC : 0) | (rand() < 0.3 ? O_APPEND : 0);
	# Of several words the first ones may be taken, and truncation is another change.
	my $one = $text !~ /\s/ && !($flags & O_TRUNC);
	my $before = $one ? state_of($file) : "";
	my $error = put($file, $flags, rand() < 0.8 ? "$text\n" : $text);

	if (!$error) {
		$taken++;
	} else {
		$refused{name_of($error)}++;
		die "write $nr: $file: '$text' is refused (" . name_of($error) . "), but changes:\n" .
		    $before . "to:\n" . state_of($file) if $one && $before ne state_of($file);
	}
	if ($nr % $batch == 0 || $nr == $writes) {
		my $now = all_back();
		my @differ = grep { $now->{$_} ne $first->{$_} } @files;
		die "write $nr: all was put back, but:\n" .
		    join "", map { "$_ was:\n$first->{$_}and is:\n$now->{$_}" } @differ if @differ;
	}
}
print "$writes writes to " . @files . " files: $taken taken; refused:";
print " $_ $refused{$_}" for sort keys %refused;
print "\n";
