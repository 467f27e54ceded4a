#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# measure.sh [NAME...] [check]: experiments with both implementations, one after the other; without a name all but bench.
# Builds their kernels, runs the guests that the table below lists, and has scripts/measure.py reduce their rows to
# build/results/NAME.tsv. With check, only validates the input.
#
# What is special about an experiment is in its section: functions NAME_input, which validates variables, NAME_kernels in
# place of building both kernels, NAME_before, which prepares guests, NAME_as IMPL N COMMAND..., which execs a guest's
# command, and NAME_run in place of running guests.
# shellcheck disable=SC2317 # functions that are called by name
. "$(dirname "$0")/lib.sh"

# --- Guests ---------------------------------------------------------------------------

# The guests run in parallel, at most JOBS at a time. The rows that one prints go to the file $out/IMPL.N, once it has
# succeeded.
declare -A running=() began=()
beat='' since=''

stop_guests() {
	local pids=("${!running[@]}" ${beat:+"$beat"})
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || :
	wait
	tidy
}

# guest IMPL N: execs it, with what the table has.
guest() {
	# Used by what the table has.
	# shellcheck disable=SC2034
	local impl=$1 n=$2
	eval "set -- $words"
	set -- scripts/vm.sh -n "$name-$impl-$n" "$@"
	if has as; then "${name}_as" "$impl" "$n" "$@"; fi
	variant "$impl" "$n" "$@"
}

# Waits for a guest to end.
reap() {
	local pid run rows status=0
	wait -n -p pid "${!running[@]}" || status=$?
	run=${running[$pid]}
	rows=$out/${run/ /.}
	# A line that isn't a row is the guest's complaint.
	[ "$status" = 0 ] || die "$name $run: $(grep -h -a . "$rows.err" "$rows.new" | grep -v -P '\t' | tail -n 1)"
	mv "$rows.new" "$rows"
	echo "$name $run of $runs ... ok $(took "${began[$pid]}")"
	unset "running[$pid]"
}

