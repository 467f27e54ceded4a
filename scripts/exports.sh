#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compares the symbols that two kernels export to modules: with the project laid on the source but
# not enabled, and without the project. Fails, and shows the difference, if there is one.
. "$(dirname "$0")/lib.sh"
check_ksrc
[ -z "${HOSTTOOLS:-}" ] || die "make exports requires the toolchain root: leave HOSTTOOLS out"

with=build/exports without=build/exports-without src=build/exports-src
VARIANT=exports EXTRA_CONFIG=scripts/exports.config TARGET=vmlinux scripts/kernel.sh c

# Run by step, where bash ignores set -e.
copy() {
	rm -rf "$src" && mkdir "$src" || return
	find "$(pristine)" -mindepth 1 -maxdepth 1 ! -name .git -exec cp -al -t "$src" {} + 2>/dev/null || {
		rm -rf "$src" && mkdir "$src" || return
		find "$(pristine)" -mindepth 1 -maxdepth 1 ! -name .git -exec cp -a --reflink=auto -t "$src" {} +
	}
}
build() {
	mkdir -p "$without" && cp $with/.config "$without/.config" || return
	# The same path for both, so that ccache compiles equal files once.
	ENTER_SRC=$src scripts/enter.sh make -C build/src LLVM=1 CC="ccache clang" O="$TOP/$without" -j"$JOBS" \
		KBUILD_BUILD_USER=zswap_rs KBUILD_BUILD_HOST=localhost olddefconfig vmlinux
}
step "source without the project" copy
step "kernel without the project" build

exported() { scripts/enter.sh nm "$1/vmlinux" | sed -n 's/.* __ksymtab_//p' | sort; }
exported $with >$with.list
exported $without >$without.list
echo "$(wc -l <$without.list) symbols are exported without the project, $(wc -l <$with.list) with it"
[ -s $without.list ] || die "no exported symbol was found: see $without/vmlinux"
diff $without.list $with.list || die "the project changes what is exported though nothing of it is chosen"
