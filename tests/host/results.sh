#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/results.py and scripts/release.sh, in a project whose commands take no time: only what is whole, and of committed
# code, becomes a result; the page must agree with results; a release repeats what has not passed with its tree. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"
. tests/host/tap.sh

work=$TOP/build/results-test # which the toolchain root sees
rm -rf "$work"
mkdir -p "$work"/{scripts,docs,results,build}
scratch=$work
cp scripts/{lib.sh,results.py,release.sh,measure.sh} "$work/scripts"
cd "$work"
printf '%s\n' '#!/bin/bash' "cd '$TOP' && exec scripts/enter.sh env -C '$work' STAMP=\"\${STAMP:-}\" PYTHONDONTWRITEBYTECODE=1 \"\$@\"" >scripts/enter.sh
chmod +x scripts/enter.sh
# A command of the release fails if the file "fails" names it.
printf '%s\n' '%:' '	@echo $@ $(ONLY) >>build/ran; ! grep -q -x $@ build/fails && echo 5 passed' \
	'	@! [ "$(ONLY)" ] || echo "# $(ONLY) $$(scripts/enter.sh python3 scripts/results.py stamp)" >build/results/$(ONLY).tsv' >Makefile
mkdir build/overlay && : >build/overlay/origin
echo /build/ >.gitignore
touch build/fails code
git() { scripts/enter.sh git -c safe.directory='*' "$@"; } # the machine may have none
git init -q
commit() { git add -A && git -c user.name=x -c user.email=x@x -c commit.gpgsign=false commit -q -m x; }
results() { scripts/enter.sh python3 scripts/results.py "$@" 2>&1; }
# rows NUMBER...: of make measure ONLY=stack
rows() {
	printf '## bytes\npath\t>C\t>Rust\t>Rust / C\n'
	for ((i = 1; i <= $#; i++)); do printf 'path %s\t100\t%s\t%d.%02d\n' $i "${!i}" $((${!i} / 100)) $((${!i} % 100)); done
}
put() { results put stack >build/said; }
# says TEXT STATUS COMMAND...: what is wrong if it says or does something else
says() {
	local want=$1 status=0 said
	said=$("${@:3}") || status=$?
	[ $status = "$2" ] && [[ $said == *$want* ]] || echo "status $status: $said"
}

echo 1..12
commit
rows 110 120 90 | put
point 'what was measured is taken' "$(says 'results/stack.tsv: stack commit' 0 results take stack)$(grep -L 'path 2' results/stack.tsv)"
point 'no other is taken before that is committed' "$(says 'the checkout has changes' 1 results take stack)"
results page >build/said
commit
point 'a page agrees, and has the worst row first' \
	"$(results page check; grep -o '^| path [0-9]' docs/results.md | paste -sd' ' | grep -v -x '| path 2 | path 1 | path 3')"
for file in docs/results.md results/stack.tsv; do
	sed -i s/120/121/ $file
	point "a figure of $file that is changed by hand is found" "$(says 'differs from results/' 1 results page check)"
	git checkout -q $file
done
rows 110 120 | put
point 'a row that is missing is named' "$(says "lacks 'path 3' of 'bytes'" 1 results take stack)"
{ rows 110 120; echo '# without path *: one CPU'; } | put
point 'but it may be missing for a reason' "$(says "without 'path 3' of 'bytes': one CPU" 0 results take stack)"
git checkout -q results
{ rows 110 120 90; echo '# failed: over the limit'; } | put
point 'what failed is not taken' "$(says 'failed: over the limit' 1 results take stack)"
rows 110 120 91 | { STAMP=$(results stamp) && echo x >>code && export STAMP && put; }
git checkout -q code
point 'nor is what was measured while the code changed' "$(says 'in no commit' 1 results take stack)"
point 'what differs from before is shown' "$(says 'bytes, path 3: Rust 90 -> 91' 0 results diff HEAD:results/stack.tsv build/results/stack.tsv)"
sed '1s/^# stack/# release/; 1s/tree .*/tree another/' results/stack.tsv >build/results/release.tsv
point 'nor a release of another tree than what it measured' "$(says 'stack.tsv of another' 1 results take release)"

# release NAMES: its status, and what ran
release() { rm -f build/ran && ONLY=$1 scripts/release.sh >build/said 2>&1; echo "$? $(paste -sd' ' build/ran 2>/dev/null)"; }
echo races >build/fails
want="1 check races measure stack 1 races 0 races 0 0 measure stack 0 check races measure stack"
got=$(release "check races stack" && release "check races stack"; : >build/fails; release "check races stack"; release "check races stack"
	rm build/results/stack.tsv && release "check races stack"
	echo x >>code && commit && release "check races stack")
point 'a release repeats what failed or is gone, and all after a change' "$([ "$(tr -s '\n' ' ' <<<"$got")" = "$want " ] || { echo "$got"; cat build/said; })"
exit $status
