#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# plugin.sh: build bench/plugin for the toolchain root's QEMU, in build/plugin. The header that plugins are
# compiled with is in none of Debian's packages but QEMU's source, from where it gets into the cache, once.
# With HOSTTOOLS=1 it is the machine's own.
. "$(dirname "$0")/lib.sh"

dir=build/plugin
mkdir -p $dir
if [ -n "${HOSTTOOLS:-}" ]; then
	header=
	for place in /usr/include /usr/local/include; do
		[ ! -e $place/qemu-plugin.h ] || header=$place/qemu-plugin.h
	done
	[ -n "$header" ] || die "HOSTTOOLS=1, but there is no qemu-plugin.h in /usr/include: take it from QEMU's source, or leave HOSTTOOLS out"
else
	version=$(scripts/enter.sh dpkg-query -W -f '${Version}' qemu-system-x86)
	header=$CACHE/qemu-${version//[^0-9a-z.]/-}/qemu-plugin.h
fi

if [ ! -e "$header" ]; then
	lock "$CACHE/source.lock"
fi
if [ ! -e "$header" ]; then # of two runs that begin together, one
	rm -rf --one-file-system "$CACHE"/qemu-*.tmp # of a run that was killed
	need_space "$CACHE" 500 "QEMU's source"
	scratch=${header%/*}.tmp
	mkdir "$scratch"
	# As in source.sh. The root's QEMU may be older than what Debian has now: then a version of the same
	# series is near enough, and QEMU refuses a plugin that it can't run.
	# shellcheck disable=SC2016 # expanded in the root
	fetch='
		cd "$1"
		mkdir lists cache source
		awk "\$1 == \"deb\" { print \"deb-src\", \$2, \$3, \"main\" }" /etc/apt/sources.list >sources.list
		apt="apt-get -o Dir::Etc::SourceList=$1/sources.list -o Dir::Etc::SourceParts=/dev/null
			-o Dir::State::Lists=$1/lists -o Dir::Cache=$1/cache -o APT::Sandbox::User=root -o Acquire::Retries=2"
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
fi

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
