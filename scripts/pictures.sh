#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# pictures.sh NAME...: draw docs/NAME.svg anew, from the tables of docs: performance, growth, compressors.
. "$(dirname "$0")/lib.sh"

# plot NAME SCRIPT TITLE
plot() {
	local out=build/pictures
	mkdir -p "$out"
	scripts/enter.sh python3 scripts/pictures.py rows "$1" >"$out/$1.tsv"
	scripts/enter.sh gnuplot -e "rows='$out/$1.tsv'; limit=1.01; set output '$out/$1.svg'" "$2"
	scripts/enter.sh python3 scripts/pictures.py plot "$out/$1.svg" "$3" >"docs/$1.svg"
}

for name; do
	case $name in
	performance) plot "$name" scripts/bench.gp "What swapping takes in Rust: instructions a page, C's being 1.00" ;;
	growth) plot "$name" scripts/growth.gp "How the cost of swapping grows: instructions a page in C and in Rust" ;;
	compressors) plot "$name" scripts/compressors.gp "Memory against instructions to store and to load a page, for each compressor" ;;
	*) die "there is no plot '$name': performance, growth, compressors" ;;
	esac
done
