#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs tests/litmus on the memory model of the kernel's source, and compares each result with the
# expected one. herd7 comes from a separate root, as Debian's trixie lacks it; with HOSTTOOLS=1 it
# is the machine's own, and without one all are skipped. Prints TAP. With count, also prints "N
# passed, N failed, N skipped", and skipping is a failure.
#
# Each file has weaker variants ("twins" below), which are made here. Its header has two entries for each:
#
#   * weak-NAME: RESULT, what is weaker
#   *     sed: the expression that makes the variant of the code below the header
#
# A parenthesis next to an asterisk would begin or end a comment of herd7: write (\*p). With twins FILE..., only
# makes those of these files, and prints "NAME: RESULT" for each.
. "$(dirname "$0")/lib.sh"

model=build/litmus

# weaken FILE TWIN RESULT EXPRESSION: makes a weaker variant of FILE in $model.
weaken() {
	local name=${1##*/} code twin other
	name=${name%.litmus}-$2 code=$(sed '1,/^ \*)/d' "$1")
	twin=$(sed "$4" 2>&1 <<<"$code") || die "$1: $2: sed can't read '$4': ${twin#sed: }"
	[ "$twin" != "$code" ] || die "$1: $2: '$4' changes nothing"
	for other in "$model/${1##*/}"-*; do
		[ ! -e "$other" ] || ! cmp -s "$other" - <<<"$twin" || die "$1: $2: '$4' makes the same as ${other##*litmus-}"
	done
	printf '%s\n' "$twin" >"$model/${1##*/}-$2"
	printf '%s\n' "C $name" '' '(*' " * Result: $3" " * By scripts/litmus.sh from $1: $4" ' *)' "$twin" >"$model/$name.litmus"
	printf '%s\n' "$name: $3"
}

# twins FILE: makes all its weaker variants.
twins() {
	local line twin='' result
	while IFS= read -r line; do
		case $line in
		' * weak'*)
			[ -z "$twin" ] || die "$1: $twin has no sed expression"
			[[ $line =~ ^' * '(weak(-[a-z]+)?)': '([A-Z][a-z]+( DATARACE)?)', ' ]] ||
				die "$1: this is not an entry like 'weak-NAME: RESULT, what is weaker': $line"
			twin=${BASH_REMATCH[1]} result=${BASH_REMATCH[3]}
			;;
		' *     sed: '*)
			[ -n "$twin" ] || die "$1: belongs to no twin: $line"
			weaken "$1" "$twin" "$result" "${line#' *     sed: '}"
			twin=
			;;
		' *)') break ;;
		esac
	done <"$1"
	[ -z "$twin" ] || die "$1: $twin has no sed expression"
}

rm -rf $model
mkdir $model
if [ "${1:-}" = twins ]; then
	shift
	for file; do
		twins "$file"
	done
	exit
fi

check_ksrc
files=()
for file in tests/litmus/*.litmus; do
	files+=("$file")
	made=$(twins "$file")
	mapfile -t -O ${#files[@]} files < <(sed "s|\(.*\): .*|$model/\1.litmus|" <<<"$made" | grep .)
done
[ -z "${HOSTTOOLS:-}" ] || command -v herd7 >/dev/null || {
	echo "1..0 # SKIP HOSTTOOLS=1, and there is no herd7: install herdtools7, 7.58 or later"
	[ "${1:-}" != count ] || { echo "0 passed, 0 failed, ${#files[@]} skipped" && exit 1; }
	exit 0
}
echo "1..${#files[@]}"
scripts/toolchain.sh herd || exit

cp "$(pristine)"/tools/memory-model/{linux-kernel.*,lock.cat} $model
printf '%s\n' "${files[@]}" >$model/files
# shellcheck disable=SC2016 # expanded in the root
ENTER_ROOT=$HERD_ROOT scripts/enter.sh sh -c 'cd "$1" && xargs -P "$JOBS" -I FILE sh -c \
	"herd7 -conf linux-kernel.cfg ../../FILE >\$(basename FILE).said 2>&1" <files || :' sh $model

passed=0 failed=0
for file in "${files[@]}"; do
	name=${file##*/} name=${name%.litmus}
	wanted=$(sed -n 's/^ \* Result: //p' "$file")
	said=$(cat "$model/$name.litmus.said") || :
	# The observation, and the model's warnings.
	found=$(sed -n "s/^Observation $name \([A-Z][a-z]*\) .*/\1/p" <<<"$said")
	case $(sed -n 's/^Flag //p' <<<"$said") in
	'') ;;
	data-race) found+=' DATARACE' ;;
	*) found+=' FLAGGED' ;;
	esac
	if [ -n "$wanted" ] && [ "$found" = "$wanted" ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $name: $found"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) - $name: ${found:-nothing}, not $wanted"
		printf '# %s\n' "${said//$'\n'/$'\n# '}"
	fi
done
[ "${1:-}" != count ] || echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
