#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# cache.sh source | config | crates | plugin | clean: what is downloaded into the cache beside the toolchain roots.
#
#   config   the configuration of Debian's kernel for clouds
#   source   the pristine source of Linux 7.3, from Debian's backports, or else from any suite that still has it. Any
#            7.3.y will do
#   crates   the crates of the host tests and of LZ4 in Rust, in the versions of Cargo.lock
#   plugin   the header of QEMU's plugins; then builds bench/plugin for the toolchain root's QEMU, in build/plugin. The header
#            is in none of Debian's packages but QEMU's source. With HOSTTOOLS=1 it is the machine's own
#   clean    removes what the scripts have put there, and nothing else
. "$(dirname "$0")/lib.sh"

# fetch NAME SIZE WHAT: makes room for a download, in scratch. (Of a run that was killed, the rest goes.)
fetch() {
	rm -rf --one-file-system "$CACHE/$1"*.tmp
	need_space "$CACHE" "$2" "$3"
	mkdir "$scratch"
}
# The root's apt, with lists of its own: the root itself stays unchanged. The folder is $1.
# shellcheck disable=SC2016 # expanded in the root
apt='
	cd "$1"
	mkdir lists cache
	apt="apt-get -o Dir::Etc::SourceList=$1/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$1/lists
		-o Dir::Cache=$1/cache -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::Check-Valid-Until=false"
'

have_source() { [ -n "$(find "$CACHE" -maxdepth 1 -name 'linux-7.3.*' ! -name '*.tmp' -print -quit)" ]; }

# package NAME MIB WHAT COMMANDS: in scratch, unpacks a package of Debian's Linux 7.3 to deb, then runs the commands
package() {
	local suite get
	scratch=$CACHE/linux-download.tmp
	fetch linux-download "$2" "$3"
	# shellcheck disable=SC2016 # expanded in the root
	get=$apt'
		mkdir deb tree
		awk -v suite="$2" "\$1 == \"deb\" { print \$1, \$2, suite, \"main\"; exit }" /etc/apt/sources.list >sources.list
		$apt update --error-on=any
		$apt download "$3"
		dpkg-deb -x "$3"_*.deb deb
		echo unpacking
	'
	for suite in $STABLE-backports $STABLE sid forky experimental; do
		rm -rf "${scratch:?}"/*
		ENTER_RW=$scratch attempt "$3" scripts/enter.sh bash -euc "$get$4" get "$scratch" "$suite" "$1" && return
		grep -q -E "Unable to locate package|select candidate version|does not have a Release file|404 " "$LOG" ||
			explain "$LOG" "can't get $1"
		echo "$suite has no $1 any more"
	done
	return 1
}

get_source() {
	local version
	[ -z "${KSRC:-}" ] || return 0
	! have_source || return 0
	[ -z "${HOSTTOOLS:-}" ] || die "HOSTTOOLS=1 downloads nothing: set KSRC to a Linux 7.3 tree"
	lock "$CACHE/source.lock"
	! have_source || return 0
	package linux-source-7.3 2500 "kernel source" \
		'tar -x --no-same-owner -C tree --strip-components=1 -f deb/usr/src/linux-source-7.3.tar.xz' ||
		die "no suite of Debian has linux-source-7.3 any more: give KSRC=/path, a tree or an archive of Linux 7.3 (linux-7.3.tar.xz)"
	version=$(kernel_version "$scratch/tree")
	[[ $version == 7.3.* ]] || die "linux-source-7.3 holds Linux '$version': set KSRC to a Linux 7.3 tree"
	mv -T "$scratch/tree" "$CACHE/linux-$version"
}

get_config() {
	[ ! -e "$CACHE/config-7.3-cloud" ] || return 0
	lock "$CACHE/source.lock"
	[ ! -e "$CACHE/config-7.3-cloud" ] || return 0
	package linux-config-7.3 100 "kernel configuration" 'xz -dc deb/usr/src/linux-config-7.3/config.amd64_none_cloud-amd64.xz >config' ||
		die "no suite of Debian has linux-config-7.3 any more: put a configuration at $CACHE/config-7.3-cloud"
	mv "$scratch/config" "$CACHE/config-7.3-cloud"
}

get_crates() {
	local got
	got=$CACHE/cargo/got-$(sha256sum Cargo.lock | cut -c1-12)
	[ ! -e "$got" ] || return 0
	lock "$CACHE/crates.lock"
	attempt crates scripts/enter.sh cargo fetch --locked || explain "$LOG" "can't get the crates that Cargo.lock names"
	touch "$got"
}

# header_of_plugins: sets header to where it is, or will be
header_of_plugins() {
	local place version fetch
	if [ -n "${HOSTTOOLS:-}" ]; then
		for place in /usr/include /usr/local/include; do
			header=$place/qemu-plugin.h
			[ ! -e "$header" ] || return 0
		done
		die "HOSTTOOLS=1, but there is no qemu-plugin.h in /usr/include: take it from QEMU's source, or leave HOSTTOOLS out"
	fi
	version=$(scripts/enter.sh dpkg-query -W -f '${Version}' qemu-system-x86)
	header=$CACHE/qemu-${version//[^0-9a-z.]/-}/qemu-plugin.h
	[ ! -e "$header" ] || return 0
	lock "$CACHE/source.lock"
	[ ! -e "$header" ] || return 0 # of two runs that begin together, one
	scratch=${header%/*}.tmp
	fetch qemu- 500 "QEMU's source"
	# The root's QEMU may be older than what Debian has now: then a version of the same series is near enough, and QEMU
	# refuses a plugin that it can't run.
	# shellcheck disable=SC2016 # expanded in the root
	fetch=$apt'
		mkdir source
		awk "\$1 == \"deb\" { print \"deb-src\", \$2, \$3, \"main\" }" /etc/apt/sources.list >sources.list
		$apt update --error-on=any
		cd source
		$apt source --download-only "qemu=$2" || $apt source --download-only qemu
		tar -x --no-same-owner --strip-components=3 --wildcards -f qemu_*.orig.tar.xz "*/include/qemu/qemu-plugin.h"
	'
	ENTER_RW=$scratch attempt "plugin header" scripts/enter.sh bash -euc "$fetch" fetch "$scratch" "$version" ||
		explain "$LOG" "can't get QEMU's source"
	mkdir "$scratch/header"
	mv "$scratch/source/qemu-plugin.h" "$scratch/header/"
	mv -T "$scratch/header" "${header%/*}"
	rm -rf --one-file-system "$scratch"
	scratch=
}

