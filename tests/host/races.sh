#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that everything docs/races.md names exists, and that it names all bugs. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"
. tests/host/tap.sh

# A line for each name: the row's number, the kind of name, the name; and for each verdict, the beginning of the third column of
# a numbered row: the number, "verdict", it. A KUnit case without a suite is one of zswap_races.
named=$(scripts/enter.sh python3 - <<'END'
import pathlib, re
for line in pathlib.Path("docs/races.md").read_text(encoding="utf-8").splitlines():
    line = re.sub("</?code>", "`", line.replace("<wbr>", "").replace("\\_", "_"))
    if not re.match(r"\| (?!#|-)(.*?) \|", line):
        continue
    cells = [re.sub("<a .*</a>", "", cell).strip() for cell in re.split(r" \| |^\| | ?\|$", line)]
    rows = cells[1].replace(" ", "_").split(",_")
    print(*(f"{row} row -" for row in rows), sep="\n")
    for cell in cells[4:5]:
        for kind, names in re.findall(r"\b(KUnit|VM|model|host|mutant|attack)s?((?:,? (?:and )?`[^`]+`)+)", cell):
            print(*(f"{row} {kind} {name}" for name in re.findall("`([^`]+)`", names) for row in rows), sep="\n")
    if re.fullmatch(r"\d\d?", cells[1]):
        verdict = re.match(r"\*\*(type|construction)\*\*|(in C)\b", cells[3])
        print(cells[1], "verdict", verdict[1] or verdict[2] if verdict else "none")
END
)
names() { awk -v kind="$1" '$2 == kind { print $3 }' <<<"$named" | sort -u; }

# exists KIND NAME
exists() {
	local suite=${2%%.*} case=${2#*.}
	case $1 in
	mutant) grep -q -x "mutant: $2" tests/mutants/*.patch ;;
	attack) grep -q -x "pub mod $2 {" tests/host/attack/*.rs ;;
	VM) [ -f "tests/vm/$2" ] ;;
	model | host) grep -q -r -w "fn $2" tests/host --include='*.rs' ;;
	KUnit)
		case $2 in
		*.*) is_suite "$suite" && is_case "$case" ;;
		*) is_suite "$2" || is_case "$2" ;;
		esac
		;;
	esac
}
is_suite() { grep -q -r -e "name = \"$1\"" -e "kunit_tests($1)" tests/kunit rust/kernel samples/rust; }
is_case() { grep -q -r -e "KUNIT_CASE.*($1[,)]" -e "fn $1()" tests/kunit rust/kernel samples/rust; }

echo 1..10
for kind in KUnit VM model host mutant attack; do
	point "every $kind of docs/races.md exists" "$(while read -r what; do
		exists "$kind" "$what" || echo "there is no $what"
	done < <(names "$kind"))"
done
point "each bug has one row" "$(comm -3 <({ seq 21; seq 29 42; } | sort) \
	<(awk '$2 == "row" && $1 ~ /^[0-9]+$/ && $1 < 100 { print $1 }' <<<"$named" | sort) | tr -d '\t')"
verdicts=$(sed -n 's/^[0-9]* verdict //p' <<<"$named")
point "each bug is excluded by a type, by construction, or is in C" "$(grep ' verdict none$' <<<"$named" || :)"
counted=$(for verdict in type construction 'in C'; do grep -c -x "$verdict" <<<"$verdicts"; done | paste -sd' ')
point "and they are counted" "$(comm -3 <(echo "$(wc -l <<<"$verdicts") $counted") \
	<(tr '\n' ' ' <docs/races.md | grep -o 'Of the [0-9]* bugs.*\*\*in C\*\*\.' | grep -o '[0-9]*' | paste -sd' '))"
point "each mutant's bug names the mutant" "$(awk '/^---$/ { nextfile } sub(/^mutant: /, "") { name = $0 }
	sub(/^history: /, "") { n = split($0, rows, ", "); for (i = 1; i <= n; i++) { gsub(" ", "_", rows[i]); print rows[i], name } }' \
	tests/mutants/*.patch | while read -r row name; do
	grep -q -x -F "$row mutant $name" <<<"$named" || echo "row $row lacks $name"
done)"
exit $status
