#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel.sh rust|c: builds the kernel of build/src with one of the two implementations, in
# build/<impl>, for ARCH (x86_64) with pages of PAGES (4) KiB. It has the tests' checks and suites
# (test.config). VARIANT=name builds one without them in build/<name>, EXTRA_CONFIG=file with these
# options instead; a line "# base: FILE..." in it names configurations of the kernel's own to start from instead of
# kernel.config. A new folder starts as a copy of build/$LIKE, or else of the plain kernel or of another implementation's, if
# that is built. TARGET and CLIPPY=1 are for scripts/check.sh, KRUSTFLAGS for the measurement of coverage.
. "$(dirname "$0")/lib.sh"

impl=${1:-}
case $impl in
rust) choice=(CONFIG_ZSWAP_RUST=y CONFIG_SWAP_CACHE_RUST=y CONFIG_ZSWAP_LARGE_SWAPIN=y) ;;
rust-zswap) choice=(CONFIG_ZSWAP_RUST=y CONFIG_SWAP_CACHE_RUST=n) ;;
rust-cache) choice=(CONFIG_ZSWAP_RUST=n CONFIG_SWAP_CACHE_RUST=y) ;;
c) choice=(CONFIG_ZSWAP_RUST=n CONFIG_SWAP_CACHE_RUST=n) ;;
*) die "IMPL=$impl is unknown: use rust, c, rust-zswap or rust-cache" ;;
esac
[ "$impl" = c ] || choice+=(CONFIG_ZSWAP_RUST_KUNIT_TEST=y)
[ -z "${EXTRA_CONFIG:-}" ] || [ -n "${VARIANT:-}" ] || die "EXTRA_CONFIG needs VARIANT=name: a build folder of its own"
[ -z "${EXTRA_CONFIG:-}" ] || [ -f "$EXTRA_CONFIG" ] || die "EXTRA_CONFIG=$EXTRA_CONFIG is not there: give a file with CONFIG_ lines"
[ -d build/src ] || die "build/src is not there: run make overlay"
arch=${ARCH:-x86_64}
# What the tests compare with C, or hold at race points, is only in Rust.
if [ -z "${VARIANT:-}" ]; then
	EXTRA_CONFIG=scripts/test.config
	[ "$impl" = c ] || choice+=(CONFIG_ZSWAP_RACE_POINTS=y)
	case $impl in rust | rust-zswap) choice+=(CONFIG_ZSWAP_TWINS_KUNIT_TEST=y) ;; esac
	case $impl in rust | rust-cache) choice+=(CONFIG_SWAP_TWINS_KUNIT_TEST=y) ;; esac
	# For a race case with a page that fails in memory.
	case $arch in
	x86_64) choice+=(CONFIG_MEMORY_FAILURE=y CONFIG_X86_MCE=y) ;;
	arm64) choice+=(CONFIG_MEMORY_FAILURE=y) ;;
	esac
fi
variant=$prefix${VARIANT:-$impl}
out=build/$variant
lock "build/log/kernel-$variant.lock"
[ -f "$out/vmlinux" ] || need_space build 1000 "a kernel build"

