#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the toolchain root in the cache: Debian's own compilers, so that every machine builds the
# same. With the name of another root of lib.sh, makes that.
. "$(dirname "$0")/lib.sh"
check_ksrc
root=$ROOT suite=$SUITE what="the toolchain root" size=3000
[ "$suite" = "$STABLE" ] || what="the toolchain root of $suite"
if [ -n "${1:-}" ]; then
	name=${1^^}_ROOT
	root=${!name} suite=${ROOT_SUITE[$1]} what=${ROOT_WHAT[$1]} size=${ROOT_SIZE[$1]}
	read -ra PACKAGES <<<"${ROOT_PACKAGES[$1]}"
fi

if [ -n "${HOSTTOOLS:-}" ]; then
	[ -z "${1:-}" ] || exit 0 # their users look for the machine's own
	src=$(pristine)
	for tool in make clang ld.lld rustc cargo bindgen flex bison bc pahole patch python3 cpio qemu-system-x86_64; do
		command -v "$tool" >/dev/null || die "HOSTTOOLS=1, but $tool is not installed: install it, or leave HOSTTOOLS out"
	done
	why=$(srctree=$src RUSTC=rustc BINDGEN=bindgen CC=clang sh "$src/scripts/rust_is_available.sh" 2>&1) ||
		die "HOSTTOOLS=1, but the kernel refuses the host's tools: $(grep -m 1 '^\*\*\* [A-Z]' <<<"$why" | cut -c5-)"
	exit
fi

user=$(id -un)
if [ "$(id -u)" != 0 ]; then
	unshare --user --map-root-user --mount true 2>/dev/null ||
		die "$user is not root and may not make user namespaces: run as root, or have root run: sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"
fi
[ ! -d "$root" ] || exit 0

lock "$CACHE/toolchain.lock"
[ ! -d "$root" ] || exit 0
rm -rf --one-file-system "$CACHE"/root-*.tmp # of a run that was killed
command -v apt-get >/dev/null ||
	die "no apt: the toolchain is made with Debian's apt (Debian 12 or 13); elsewhere install the kernel's Rust tools and use HOSTTOOLS=1 KSRC=/path"
need_space "$CACHE" $size "$what"

if [ "$(id -u)" = 0 ]; then
	if ! command -v mmdebstrap >/dev/null; then
		attempt "install mmdebstrap" bash -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mmdebstrap' ||
			explain "$LOG" "can't install mmdebstrap"
	fi
else
	for file in subuid subgid; do
		command -v newuidmap >/dev/null && grep -qs "^\($user\|$(id -u)\):" "/etc/$file" ||
			die "$user has no range of user ids: have root run: apt-get install mmdebstrap uidmap && usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $user"
	done
	command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: have root run: apt-get install mmdebstrap"
fi

scratch=$root.tmp
mkdir "$scratch"
chmod 755 "$scratch"
options=(--variant=apt --include="$(IFS=,; echo "${PACKAGES[*]}")")
# Of Rust's source the kernel compiles the library; of libclang bindgen loads the shared one.
for path in '/usr/share/man/*' '/usr/share/locale/*' '/usr/share/doc/*' '/usr/src/rustc-*/src/*' '/usr/src/rustc-*/compiler/*' '/usr/lib/llvm-*/lib/*.a'; do
	options+=(--dpkgopt="path-exclude=$path")
done
# An asterisk stands for slashes, too. The fuzzer's run time is static.
options+=(--dpkgopt='path-include=/usr/src/rustc-*/library/*' --dpkgopt='path-include=/usr/lib/llvm-*/lib/clang/*')
[[ ${1:-} != @(arm64|riscv) ]] || options+=(--architectures="$(dpkg --print-architecture),${1/riscv/riscv64}")
# Mirrors may have updates for riscv64 that are older than those for x86-64: from the release alone.
[ "${1:-}" != riscv ] || options+=(--setup-hook="sed -i '/ $suite-/d' \"\$1/etc/apt/sources.list\"")
# An unreleased suite's signature may have expired.
[ "$suite" = "$STABLE" ] || options+=(--aptopt='Acquire::Check-Valid-Until "false"')
if [ "$(id -u)" = 0 ]; then
	# A separate mount namespace: nothing stays mounted in a root if its creation is killed.
	make_root=(unshare --mount mmdebstrap --mode=root "${options[@]}" "$suite" "$scratch")
else
	# Made with a range of ids, then unpacked with the user's own, which enter.sh maps to root.
	# In /var/tmp, since other ids can't access a private home.
	make_root=(bash -o pipefail -c 'TMPDIR=/var/tmp mmdebstrap --mode=unshare "${@:2}" - |
		tar -x -C "$1" --no-same-owner --exclude="./dev/*"' _ "$scratch" "${options[@]}" "$suite")
	need_space /var/tmp $size "making $what"
fi
attempt "toolchain${1:+ $1}" "${make_root[@]}" || explain "$LOG" "can't make $what"
mv -T "$scratch" "$root"
scratch=
