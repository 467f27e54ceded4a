#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# compressors.sh: cost and ratio of each compressor, for the data of the demonstration: instructions
# in guests whose clock counts them; both LZ4s' time on this machine; and the cost of stores with an
# accelerator, in C and in Rust. scripts/compressors.py writes docs/compressors.md and its picture.
. "$(dirname "$0")/lib.sh"

compressors="lz4 lz4-rust lzo lzo-rle zstd deflate 842"
pages=1024
out=build/compressors
rm -rf "$out"
mkdir -p "$out"

IMPL=rust scripts/corpus.sh
corpus=build/vm/corpus-rust.img

echo "instructions ..."
start=$(now_ms)
IMPL=rust scripts/vm.sh -n compressors -r -m 512M -a kunit.enable=0 -d "$TOP/$corpus" \
	sh codecs.sh $pages $compressors >"$out/guest" || die "counting instructions failed: $(tail -n 1 "$out/guest")"
echo "instructions ... ok $(took "$start")"

for impl in c rust; do
	echo "accelerator $impl ..."
	start=$(now_ms)
	# One instruction per nanosecond.
	IMPL=$impl scripts/vm.sh -n "compressors-$impl" -r -s 0 -m 512M -a kunit.enable=0 \
		sh accel-time.sh $pages >"$out/accelerator.$impl" || die "the accelerator's guest failed: $(tail -n 1 "$out/accelerator.$impl")"
	echo "accelerator $impl ... ok $(took "$start")"
done

# lz4_flex with the kernel's flags, except those that name a target; for the flags of C, see
# tests/host/lz4/build.rs.
flags='["-Ctarget-feature=-sse,-sse2,-sse3,-ssse3,-sse4.1,-sse4.2,-avx,-avx2", "-Ctarget-cpu=x86-64", "-Ztune-cpu=generic", "-Zno-jump-tables", "-Ccodegen-units=1"]'
package=profile.release.package.lz4_flex
step "time" scripts/enter.sh env RUSTC_BOOTSTRAP=1 bash -c '"${@:2}" >"$1"' _ "$out/time" \
	cargo -Zprofile-rustflags run -q --release --offline --locked --target-dir build/host-release \
	--config "$package.rustflags=$flags" --config "$package.opt-level=2" -p lz4 --example time -- "$corpus" 301

scripts/enter.sh python3 scripts/compressors.py docs/compressors.md "$out"
scripts/pictures.sh compressors
