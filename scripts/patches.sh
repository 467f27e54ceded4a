#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# patches.sh [check]: writes the project as patch series to be mailed, in build/series:
# zswap-in-rust with all of it, at its upstream paths, and each fix to C as a series of its own.
# With check, git am applies the series to a pristine source, each commit is built, and the last
# kernel booted, on UML with the series' own .kunitconfig too. checkpatch checks each patch.
. "$(dirname "$0")/lib.sh"
check_ksrc

out=build/series
pristine=$(pristine)
# Copies, which are visible in the toolchain root.
in=build/series-in
rm -rf "$in"
while read -r file; do
	[ ! -f "$pristine/$file" ] || install -D -m 644 "$pristine/$file" "$in/$file"
done < <(printf '%s\n' MAINTAINERS mm/Kconfig mm/Makefile; cat build/overlay/manifest; cd "$pristine" && find rust/kernel rust/helpers -type f)
step series scripts/enter.sh python3 scripts/series.py "$in" build/src "$out"
rm -rf --one-file-system "${out:?}/tree"

# The cover letter: the description, and what docs/results.md has of make bench.
cover=$out/zswap-in-rust/0000-cover-letter.patch
scripts/enter.sh python3 - "$cover" <<'END'
import pathlib, re, sys
cover = pathlib.Path(sys.argv[1])
text = cover.read_text()
bench = re.search(r"^## bench\n.*?(^\|.*?)^## ", pathlib.Path("docs/results.md").read_text(), re.M | re.S)
body = """A prototype: tested in QEMU, never run in production.

This series implements zswap, and the lookup, insertion, removal, swap-in
and readahead code of the swap cache, in Rust. Kconfig selects it instead
of mm/zswap.c and of that part of mm/swap_state.c. User space and callers
see the same interfaces, except for documented fixes.

Types enforce locking rules that C states in comments: access to the data
of a slot requires a witness that the slot is pinned, a folio is uptodate
only once it is filled, a request in flight can't be used. The policy has
no unsafe code; the core, the abstractions and the C ABI have.

The project's docs/races.md lists past bugs, each with the type or the
construction that excludes it, or in C that is unchanged. The cost in
instructions per page, in C and in Rust, those first that are worst for
Rust:

""" + bench[1] + """
LZ4 in Rust is left out: it needs a crate that would have to be vendored.
"""
text = text.replace("*** SUBJECT HERE ***", "mm: zswap and the swap cache in Rust").replace("*** BLURB HERE ***", body)
cover.write_text(text)
END

