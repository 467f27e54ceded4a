# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Threads that share pages, and processes that share all that zswap and the swap cache share: clusters, leaves, LRU lists,
# limits, statistics, the list of pools. A third of the time in little memory: on a device of two leaves, which is full. A
# third only with pools. For KCSAN, which samples few accesses: LZ4 and LZO aren't instrumented.
# usage: load.sh [SECONDS]
. ./lib.sh
seconds=$((${1:-9} / 3))
plan 6

echo Y > $PARAM/shrinker_enabled
mkdir /cg/small
echo 4 > /proc/sys/vm/drop_caches # and no messages from then on
folios 64
written_back=$(vmstat zswpwb) refused=$(debug pool_limit_hit)

# until_end COMMAND...: again and again, until a process has ended
until_end() { while kill -0 $last 2> /dev/null; do "$@"; done; }

# Reads the statistics and the list of pools.
look() { for file in "$DEBUG"/*; do read -r _ < "$file"; done; usleep "$pause"; }

pools() { read -r _ < $DEBUG/pool_total_size; }

# Drops slab objects: the shrinker.
shrink() { echo 2 > /proc/sys/vm/drop_caches; usleep 300000; }

# Every eighth time, and first, stores hit the limit, which starts the shrinker as well. Pools come and go.
rounds=0
change()
{
	set_param max_pool_percent $((rounds % 8 ? 20 : 0)) &&
		set_param compressor $([ $((rounds % 2)) = 0 ] && echo lzo || echo lz4) && rounds=$((rounds + 1))
	usleep "$pause"
}

# load DEVICE PAGES: in each of two processes, one in a cgroup with a limit, one with large folios
load()
{
	swap_on brd "$1"
	pause=50000
	set_param compressor lz4
	echo $(($2 / 4))K > /cg/small/memory.zswap.max
	(echo 0 > /cg/small/cgroup.procs; share 2 "$2" "$page" "$seconds" > /run/a) &
	share 3 "$2" 64 "$seconds" > /run/b &
	last=$!
	until_end look &
	until_end shrink &
	until_end change
	wait
	echo "# $1 KiB: $(cat /run/[ab] | paste -s -d ,), $(debug large_loads 2> /dev/null) large loads, $rounds changes"
	point "$1 KiB: threads read what they have written" "$(grep -c ', 0 wrong' /run/[ab] | paste -s -d ' ')" \
		"/run/a:1 /run/b:1"
	swap_off
	point "$1 KiB: nothing is left" "$(debug stored_pages)" 0
}
load 16384 2048
load 516 64 # with mkswap's header
point "pages were refused by the limit, and written back" \
	"$(true_that [ "$(debug pool_limit_hit)" -gt "$refused" ]) $(true_that [ "$(vmstat zswpwb)" -gt "$written_back" ])" "yes yes"
rmdir /cg/small

before=$rounds pause=0
sleep "$seconds" &
last=$!
until_end pools &
until_end change
wait
point "pools came and went" "$(true_that [ $rounds -gt $((before + 1)) ])" yes
set_param max_pool_percent 20
echo "# $rounds changes, of them $((rounds - before)) without a load"
set_param shrinker_enabled N
[ "$failed" = 0 ]
