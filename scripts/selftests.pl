#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# selftests.pl RUNS LIST TABLE OUT...: judges what guests of scripts/selftests.sh said (OUT is
# .../selftests-IMPL.out). Every test is a row of the file TABLE; shown are each program's numbers
# and the rows that are not simply passed by all. A test that didn't come, because its program
# died before, has failed. Exits with 1 if C has always passed a test that Rust hasn't.
use strict;
use warnings;

my ($runs, $list, $table, @outs) = @ARGV;
my (@commands, @impls, %name, %last, %ok, %skip, %why, %came, %secs, %stored, %loaded);

open my $in, '<', $list or die "$list: $!\n";
while (<$in>) { push @commands, $1 if /^\S+ (.*)/ }
for my $out (@outs) {
	my ($impl) = $out =~ /selftests-(\w+)\.out$/ or die "$out: not the output of a guest\n";
	push @impls, $impl;
	open my $in, '<', $out or die "$out: $!\n";
	while (<$in>) {
		s/\s+$//;
		next unless s/^(\d+) (\d+) //;
		my $program = $2 - 1;
		my $seen = sub { my $n = shift; $last{$program} = $n if $n > ($last{$program} // 0) };
		if (/^1\.\.(\d+)/) {
			$seen->($1);
		} elsif (/^(not )?ok (\d+) *(?:- )?(.*)/) {
			my ($failed, $n, $text) = ($1, $2, $3);
			$seen->($n);
			my $skipped = $text =~ s/\s*# SKIP\s*(.*)// ? $1 : undef;
			# Some give the reason after the mark, some the name, some the name and the reason.
			($text, $skipped) = ($1, $2) if defined $skipped && $text eq '' && $skipped =~ /^(.*?)(?: \((.*)\))?$/;
			$text =~ s/^# XFAIL //;
			# The name is that of a test which went well: some say what failed instead.
			$name{$program, $n} = $text if !$failed && !defined $skipped || !defined $name{$program, $n};
			if (defined $skipped || /# SKIP/) {
				$skip{$impl, $program, $n}++;
				$why{$program, $n} = $skipped if $skipped;
			} elsif (!$failed) {
				$ok{$impl, $program, $n}++;
			}
		} elsif (/^end (\d+) (\S+) (\d+) (\d+)$/) {
			# Above 4, the status says skipped, it was killed: by a signal, or for its time.
			$name{$program, 0} = 'comes to its end';
			$ok{$impl, $program, 0}++ if $1 <= 4;
			$came{$impl, $program}++;
			$secs{$impl, $program} += $2;
			$stored{$impl, $program} += $3;
			$loaded{$impl, $program} += $4;
		}
	}
}

my $both = grep({ $_ eq 'c' } @impls) && grep({ $_ eq 'rust' } @impls);
my ($lost, $all, @odd) = (0, 0);
my $row = "%-30s %4s  %-70s" . '  %9s' x @impls . "  %s\n";
open my $full, '>', $table or die "$table: $!\n";
printf $full $row, 'program', '', 'test', @impls, '';
my $line = '%-30s %5s' . ' | %5s %4s %4s %4s %4s %7s %6s' x @impls . "\n";
printf $line, '', '', map { ($_, ('') x 6) } @impls;
printf $line, 'program', 'tests', ('all', 'some', 'none', 'skip', 's', 'stored', 'loaded') x @impls;
for my $p (0 .. $#commands) {
	my %sum;
	# A program without a plan that never said a word is still one test.
	for my $n (1 .. $last{$p} // 1, 0) {
		my (@cells, %full);
		my $mark = '';
		for my $impl (@impls) {
			my ($ok, $skip) = map { $_->{$impl, $p, $n} // 0 } \%ok, \%skip;
			push @cells, $skip == $runs ? 'skipped' : "$ok/$runs" . ($skip ? "+$skip skipped" : '');
			$sum{$impl}[$skip == $runs ? 3 : $ok == $runs ? 0 : $ok ? 1 : 2]++;
			$full{$impl} = $ok == $runs;
		}
		if ($both && $full{c} && !$full{rust}) { $lost++; $mark = 'LOST' }
		elsif (grep { $_ ne $cells[0] } @cells) { $mark = 'differs' }
		my $why = $cells[0] eq 'skipped' || "@cells" =~ /skipped/ ? $why{$p, $n} // '' : '';
		my $text = sprintf $row, $commands[$p], $n || '', $name{$p, $n} // '(never came)', @cells, $mark || $why;
		print $full $text;
		push @odd, $text if $mark || grep { $_ ne "$runs/$runs" && $_ ne 'skipped' } @cells;
		$all++;
	}
	printf $line, $commands[$p], 1 + ($last{$p} // 1), map {
		my $impl = $_;
		my $came = $came{$impl, $p} || 1;
		(map({ $sum{$impl}[$_] // 0 } 0 .. 3),
			map { sprintf '%.0f', ($_->{$impl, $p} // 0) / $came } \%secs, \%stored, \%loaded)
	} @impls;
}
print "\nHow many tests passed in all $runs runs, in some, in none, or were always skipped; seconds and pages\n",
	"that zswap stored and loaded, in a run. Each test, and why it is skipped: $table\n";
print "\nNot passed in each run, by each:\n", @odd if @odd;
print "\n$all tests, $lost that C has always passed and Rust hasn't\n" if $both;
exit($lost ? 1 : 0);
