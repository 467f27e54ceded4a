# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 zswap.compressor=zswap_faulty kunit.enable=0
# zswap is set up without a pool, since its compressor fails. It can't be enabled until it has one.
. ./lib.sh
. ./fault-injection.sh
plan 5

said() { dmesg | grep -c "zswap: $1\$"; }

inject init enomem
point "no pool, and so it stays off" \
	"$(put $PARAM/enabled Y) $(cat $PARAM/enabled) $(said 'pool creation failed') $(said "can't enable, no pool configured")" \
	"ENODEV N 1 1"
inject init none
point "it isn't tried again" \
	"$(put $PARAM/enabled Y) $(cat $PARAM/enabled) $(said 'pool creation failed') $(said "can't enable, no pool configured")" \
	"ENODEV N 1 2"
point "a pool can be made by name" "$(put $PARAM/compressor zswap_faulty) $(cat $PARAM/compressor)" "ok zswap_faulty"
point "and then it is enabled" "$(put $PARAM/enabled Y) $(cat $PARAM/enabled)" "ok Y"
swap_on virtio
start a 0
with a map 64 4
point "and works" "$(works a)" "64 same 64"
stop a
swap_off
