# SPDX-License-Identifier: GPL-2.0
# In the guest: the cost of stores and loads with the simulated accelerator, whose work takes no CPU
# time: pages of one word, by the folio's size and the accelerator's latency. Rows are
#
#   row KIB LATENCY-US PAGES OUT-NS IN-NS MOST-AT-A-TIME
#
# usage: accel-time.sh PAGES
. ./lib.sh

bad() { echo "accel-time: $*"; exit 1; }

accel=/sys/kernel/debug/zswap_accel
n=$1
set_param enabled Y
set_param compressor zswap_accel
echo Y > $accel/words
swap_on brd
for kib in 4 64 2048; do
	folios $kib
	for latency in 5 20 50 200; do
		echo $latency > $accel/latency_us
		# Twice, so that all its memory is allocated before. Pages come back in folios of a
		# page.
		start a 0
		with a map "$n" $kib
		with a fill same 1
		with a out
		stop a
		start a 0
		with a map "$n" $kib
		with a fill same 1
		echo 0 > $accel/most
		submitted=$(cat $accel/submitted)
		out=$(ask a out)
		submitted=$(($(cat $accel/submitted) - submitted))
		in=$(ask a in)
		[ "$submitted ${out% *} ${in% *}" = "$n $n $n" ] || bad "$kib KiB: $submitted compressed, $out out, $in in, not $n"
		[ "$(ask a check)" = "same $n" ] || bad "$kib KiB: the data that came back differs"
		echo "row $kib $latency $n ${out#* } ${in#* } $(cat $accel/most)"
		stop a
	done
done
swap_off
