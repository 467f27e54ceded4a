# SPDX-License-Identifier: GPL-2.0
# growth.gp: docs/growth.svg. `rows` is a file of `scripts/docs.py plot`: a line for each value, AXIS<tab>
# VALUE<tab>then C's and Rust's instructions a page to swap out, to swap in and to free.
set terminal svg size 600,900 font "sans-serif,15" background "#f6f8fa"
set datafile separator tab
set multiplot layout 3,1
set logscale x
set yrange [0:*]
set offsets graph 0.05, graph 0.05, graph 0.1, 0
set border 3 linecolor rgb "#57606a"
set grid ytics linetype 1 linecolor rgb "#d0d7de"
set xtics nomirror
set ytics nomirror format "%.0f k"
set ylabel "instructions a page"
set key outside top center horizontal samplen 2 width -1
axes = "folios cgroups stored"
do for [n=1:3] {
	axis = word(axes, n)
	if (n == 1) { set xtics nomirror ("4 KiB" 4, "16" 16, "64" 64, "256" 256, "2 MiB" 2048); set xlabel "size of the folios" }
	if (n == 2) { unset key; set xtics nomirror ("none" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000); set xlabel "other cgroups with pages in zswap" }
	if (n == 3) { set xtics nomirror ("none" 16384, "64 k" 65536, "256 k" 262144, "1 M" 1048576, "4 M" 4194304); set xlabel "other pages in zswap" }
	at(value) = value > 0 ? value : n == 2 ? 0.1 : 16384
	plot for [way=0:2] rows using (strcol(1) eq axis ? at($2) : NaN):(column(3 + 2 * way) / 1000) with linespoints \
			pointtype 6 pointsize 0.6 dashtype 2 linewidth 1.5 linecolor rgb word("#1f5a92 #b7410e #57606a", way + 1) \
			title word("out in free", way + 1).", C", \
		for [way=0:2] rows using (strcol(1) eq axis ? at($2) : NaN):(column(4 + 2 * way) / 1000) with linespoints \
			pointtype 7 pointsize 0.6 linewidth 2 linecolor rgb word("#1f5a92 #b7410e #57606a", way + 1) \
			title word("out in free", way + 1).", Rust"
}
unset multiplot
