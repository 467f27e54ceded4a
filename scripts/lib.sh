# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by every script: paths, the display of steps, errors. Changes to the top of the checkout.
set -euo pipefail
export LC_ALL=C

die() {
	printf 'zswap_rs: %s\n' "$*" >&2
	exit 1
}

# number NAME VALUE MIN MAX: validates a number from the user.
number() {
	[[ $2 =~ ^[1-9][0-9]{0,8}$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] ||
		die "$1=$2 is invalid: give a number from $3 to $4"
}

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$TOP"
case $TOP in *[[:space:]:]*) die "the kernel can't be built in '$TOP': move the checkout to a path without spaces and colons" ;; esac

JOBS=${JOBS:-$(nproc)}
number JOBS "$JOBS" 1 9999
CACHE=${ZSWAP_RS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/zswap_rs}
mkdir -p "$CACHE" build/log 2>/dev/null && [ -w "$CACHE" ] && [ -w build ] ||
	die "can't write to $CACHE and $TOP/build: make them writable, or set ZSWAP_RS_CACHE to a folder of yours"
CACHE=$(realpath "$CACHE")
# An archive's source is at the path where it will be unpacked.
archive=
if [ -f "${KSRC:-}" ]; then
	archive=$(realpath "$KSRC")
	KSRC=$CACHE/archive-$(stat -c '%n %s %Y' "$archive" | sha256sum | cut -c1-12)
fi

# The packages of the toolchain root, and the Debian suite of its compilers. The root's name has a
# hash of these. Programs of the kernel's build and its checkpatch.pl are in Perl.
STABLE=trixie
SUITE=${TOOLCHAIN:-$STABLE}
PACKAGES=(
	gcc libc6-dev make clang lld llvm libclang-dev bc bison flex kmod pahole
	rustc rust-src rustfmt rust-clippy cargo bindgen ccache
	libelf-dev libdw-dev libssl-dev cpio rsync python3 perl git patch xz-utils ca-certificates
	qemu-system-x86 busybox-static e2fsprogs btrfs-progs xfsprogs dmsetup util-linux gnuplot-nox
)
ROOT=$CACHE/root-$(printf '%s\n' "$SUITE" "${PACKAGES[@]}" | sha256sum | cut -c1-12)
# Other roots, which only some commands need.
declare -A ROOT_SUITE ROOT_SIZE ROOT_WHAT ROOT_PACKAGES
# other_root NAME SUITE MIB WHAT PACKAGE...: NAME_ROOT is where it is, or will be
other_root() {
	ROOT_SUITE[$1]=$2 ROOT_SIZE[$1]=$3 ROOT_WHAT[$1]="the root $4" ROOT_PACKAGES[$1]=${*:5}
	printf -v "${1^^}_ROOT" %s "$CACHE/root-$1-$(printf '%s\n' "$2" "${@:5}" | sha256sum | cut -c1-12)"
}
other_root herd forky 500 "with herd7" herdtools7
# For make fuzz: compilers with libFuzzer and AddressSanitizer.
other_root fuzz "$SUITE" 2000 "with libFuzzer" clang libclang-rt-dev rustc cargo gcc libc6-dev
# What the measurements contention and profile compile their QEMU plugins with.
other_root plugin $STABLE 500 "with glib" gcc libc6-dev libglib2.0-dev
# The guest's programs for the measurement workloads.
other_root workloads $STABLE 1500 "with the workloads" valkey-server valkey-tools postgresql-17 cpp-14 stress-ng memtester
# For ARCH=arm64 and riscv: the machine, and the compiler for its guest's programs.
other_root arm64 $STABLE 1500 "for arm64" qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross busybox-static:arm64 cpio util-linux python3
other_root riscv $STABLE 1500 "for riscv" qemu-system-riscv opensbi gcc-riscv64-linux-gnu libc6-dev-riscv64-cross busybox-static:riscv64 cpio util-linux python3
# For make deb: what the kernel's package is made with.
other_root deb "$SUITE" 3500 "for a package" "${PACKAGES[@]}" dpkg-dev debhelper fdisk zstd libarchive13t64
# For make compare: the highlighter, and what its page is tested in.
other_root compare $STABLE 500 "with the highlighter" python3 python3-pygments
other_root browser $STABLE 2000 "with a browser" python3 python3-selenium chromium chromium-driver fonts-dejavu-core

