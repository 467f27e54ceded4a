#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Downloads the crates of the host tests and of LZ4 in Rust into the cache, in the versions of
# Cargo.lock.
. "$(dirname "$0")/lib.sh"

got=$CACHE/cargo/got-$(sha256sum Cargo.lock | cut -c1-12)
[ ! -e "$got" ] || exit 0
lock "$CACHE/crates.lock"
attempt crates scripts/enter.sh cargo fetch --locked || explain "$LOG" "can't get the crates that Cargo.lock names"
touch "$got"
