#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kcsan.sh [check]: whether KCSAN sees data races. tests/kcsan has them, in Rust and, where it has the same rule, in C:
# functions named zswap_seeded_RACE. One kernel of each is booted SEEDED (10) times, and runs load.sh for 45 s. Writes
# build/results/kcsan.tsv: in how many boots each race was reported, and after how many seconds. Fails if one was in none,
# or if the control was, which is no race. With check, only validates the input.
. "$(dirname "$0")/lib.sh"
number SEEDED "${SEEDED:=10}" 1 999
[ "${1:-}" != check ] || exit 0
stamp

# Run by step, where bash ignores set -e.
lay() { # IMPL SRC
	rm -rf --one-file-system "${2:?}" && cp -al build/src "$2" &&
		scripts/enter.sh patch -p1 -s -F0 -f --no-backup-if-mismatch -r- -d "$2" <"tests/kcsan/$1.patch"
}

rows=() wrong=()
for impl in rust c; do
	src=build/kcsan-$impl-src
	step "races laid in $impl" lay $impl $src
	export VARIANT=kcsan-seeded-$impl LIKE=kcsan EXTRA_CONFIG=scripts/kcsan.config
	ENTER_SRC=$src scripts/kernel.sh $impl
	consoles=()
	for ((n = 1; n <= SEEDED; n++)); do
		name=$VARIANT-$n start=$(now_ms)
		# A data race that isn't known isn't this guest's failure; vm.sh says so last.
		IMPL=$impl scripts/vm.sh -n "$name" -a zswap.enabled=1 sh load.sh 45 >build/log/kcsan-seeded.log 2>&1 ||
			grep -q 'reports a data race' build/log/kcsan-seeded.log || die "$(tail -n 1 build/log/kcsan-seeded.log)"
		grep -q '^guest exit 0' "build/log/$name.out" || die "$name: load.sh failed: see build/log/$name.out"
		consoles+=("build/log/$name.console")
		echo "boot $n of $impl ... $(took "$start"): $(grep -c 'BUG: KCSAN: ' "build/log/$name.console" || :) reports of data races"
	done
	for race in $(sed -n 's/.*zswap_seeded_\([a-z]*\)(.*/\1/p' "tests/kcsan/$impl.patch" | grep -v -e ed$ -e unlock$ | sort -u); do
		# In any frame of a report, after the line with its time.
		row=$(awk -v race="zswap_seeded_$race" '
			/BUG: KCSAN: / { time = $0; gsub(/[][ ]/, "", time) }
			$0 ~ race && !(FILENAME in seen) { seen[FILENAME]; n++; at = at ", " int(time) }
			END { print n + 0 "\t" substr(at, 3) }' "${consoles[@]}")
		rows+=("$impl	$race	$row")
		case $race,$row in control,0* | [!c]*,[1-9]* | count,[1-9]*) ;; *) wrong+=("$race in $impl") ;; esac
	done
done
{
	[ ${#wrong[@]} = 0 ] || printf '# failed: not as it must be: %s\n' "$(IFS=,; echo "${wrong[*]}")"
	printf '## seeded data races, in %s boots each\nin\trace\t>boots\tafter seconds\n' "$SEEDED"
	printf '%s\n' "${rows[@]}"
} | scripts/enter.sh python3 scripts/results.py put kcsan
[ ${#wrong[@]} = 0 ] || die "not as it must be: ${wrong[*]}"
