#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packs the guest's user space: busybox, the tests, the benchmark, their C programs.
# usage, in the toolchain root: scripts/initramfs.sh OUT.cpio
set -euo pipefail

out=$1
# Two guests may be started at once.
exec 9>"$out.lock"
flock 9
[ -e "$out" ] && [ -z "$(find tests/vm bench scripts/initramfs.sh -newer "$out")" ] && exit

tree=$out.tree
rm -rf "$tree"
mkdir -p "$tree"/{bin,vm,proc,sys,dev,run}
cp "$(command -v busybox)" "$tree/bin/"
cp tests/vm/init "$tree/init"
cp tests/vm/*.sh tests/vm/*.expected bench/*.sh "$tree/vm/"
for source in tests/vm/guest/*.c bench/*.c; do
	program=${source##*/}
	gcc -static -O2 -Wall -Wextra -Werror -pthread -o "$tree/bin/${program%.c}" "$source"
done
chmod +x "$tree/init"
(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) > "$out.new"
rm -r "$tree"
mv "$out.new" "$out"
