# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: rust plain-rust
# Shared memory comes back whole from zswap, if its readers go on from page to page.
. ./lib.sh
. ./users.sh
. ./fault-injection.sh
plan 42

# With the switch for tests, each range in zswap is admitted. Without it the policy chooses.
admit_all() { echo "$1" > /sys/module/swap_cache/parameters/admit_all_large; }

# spoiled NAME HOW: one page in 37 of what is compressed can't be decompressed
spoiled()
{
	inject compress garbage 5 37
	scene "$1" "there 0, large some, failed some, lost some, together 0, same" whole-spoiled "$2"
}

for swap in brd virtio; do
	on $swap Y
	shared_folios 64
	# The first folio comes page by page.
	scene "$where: read by a mapping" "there 0, large 63, stored 0, same" whole map
	scene "$where: read by read()" "there 0, large 63, stored 0, same" whole read
	scene "$where: written by write()" "there 0, large 63, stored 0, same" whole write
	scene "$where: MADV_SEQUENTIAL" "there 0, large 64, stored 0, same" whole sequential
	scene "$where: not with MADV_RANDOM" "there 0, large 0, stored 0, same" whole random
	scene "$where: nor from the last page to the first" \
		"there 0, large 0, stored 0, same" whole backward
	admit_all Y
	scene "$where: pages far apart, if all are admitted" \
		"there 0, there 1024, large 64, stored 0, same" whole-apart
	scene "$where: cut, written, with holes, if all are admitted" \
		"there 0, large some, there 0, large some, stored 0, same" whole-cut
	scene "$where: by processes at a time, if all are admitted" \
		"large some, stored 0, same" whole-together
	admit_all N
	scene "$where: cut, written, with holes" \
		"there 0, large some, there 0, large some, stored 0, same" whole-cut
	scene "$where: by processes at a time" "large some, stored 0, same" whole-together
	scene "$where: by a cgroup with little room" "there 0, large some, stored 0, same" whole-limited
	shared_folios 16
	scene "$where: folios of 16 KiB" "there 0, large 256, stored 0, same" whole sequential
	shared_folios 2048
	scene "$where: no folios above 64 KiB" "there 0, large 0, stored 0, same" whole map
	shared_folios 64
	set_param large_swapin N
	scene "$where: none with large_swapin=N" "there 0, large 0, stored 0, same" whole map
	scene "$where: nor by read()" "there 0, large 0, stored 0, same" whole read
	scene "$where: nor by a cgroup with little room" "there 0, large few, stored 0, same" whole-limited
	set_param large_swapin Y
	default=$(cat $PARAM/compressor)
	set_param compressor zswap_faulty
	spoiled "$where: a page that can't be decompressed is lost alone" map
	spoiled "$where: also for read()" read
	set_param compressor "$default"
	scene "$where: swapoff brings back all" \
		"there 0, there 1024, large 64, stored 0, same" whole-swapoff $device
	swap_on $swap
	point "$where: nothing is left" "$(debug stored_pages)" 0
	swap_off
	shared_folios 4
done
