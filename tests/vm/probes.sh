# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: probes
# What the function tracer and kprobe events can do with the functions in Rust: nothing, since rustc doesn't
# prepare them for ftrace, and the kernel takes other functions for notrace. Tracepoints work.
. ./lib.sh
plan 6

T=/sys/kernel/tracing
mount -t tracefs tracefs $T 2> /dev/null
# traceable NAME: whether ftrace knows the function
traceable() { grep -c -x "$1" $T/available_filter_functions; }
# probed NAME: whether a kprobe event can be enabled at its entry
probed()
{
	echo "p:probes/$1 $1" > $T/kprobe_events && echo 1 > $T/events/probes/"$1"/enable && echo yes || echo no
} 2> /dev/null
# gone: removes the probes
gone()
{
	echo 0 > $T/events/probes/enable
	echo > $T/kprobe_events
} 2> /dev/null

point "ftrace knows C's functions, and none in Rust" \
	"$(traceable swap_writeout) $(traceable zswap_store) $(traceable swap_cache_get_folio)" "1 0 0"
point "a kprobe event on C is accepted" "$(probed swap_writeout)" yes
gone
point "one on Rust is refused" "$(probed zswap_store)" no
point "as notrace" "$(dmesg | grep -c 'Could not probe notrace function zswap_store')" 1
gone

swap_on brd
start a 0
with a map 256 4
with a fill text 1
echo 1 > $T/events/zswap/zswap_store/enable
with a out
point "the tracepoint works" "$(grep -c ' zswap_store: ' $T/trace)" 256
echo 0 > $T/events/zswap/zswap_store/enable
point "the pages read back" "$(ask a check)" "same 256"
stop a
swap_off
