# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# only: rust plain-rust
# skip_incompressible: in a folio, pages after two that didn't compress are stored as they are, untried,
# but each fourth. C has no such parameter.
. ./lib.sh
plan 9

pages=1024
set_param compressor lz4
swap_on brd
point "off at boot" "$(cat $PARAM/skip_incompressible)" N

# stored KIND: how many of the pages are incompressible, once swapped out; and whether all read back the same
stored()
{
	start a 0
	with a map $pages 64
	with a fill "$1" 7
	with a out
	got="$(debug stored_pages) raw $(debug stored_incompressible_pages)"
	with a in
	echo "$got $(ask a check)"
	stop a
}

folios 64
for on in N Y; do
	set_param skip_incompressible $on
	point "$on: text" "$(stored text)" "$pages raw 0 same $pages"
	point "$on: random" "$(stored random)" "$pages raw $pages same $pages"
	# Of 16 pages the first two don't compress: three more aren't tried, the next ends the run.
	[ $on = N ] && raw=2 || raw=5
	point "$on: two random pages in each 16" "$(stored first)" "$pages raw $((pages / 16 * raw)) same $pages"
done
folios 4
point "Y: pages by themselves are all tried" "$(stored first)" "$pages raw $((pages / 16 * 2)) same $pages"
swap_off

# A page that isn't compressed needs a way to the device.
swap_on brd
folios 64
rejects=$(debug reject_compress_fail)
start a 0
echo 0 > /cg/a/memory.zswap.writeback
with a map 256 64
with a fill first 7
with a out
point "with writeback disabled each page is tried" \
	"$(true_that [ $(($(debug reject_compress_fail) - rejects)) -gt 0 ]) $(debug stored_incompressible_pages)" "yes 0"
stop a
swap_off
