# SPDX-License-Identifier: GPL-2.0
# In the guest: programs that people run, over the limit of their cgroup, and their results checked.
#
#   workloads.sh WORKLOAD KIB     one of usemem sort valkey gcc stress-ng memtester postgresql, with folios of KIB
#   workloads.sh count DELAY "WORKLOAD..." "KIB..."     these with each size of folios, in a guest whose clock counts
#                                 instructions. DELAY shifts them relative to the timer's ticks.
#   workloads.sh whole DELAY c|off|on     gcc, and readers of twice their limit, in such a guest with folios of 64 KiB, which
#                                 are swapped in as a whole: not by C, or only if that is on
#
# Prints a row for each:
#
#   WORKLOAD KIB OUT IN ZERO DISK WHOLE SWAPPED INSTRUCTIONS FAULTS PEAK LOADS CHECKED
#
# separated by tabs: the pages that went into zswap, came out of it, went out or came back as zeroes, were written to or
# read from the device; the folios of 64 KiB that were stored whole; the most KiB that were swapped out at a time; the
# instructions of the cgroup's processes, with that clock; the major faults; the most KiB that the cgroup was charged; the
# folios that zswap filled as a whole; and what was checked. Otherwise it prints what is wrong, and fails.
# vdc has Debian's programs and their input (scripts/workloads-disk.sh).
# shellcheck shell=sh disable=SC2086 # $as_postgres is several words
. ./lib.sh
. ./counted.sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/vm
deb=/deb counting=

wrong()
{
	echo "$*"
	exit 1
}

# must STATUS WHAT
must() { [ "$1" = 0 ] || wrong "$2 ended with status $1: $(tr -d '\b\r' < /run/said | tail -n 3 | paste -s -d ' ' | tail -c 300)"; }

# deb COMMAND...: with no limit. By env, since busybox prefers its own programs.
deb() { chroot $deb /usr/bin/env "$@"; }

# over COMMAND...: in the cgroup
# shellcheck disable=SC2016 # expanded by the inner shell
over() { sh -c 'echo $$ > /cg/job/cgroup.procs; exec chroot /deb /usr/bin/env "$@"' - "$@"; }

# read_in FILE...: programs whose pages shall not count for the cgroup. If they did, reclaim would take them, and the
# emulator would translate them again and again.
read_in() { deb cat "$@" > /dev/null; }

# limit MIB: of the cgroup
limit() { echo "$1M" > /cg/job/memory.max; }

as_postgres="setpriv --reuid postgres --regid postgres --clear-groups" # words

prepare()
{
	mkdir -p $deb
	mount -o ro,noload -t ext4 /dev/vdc $deb
	mount -t ext4 /dev/vdb $deb/mnt
	mount --bind /proc $deb/proc
	mount --bind /sys $deb/sys
	mount --bind /dev $deb/dev
	mkdir $deb/dev/shm
	mount -t tmpfs shm $deb/dev/shm
	mount -t tmpfs run $deb/run
	mount -t tmpfs tmp $deb/tmp
	chmod 1777 $deb/dev/shm $deb/tmp $deb/mnt
	cp /bin/usemem $deb/run/
	set_param compressor lz4
	set_param enabled Y
	# As for zram: memory before page cache.
	echo 150 > /proc/sys/vm/swappiness
}

# --- Workloads: each sets a limit, and `checked` to what was checked ------------------------------

# usemem_of PROCESSES MIB PASSES
usemem_of()
{
	over /run/usemem "$@" > /run/said 2>&1
	must $? usemem
	checked="$(($1 * $2 * 256)) pages, $3 passes"
}

usemem()
{
	if [ "$counting" ]; then
		limit 22
		usemem_of 2 16 2
	else
		limit 33
		usemem_of 4 12 2
	fi
}

# reader ORDER
reader()
{
	limit 12
	usemem_of 1 24 4 "$1"
}

sort()
{
	limit 7
	# What writes the file has no limit: its page cache isn't what is to be measured.
	{
		over sort -S 64M --parallel=1 -T /mnt /data/sort.in 2> /run/said
		echo $? > /run/status
	} > $deb/mnt/sorted
	must "$(cat /run/status)" sort
	deb sort -c /mnt/sorted > /run/said 2>&1
	must $? "sort -c"
	[ "$(sha256sum < $deb/mnt/sorted | cut -d' ' -f1)" = "$(cat $deb/data/sort.sum)" ] || wrong "sort: the checksum is another"
	checked="$(wc -l < $deb/mnt/sorted) lines, their order and checksum"
	rm $deb/mnt/sorted
}

valkey_cli() { deb valkey-cli -s /run/valkey.sock "$@"; }

