# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge kunit.enable=0
# only: iaa
# The claims of docs/compressors.md for a machine without the accelerator, and for the driver without a
# device.
. ./lib.sh
. ./fault-injection.sh
plan 7

driver=/sys/bus/dsa/drivers/crypto
mode() { echo "$1" > $driver/sync_mode && cat $driver/sync_mode; }
point "the driver is there" "$(true_that [ -d $driver ]) $(cat $driver/verify_compress)" "yes 1"
point "its modes: async is sync" "$(cat $driver/sync_mode) $(mode async) $(mode async_irq) $(mode sync)" "sync sync async_irq sync"
point "without a device there is no such compressor" "$(awk '$1 == "driver" && $3 ~ /^deflate/ { print $3 }' /proc/crypto | sort -u)" \
	"deflate-generic"
point "its counters are there, and nothing has counted" \
	"$(awk '/total_/ { n++; sum += $2 } END { print n, sum }' /sys/kernel/debug/iaa_crypto/global_stats)" "9 0"

set_param compressor lz4
swap_on virtio
start a 0
with a map 64 64
with a fill text 1
with a out
dmesg -c > /run/dmesg
why=$(put $PARAM/compressor deflate-iaa)
point "to choose it is refused, as C does" "$why, $(dmesg | grep -c 'zswap: compressor deflate-iaa not available$')" \
	"ENOENT, 1"
point "the old one goes on" "$(cat $PARAM/compressor) $(debug stored_pages) $(ask a check) $(works a)" "lz4 64 same 64 64 same 64"
stop a
swap_off
point "and nothing is left" "$(left "lz4 4")" "$(nothing "lz4 4")"