# Kernels for another machine, with larger pages or by other compilers have their own build folders.
prefix=
[ "$SUITE" = "$STABLE" ] || prefix=$SUITE-
[ "${ARCH:-x86_64}" = x86_64 ] || prefix+=$ARCH-
[ "${PAGES:-4}" = 4 ] || prefix+=${PAGES}k-

# --- Steps ----------------------------------------------------------------------------

job=
scratch=
stop_job() {
	local i whole=-$job
	[ -n "$job" ] || return 0
	kill -0 -- "$whole" 2>/dev/null || whole=$job # not a group of its own
	kill -TERM -- "$whole" 2>/dev/null || :
	# The first process of a pid namespace ignores SIGTERM: don't wait long for it.
	for ((i = 0; i < 20; i++)); do
		kill -0 -- "$whole" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL -- "$whole" 2>/dev/null || :
	wait "$job" 2>/dev/null || :
	job=
}
tidy() {
	stop_job
	[ -z "$scratch" ] || rm -rf --one-file-system "$scratch"
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# pause SECONDS: as sleep, without a process. Loops that wait for minutes call it.
pause() {
	[ -n "${silent_fd:-}" ] || exec {silent_fd}<> <(:)
	read -r -t "$1" -u "$silent_fd" || :
}
now_ms() { local t=${EPOCHREALTIME/[.,]/}; echo "${t%???}"; }
took() { local ms=$(($(now_ms) - $1)); printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100)); }

