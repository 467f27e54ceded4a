# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0 slab_nomerge
# only: rust
# LZ4 in Rust as a module, on a kernel that tests compressors when they are registered.
. ./lib.sh
plan 11

selftest() { awk '$1 == "name" { name = $3 } $1 == "selftest" && name == "lz4-rust" { print $3 }' /proc/crypto | paste -s -d ' ' -; }
# said WHAT: how often the log has it since the last call
said() { dmesg -c | grep -c "$1"; }
# Whether removal worked, and whether the module is loaded.
remove() { rmmod lz4_rust 2> /dev/null && echo removed || echo refused; lsmod | grep -c lz4_rust; }

point "a missing self-test is logged" "$(true_that [ "$(said 'alg: No test for zswap_faulty')" -gt 0 ])" yes
set_param compressor lz4
rmmod lz4_rust 2> /dev/null
: > /hide
swap_on virtio
start a 0
with a map 256 4
with a fill text 1
with a out
dmesg -c > /run/dmesg
why=$(put $PARAM/compressor lz4-rust)
point "a compressor that isn't there: the old pool goes on" \
	"$why, $(cat $PARAM/compressor) $(said 'zswap: compressor lz4-rust not available') $(debug stored_pages) $(ask a check)" \
	"ENOENT, lz4 1 256 same 256"
with a fill text 2
with a out

insmod ./lz4_rust.ko
tested=$(soon passed selftest) # a separate task runs it
dmesg > /run/dmesg
point "the kernel's own tests of it pass" \
	"$tested, $(grep -c 'alg: No test for lz4-rust' /run/dmesg) $(grep -c 'alg: .*lz4-rust.* fail' /run/dmesg)" "passed, 0 0"
set_param compressor lz4-rust
start b 0
with b map 256 64
with b fill text 3
with b out
point "it stores" "$(cat $PARAM/compressor) $(debug stored_pages)" "lz4-rust 512"
point "in use, it can't be removed" "$(remove | paste -s -d ' ' -)" "refused 1"
set_param compressor lz4
point "nor while a retired pool has it" "$(remove | paste -s -d ' ' -)" "refused 1"
point "nothing is lost by that" "$(ask a check) $(ask b check)" "same 256 same 256"
stop b
gone() { remove | paste -s -d ' ' -; }
point "it can once its last page is gone" "$(soon "removed 0" gone)" "removed 0"
point "and nothing is left of it" "$(selftest)" ""
insmod ./lz4_rust.ko
set_param compressor lz4-rust
with a fill text 4
with a out
point "it can be loaded again" "$(soon passed selftest) $(cat $PARAM/compressor) $(ask a check)" "passed lz4-rust same 256"
set_param compressor lz4
stop a
swap_off
point "and removed again" "$(soon "removed 0" gone)" "removed 0"
rm /hide
