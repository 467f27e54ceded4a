# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# only: mte
# KASAN turns itself off on a machine without tags.
. ./lib.sh
plan 1

point "KASAN has tags" "$(dmesg | grep -c 'KernelAddressSanitizer initialized (hw-tags')" 1
