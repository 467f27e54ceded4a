#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# words.sh: find the retired terms of scripts/words.txt. Prints a line for each, with what to write instead, and fails
# if there is one. A name in code is found as well, if it is a word by itself.
. "$(dirname "$0")/lib.sh"

mapfile -t files < <(find ./*.md Kconfig Makefile docs rust samples tests scripts include bench patches -type f -not -path '*/target/*' \
	\( -name '*.md' -o -name '*.rs' -o -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.pl' -o -name '*.svg' \
	-o -name '*.tsv' -o -name '*.litmus' -o -name Kconfig -o -name Makefile \) | sed 's#^\./##' | sort)
perl -0777 -ne 'BEGIN {
		open my $list, "<", "scripts/words.txt" or die "scripts/words.txt: $!\n";
		for (split /\n/, join "", <$list>) {
			next if /^#/;
			my ($term, $instead) = split /\t/;
			$term =~ s{ }{(?:[ \\t]+|[ \\t]*\\n[ \\t]*(?://[/!]?|\\*|#)?[ \\t]*)}g;
			push @terms, [qr/$term/i, $instead];
		}
	}
	for my $term (@terms) {
		while (/$term->[0]/g) {
			my ($line, $found) = (1 + substr($_, 0, $-[0]) =~ tr/\n//, $&);
			$found =~ s{\s*\n\s*(?://[/!]?|\*|#)?\s*}{ }g;
			print "$ARGV:$line: \"$found\": write $term->[1]\n";
			$n++;
		}
	}
	END { $? = 1 if $n }' "${files[@]}"
