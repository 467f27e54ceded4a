# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by scripts that compare the implementations by running guests of both in parallel, at most
# JOBS at a time. The rows that a guest prints go to the file DIR/IMPL.N, once it has succeeded.
#
#   both_kernels           dies unless there are both
#   guests WHAT DIR        WHAT they are is shown with each, and every 15 s how far they are
#   begin IMPL N           when there is room
#   all_ended
#
# make figures sets FIGURES_FILES, a hash of the files that can change the rows. The rows of each guest are then stored
# under it, and an interrupted run goes on with the next guest. scripts/figures.sh removes them once the block is there.
#
# The sourcing script sets runs to the number of runs of each, files to the files whose rows are
# counted for progress, and defines guest IMPL N, which execs the guest.

declare -A running=() began=()
what='' dir='' beat='' since='' rows_kept=''

both_kernels() {
	local impl kernel
	for impl in c rust; do
		kernel=$(make -s where IMPL=$impl | sed -n 's/^image=//p')
		[ -e "$kernel" ] || die "no kernel at '$kernel': run make kernel IMPL=$impl"
	done
}

stop_guests() {
	local pids=("${!running[@]}" ${beat:+"$beat"})
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || :
	wait
	tidy
}

guests() {
	what=$1 dir=$2
	: "${runs:?}"
	[ -z "${FIGURES_FILES:-}" ] || rows_kept=build/figures.kept/rows/$what/$FIGURES_FILES-${ROOT##*/}-${TURN:-}-${UPTO:-}
	trap stop_guests EXIT
	scripts/enter.sh bash scripts/initramfs.sh gcc 4 build/vm/initramfs.cpio # once, not by each guest
	since=$(now_ms)
	while sleep 15; do
		mapfile -t files < <(files)
		[ ${#files[@]} != 0 ] || continue
		wc -l -- "${files[@]}" 2>/dev/null | awk -v what="$what" -v took="$(took "$since")" '
			$2 != "total" { sub(/.*\//, "", $2); sub(/\.new/, "", $2); sub(/\./, " ", $2); s = s ", " $2 ": " $1 " rows" }
			END { print what " ... " took s }' || :
	done &
	beat=$!
}

# Waits for a guest to end.
reap() {
	local pid run rows status=0
	wait -n -p pid "${!running[@]}" || status=$?
	run=${running[$pid]}
	rows=$dir/${run/ /.}
	# A line that isn't a row is the guest's complaint.
	[ "$status" = 0 ] || die "$what $run: $(grep -h -a . "$rows.err" "$rows.new" | grep -v -P '\t' | tail -n 1)"
	mv "$rows.new" "$rows"
	if [ -n "$rows_kept" ]; then
		mkdir -p "$rows_kept"
		# What else it wrote first: the rows show that it is whole.
		[ ! -e "$rows.counts" ] || cp "$rows.counts" "$rows_kept/"
		cp "$rows" "$rows_kept/${rows##*/}.new" && mv "$rows_kept/${rows##*/}.new" "$rows_kept/${rows##*/}"
	fi
	echo "$what $run of $runs ... ok $(took "${began[$pid]}")"
	unset "running[$pid]"
}

begin() {
	local file
	if [ -n "$rows_kept" ] && [ -e "$rows_kept/$1.$2" ]; then
		for file in "$rows_kept/$1.$2"{,.counts}; do
			[ ! -e "$file" ] || cp "$file" "$dir/"
		done
		echo "$what $1 $2 of $runs ... kept from an earlier run"
		return
	fi
	[ ${#running[@]} -lt "$JOBS" ] || reap
	guest "$1" "$2" >"$dir/$1.$2.new" 2>"$dir/$1.$2.err" &
	running[$!]="$1 $2" began[$!]=$(now_ms)
	echo "$what $1 $2 ..."
}

all_ended() {
	while [ ${#running[@]} != 0 ]; do reap; done
	kill "$beat" 2>/dev/null || :
	beat=
	echo "$what: all runs ... ok $(took "$since")"
}
