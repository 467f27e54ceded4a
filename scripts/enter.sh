#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# enter.sh COMMAND...: runs a command at the top of the checkout, with the toolchain root as /.
# HOSTTOOLS=1 runs it with the host's tools. ENTER_RW=DIR makes one more folder writable.
# ENTER_SRC=DIR mounts another folder as build/src. ENTER_ROOT=DIR is another root. ENTER_KVM=no
# hides /dev/kvm. STORE=6G keeps more compiled objects.
. "$(dirname "$0")/lib.sh"
[ $# -gt 0 ] || die "usage: scripts/enter.sh COMMAND..."

env=(env -i --chdir="$TOP" TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 CARGO_HOME="$CACHE/cargo" JOBS="$JOBS")
# kernel.sh creates the store, and checks that it is writable.
store=$CACHE/ccache
if [ -n "${CCACHE-ccache}" ] && [ -d "$store" ]; then
	env+=(CCACHE_DIR="$store" CCACHE_BASEDIR="$TOP" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE="${STORE:-2G}")
else
	store=
	env+=(CCACHE_DISABLE=1)
fi
for name in V HOSTTOOLS http_proxy https_proxy no_proxy STAMP; do
	[ -z "${!name:-}" ] || env+=("$name=${!name}")
done
mkdir -p "$CACHE/cargo"

if [ -n "${HOSTTOOLS:-}" ]; then
	exec "${env[@]}" HOME="$HOME" PATH="$PATH" "$@"
fi

root=${ENTER_ROOT:-$ROOT}
[ -d "$root" ] || die "no toolchain root in $CACHE: run make fetch"
namespaces=(--mount --pid --fork --kill-child)
[ "$(id -u)" = 0 ] || namespaces+=(--user --map-root-user)
unshare "${namespaces[@]}" true 2>/dev/null ||
	die "the kernel refuses namespaces to $(id -un): run as root (a container needs --privileged), or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)"

# The source tree is bound read-only: its files are hard links of the pristine ones.
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare "${namespaces[@]}" bash -euc '
	root=$1 top=$2 cache=$3 rw=$4 src=$5 store=$6 kvm=$7
	shift 7
	bind() {
		mkdir -p "$root$1"
		mount --rbind "$1" "$root$1"
	}
	bind_ro() { # FROM [TO]
		mkdir -p "$root${2:-$1}"
		mount --rbind "$1" "$root${2:-$1}"
		# In a user namespace the flags a mount already has must be named again.
		mount -o "remount,bind,ro,$(findmnt -no VFS-OPTIONS --target "$1" | sed "s/^r[wo],//")" "$root${2:-$1}"
	}
	bind_file() {
		[ -e "$1" ] || return 0
		mkdir -p "$root${1%/*}"
		[ -e "$root$1" ] || { rm -f "$root$1"; : >"$root$1"; }
		mount --bind "$(realpath "$1")" "$root$1"
	}
	bind /dev
	bind /sys
	[ "$kvm" != no ] || [ ! -e /dev/kvm ] || mount --bind /dev/null "$root/dev/kvm"
	# Its own: make names its job server there by its process id, which is 1 in every run.
	mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
	mount -t proc proc "$root/proc" 2>/dev/null || bind /proc
	bind_file /etc/resolv.conf
	bind_file /etc/ssl/certs/ca-certificates.crt # the network may have an authority of its own
	bind_ro "$cache"
	bind "$cache/cargo"
	[ -z "$store" ] || bind "$store"
	[ -z "$rw" ] || bind "$rw"
	bind "$top"
	[ ! -d "$src" ] || bind_ro "$src" "$top/build/src"
	exec chroot "$root" "$@"
' enter "$root" "$TOP" "$CACHE" "${ENTER_RW:-}" "$TOP/${ENTER_SRC:-build/src}" "$store" "${ENTER_KVM:-}" \
	"${env[@]}" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
