#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# targets.sh: make help, docs/commands.md and docs/machines.md name the targets that the Makefile has; README.md names no
# other. Prints a line for each that is missing or too many, and fails if there is one.
# shellcheck disable=SC2016 # patterns
. "$(dirname "$0")/lib.sh"

# listed TEXT: the targets of "make a", and of "make a`, `b`, `c": the names that follow in the same list.
listed() {
	perl -0777 -ne 's/\s+/ /g;
		while (/`(?:IMPL=c )?make (?:-s )?([a-z-]+)[^`]*`((?:,? (?:and )?`[a-z-]+`)*)/g) { print "$1\n"; my $more = $2; print "$1\n" while $more =~ /`([a-z-]+)`/g }' |
		sort -u
}
# differ WHAT HAVE WANT
differ() {
	local line
	while IFS= read -r line; do
		case $line in
		$'\t'*) echo "$1 lacks make ${line#$'\t'}" ;;
		?*) echo "$1 has make $line, which the Makefile hasn't" ;;
		esac
	done < <(comm -3 <(echo "$2") <(echo "$3"))
}

phony=$(sed -n 's/^\.PHONY: //p' Makefile | tr ' ' '\n' | grep -v -e '-input$' | sort -u)
x86=$(sed -n 's/^of_x86 := $(filter \(.*\),$(MAKECMDGOALS))$/\1/p' Makefile | tr ' ' '\n' | sort -u)
found=$(
	differ 'make help' "$({ echo help; make -s help | sed -n 's/^  make \([a-z-]*\) .*/\1/p'; } | sort -u)" "$phony"
	differ docs/commands.md "$({ echo help; sed -n '/^## Every day/,/^## Variables/p' docs/commands.md; } | perl -0777 -ne 'print "$_\n" for /(help)\n/; while (/\*\*`make (?:-s )?([a-z-]+)`\*\*/g) { print "$1\n" }' | sort -u)" "$phony"
	differ docs/machines.md "$(sed -n '/^- Targets that exist for x86-64 only/,/They refuse/p' docs/machines.md | sed 's/They refuse.*//' | listed)" "$x86"
	comm -23 <(listed <README.md) <(echo "$phony") | sed "s/.*/README.md has make &, which the Makefile hasn't/"
)
[ -z "$found" ] || { echo "$found"; exit 1; }