# C and Rust differ little, and make rebuilds the difference. Images aren't copied. objtool, whose commands have the folder's
# path, isn't compiled again: all objects would be.
copy() {
	rm -rf "$out.new" && cp -a "$1" "$out.new" || return
	[ ! -d "$out.new/tools" ] || find "$out.new/tools" -name '.*.cmd' -exec sed -i "s#$TOP/$1/#$TOP/$out/#g" {} + || return
	rm -f "$out.new"/{vmlinux,modules.order,arch/*/boot/{bzImage,Image},config.key} && mv -T "$out.new" "$out"
}
begun=
if [ ! -d "$out" ]; then
	for like in ${LIKE:-} ${VARIANT:+plain-rust plain-c} rust c rust-zswap rust-cache; do
		like=$prefix$like
		! grep -q -s -x '# every object differs' "${EXTRA_CONFIG:-}" || break
		[ -e "build/$like/vmlinux" ] || continue
		exec 8>"build/log/kernel-$like.lock"
		flock -s -n 8 || continue # it is being built
		step "copy for $variant" copy "build/$like"
		begun=yes
		break
	done
	exec 8>&-
	mkdir -p "$out"
fi

compiler=clang
if [ -n "${EXTRA_CONFIG:-}" ] && grep -q -x CONFIG_CC_IS_GCC=y "$EXTRA_CONFIG"; then
	compiler=gcc KBUILD=("${KBUILD[@]:1}")
fi
# x86, not x86_64: with that, allnoconfig would turn off 64-bit options that are on by default.
make=(make -C build/src ARCH="${arch%_64}" O="$TOP/$out" -j"$JOBS" "${KBUILD[@]}"
	${CLIPPY:+CLIPPY=1} ${KRUSTFLAGS:+"KRUSTFLAGS=$KRUSTFLAGS"}
	KCSAN_SANITIZE_{lz4_{,de}compress,lzo1x_{compress,compress_safe,decompress_safe}}.o=n) # most watchpoints would be there
# Objects that were compiled before, in any checkout, come from the store. Not HOSTCC, which rustc
# uses as its linker. The command is the same without a store, when ccache only calls clang:
# otherwise make would rebuild everything.
export CCACHE=${CCACHE-ccache}
[ -n "${HOSTTOOLS:-}" ] && ! command -v ccache >/dev/null || make+=("CC=$TOP/scripts/cc.sh $compiler")
store=$CACHE/ccache
if [ -n "$CCACHE" ] && ! why=$({ mkdir -p "$store" && head -c 64K /dev/zero >"$store/try.$$"; } 2>&1); then
	echo "ccache: ${why##*: }: building without its store, $store"
	CCACHE=
fi
rm -f "$store/try.$$" 2>/dev/null || :

# The configuration, regenerated only when one of its inputs has changed.
target=allnoconfig base=() fragments=(scripts/kernel.config "scripts/machines/$arch.config" "$out/impl.config")
if [ -n "${EXTRA_CONFIG:-}" ] && grep -q '^# base: ' "$EXTRA_CONFIG"; then
	read -ra base < <(sed -n 's/^# base: //p' "$EXTRA_CONFIG")
	target=alldefconfig base=("${base[@]/#/build/src/}") fragments=("$out/impl.config")
fi
[ "$arch" != arm64 ] || choice+=(CONFIG_ARM64_"${PAGES:-4}"K_PAGES=y)
printf '%s\n' "${choice[@]}" >"$out/impl.config"
if [ -n "${EXTRA_CONFIG:-}" ]; then
	cp "$EXTRA_CONFIG" "$out/extra.config" # where the toolchain root sees it
	[ "$impl" != c ] || sed -i /CONFIG_ZSWAP_RACE_POINTS=y/d "$out/extra.config" # which are in Rust
	fragments+=("$out/extra.config")
fi
kconfigs=()
while read -r file; do
	case $file in *Kconfig*) kconfigs+=("build/src/$file") ;; esac
done <build/overlay/manifest
key=$({ echo "$ROOT ${HOSTTOOLS:-}"; cat build/overlay/origin "${base[@]}" "${fragments[@]}" "${kconfigs[@]}"; } | sha256sum)
if [ "$(cat "$out/config.key" 2>/dev/null)" != "$key" ]; then
	rm -f "$out/config.key"
	cat "${base[@]}" "${fragments[@]}" >"$out/all.config"
	CCACHE='' step "config $variant" scripts/enter.sh "${make[@]}" KCONFIG_ALLCONFIG="$TOP/$out/all.config" $target
	# Kconfig silently drops options with unmet dependencies.
	wrong=$(awk '
		/^# CONFIG_[A-Z0-9_a-z]+ is not set/ { name = $2; value = "n" }
		/^CONFIG_/ { name = value = $0; sub(/=.*/, "", name); sub(/^[^=]*=/, "", value) }
		name == "" { next }
		FILENAME == config { got[name] = value }
		FILENAME != config { want[name] = value }
		{ name = "" }
		END {
			for (name in want)
				if ((name in got ? got[name] : "n") != want[name])
					print name "=" want[name]
		}' config="$out/.config" "$out/.config" "${fragments[@]}" | sort | paste -sd' ')
	# The one option that compilers of different LLVMs rule out, and that only costs speed.
	if [[ " $wrong " == *" CONFIG_RUST_INLINE_HELPERS=y "* ]] && ! grep -q '^CONFIG_RUSTC_CLANG_LLVM_COMPATIBLE=y' "$out/.config"; then
		echo "clang and rustc are of different versions of LLVM: C helpers aren't inlined into Rust, which costs speed"
		wrong=${wrong/CONFIG_RUST_INLINE_HELPERS=y/}
		wrong=${wrong## }
	fi
	[ -z "$wrong" ] || die "the kernel's Kconfig refuses $wrong: see their dependencies, or the fragments ${fragments[*]}"
	echo "$key" >"$out/config.key"
fi

# CONFIG_WERROR makes every warning of clang and rustc an error. The number of lines of a full build
# is only for the progress display.
image=bzImage
[ "$arch" = x86_64 ] || image=Image
read -ra targets <<<"${TARGET:-$image}"
[ -n "${TARGET:-}" ] || ! grep -q '=m$' "$out/.config" || targets+=(modules)
[ -f "$out/vmlinux" ] || [ -n "$begun" ] || [ -n "${base[*]}" ] || [ "${targets[0]}" != "$image" ] || STEP_LINES=1130
build=(scripts/enter.sh "${make[@]}" "${targets[@]}")

if [ -n "$CCACHE" ]; then
	! attempt "kernel $variant" "${build[@]}" || exit 0
	why=$(grep -a -m 1 '^ccache: error: ' "$LOG") || failed "kernel $variant"
	echo "ccache: ${why##*: }: building without its store, $store"
	CCACHE=
fi
step "kernel $variant" "${build[@]}"
