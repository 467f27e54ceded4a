#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the disk of the measurement workloads, build/workloads/disk.img: Debian's programs, which the guest changes to,
# and in /data their input (data.py) and C files of the kernel, preprocessed, with the checksums of what cc1 makes of them
# here. Prints nothing if it is there.
. "$(dirname "$0")/lib.sh"

kernel=build/workloads-c disk=build/workloads/disk.img tree=build/workloads/tree
sources=(lib/sort.c lib/string.c lib/list_sort.c lib/llist.c lib/hexdump.c lib/find_bit.c lib/bcd.c lib/plist.c)
cc1=(/usr/libexec/gcc/x86_64-linux-gnu/14/cc1 -fpreprocessed -quiet -w -O1 -std=gnu11 -fms-extensions -fno-pie -m64 -mcmodel=kernel
	-mno-sse -mno-mmx -mno-red-zone -fshort-wchar -fno-strict-aliasing -fno-asynchronous-unwind-tables
	# As it likes best, which depends on the memory of the machine.
	--param ggc-min-expand=100 --param ggc-min-heapsize=131072)

mkdir -p build/workloads
lock build/log/workloads-disk.lock
key=$({ echo "${WORKLOADS_ROOT##*/} ${ROOT##*/}"; cat "$kernel/config.key" build/overlay/origin scripts/{workloads-disk.sh,data.py}; } | sha256sum)
[ "$(cat "$disk.key" 2>/dev/null)" != "$key" ] || exit 0
scripts/toolchain.sh workloads
need_space build 2000 "the disk of the workloads"
rm -rf "$disk.key" "$tree" build/workloads/data
mkdir -p build/workloads/data

preprocess() {
	local src=build/src file name
	for file in "${sources[@]}"; do
		name=$(basename "$file" .c)
		scripts/enter.sh gcc -E -nostdinc -std=gnu11 -fms-extensions -fno-pie -m64 -mcmodel=kernel -mno-sse -mno-mmx -mno-red-zone \
			-I$src/arch/x86/include -I$kernel/arch/x86/include/generated -I$src/include -I$kernel/include \
			-I$src/arch/x86/include/uapi -I$kernel/arch/x86/include/generated/uapi -I$src/include/uapi -I$kernel/include/generated/uapi \
			-include $src/include/linux/compiler-version.h -include $src/include/linux/kconfig.h \
			-include $src/include/linux/compiler_types.h -D__KERNEL__ -DKBUILD_MODFILE="\"$name\"" -DKBUILD_BASENAME="\"$name\"" \
			-DKBUILD_MODNAME="\"$name\"" -D__KBUILD_MODNAME="kmod_$name" $src/"$file" -o "build/workloads/data/$name.i" || return
	done
}

# With no limit on its memory.
compile() {
	local name
	printf '%s\n' "${cc1[@]}" >build/workloads/data/cc1.args
	# shellcheck disable=SC2016 # expanded in the root
	ENTER_ROOT=$WORKLOADS_ROOT scripts/enter.sh bash -euc '
		cd build/workloads/data
		mapfile -t cc1 <cc1.args
		for file in *.i; do
			"${cc1[@]}" "$file" -o "${file%.i}.s"
		done
		sha256sum -- *.s >gcc.sums
		rm -- *.s'
}

# Without what no program here reads.
copy_root() {
	scripts/enter.sh rsync -a --exclude=/usr/share/{doc,perl,zoneinfo,info,bash-completion} --exclude=/usr/{include,share/locale} \
		--exclude=/var/{cache,lib/apt,lib/dpkg} --exclude='libLLVM*' --exclude='libgallium*' --exclude=/usr/lib/x86_64-linux-gnu/perl \
		--exclude=/dev/'*' --exclude="/work" "$WORKLOADS_ROOT/" $tree/ &&
		mkdir -p $tree/{mnt,data,dev,proc,sys,run,tmp} && cp -r build/workloads/data/. $tree/data/
}

make_disk() {
	local mib
	mib=$(du -sm $tree | cut -f1)
	rm -f $disk.new
	scripts/enter.sh mkfs.ext4 -q -F -O ^has_journal -m 0 -d $tree $disk.new "$((mib * 5 / 4 + 32))M" && rm -rf $tree && mv $disk.new $disk
}

step "workloads data" scripts/enter.sh python3 scripts/data.py workloads build/workloads/data
step "workloads preprocess" preprocess
step "workloads compile" compile
step "workloads root" copy_root
step "workloads disk" make_disk
echo "$key" >$disk.key
