#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The checks that need no boot: rustfmt, checkpatch, no unsafe in policy files and no circle among them,
# docs/c-to-rust.md and docs/review.md against the code, no retired term, no dead link, figures, clippy.
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

no_unsafe() {
	local files
	# exports.rs is the C ABI, the only file of a crate that may use unsafe.
	mapfile -t files < <(find samples/rust -name '*.rs' ! -name exports.rs)
	perl -ne 's{//.*}{}; if (/\bunsafe\b/) { print "$ARGV:$.: unsafe in a policy file\n"; $n++ }
		close ARGV if eof; END { $? = $n ? 1 : 0 }' "${files[@]}"
}

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
	perl -e '
		open my $list, "<", "build/overlay/manifest" or die;
		my %ours = map { chomp; $_ => 1 } <$list>;
		open my $log, "<", "build/log/kernel-clippy.log" or die;
		my $what = "";
		while (<$log>) {
			$what = $_ if /^(warning|error)/;
			next unless m{^ +--> (?:\S*?build/src/)?(\S+?):(\d+)} && $what && $ours{$1};
			print "$1:$2: $what";
			$what = "";
			$n++;
		}
		exit($n ? 1 : 0)'
}

[ ${#rs[@]} -eq 0 ] || check rustfmt scripts/enter.sh rustfmt --check --edition 2021 "${rs[@]}"
check checkpatch checkpatch
check "no unsafe in policy" no_unsafe
check "no import cycle among a crate's files" scripts/enter.sh python3 scripts/circles.py
check "the map from C agrees with the code" scripts/enter.sh python3 scripts/mirrors.py
check "no retired term" scripts/words.sh
check "links resolve" scripts/links.sh
check "the lists of commands agree with the Makefile" scripts/targets.sh
# The toolchain root sees the copies of pristine files that the overlay has made.
check "the tour shows the code as it is" scripts/enter.sh python3 scripts/review.py --check build/overlay/c
check clippy clippy
check "safety report" scripts/enter.sh scripts/safety.py check
check "figures in pictures" scripts/enter.sh scripts/pictures.py check
check "measured figures" scripts/enter.sh python3 scripts/figures.py check
# Measuring takes long, so a stale figure fails nothing.
grep '^stale: ' build/log/measured-figures.log || :
check "figures in pages" scripts/enter.sh python3 scripts/readme.py check
[ ${#bad[@]} -eq 0 ] || die "make check found something: $(IFS=,; echo "${bad[*]}")"
