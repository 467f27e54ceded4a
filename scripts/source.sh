#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Downloads the pristine source of Linux 7.3 into the cache, from Debian's backports, or else from
# any suite that still has it. Any 7.3.y will do.
. "$(dirname "$0")/lib.sh"
check_ksrc

have() { [ -n "$(find "$CACHE" -maxdepth 1 -name 'linux-7.3.*' ! -name '*.tmp' -print -quit)" ]; }
[ -z "${KSRC:-}" ] || exit 0
! have || exit 0
[ -z "${HOSTTOOLS:-}" ] || die "HOSTTOOLS=1 downloads nothing: set KSRC to a Linux 7.3 tree"

lock "$CACHE/source.lock"
! have || exit 0
rm -rf --one-file-system "$CACHE"/linux-*.tmp # of a run that was killed
need_space "$CACHE" 2500 "the kernel source"
scratch=$CACHE/linux-download.tmp
mkdir "$scratch"

# The root's apt, with separate lists: the root itself stays unchanged.
# shellcheck disable=SC2016 # expanded in the root
fetch='
	cd "$1"
	suite=$2
	mkdir lists cache deb
	awk -v suite="$suite" "\$1 == \"deb\" { print \$1, \$2, suite, \"main\"; exit }" /etc/apt/sources.list >sources.list
	apt="apt-get -o Dir::Etc::SourceList=$1/sources.list -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists=$1/lists -o Dir::Cache=$1/cache -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::Check-Valid-Until=false"
	$apt update --error-on=any
	$apt download linux-source-7.3
	dpkg-deb -x linux-source-7.3_*.deb deb
	mkdir tree
	echo unpacking
	tar -x --no-same-owner -C tree --strip-components=1 -f deb/usr/src/linux-source-7.3.tar.xz
'
for suite in $STABLE-backports $STABLE sid forky experimental; do
	rm -rf "${scratch:?}"/*
	ENTER_RW=$scratch attempt "kernel source" scripts/enter.sh bash -euc "$fetch" fetch "$scratch" "$suite" && break
	grep -q -E "Unable to locate package|select candidate version|does not have a Release file|404 " "$LOG" ||
		explain "$LOG" "can't get linux-source-7.3"
	echo "$suite has no linux-source-7.3 any more"
done
[ -d "$scratch/tree/mm" ] ||
	die "no suite of Debian has linux-source-7.3 any more: give KSRC=/path, a tree or an archive of Linux 7.3 (linux-7.3.tar.xz)"
version=$(kernel_version "$scratch/tree")
[[ $version == 7.3.* ]] || die "linux-source-7.3 holds Linux '$version': set KSRC to a Linux 7.3 tree"
mv -T "$scratch/tree" "$CACHE/linux-$version"
