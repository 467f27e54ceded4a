#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Limits of time count from what was printed last: a guest that is slow but prints passes, one that
# prints nothing ends with the place. The guests are shell programs in place of QEMU, which run side
# by side in a copy of the checkout. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"
unset VARIANT EXTRA_CONFIG ARCH PAGES TOOLCHAIN STILL_LIMIT V HOSTTOOLS COVER PLUGIN MAKEFLAGS MFLAGS MAKELEVEL
work=$TOP/build/limits
rm -rf --one-file-system "$work"
scratch=$work
mkdir -p "$work/co/tests/vm" "$work/co/build/vm" "$work/co/build/rust/arch/x86/boot"
cp -r Makefile scripts "$work/co"
cp tests/{run,judge}.sh "$work/co/tests"
export IMPL=rust TEST_LIMIT=12 STILL_LIMIT=10 ZSWAP_RS_CACHE=$work/cache
cd "$work/co"
: >build/rust/arch/x86/boot/bzImage
printf '%s\n' "$(cat /proc/sys/kernel/random/boot_id)" tcg 'nothing else is there' >build/vm/accel
# The disks, the initial file system and the host's tools are not needed.
cat >scripts/enter.sh <<'END'
#!/bin/bash
[[ $1 == qemu-* ]] || exit 0
lines=()
while [ $# -gt 0 ]; do
	[ "$1" != -serial ] || lines+=("${2#file:}")
	shift
done
log() { printf '%s\n' "$@" >>"${lines[0]}"; }
out() { printf '%s\n' "$@" >>"${lines[1]}"; }
up() { log 'Linux version 7.3' 'zswap: Rust implementation'; out 'guest up'; }
hang() { exec sleep 1000; }
# slowly N COMMAND: in a second each
slowly() { for ((i = 1; i <= $1; i++)); do "$2" "${3//@/$i}"; sleep 1; done; }
name=${lines[0]##*/}
. "$GUESTS/${name%.console}"
END

mkdir "$work/guests"
export GUESTS=$work/guests
# begin NAME PROGRAM...
begin() {
	local name=$1
	shift
	{
		status=0
		timeout 300 "$@" >"$work/$name.said" 2>&1 || status=$?
		echo "$status" >"$work/$name.status"
	} &
}
# guest NAME [PROGRAM...]: what the guest does comes on stdin
guest() {
	cat >"$GUESTS/$1"
	[ $# -gt 1 ] || set -- "$1" scripts/vm.sh -n "$1" true
	begin "$@"
}

guest slow <<<'up; out "# file a.sh"; slowly 18 out "ok @ - point @"; out "guest exit 0"'
guest working <<<'up; out "# file a.sh"; slowly 18 out "guest is at @"; out "ok 1 - a point" "guest exit 0"'
guest silent <<<'up; out "# file a.sh" "ok 1 - a" "# file b.sh" "ok 1 - b"; log "the last of the kernel"; hang'
guest endless <<<'up; out "# file a.sh"; slowly 1000 log "INFO: something of the kernel, @"'
guest suite <<<'up; out "# file a.sh"; slowly 18 log "    ok @ case @"; out "guest exit 0"'
guest boots <<<'slowly 18 log "Linux is at @"; up; out "ok 1 - it is up" "guest exit 0"'
guest stalls <<<'log "rcu: INFO: rcu_sched self-detected stall on CPU"; slowly 1000 log "it is there still, @"'
guest stands <<<'log "Linux version 7.3"; hang'
guest ours <<<'log "zswap: Rust implementation"; hang'
guest fails <<<'up; slowly 1 out "ok @ - a"; out "guest exit 3"'

for file in a b c; do
	printf '%s\n' '# boot: kunit.autorun=0' 'plan 18' >tests/vm/$file.sh
done
guest test-0 tests/run.sh tests/vm/{a,b,c}.sh <<<'up; out "# file a.sh" 1..18; slowly 18 out "ok @ - point @"
	out "# file b.sh" 1..18 "ok 1 - begins"; hang'

heard=(bash -c '. scripts/lib.sh; heard 12 "$@"' "$PWD/scripts/any")
begin heard-slow "${heard[@]}" bash -c 'for i in {1..18}; do echo $i; sleep 1; done; exit 5'
begin heard-silent "${heard[@]}" bash -c 'echo begins; echo $$ >"$1"; exec sleep 1000' _ "$work/pid"
wait

n=0 bad=0
# ends NAME STATUS PATTERN POINT: its status, and a line of its output
ends() {
	n=$((n + 1))
	if [ "$(cat "$work/$1.status")" = "$2" ] && grep -q -x -e "$3" "$work/$1.said"; then
		echo "ok $n - $4"
	else
		bad=1
		echo "not ok $n - $4"
		sed "s/^/# /" "$work/$1.said" "$work/$1.status"
	fi
}
holds() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else bad=1 && echo "not ok $n - $name"; fi
}
no=': the guest printed nothing for [12][0-9] s, after'
ends slow 0 'ok 18 - point 18' 'a file that is slow, and prints its points'
ends working 0 'ok 1 - a point' 'one that prints that it works'
holds 'which is not shown' eval '! grep -q "guest is at" "$work/working.said"'
ends silent 1 "zswap_rs: silent$no: b.sh: ok 1 - b; its kernel's last line: the last of the kernel (.*)" 'a file that is silent: it, its last point and the time are named'
ends endless 1 "zswap_rs: endless$no: a.sh: # file a.sh; .*" 'one that is silent while the kernel logs'
ends suite 0 '# file a.sh' 'one that is silent while cases of KUnit end'
ends boots 0 'ok 1 - it is up' 'a boot that is slow, and prints'
ends stalls 1 "zswap_rs: stalls$no: its kernel's last line: it is there still, .*" 'one that goes on printing that it stalls'
ends stands 1 'zswap_rs: stands: the guest stood still in its boot for 1[0-9] s, twice; .*' 'one that stands still early, twice'
holds 'it is booted again once' [ "$(grep -c 'booted again$' "$work/stands.said")" = 1 ]
ends ours 1 "zswap_rs: ours$no: its kernel's last line: zswap: Rust implementation (.*)" "one that hangs in the project's code: not booted again"
ends fails 3 'ok 1 - a' 'a guest whose command fails'
ends test-0 1 "FAILED *boot (kunit.autorun=0): zswap_rs: test-0$no: b.sh: ok 1 - begins; .*" 'make test says so'
ends test-0 1 'FAILED *b.sh: 1 of its 18 points came *' 'with what did not come of that file'
ends test-0 1 'FAILED *c.sh: 0 of its 18 points came *' 'and of the next'
ends test-0 1 '19 passed, 36 failed, 0 skipped' 'and nothing else'
ends heard-slow 5 18 'a program that is slow, and prints'
ends heard-silent 124 'it printed nothing for 12 s, after: begins' 'one that is silent'
holds 'which has ended' eval '! kill -0 "$(cat "$work/pid")" 2>/dev/null'
echo "1..$n"
exit $bad