# attempt NAME CMD...: runs CMD with its output in build/log/NAME.log, shows progress, then its
# time. On failure only returns the status, which the caller explains. STEP_LINES is the expected
# number of lines of the log, if known. CMD may be a function, but bash ignores set -e in it.
attempt() {
	local name=$1 start status=0 beat=0 line total=${STEP_LINES:-} lines
	shift
	LOG=build/log/${name// /-}.log
	start=$(now_ms)
	if [ -n "${V:-}" ]; then
		printf '%s: %s\n' "$name" "$*"
		"$@" </dev/null 2>&1 | tee "$LOG" || status=$?
	else
		[ -t 1 ] || printf '%s ...\n' "$name"
		set -m # a process group of its own, so that it can be stopped as a whole
		"$@" </dev/null >"$LOG" 2>&1 &
		job=$!
		set +m
		while kill -0 "$job" 2>/dev/null; do
			pause 0.1
			beat=$((beat + 1))
			if [ -t 1 ]; then ((beat % 5 == 0)) || continue; else ((beat % 150 == 0)) || continue; fi
			line=$(tail -n 1 "$LOG" | tr -d '\r\033' | cut -c1-60)
			if [ -n "$total" ]; then
				lines=$(wc -l <"$LOG")
				line="$((lines < total ? lines * 100 / total : 99)) %  $line"
			fi
			if [ -t 1 ]; then
				printf '\r\033[K%s ... %s  %s' "$name" "$(took "$start")" "$line"
			else
				printf '%s ... %s  %s\n' "$name" "$(took "$start")" "$line"
			fi
		done
		wait "$job" || status=$?
		job=
		[ ! -t 1 ] || printf '\r\033[K'
	fi
	[ "$status" != 0 ] || printf '%s ... ok %s\n' "$name" "$(took "$start")"
	return "$status"
}

# heard SECONDS PROGRAM...: runs PROGRAM and shows its output. Ends it, with status 124, once it has
# printed nothing for SECONDS.
heard() {
	local limit=$1 line last='' out status=0
	shift
	exec {out}< <(exec "$@" 2>&1)
	job=$!
	while true; do
		IFS= read -r -t "$limit" line <&"$out" || status=$?
		[ "$status" = 0 ] || break
		printf '%s\n' "$line"
		last=$line
	done
	if [ "$status" -gt 128 ]; then
		stop_job
		printf 'it printed nothing for %s s, after: %s\n' "$limit" "$last"
		status=124
	else
		printf %s "$line"
		status=0
		wait "$job" || status=$?
	fi
	job=
	exec {out}<&-
	return "$status"
}

# step NAME CMD...: the same, but a failure ends the script and shows the end of the log.
step() { attempt "$@" || failed "$1"; }
failed() {
	[ -n "${V:-}" ] || tail -n 20 "$LOG" >&2
	die "$1 failed: see $TOP/$LOG"
}

# stamp: takes down for results.py which code a result will be of, and the variables that are given.
stamp() {
	local name
	STAMP=$(scripts/enter.sh python3 scripts/results.py stamp)
	for name in UPTO TURN SEED SEEDED RUNS DRAWN ZERO_FIX SWAP_FIX DRIFT; do
		[ -z "${!name:-}" ] || STAMP="$name=${!name} $STAMP"
	done
	STAMP="${KSRC:+KSRC=other }${HOSTTOOLS:+HOSTTOOLS=1 }$STAMP"
	export STAMP
}

# --- Checks ---------------------------------------------------------------------------

# lock FILE: takes an exclusive lock for the rest of the script.
lock() {
	exec 9>"$1"
	flock -n 9 && return
	echo "waiting for another run that holds $1"
	flock 9
}

# need_space DIR MIB WHAT
need_space() {
	local free
	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$2" ] || die "too little disk: $3 needs $2 MiB in $1, $free MiB are free; make room there"
}

# explain LOG WHAT: turns the log of a failed download into one line with the fix.
explain() {
	local why
	case $(cat "$1") in
	*"No space left"*) why="the disk is full: make room in $CACHE" ;;
	*"Temporary failure resolving"*|*"Could not resolve"*|*"Could not connect"*|*"Cannot initiate the connection"*|*"Network is unreachable"*|*"onnection timed out"*|*"Connection failed"*)
		why="no network, or no way to the servers: connect (http_proxy is honoured) and run again" ;;
	*"Hash Sum mismatch"*|*"unexpected size"*|*"unexpected end"*) why="the download came damaged: run again" ;;
	*) why="see $TOP/$1" ;;
	esac
	die "$2: $why"
}

# kernel_version DIR: 7.3.4, or nothing if it is no kernel.
kernel_version() {
	[ -f "$1/Kbuild" ] && [ -f "$1/mm/zswap.c" ] || return 0
	sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\) = *//p' "$1/Makefile" | paste -sd.
}

# is_7_3 DIR NAME: dies unless the source, which the user knows as NAME, is the version that the
# overlay supports.
is_7_3() {
	local version
	version=$(kernel_version "$1")
	case $version in
	'') die "KSRC=$2 is not a kernel source: point it at the source of Linux 7.3" ;;
	7.3.*) ;;
	*) die "KSRC=$2 is Linux $version, and this is written for 7.3: give a 7.3 tree, or leave KSRC out" ;;
	esac
}

# has_unpacker ARCHIVE: a minimal Debian has no xz, which tar runs.
has_unpacker() {
	[[ $1 != *.xz ]] || command -v xz >/dev/null ||
		die "$1 is packed with xz, which is missing: have root run: apt-get install xz-utils"
}

