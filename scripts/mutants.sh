#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# mutants.sh: mutation testing. Seed one bug at a time, and check that the tests named for it fail.
#
# A file of tests/mutants is a patch to one file of the project, with all mutants of that file: a header for each,
# "mutant: NAME", a description, and the tests that catch it; and a diff that seeds the bugs where
# kernel::mutant!("NAME") enables each. All are applied to a copy of the project, which is built once for each
# configuration that they need; each run selects one bug. First all named tests run with none, and must pass.
# MUTANTS="NAME..." runs some. The other lines of a header:
#
#   history: N             the bug that it reintroduces, as docs/races.md numbers them
#   race: yes              must be caught ten times out of ten
#   config: lockdep        in a kernel with lockdep.config, which is beside it; default: races.config
#   alone: yes             leaves a guest unusable for other mutants
#   caught-by: FILE POINT  a point of a guest test that fails; or "hangs"; or "kernel: TEXT",
#                          from the guest kernel's log
#   caught-by: host CRATE TEST
#   survives: why          nothing catches it
#
# A mutant that no named test catches is then compared with C (twins.sh), which may see it: it has failed all the same,
# but the row says so. TWINS=1 only does that, for each mutant, and says after how many operations.
#
# Results are kept in build/mutants-kept as long as neither the mutant's kernel nor any test
# changes: an interrupted run continues with the remaining mutants, and marks which results were
# kept.
#
# Ends with "N passed, N failed, N skipped", where none is skipped. A run of all mutants writes build/results/mutants.tsv.
. "$(dirname "$0")/lib.sh"
. scripts/seeded.sh

dir=tests/mutants
tree=build/mutants-tree # the project with all mutants
src=build/mutants-src   # the kernel's source with that tree
kept=build/mutants-kept # results
repeats=10              # of a race
limit=240               # seconds in which a guest may print nothing: a point waits for three statistics
begin=$(now_ms)

patches=("$dir"/*.patch)

# The headers, a line for each field: "NAME FIELD: VALUE". The field of the patch is "in".
headers=$(awk '
	FNR == 1 { name = "" }
	/^---$/ { nextfile }
	sub(/^mutant: /, "") { name = $0; print name " in: " FILENAME; next }
	name && /^(history|race|config|alone|caught-by|survives): / { print name " " $0 }' "${patches[@]}")
# header NAME FIELD: the field's values in the mutant's header, one on each line.
header() { sed -n "s/^$1 $2: //p" <<<"$headers"; }

mapfile -t all < <(sed -n 's/ in: .*//p' <<<"$headers")
for name in "${all[@]}"; do
	patch=$(header "$name" in)
	[[ $patch != *$'\n'* ]] || die "there are two mutants $name: in ${patch//$'\n'/ and }"
	grep -q -F "::mutant!(\"$name\")" "$patch" || die "$patch has a header for $name, but its diff does not use mutant!(\"$name\")"
	[ -n "$(header "$name" caught-by)$(header "$name" survives)" ] || die "$patch: $name names no test that catches it"
done
for patch in "${patches[@]}"; do
	grep -q -x -e --- "$patch" && [ "$(grep -c '^+++ ' "$patch")" = 1 ] || die "$patch is not a patch to one file, after headers and ---"
	while read -r name; do
		[ -n "$(header "$name" in)" ] || die "$patch uses mutant!(\"$name\"), which has no header"
	done < <(grep -o '::mutant!("[^"]*")' "$patch" | cut -d'"' -f2)
done
read -ra names <<<"${MUTANTS:-${all[*]}}"

stamp

# --- The project with all seeded bugs -----------------------------------------------------

# Run by step, where bash ignores set -e.
apply() { # TREE
	# shellcheck disable=SC2016 # expanded in the root
	scripts/enter.sh bash -c '
		new=$1
		shift
		for patch; do
			patch -p1 -s -F0 -f --no-backup-if-mismatch -r- -d "$new" <"$patch" && continue
			echo "$patch does not apply: write it anew for the code as it is"
			exit 1
		done' _ "$1" "${patches[@]}"
}

step "mutants laid" lay "$tree" "$src" apply

# --- The host's tests, seconds each ------------------------------------------------------

# Runs a test by its name, or by part of it.
host() { # MUTANT CRATE [TEST]
	scripts/enter.sh env ZSWAP_MUTANT="$1" cargo test --quiet --offline --manifest-path "$tree/Cargo.toml" \
		--target-dir build/mutants-host -p "$2" -- --format=pretty ${3:+"$3"}
}

host_catches() { # MUTANT CRATE TEST
	host "$@" >"$log" 2>&1 || :
	grep -q -E "^test (.*::)?$3( - should panic)? \.\.\. FAILED" "$log"
}

# --- The tests in the guest ----------------------------------------------------------------

# guest VARIANT NAME ARGS FILE...: leaves its output and its kernel's log in $log.
guest() {
	local variant=$1 name=$2 args=$3
	shift 3
	VARIANT=$variant scripts/vm.sh -n "$name" -t $limit -a "$args oops=panic" sh suite.sh "$@" >"$log" 2>&1 ||
		echo "guest status $?" >>"$log"
	sed 's/^/kernel: /' "build/log/$name.console" >>"$log"
}

guest_catches() { # MUTANT VARIANT FILE POINT
	guest "$2" "mutant-$1" "$(boot_of "$3") zswap_mutant=$1" "$3"
	case $4 in
	hangs) grep -q 'the guest printed nothing for' "$log" ;;
	"kernel: "*) grep -a -q -F -e "${4#kernel: }" "$log" ;;
	# KUnit's are indented; if the guest dies before its suite has ended, they are only in the kernel's log.
	*) grep -a -q -E -e "^(kernel: \[[^]]*\])? *not ok .* $4" "$log" ;;
	esac
}

