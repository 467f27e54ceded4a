# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Enabled and disabled with data stored.
. ./lib.sh
plan 8

swap_on brd
start a 0
with a map 2048 4
with a fill text 1
with a out
set_param enabled N
point "disabling keeps what is stored" "$(debug stored_pages)" 2048
point "it reads back" "$(ask a check)" "same 2048"
with a fill text 2
stored=$(vmstat zswpout)
with a out
point "nothing is stored while disabled" "$(($(vmstat zswpout) - stored)) $(debug stored_pages)" "0 0"
set_param enabled Y
point "pages on the disk read back once enabled" "$(ask a check)" "same 2048"
with a out
point "and are stored from then on" "$(debug stored_pages)" 2048
stop a

start a 0
start b 1
with a map 1024 4
with b map 1024 4
with a fill last 3
with b fill last 4
tell a cycle 10
tell b cycle 10
switches=0
for _ in $(seq 40); do
	set_param enabled N && set_param enabled Y && switches=$((switches + 1))
done
point "switched in a loop under load" "$switches $(hear a) $(hear b)" "40 done done"
stop a
stop b

# A cgroup whose pages the worker leaves alone, unless zswap is disabled. Worker b hits the limit.
start a 0
start b 0
echo 0 > /cg/a/memory.zswap.writeback
with a map 16 4
with a fill text 1
with a out
with b map 64 4
set_param max_pool_percent 0
with b fill text 2
with b out
set_param enabled N
set_param max_pool_percent 20
for round in $(seq 32); do # each would shrink one cgroup, and an entry has a second chance
	with b fill text "$round"
	with b out
	usleep 20000
done
point "disabling while full keeps what is stored" "$(memcg_stat a zswpwb) $(debug stored_pages)" "0 16"
set_param enabled Y
stop a
stop b
point "nothing is left" "$(debug stored_pages)" 0
swap_off