# check_ksrc: the user's own tree must be the version that the overlay supports. An archive is
# unpacked once.
check_ksrc() {
	local dirt
	[ -n "${KSRC:-}" ] || return 0
	if [ -n "$archive" ] && [ ! -d "$KSRC" ]; then
		lock "$CACHE/source.lock"
	fi
	if [ -n "$archive" ] && [ ! -d "$KSRC" ]; then # of two runs that begin together, one
		need_space "$CACHE" 2500 "the kernel source"
		has_unpacker "$archive"
		rm -rf --one-file-system "$KSRC.tmp"
		scratch=$KSRC.tmp
		mkdir "$scratch"
		attempt "unpack ${archive##*/}" tar -x --no-same-owner --strip-components=1 -C "$scratch" -f "$archive" ||
			die "KSRC=$archive can't be unpacked: see $TOP/$LOG, then give a tree or a whole archive of Linux 7.3"
		is_7_3 "$scratch" "$archive"
		mv -T "$scratch" "$KSRC"
		scratch=
	fi
	[ -d "$KSRC" ] || die "KSRC=$KSRC is not a folder: point it at the source of Linux 7.3"
	is_7_3 "$KSRC" "$KSRC"
	for dirt in .config include/config arch/x86/include/generated; do
		[ ! -e "$KSRC/$dirt" ] || die "KSRC=$KSRC has been built in ($dirt is there): run make mrproper in it, or give a clean tree"
	done
}

# pristine: prints the folder of the source that the overlay is laid on.
pristine() {
	local newest
	if [ -n "${KSRC:-}" ]; then
		realpath "$KSRC"
	else
		newest=$(find "$CACHE" -maxdepth 1 -name 'linux-7.3.*' ! -name '*.tmp' | sort -V | tail -n 1)
		[ -n "$newest" ] || die "no kernel source: run make fetch, or set KSRC to a Linux 7.3 tree"
		realpath "$newest"
	fi
}

# --- Kernels --------------------------------------------------------------------------

# What every build of one has; without the first, it is by GCC. Objects that were compiled before, in any checkout, come from ccache's store.
# shellcheck disable=SC2034
KBUILD=(LLVM=1 KBUILD_BUILD_USER=zswap_rs KBUILD_BUILD_HOST=localhost)

# copy_source FROM TO: as hard links if both are on one file system; without .git, which the kernel's version string would
# depend on, and .kunit, where kunit.py writes in place. Also run by step, where bash ignores set -e.
copy_source() {
	rm -rf "$2" && mkdir -p "$2" || return
	find "$1" -mindepth 1 -maxdepth 1 ! -name .git ! -name .kunit -exec cp -al -t "$2" {} + 2>/dev/null || {
		echo "no hard links to $1: copying"
		rm -rf "$2" && mkdir "$2" || return
		find "$1" -mindepth 1 -maxdepth 1 ! -name .git ! -name .kunit -exec cp -a --reflink=auto -t "$2" {} +
	}
}

# kunit ROOT KVM ARGUMENT...: the kernel's kunit.py in a toolchain root, run in the kernel's source, as it requires. It uses
# /dev/kvm if that exists: hidden if KVM is no. Its own timeout counts from the start; here a machine may print nothing for
# limit seconds.
kunit() {
	# shellcheck disable=SC2016 # expanded in the root
	heard "${limit:?}" env ENTER_ROOT="$1" ENTER_KVM="$2" scripts/enter.sh bash -c 'cd build/src &&
		exec env PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 tools/testing/kunit/kunit.py "$@"' _ "${@:3}"
}

# --- Guests ---------------------------------------------------------------------------

# complaint LOG: the first message in a guest kernel's log that a healthy kernel never logs; nothing if there is none.
#
# Not complaints: messages about zswap_faulty and zswap_accel, the tests' compressors, which fail on
# request; traces of a failed or slow allocation, or of an OOM kill, which a test notices by its
# missing task; KCSAN's reports of data races, which kcsan.py judges; and what mte.sh has KASAN report.
complaint() {
	local bad='Kernel panic|Oops|BUG: |WARNING: |KASAN|UBSAN|Call Trace|detected stall|Decompression error'
	bad+='|unknown CPU flag|INFO: possible|inconsistent lock|suspicious RCU|sleeping function called|corruption'
	{ grep -a -v -E "zswap_(faulty|accel)" "$1" || :; } | awk -v bad="$bad" '
		found { next }
		/page allocation (failure|stall)|vmalloc error|invoked oom-killer/ { excused = NR + 8 }
		/Call Trace/ && NR <= excused { next }
		/BUG: KCSAN: |KASAN: .* in kasan_test_rust_uaf/ { next }
		$0 ~ bad { print; found = 1 }' | tr -d '\r'
}
