# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: docs/upstream/param-modprobe.md
# A write to a parameter of zswap loads a module under param_lock: a modprobe that reads a parameter of built-in code, as
# the guest's does for crypto-nosuch, waits for the writer, which waits for it. See docs/upstream.
. ./lib.sh
plan 2

{ echo nosuch > $PARAM/compressor; : > /run/returned; } 2> /run/said &
writer=$!
point "a write of an unknown compressor returns" "$(soon yes true_that [ -e /run/returned ])" yes
kill -9 $writer 2> /run/said
cat $PARAM/enabled > /run/enabled &
point "or its SIGKILL lets others access parameters" "$(soon Y cat /run/enabled)" Y
