# SPDX-License-Identifier: GPL-2.0
# In the guest: the objects of the measurement metadata, from /proc/slabinfo. A row is
#
#   STATE  PAGES IN ZSWAP  CACHE  OBJECTS  OBJECTS A SLAB  PAGES A SLAB
#
# and the first word of each is
#
#   before   nothing was stored yet
#   dense    pages were swapped out in order
#   sparse   all but every 64th were given back: of 64 slots one is in use
. ./lib.sh

pages=65536 step=64
# The index is of leaves in Rust, whose trees are XArrays; in C it is XArrays alone.
caches="zswap_entry zswap_leaf radix_tree_node zs_handle zspage"

# objects: a row's columns of each cache. It starts no process: the pid of one may take a
# radix_tree_node, with which SLUB fills a sheaf again.
objects()
{
	# SLUB counts what its per-CPU sheaves hold as allocated: empties them.
	for cache in $caches; do
		[ ! -e "/sys/kernel/slab/$cache/shrink" ] || echo 1 > "/sys/kernel/slab/$cache/shrink"
	done
	while read -r cache objects _ _ per_slab slab_pages _; do
		case " $caches " in
		*" $cache "*) printf '%s\t' "$cache" "$objects" "$per_slab"; echo "$slab_pages" ;;
		esac
	done < /proc/slabinfo
}

# settled: waits until RCU has freed all that it was given, and the objects are the same as a second before
settled()
{
	objects > /run/objects
	for _ in $(seq 60); do
		mv /run/objects /run/earlier
		usleep 1000000
		objects > /run/objects
		cmp -s /run/earlier /run/objects && return
	done
	echo "metadata: after a minute the number of objects still changes"
	exit 1
}

# state NAME PAGES: its rows, once it is proved that so many pages are in zswap
state()
{
	settled
	[ "$(debug stored_pages)" = "$2" ] || { echo "metadata: zswap has $(debug stored_pages) pages, not $2"; exit 1; }
	awk -v state="$1" -v stored="$2" '{ print state "\t" stored "\t" $0 }' /run/objects
}

swap_on brd
set_param compressor lz4
set_param enabled Y
folios 4
start a
with a map $pages 4
with a fill same 1
state before 0
with a out
state dense $pages
with a keep $step
state sparse $((pages / step))
stop a
