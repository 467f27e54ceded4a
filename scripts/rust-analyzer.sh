#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Write rust-project.json for a kernel that has been built, with the paths an editor outside the
# toolchain root can open: the component's files are the checkout's own, not their laid copies.
. "$(dirname "$0")/lib.sh"
step "rust-analyzer" scripts/enter.sh make -C build/src LLVM=1 O="$TOP/build/rust" rust-analyzer
sysroot=${HOSTTOOLS:+/usr}
sed -e "s#\"/usr#\"${sysroot:-$ROOT/usr}#g" \
	-e "s#$TOP/build/src/samples/rust/zswap_rs/#$TOP/samples/rust/zswap_rs/#g" \
	build/rust/rust-project.json >rust-project.json.tmp
mv rust-project.json.tmp rust-project.json
echo "rust-project.json is written"
