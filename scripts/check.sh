#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The checks that need no boot: rustfmt, checkpatch, no unsafe in policy files, no arrow up and no circle
# among the files, docs/c-to-rust.md and the names in docs/review.md against the code, no retired term, no dead link,
# figures, the patch series, clippy.
# Every one runs, and one that finds something fails the whole.
. "$(dirname "$0")/lib.sh"

mapfile -t rs < <(find rust samples tests -name '*.rs' -not -path '*/target/*' | sort)
mapfile -t c < <(find rust samples tests/kunit \( -name '*.c' -o -name '*.h' \) ! -name c_zswap.c | sort)
mapfile -t patches < <(find patches -name '*.patch' | sort)
bad=()

# A failing check shows its complete output.
check() {
	attempt "$@" && return
	cat "$LOG" >&2
	bad+=("$1")
}

# It shows what it draws or lists, also if it finds nothing.
show() {
	local before=${#bad[@]}
	check "$@"
	[ "${#bad[@]}" != "$before" ] || cat "$LOG"
}

python() { scripts/enter.sh python3 "scripts/$1.py" "${@:2}"; }

# Ignored: the sender signs patches off; what Rust defines has no header; and the source
# has no history to look commits up in.
# Without a GIT_DIR, since checkpatch takes a patch that git knows for a source file.
checkpatch() {
	local checkpatch=(scripts/enter.sh env GIT_DIR=none build/src/scripts/checkpatch.pl --root=build/src
		--strict --terse --no-summary --ignore MISSING_SIGN_OFF,AVOID_EXTERNS,UNKNOWN_COMMIT_ID)
	local status=0
	[ ${#patches[@]} -eq 0 ] || "${checkpatch[@]}" "${patches[@]}" || status=1
	[ ${#c[@]} -eq 0 ] || "${checkpatch[@]}" -f "${c[@]}" || status=1
	# Its macros stand for functions in C that it must not call as they are.
	"${checkpatch[@]},MACRO_ARG_UNUSED,MACRO_ARG_REUSE,LONG_LINE" -f tests/kunit/c_zswap.c || status=1
	# An event is a macro of macros, in its own style.
	"${checkpatch[@]},COMPLEX_MACRO,MACRO_ARG_UNUSED,TRAILING_SEMICOLON,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT" \
		-f include/trace/events/*.h || status=1
	return "$status"
}

# clippy's findings in the project's files, including patched ones; it also requires a SAFETY
# comment on every unsafe block. It reports only what is compiled, so the crates with these files
# are compiled every time.
clippy() {
	rm -f build/clippy/rust/kernel.o build/clippy/samples/rust/*_rs/*.o
	VARIANT=clippy CLIPPY=1 EXTRA_CONFIG=scripts/clippy.config TARGET='samples/rust/zswap_rs/ samples/rust/swap_cache_rs/ samples/rust/lz4_rs/' \
		scripts/kernel.sh rust >/dev/null || return
	python check clippy build/log/kernel-clippy.log
}

[ ${#rs[@]} -eq 0 ] || check rustfmt scripts/enter.sh rustfmt --check --edition 2021 "${rs[@]}"
check checkpatch checkpatch
check "no unsafe in policy" python check unsafe
check "no import cycle" python check circles
show "floors" python check floors
show "one implementor, with a reason" python check single
check "no file too long without a reason" python check lengths
show "the functions of each success path are in their files" python check success
check "the map from C agrees with the code" python check mirrors
check "no retired term" python check words
check "links resolve" python check links
show "the pages are short" python check size
check "the lists of commands agree with the Makefile" python check targets
check "the patch series has every file, and passes checkpatch" scripts/patches.sh
check clippy clippy
check "safety report" python docs safety check
check "the list of attacks" python attacks check
check "figures in pictures" python docs pictures check
check "figures in pages" python docs readme check
check "the page of results" python results page check
[ ${#bad[@]} -eq 0 ] || die "make check failed: $(IFS=,; echo "${bad[*]}")"