valkey_start()
{
	over valkey-server --port 0 --unixsocket /run/valkey.sock --dir /mnt/valkey --save "" --rdbcompression no \
		> /run/said 2>&1 &
	server=$!
	until [ "$(valkey_cli PING 2>&1)" = PONG ]; do
		kill -0 $server 2> /run/none || must 1 valkey-server
		usleep 100000
	done
}

valkey_stop()
{
	valkey_cli SHUTDOWN NOSAVE > /run/answer 2>&1
	wait "$server"
	must $? valkey-server
}

# valkey_read WHEN: reads every value back
valkey_read()
{
	valkey_cli < $deb/data/valkey.get | cmp - $deb/data/valkey.want > /run/said 2>&1 || wrong "valkey: a value differs $1: $(cat /run/said)"
	echo "guest has read every value $1"
}

valkey()
{
	limit 15
	mkdir -p $deb/mnt/valkey
	valkey_start
	valkey_cli --pipe < $deb/data/valkey.set > /run/answer 2>&1 || wrong "valkey: $(cat /run/answer)"
	keys=$(valkey_cli DBSIZE)
	valkey_read "after they were set"
	answer=$(valkey_cli SAVE)
	[ "$answer" = OK ] || wrong "valkey: SAVE: $answer"
	valkey_read "after a save"
	valkey_stop
	valkey_start
	valkey_read "after a reload"
	valkey_stop
	checked="$keys values, three times, once of them reloaded"
	rm -r $deb/mnt/valkey
}

