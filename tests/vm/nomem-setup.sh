# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge kunit.enable=0
# Failing allocations, one at a time: during pool creation, swapon, and CPU hotplug.
. ./lib.sh
. ./fault-injection.sh
plan 14

# If LZ4 in Rust is a module, what fails is its table, not its loading; and no self-test has allocated the table before.
notests=/sys/module/cryptomgr/parameters/notests
if [ -e $notests ]; then
	echo Y > $notests
	rmmod lz4_rust 2> /dev/null
	/sbin/modprobe crypto-lz4-rust
fi
fragile 1
set_param compressor lz4

# --- Pools ------------------------------------------------------------------
swap_on virtio
start a 0
with a map 64 4
with a fill text 1
with a out
make_pool()
{
	got=$(nth "$1" put "$PARAM/compressor" zswap_faulty)
	case "$got $(cat "$PARAM/compressor")" in
	"hit EINVAL lz4" | "hit ENOMEM lz4") ;;
	"hit ok zswap_faulty" | "missed ok zswap_faulty") set_param compressor lz4 ;;
	*) echo WRONG "$got" "$(cat "$PARAM/compressor")" ;;
	esac
	[ "$(soon "lz4 4" transforms)" = "lz4 4" ] || echo WRONG "$(transforms)"
	echo "$got"
}
# LZ4 in Rust allocates its table when it is chosen. The table's allocation fails, both contiguous
# and by pages; all others succeed.
no_table()
{
	only vmap_area
	echo 1 > /sys/kernel/debug/fail_page_alloc/min-order
	echo 100 > /sys/kernel/debug/fail_page_alloc/probability
	nth 0 put "$PARAM/compressor" lz4-rust
	all_again vmap_area
}
dmesg -c > /run/dmesg
point "LZ4 in Rust without its table: the old pool goes on" \
	"$(no_table) $(cat "$PARAM/compressor") $(dmesg | grep -c 'zswap: could not alloc crypto acomp lz4-rust : -') $(soon "lz4 4" transforms) $(ask a check)" \
	"hit EINVAL lz4 1 lz4 4 same 64"
got=$(put "$PARAM/compressor" lz4-rust)
point "and with it" "$got $(works a) $(put "$PARAM/compressor" lz4)" "ok 64 same 64 ok"
with a fill text 2
with a out

point "each allocation of a pool fails once" "$(each_fails make_pool "missed ok")" \
			"wrong: none, yes, missed ok"
point "pages of the old one are still there" "$(debug stored_pages) $(ask a check)" "64 same 64"
set_param compressor zswap_faulty
point "another is made" "$(works a) $(soon "zswap_faulty 2" transforms)" "64 same 64 zswap_faulty 2"
set_param compressor lz4
stop a
swap_off
point "nothing is left of them" "$(left "lz4 4")" "$(nothing "lz4 4")"

# --- Swap devices -------------------------------------------------------------
start a 0
with a map 64 4
# One tree: its memory is of the size that nothing else in swapon is of.
mkswap /dev/vda 16384 > /run/mkswap
device=/dev/vda
use_device()
{
	got=$(nth "$1" on $device)
	case "$got $(grep -c ^$device /proc/swaps)" in
	"hit ENOMEM 0" | "hit EINVAL 0") ;;
	"hit ok 1" | "missed ok 1")
		[ "$(works a)" = "64 same 64" ] || echo WRONG "it doesn't work"
		swapoff $device
		;;
	*) echo "WRONG $got" "$(cat /proc/swaps)" ;;
	esac
	echo "$got"
}
point "each allocation of swapon fails once" "$(each_fails use_device "missed ok")" \
			"wrong: none, yes, missed ok"
dmesg -c > /run/dmesg
bad=''
for cache in /sys/kernel/slab/kmalloc-[0-9]*; do
	cache=${cache##*/}
	only "$cache"
	case $(use_device 0) in *WRONG*) bad="$bad $cache" ;; esac
	all_again "$cache"
done
point "all of one size" \
	"wrong:${bad:- none}, $(true_that [ "$(dmesg | grep -c 'zswap: alloc failed, zswap disabled for swap type 0$')" -gt 0 ])" "wrong: none, yes"
swapon $device
point "it can be used after that" "$(works a)" "64 same 64"
swap_off
point "nothing is left of it" "$(left "lz4 4")" "$(nothing "lz4 4")"

# --- A CPU that comes up --------------------------------------------------------
online=/sys/devices/system/cpu/cpu1/online
swap_on virtio
set_param compressor zswap_faulty
soon "zswap_faulty 2" transforms > /run/transforms
echo 0 > $online
come_up()
{
	set_param compressor lz4
	[ "$(soon "lz4 2" transforms)" = "lz4 2" ] || echo WRONG "$(transforms)"
	set_param compressor zswap_faulty
	[ "$(soon "zswap_faulty 1" transforms)" = "zswap_faulty 1" ] || echo WRONG "$(transforms)"
	got=$(nth "$1" put $online 1)
	case "$got $(nproc)" in
	"hit ENOMEM 1") ;;
	"hit ok 2" | "missed ok 2")
		[ "$(transforms)" = "zswap_faulty 2" ] || echo WRONG "$(transforms)"
		[ "$(works a)" = "64 same 64" ] || echo WRONG "it doesn't work"
		echo 0 > $online
		;;
	*) echo "WRONG $got" "$(nproc)" ;;
	esac
	echo "$got"
}
if allocates_at_hotplug; then
	point "each allocation of a CPU's coming fails once" "$(each_fails come_up "missed ok")" \
				"wrong: none, yes, missed ok"
else
	skip "each allocation of a CPU's coming fails once" "its transform exists already"
fi
echo 1 > $online
start b 1
with b map 64 4
point "and it is used after that" "$(nproc) $(works b)" "2 64 same 64"
stop b
stop a
swap_off
set_param compressor lz4
point "nothing is left" "$(left "lz4 4")" "$(nothing "lz4 4")"
no_leaks "nothing is leaked"
[ ! -e $notests ] || echo N > $notests