# twins NAME: compares with C, in a guest of its own. Leaves what differs in seen, empty if nothing does.
twins() {
	[ "$twins_built" = yes ] || build mutants
	twins_built=yes
	until_sign "mutant-$1-twins" mutants 300 "$(boot_of twins.sh) zswap_twins.seed=$seed swap_twins.seed=$seed zswap_mutant=$1" twins.sh
}
twins_built='' seed=1

variant_of() { local config; config=$(header "$1" config); echo "mutants${config:+-$config}"; }

# build VARIANT: builds its kernel.
build() {
	local fragment=$dir/${1#mutants-}.config
	[ "$1" != mutants ] || fragment=$dir/races.config
	ENTER_SRC=$src VARIANT=$1 EXTRA_CONFIG=$fragment scripts/kernel.sh rust
}

# --- Only the comparison with C --------------------------------------------------------------

if [ -n "${TWINS:-}" ]; then
	twins ''
	[ -z "$seen" ] || die "the twins differ without a seeded bug: $seen"
	found=0 table=build/mutants-by-twins.md
	printf '%s\n' '| mutant | the twins |' '|---|---|' >$table
	for name in "${names[@]}"; do
		start=$(now_ms)
		twins "$name"
		[ -z "$seen" ] || found=$((found + 1))
		printf '%-36s %s (%s)\n' "$name" "${seen:-not seen}" "$(took "$start")"
		# shellcheck disable=SC2016 # backticks of the table
		printf '| [`%s`](../%s) | %s |\n' "$name" "$(header "$name" in)" "${seen:-}" >>$table
	done
	echo "the twins catch $found of ${#names[@]}, $(took "$begin"): $table"
	exit
fi

# The tests of all mutants, by where they run.
hosts=() variants=()
declare -A files
for name in "${names[@]}"; do
	variant=$(variant_of "$name")
	while read -r where what; do
		if [ "$where" = host ]; then
			hosts+=("$what")
		else
			[ -f "tests/vm/$where" ] || die "$(header "$name" in): $name: there is no test tests/vm/$where"
			variants+=("$variant")
			files["$variant $(boot_of "$where")"]+="$where"$'\n'
		fi
	done < <(header "$name" caught-by)
done
mapfile -t hosts < <(printf '%s\n' "${hosts[@]}" | sort -u | grep .)
mapfile -t variants < <(printf '%s\n' "${variants[@]}" | sort -u | grep .)

# --- Without a bug all tests pass ----------------------------------------------------------

rm -f build/log/mutant-none*
log=build/log/mutant-none-host.log
for what in "${hosts[@]}"; do
	step "none, host $what" host "" "${what%% *}" "${what#* }"
	cat "$LOG" >>"$log.new"
done
[ ! -e "$log.new" ] || mv "$log.new" "$log"
for variant in "${variants[@]}"; do
	build "$variant"
done
scripts/accel.sh >build/log/mutants-accel.log
n=0
for key in "${!files[@]}"; do
	n=$((n + 1))
	log=build/log/mutant-none-$n.log
	mapfile -t these < <(sort -u <<<"${files[$key]}" | grep .)
	start=$(now_ms)
	guest "${key%% *}" "mutant-none-$n" "${key#* }" "${these[@]}"
	echo "files ${these[*]} " >>"$log"
	printf '%-36s %s (%s)\n' none "${key%% *}: ${these[*]}" "$(took "$start")"
done
cat build/log/mutant-none-*.log >build/log/mutant-none.log
# passes FILE POINT: whether it has done so without a seeded bug.
passes() {
	local none=build/log/mutant-none.log of
	case "$1 $2" in
	"host "*) grep -q -E "^test (.*::)?${2#* }( - should panic)? \.\.\. ok" $none ;;
	*" hangs") ! grep -q 'the guest printed nothing for' $none ;;
	*" kernel: "*)
		# Each guest that ran the file has ended, without that text in its log.
		of=$(grep -l -a "^files .*\b$1 " build/log/mutant-none-[0-9]*.log) || return
		for of in $of; do
			! grep -a -q '^guest status' "$of" && ! grep -a -q -F -e "${2#kernel: }" "$of" || return
		done
		;;
	*) grep -a -e "^ *ok .* $2" $none | grep -a -q -v '# SKIP' ;;
	esac
}