# begin IMPL N: when there is room
begin() {
	if [ -e "$out/$1.$2" ]; then
		echo "$name $1 $2 of $runs ... kept from an earlier run"
		return
	fi
	[ ${#running[@]} -lt "$JOBS" ] || reap
	guest "$1" "$2" >"$out/$1.$2.new" 2>"$out/$1.$2.err" &
	running[$!]="$1 $2" began[$!]=$(now_ms)
	echo "$name $1 $2 ..."
}

# run_guests: RUNS of each implementation. Every 15 s it shows how far they are.
run_guests() {
	local impl n
	trap stop_guests EXIT
	scripts/enter.sh bash scripts/initramfs.sh gcc 4 build/vm/initramfs.cpio # once, not by each guest
	since=$(now_ms)
	while sleep 15; do
		find "$out" -name '*[0-9]' -o -name '*.new' | sort | xargs -r wc -l 2>/dev/null | awk -v what="$name" -v took="$(took "$since")" '
			$2 != "total" { sub(/.*\//, "", $2); sub(/\.new/, "", $2); sub(/\./, " ", $2); s = s ", " $2 ": " $1 " rows" }
			END { print what " ... " took s }' || :
	done &
	beat=$!
	for ((n = 1; n <= runs; n++)); do
		for impl in "${impls[@]}"; do
			begin "$impl" "$n"
		done
	done
	while [ ${#running[@]} != 0 ]; do reap; done
	kill "$beat" 2>/dev/null || :
	beat=
	echo "$name: all runs ... ok $(took "$since")"
}

# --- Steps that experiments share -----------------------------------------------------

# variant IMPL N COMMAND...: with the kernel of IMPL that scripts/KERNELS.config changes, or with the plain one. KERNELS is the
# experiment, unless it shares those of another. (Not $name, which attempt() has as well.)
variant() {
	local impl=$1 fragment=scripts/$kernels.config
	shift 2
	[ "$kernels" != plain ] || fragment=
	IMPL=$impl VARIANT=$kernels-$impl LIKE=$kernels-$like EXTRA_CONFIG=$fragment exec "$@"
}
variants() {
	local impl
	like=$1 kernels=${kernels:-$name}
	for impl; do
		(variant "$impl" 0 scripts/kernel.sh "$impl")
	done
}
# as_plugin IMPL N OPTIONS COMMAND...: counted by the experiment's plugin of QEMU
as_plugin() { export PLUGIN=$TOP/build/plugin/$name.so,out=$TOP/$out/$1.$2.counts,$3; }
symbols_of() { scripts/enter.sh nm -n -C "build/$1/vmlinux" >"$out/$2.symbols"; }

# uml_kernel FOLDER IMPL OPTION...: a kernel of User Mode Linux with time.kunitconfig and these options. A new folder starts as
# a copy of the one before: they differ little, and make rebuilds the difference.
uml_config=$TOP/build/src/samples/rust/zswap_rs/kunit/time.kunitconfig
uml_before=
copy() { rm -rf "$2.new" && cp -a "$1" "$2.new" && rm -f "$2.new"/{vmlinux,linux,test.log} && mv -T "$2.new" "$2"; }
uml_kernel() {
	local dir=$TOP/build/$1 chosen=RUST make=("CC=ccache clang" "${KBUILD[@]}") more=("${@:3}")
	[ "$2" != c ] || chosen=C
	[ -e "$dir" ] || [ -z "$uml_before" ] || step "copy for $1" copy "$TOP/build/$uml_before" "$dir"
	uml_before=$1
	mkdir -p "$dir"
	step "config $1" kunit "$ROOT" no config --kunitconfig="$uml_config" --build_dir="$dir" "${make[@]/#/--make_options=}" \
		--kconfig_add=CONFIG_ZSWAP_$chosen=y --kconfig_add=CONFIG_SWAP_CACHE_$chosen=y "${more[@]/#/--kconfig_add=}"
	[ -f "$dir/vmlinux" ] || STEP_LINES=1400
	step "kernel $1" scripts/enter.sh make -C build/src O="$dir" ARCH=um -j"$JOBS" "${make[@]}" linux
	STEP_LINES=
}
# uml_pairs SUITE CPUS: RUNS boots of each kernel by turns. The suite's rows of each go to $out/IMPL.N.
uml_pairs() {
	local n impl dir start
	for ((n = 1; n <= runs; n++)); do
		start=$(now_ms)
		for impl in "${impls[@]}"; do
			dir=$TOP/build/$name-$impl
			LOG=build/log/$name-$impl-$n.log
			rm -f "$dir/test.log"
			# Without step, which would look at the log while the time is taken.
			kunit "$ROOT" no exec --kunitconfig="$uml_config" --build_dir="$dir" --timeout=1000000 \
				--kernel_args=seccomp=on --kernel_args=ncpus="$2" "$1" </dev/null >"$LOG" 2>&1 || failed "$name $impl $n"
			# The kernel's log, which kunit.py leaves in its build folder.
			sed -n "s/.*$1:\t//p" "$dir/test.log" | tr -d '\r' >"$out/$impl.$n"
		done
		echo "$name pair $n of $runs ... ok $(took "$start")"
	done
}

# --- ab -------------------------------------------------------------------------------

# Both in one kernel, by turns on the same folios and slots; in three kernels, in each of which the two lie in another
# order.
ab_kernels() {
	local order
	impls=(0 1 2)
	for order in "${impls[@]}"; do
		printf '%s\n' CONFIG_ZSWAP_TIME_KUNIT_TEST=y CONFIG_ZSWAP_AB_KUNIT_TEST=y "CONFIG_ZSWAP_AB_ORDER=$order" >"$out/$order.config"
		LIKE=$([ "$order" = 0 ] || echo ab-0) VARIANT=ab-$order EXTRA_CONFIG=$out/$order.config scripts/kernel.sh rust
	done
}
ab_as() { IMPL=rust VARIANT=ab-$1 exec "${@:3}"; }

# --- bench ----------------------------------------------------------------------------

bench_before() {
	local differ
	# Only the implementation may differ; options that aren't set may be missing.
	differ=$(diff <(grep '^CONFIG_' build/plain-c/.config | sort) <(grep '^CONFIG_' build/plain-rust/.config | sort) |
		sed -n 's/^[<>] \(CONFIG_[A-Z0-9_a-z]*\).*/\1/p' | sort -u |
		grep -v -x -E 'CONFIG_(ZSWAP|SWAP_CACHE)_(RUST|C)|CONFIG_ZSWAP_RUST_KUNIT_TEST|CONFIG_ZSWAP_LARGE_SWAPIN|CONFIG_RUST_SWAP_ABSTRACTIONS' | paste -sd' ') || true
	[ -z "$differ" ] || die "the two kernels differ in $differ: build both from the same fragments"
}

# --- compressors ----------------------------------------------------------------------

# Instructions in a guest whose clock counts them, both LZ4s' time on this machine, and the cost of stores with an
# accelerator, of which the table's guests are.
compressors_before() {
	local start corpus=build/vm/corpus-plain-rust.img package=profile.release.package.lz4_flex flags
	IMPL=rust VARIANT=plain-rust scripts/demo.sh corpus
	echo "instructions ..."
	start=$(now_ms)
	IMPL=rust VARIANT=plain-rust scripts/vm.sh -n compressors -r -m 512M -a kunit.enable=0 -d "$TOP/$corpus" sh codecs.sh 1024 \
		lz4 lz4-rust lzo lzo-rle zstd deflate 842 >"$out/codecs" || die "counting instructions failed: $(tail -n 1 "$out/codecs")"
	echo "instructions ... ok $(took "$start")"
	# lz4_flex with the kernel's flags, except those that name a target; for the flags of C, see
	# tests/host/lz4/build.rs.
	flags='["-Ctarget-feature=-sse,-sse2,-sse3,-ssse3,-sse4.1,-sse4.2,-avx,-avx2", "-Ctarget-cpu=x86-64", "-Ztune-cpu=generic", "-Zno-jump-tables", "-Ccodegen-units=1"]'
	step "time" scripts/enter.sh env RUSTC_BOOTSTRAP=1 bash -c '"${@:2}" >"$1"' _ "$out/time" \
		cargo -Zprofile-rustflags run -q --release --offline --locked --target-dir build/host-release \
		--config "$package.rustflags=$flags" --config "$package.opt-level=2" -p lz4 --example time -- "$corpus" 301
}

# --- contention -----------------------------------------------------------------------

# Locked instructions and accesses to cache lines that other CPUs have, in guests with eight CPUs that all swap at once. In
# each run the CPUs' turns have other lengths, of TURN instructions (256) on average. With 64 it takes twice as long, and
# counts the same.
contention_input() {
	turn=${TURN:-256}
	number TURN "$turn" 1 99999
}
contention_kernels() { variants rust c; }
contention_before() {
	local impl
	scripts/cache.sh plugin
	IMPL=rust VARIANT=contention-rust scripts/demo.sh corpus
	corpus=$TOP/build/vm/corpus-contention-rust.img
	for impl in rust c; do
		symbols_of "contention-$impl" "$impl"
		# Where interrupts and exceptions come in, and zswap is called: by all functions that it has for other files.
		awk '$3 ~ /^asm_(sysvec_|common_interrupt$|spurious_interrupt$)/ { print $1, "irq" }
			$3 ~ /^asm_exc_/ { print $1, "exc" }
			$2 == "T" && $3 ~ /^zswap_[a-z_]+$/ { print $1, "zswap" }' "$out/$impl.symbols" >"$out/$impl.entries"
	done
}
contention_as() {
	as_plugin "$1" "$2" "entries=$TOP/$out/$1.entries,seed=$2,turn=$turn"
	variant "$@"
}

# --- coverage -------------------------------------------------------------------------

# measure.sh coverage [tests/vm/FILE...]: the lines of the policy that the guest tests reach, all of them or these, from the
# code that QEMU translates. The kernel gets only line tables in addition. docs/testing.md gives the reason for each line
# not reached.
coverage_input() { needs_root; }
coverage_kernels() {
	export IMPL=rust VARIANT=coverage KRUSTFLAGS=-Cdebuginfo=line-tables-only
	scripts/kernel.sh rust
}
coverage_run() {
	local vmlinux=build/coverage/vmlinux.unstripped
	COVER=$(scripts/enter.sh python3 scripts/coverage.py ranges "$vmlinux")
	[ -n "$COVER" ] || die "$vmlinux has no line tables of the policy"
	export COVER
	reduce=(-n)
	if [ ${#files[@]} = 0 ]; then
		reduce=()
		mapfile -t files < <(grep -l '^# boot: ' tests/vm/*.sh | xargs grep -L '^# only: ')
		files+=(tests/vm/races.sh) # those of its cases that need no race points
	fi
	# Whether or not a test fails, which it reports itself.
	rm -f build/log/coverage-*.cover
	tests/run.sh "${files[@]}" || true
	reduce+=("$vmlinux" build/log/coverage-*.cover)
}

# --- first ----------------------------------------------------------------------------

# make run and make test in a new clone with an empty cache; then make run with an empty build folder and all of it in ccache.
first_kernels() { :; }
timed() { local TIMEFORMAT='%R %U %S'; { time "${@:2}" 2>&1; } 2>"$1"; }
first_run() {
	local checkout=$TOP/$out/checkout goal ccache
	git clone -q . "$checkout"
	while read -r goal ccache; do
		[ $ccache = empty ] || rm -rf "$checkout/build"
		step "first $goal $ccache" timed "$out/time" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u ONLY -u STAMP ZSWAP_RS_CACHE="$TOP/$out/cache" make -C "$checkout" "$goal"
		echo "$goal $ccache $(cat "$out/time") $(grep -a -v '^make' "$LOG" | tail -n 1)" >>"$out/rows"
	done <<<$'run empty\ntest empty\nrun full'
	reduce=("$out/rows")
}

# --- growth ---------------------------------------------------------------------------

# With the size of folios, with cgroups and with the pages in zswap, up to UPTO: of a RAM disk of as many pages, of which
# none is written, zswap has them all.
growth_input() {
	upto=${UPTO:-4194304}
	number UPTO "$upto" 65536 4194304
}

# --- parity ---------------------------------------------------------------------------

# Results are kept in build/parity/ as long as neither the kernel nor the workload changes. One kernel's image is some
# forty pages larger than the other, and the pool's limit is a hundredth of the memory not used by it; with 514 MiB, a
# hundredth is the same number of pages for both, with some twenty pages of margin (max_pool_percent.4.pages, in the
# workload). LARGE_SWAPIN=Y shows what differs if Rust swaps in large folios from zswap, which C never does.
parity_input() {
	large=${LARGE_SWAPIN:-N}
	case $large in N | Y) ;; *) die "LARGE_SWAPIN=$large is invalid: use N or Y" ;; esac
}
parity_before() {
	local rust
	[ "$large" = N ] || out+=-large
	rust=$(sha256sum <build/plain-rust/arch/x86/boot/bzImage | cut -c1-16)
	out+=/$({ echo "$off $words"; cat build/plain-c/arch/x86/boot/bzImage tests/vm/{parity,params,lib,writeback-paths}.sh tests/vm/init tests/vm/guest/{,*/}*.[ch] \
		scripts/{initramfs,vm}.sh; } | sha256sum | cut -c1-16)
	mkdir -p "$out"
	rm -f "$out"/*.new
	if [ "$(cat "$out/kernel" 2>/dev/null)" != "$rust" ]; then
		rm -f "$out"/rust.*
		echo "$rust" >"$out/kernel"
	fi
	reduce=("$out" "$runs")
	[ "$large" = N ] || reduce=(-n "${reduce[@]}")
}

# --- profile --------------------------------------------------------------------------

# A row of make bench by function: WAY (split) of bench/swapbench.c, CONTENT (text), folios of KIB (4). Only the default row
# is a result.
profile_input() {
	way=${WAY:-split} content=${CONTENT:-text} kib=${KIB:-4}
	case $way in
	out | miss | in | again | sparse | free | scatter | split | ahead | hit | cached | drop | unmap) ;;
	*) die "WAY=$way is unknown: use out, miss, in, again, sparse, free, scatter, split, ahead, hit, cached, drop or unmap" ;;
	esac
	case $content in same | holes | text | random | zero) ;; *) die "CONTENT=$content is unknown: use same, holes, text, random or zero" ;; esac
	case $kib in 4 | 64 | 2048) ;; *) die "KIB=$kib is unknown: use 4, 64 or 2048" ;; esac
}
profile_before() {
	scripts/cache.sh plugin
	symbols_of plain-c c
	symbols_of plain-rust rust
	reduce=("$out" "$way")
	[ "$way $content $kib" = "split text 4" ] || reduce=(-n "${reduce[@]}")
}
profile_as() { as_plugin "$1" "$2" skip=2; } # swapbench warms up for two rounds

# --- stack ----------------------------------------------------------------------------

stack_run() { :; } # nothing boots

# --- scaling --------------------------------------------------------------------------

# tests/kunit/scale.c on User Mode Linux, on as many CPUs as the machine has cores, in RUNS boots of C and Rust by turns. By
# patches/um UML takes no system call for a lock, and barriers, CPU numbers, additions to per-CPU variables and zsmalloc's
# handles are as on x86-64. Judges no time.
scaling_input() {
	limit=${TEST_LIMIT:-300}
	number TEST_LIMIT "$limit" 1 99999
	cpus=$(lscpu -p=CORE | grep -v '^#' | sort -u | wc -l)
	[ "$cpus" -le "$(nproc)" ] || cpus=$(nproc)
}
scaling_kernels() {
	local patch impl key
	[ "$cpus" -ge 2 ] || die "make measure ONLY=scaling needs at least two cores: this machine has one"
	lock build/log/scaling.lock
	# A file that a patch no longer changes would be older than its object.
	key=$(cat patches/um/*.patch build/overlay/{origin,key} | sha256sum)
	if [ "$(cat build/scaling.key 2>/dev/null)" != "$key" ]; then
		rm -rf build/scaling-{c,rust}
		echo "$key" >build/scaling.key
	fi
	export ENTER_SRC=build/scaling-src
	copy_source build/src "$ENTER_SRC"
	for patch in patches/um/*.patch; do
		scripts/enter.sh patch -p1 -F0 -s -f -d "$ENTER_SRC" <"$patch" || die "$patch doesn't apply"
		# With the same time as before: else make builds everything again.
		(cd "$ENTER_SRC" && sed -n 's#^+++ b/##p' "$TOP/$patch" | xargs touch -r "$TOP/$patch")
	done
	for impl in "${impls[@]}"; do
		uml_kernel "scaling-$impl" "$impl" CONFIG_SMP=y CONFIG_NR_CPUS=64 CONFIG_BLK_DEV_RAM_SIZE=1048576 \
			CONFIG_ZSWAP_TIME_KUNIT_TEST=n CONFIG_ZSWAP_SCALE_KUNIT_TEST=y
	done
}
scaling_run() { uml_pairs zswap_scale "$cpus"; }

# --- timing ---------------------------------------------------------------------------

# tests/kunit/time.c on User Mode Linux, whose code this machine runs itself: RUNS pairs of boots, of C and Rust in turn, and
# as many boots of each of three kernels with both, in which the two lie in different orders. Fails only if something
# doesn't run, whatever the times are.
timing_input() {
	limit=${TEST_LIMIT:-300} # seconds in which a boot may print nothing
	number TEST_LIMIT "$limit" 1 99999
	impls=(c rust ab-0 ab-1 ab-2)
}
timing_kernels() {
	local impl more
	lock build/log/timing.lock
	for impl in "${impls[@]}"; do
		more=()
		[[ $impl != ab-* ]] || more=(CONFIG_ZSWAP_AB_KUNIT_TEST=y CONFIG_ZSWAP_AB_ORDER="${impl#ab-}")
		uml_kernel "timing-$impl" "$impl" "${more[@]}"
	done
}
timing_run() { uml_pairs zswap_time 1; }

# --- workloads ------------------------------------------------------------------------

# Programs that people run, over the limit of their cgroup, with folios of 4 and of 64 KiB (bench/workloads.sh). Each of
# these runs in a guest of its own and must end well, with the right results. Then RUNS guests of each kernel, the table's,
# count the instructions of some of the programs for each page moved.
#
# PROGRAMS="usemem sort" and FOLIOS=4 are for tries: nothing is written, and nothing counted unless RUNS is given.
needs_root() { [ -z "${HOSTTOOLS:-}" ] || die "make measure ONLY=$name requires the toolchain root: leave HOSTTOOLS out"; }
workloads_input() {
	needs_root
	local label all=(usemem sort valkey gcc stress-ng memtester postgresql)
	read -ra programs <<<"${PROGRAMS:-${all[*]}}"
	read -ra sizes <<<"${FOLIOS:-4 64}"
	for label in "${programs[@]}"; do
		[[ " ${all[*]} " == *" $label "* ]] || die "PROGRAMS=$PROGRAMS: there is no workload '$label': use ${all[*]}"
	done
	for label in "${sizes[@]}"; do
		[[ $label == 4 || $label == 64 ]] || die "FOLIOS=$FOLIOS: use 4, 64 or both"
	done
	try=${PROGRAMS:-}${FOLIOS:-}
}
workloads_kernels() { variants c rust; }
workloads_as() { variant "$@"; }
# try_workload NAME KIB IMPL: runs it in a guest. Its row, or what is wrong, goes to IMPL.NAME.KIB.
try_workload() {
	local label="workloads $1 $2 KiB $3" row=$workload_rows/$3.$1.$2
	if [ -z "$try" ] && grep -q -s -P "^$1\t$2\t" "$row"; then
		echo "$label ... kept from an earlier run"
	elif attempt "$label" variant "$3" 0 scripts/vm.sh -n "workloads-$1-$2-$3" -d "$disk" -a kunit.enable=0 sh workloads.sh "$1" "$2"; then
		grep -P "^$1\t$2\t" "build/log/workloads-$1-$2-$3.out" >"$row"
	else
		echo "$label ... WRONG: $(tail -n 1 "$LOG")"
		tail -n 1 "$LOG" >"$row"
	fi
}
workloads_run() {
	local key old label kib impl
	scripts/workloads-disk.sh
	disk=$TOP/build/workloads/disk.img
	# The rows of an interrupted run are kept, as long as nothing that they depend on has changed.
	key=$({ cat build/workloads-{c,rust}/arch/x86/boot/bzImage build/workloads/disk.img.key bench/{workloads.sh,usemem.c} tests/vm/{init,lib.sh,counted.sh,steps.sh} scripts/vm.sh; } |
		sha256sum | cut -c1-16)
	workload_rows=build/workloads/rows-$key
	for old in build/workloads/rows-*; do
		[ "$old" = "$workload_rows" ] || rm -rf "$old"
	done
	mkdir -p "$workload_rows"
	for label in "${programs[@]}"; do
		for kib in "${sizes[@]}"; do
			for impl in "${impls[@]}"; do
				try_workload "$label" "$kib" "$impl"
			done
		done
	done

	reduce=(${try:+-n} "$workload_rows")
	counted=()
	for label in usemem sort valkey; do
		[[ " ${programs[*]} " != *" $label "* ]] || counted+=("$label")
	done
	if [ ${#counted[@]} != 0 ] && { [ -z "$try" ] || [ -n "${RUNS:-}" ]; }; then
		out=build/workloads/counts
		rm -rf "$out"
		mkdir -p "$out"
		run_guests
		reduce+=("$out")
	fi
}

# --- whole ----------------------------------------------------------------------------

# What large folios that come back from zswap as a whole cost a build, and readers, over their limits: RUNS boots each of C,
# and of Rust with zswap.large_swapin off and on, by turns.
whole_input() { needs_root; }
whole_kernels() {
	kernels=workloads impls=(c off on)
	variants c rust
}
whole_before() {
	scripts/workloads-disk.sh
	disk=$TOP/build/workloads/disk.img
}
whole_as() {
	local impl=rust
	[ "$1" != c ] || impl=c
	variant "$impl" "${@:2}"
}

# --- All ------------------------------------------------------------------------------

# The guests of an experiment, one of each implementation in each of its runs:
#
#   NAME RUNS MOST [VARIABLE...]: WORD...
#
# RUNS by default, and at most; the variables that it takes. The words are those of scripts/vm.sh: options, and the command;
# $n is the run. Without slab_nomerge caches with objects of one size are one in /proc/slabinfo, with what others have in it.
# timing and scaling boot User Mode Linux.
table=$(cat <<'END'
bench 3 999 RUNS: -r -m 512M -a "$off delay=$n" sh rows.sh
stack 1 1:
metadata 1 1: -r -m 512M -a "slab_nomerge $off" sh metadata.sh
growth 1 1 UPTO: -r -m 3G -t 1800 -a "$off brd.rd_size=$(((upto + 65536) * 4))" sh growth.sh "$upto"
timing 15 999 RUNS:
scaling 5 99 RUNS:
profile 1 1 WAY CONTENT KIB: -r -m 512M -a "$off" sh profile.sh "$kib" "$content" 3 "$way"
ab 1 1: -r -s 0 -m 512M -a "zswap.enabled=0 kunit.autorun=0" sh ab.sh
latency 1 999 RUNS: -r -s 0 -m 512M -t 1800 -a "$off" sh latency.sh 1000 "$n"
compressors 1 1: -r -s 0 -m 512M -a kunit.enable=0 sh accel-time.sh 1024
workloads 5 99 RUNS PROGRAMS FOLIOS: -r -m 768M -t 1800 -d "$disk" -a "$off" sh workloads.sh count "$n" "'${counted[*]}'" "'${sizes[*]}'"
whole 5 99 RUNS: -r -m 768M -t 1800 -d "$disk" -a "$off" sh workloads.sh whole "$n" "$impl"
contention 1 99 RUNS TURN: -r -c 8 -s 0 -m 768M -t 1800 -d "$corpus" -a "$off" sh contention.sh 3
parity 10 99 RUNS LARGE_SWAPIN: -r -m 514M -a "$off delay=$((n % 10)) zswap.large_swapin=$large" sh parity.sh
coverage 1 1:
first 1 1:
END
)
mapfile -t all < <(cut -d' ' -f1 <<<"$table")
names=() files=() check=
for name; do
	case $name in
	check) check=check ;;
	*/*) files+=("$name") ;;
	*) names+=("$name") ;;
	esac
done
[ ${#names[@]} != 0 ] || names=("${all[@]:1}") # bench has a command of its own
for name in "${names[@]}"; do
	[[ " ${all[*]} " == *" $name "* ]] || die "there is no experiment '$name': use ${all[*]}"
done
# Of several, none takes a variable.
IFS=: read -r runs words < <([ ${#names[@]} != 1 ] || sed -n "s/^$name //p" <<<"$table"; echo)
read -r runs most variables <<<"$runs"
for variable in RUNS UPTO WAY CONTENT KIB PROGRAMS FOLIOS TURN LARGE_SWAPIN; do
	[ -z "${!variable:-}" ] || [[ " $variables " == *" $variable "* ]] ||
		die "$variable=${!variable} is not for make measure ONLY=\"${names[*]}\": leave it out"
done
if [ ${#names[@]} != 1 ]; then
	failed=()
	for name in "${names[@]}"; do scripts/measure.sh "$name" check; done
	[ -z "$check" ] || exit 0
	for name in "${names[@]}"; do scripts/measure.sh "$name" || failed+=("$name"); done
	[ ${#failed[@]} = 0 ] || die "failed: ${failed[*]}"
	exit
fi

has() { declare -F "${name}_$1" >/dev/null; }
# For the table. In every guest that counts no KUnit suite runs, and zswap begins disabled.
# shellcheck disable=SC2034
off="zswap.enabled=0 kunit.enable=0"
impls=(c rust) kernels='' out=build/$name reduce=()
runs=${RUNS:-$runs}
number RUNS "$runs" 1 "$most"
if has input; then "${name}_input"; fi
[ -z "$check" ] || exit 0
stamp

case $name in
# These keep what an earlier run has made there.
coverage | parity | workloads) ;;
*) rm -rf "$out" ;;
esac
mkdir -p "$out" build/vm
if has kernels; then
	"${name}_kernels"
else
	kernels=plain # without the checks of make test's kernel
	variants c rust
fi
if has before; then "${name}_before"; fi
if has run; then "${name}_run"; else run_guests; fi
[ ${#reduce[@]} != 0 ] || reduce=("$out")
scripts/enter.sh python3 scripts/measure.py "$name" "${reduce[@]}"
