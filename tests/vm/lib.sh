# SPDX-License-Identifier: GPL-2.0
# Shared by the tests in the guest: test points, swap devices, workers.
# shellcheck shell=sh

PARAM=/sys/module/zswap/parameters
DEBUG=/sys/kernel/debug/zswap
# In KiB.
page=$(awk '/^KernelPageSize:/ { print $2; exit }' /proc/self/smaps)
THP=/sys/kernel/mm/transparent_hugepage

# --- Test points (TAP) ---------------------------------------------------
# Each line has the seconds since the line before.
points=0 failed=0

uptime() { cut -d' ' -f1 /proc/uptime; }

plan() { echo "1..$1"; clock=$(uptime); }

# point NAME GOT WANT: passes when both are the same text
point()
{
	points=$((points + 1))
	[ "$2" = "$3" ] && verdict=ok || verdict="not ok"
	now=$(uptime)
	echo "$verdict $points - $1 # $(awk "BEGIN { printf \"%.1f\", $now - $clock }") s"
	clock=$now
	[ "$verdict" = ok ] && return
	failed=$((failed + 1))
	echo "#   got  $2"
	echo "#   want $3"
	# A page without an entry may have stayed in memory, or be lost.
	[ ! -e /run/out ] || echo "#   swapped by $(cat /run/out)"
	echo "#   $({ grep -H -v '^0$' $DEBUG/*_* | sed 's/.*\///; s/:/ /'; grep -E '^z?swp.* [^0]' /proc/vmstat; } 2> /dev/null | paste -s -d ,)"
}

# skip NAME WHY: a point that can't be tested here
skip() { points=$((points + 1)); echo "ok $points - $1 # SKIP $2"; }

# true_that TEST...: yes or no, to be compared by point
true_that() { if "$@"; then echo yes; else echo no; fi; }

# soon WANT CMD...: CMD's output once it is WANT, else its output after half a minute; for memcg
# statistics, which lag by two seconds
soon()
{
	want=$1; shift
	for _ in $(seq 300); do
		got=$("$@")
		[ "$got" = "$want" ] && break
		usleep 100000
	done
	echo "$got"
}

# --- Kernel statistics ---------------------------------------------------
debug() { cat $DEBUG/"$1"; }
vmstat() { awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat; }
memcg() { cat /cg/"$1"/memory."$2"; }
memcg_stat() { awk -v name="$2" '$1 == name { print $2 }' /cg/"$1"/memory.stat; }
set_param() { echo "$2" > $PARAM/"$1"; }

# any_may_fail: lets fail-nth apply to each allocation, including those that may sleep
any_may_fail()
{
	for fault in failslab fail_page_alloc; do
		echo 0 > /sys/kernel/debug/$fault/verbose
		echo N > /sys/kernel/debug/$fault/ignore-gfp-wait
	done
	echo 0 > /sys/kernel/debug/fail_page_alloc/min-order
}

# --- KUnit: a suite, each case of which is a point --------------------------
# suite NAME: runs a suite. tests/run.sh parses the output with kunit.py; a missing case shows up
# against the plan.
suite()
{
	echo 1 > "/sys/kernel/debug/kunit/$1/run"
	cat "/sys/kernel/debug/kunit/$1/results"
	echo "# ktap over"
}

# --- Swap devices: brd (synchronous), virtio-blk, a file on ext4 ----------
# swap_on brd|virtio|file [KIB]: the device that was turned on first is filled first
swap_on()
{
	case $1 in
	brd) device=/dev/ram0 ;;
	virtio) device=/dev/vda ;;
	file)
		device=/mnt/swap
		grep -q ' /mnt ' /proc/mounts || mount -t ext4 /dev/vdb /mnt || return
		[ -e $device ] || { fallocate -l 256M $device && chmod 600 $device; } || return
		;;
	esac
	mkswap $device ${2:+"$2"} > /run/mkswap && swapon $device
}

swap_off() { swapoff $device; }

# --- Folio sizes -----------------------------------------------------------
# folios KIB: the folio size of mappings that ask for huge pages from now on
folios()
{
	[ -d $THP ] || { [ "$1" = "$page" ]; return; }
	for size in "$THP"/hugepages-*kB/enabled; do
		case $size in
		*/hugepages-"$1"kB/enabled) echo always ;;
		*) echo never ;;
		esac > "$size"
	done
	[ "$1" = "$page" ] && echo never > $THP/enabled || echo always > $THP/enabled
}

# folios_stored KIB: the number of folios of this size that were stored whole
folios_stored() { cat $THP/hugepages-"$1"kB/stats/zswpout; }

# folios_split KIB: the number of folios of this size that were split
folios_split() { cat $THP/hugepages-"$1"kB/stats/split; }

# --- Workers: processes whose memory is swapped (guest/mem.c) --------------
# start NAME [CPU]: starts a worker in the memory cgroup NAME, bound to a CPU if named (its pages
# are then in that CPU's LRU batches, where MADV_PAGEOUT finds them)
start()
{
	mkfifo "/run/$1.in" "/run/$1.out"
	mkdir "/cg/$1"
	# Held open here, so that an answer survives the worker.
	fd=3
	while [ -e /proc/self/fd/$fd ]; do fd=$((fd + 1)); done
	eval "exec $fd<> /run/$1.out; fd_$1=$fd"
	# shellcheck disable=SC2016
	{
		sh -c 'echo $$ > "/cg/$1/cgroup.procs"
			exec ${2:+taskset -c "$2"} mem' - "$@" <> "/run/$1.in"
		yes "ended $?" | head -n 500 # the answer to all further commands
	} > "/run/$1.out" &
	eval "pid_$1=$!"
	hear "$1" > /run/answer # "ready": it has opened its end
}

# Opened both ways, so that a command to a dead worker doesn't block.
tell() { worker=$1; shift; echo "$*" 1<> "/run/$worker.in"; }

hear() { eval "read -r answer <&\$fd_$1"; echo "$answer"; }

ask() { tell "$@"; hear "$1"; }
# enough NAME: ends its "cycle 0", and prints how that went
enough() { : > /run/enough; hear "$1"; rm /run/enough; }

# with NAME COMMAND...: for a step whose answer isn't needed
with()
{
	ask "$@" > /run/answer
	[ "$2" != out ] || echo "$1: $(cut -d' ' -f1 /run/answer) pages" > /run/out
}

# drop NAME: removes pages from the swap cache, where they stay after they are written to a disk, so
# that the next read comes from the disk. Done last: reclaim may evict other pages, too.
drop()
{
	for _ in $(seq 20); do
		cached=$(memcg_stat "$1" swapcached)
		[ "$cached" -gt 0 ] || return
		echo "$cached" > "/cg/$1/memory.reclaim"
	done 2> /dev/null # EAGAIN if not all was reclaimed at once
}

stop()
{
	with "$1" quit
	eval "wait \$pid_$1; fd=\$fd_$1"
	eval "exec $fd<&-"
	rm "/run/$1.in" "/run/$1.out"
	rmdir "/cg/$1"
}
