# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# only: rust debug kcsan lto gcc mte c rust-zswap rust-cache
# Concurrent operations on a slot: one task is held at a race point until the other one has acted.
# The device is small, so that slots are soon reused.
. ./lib.sh
plan 52

swap_on virtio 16384
# For failed_page_is_read_anew and shared_folio_is_read_anew.
folios 64
echo always > $THP/hugepages-64kB/shmem_enabled
suite zswap_races
swap_off

point "nothing is left" "$(debug stored_pages) $(debug pool_total_size)" "0 0"
