# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# The KUnit suites, again if they ran at boot, now that there is swap: then there was none.
. ./lib.sh

cd /sys/kernel/debug/kunit || exit
# The kernel's own test of SpinLockIrq asserts that interrupts are off, which a lock of PREEMPT_RT
# doesn't see to.
left=none
! grep -q PREEMPT_RT /proc/version || left=rust_spinlock_irq_condvar
suites=$(for run in */run; do echo "${run%/run}"; done | grep -v -x "$left")
# shellcheck disable=SC2086
set -- $suites
plan $#

any_may_fail
swap_on virtio
for suite in $suites; do
	echo 1 > "$suite/run"
	point "KUnit suite $suite with swap on" \
		"$(grep -c '^ *not ok' "$suite/results") failed, $(grep -c '^ok' "$suite/results") passed" \
		"0 failed, 1 passed"
done
swap_off
