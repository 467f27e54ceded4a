# SPDX-License-Identifier: GPL-2.0
# Fault injection into compressors and allocations, and checks for leaks.
# shellcheck shell=sh

FAULTY=/sys/kernel/debug/zswap_faulty

# inject compress|decompress|init WHAT [SKIP [EVERY]]: see tests/kunit/faulty_acomp.h
inject()
{
	echo "${3:-0}" > $FAULTY/"$1"/skip
	echo "${4:-1}" > $FAULTY/"$1"/every
	echo "$2" > $FAULTY/"$1"/fault
}
injected() { cat $FAULTY/"$1"/injected; }

# spoil NAME WHAT: swaps out the worker's pages with a compression fault, before the next mark
spoil()
{
	inject compress "$2"
	with "$1" fill text 1
	with "$1" out
	inject compress none
	mark
}

# hold NAME KIB [APART]: leaves the worker's pages in memory, with their entries, and prints how many:
# see guest/mem.c. Each store takes until the worker's other thread waits for its folio.
hold()
{
	set_param compressor zswap_accel
	echo Y > /sys/kernel/debug/zswap_accel/held_by_reader
	ask "$1" hold "$2" "${3:-0}"
	echo N > /sys/kernel/debug/zswap_accel/held_by_reader
	set_param compressor lz4
}

# fragile INTERVAL: for a task under make-it-fail (nth 0), every n-th allocation fails
fragile()
{
	any_may_fail
	for fault in failslab fail_page_alloc; do
		(
			cd /sys/kernel/debug/$fault || return
			echo Y > task-filter
			echo -1 > ./times
			echo "$1" > interval
			echo 100 > probability
		)
	done
	# zswap's pages may all be in high memory.
	echo N > /sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
}

# only CACHE: all allocations from this cache fail, and no others; all_again CACHE ends that. For
# allocations that are retried, where one failure has no effect.
only()
{
	echo 0 > /sys/kernel/debug/fail_page_alloc/probability
	echo 1 > "/sys/kernel/slab/$1/failslab"
	echo Y > /sys/kernel/debug/failslab/cache-filter
}
all_again()
{
	echo N > /sys/kernel/debug/failslab/cache-filter
	echo 0 > "/sys/kernel/slab/$1/failslab"
	fragile 1
}

# each_fails STEP END: runs STEP n, for n from 1 on, until it has fewer than n allocations that
# could fail: then it prints END, which begins with "missed". (It may also miss because a page under
# writeback couldn't be swapped out: then it is retried.) It prints WRONG on an error.
each_fails()
{
	n=1 tries=0 bad=''
	while [ $n -le 1000 ] && [ $tries -lt 20 ]; do
		echo "guest $1 $n" >&2
		got=$("$1" $n)
		case $got in
		*WRONG* | *ended*) bad="$bad $n: $got," ;;
		esac
		case $got in
		"$2") break ;;
		"hit "*) n=$((n + 1)) tries=0 ;;
		*) tries=$((tries + 1)); usleep 100000 ;;
		esac
	done
	echo "# $1: $((n - 1)) allocations" >&2
	echo "wrong:${bad:- none}, $(true_that [ $n -gt 4 ]), $got"
}

# The slabs of zswap's own caches; slab_nomerge keeps other objects out of them.
slabs()
{
	for cache in zswap_entry zs_handle zspage; do
		echo 1 > /sys/kernel/slab/$cache/shrink
		cut -d' ' -f1 /sys/kernel/slab/$cache/slabs
	done | paste -s -d ' ' -
}

# The existing transforms: a pool has one for each CPU (in C, that was up), which counts twice for the
# kernel's own compressors.
transforms()
{
	awk '$1 == "name" { name = $3 } $1 == "refcnt" && $3 > 1 { print name, $3 - 1 }' /proc/crypto |
		sort | paste -s -d ' ' -
}

# In C a CPU's transform is allocated when it comes up; in Rust, with the pool.
allocates_at_hotplug() { grep -q mm/zswap_pool:prepare /sys/devices/system/cpu/hotplug/states; }

# leaks: the leaks that kmemleak has found. It requires objects to be 5 s old, and unreachable
# twice. KUnit must not have run: two suites in Rust leak what has to be 'static.
leaks()
{
	sleep 6
	for _ in 1 2; do
		echo scan > /sys/kernel/debug/kmemleak || echo "it has switched itself off"
	done
	cat /sys/kernel/debug/kmemleak
}

# left TRANSFORMS: what remains when nothing is stored and the only pool is empty. It equals
# nothing() if nothing has leaked.
left()
{
	echo "stored $(debug stored_pages) $(debug stored_incompressible_pages) $(debug pool_total_size)," \
		"slabs $(soon "0 0 0" slabs), transforms $(soon "$1" transforms)"
}
nothing() { echo "stored 0 0 0, slabs 0 0 0, transforms $1"; }

# no_leaks NAME: a point
no_leaks()
{
	if [ -e /sys/kernel/debug/kmemleak ]; then
		point "$1" "$(leaks)" ""
	else
		skip "$1" "no kmemleak: see make sanitize"
	fi
}

# charged NAME: a cgroup's zswap charges
charged() { echo "$(soon 0 memcg "$1" zswap.current) $(soon 0 memcg_stat "$1" zswapped) $(soon 0 memcg_stat "$1" zswap_incomp)"; }

# works NAME: whether its pages, 64 or so, can still be stored and loaded
works()
{
	with "$1" fill last 4711
	with "$1" out
	echo "$(debug stored_pages) $(ask "$1" check)"
}

# mark; grew NAME...: by how much counters have grown since
mark() { for file in "$DEBUG"/*; do echo "${file##*/} $(cat "$file")"; done > /run/marked; }
grew()
{
	for name; do
		echo $(($(debug "$name") - $(awk -v name="$name" '$1 == name { print $2 }' /run/marked)))
	done | paste -s -d ' ' -
}
