# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge
# A compressor that fails and lies: while pages are stored, loaded and written back, while
# pools are made, and while a CPU comes up.
. ./lib.sh
. ./ways.sh
. ./broken.sh
plan 57

set_param compressor zswap_liar

# --- Compressors ----------------------------------------------------------
# What isn't compressed is stored as it is.
swap_on virtio
for kib in 4 64; do
	folios $kib
	start a 0
	with a map 64 $kib
	got='' want=''
	for what in honest eio einval enomem enospc empty page huge; do
		lie compress $what
		with a fill text 1
		with a out
		got="$got$what $(debug stored_pages) $(debug stored_incompressible_pages) $(ask a check), "
		[ $what = honest ] && raw=0 || raw=64
		want="$want$what 64 $raw same 64, "
	done
	point "$kib KiB: a compressor that fails is done without" "$got" "$want"
	lie compress eio 10 3
	with a fill text 2
	with a out
	point "$kib KiB: for the pages that it fails for" \
		"$(told compress) $(debug stored_pages) $(debug stored_incompressible_pages) $(ask a check)" "18 64 18 same 64"
	lie compress honest
	stop a
done
folios 4

# Unless they would never go to the device: then it has no use.
start a 0
echo 0 > /cg/a/memory.zswap.writeback
with a map 64 4
got='' want=''
for what in eio einval enomem enospc empty page huge; do
	lie compress $what
	with a fill text 1
	mark
	got="$got$what $(ask a fail out 1000000) $(debug stored_pages) $(grew reject_compress_fail reject_compress_poor) $(ask a check), "
	[ $what = enospc ] && rejected="0 64" || rejected="64 0"
	want="$want$what missed 64 0 $rejected same 64, "
done
lie compress honest
point "no writeback: refused, with its reason" "$got" "$want"
stop a

# What it has compressed wrongly is lost. Whoever asks is told, and nobody sees anything else.
start a 0
with a map 16 4
for what in short long garbage; do
	lie compress $what
	with a fill text 1
	with a out
	lie compress honest
	mark
	point "compressed $what: every reader is killed" \
		"$(ask a readers); $(ask a readers); $(debug stored_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ])" \
		"same 0, not 0, killed 16; same 0, not 0, killed 16; 16 yes"
	with a unmap
	with a map 16 4
done
stop a
point "all is given back" "$(debug stored_pages) $(debug pool_total_size)" "0 0"
swap_off
point "and after swapoff" "$(left "zswap_liar 2")" "$(nothing "zswap_liar 2")"

# --- Decompressors: loading -----------------------------------------------
# A page that can't be had stays where it is, until it can.
for swap in brd virtio; do
	swap_on $swap
	for what in eio einval enomem enospc empty short long huge; do
		start a 0
		with a map 8 4
		with a fill text 1
		with a out
		mark
		lie decompress $what
		got="$(ask a readers), "
		drop a
		got="$got$(ask a readers), $(debug stored_pages) $(grew decompress_fail), "
		lie decompress honest
		drop a
		point "$swap, $what: readers are killed until it is well again" "$got$(ask a readers), $(debug stored_pages)" \
			"same 0, not 0, killed 8, same 0, not 0, killed 8, 8 16, same 8, not 0, killed 0, 0"
		stop a
	done

	start a 0
	with a map 16 4
	with a fill text 1
	with a out
	lie decompress eio 0 2
	got="$(ask a readers), "
	lie decompress honest
	drop a
	point "$swap: only readers of pages that fail are killed" "$got$(ask a readers)" \
		"same 8, not 0, killed 8, same 16, not 0, killed 0"

	# A decompressor's garbage of the right length is what nobody can know: it is passed on.
	with a fill text 2
	with a out
	lie decompress garbage
	got=$(ask a readers)
	lie decompress honest
	point "$swap: garbage that looks well is passed on" "$got, $(debug stored_pages)" "same 0, not 16, killed 0, 0"
	with a unmap
	with a map 64 4
	point "$swap: it goes on" "$(works a)" "64 same 64"
	stop a
	swap_off
	point "$swap: and leaves nothing" "$(left "zswap_liar 2")" "$(nothing "zswap_liar 2")"
