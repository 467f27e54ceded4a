# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.compressor=zswap_faulty slab_nomerge kunit.enable=0
# The fault-injecting compressor during writeback, pool creation, and CPU hotplug.
. ./lib.sh
. ./writeback-paths.sh
. ./fault-injection.sh
plan 22

set_param compressor zswap_faulty

# --- Decompressors: writeback -----------------------------------------------
# An entry that can't be decompressed stays, and is intact once it can be.
shrink()
{
	set_param shrinker_enabled Y
	for _ in $(seq 50); do
		echo 64M swappiness=0 > /cg/a/memory.reclaim
		[ "$(grew reject_reclaim_fail)" -lt 100 ] || break
		usleep 200000 # the shrinker uses statistics that lag
	done 2> /dev/null # EAGAIN
	set_param shrinker_enabled N
}
for swap in brd virtio file; do
	swap_on $swap
	start a 0
	with a map 256 4
	with a fill text 1
	with a out
	mark
	inject decompress eio
	shrink
	inject decompress none
	point "$swap, by shrinker: entries that can't be decompressed aren't written back" \
		"$(debug stored_pages) $(grew written_back_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ]) $(true_that [ "$(grew reject_reclaim_fail)" = "$(grew decompress_fail)" ]), $(ask a check)" \
		"256 0 yes yes, same 256"
	stop a

	# The entries of a are damaged permanently, those of b are not.
	for path in cgroup limit; do
		start a 0
		with a map 16 4
		inject compress garbage
		with a fill text 1
		with a out
		inject compress none
		start_pusher a
		mark
		"by_$path"
		point "$swap, by $path: damaged entries are never written back" \
			"$(debug stored_pages) $(grew written_back_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ]), $(ask a readers), $(ask b check)" \
			"16 0 yes, same 0, not 0, killed 16, same 256"
		stop b
		stop a
	done
	swap_off
	point "$swap: and leaves nothing" "$(left "zswap_faulty 2")" "$(nothing "zswap_faulty 2")"
done

# --- Pools ------------------------------------------------------------------
set_param compressor lz4
swap_on virtio
start a 0
with a map 64 4
with a fill text 1
with a out
made() { put "$PARAM/compressor" zswap_faulty; }
for cpu in 0 1; do
	got='' want=''
	for what in eio einval enomem enospc; do
		dmesg -c > /run/dmesg
		inject init $what $cpu
		got="$got$(made) $(cat "$PARAM/compressor") $(dmesg | grep -c 'zswap: could not alloc crypto acomp zswap_faulty : -') $(soon "lz4 4" transforms), "
		want="${want}EINVAL lz4 1 lz4 4, "
	done
	point "no pool without a transform for CPU $cpu" "$got" "$want"
done
inject init none
point "pages of the old one are still there" "$(debug stored_pages) $(ask a check)" "64 same 64"
point "a pool is created once its compressor works again" "$(made) $(cat "$PARAM/compressor") $(works a)" "ok zswap_faulty 64 same 64"

# --- A CPU that comes up -----------------------------------------------------
online=/sys/devices/system/cpu/cpu1/online
set_param compressor lz4
point "the pool goes" "$(soon "lz4 4" transforms)" "lz4 4"
echo 0 > $online
set_param compressor zswap_faulty
with a fill text 2
with a out
got='' want=''
for what in eio einval enomem enospc; do
	inject init $what
	got="$got$(put $online 1) $(nproc), "
	if allocates_at_hotplug; then
		want="$want$(echo $what | tr '[:lower:]' '[:upper:]') 1, "
	else
		want="${want}ok 2, "
	fi
done
point "a CPU comes up only with a transform" "$got" "$want"
point "the other goes on" "$(ask a check) $(works a)" "same 64 64 same 64"
inject init none
got="$(put $online 1) $(nproc)"
start b 1
with b map 64 4
point "it comes up once the compressor works again" "$got $(works b)" "ok 2 64 same 64"
stop b
stop a
swap_off
set_param compressor lz4
point "nothing is left" "$(left "lz4 4")" "$(nothing "lz4 4")"
no_leaks "nor leaked"
