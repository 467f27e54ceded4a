#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# figures.sh: measures the stale figures of docs anew (scripts/figures.txt), one command after the other: counts; with
# VERDICTS=1, verdicts as well; with FIGURES="bench stack", only these. A block that an earlier run measured with the
# same sources is taken from build/figures.kept. A command that fails stops no other.
#
# figures.sh release: first the tests of that table, except those that passed with the same sources; with
# ONLY="stress twins", only these. How each ended is in docs/release.tsv and docs/testing.md.
. "$(dirname "$0")/lib.sh"

figures() { scripts/enter.sh python3 scripts/figures.py "$@"; }
# of NAME VARIABLE=VALUE...: make NAME, without the caller's RUNS and others, which are for one command
of() { "${MAKE:-make}" --no-print-directory "$1" RUNS= TURN= UPTO= ONLY= FOLIOS= MINUTES= SUITE= "${@:2}"; }

if [ "${1:-}" = release ]; then
	for name in CONFIGS LIST VARIANT EXTRA_CONFIG KERNEL_ARGS SEED ZERO_FIX SWAP_FIX KSRC DRIFT HOSTTOOLS MUTANTS FIGURES TWINS DRAWN LARGE_SWAPIN; do
		[ -z "${!name:-}" ] || die "$name is not for make release: leave it out"
	done
	# shellcheck disable=SC2086 # names
	wanted=$(figures runs ${ONLY:-})
	passed=() failures=()
	while read -r -u 3 name _; do
		# Anew: a source may have changed while the last command ran.
		read -r _ state files variables < <(figures runs "$name")
		if [ "$state" = stale ]; then
			read -ra given <<<"$variables"
			start=$(now_ms) status=0
			attempt "release $name" of "$name" "${given[@]}" || status=$?
			result=$({ grep -a -v -e '^make' -e '^$' "$LOG" || :; } | tail -n 1 | tr -c -d ' -{}~' | cut -c1-100)
			figures ran "$name" "$files" "$status" $((($(now_ms) - start) / 1000)) "$result"
			[ "$status" != 0 ] || [ "$(figures runs "$name" | cut -d' ' -f2)" = fresh ] || status=1
			[ "$status" = 0 ] || { failures+=("$name") && echo "release $name ... failed: $result: see $TOP/$LOG" && continue; }
		fi
		passed+=("$name")
	done 3<<<"$wanted"
	echo "release: passed: ${passed[*]:-none}; failed: ${failures[*]:-none}"
	[ ${#failures[@]} = 0 ] || die "make release: ${failures[*]} failed; a further run runs only these"
	[ -z "${ONLY:-}" ] || exit 0
	VERDICTS=1
fi

read -ra names <<<"${FIGURES:-}"
if [ -n "${VERDICTS:-}" ] && [ ${#names[@]} = 0 ]; then
	mapfile -t names < <(sed -n 's/^\(count\|verdict\) \([^ ]*\) .*/\2/p' scripts/figures.txt)
fi
wanted=$(figures wanted "${names[@]}")

begin=$(now_ms)
fresh=0 kept=0 measured=0 failures=()
echo "figures: stale: $(awk '$2 != "fresh" { print $1; n++ } END { if (!n) print "none" }' <<<"$wanted" | paste -sd' ')"
# By another descriptor than the commands' standard input.
while read -r -u 3 name _; do
	# Anew: a source may have changed while the last command ran.
	read -r _ state files variables < <(figures wanted "$name")
	case $state in
	fresh) fresh=$((fresh + 1)) ;;
	kept)
		figures restore "$name"
		kept=$((kept + 1))
		echo "figures $name ... kept from an earlier run"
		;;
	*)
		read -ra given <<<"$variables"
		if ! FIGURES_FILES=$files attempt "figures $name" of "$name" "${given[@]}"; then
			grep -a . "$LOG" | tail -n 3 | sed 's/^/        /'
			echo "figures $name ... failed: see $TOP/$LOG"
			failures+=("$name")
		elif [ "$(figures wanted "$name" | cut -d' ' -f2)" != fresh ]; then
			echo "figures $name ... its sources changed meanwhile: run again"
			failures+=("$name")
		else
			measured=$((measured + 1))
			rm -rf "build/figures.kept/rows/$name"
		fi
		;;
	esac
done 3<<<"$wanted"

scripts/enter.sh python3 scripts/docs.py plot performance compressors
scripts/enter.sh python3 scripts/docs.py readme
echo "figures: $fresh fresh, $kept kept, $measured measured, ${#failures[@]} failed ($(took "$begin"))"
[ ${#failures[@]} = 0 ] || die "make figures: ${failures[*]} failed; a further run measures only these"
