# SPDX-License-Identifier: GPL-2.0
# The workload of the measurement parity: prints rows of three fields, separated by tabs,
#
#   KIND  NAME  VALUE
#
# exact rows don't depend on timing: the data read, the contents of files, counts of steps that
# reclaim only what they name, and laws. moved rows are counts of steps in which the timing decides
# what is reclaimed by which task: under a limit, under pressure, in writeback. `delay=N` on the
# kernel's command line, from 1 to 10, is the delay before each of these.
# shellcheck disable=SC2154 # read_counts sets them
. ./lib.sh
. ./writeback-paths.sh

row() { printf '%s\t%s\t%s\n' "$1" "$2" "$3"; }
exact() { row exact "$@"; }
moved() { row moved "$@"; }

# A few thousand instructions; a fraction of the two seconds by which memcg statistics lag, which
# the shrinker uses; and a fraction of the 4 ms of a tick, at which the limit's worker runs.
spin()
{
	i=0
	while [ $i -lt $((delay * 7)) ]; do
		i=$((i + 1))
	done
	usleep $((delay * 200400))
}

# flat: joins lines
flat() { tr '\n\t' '  '; }

# settle: memcg statistics lag by two seconds
settle() { usleep 2100000; }

# --- Kernel statistics -----------------------------------------------------
PRESENT="stored_pages stored_incompressible_pages pool_total_size"
SINCE="zswpout zswpin zswpwb swpout_zero swpin_zero pswpout pswpin pool_limit_hit
	reject_reclaim_fail reject_alloc_fail reject_kmemcache_fail reject_compress_fail
	reject_compress_poor decompress_fail written_back_pages"

# read_counts PREFIX: into shell variables
read_counts()
{
	eval "$(awk -v p="$1_" '/^(zswp|swp(in|out)_zero|pswp)/ { print p $1 "=" $2 }' /proc/vmstat)"
	for file in "$DEBUG"/*; do
		read -r value < "$file"
		eval "$1_${file##*/}=$value"
	done
}

begin() { read_counts old; }

# counts KIND STEP: the current values, and the increase since begin. A step's reads and writes of
# the device depend on timing where pages are in the swap cache or on their way there.
counts()
{
	read_counts new
	for name in $PRESENT; do
		eval "value=\$new_$name"
		row "$1" "$2.$name" "$value"
	done
	for name in $SINCE; do
		eval "value=\$((new_$name - old_$name))"
		row "$1" "$2.$name" "$value"
	done
}

# law STEP FREED: the counts since begin balance. FREED pages were freed, or stored again, while
# they were in zswap.
law()
{
	read_counts new
	exact "$1.law: stored = out - in - wb - freed" \
		$((new_stored_pages - old_stored_pages - (new_zswpout - old_zswpout) + (new_zswpin - old_zswpin) +
			(new_zswpwb - old_zswpwb) + ${2:-0}))
	exact "$1.law: written_back_pages = zswpwb" \
		$((new_written_back_pages - old_written_back_pages - new_zswpwb + old_zswpwb))
}

# charges KIND STEP CGROUP: memory.stat and the files, once they have settled
charges()
{
	awk -v kind="$1" -v step="$2" 'FILENAME ~ /current/ { print kind "\t" step ".memory.zswap.current\t" $1 }
		/^zsw/ { print kind "\t" step ".memory.stat." $1 "\t" $2 }' "/cg/$3/memory.stat" "/cg/$3/memory.zswap.current"
}

# --- Files -------------------------------------------------------------------
value_of()
{
	case $1 in
	@*) value=$(printf "%${1#@}s" '' | tr ' ' a) ;;
	*) value=$(printf '%bx' "$1") value=${value%x} ;;
	esac
}

# answer NAME FILE VALUE: writes it; the errno, and all that reads back
answer()
{
	value_of "$3"
	result=$(put "$2" "$value")
	exact "$1 <- '$3'" "$result, then $(head -n 1 "$2" | cut -c1-40), $(wc -c < "$2") bytes, $(md5sum < "$2" | cut -c1-12)"
}