gcc()
{
	limit 26
	read_in /usr/libexec/gcc/x86_64-linux-gnu/14/cc1
	(cd $deb/data && for file in *.i; do echo "${file%.i}"; done) > $deb/run/files
	# The latency of the disk isn't repeatable.
	[ ! "$counting" ] || deb sh -c "cat /data/*.i" > /dev/null
	# Four at a time.
	# shellcheck disable=SC2016 # expanded by the inner shell
	over sh -c 'cd /data && xargs -a /run/files -P 4 -I{} sh -c "$(cat cc1.args | paste -s -d " ") {}.i -o /mnt/{}.s && echo guest cc1 {}"' 2> /run/said
	must $? cc1
	(cd $deb/mnt && sha256sum -c $deb/data/gcc.sums) > /run/said 2>&1
	must $? "sha256sum -c"
	checked="$(wc -l < $deb/run/files) files, their checksums"
	rm $deb/mnt/*.s
}

stress_ng()
{
	limit 48
	for method in write64:50 incdec:200 rand-set:1500; do
		over stress-ng --temp-path /tmp --vm 2 --vm-bytes 80M --vm-method ${method%:*} --vm-ops ${method#*:} --verify --oomable \
			> /run/said 2>&1
		must $? "stress-ng --vm-method ${method%:*}"
		! grep -q -E 'fail:|skipped: [1-9]' /run/said || wrong "stress-ng: $(grep -E 'fail:|skipped: [1-9]' /run/said | head -n 1)"
		echo "guest has done stress-ng $method"
	done
	checked="2 processes, 3 methods, --verify"
}

memtester()
{
	limit 6
	# Random pages don't compress: more of them go to the device.
	echo 3M > /cg/job/memory.zswap.max
	# With no right to lock memory, so that it can be swapped out. Its first five tests.
	over sh -c 'ulimit -l 0; MEMTESTER_TEST_MASK=0xf exec setpriv --reuid nobody --clear-groups memtester 8M 1' > /run/said 2>&1
	must $? memtester
	grep -q "unlocked" /run/said || wrong "memtester: has locked its memory"
	checked="8 MiB, $(tr -d '\r\b' < /run/said | grep -c 'ok *$') tests"
}

postgresql()
{
	limit 30
	read_in /usr/lib/postgresql/17/bin/postgres
	cp -a $deb/var/lib/postgresql/17/main $deb/mnt/pg
	echo 'local all all trust' > $deb/mnt/pg/pg_hba.conf
	: > $deb/mnt/pg/pg_ident.conf
	: > $deb/mnt/pg/postgresql.conf
	mkdir $deb/run/pg
	deb chown -R postgres:postgres /mnt/pg /run/pg
	chmod 700 $deb/mnt/pg
	over $as_postgres /usr/lib/postgresql/17/bin/postgres -D /mnt/pg -c listen_addresses= -c unix_socket_directories=/run/pg \
		-c shared_buffers=24MB -c fsync=off > /run/server 2>&1 &
	server=$!
	until deb $as_postgres psql -h /run/pg -c 'select 1' > /run/said 2>&1; do
		kill -0 $server 2> /run/none || wrong "postgres: $(tail -n 3 /run/server | paste -s -d ' ')"
		usleep 200000
	done
	echo "guest postgres is up"
	deb $as_postgres pgbench -h /run/pg -i -s 1 -q > /run/said 2>&1
	must $? "pgbench -i"
	echo "guest pgbench -i"
	deb $as_postgres pgbench -h /run/pg -n -c 2 -t 50 > /run/said 2>&1
	must $? pgbench
	echo "guest pgbench"
	deb $as_postgres psql -h /run/pg -v ON_ERROR_STOP=1 -A -t > /run/said 2>&1 <<- 'END'
		create temp table sums as select (select sum(abalance) from pgbench_accounts) a, (select sum(tbalance) from pgbench_tellers) t,
			(select sum(bbalance) from pgbench_branches) b, (select sum(delta) from pgbench_history) d,
			(select count(*) from pgbench_accounts) accounts, (select count(*) from pgbench_history) transactions;
		select case when a = t and t = b and b = d and accounts = 100000 and transactions = 100 then 'sums agree' else sums::text end from sums;
	END
	must $? psql
	grep -q '^sums agree$' /run/said || wrong "postgresql: the sums differ: $(tail -n 1 /run/said)"
	echo "guest the sums agree"
	deb $as_postgres psql -h /run/pg -v ON_ERROR_STOP=1 -A -t > /run/said 2>&1 <<- 'END'
		create extension amcheck;
		select count(bt_index_check(indexrelid, true)) from pg_index join pg_class on oid = indexrelid where relname like 'pgbench%';
	END
	must $? amcheck
	# The shell that started it ignores this signal.
	kill -INT "$(head -n 1 $deb/mnt/pg/postmaster.pid)"
	wait "$server"
	must $? postgres
	checked="100 transactions, the sums, $(tail -n 1 /run/said) indices by amcheck"
	rm -r $deb/mnt/pg
}

# --- Running them ---------------------------------------------------------------------------------

events() { awk -v loads="$(cat $DEBUG/large_loads 2> /run/none)" '/^(zswp(in|out)|swp(in|out)_zero|pswp(in|out)|pgmajfault) / { n[$1] = $2 }
	END { print n["zswpout"] + 0, n["zswpin"] + 0, n["swpout_zero"] + n["swpin_zero"], n["pswpout"] + n["pswpin"], n["pgmajfault"], loads + 0 }' /proc/vmstat; }

# run KIB DEVICE COMMAND...: a workload, on a swap device that is then turned off
run()
{
	kib=$1 checked=
	swap_on "$2" || wrong "no swap on $2"
	shift 2
	mkdir /cg/job
	folios "$kib"
	before=$(events)
	whole=$(folios_stored 64)
	"$@"
	after=$(events)
	whole=$(($(folios_stored 64) - whole))
	[ "$(soon 0 sh -c 'wc -l < /cg/job/cgroup.procs')" = 0 ] || wrong "processes are left"
	kills=$(awk '/^oom/ && $2 { print $1, $2 }' /cg/job/memory.events | paste -s -d ' ')
	[ -z "$kills" ] || wrong "the cgroup was out of memory: $kills"
	swapped=$(($(cat /cg/job/memory.swap.peak) / 1024)) peak=$(($(cat /cg/job/memory.peak) / 1024))
	[ $swapped -ge 1024 ] || wrong "only $swapped KiB were swapped out"
	[ "$kib" = 4 ] || [ $whole -gt 0 ] || wrong "no folio of $kib KiB was stored"
	# Two nanoseconds for an instruction (scripts/vm.sh -r).
	instructions=$(awk '$1 == "usage_usec" { print $2 * 500 }' /cg/job/cpu.stat)
	swap_off || wrong "swapoff failed"
	left="$(soon 0 debug stored_pages) pages and $(soon 0 debug pool_total_size) bytes"
	[ "$left" = "0 pages and 0 bytes" ] || wrong "swapoff has left $left in zswap"
	rmdir /cg/job
	echo "$name $kib $before $after" | awk -v OFS='\t' -v rest="$whole $swapped $instructions" -v peak="$peak" -v checked="$checked" '
		{ split(rest, r); print $1, $2, $9 - $3, $10 - $4, $11 - $5, $12 - $6, r[1], r[2], r[3], $13 - $7, peak, $14 - $8, checked }'
}

# begin_count DELAY
begin_count()
{
	prove_unit workloads
	i=0
	while [ $i -lt $(($1 * 1000)) ]; do
		i=$((i + 1))
	done
	counting=yes
}

prepare
if [ "$1" = whole ]; then
	case $3 in
	off) set_param large_swapin N ;;
	on) set_param large_swapin Y ;;
	esac
	begin_count "$2"
	name=gcc
	run 64 brd gcc
	for name in sequential strided random; do
		run 64 brd reader $name
	done
elif [ "$1" = count ]; then
	begin_count "$2"
	for with in $4; do
		for name in $3; do
			run "$with" brd "$name"
		done
	done
else
	name=$1
	run "$2" virtio "$(echo "$name" | tr - _)"
fi
