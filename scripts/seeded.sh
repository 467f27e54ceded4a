# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by mutants.sh and drawn.sh: a kernel with seeded bugs, one of which is enabled at a time, and guests that end
# at the first sign of it.

laid=() # the project's files in the tree

# lay TREE SRC SEED...: makes TREE, the project with the selector of mutants and what "SEED... TREE" puts into it, and
# SRC, the kernel's source with that. Run by step, where bash ignores set -e.
lay() {
	local tree=$1 src=$2 new=$1.new file lib
	shift 2
	rm -rf "$new" && mkdir -p "$new/build" || return
	while read -r file; do
		case $file in rust/* | samples/*) laid+=("$file") ;; esac
	done <build/overlay/manifest
	(cd build/src && cp -p --parents -t "../../$new" "${laid[@]}") || return
	cp -pr --parents -t "$new" Cargo.toml Cargo.lock tests/host || return
	ln -s ../../src "$new/build/src" || return # for tests that look at C's headers

	cp tests/mutants/selector/kernel.rs "$new/rust/kernel/mutant.rs" || return
	echo 'pub mod mutant;' >>"$new/rust/kernel/lib.rs"
	cp tests/mutants/selector/mutant.c "$new/samples/rust/zswap_rs/" || return
	echo 'obj-y += mutant.o' >>"$new/samples/rust/zswap_rs/Makefile"
	# The host tests have more than one crate that stands in for the kernel's.
	while read -r lib; do
		cp tests/mutants/selector/host.rs "${lib%/*}/mutant.rs" || return
		echo 'pub mod mutant;' >>"$lib"
	done < <(grep -l -r -x 'extern crate self as kernel;' "$new/tests/host" --include=lib.rs)

	"$@" "$new" || return

	# Unchanged files keep their time, so that nothing is rebuilt.
	while IFS= read -r -d '' file; do
		[ -e "$tree/$file" ] || continue
		if cmp -s "$tree/$file" "$new/$file"; then touch -r "$tree/$file" "$new/$file"; else touch "$new/$file"; fi
	done < <(find "$new" -type f -printf '%P\0')
	rm -rf "$tree" && mv -T "$new" "$tree" || return

	if ! cmp -s build/overlay/origin "$src.origin"; then
		rm -rf "$src" "$src.origin" && cp -al build/src "$src" && cp build/overlay/origin "$src.origin" || return
	else
		# Only files that the overlay may have changed since.
		sort -u build/overlay/manifest "$src.manifest" | while read -r file; do
			if [ -e "build/src/$file" ]; then echo "$file"; else rm -f "$src/$file"; fi
		done >"$src.new"
		(cd build/src && xargs cp -al --remove-destination --parents -t "../../$src" <"../../$src.new") || return
	fi
	(cat build/overlay/manifest && cd "$tree" && find rust samples -type f) >"$src.manifest"
	(cd "$tree" && find rust samples -type f -exec cp -p --remove-destination --parents -t "../../$src" {} +)
}

boot_of() { sed -n 's/^# boot: //p' "tests/vm/$1"; }

# sign NAME: the first sign in the logs of the guest that something is wrong: a case, a point, or what the kernel
# complained of; of the twins the operation, and the first thing that differed. Empty if all is well so far.
sign() {
	local said
	said=$(tr -d '\r' <"build/log/$1.console" | awk '
		{ sub(/^\[ *[0-9.]+\] /, "") }
		/# Subtest: / { suite = $NF; differs = "" }
		/^ *# [a-z0-9_]+: [a-z]+: [a-z_]+ is -?[0-9]+ in C, / && !differs { differs = $3 " " $4 }
		/^ *# [a-z0-9_]+: (EXPECTATION|ASSERTION) FAILED/ && !point { sub(":", "", $2); point = suite "." $2 }
		/^ *# [a-z0-9_]+: try timed out/ && !point { sub(":", "", $2); point = suite "." $2 }
		/^ +not ok / && !point { point = suite "." $4 }
		/operation [0-9]+ of [a-z_]+\.seed=/ && !operation { match($0, /operation [0-9]+/); operation = substr($0, RSTART, RLENGTH) }
		END { if (point) print point (operation ? ", " operation : "") (differs ? ", " differs : "") }')
	[ -n "$said" ] || said=$(awk '
		/^# file / { file = $3 }
		/^ *not ok / { sub(/^ *not ok [0-9]+ (- )?/, ""); sub(/ # [0-9.]+ s$/, ""); print file ": " $0; exit }' "build/log/$1.out")
	[ -n "$said" ] || said=$(complaint "build/log/$1.console" | sed "s/^\[ *[0-9.]*\] */kernel: /; s#$TOP/build/src/##g")
	printf %s "$said"
}

# until_sign NAME VARIANT SECONDS ARGS FILE...: runs these tests of tests/vm in a guest, which it ends at the first
# sign. Leaves that in seen, empty if there was none within SECONDS. The sourcing script sets limit, as many seconds as
# the guest may print nothing.
until_sign() {
	: "${limit:?}"
	local name=$1 variant=$2 end=$((SECONDS + $3)) args=$4 status=0
	shift 4
	rm -f build/log/"$name".{console,out}
	set -m # a process group of its own, so that it can be stopped as a whole
	VARIANT=$variant scripts/vm.sh -n "$name" -t "$limit" -a "$args oops=panic" sh suite.sh "$@" </dev/null >"build/log/$name.log" 2>&1 &
	job=$!
	set +m
	seen=
	while kill -0 "$job" 2>/dev/null; do
		sleep 0.5
		[ ! -e "build/log/$name.out" ] || seen=$(sign "$name")
		[ -z "$seen" ] || sleep 1 # for the lines that follow
		if [ -n "$seen" ] || [ $SECONDS -ge $end ]; then
			stop_job
		fi
	done
	if [ -n "$job" ]; then
		wait "$job" || status=$?
		job=
	fi
	seen=$(sign "$name")
	[ -n "$seen" ] || [ $status = 0 ] || seen=$(tail -n 1 "build/log/$name.log" | sed "s/^zswap_rs: $name: //
		s/^the guest printed nothing for [0-9]* s, after: \([a-z-]*\.sh\): .*/hangs in \1/
		s/^the guest printed nothing for .*/hangs in its boot/; s/^the guest died: .*/dies/")
	if [ -z "$seen" ] && [ $SECONDS -ge $end ]; then
		seen="not done in time"
	fi
}
