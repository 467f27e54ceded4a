#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Get the pristine source of Linux 7.3 into the cache, from Debian's backports. Any 7.3.y will do.
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

# The root's apt, with lists of its own: the root itself stays as it was made.
# shellcheck disable=SC2016 # expanded in the root
fetch='
	cd "$1"
	mkdir lists cache deb
	awk -v suite="$2" "\$1 == \"deb\" && \$3 == suite { \$3 = suite \"-backports\"; print }" /etc/apt/sources.list >sources.list
	apt="apt-get -o Dir::Etc::SourceList=$1/sources.list -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists=$1/lists -o Dir::Cache=$1/cache -o APT::Sandbox::User=root -o Acquire::Retries=2"
	$apt update --error-on=any
	$apt download linux-source-7.3
	dpkg-deb -x linux-source-7.3_*.deb deb
	mkdir tree
	echo unpacking
	tar -x --no-same-owner -C tree --strip-components=1 -f deb/usr/src/linux-source-7.3.tar.xz
'
if ! ENTER_RW=$scratch attempt "kernel source" scripts/enter.sh bash -euc "$fetch" fetch "$scratch" "$SUITE"; then
	! grep -q "Unable to locate package" "$LOG" ||
		die "$SUITE-backports has no linux-source-7.3 any more: set KSRC to a Linux 7.3 tree of yours"
	explain "$LOG" "can't get linux-source-7.3"
fi
version=$(kernel_version "$scratch/tree")
[[ $version == 7.3.* ]] || die "linux-source-7.3 holds Linux '$version': set KSRC to a Linux 7.3 tree"
mv -T "$scratch/tree" "$CACHE/linux-$version"
