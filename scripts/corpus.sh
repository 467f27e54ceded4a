#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the disk of real data for swapping, build/vm/corpus-IMPL.img, from the kernel of IMPL and
# its source.
. "$(dirname "$0")/lib.sh"

impl=${IMPL:-rust}
vmlinux=$(make -s where IMPL="$impl" | sed -n 's/^vmlinux=//p')
[ -e "$vmlinux" ] || die "no kernel to take bytes of: run make kernel IMPL=$impl"
corpus=build/vm/corpus-$prefix$impl.img
lock "build/log/corpus-$prefix$impl.lock"
[ "$corpus" -nt "$vmlinux" ] && [ "$corpus" -nt scripts/corpus.py ] && exit
mkdir -p build/vm
step corpus scripts/enter.sh python3 scripts/corpus.py "$corpus" "$(pristine)" "$vmlinux" "${PAGES:-4}"
