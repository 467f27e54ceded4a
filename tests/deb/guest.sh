#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a stock Debian, one stage a boot: GRUB is installed; the package is; a program above its memory limit runs under its
# kernel, and the package is removed; the first kernel is back.
exec >/dev/ttyS1 2>&1 </dev/null
stty -F /dev/ttyS1 -onlcr
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
cd /root || exit
stage=$(cat stage 2>/dev/null || echo 0)
echo $((stage + 1)) >stage

point() { # WHAT GOT WANTED
	[ "$2" = "$3" ] && echo "ok - $1" && return
	echo "not ok - $1: $2, not $3"
	return 1
}
end() {
	sync
	systemctl "$1"
	exit
}
count() { awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat; }
yes_if() { "$@" && echo yes || echo no; }
limit_hit() { cat /sys/kernel/debug/zswap/pool_limit_hit; }
rust() { dmesg | grep -c 'Rust implementation$'; }

install_grub() {
	uname -r >first
	fallocate -l 1G /swapfile && chmod 600 /swapfile && mkswap /swapfile
	printf '%s\n' '/dev/vda1 / ext4 defaults 0 1' '/swapfile none swap sw 0 0' >/etc/fstab
	cat >>/etc/default/grub <<-EOF
		GRUB_TIMEOUT=0
		GRUB_TERMINAL=serial
		GRUB_SERIAL_COMMAND="serial --unit=0 --speed=115200"
		GRUB_CMDLINE_LINUX_DEFAULT=""
		GRUB_CMDLINE_LINUX="console=ttyS0 zswap.enabled=1"
	EOF
	grub-install /dev/vda && update-grub
}

install_package() {
	point "GRUB boots the distribution's kernel" "$(uname -r) $(yes_if grep -q BOOT_IMAGE=/boot/ /proc/cmdline)" "$(cat first) yes"
	point "in which nothing of mm is in Rust" "$(rust)" 0
	apt-get -qq install -y ./linux-image.deb
	point "the package is installed" "$?" 0 || end poweroff
}

# limited MIB PROGRAM: what it prints, in a cgroup of its own. The compressed pages are charged to that: if they filled it, it
# would be out of memory.
limited() { systemd-run --quiet --wait --pipe -p MemoryMax="$1M" -p MemoryZSwapMax="$(($1 / 2))M" bash -o pipefail -c "$2"; }
# above MIB WHAT PROGRAM
above() {
	local want got out in back
	want=$(bash -o pipefail -c "$3") || want="not a failure"
	out=$(count zswpout) in=$(count zswpin) back=$(count zswpwb)
	got=$(limited "$1" "$3") || got="a failure: $got"
	out=$(($(count zswpout) - out)) in=$(($(count zswpin) - in)) back=$(($(count zswpwb) - back))
	echo "# $2, $1 MiB: $out pages to zswap, $in from it, $back written back"
	point "$2 above its limit: the same result" "$got $(yes_if [ $out -ge 1000 ])" "$want yes"
}

swap() {
	point "GRUB boots the package's kernel" "$(uname -r)" "$(dpkg-deb -f linux-image.deb Package | sed s/linux-image-//)" ||
		end poweroff
	dmesg | sed -n 's/.*\] \(.*: Rust implementation\)$/# \1/p'
	point "zswap and the swap cache are in Rust" "$(rust) $(cat /sys/module/zswap/parameters/enabled)" "2 Y"
	point "systemd has turned on the swap file" "$(awk 'NR > 1 { print $1 }' /proc/swaps)" /swapfile
	tar -c /usr 2>/dev/null | head -c 48M >/root/data
	above 48 sort 'sort --parallel=1 -S 300M /root/data | sha256sum'
	# What readahead brings from zswap can't be reclaimed: docs/upstream/readahead-dirty.md.
	echo 0 >/proc/sys/vm/page-cluster
	above 48 zstd 'zstd -q --long=27 </root/data | zstd -q -d --long=27 | sha256sum'
	echo 3 >/proc/sys/vm/page-cluster
	echo 1 >/sys/module/zswap/parameters/max_pool_percent
	back=$(count zswpwb) hit=$(limit_hit)
	above 48 'sort, with a pool of 10 MiB' 'sort --parallel=1 -S 300M /root/data | sha256sum'
	point "that is its limit, and it wrote back" "$(yes_if [ $(($(limit_hit) - hit)) -ge 1 ]) $(yes_if [ $(($(count zswpwb) - back)) -ge 100 ])" "yes yes"
	swapoff /swapfile
	point "swapoff leaves nothing" "$? $(awk '$1 == "Zswapped:" { print $2 }' /proc/meminfo)" "0 0"
	point "the kernel has complained of nothing" "$(dmesg | grep -E 'WARNING:|BUG:|Oops|Call Trace')" ""
	apt-get -qq remove -y "linux-image-$(uname -r)"
	point "the package is removed" "$?" 0
}

back() {
	point "the distribution's kernel is back" "$(uname -r) $(rust)" "$(cat first) 0"
	point "nothing of the package is left" "$(ls -d /boot/*-zswap-rs* /lib/modules/*-zswap-rs* 2>/dev/null)" ""
}

echo "# $(uname -r)"
case $stage in
0) install_grub ;;
1) install_package ;;
2) swap ;;
3)
	back
	echo "guest done"
	end poweroff
	;;
esac
end reboot
