#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints QEMU's accelerator for this machine. /dev/kvm may exist and yet hang every guest: KVM is
# used only after a guest has booted under it in time. The answer is cached until the machine
# reboots.
. "$(dirname "$0")/lib.sh"

if [ "${ARCH:-x86_64}" != x86_64 ]; then
	echo "accelerator: none: ARCH=$ARCH is emulated" >&2
	echo tcg,thread=multi
	exit
fi

known=build/vm/accel
boot=$(cat /proc/sys/kernel/random/boot_id)
if [ "$(sed -n 1p $known 2> /dev/null)" != "$boot" ]; then
	tcg=tcg,thread=multi
	if ! [ -r /dev/kvm ] || ! [ -w /dev/kvm ]; then
		answer=$tcg why="no usable /dev/kvm"
	elif ! [ -e "$(make -s where IMPL="${IMPL:-rust}" | sed -n 's/^image=//p')" ]; then
		echo "accelerator: $tcg (there is no kernel yet to try KVM with)" >&2
		echo "$tcg" # and not remembered
		exit
	else
		echo "trying a boot under KVM, 10 s at most" >&2
		if timeout 10 scripts/vm.sh -n kvm -x kvm true > /dev/null 2>&1; then
			answer=kvm why="a guest came up under it"
		else
			answer=$tcg why="/dev/kvm is there, but no guest came up under it in 10 s"
		fi
	fi
	mkdir -p build/vm
	printf '%s\n' "$boot" "$answer" "$why" > $known
fi
answer=$(sed -n 2p $known)
echo "accelerator: $answer ($(sed -n 3p $known))" >&2
echo "$answer"
