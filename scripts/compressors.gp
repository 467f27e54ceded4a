# SPDX-License-Identifier: GPL-2.0
# compressors.gp: the picture of docs/compressors.md. `rows` is a file from compressors.py: a line for each compressor,
# NAME<tab>INSTRUCTIONS TO STORE<tab>TO LOAD<tab>MEMORY IN % OF A PAGE.
set terminal svg size 900,520 font "sans-serif,14" background "#ffffff"
set datafile separator tab
set multiplot layout 1,2
set logscale x 2
set xrange [*:*]
set offsets graph 0.12, graph 0.34, graph 0.08, graph 0.08
set grid
set xtics ("20 k" 20000, "50 k" 50000, "100 k" 100000, "200 k" 200000, "500 k" 500000, "1 M" 1000000)
set ylabel "memory, % of the pages"
unset key
do for [n=2:3] {
	set xlabel (n == 2 ? "instructions to store a page" : "instructions to load a page")
	plot rows using n:4 with points pointtype 7 pointsize 0.9 linecolor rgb "#1f5a92", \
		rows using n:4:1 with labels noenhanced left offset 0.8, 0.3
	unset ylabel
}
unset multiplot
