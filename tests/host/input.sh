#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Bad input: each case prints one line with the problem and its fix, exits non-zero, and leaves no
# state that breaks the next run. Works on a copy of the checkout with its own cache, into which the
# real toolchain root and source are linked. Prints TAP.
image=$(make -s -C "$(dirname "$0")/../.." where IMPL="${IMPL:-rust}" | sed -n 's/^image=//p')
unset TOOLCHAIN # the cases are of Debian 13's tools
. "$(dirname "$0")/../../scripts/lib.sh"
[ -f "$image" ] || die "no kernel to try accelerators with: run make kernel"
source=$(pristine)
mapfile -t variables < <(scripts/input.sh | cut -d' ' -f2- | tr ' ' '\n' | grep -v '^\(JOBS\|ZSWAP_RS_CACHE\)$')
unset "${variables[@]}" STILL_LIMIT MAKEFLAGS MFLAGS MAKELEVEL
[ -d "$ROOT" ] || {
	echo '1..0 # SKIP there is no toolchain root to try them with: run make fetch'
	exit 0
}

work=$TOP/build/input
rm -rf --one-file-system "$work"
scratch=$work
mkdir -p "$work/co/tests" "$work/bin"
cp -r Makefile Cargo.toml Cargo.lock scripts "$work/co"
cp -r tests/host tests/mutants tests/vm "$work/co/tests"
mkdir "$work/co/patches" "$work/co/docs"
cp docs/c-to-rust.md "$work/co/docs"
cd "$work/co"
export ZSWAP_RS_CACHE=$work/cache

# A source to which a faulty overlay may write through without harm.
cp -al "$source" "$work/linux" 2>/dev/null || {
	rm -rf "$work/linux"
	cp -a "$source" "$work/linux"
}
for file in Kbuild mm/Makefile; do cp -p --remove-destination "$source/$file" "$work/linux/$file"; done

# fresh_cache [root] [source]: a cache that has only links to the named real ones.
fresh_cache() {
	rm -rf "$ZSWAP_RS_CACHE"
	mkdir "$ZSWAP_RS_CACHE"
	for thing; do
		case $thing in
		root) ln -s "$ROOT" "$ZSWAP_RS_CACHE/" ;;
		source) ln -s "$work/linux" "$ZSWAP_RS_CACHE/linux-$(kernel_version "$source")" ;;
		esac
	done
}
# Only locks and links may be left.
cache_is_clean() {
	[ -z "$(find "$ZSWAP_RS_CACHE" -mindepth 1 -maxdepth 1 ! -name '*.lock' ! -name cargo ! -type l)" ]
}