files()
{
	for file in "$PARAM"/* "$DEBUG"/* /sys/kernel/debug/zswap /cg/x/memory.zswap.*; do
		exact "file $file" "$(stat -c '%A %u:%g %s %F' "$file")"
	done
	exact "vmstat names" "$(grep -o '^[a-z]*zsw[a-z_]*\|^swp[a-z]*_zero' /proc/vmstat | flat)"
	exact "memory.stat names" "$(grep -o '^zsw[a-z_]*' /cg/x/memory.stat | flat)"
	exact "meminfo" "$(grep -i zswap /proc/meminfo | flat)"
	exact "hotplug states" "$(sed -n 's/.*\(mm\/zsw.*\)/\1/p' /sys/devices/system/cpu/hotplug/states | flat)"
	exact "slab" "$(awk '/zswap/ { print $1, $4, $5, $6 }' /proc/slabinfo)"
	exact "shrinker" "$(basename /sys/kernel/debug/shrinker/*zswap-* | sed 's/-[0-9]*$//')"
}

# parameters STATE: the invalid and extreme values of params.sh
parameters()
{
	sh params.sh record > /run/parameters
	while IFS='|' read -r _ name value result reads; do
		exact "$1: $name <- '$value'" "$result, then $reads"
	done < /run/parameters
	[ "$1" != before ] || return
	for value in 64 128 1023 1024 4095; do
		answer "$1: compressor" $PARAM/compressor "@$value"
	done
	answer "$1: compressor" $PARAM/compressor lz4
}

cgroup_files()
{
	mkdir /cg/x
	for value in '' ' ' max 'max\n' ' max ' MAX 0 1 4095 4096 4097 1M 1m 1G 0x10000 010 -1 -0 1.5 +5 '1 2' \
		maybe 18446744073709551615 18446744073709551616 @63 @4000 @5000 max; do
		answer memory.zswap.max /cg/x/memory.zswap.max "$value"
	done
	for value in '' ' ' 0 1 '0\n' 2 -1 00 01 0x1 y N on off '1 0' ' 1 ' @63 @5000 1; do
		answer memory.zswap.writeback /cg/x/memory.zswap.writeback "$value"
	done
	for value in '' 0 1 max; do
		answer memory.zswap.current /cg/x/memory.zswap.current "$value"
		exact "memory.stat <- '$value'" "$(put /cg/x/memory.stat "$value")"
	done
	for value in '' 0 1; do
		answer debugfs $DEBUG/stored_pages "$value"
		answer debugfs $DEBUG/pool_limit_hit "$value"
	done
	files
	rmdir /cg/x
}

# --- Steps that reclaim only what they name --------------------------------------
# quiet SWAP KIB KIND
quiet()
{
	step=$1.$2.$3
	folios "$2"
	start a
	with a map $((($2 > 1024) * 256 + 256)) "$2"
	with a fill "$3" 1
	begin
	exact "$step.out" "$(ask a out | cut -d' ' -f1)"
	counts exact "$step.out"
	law "$step.out"
	settle
	charges exact "$step.out" a
	exact "$step.out.meminfo" "$(grep Zswap /proc/meminfo | flat)"
	exact "$step.in" "$(ask a in | cut -d' ' -f1) $(ask a sum) $(ask a check)"
	counts exact "$step.in"
	law "$step.in"

	# Written to again, page by page, and stored again.
	with a out
	begin
	with a poke 3
	counts exact "$step.poke"
	with a out
	law "$step.poke"
	counts exact "$step.again"

	# Slots are freed one by one, in the middle of folios.
	in_zswap=$(debug stored_pages)
	begin
	with a lose 5
	freed=$((in_zswap - $(debug stored_pages)))
	exact "$step.freed" $freed
	law "$step.freed" $freed
	exact "$step.sum" "$(ask a sum)"

	# Copies of swapped pages.
	with a fill "$3" 2
	with a out
	exact "$step.fork" "$(ask a fork)"
	counts exact "$step.fork"
	exact "$step.sum2" "$(ask a sum)"
	with a out
	with a unmap
	for name in $PRESENT; do
		exact "$step.unmapped.$name" "$(debug $name)"
	done
	if [ "$3" = last ]; then
		settle
		charges exact "$step.unmapped" a
	fi
	stop a
}

# A cgroup at its limit swaps a large folio out: the charge for it exceeds the limit, which reclaim may.
over_limit()
{
	folios 2048
	start a
	with a map 512 2048
	with a fill last 1
	cat /cg/a/memory.current > /cg/a/memory.max
	begin
	exact over_limit.out "$(ask a out | cut -d' ' -f1)"
	counts exact over_limit
	while read -r name value; do
		exact "over_limit.memory.events.$name" "$value"
	done < /cg/a/memory.events
	echo max > /cg/a/memory.max
	exact over_limit.sum "$(ask a sum) $(ask a check)"
	stop a
}

# Each compressor's pool stays while it has pages, and can become current again.
compressors()
{
	folios 4
	begin
	for name in lz4 lzo lzo-rle zstd deflate 842; do
		set_param compressor $name
		worker=$(echo $name | tr -d -)
		start "$worker"
		with "$worker" map 256 4
		with "$worker" fill last 7
		with "$worker" out
		counts exact "compressor.$name"
	done
	law compressors
	settle
	for worker in lz4 lzo lzorle zstd deflate 842; do
		charges exact "compressor.$worker" $worker
	done
	for name in lzo zstd lz4; do
		set_param compressor $name
		with $name in
		exact "compressor.$name.again" "$(ask $name sum) $(ask $name check)"
		with $name out
		counts exact "compressor.$name.again"
	done
	law "compressors again"
	for worker in lz4 lzo lzorle zstd deflate 842; do
		exact "compressor.$worker.back" "$(ask $worker sum) $(ask $worker check)"
		stop $worker
	done
	set_param compressor lz4
	for name in $PRESENT; do
		exact "compressors.$name" "$(debug $name)"
	done
}

# Disabled with stored pages, and enabled again.
switched_off()
{
	folios 4
	start a
	start b
	with a map 512 4
	with b map 512 4
	with a fill last 1
	with b fill last 2
	with a out
	begin
	set_param enabled N
	with b out
	counts exact off.out
	exact off.in "$(ask a sum) $(ask a check)"
	counts exact off.in
	law off
	set_param enabled Y
	begin
	with a out
	exact on.sums "$(ask b sum) $(ask b check) $(ask a sum) $(ask a check)"
	law on
	stop a
	stop b
}

# swapoff with stored pages leaves nothing in zswap.
swapped_off()
{
	folios "$2"
	start a
	with a map 512 "$2"
	with a fill last 3
	with a out
	begin
	swap_off
	counts exact "swapoff.$1.$2"
	law "swapoff.$1.$2"
	settle
	charges exact "swapoff.$1.$2" a
	exact "swapoff.$1.$2.sum" "$(ask a sum) $(ask a check)"
	stop a
	swap_on "$1"
}

# Readahead and its hits for different access patterns. read_ahead SWAP CLUSTER...
read_ahead()
{
	step=$1
	shift
	for by in true false; do
		echo $by > /sys/kernel/mm/swap/vma_ra_enabled
		for cluster in "$@"; do
			echo "$cluster" > /proc/sys/vm/page-cluster
			for pattern in sequential backward random stride3; do
				exact "$step.ahead.by_address=$by.cluster=$cluster.$pattern" "$(users ahead $pattern)"
			done
			exact "$step.ahead.by_address=$by.cluster=$cluster.scattered" "$(users ahead-scattered sequential)"
			exact "$step.ahead.by_address=$by.cluster=$cluster.shared" "$(users ahead-shared sequential)"
		done
	done
	echo true > /sys/kernel/mm/swap/vma_ra_enabled
	echo 3 > /proc/sys/vm/page-cluster
}

# --- Steps that depend on timing -------------------------------------------------
# agreed STEP CGROUP: its files agree with zswap's global statistics, since it has all pages
agreed()
{
	settle
	read_counts new
	exact "$1.law: zswapped = stored_pages" $(($(memcg_stat "$2" zswapped) / 4096 - new_stored_pages))
	exact "$1.law: zswap_incomp = stored_incompressible_pages" \
		$(($(memcg_stat "$2" zswap_incomp) / 4096 - new_stored_incompressible_pages))
	exact "$1.law: zswap.current = zswap" $(($(memcg "$2" zswap.current) - $(memcg_stat "$2" zswap)))
}

# ended STEP [drop]: a's pages are intact, and it leaves nothing; with drop, pages on the device are
# read from there
ended()
{
	agreed "$1" a
	[ -z "$2" ] || drop a
	exact "$1.read" "$(ask a sum) $(ask a check)"
	law "$1.read"
	stop a
	for name in $PRESENT; do
		exact "$1.ended.$name" "$(debug $name)"
	done
}

# met STEP: the counts of a step
met() { counts moved "$1"; law "$1"; }

# pushed SWAP KIB WAY: the stored pages of a are written back, for b or by the shrinker
pushed()
{
	folios "$2"
	start a
	with a map 512 "$2"
	with a fill last 1
	with a out
	folios 4
	start_pusher a
	spin
	begin
	"by_$3"
	with b unmap
	stop b
	counts moved "$3.$1.$2"
	exact "$3.$1.$2.law: written_back_pages = zswpwb" \
		$((new_written_back_pages - old_written_back_pages - new_zswpwb + old_zswpwb))
	begin
	ended "$3.$1.$2" drop
}

# A cgroup stores more than its limit.
cgroup_limit()
{
	folios "$1"
	start a
	echo 1M > /cg/a/memory.zswap.max
	with a map 1024 "$1"
	with a fill random 1
	spin
	begin
	with a out
	met "zswap.max.$1"
	ended "zswap.max.$1" drop
}

# zswap is full.
pool_limit()
{
	folios "$1"
	set_param max_pool_percent 1
	exact "max_pool_percent.$1.pages" "$(awk '/^MemTotal/ { print int($2 / 4 / 100) }' /proc/meminfo)"
	start a
	with a map 2048 "$1"
	with a fill random 2
	spin
	begin
	with a out
	settle
	met "max_pool_percent.$1"
	ended "max_pool_percent.$1" drop
	set_param max_pool_percent 20
}

# More memory than the cgroup's limit, with the shrinker.
pressure()
{
	folios "$1"
	set_param shrinker_enabled Y
	start a
	echo 9000K > /cg/a/memory.max # some large folios can be in a CPU's batch
	spin
	begin
	with a map 3072 "$1"
	with a fill last 3
	exact "pressure.$1.cycle" "$(ask a cycle 2)"
	met "pressure.$1"
	ended "pressure.$1" drop
	set_param shrinker_enabled N
}

# Incompressible pages are refused with writeback disabled.
no_writeback()
{
	folios "$1"
	start a
	echo 0 > /cg/a/memory.zswap.writeback
	echo 64K > /cg/a/memory.zswap.max
	with a map 512 "$1"
	with a fill "$2" 4
	spin
	begin
	with a out
	law "no_writeback.$1.$2"
	echo max > /cg/a/memory.zswap.max
	with a out
	met "no_writeback.$1.$2"
	ended "no_writeback.$1.$2"
}

# A cgroup is removed while its pages are stored: they pass to its parent, which writes back.
removed()
{
	folios 4
	mkdir /cg/p
	echo +memory > /cg/p/cgroup.subtree_control
	mkdir /cg/p/c
	start a
	cat /cg/a/cgroup.procs > /cg/p/c/cgroup.procs
	with a map 512 4
	with a fill last 5
	begin
	with a out
	law removed.out
	settle
	charges exact removed.before p
	cat /cg/p/c/cgroup.procs > /cg/a/cgroup.procs
	rmdir /cg/p/c
	echo -memory > /cg/p/cgroup.subtree_control
	settle
	charges exact removed.after p
	start_pusher p
	spin
	begin
	by_cgroup p
	stop b
	exact "removed.stored_pages" "$(debug stored_pages)"
	counts moved removed
	agreed removed p
	drop p
	exact removed.sum "$(ask a sum) $(ask a check)"
	stop a
	rmdir /cg/p
}

# --- The workload ------------------------------------------------------------------
dmesg | sed 's/^\[ *[0-9.]*\] //; /^input: /d' > /run/boot
parameters before
parameters after
set_param max_pool_percent 20
set_param accept_threshold_percent 90
set_param shrinker_enabled N
set_param enabled Y
cgroup_files

swap_on brd
for kib in 4 64 2048; do
	for kind in zero same text random last; do
		quiet brd $kib $kind
	done
done
over_limit
compressors
switched_off
swapped_off brd 4
swapped_off brd 64
swap_off

for swap in virtio file; do
	swap_on $swap
	quiet $swap 4 last
	quiet $swap 64 last
	swapped_off $swap 4
	pushed $swap 4 cgroup
	swap_off
done

# VMA readahead requires that no swap device is rotating, and virtio-blk claims to be.
echo 0 > /sys/block/vda/queue/rotational
swap_on virtio
read_ahead virtio 3 5
set_param enabled N
read_ahead virtio.off 3
set_param enabled Y
swap_off
echo 1 > /sys/block/vda/queue/rotational

swap_on brd
for kib in 4 64; do
	for way in cgroup limit shrinker; do
		pushed brd $kib $way
	done
	cgroup_limit $kib
	pool_limit $kib
	pressure $kib
	no_writeback $kib random
	no_writeback $kib last
done
removed
swap_off

settle
for name in $PRESENT; do
	exact "end.$name" "$(debug $name)"
done
exact end.meminfo "$(grep Zswap /proc/meminfo | flat)"
exact end.stat "$(grep '^zswap' /cg/memory.stat | flat)"

# The kernel's log. Boot messages contain sizes and speeds: only their text is compared, and the
# clock's speed, measured some time later, is left out.
{
	grep '^zswap' /run/boot
	grep -v '^zswap' /run/boot | sed 's/^\(Linux version.*\) #.*/\1/; s/0x[0-9a-f]*/N/g; s/[0-9][0-9.]*/N/g'
	# The gaps between the image's parts depend on its size. The mouse driver's progress depends
	# on timing. So does where ext4 places a file.
	dmesg | sed 's/^\[ *[0-9.]*\] //; /^input: /d; s|\( swap on /mnt/.*\) extents:.*|\1|' | awk 'NR == FNR { boot++; next } FNR > boot' /run/boot -
} | tr '\t' ' ' | grep -v -e '^Kernel command line' -e '^Command line' -e 'Unknown kernel command line' -e 'kernel image (.* gap)' -e '^tsc: ' -e '^clocksource: tsc' | sort | uniq -c |
	while read -r n line; do
		exact "log: $line" "$n"
	done
