#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs tests/litmus on the memory model of the kernel's source, and compares each result with the
# expected one. herd7 comes from a separate root, as Debian's trixie lacks it; with HOSTTOOLS=1 it
# is the machine's own, and without one all are skipped. Prints TAP. With count, also prints "N
# passed, N failed, N skipped", and skipping is a failure.
. "$(dirname "$0")/lib.sh"
check_ksrc

files=(tests/litmus/*.litmus)
[ -z "${HOSTTOOLS:-}" ] || command -v herd7 >/dev/null || {
	echo "1..0 # SKIP HOSTTOOLS=1, and there is no herd7: install herdtools7, 7.58 or later"
	[ "${1:-}" != count ] || { echo "0 passed, 0 failed, ${#files[@]} skipped" && exit 1; }
	exit 0
}
echo "1..${#files[@]}"
scripts/toolchain.sh herd || exit

model=build/litmus
rm -rf $model
mkdir $model
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
