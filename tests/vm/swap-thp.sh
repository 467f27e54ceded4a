# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Huge pages: partly mapped, split, and collapsed again, while they are swapped.
. ./lib.sh
. ./users.sh
plan 22

huge_pages()
{
	# A swap file takes no large folios: the kernel splits them. Zeroed pages become the zero
	# page then.
	[ $swap = file ] && parts="out 1440 in 0, out 1448" moved="out 1440 in 0, moved 1440" ||
		parts="out 1536 in 3, out 1536" moved="out 1536 in 3, moved 1536"
	folios 2048
	scene "$where: some pages back, written, given back, unmapped" \
		"$parts, same" thp-parts
	scene "$where: mapped in part, split when memory is wanted" \
		"deferred 3, out 1056, split 3, same" thp-deferred
	scene "$where: moved to another address" \
		"$moved, same" thp-moved
	[ "$where" != "virtio alone" ] || scene "$where: split in the swap cache" \
		"out 1536 in 3, cached 1536, split 3, cached 1440, out 1472, same" thp-split
	folios 4
}
on_each_swap huge_pages

folios 2048
for swap in brd virtio; do
	on $swap Y
	scene "$where: collapsed by madvise() while parts are swapped, then all" \
		"swapped 201, huge 4096 KiB, out 1024, swapped 0, same" collapse
	scene "$where: collapsed by khugepaged" \
		"swapped 201, huge 4096 KiB, swapped 0, out 1024, same" khugepaged
	scene "$where: shared memory, collapsed while all is swapped" \
		"there 0, huge 4096 KiB, same" collapse-shared
	swap_off
done
