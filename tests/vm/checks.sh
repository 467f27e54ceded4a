# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# only: rust
# With DEBUG_VM, callers that break the swap cache's rules get warnings, which KUnit counts and
# keeps out of the log, and a dump of the folio, which is in the log.
. ./lib.sh
plan 8

dumps() { dmesg | sed -n 's/.*page dumped because: //p'; }

swap_on virtio 16384
before=$(dumps | wc -l)
suite swap_checks
swap_off

point "each check names its folio and the reason" "$(dumps | tail -n +$((before + 1)))" \
	"VM_WARN_ON_ONCE_FOLIO(!folio_test_locked(folio))
VM_WARN_ON_ONCE_FOLIO(!folio_test_swapbacked(folio))
VM_WARN_ON_ONCE_FOLIO(folio_test_swapcache(folio))
VM_WARN_ON_ONCE_FOLIO(!folio_test_locked(folio))
VM_WARN_ON_ONCE_FOLIO(!folio_test_swapcache(folio))
VM_WARN_ON_ONCE_FOLIO(folio_test_writeback(folio))
VM_WARN_ON_ONCE_FOLIO(!folio_test_swapcache(new))
VM_WARN_ON_ONCE_FOLIO(!folio_test_locked(new))
VM_WARN_ON_ONCE_FOLIO(__swap_entry_to_cluster(entry) != ci)
VM_WARN_ON_ONCE_FOLIO(!new->swap.val)"
point "nothing is left" "$(debug stored_pages) $(awk '$1 == "SwapCached:" { print $2 }' /proc/meminfo)" "0 0"