done

# What is told: ten lines in 5 s at most.
swap_on brd
sleep 6
for what in eio einval enomem enospc empty short long huge; do
	start a 0
	with a map 1 4
	with a fill text 1
	with a out
	lie decompress $what
	with a readers
	lie decompress honest
	stop a
done
point "the log says what came instead of a page" \
	"$(dmesg | grep 'zswap: Decompression error from zswap (0:[0-9]* zswap_liar [0-9]*->[0-9]*)$' | tail -n 8 | sed 's/.*->//; s/)//' | paste -s -d ' ' -)" \
	"4096 4096 4096 4096 0 4095 4097 16384"
swap_off

# --- Decompressors: writing back -------------------------------------------
# An entry that can't be read stays, and is right when it can be.
shrink()
{
	set_param shrinker_enabled Y
	for _ in $(seq 50); do
		echo 64M swappiness=0 > /cg/a/memory.reclaim
		[ "$(grew reject_reclaim_fail)" -lt 100 ] || break
		usleep 200000 # the shrinker goes by statistics that lag
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
	lie decompress eio
	shrink
	lie decompress honest
	point "$swap, by shrinker: what can't be read isn't written back" \
		"$(debug stored_pages) $(grew written_back_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ]) $(true_that [ "$(grew reject_reclaim_fail)" = "$(grew decompress_fail)" ]), $(ask a check)" \
		"256 0 yes yes, same 256"
	stop a

	# Those of a are damaged for ever, those of b are not.
	for way in cgroup limit; do
		start a 0
		with a map 16 4
		lie compress garbage
		with a fill text 1
		with a out
		lie compress honest
		start_pusher a
		mark
		"by_$way"
		point "$swap, by $way: nor ever is what is damaged" \
			"$(debug stored_pages) $(grew written_back_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ]), $(ask a readers), $(ask b check)" \
			"16 0 yes, same 0, not 0, killed 16, same 256"
		stop b
		stop a
	done
	swap_off
	point "$swap: and leaves nothing" "$(left "zswap_liar 2")" "$(nothing "zswap_liar 2")"
done

# --- Pools ------------------------------------------------------------------
set_param compressor lz4
swap_on virtio
start a 0
with a map 64 4
with a fill text 1
with a out
made() { put "$PARAM/compressor" zswap_liar; }
for cpu in 0 1; do
	got='' want=''
	for what in eio einval enomem enospc; do
		dmesg -c > /run/dmesg
		lie init $what $cpu
		got="$got$(made) $(cat "$PARAM/compressor") $(dmesg | grep -c 'zswap: could not alloc crypto acomp zswap_liar : -') $(soon "lz4 4" transforms), "
		want="${want}EINVAL lz4 1 lz4 4, "
	done
	point "no pool without a transform for CPU $cpu" "$got" "$want"
done
lie init honest
point "pages of the old one are still there" "$(debug stored_pages) $(ask a check)" "64 same 64"
point "and it can be made when it is well again" "$(made) $(cat "$PARAM/compressor") $(works a)" "ok zswap_liar 64 same 64"

# --- A CPU that comes up -----------------------------------------------------
online=/sys/devices/system/cpu/cpu1/online
set_param compressor lz4
point "the pool goes" "$(soon "lz4 4" transforms)" "lz4 4"
echo 0 > $online
set_param compressor zswap_liar
with a fill text 2
with a out
got='' want=''
for what in eio einval enomem enospc; do
	lie init $what
	got="$got$(put $online 1) $(nproc), "
	want="$want$(echo $what | tr '[:lower:]' '[:upper:]') 1, "
done
point "no CPU without a transform" "$got" "$want"
point "the other goes on" "$(ask a check) $(works a)" "same 64 64 same 64"
lie init honest
got="$(put $online 1) $(nproc)"
start b 1
with b map 64 4
point "it comes up when that is well again" "$got $(works b)" "ok 2 64 same 64"
stop b
stop a
swap_off
set_param compressor lz4
point "nothing is left" "$(left "lz4 4")" "$(nothing "lz4 4")"
point "nor leaked" "$(leaks)" ""
