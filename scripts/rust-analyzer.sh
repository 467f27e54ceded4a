#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writes rust-project.json for a built kernel, with paths that an editor outside the toolchain root
# can open: the project's files are the checkout's own, not their copies in the overlay.
. "$(dirname "$0")/lib.sh"
step "rust-analyzer" scripts/enter.sh make -C build/src LLVM=1 O="$TOP/build/rust" rust-analyzer
sysroot=${HOSTTOOLS:+/usr}
sed -e "s#\"/usr#\"${sysroot:-$ROOT/usr}#g" \
	-e "s#$TOP/build/src/samples/rust/zswap_rs/#$TOP/samples/rust/zswap_rs/#g" \
	build/rust/rust-project.json >rust-project.json.tmp
mv rust-project.json.tmp rust-project.json
echo "rust-project.json is written"
