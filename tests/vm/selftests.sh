# SPDX-License-Identifier: GPL-2.0
# Runs the kernel's selftests, which come with their list in an archive on the third disk, in a
# guest of scripts/selftests.sh. Each line of TAP is prefixed by the numbers of the run and of the
# test program; "end STATUS SECONDS OUT IN" has its exit status and how many pages zswap stored and
# loaded.
# usage: selftests.sh RUNS [PROGRAM,...]: all of the list, or those with these numbers
. ./lib.sh

# The state that each program starts from: that of a freshly booted system.
fresh()
{
	folios 4
	echo madvise > "$THP"/enabled
	echo inherit > "$THP"/hugepages-2048kB/enabled
	echo 3 > /proc/sys/vm/drop_caches
}

# The tool that checks that folios are swapped out whole prints each round's result.
thp_swap_allocator()
{
	folios 64
	timeout -s KILL 200 thp_swap_allocator_test > /run/rounds || return
	awk '/^Iteration/ { rounds++ } / fallback inc: 0,/ { whole++ }
		END { print "1..1"; print rounds && whole == rounds ? "ok" : "not ok", 1, "each folio went out whole"
			exit !(rounds && whole == rounds) }' /run/rounds
}

mkdir /run/bin /tmp
tar -x -C /run/bin -f /dev/vdc
PATH=$PATH:/run/bin
swap_on virtio
set_param enabled Y
# Some write to files, which need a file system with a page cache; some to /tmp.
mount -t ext4 /dev/vdb /mnt
mount -t tmpfs tmp /tmp
cd /mnt || exit

for run in $(seq "$1"); do
	line=0
	while read -r limit command; do
		line=$((line + 1))
		case ,${2:-$line}, in *,$line,*) ;; *) continue ;; esac
		echo "# run $run of $1: $command"
		fresh
		stored=$(vmstat zswpout) loaded=$(vmstat zswpin) start=$(uptime)
		# The cgroup tests create their own.
		group=/cg
		[ "$limit" = - ] || { group=/cg/test; mkdir $group; }
		[ "$limit" = "${limit#*=}" ] || echo "${limit#*=}" > "$group/memory.${limit%=*}"
		(
			echo 0 > $group/cgroup.procs
			# MADV_PAGEOUT finds only pages on the LRU lists or in its CPU's batches for
			# them: a test that migrates between writing to pages and swapping them out
			# fails, in C, too.
			[ "$limit" != max ] || taskset -p -c 1 "$(exec sh -c 'echo $PPID')" > /run/tied || exit
			[ "$command" != thp_swap_allocator ] || { thp_swap_allocator; exit; }
			# shellcheck disable=SC2086 # a command and its arguments
			exec timeout -s KILL 200 $command
		) > /run/test 2>&1 < /dev/null
		status=$?
		# The output before a failure may explain it.
		awk -v head="$run $line" '
			/^(ok|not ok|1\.\.|Bail out)/ {
				if (!/^(ok|1\.\.)/)
					for (i = n > 4 ? n - 4 : 0; i < n; i++)
						print "# " said[i]
				n = 0
				print head, $0
				next
			}
			{ said[n++] = $0 }
			END { if (status > 4) for (i = n > 9 ? n - 9 : 0; i < n; i++) print "# " said[i] }' \
			status=$status /run/test
		echo "$run $line end $status $(awk "BEGIN { print $(uptime) - $start }")" \
			"$(($(vmstat zswpout) - stored)) $(($(vmstat zswpin) - loaded))"
		[ "$limit" != - ] || continue
		# Kills processes that the program left behind.
		echo 1 > $group/cgroup.kill
		for _ in $(seq 50); do
			rmdir $group 2> /dev/null && break
			usleep 100000
		done
	done < /run/bin/list
done
cd /
swap_off
