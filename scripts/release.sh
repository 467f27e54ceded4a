#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# release.sh: all that a release is checked and measured by, one command after the other, of one tree of the code. One that
# fails stops no other, and one that has passed with this tree is not repeated. ONLY="stress stack" runs only these. Writes
# build/results/release.tsv, which make results takes once all have passed.
. "$(dirname "$0")/lib.sh"

steps=(check test 'test ARCH=arm64' 'test TOOLCHAIN=forky' kunit 'kunit ARCH=arm64' 'kunit ARCH=riscv' races zero litmus kernels configs deb
	'run ARCH=riscv' 'sanitize MINUTES=5' 'sanitize SEEDED=10' 'stress MINUTES=30' 'twins MINUTES=10' 'fuzz MINUTES=10'
	mutants 'mutants DRAWN=48' selftests exports 'patches CHECK=1' bench)
mapfile -t -O ${#steps[@]} steps < <(sed -n "/^bench /d; /^table=/,/^END/s/^\([a-z]*\) [0-9].*/measure ONLY=\1/p" scripts/measure.sh)

# selected STEP: by its target, or by the experiment that it measures
selected() { [[ -z ${ONLY:-} || " $ONLY " == *" ${1%% *} "* || " $ONLY " == *" ${1#*ONLY=} "* ]]; }
names=("${steps[@]#*ONLY=}")
names=("${names[@]%% *}")
for name in ${ONLY:-}; do
	[[ " ${names[*]} " == *" $name "* ]] || die "ONLY=$name is unknown: use ${names[*]}"
done
[ "${1:-}" != check ] || exit 0

at() { scripts/enter.sh python3 scripts/results.py stamp; }
stamp=$(at)
[[ $stamp != *" with changes"* && $stamp != *"commit none"* ]] ||
	die "the code has changes, or is in no repository: commit it first; git status shows them"
tree=${stamp##* }
rows=build/release-$tree-$({ echo "$ROOT" && cat build/overlay/origin; } | sha256sum | cut -c1-12).tsv # of the steps that have passed
: >>"$rows"
# One whose results are gone, or of another tree, counts as not run.
has() {
	local name=${1#*ONLY=}
	case $1 in *DRAWN=*) name=drawn ;; *SEEDED=*) name=kcsan ;; esac
	grep -q -P "^\Qmake $1\E\t" "$rows" || return
	case $1 in mutants* | *SEEDED=* | selftests | bench | measure*) grep -q "^# .* tree $tree$" "build/results/$name.tsv" ;; esac
}
failures=() missing=()
for step in "${steps[@]}"; do
	selected "$step" || continue
	! has "$step" || { echo "make $step ... has passed with this tree" && continue; }
	read -ra words <<<"$step"
	start=$(now_ms) status=0
	attempt "release $step" "${MAKE:-make}" --no-print-directory "${words[0]}" ONLY= "${words[@]:1}" || status=$?
	result=$({ grep -a -v -e '^make' -e '^$' "$LOG" || :; } | tail -n 1 | tr -c -d ' -{}~' | cut -c1-100)
	[[ $(at) =~ ^commit\ ([0-9a-f]+),\ ([0-9-]+),.*\ $tree$ ]] ||
		die "the code changed while make $step ran: what it found doesn't count; commit the change, and run again"
	if [ $status = 0 ]; then
		sed -i "\\|^make $step\t|d" "$rows"
		printf 'make %s\t%s\t%s\t%s\t%s\n' "$step" "${BASH_REMATCH[@]:1:2}" $((($(now_ms) - start) / 60000)) "$result" >>"$rows"
	else
		failures+=("$step")
		echo "make $step ... failed: $result: see $TOP/$LOG"
	fi
done

for step in "${steps[@]}"; do has "$step" || missing+=("$step"); done
mkdir -p build/results
{
	printf '# release %s\n## commands\ncommand\tcommit\tday\t>minutes\tresult\n' "$stamp"
	cat "$rows"
	[ ${#missing[@]} = 0 ] || printf '# failed: not passed: %s\n' "$(IFS=,; echo "${missing[*]}")"
} >build/results/release.new
mv build/results/release.new build/results/release.tsv
echo "release of tree $tree: $((${#steps[@]} - ${#missing[@]})) of ${#steps[@]} passed; now failed: $(IFS=,; echo "${failures[*]:-none}")"
[ ${#failures[@]} = 0 ] || die "make release: a further run runs only what has not passed"
[ ${#missing[@]} != 0 ] || echo "All passed, all of one tree. Next: make results"
