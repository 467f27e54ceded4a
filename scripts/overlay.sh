#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# overlay.sh [KSRC]: lays the project on a hard-link copy of the kernel source, in build/src. Writes
# only files that differ, always under a temporary name that is then renamed: builds stay
# incremental, and the pristine files that the copy is linked to never change.
[ $# -eq 0 ] || export KSRC=$1
. "$(dirname "$0")/lib.sh"
check_ksrc
lock build/lock

pristine=$(pristine)
src=build/src
state=build/overlay
origin="$pristine $(stat -c %i "$pristine/Makefile")"
mkdir -p "$state"

# Run by step, where bash ignores set -e.
copy() {
	rm -rf "$state" "$src" && mkdir -p "$state" && copy_source "$pristine" "$src.tmp" || return
	mv -T "$src.tmp" "$src" && echo "$origin" >"$state/origin"
}

if [ ! -d "$src" ] || [ "$(cat "$state/origin" 2>/dev/null)" != "$origin" ]; then
	space=2500
	[ "$(stat -c %d "$pristine")" != "$(stat -c %d build)" ] || space=200 # hard links
	need_space build "$space" "a copy of the kernel source"
	# Objects from another source may be newer than this one's files: make would keep them.
	for config in build/*/.config build/deb/*/.config; do
		[ ! -e "$config" ] || rm -rf "${config%/.config}"
	done
	step "source copy" copy
elif [ -n "${KSRC:-}" ] && [ -n "$(find "$pristine" \( -name .git -o -name .kunit \) -prune -o -newer "$state/origin" -print -quit)" ]; then
	step "source copy" copy # files of the user's tree have changed
fi

start=$(now_ms)

# 0. Is the C still the C that the Rust mirrors? Runs on copies, which are visible in the
#    toolchain root.
rm -rf "$state/c"
while read -r f; do
	install -D -m 644 "$pristine/$f" "$state/c/$f"
done < <(sed -n 's/^## `\(.*\.[ch]\)`$/\1/p' docs/c-to-rust.md)
key=$(find docs/c-to-rust.md scripts/drift.py scripts/drift.tsv "$state/c" -type f -exec sha256sum {} + | sha256sum)
if [ "$(cat "$state/drift" 2>/dev/null)" != "$key" ]; then
	if scripts/enter.sh python3 scripts/drift.py "$state/c" >build/log/drift.log 2>&1; then
		echo "$key" >"$state/drift"
	else
		drift="the C differs from the C that the Rust mirrors: $(paste -sd, build/log/drift.log | sed 's/,/, /g')"
		[ -n "${DRIFT:-}" ] || die "$drift; see docs/c-to-rust.md, or build anyway with DRIFT=1"
		echo "$drift"
	fi
fi

# 1. The patches, on copies of the files they touch.
shopt -s nullglob
patches=(patches/*.patch ${ZERO_FIX:+patches/zero/*.patch} ${SWAP_FIX:+patches/upstream/*.patch})
touched=()
if [ ${#patches[@]} -gt 0 ]; then
	mapfile -t touched < <(sed -n 's#^+++ b/\([^\t]*\).*#\1#p' "${patches[@]}" | sort -u)
	gone=$(grep -l '^+++ /dev/null' "${patches[@]}" || :)
	[ -z "$gone" ] || die "${gone//$'\n'/, } removes a file, which the overlay can't do: take that part out"
fi
key=$({ echo "$origin"; for f in "${patches[@]}" "${touched[@]/#/$pristine/}"; do [ ! -f "$f" ] || echo "$f"; done | xargs -r sha256sum; } | sha256sum)
if [ "$(cat "$state/key" 2>/dev/null)" != "$key" ]; then
	scratch=$state/patched.tmp
	rm -rf "$scratch"
	mkdir "$scratch"
	for f in "${touched[@]}"; do
		[ ! -f "$pristine/$f" ] || install -D -m 644 "$pristine/$f" "$scratch/$f"
	done
	# shellcheck disable=SC2016 # expanded in the root
	[ ${#patches[@]} -eq 0 ] || scripts/enter.sh bash -c '
		dir=$1
		shift
		for p; do
			echo "patch $p"
			patch -p1 -F0 -f --no-backup-if-mismatch -r- -d "$dir" <"$p" || exit 1
		done' _ "$scratch" "${patches[@]}" >build/log/patch.log 2>&1 || {
		# patch prints the file first, or, if it doesn't exist, the diff's own header.
		awk '/^patch / { p = $2; f = "" } /^(checking|patching) file / { last = $3 } /FAILED|ignored|malformed/ { if (f == "") f = last }
			/^\|\+\+\+ / { last = $2; sub("^b/", "", last) } END { print p, (f == "" ? last : f) }' build/log/patch.log >build/log/patch.failed
		read -r p f <build/log/patch.failed
		[[ $p == patches/* ]] || die "can't run patch: see $TOP/build/log/patch.log"
		die "$p doesn't apply to $f of $pristine: see build/log/patch.log, then fix the patch or use a source it fits"
	}
	rm -rf "$state/patched"
	mv -T "$scratch" "$state/patched"
	scratch=
	echo "$key" >"$state/key"
fi

# The crate for LZ4 in Rust, in the version and with the hash of Cargo.lock.
flex=
if [ -d samples/rust/lz4_rs ]; then
	flex=lz4_flex-$(awk '$1 == "name" { name = $3 } $1 == "version" && name == "\"lz4_flex\"" { gsub("\"", "", $3); print $3 }' Cargo.lock)
	flex=$(find "$CACHE/cargo/registry/src" -mindepth 2 -maxdepth 2 -name "$flex" -print -quit 2>/dev/null || :)
	[ -n "$flex" ] || die "the crate lz4_flex isn't in the cache: run make fetch"
fi

# 2. The files of the overlay: destination, tab, origin.
files() {
	local dir
	[ -z "$flex" ] || find "$flex/src" -name '*.rs' -printf "samples/rust/lz4_rs/lz4_flex/%P\t%p\n"
	for dir in include rust samples/rust/zswap_rs samples/rust/swap_cache_rs samples/rust/lz4_rs; do
		[ ! -d "$dir" ] || find "$dir" -type f ! -name '.*' ! -name '*~' -printf '%p\t%p\n'
	done
	[ ! -f Kconfig ] || printf 'samples/rust/zswap_rs/Kconfig\tKconfig\n'
	[ ! -d tests/kunit ] || find tests/kunit -type f \( ! -name '.*' -o -name .kunitconfig \) ! -name '*~' -printf 'samples/rust/zswap_rs/kunit/%P\t%p\n'
	find "$state/patched" -type f ! -name '*.orig' ! -name '*.rej' -printf "%P\t%p\n"
}
list=$(files | sort)
twice=$(cut -f1 <<<"$list" | uniq -d)
[ -z "$twice" ] || die "${twice//$'\n'/, } is both patched and replaced by a file of the project: keep one of the two"

# 3. Lay it. The manifest lists what this run and an interrupted earlier one may have written.
put() {
	mkdir -p "$(dirname "$2")"
	cp "$1" "$2.overlay.tmp"
	mv -f "$2.overlay.tmp" "$2"
	changed=$((changed + 1))
}
changed=0
touch "$state/manifest"
old=$(comm -23 "$state/manifest" <(cut -f1 <<<"$list"))
cut -f1 <<<"$list" | sort -u - "$state/manifest" >"$state/manifest.tmp"
mv "$state/manifest.tmp" "$state/manifest"
while IFS=$'\t' read -r to from; do
	[ -z "$to" ] || cmp -s "$from" "$src/$to" || put "$from" "$src/$to"
done <<<"$list"
while read -r to; do
	[ -n "$to" ] || continue
	if [ -f "$pristine/$to" ]; then
		# A copy, not a link, so that make sees a new time.
		cmp -s "$pristine/$to" "$src/$to" || put "$pristine/$to" "$src/$to"
	else
		rm -f "$src/$to"
		rmdir -p --ignore-fail-on-non-empty "$(dirname "$src/$to")" 2>/dev/null || :
		changed=$((changed + 1))
	fi
done <<<"$old"
cut -f1 <<<"$list" >"$state/manifest"
printf 'overlay ... ok %s (%d files laid, %d changed)\n' "$(took "$start")" "$(grep -c . "$state/manifest" || :)" "$changed"
