# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# The KUnit suites in Rust, run now that there is swap; if they ran at boot, there was none. The
# suites in C that swap have a file each, with the swap device that they need. (A filter for what runs
# at boot would leave out zswap's own suites, whose names begin as those in C.)
. ./lib.sh

cd /sys/kernel/debug/kunit || exit
left=none
# The kernel's own test of SpinLockIrq asserts that interrupts are off, which is not so under
# PREEMPT_RT.
! grep -q PREEMPT_RT /proc/version || left=rust_spinlock_irq_condvar
# Of zswap's own suites, those in Rust.
suites=$(for run in rust_*/run zswap_charge/run zswap_index/run zswap_lru/run zswap_object/run \
	zswap_pool_table/run zswap_slots/run; do echo "${run%/run}"; done | grep -v -x "$left")
# shellcheck disable=SC2086
set -- $suites
ls -d "$@" > /run/names || exit # one is missing

any_may_fail
swap_on virtio
# zswap_charge charges 5 GiB to a cgroup, for entries that exist on paper only.
mkdir /cg/big
for suite; do
	suite "$suite"
done > /run/suites
swap_off
plan "$(awk '/^    1\.\./ { sub(/^ *1\.\./, ""); all += $0 } END { print all + 1 }' /run/suites)"
cat /run/suites
point "zswap_charge: 5 GiB were charged to the cgroup, and uncharged" \
	"$(true_that [ "$(memcg big peak)" -ge $((5 << 30)) ]) $(true_that [ "$(memcg big current)" -lt $((1 << 20)) ])" "yes yes"
rmdir /cg/big
