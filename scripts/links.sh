#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# links.sh: the relative links of the Markdown pages lead to files, and their anchors to headings or to <a id="...">.
# Prints a line for each that doesn't, and fails if there is one.
. "$(dirname "$0")/lib.sh"

mapfile -t pages < <(find ./*.md docs bench patches samples tests -name '*.md' -not -path '*/target/*' | sed 's#^\./##' | sort)
perl -e '
	sub text { open my $page, "<", $_[0] or return ""; local $/; my $text = <$page>; $text =~ s/^```.*?^```$/$& =~ tr{\n}{}cdr/emsg; $text }
	sub anchors {
		my (%seen, %has);
		for (split /\n/, text($_[0])) {
			$has{$1} = 1 while /<a (?:id|name)="([^"]+)"/g;
			next unless s/^#+ +//;
			s/\[([^]]*)\]\([^)]*\)/$1/g;
			s/[^\w\- ]//g;
			(my $name = lc) =~ tr/ /-/;
			$has{$seen{$name} ? "$name-$seen{$name}" : $name} = 1;
			$seen{$name}++;
		}
		return \%has;
	}
	my %anchors;
	for my $page (@ARGV) {
		(my $dir = $page) =~ s{[^/]*$}{};
		my $text = text($page);
		while ($text =~ /\]\(([^)\s]+)\)/g) {
			my ($line, $link) = (1 + substr($text, 0, $-[0]) =~ tr/\n//, $1);
			next if $link =~ /^[a-z]+:/;
			my ($file, $anchor) = split /#/, $link;
			my $path = $file eq "" ? $page : $dir . $file;
			my $why = !-e $path ? "there is no such file" : defined $anchor && !($anchors{$path} //= anchors($path))->{$anchor}
				? "there is no such heading" : next;
			print "$page:$line: ($link): $why\n";
			$bad = 1;
		}
	}
	exit($bad ? 1 : 0)' "${pages[@]}"
