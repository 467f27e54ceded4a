#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run tests/litmus on the memory model of the kernel's source, and see each end as it says it does.
# herd7 does it: that of the toolchain root if there is one, else the machine's own. Prints TAP.
. "$(dirname "$0")/lib.sh"
check_ksrc

model=$TOP/build/litmus
rm -rf "$model"
mkdir "$model"
cp "$(pristine)"/tools/memory-model/{linux-kernel.*,lock.cat} "$model"

herd=(scripts/enter.sh env -C "$model" herd7)
"${herd[@]}" -version >/dev/null 2>&1 || herd=(env -C "$model" herd7)
"${herd[@]}" -version >/dev/null 2>&1 ||
	die "the litmus tests were not run, as there is no herd7: install herdtools7, 7.58 or later, and have herd7 in \$PATH"

files=(tests/litmus/*.litmus)
passed=0 failed=0
echo "1..${#files[@]}"
for file in "${files[@]}"; do
	name=${file##*/} name=${name%.litmus}
	wanted=$(sed -n 's/^ \* Result: //p' "$file")
	said=$("${herd[@]}" -conf linux-kernel.cfg "$TOP/$file" 2>&1) || :
	# What was observed, and what the model warns of.
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
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
