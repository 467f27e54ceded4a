# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 transparent_hugepage=never mem=288M
# only: docs/upstream/oom-with-free-swap.md
# A process fills more than the memory with incompressible pages, which zswap stores uncompressed. If
# they take the memory reserves, no swap table can be allocated, and the OOM killer kills although
# swap is free: in most boots of C. See docs/upstream.
. ./lib.sh
plan 4

# Free swap in the kernel's report of the first kill; the lines of that and other reports.
explain()
{
	dmesg | sed 's/^\[[^]]*\] //' > /run/log
	sed -n '/invoked oom-killer/,/^Total swap/p' /run/log | grep -E '^(Free|Total) swap' | head -n 2
	grep -o -E '^(Node 0 )?DMA32 free:.* min:[0-9]*kB' /run/log
	grep -o -E '^.*: page allocation failure: .*\)' /run/log
}

set_param max_pool_percent 60
swap_on virtio 409600
dmesg -c > /run/before
start a
with a map 76800 4
point "a process fills 300 MiB, with 288 MiB of memory and 400 MiB of swap" "$(ask a fill random 1)" done
point "the OOM killer has killed none" "$(vmstat oom_kill)" 0
explain | sed 's/^/# /'
point "zswap refuses pages rather than use the memory reserves" \
	"$(true_that [ "$(debug reject_alloc_fail)" -gt 1000 ])" yes
point "all of it reads back" "$(ask a check)" "same 76800"
stop a
swap_off
