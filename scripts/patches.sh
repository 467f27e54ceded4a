#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# patches.sh [check]: the project as series of patches to be mailed, in build/series: zswap-in-rust with all of it,
# at its upstream home, and each fix to C as one of its own. With check, the series is applied to a pristine
# source by git am, built commit by commit, and the last kernel booted. checkpatch looks at each patch.
. "$(dirname "$0")/lib.sh"
check_ksrc

out=build/series
pristine=$(pristine)
# Copies, which the toolchain root sees.
in=build/series-in
rm -rf "$in"
while read -r file; do
	[ ! -f "$pristine/$file" ] || install -D -m 644 "$pristine/$file" "$in/$file"
done < <(printf '%s\n' MAINTAINERS mm/Kconfig mm/Makefile; cat build/overlay/manifest; cd "$pristine" && find rust/kernel rust/helpers -type f)
step series scripts/enter.sh python3 scripts/series.py "$in" build/src "$out"
rm -rf --one-file-system "${out:?}/tree"

# The cover letter: what it is, and the figures of docs/performance.md.
cover=$out/zswap-in-rust/0000-cover-letter.patch
scripts/enter.sh python3 - "$cover" <<'END'
import pathlib, re, sys
cover = pathlib.Path(sys.argv[1])
text = cover.read_text()
performance = pathlib.Path("docs/performance.md").read_text()
tables = re.findall(r"(?:^\|[^\n]*\n)+", performance, re.M)
body = """This is zswap, and the hot half of the swap cache under it, in Rust: chosen by Kconfig in place of mm/zswap.c and of
that half of mm/swap_state.c, with the same functions, to user space and to callers the same but for documented fixes.
The policy has no unsafe code. Types enforce locking rules that C states in comments: access to what is stored for a slot requires a witness that the
slot can't be freed, a folio is filled before it is uptodate, a request can't be accessed while the hardware has it.

The gain: wrong use doesn't compile, and every race that zswap has had in C is a test, a model or a type here. The cost,
in instructions per page in a guest, for C and for Rust:

""" + (max(tables, key=len) if tables else "") + """
LZ4 in Rust, which the project has as well, is left out: it needs a crate that would have to be vendored.
"""
text = text.replace("*** SUBJECT HERE ***", "mm: zswap and the swap cache in Rust").replace("*** BLURB HERE ***", body)
cover.write_text(text)
END

# Each fix of C is mailed alone: what is a note of ours, between the log and the diff, stays below the line.
mapfile -t fixes < <(find patches/upstream patches/zero -name '*.patch' | sort)
for fix in "${fixes[@]}"; do
	dir=$out/fixes/$(basename "$fix" .patch | cut -d- -f2-)
	mkdir -p "$dir"
	{ printf 'From: THE SENDER <sender@example.org>\n'; cat "$fix"; } >"$dir/0001-$(basename "$fix" .patch | cut -d- -f2-).patch"
done

# Of Rust, rustfmt says how long a line may be; C's are make check's.
bad=()
for patch in "$out"/zswap-in-rust/*.patch "$out"/fixes/*/*.patch; do
	[ "$patch" != "$cover" ] || continue
	attempt "checkpatch ${patch##*/}" scripts/enter.sh env GIT_DIR=none build/src/scripts/checkpatch.pl --root=build/src --terse --no-summary \
		--ignore MISSING_SIGN_OFF,AVOID_EXTERNS,UNKNOWN_COMMIT_ID,FILE_PATH_CHANGES,FROM_SIGN_OFF_MISMATCH,NO_AUTHOR_SIGN_OFF,COMPLEX_MACRO,MACRO_ARG_UNUSED,TRAILING_SEMICOLON,CONFIG_DESCRIPTION,LONG_LINE,LONG_LINE_COMMENT,LONG_LINE_STRING "$patch" >/dev/null || { cat "$LOG"; bad+=("${patch##*/}"); }
done
[ ${#bad[@]} = 0 ] || die "checkpatch finds something in ${bad[*]}"
find "$out" -name '*.patch' | sort
[ "${1:-}" = check ] || exit 0

# --- As who applies it --------------------------------------------------------------------
tree=$out/check
apply() {
	rm -rf "$tree" && mkdir -p "$tree" || return
	find "$pristine" -mindepth 1 -maxdepth 1 ! -name .git -exec cp -a --reflink=auto -t "$tree" {} + || return
	scripts/enter.sh bash -euc 'cd "$1" && git init -q && git config user.name x && git config user.email x@example.org &&
		git add -A -f && git commit -q -m Linux && git tag pristine' _ "$tree"
}
step "git init" apply
kernel=build/series-kernel
mkdir -p "$kernel"
# As scripts/kernel.sh builds, so that ccache knows most of it.
make=(make -C build/src LLVM=1 ARCH=x86 O="$TOP/$kernel" -j"$JOBS" KBUILD_BUILD_USER=zswap_rs KBUILD_BUILD_HOST=localhost)
[ -n "${HOSTTOOLS:-}" ] && ! command -v ccache >/dev/null || make+=("CC=ccache clang")
export CCACHE=${CCACHE-ccache}
for patch in "$out"/zswap-in-rust/*.patch; do
	[ "$patch" != "$cover" ] || continue
	name=$(basename "$patch" .patch | cut -c1-30)
	step "git am $name" scripts/enter.sh git -C "$tree" am -q "../zswap-in-rust/${patch##*/}"
	# What isn't there yet, Kconfig leaves out; what is, is switched on.
	sed '/LZ4_RUST/d' scripts/kernel.config scripts/machines/x86_64.config >"$kernel/series.config"
	printf '%s\n' CONFIG_ZSWAP_RUST=y CONFIG_SWAP_CACHE_RUST=y CONFIG_ZSWAP_RUST_KUNIT_TEST=y >>"$kernel/series.config"
	# shellcheck disable=SC2016 # expanded in the root
	ENTER_SRC=$tree CCACHE='' step "config of it" scripts/enter.sh bash -euc '
		kernel=$1
		make=("${@:2}")
		"${make[@]}" tinyconfig
		build/src/scripts/kconfig/merge_config.sh -m -O "$kernel" "$kernel/.config" "$kernel/series.config"
		"${make[@]}" olddefconfig' _ "$kernel" "${make[@]}"
	ENTER_SRC=$tree step "kernel of it" scripts/enter.sh "${make[@]}" bzImage
done
grep -q '^CONFIG_ZSWAP_RUST=y' "$kernel/.config" && grep -q '^CONFIG_SWAP_CACHE_RUST=y' "$kernel/.config" ||
	die "the last kernel of the series has no Rust in it: see $kernel/.config"
# What the series has: no LZ4 in Rust. Its objects have other names, so no tests of this machine either.
mapfile -t tests < <(grep -l '^# boot: ' tests/vm/*.sh | grep -v /stress.sh | xargs grep -L -e lz4-rust -e '^# only: ')
VARIANT=series-kernel tests/run.sh "${tests[@]}"