n=0
bad=0
point() { # point STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		bad=1
		echo "not ok $n - $2"
		sed 's/^/# /' "$work/out" "$work/err"
	fi
}
holds() { # holds NAME CMD...
	local name=$1 status=0
	shift
	"$@" >"$work/out" 2>"$work/err" || status=1
	point "$status" "$name"
}
refused() { # refused NAME PATTERN CMD...; make's own closing line is not ours
	local name=$1 pattern=$2 status=0
	shift 2
	if "$@" >"$work/out" 2>"$work/err.all"; then status=1; fi
	grep -v '^make: \*\*\* \[' "$work/err.all" >"$work/err" || :
	[ "$(wc -l <"$work/err")" = 1 ] && grep -q -e "$pattern" "$work/err" || status=1
	point "$status" "$name"
}
# shim NAME: a program that shadows the real one of that name; its text comes on stdin.
shim() {
	{ echo '#!/bin/bash'; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
shimmed() { PATH=$work/bin:$PATH "$@"; }
# begins: waits up to a minute until the started command has reached its shim.
begins() {
	local i
	for ((i = 0; i < 600; i++)); do
		[ ! -e "$ZSWAP_RS_CACHE/begun.lock" ] || return 0
		sleep 0.1
	done
	return 1
}
offline() {
	if [ "$(id -u)" = 0 ]; then unshare --net "$@"; else unshare --user --map-root-user --net "$@"; fi
}
a_kernel() { # a_kernel DIR VERSION PATCHLEVEL: as much of one as is looked at
	mkdir -p "$1/mm"
	touch "$1/Kbuild" "$1/mm/zswap.c"
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 1\n' "$2" "$3" >"$1/Makefile"
}

# --- Names --------------------------------------------------------------------------------
fresh_cache
refused 'unknown IMPL' 'IMPL=java is unknown: use' make kernel IMPL=java
refused 'unknown IMPL, to the script' 'IMPL=java is unknown: use' scripts/kernel.sh java
refused 'unknown compressor' 'COMPRESSOR=nonsense is unknown: use' make run COMPRESSOR=nonsense
refused 'unknown machine' 'ARCH=mips is unknown: use' make run ARCH=mips
refused 'unknown machine, to kunit' 'ARCH=mips is unknown to make kunit: use' make kunit ARCH=mips
refused 'a machine that is not measured' 'ARCH=arm64 is not for make bench: leave' make bench ARCH=arm64
refused 'compilers that are not measured' 'TOOLCHAIN=forky is not for make bench: leave' make bench TOOLCHAIN=forky
refused 'suites of C, to kunit' 'IMPL=c is not for make kunit: use IMPL=c make test' make kunit IMPL=c
refused 'the same from the environment' 'IMPL=c is not for make kunit: use IMPL=c make test' env IMPL=c make kunit
refused 'a variable that is none' 'there is no variable COMPRESOR: make help' make run COMPRESOR=zstd
refused 'a target that is none' 'there is no target nonsense: make help' make run nonsense
refused 'compressors of no use to kunit' 'COMPRESSOR=zstd is not for make kunit: leave' make kunit COMPRESSOR=zstd
refused 'an implementation, where both are measured' 'IMPL=c is not for make bench: leave' make bench IMPL=c
refused 'runs, where they have none' 'RUNS=3 is not for make measure ONLY="stack": leave' make measure ONLY=stack RUNS=3
refused 'named mutants, where they are drawn' 'MUTANTS=x is not for make mutants DRAWN=4: leave' make mutants DRAWN=4 MUTANTS=x
refused 'tools of the machine, where those of the root are required' 'HOSTTOOLS=1 is not for make fuzz: leave' make fuzz HOSTTOOLS=1
for goal in litmus fuzz next; do
	refused "a machine, to $goal" "ARCH=arm64 is not for make $goal: leave" make $goal ARCH=arm64
	refused "an implementation, to $goal" "IMPL=c is not for make $goal: leave" make $goal IMPL=c
	refused "compilers, to $goal" "TOOLCHAIN=forky is not for make $goal: leave" make $goal TOOLCHAIN=forky
	refused "a kernel, to $goal" "VARIANT=name is not for make $goal: leave" make $goal VARIANT=name
done
refused 'an experiment that is none' "there is no experiment 'nonsense': use bench stack" make measure ONLY='stack nonsense'
refused 'a configuration that is none' 'there is no configuration nonsense: see' make configs CONFIGS=nonsense
refused 'a check that is none' 'CHECK=2 is invalid: use 1' make patches CHECK=2
refused 'a mutant that is none' 'there is no mutant nonsense: grep' make mutants MUTANTS=nonsense
refused 'a row that is none' 'WAY=nonsense is unknown: use' make measure ONLY=profile WAY=nonsense
refused 'contents that are none' 'CONTENT=nonsense is unknown: use' make measure ONLY=profile CONTENT=nonsense
refused 'boots that are none' 'RUNS=0 is invalid: give' make bench RUNS=0
refused 'fewer pages than are measured' 'UPTO=1 is invalid: give' make measure ONLY=growth UPTO=1
refused 'turns of no length' 'TURN=0 is invalid: give' make measure ONLY=contention TURN=0
refused 'compilers that are unknown' 'TOOLCHAIN=sid is unknown: use' make run TOOLCHAIN=sid
refused 'pages that tests do not count in' 'PAGES=64 is not for make test: leave' make test ARCH=arm64 PAGES=64
refused 'a machine that the tests are not for' 'ARCH=riscv is not for make test: leave' make test ARCH=riscv
refused 'pages that the machine lacks' 'PAGES=16 is invalid: use 4' make run PAGES=16
refused 'pages that no machine has' 'PAGES=8 is invalid: use 4' make run ARCH=arm64 PAGES=8
refused 'a time that is none' 'MINUTES=abc is invalid: give' make stress MINUTES=abc
refused 'pairs of boots that are none' 'RUNS=many is invalid: give' make measure ONLY=timing RUNS=many
refused 'a workload that is none' "there is no workload 'chess': use" make measure ONLY=workloads PROGRAMS=chess
refused 'folios that it has not' 'FOLIOS=8: use 4, 64 or both' make measure ONLY=workloads FOLIOS=8
refused 'guests that are none' 'RUNS=0 is invalid: give' make measure ONLY=workloads RUNS=0
refused 'no time at all' 'MINUTES=0 is invalid: give' make stress MINUTES=0
refused 'a seed that is none' 'SEED=-1 is invalid: give' make stress SEED=-1
holds 'nothing was begun for them' cache_is_clean

# --- KSRC ---------------------------------------------------------------------------------
a_kernel "$work/old" 6 12
a_kernel "$work/built" 7 3
touch "$work/built/.config"
mkdir "$work/empty"
refused 'KSRC of the wrong version' 'is Linux 6.12.1, .* give a 7.3 tree' make run KSRC="$work/old"
refused 'KSRC that is not a kernel' 'is not a kernel source: point it' make run KSRC="$work/empty"
refused 'KSRC that is not there' 'is not a folder: point it' make overlay KSRC="$work/nowhere"
refused 'KSRC that was built in' 'run make mrproper' make overlay KSRC="$work/built"
tar -c -C "$work" -f "$work/old.tar" old
tar -c -z -C "$work" -f "$work/whole.tar.gz" old
head -c 100 "$work/whole.tar.gz" >"$work/half.tar.gz"
refused 'KSRC as an archive of the wrong version' 'is Linux 6.12.1, .* give a 7.3 tree' make run KSRC="$work/old.tar"
refused 'KSRC as half an archive' "half.tar.gz can't be unpacked: .* give a tree or a whole archive" make run KSRC="$work/half.tar.gz"
rm -f "$ZSWAP_RS_CACHE/source.lock"
refused 'HOSTTOOLS without a source' 'set KSRC' make kernel HOSTTOOLS=1
holds 'nothing was begun for them' cache_is_clean

# --- The machine ----------------------------------------------------------------------------
shim df <<<'printf "Filesystem 1M-blocks Used Available\nfake 100 90 10\n"'
refused 'too little disk for the toolchain' 'too little disk: .* make room' shimmed scripts/toolchain.sh
fresh_cache root
refused 'too little disk for the source' 'too little disk: .* make room' shimmed scripts/cache.sh source
fresh_cache root source
refused 'too little disk for the copy' 'too little disk: .* make room' shimmed scripts/overlay.sh
rm "$work/bin/df"

fresh_cache
shim id <<<'case $* in -un) echo nobody ;; *) echo 1000 ;; esac'
shim unshare <<<'exit 1'
refused 'not root and no user namespaces' 'run as root, or' shimmed scripts/toolchain.sh
fresh_cache root
refused 'not root and no user namespaces, at a command' 'run as root' shimmed scripts/enter.sh true
rm "$work/bin/id" "$work/bin/unshare"

fresh_cache
mkdir "$work/noapt"
ln -s -f -t "$work/noapt" /usr/bin/* /usr/sbin/* /bin/* /sbin/* 2>/dev/null || :
rm -f "$work/noapt/apt-get"
refused 'no apt' "no apt: .* use HOSTTOOLS=1" env PATH="$work/noapt" scripts/toolchain.sh

refused 'no network for the toolchain' 'no network.* run again' offline scripts/toolchain.sh
refused 'no network for herd7' 'no network.* run again' offline scripts/toolchain.sh herd
holds 'and nothing is left of it' cache_is_clean
fresh_cache root
refused 'no network for the source' 'no network.* run again' offline scripts/cache.sh source
holds 'and nothing is left of it' cache_is_clean
refused 'no network for the crates' 'no network.* run again' offline scripts/cache.sh crates
holds 'and they are not taken for got' test -z "$(find "$ZSWAP_RS_CACHE/cargo" -name 'got-*')"

# --- Interrupted downloads ------------------------------------------------------------------
# A stand-in that first hangs half-way, then works; the killed run's lock is released with its
# child.
fresh_cache
# shellcheck disable=SC2016 # expanded in the shim
hanging='dir=${!#}; [ -d "$dir" ] || dir=; [ -z "$dir" ] || touch "$dir/half"; touch "$ZSWAP_RS_CACHE/begun.lock"; sleep 2; exit 1'
# shellcheck disable=SC2016
working='dir=${!#}; if [ -d "$dir" ]; then touch "$dir/whole"; else tar -c -T /dev/null; fi'
shim mmdebstrap <<<"$hanging"
PATH=$work/bin:$PATH scripts/toolchain.sh >/dev/null 2>&1 &
holds 'a toolchain run has begun' begins
kill -KILL $! 2>/dev/null || :
wait $! 2>/dev/null || :
holds 'a killed toolchain run leaves no root' test ! -e "$ZSWAP_RS_CACHE/${ROOT##*/}"
shim mmdebstrap <<<"$working"
holds 'the next run makes it' shimmed scripts/toolchain.sh
holds 'from nothing' test -d "$ZSWAP_RS_CACHE/${ROOT##*/}" -a ! -e "$ZSWAP_RS_CACHE/${ROOT##*/}/half" -a ! -e "$ZSWAP_RS_CACHE/${ROOT##*/}.tmp"

# The download of the source; instead of the root's apt-get, one that delivers a truncated package.
cp scripts/enter.sh "$work/enter.sh"
# shellcheck disable=SC2016
printf '%s\n' '#!/bin/bash' 'exec "$@"' >scripts/enter.sh
a_kernel "$work/tar/linux" 7 3
mkdir -p "$work/pkg/DEBIAN" "$work/pkg/usr/src"
tar -c -C "$work/tar" -f "$work/pkg/usr/src/linux-source-7.3.tar.xz" linux
printf '%s\n' 'Package: linux-source-7.3' 'Version: 7.3.1' 'Architecture: all' 'Maintainer: nobody' 'Description: a stand-in' >"$work/pkg/DEBIAN/control"
dpkg-deb --build --root-owner-group "$work/pkg" "$work/whole.deb" >/dev/null
shim awk <<<'all=$*; case $all in *suite=*) all=${all#*suite=}; echo "deb none ${all%% *} main" ;; *) exec /usr/bin/awk "$@" ;; esac'
shim apt-get <<EOF2
case \$* in *download*) head -c 600 "$work/whole.deb" >linux-source-7.3_7.3.1_all.deb ;; esac
EOF2
fresh_cache
refused 'a truncated package' 'came damaged: run again' shimmed scripts/cache.sh source
holds 'and nothing is left of it' cache_is_clean
shim apt-get <<EOF2
case \$* in *download*) touch "\$ZSWAP_RS_CACHE/begun.lock"; sleep 2; exit 1 ;; esac
EOF2
PATH=$work/bin:$PATH scripts/cache.sh source >/dev/null 2>&1 &
holds 'a download has begun' begins
kill -KILL $! 2>/dev/null || :
wait $! 2>/dev/null || :
holds 'a killed download leaves no source' test -z "$(find "$ZSWAP_RS_CACHE" -name 'linux-7.3*')"
shim apt-get <<EOF2
case \$* in *download*) cp "$work/whole.deb" linux-source-7.3_7.3.1_all.deb ;; esac
EOF2
holds 'the next run gets it' shimmed scripts/cache.sh source
fresh_cache
shim apt-get <<<'case $* in *download*) echo "E: Unable to locate package linux-source-7.3" >&2; exit 100 ;; esac'
refused 'a source that no suite has' 'no suite of Debian has .* give KSRC=/path' shimmed scripts/cache.sh source
holds 'and nothing is left of it' cache_is_clean
fresh_cache
shim apt-get <<EOF2
suite=\$(sed 's/.* \(.*\) main/\1/' sources.list 2>/dev/null)
case "\$* \$suite" in
*download*sid) cp "$work/whole.deb" linux-source-7.3_7.3.1_all.deb ;;
*download*) echo "E: Unable to locate package linux-source-7.3" >&2; exit 100 ;;
esac
EOF2
holds 'a source that another suite has' shimmed scripts/cache.sh source
holds 'whole, and nothing else' test -f "$ZSWAP_RS_CACHE/linux-7.3.1/Kbuild" -a ! -e "$ZSWAP_RS_CACHE/linux-download.tmp"
rm "$work/bin/awk" "$work/bin/apt-get" "$work/bin/mmdebstrap"
cp "$work/enter.sh" scripts/enter.sh

