#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Removes what the other scripts have put into the cache, and nothing else.
. "$(dirname "$0")/lib.sh"
lock "$CACHE/toolchain.lock"
exec 8>"$CACHE/source.lock" 7>"$CACHE/crates.lock"
flock 8
flock 7
rm -rf --one-file-system "$CACHE"/root-* "$CACHE"/linux-* "$CACHE"/qemu-* "$CACHE"/archive-????????????{,.tmp} "$CACHE/cargo" "$CACHE/ccache"
rm -f "$CACHE/toolchain.lock" "$CACHE/source.lock" "$CACHE/crates.lock"
rm -rf build # lib.sh has made it
rmdir --ignore-fail-on-non-empty "$CACHE"
