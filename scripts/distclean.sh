#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Remove what toolchain.sh and source.sh put into the cache, and nothing else that may be there.
. "$(dirname "$0")/lib.sh"
lock "$CACHE/toolchain.lock"
exec 8>"$CACHE/source.lock"
flock 8
rm -rf --one-file-system "$CACHE"/root-* "$CACHE"/linux-* "$CACHE/cargo"
rm -f "$CACHE/toolchain.lock" "$CACHE/source.lock"
rm -rf build # lib.sh has made it
rmdir --ignore-fail-on-non-empty "$CACHE"