# --- The overlay ------------------------------------------------------------------------------
fresh_cache root source
holds 'an overlay of nothing' scripts/overlay.sh

# A tree whose C has changed: one function changed, one renamed, and a number outside any function.
sed -e '/^bool zswap_store(/,/^}/s/bool ret = false/bool ret = true/' -e 's/\bzswap_swapoff(/zswap_device_gone(/' \
	-e 's/zswap_max_pool_percent = 20/zswap_max_pool_percent = 30/' \
	"$source/mm/zswap.c" >"$work/zswap.c"
cp --remove-destination "$work/zswap.c" "$work/linux/mm/zswap.c"
refused 'C that has changed' \
	"Rust mirrors: mm/zswap.c: zswap_store changed, mm/zswap.c: zswap_swapoff vanished, mm/zswap.c: the rest changed, mm/zswap.c: zswap_device_gone appeared; .* DRIFT=1\$" \
	scripts/overlay.sh
holds 'and is built anyway with DRIFT=1' env DRIFT=1 scripts/overlay.sh
refused 'but not the next time' 'zswap_store changed' scripts/overlay.sh
cp -p --remove-destination "$source/mm/zswap.c" "$work/linux/mm/zswap.c"
holds 'the C that it was written from' scripts/overlay.sh

mkdir -p rust/kernel
echo '// laid' >rust/kernel/laid.rs
one_line_patch() { # one_line_patch FILE OLD NEW: changes the file's first line
	printf -- '--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%s\n+%s\n' "$1" "$1" "$2" "$3"
}
first=$(head -n 1 "$source/Kbuild")
one_line_patch Kbuild "$first" '# patched' >patches/0001-good.patch
one_line_patch mm/Makefile 'not the first line' '# patched' >patches/0002-bad.patch
refused "a patch that doesn't apply" "patches/0002-bad.patch doesn't apply to mm/Makefile" scripts/overlay.sh
holds 'nothing was laid' test "$(head -n 1 build/src/Kbuild)" = "$first" -a ! -e build/src/rust/kernel/laid.rs
one_line_patch mm/nonsense.c 'x' 'y' >patches/0002-bad.patch
refused "a patch of a file that isn't there" "patches/0002-bad.patch doesn't apply to mm/nonsense.c" scripts/overlay.sh
rm patches/0002-bad.patch
holds 'the next run lays it all' scripts/overlay.sh
holds 'patched and laid' test "$(head -n 1 build/src/Kbuild)" = '# patched' -a -e build/src/rust/kernel/laid.rs
holds 'the pristine source is as it was' diff -rq --exclude=.git "$source" "$work/linux"
echo '// both' >rust/Kbuild
one_line_patch rust/Kbuild '// both' '// neither' >patches/0003-twice.patch
refused 'a file both patched and replaced' "rust/Kbuild" scripts/overlay.sh
rm patches/*.patch rust/Kbuild rust/kernel/laid.rs
holds 'the overlay is taken back' scripts/overlay.sh
holds 'to the pristine source' diff -rq --exclude=.git "$source" build/src

mkdir -p samples/rust/lz4_rs
refused 'a crate that is not there' 'lz4_flex .* run make fetch' scripts/overlay.sh
rmdir samples/rust/lz4_rs

# --- KVM -------------------------------------------------------------------------------------
# Not an error: falls back to TCG and prints the reason. Without a device, and with one that isn't
# KVM.
rm -rf build/vm
mkdir -p "build/${prefix}rust/arch/x86/boot"
cp "$image" "build/${prefix}rust/arch/x86/boot/"
falls_back() { # falls_back MOUNT REASON
	local map=()
	[ "$(id -u)" = 0 ] || map=(--user --map-root-user)
	rm -rf build/vm/accel
	unshare --mount "${map[@]}" bash -euc "$1; exec scripts/accel.sh" 2>"$work/accel" &&
		grep "^accelerator: tcg.*$2" "$work/accel"
}
holds 'no KVM: falls back to TCG' falls_back 'mount -t tmpfs none /dev' 'no usable /dev/kvm'
if [ -e /dev/kvm ]; then
	touch "$work/file"
	holds 'a KVM that boots nothing: falls back to TCG' falls_back "mount --bind $work/file /dev/kvm" 'no guest came up'
fi

echo "1..$n"
exit "$bad"