# Each fix to C, and support for KCSAN, is mailed separately: the notes between the log and the diff stay below the line.
mapfile -t fixes < <(find patches/upstream patches/zero patches/*-kcsan.patch -name '*.patch' | sort)
for fix in "${fixes[@]}"; do
	dir=$out/fixes/$(basename "$fix" .patch | cut -d- -f2-)
	mkdir -p "$dir"
	{ printf 'From: THE SENDER <sender@example.org>\n'; cat "$fix"; } >"$dir/0001-$(basename "$fix" .patch | cut -d- -f2-).patch"
done

# rustfmt limits the line length of Rust; make check checks that of C.
bad=()
for patch in "$out"/zswap-in-rust/*.patch "$out"/fixes/*/*.patch; do
	[ "$patch" != "$cover" ] || continue
	attempt "checkpatch ${patch##*/}" scripts/enter.sh env GIT_DIR=none build/src/scripts/checkpatch.pl --root=build/src --terse --no-summary \
		--ignore MISSING_SIGN_OFF,AVOID_EXTERNS,UNKNOWN_COMMIT_ID,FILE_PATH_CHANGES,FROM_SIGN_OFF_MISMATCH,NO_AUTHOR_SIGN_OFF,COMPLEX_MACRO,MACRO_ARG_UNUSED,TRAILING_SEMICOLON,CONFIG_DESCRIPTION,LONG_LINE,LONG_LINE_COMMENT,LONG_LINE_STRING "$patch" >/dev/null || { cat "$LOG"; bad+=("${patch##*/}"); }
done
[ ${#bad[@]} = 0 ] || die "checkpatch reports problems in ${bad[*]}"
find "$out" -name '*.patch' | sort
[ "${1:-}" = check ] || exit 0

# --- As a recipient applies it --------------------------------------------------------------
tree=$out/check
apply() {
	rm -rf "$tree" && mkdir -p "$tree" || return
	find "$pristine" -mindepth 1 -maxdepth 1 ! -name .git -exec cp -a --reflink=auto -t "$tree" {} + || return
	# A gc in the background would lock the refs that git am updates.
	scripts/enter.sh bash -euc 'cd "$1" && git init -q && git config user.name x && git config user.email x@example.org && git config maintenance.auto false &&
		git add -A -f && git commit -q -m Linux && git tag pristine' _ "$tree"
}
step "git init" apply
kernel=build/series-kernel
mkdir -p "$kernel"
# Like scripts/kernel.sh, so that ccache has most of it.
make=(make -C build/src ARCH=x86 O="$TOP/$kernel" -j"$JOBS" "${KBUILD[@]}")
[ -n "${HOSTTOOLS:-}" ] && ! command -v ccache >/dev/null || make+=("CC=ccache clang")
export CCACHE=${CCACHE-ccache}
for patch in "$out"/zswap-in-rust/*.patch; do
	[ "$patch" != "$cover" ] || continue
	name=$(basename "$patch" .patch | cut -c1-30)
	step "git am $name" scripts/enter.sh git -C "$tree" am -q "../zswap-in-rust/${patch##*/}"
	# Kconfig ignores options that don't exist yet; those that exist are enabled.
	sed '/LZ4_RUST/d' scripts/kernel.config scripts/machines/x86_64.config >"$kernel/series.config"
	printf '%s\n' CONFIG_ZSWAP_RUST=y CONFIG_SWAP_CACHE_RUST=y CONFIG_ZSWAP_LARGE_SWAPIN=y CONFIG_ZSWAP_RUST_KUNIT_TEST=y >>"$kernel/series.config"
	ENTER_SRC=$tree CCACHE='' step "config of it" scripts/enter.sh "${make[@]}" KCONFIG_ALLCONFIG="$TOP/$kernel/series.config" allnoconfig
	ENTER_SRC=$tree step "kernel of it" scripts/enter.sh "${make[@]}" bzImage
done
grep -q '^CONFIG_ZSWAP_RUST=y' "$kernel/.config" && grep -q '^CONFIG_SWAP_CACHE_RUST=y' "$kernel/.config" ||
	die "the last kernel of the series has no Rust in it: see $kernel/.config"
ENTER_SRC=$tree step "functions of the patches" scripts/enter.sh python3 scripts/vanished.py "$kernel" patches/0*.patch
# The suites by the .kunitconfig that the series brings, on UML, as a recipient runs them.
limit=300 kunit=(--kunitconfig=mm/tests/zswap --build_dir="$TOP/build/series-kunit")
mkdir -p build/series-kunit
ENTER_SRC=$tree step "kunit config of the series" kunit "$ROOT" no config "${kunit[@]}" --make_options="CC=ccache clang" "${KBUILD[@]/#/--make_options=}"
ENTER_SRC=$tree step "kunit kernel of the series" scripts/enter.sh make -C build/src O="$TOP/build/series-kunit" ARCH=um -j"$JOBS" "CC=ccache clang" "${KBUILD[@]}" linux
ENTER_SRC=$tree step "kunit of the series" kunit "$ROOT" no exec "${kunit[@]}" --timeout=1000000 --kernel_args=seccomp=on --kernel_args=ncpus=2
tail -n 3 "$LOG"
# Tests of what the series contains: no LZ4 in Rust. Its objects have other names, so no host tests
# either.
mapfile -t tests < <(grep -l '^# boot: ' tests/vm/*.sh | grep -v /stress.sh | xargs grep -L -e lz4-rust -e '^# only: ')
VARIANT=series-kernel tests/run.sh "${tests[@]}"
