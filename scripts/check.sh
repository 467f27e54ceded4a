#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The checks that need no boot: rustfmt, checkpatch, no unsafe in policy files, clippy.
# Every one runs, and one that finds something fails the whole.
. "$(dirname "$0")/lib.sh"

mapfile -t rs < <(find rust samples tests -name '*.rs' -not -path '*/target/*' | sort)
mapfile -t c < <(find rust samples tests/kunit -name '*.c' -o -name '*.h' | sort)
mapfile -t patches < <(find patches -name '*.patch' | sort)
bad=()

# A check that finds something shows all of it.
check() {
	attempt "$@" && return
	cat "$LOG" >&2
	bad+=("$1")
}

no_unsafe() {
	local file found=0
	for file in samples/rust/zswap_rs/*.rs; do
		# exports.rs is the C ABI, the one file of the component that may.
		[[ $file != */exports.rs ]] || continue
		perl -ne 's{//.*}{}; if (/\bunsafe\b/) { print "$ARGV:$.: unsafe in a policy file\n"; $n++ }
			END { $? = $n ? 1 : 0 }' "$file" || found=1
	done
	return "$found"
}

# Ignored: patches are signed off by whoever sends them; and what Rust defines has no header.
# Without a GIT_DIR, since checkpatch takes a patch that git knows for a source file.
checkpatch() {
	local checkpatch=(scripts/enter.sh env GIT_DIR=none build/src/scripts/checkpatch.pl --root=build/src
		--strict --terse --no-summary --ignore MISSING_SIGN_OFF,AVOID_EXTERNS)
	local status=0
	[ ${#patches[@]} -eq 0 ] || "${checkpatch[@]}" "${patches[@]}" || status=1
	[ ${#c[@]} -eq 0 ] || "${checkpatch[@]}" -f "${c[@]}" || status=1
	return "$status"
}

[ ${#rs[@]} -eq 0 ] || check rustfmt scripts/enter.sh rustfmt --check --edition 2021 "${rs[@]}"
check checkpatch checkpatch
[ ! -d samples/rust/zswap_rs ] || check "no unsafe in policy" no_unsafe
# Clippy also wants a SAFETY comment on every unsafe block. CONFIG_WERROR makes it an error.
[ ! -d samples/rust/zswap_rs ] || VARIANT=clippy CLIPPY=1 TARGET=samples/rust/zswap_rs/ scripts/kernel.sh rust || bad+=(clippy)

[ ${#bad[@]} -eq 0 ] || die "make check found something: $(IFS=,; echo "${bad[*]}")"