# --- One at a time ---------------------------------------------------------------------------

# The key of a kept result: everything that determines it, except timing.
tests=$(find tests/vm tests/mutants "$tree" -type f ! -path '*/build/*' -print0 | sort -z |
	xargs -0 cat scripts/{mutants,vm,initramfs}.sh | sha256sum)
mkdir -p "$kept"
key() {
	local variant
	variant=$(variant_of "$1")
	[[ $(header "$1" caught-by) == "host "* ]] || sha256sum <"build/$variant/arch/x86/boot/bzImage"
	echo "$tests"
}
from_before() { # NAME: its verdict, if it was caught
	[ -e "$kept/$1" ] && cmp -s <(key "$1") <(head -n -2 "$kept/$1") || return
	mapfile -t before < <(tail -n 2 "$kept/$1")
}

passed=0 failed=0 survived=0 known=0
results=build/mutants-results
: >$results
# verdict NAME TEXT TIME
verdict() {
	printf '%s\t%s\t%s\n' "$1" "${2//$'\t'/ }" "$3" >>$results
	case $2 in
	"caught "*)
		passed=$((passed + 1))
		{ key "$1" && printf '%s\n' "${2%, kept}" "$3"; } >"$kept/$1.new" && mv "$kept/$1.new" "$kept/$1"
		;;
	"survives: "*) survived=$((survived + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	printf '%-36s %s (%s)\n' "$@"
}

# in_one_guest VARIANT FILE NAME...: one after the other, and then none. Leaves in missed how many were made
# and not seen; and in the array done those that were caught, if what is named for them passes without one
# after that. The result of the others isn't known. One bug repeatedly, which a KUnit case catches:
# that case alone.
in_one_guest() {
	local variant=$1 file=$2 name point run=() k=0 only=
	shift 2
	point=$(first_point "$1")
	[ "$file ${2:-}" != "races.sh $1" ] || ! grep -q -r "KUNIT_CASE[A-Z_]*($point)" tests/kunit ||
		only=" kunit.filter_glob=zswap_races.$point"
	for name; do
		run+=("mutant=$name" "$file")
	done
	log=build/log/mutants-of-$file.log
	guest "$variant" "mutants-of-$file" "$(boot_of "$file")$only" "${run[@]}" mutant= "$file"
	missed=0
	for name; do
		k=$((k + 1))
		section $k >"build/log/mutant-$name.log"
		if grep -a -q -e "^ *not ok .* $(first_point "$name")" "build/log/mutant-$name.log"; then
			done+=("$name")
		elif grep -a -q -e "^ *ok .* $(first_point "$name")" "build/log/mutant-$name.log"; then
			missed=$((missed + 1))
		fi
	done
	section $(($# + 1)) >"$log.none"
	while read -r -u 3 point; do
		grep -a -e "^ *ok .* $point" "$log.none" | grep -a -q -v '# SKIP' || done=()
	done 3< <(for name; do first_point "$name"; done)
}
section() { awk -v k="$1" '/^# mutant=/ { n++ } n == k' "$log"; }
first_point() { header "$1" caught-by | { read -r _ point && echo "$point"; }; }
seconds() { awk '/^(not )?ok / { s += $(NF - 1) } END { printf "%.1f s", s }' "build/log/mutant-$1.log"; }

# On the host first, then those that share a guest, then each that needs its own guest: a race, a
# hang or crash, and those not caught in a shared guest.
declare -A shared
keys=() alone=()
for name in "${names[@]}"; do
	if from_before "$name"; then
		known=$((known + 1))
		verdict "$name" "${before[0]%, kept}, kept" "${before[1]}"
		continue
	fi
	read -r where point < <(header "$name" caught-by; echo)
	if [ "$where" = host ]; then
		start=$(now_ms)
		log=build/log/mutant-$name.log
		if passes host "$point" && host_catches "$name" "${point%% *}" "${point#* }"; then
			verdict "$name" "caught by host $point" "$(took "$start")"
		else
			alone+=("$name")
		fi
	elif [[ -z $where || $point == hangs || $point == "kernel: "* || -n $(header "$name" race)$(header "$name" alone) ]]; then
		alone+=("$name")
	else
		key="$(variant_of "$name") $where"
		[ -n "${shared[$key]:-}" ] || keys+=("$key")
		shared[$key]+="$name "
	fi
done
for key in "${keys[@]}"; do
	read -ra these <<<"${shared[$key]}"
	for ((at = 0; at < ${#these[@]}; at += 12)); do
		done=()
		in_one_guest "${key% *}" "${key#* }" "${these[@]:at:12}"
		for name in "${these[@]:at:12}"; do
			if [[ " ${done[*]} " == *" $name "* ]]; then
				verdict "$name" "caught by ${key#* } $(first_point "$name")" "$(seconds "$name")"
			else
				alone+=("$name")
			fi
		done
	done
done
for name in "${alone[@]}"; do
	log=build/log/mutant-$name.log
	variant=$(variant_of "$name")
	runs=1
	[ -z "$(header "$name" race)" ] || runs=$repeats
	start=$(now_ms)
	said=
	while read -r -u 3 where point; do
		caught=0
		if ! passes "$where" "$point"; then
			said+="${said:+; }MISSED: without a seeded bug $where $point doesn't pass either"
			continue
		fi
		# A race is repeated in one guest, if the guest survives. A race that was missed
		# once isn't repeated further.
		if [ $runs != 1 ] && [ "$where" != host ] && [ -z "$said" ]; then
			done=()
			mapfile -t again < <(yes "$name" | head -n $runs)
			in_one_guest "$variant" "$where" "${again[@]}"
			[ ${#done[@]} != $runs ] || caught=$runs
			if [ $missed != 0 ]; then
				said="MISSED by $where $point $missed times of $runs"
				continue
			fi
		fi
		while [ $caught -lt $runs ]; do
			if [ "$where" = host ]; then
				host_catches "$name" "${point%% *}" "${point#* }" || break
			else
				guest_catches "$name" "$variant" "$where" "$point" || break
			fi
			caught=$((caught + 1))
		done
		if [ $caught = $runs ]; then
			said="caught by $where $point"
			[ $runs = 1 ] || said+=", $runs times of $runs"
			break
		fi
		said+="${said:+; }MISSED by $where $point"
		[ $caught = 0 ] || said+=" after $caught times"
	done 3< <(header "$name" caught-by)
	# What no test was named for that catches it, the comparison with C may.
	if [[ $said != "caught "* ]]; then
		twins "$name"
		[ -z "$seen" ] || said+="${said:+; }caught by the twins, not by its test: $seen"
	fi
	[ -n "$said" ] || said="survives: $(header "$name" survives)"
	verdict "$name" "$said" "$(took "$start")"
	[[ $said != *MISSED* ]] || grep -a -e '^ *not ok' -e '^test .* FAILED' -e '^zswap_rs:' "$log" | sed 's/^/        /' | head -n 5 || :
done
took="$(took "$begin"), $((${#names[@]} - known)) run, $known kept from before"
echo "all mutants ... $took"
[ -n "${MUTANTS:-}" ] || scripts/enter.sh python3 scripts/verdicts.py mutants $results
[ $survived = 0 ] || echo "$survived survive, for the reasons given"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
