#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packs the guest's user space: busybox, the tests, the benchmark, their C programs; a kernel's modules, and programs of Debian
# with their libraries.
# usage, in the toolchain root or in that of another machine: scripts/initramfs.sh CC PAGE_KIB OUT.cpio [MODULE.ko|PROGRAM...]
set -euo pipefail

cc=$1 page=$2 out=$3
shift 3
# Two guests may be started concurrently.
exec 9>"$out.lock"
flock 9
# A root's programs are older than the file, also those of a new root.
inputs=$(echo "$cc $page" && stat -L -c '%n %s %y' "$(command -v busybox)" "$@")
[ -e "$out" ] && [ "$inputs" = "$(cat "$out.inputs" 2>/dev/null)" ] && [ -z "$(find tests/vm bench scripts/initramfs.sh -newer "$out")" ] && exit

tree=$out.tree
rm -rf "$tree"
mkdir -p "$tree"/{bin,sbin,vm,proc,sys,dev,run}
cp "$(command -v busybox)" "$tree/bin/"
cp tests/vm/init "$tree/init"
cp tests/vm/modprobe "$tree/sbin/"
cp tests/vm/*.sh tests/vm/*.expected bench/*.sh "$tree/vm/"
for file; do
	case $file in
	*.ko) cp "$file" "$tree/vm/" ;;
	*)
		cp -L "$file" "$tree/bin/"
		ldd "$file" | grep -o '/[^ ]*' | xargs cp -L --parents -t "$tree"
		;;
	esac
done
# A program is a file, or all the files of a folder. The benchmark reads x86-64's time-stamp
# counter.
bench=(bench/*.c)
[ "$cc" = gcc ] || bench=()
for program in tests/vm/guest/*.c tests/vm/guest/*/ "${bench[@]}"; do
	sources=("$program")
	[ ! -d "$program" ] || sources=("$program"*.c)
	name=$(basename "$program" .c)
	"$cc" -static -O2 -Wall -Wextra -Werror -Wmissing-prototypes -pthread -DPAGE_KIB="$page" -o "$tree/bin/$name" "${sources[@]}"
done
chmod +x "$tree"/{init,sbin/modprobe}
(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) > "$out.new"
rm -r "$tree"
mv "$out.new" "$out"
echo "$inputs" >"$out.inputs"
