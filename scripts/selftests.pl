#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# selftests.pl LIST TABLE CLOSE OUT=RUNS[:PROGRAM,...]...: judges the output of guests of scripts/selftests.sh
# from RUNS runs of all programs, or of those with these numbers (OUT is .../selftests-IMPL.out or
# .../selftests-IMPL-again.out). Every test is a row of the file TABLE; prints each program's counts, and the
# rows that didn't pass in all runs. A missing test, whose program died before, has failed. Exits with 1 if
# Rust passes a test less often than C, by Fisher's exact test with p < 0.01. The file CLOSE gets the numbers
# of the programs that have a test with p < 0.25.
use strict;
use warnings;

use constant {LOST => 0.01, CLOSE => 0.25};
my ($list, $table, $close, @outs) = @ARGV;
my (@commands, @impls, %runs, %name, %last, %ok, %skip, %why, %came, %secs, %stored, %loaded);

open my $in, '<', $list or die "$list: $!\n";
while (<$in>) { push @commands, $1 if /^\S+ (.*)/ }
for my $out (@outs) {
	my ($path, $impl, $runs, $only) = $out =~ m{^(.*selftests-(\w+)(?:-again)?\.out)=(\d+)(?::([\d,]+))?$}
		or die "$out: not the output of a guest, and its runs\n";
	push @impls, $impl unless grep { $_ eq $impl } @impls;
	$runs{$impl, $_} += $runs for $only ? map({ $_ - 1 } split /,/, $only) : 0 .. $#commands;
	open my $in, '<', $path or die "$path: $!\n";
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
			# Some have the reason after the mark, some the name, some both.
			($text, $skipped) = ($1, $2) if defined $skipped && $text eq '' && $skipped =~ /^(.*?)(?: \((.*)\))?$/;
			$text =~ s/^# XFAIL //;
			# The name from a passed run: some print the failure instead.
			$name{$program, $n} = $text if !$failed && !defined $skipped || !defined $name{$program, $n};
			if (defined $skipped || /# SKIP/) {
				$skip{$impl, $program, $n}++;
				$why{$program, $n} = $skipped if $skipped;
			} elsif (!$failed) {
				$ok{$impl, $program, $n}++;
			}
		} elsif (/^end (\d+) (\S+) (\d+) (\d+)$/) {
			# A status above 4, which means skipped: killed by a signal, or timed out.
			$name{$program, 0} = 'comes to its end';
			$ok{$impl, $program, 0}++ if $1 <= 4;
			$came{$impl, $program}++;
			$secs{$impl, $program} += $2;
			$stored{$impl, $program} += $3;
			$loaded{$impl, $program} += $4;
		}
	}
}

# worse(C, OF, RUST, OF): the one-sided p of Fisher's exact test: the chance of at most that many passes on
# Rust, if the two kernels don't differ.
sub choose { my ($n, $k) = @_; my $log = 0; $log += log(($n - $_) / ($k - $_)) for 0 .. $k - 1; return $log }
sub worse {
	my ($c, $of_c, $rust, $of_rust) = @_;
	my ($all, $p) = ($c + $rust, 0);
	for my $x (($all > $of_c ? $all - $of_c : 0) .. $rust) {
		$p += exp(choose($of_rust, $x) + choose($of_c, $all - $x) - choose($of_c + $of_rust, $all));
	}
	return $p;
}

my $both = grep({ $_ eq 'c' } @impls) && grep({ $_ eq 'rust' } @impls);
my ($lost, $all, $skipped, @odd, @close) = (0, 0, 0);
my $row = "%-30s %4s  %-70s" . '  %9s' x @impls . "  %s\n";
open my $full, '>', $table or die "$table: $!\n";
printf $full $row, 'program', '', 'test', @impls, '';
my $line = '%-30s %5s' . ' | %5s %4s %4s %4s %4s %7s %6s' x @impls . "\n";
printf $line, '', '', map { ($_, ('') x 6) } @impls;
printf $line, 'program', 'tests', ('all', 'some', 'none', 'skip', 's', 'stored', 'loaded') x @impls;
for my $p (0 .. $#commands) {
	my %sum;
	my $close;
	# A program without a plan or output is still one test.
	for my $n (1 .. $last{$p} // 1, 0) {
		my (@cells, $always);
		my $mark = '';
		for my $impl (@impls) {
			my $runs = $runs{$impl, $p};
			my ($ok, $skip) = map { $_->{$impl, $p, $n} // 0 } \%ok, \%skip;
			push @cells, $skip == $runs ? 'skipped' : "$ok/$runs" . ($skip ? "+$skip skipped" : '');
			$sum{$impl}[$skip == $runs ? 3 : $ok == $runs ? 0 : $ok ? 1 : 2]++;
			$always += $ok == $runs || $skip == $runs;
		}
		my $p_value = $both ? worse(map { ($ok{$_, $p, $n} // 0, $runs{$_, $p}) } qw(c rust)) : 1;
		$close = 1 if $p_value < CLOSE;
		if ($p_value < LOST) { $lost++; $mark = sprintf 'LOST, p = %.1g', $p_value }
		elsif (grep { $_ ne $cells[0] } @cells) { $mark = sprintf 'differs, p = %.2f', $p_value }
		my $why = $cells[0] eq 'skipped' || "@cells" =~ /skipped/ ? $why{$p, $n} // '' : '';
		my $text = sprintf $row, $commands[$p], $n || '', $name{$p, $n} // '(never came)', @cells, $mark || $why;
		print $full $text;
		push @odd, $text if $mark || $always < @impls;
		$all++ if $n;
		$skipped++ if $n && !grep { $_ ne 'skipped' } @cells;
	}
	push @close, $p + 1 if $close;
	printf $line, $commands[$p], 1 + ($last{$p} // 1), map {
		my $impl = $_;
		my $came = $came{$impl, $p} || 1;
		(map({ $sum{$impl}[$_] // 0 } 0 .. 3),
			map { sprintf '%.0f', ($_->{$impl, $p} // 0) / $came } \%secs, \%stored, \%loaded)
	} @impls;
}
print "\nHow many tests passed in all runs, in some, in none, or were always skipped, and whether the program comes\n",
	"to its end; seconds and pages that zswap stored and loaded, in a run. Each test, and why it is skipped: $table\n";
print "\nNot passed in each run, by each:\n", @odd if @odd;
my %has = map { ($commands[$_] => $last{$_} // 1) } 0 .. $#commands;
printf "\n%d tests of %d programs, of which %d are skipped; %s; and of each program, whether it comes to its end\n",
	$all, scalar @commands, $skipped,
	join ', ', map { "$has{$_} are of $_" } (sort { $has{$b} <=> $has{$a} || $a cmp $b } keys %has)[0], grep { /zswap/ } keys %has;
print "$lost that Rust passes less often than C (p < ${\LOST})\n" if $both;
open my $again, '>', $close or die "$close: $!\n";
print $again join(',', @close);
exit($lost ? 1 : 0);
