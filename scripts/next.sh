#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# next.sh: what a port to another kernel needs: the C functions that the Rust mirrors and that
# differ there, and the patches that no longer apply. For the tree or archive in KSRC, of any
# version, or for the newest kernel source in Debian. Changes nothing, and doesn't fail if there is
# much to do.
other=${KSRC:-}
unset KSRC # lib.sh would check its version
. "$(dirname "$0")/lib.sh"
[ -z "$other" ] || [ -e "$other" ] || die "KSRC=$other is not there: point it at the source of another Linux, or leave it out"
scripts/toolchain.sh

work=build/next
lock build/log/next.lock
rm -rf "$work"
mkdir -p "$work"
scratch=$TOP/$work/tree # removed with the script
[ -d "$other" ] || need_space build 2500 "the kernel source"
if [ -d "$other" ]; then
	tree=$(realpath "$other")
elif [ -n "$other" ]; then
	tree=$TOP/$work/tree
	mkdir "$tree"
	has_unpacker "$other"
	attempt "unpack ${other##*/}" tar -x --no-same-owner --strip-components=1 -C "$tree" -f "$other" || die "KSRC=$other can't be unpacked: see $TOP/$LOG"
else
	# shellcheck disable=SC2016 # expanded in the root
	attempt "newest source" scripts/enter.sh bash -euc '
		cd build/next
		mkdir lists cache tree
		for suite in "$@"; do
			awk -v suite="$suite" "\$1 == \"deb\" { print \$1, \$2, suite, \"main\"; exit }" /etc/apt/sources.list
		done >sources.list
		apt="-o Dir::Etc::SourceList=$PWD/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$PWD/lists
			-o Dir::Cache=$PWD/cache -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::Check-Valid-Until=false"
		apt-get $apt update --error-on=any
		newest=$(apt-cache $apt search --names-only "^linux-source-[0-9.]+$" | cut -d" " -f1 | sort -V | tail -n 1)
		# The newest version of that kernel.
		version=$(apt-cache $apt madison "$newest" | cut -d"|" -f2 | tr -d " " | sort -V | tail -n 1)
		apt-get $apt download "$newest=$version"
		dpkg-deb -x linux-source-*.deb deb
		tar -x --no-same-owner -C tree --strip-components=1 -f deb/usr/src/linux-source-*.tar.xz' _ "$STABLE-backports" forky sid experimental ||
		explain "$LOG" "can't get the newest kernel source"
	tree=$TOP/$work/tree
fi
version=$(kernel_version "$tree")
[ -n "$version" ] || die "${other:-$tree} is not a kernel source: point KSRC at the source of another Linux"

# On copies, which are visible in the toolchain root.
while read -r file; do
	[ ! -f "$tree/$file" ] || install -D -m 644 "$tree/$file" "$work/c/$file"
done < <({ sed -n 's/^## `\(.*\.[ch]\)`$/\1/p' docs/c-to-rust.md; sed -n 's#^+++ b/\([^\t]*\).*#\1#p' patches/*.patch; } | sort -u)
while read -r file; do
	[ -f "$work/c/$file" ] || { install -D /dev/null "$work/c/$file"; gone+="$file "; }
done < <(sed -n 's/^## `\(.*\.[ch]\)`$/\1/p' docs/c-to-rust.md)

echo
echo "Linux $version, compared with zswap_rs for 7.3"
echo
[ -z "${gone:-}" ] || echo "gone: $gone"
if ! drift=$(scripts/enter.sh python3 scripts/drift.py "$work/c" 2>"$work/drift.err") && [ -z "$drift" ]; then
	die "drift.py failed: $(tail -n 1 "$work/drift.err")"
fi
if [ -n "$drift" ]; then
	echo "C that differs from the C that the Rust mirrors or relies on ($(wc -l <<<"$drift")):"
	sed 's/^/    /' <<<"$drift"
else
	echo "C that the Rust mirrors or relies on: unchanged"
fi
echo
for patch in patches/*.patch; do
	# Each on top of the previous ones, as far as they apply.
	if out=$(scripts/enter.sh patch -p1 -f -F0 --no-backup-if-mismatch -r- -d "$work/c" <"$patch" 2>&1); then
		verdict=applies
		! grep -q offset <<<"$out" || verdict="applies, at other lines"
	else
		files=$(awk '/^(checking|patching) file / { file = $3 } /FAILED/ { failed[file] = 1 } /ignored/ { failed[file] = 1 } END { for (f in failed) print f }' <<<"$out" | sort | paste -sd' ')
		verdict="needs work in ${files:-files that are gone}"
	fi
	printf '%-62s %s\n' "$patch" "$verdict"
done
rm -rf --one-file-system "$work/deb" "$work/lists" "$work/cache"
