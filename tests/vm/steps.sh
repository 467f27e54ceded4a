# SPDX-License-Identifier: GPL-2.0
# boot: -r zswap.enabled=0 kunit.enable=0
# not: arm64: it counts the steps of x86-64's string instructions
# The unit of `make bench`: clearing and copying a page takes a step for each 8 bytes, not for each
# byte. QEMU counts a string instruction once for each of its steps, and in a kernel that clears
# memory byte by byte these dominate all counts. The benchmark's guests also run this before they
# count.
. ./lib.sh
plan 5

words=512 bytes=4096
cat /sys/kernel/debug/page_steps > /run/steps
# in_words INSTRUCTIONS: whether that is the cost of 512 steps, with the overhead of a loop
in_words() { if [ "$1" -ge $words ] && [ "$1" -lt $((bytes / 2)) ]; then echo "by words"; else echo "$1 instructions"; fi; }

tick=$(awk '$1 == "loop" { print $2 % 200000 < 1000 ? int($2 / 200000) : 0 }' /run/steps)
point "the clock counts instructions" "$(true_that [ "${tick:-0}" -gt 0 ])" yes
for act in clear_page copy_page memset memcpy; do
	point "$act goes by words of 8 bytes" "$(in_words "$(awk -v act=$act -v tick="$tick" \
		'$1 == act && tick { print int($2 / tick) }' /run/steps)")" "by words"
done
