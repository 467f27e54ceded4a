# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# The KUnit suites of what is in Rust, again if they ran at boot, now that there is swap: then there was
# none. Those in C that swap have a file each, with a swap device as they want it.
. ./lib.sh

cd /sys/kernel/debug/kunit || exit
left=none
# The kernel's own test of SpinLockIrq asserts that interrupts are off, which a lock of PREEMPT_RT
# doesn't see to.
! grep -q PREEMPT_RT /proc/version || left=rust_spinlock_irq_condvar
suites=$(for run in rust_*/run; do echo "${run%/run}"; done | grep -v -x "$left")
# shellcheck disable=SC2086
set -- $suites
plan $#

# cases PATTERN: how many ended so
cases() { grep -c -E "^    $1" "$suite/results"; }

any_may_fail
swap_on virtio
for suite in $suites; do
	echo 1 > "$suite/run"
	all=$(sed -n 's/^    1\.\.//p' "$suite/results")
	skipped=$(cases '(not )?ok .* # SKIP')
	point "KUnit suite $suite with swap on" \
		"$(($(cases 'ok ') - skipped)) passed, $(cases 'not ok ') failed, $skipped skipped" \
		"${all:-its cases} passed, 0 failed, 0 skipped"
	grep '^    # .*:' "$suite/results" | grep -i -e fail -e skip | sed 's/^ */#   /'
done
swap_off
