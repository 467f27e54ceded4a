# SPDX-License-Identifier: GPL-2.0
# compressors.gp: docs/compressors.svg. `rows` is a file of `scripts/docs.py plot`: a line
# for each compressor, NAME<tab>INSTRUCTIONS TO STORE<tab>TO LOAD<tab>MEMORY IN % OF A PAGE. `heading` is the title.
set terminal svg size 600,790 font "sans-serif,15" background "#f6f8fa"
set datafile separator tab
set multiplot layout 2,1 title "{/:Bold ".heading."}" font ",18"
set logscale x 2
set xrange [*:*]
set offsets graph 0.15, graph 0.2, graph 0.08, graph 0.08
set border 3 linecolor rgb "#57606a"
set grid linetype 1 linecolor rgb "#d0d7de"
set xtics nomirror ("20 k" 20000, "50 k" 50000, "100 k" 100000, "200 k" 200000, "500 k" 500000, "1 M" 1000000)
set ytics nomirror
set ylabel "memory, % of the pages"
unset key
# Beside a point, where no other point is.
on_left(name) = name eq "lz4" || name eq "lzo"
do for [n=2:3] {
	set xlabel (n == 2 ? "instructions to store a page" : "instructions to load a page")
	plot rows using n:4 with points pointtype 7 pointsize 0.9 linecolor rgb "#1f5a92", \
		rows using (on_left(strcol(1)) ? NaN : column(n)):4:1 with labels noenhanced left offset 0.9, 0.1, \
		rows using (on_left(strcol(1)) ? column(n) : NaN):4:1 with labels noenhanced right offset -0.9, 0.1
}
unset multiplot
