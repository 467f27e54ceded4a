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
	"VM_WARN_ON_ONCE_FOLIO(!new_folio.is_locked())
VM_WARN_ON_ONCE_FOLIO(!new_folio.is_swap_backed())
VM_WARN_ON_ONCE_FOLIO(new_folio.is_in_swap_cache())
VM_WARN_ON_ONCE_FOLIO(!cached.folio().is_locked())
VM_WARN_ON_ONCE_FOLIO(!cached.folio().is_in_swap_cache())
VM_WARN_ON_ONCE_FOLIO(folio.is_under_writeback())
VM_WARN_ON_ONCE_FOLIO(!new_folio.is_in_swap_cache())
VM_WARN_ON_ONCE_FOLIO(!new_folio.is_locked())
VM_WARN_ON_ONCE_FOLIO(own != cluster.as_raw())
VM_WARN_ON_ONCE_FOLIO(entry.val == 0)"
point "nothing is left" "$(debug stored_pages) $(awk '$1 == "SwapCached:" { print $2 }' /proc/meminfo)" "0 0"