get_plugin() {
	local name dir=build/plugin
	header_of_plugins
	scripts/toolchain.sh plugin
	mkdir -p $dir/include
	cp "$header" $dir/include/
	[ -n "${HOSTTOOLS:-}" ] || export ENTER_ROOT=$PLUGIN_ROOT
	# What it calls, QEMU has.
	# shellcheck disable=SC2016 # expanded in the root
	for name in contention profile; do
		step "plugin $name" scripts/enter.sh bash -euc 'gcc -shared -fPIC -fvisibility=hidden -O2 -Wall -Wextra -Wno-unused-parameter -Werror \
			-I "$1/include" $(pkg-config --cflags glib-2.0) -o "$1/$2.so.new" "bench/plugin/$2.c"' plugin $dir $name
		mv $dir/$name.so.new $dir/$name.so
	done
}

case ${1:-} in
source)
	check_ksrc
	get_source
	;;
config) get_config ;;
crates) get_crates ;;
plugin) get_plugin ;;
clean)
	lock "$CACHE/toolchain.lock"
	exec 8>"$CACHE/source.lock" 7>"$CACHE/crates.lock"
	flock 8
	flock 7
	rm -rf --one-file-system "$CACHE"/root-* "$CACHE"/linux-* "$CACHE"/config-* "$CACHE"/qemu-* "$CACHE"/archive-????????????{,.tmp} "$CACHE/cargo" "$CACHE/ccache"
	rm -f "$CACHE/toolchain.lock" "$CACHE/source.lock" "$CACHE/crates.lock"
	rm -rf build # lib.sh has made it
	rmdir --ignore-fail-on-non-empty "$CACHE"
	;;
*) die "usage: scripts/cache.sh source | config | crates | plugin | clean" ;;
esac
