# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# zswap's charges to a memory cgroup, and a cgroup's limits on zswap.
. ./lib.sh
plan 19

own=$(dmesg | grep 'zswap: Rust implementation')
swap_on virtio
start a 0
with a map 2048 4
with a fill last 1
with a out
current() { cat /cg/a/memory.zswap.current; }
stat() { memcg_stat a "$1"; }

point "each stored page is counted" "$(soon $((2048 * 4096)) stat zswapped)" $((2048 * 4096))
point "raw ones too" "$(soon $((128 * 4096)) stat zswap_incomp)" $((128 * 4096))
point "debugfs agrees" "$(debug stored_pages) $(debug stored_incompressible_pages)" "2048 128"
point "the bytes are the same in both files" "$(current)" "$(stat zswap)"
point "a raw page costs a page, others less" \
	"$(true_that [ "$(current)" -gt $((128 * 4096)) ]) $(true_that [ "$(current)" -lt $((2048 * 4096 / 2 + 128 * 4096)) ])" "yes yes"
point "the cgroup's events" "$(stat zswpout) $(stat zswpin)" "2048 0"
with a in
point "loading gives all back" \
	"$(soon 0 stat zswapped) $(soon 0 stat zswap_incomp) $(soon 0 current)" "0 0 0"
point "and is counted" "$(stat zswpin)" 2048

with a fill random 2
with a out
point "data that doesn't compress is stored raw" \
	"$(debug stored_incompressible_pages) $(soon $((2048 * 4096)) current)" "2048 $((2048 * 4096))"
# counted: the entries on the cgroup's list; incompressible, so that the count isn't scaled down
counted() { awk -v ino="$(command stat -c %i /cg/a)" '$1 == ino { n = $2 } END { print n + 0 }' /sys/kernel/debug/shrinker/mm-zswap-*/count; }
set_param shrinker_enabled Y
with a lose 2
point "the shrinker counts what is left of it" "$(debug stored_pages) $(soon 1024 counted)" "1024 1024"
point "pages that are unmapped are uncharged" "$(soon $((1024 * 4096)) stat zswapped) $(soon $((1024 * 4096)) current)" \
	"$((1024 * 4096)) $((1024 * 4096))"
set_param shrinker_enabled N
with a fill zero 3
with a out
point "zeros are not stored" "$(debug stored_pages) $(soon 0 current)" "0 0"

echo 0 > /cg/a/memory.zswap.max
with a fill text 4
with a out
point "zswap.max 0 refuses" "$(debug stored_pages) $(ask a check)" "0 same 2048"
echo max > /cg/a/memory.zswap.max
with a fill text 5
with a out
point "zswap.max max takes" "$(debug stored_pages) $(ask a check)" "2048 same 2048"
echo 1M > /cg/a/memory.zswap.max
with a fill random 6
with a out
point "zswap.max 1M holds" "$(true_that [ "$(stat zswap)" -le $((1100 << 10)) ]) $(ask a check)" "yes same 2048"
echo max > /cg/a/memory.zswap.max

with a fill last 7
with a out
swap_off
point "everything is 0 after swapoff" \
	"$(soon 0 stat zswapped) $(soon 0 stat zswap_incomp) $(soon 0 current) $(debug stored_pages) $(debug stored_incompressible_pages) $(debug pool_total_size)" \
	"0 0 0 0 0 0"
stop a

# Each page of a folio is charged.
swap_on virtio
folios 64
start a 0
with a map 256 64
with a fill random 9
with a out
point "a large folio is charged for each of its pages" \
	"$(soon $((256 * 4096)) stat zswapped) $(soon $((256 * 4096)) stat zswap_incomp) $(soon $((256 * 4096)) current)" \
	"$((256 * 4096)) $((256 * 4096)) $((256 * 4096))"
stop a

# A cgroup at its limit exceeds it by each charge, which reclaim may. (C charges each page, Rust up to 16 together.)
folios 2048
start a 0
with a map 512 2048
with a fill text 10
[ -n "$own" ] && want=few || want=many
cat /cg/a/memory.current > /cg/a/memory.max
events() { awk '$1 == "max" { print $2 }' /cg/a/memory.events; }
old=$(events)
with a out
new=$(($(events) - old))
[ $new -le 32 ] && new=few || new=many
point "at the limit of its cgroup a large folio raises few events" "$(debug stored_pages), $new" "512, $want"
stop a
folios 4
swap_off

# A cgroup is removed while its pages are stored: they pass to its parent.
swap_on virtio
start a 0
with a map 1024 4
with a fill text 8
with a out
cat /cg/a/cgroup.procs > /cg/cgroup.procs
rmdir /cg/a
point "pages of a removed cgroup read back" "$(ask a check) $(debug stored_pages)" "same 1024 0"
mkdir /cg/a
stop a
swap_off
