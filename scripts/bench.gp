# SPDX-License-Identifier: GPL-2.0
# bench.gp: docs/performance.svg. `rows` is a file of `scripts/docs.py plot`: a line for
# each row, LABEL<tab>RATIO<tab>RATIO<tab>RATIO, for folios of 4, 64 and 2048 KiB: "nan" for none, and for all
# three in the row that heads a group. `limit` is what no row may exceed; `heading` is the title.
set terminal svg size 600,730 font "sans-serif,15" background "#f6f8fa"
set datafile separator tab
set style fill solid noborder
set xlabel "Rust / C" offset 0, -0.4
set xrange [*<0.958:1.015<*]
set xtics 0.2 format "%.1f" nomirror scale 0.5
set mxtics 2
set grid xtics mxtics linetype 1 linecolor rgb "#d0d7de", linetype 1 linecolor rgb "#d0d7de"
set border 1 linecolor rgb "#57606a"
set yrange [*:*] reverse
set offsets 0, 0, 0.3, 0.6
set ytics scale 0
set label "{/:Bold ".heading."}" at screen 0.03, screen 0.965 left font ",18"
set key at screen 0.95, screen 0.945 right top horizontal samplen 1 width 0 title "folios of" noenhanced
set tmargin 5.6
set label "limit" at limit, graph 1.018 center textcolor rgb "#b7410e"
set arrow from limit, graph 0 to limit, graph 1 nohead linecolor rgb "#b7410e" linewidth 1.5 dashtype 2
set arrow from 1, graph 0 to 1, graph 1 nohead linecolor rgb "#57606a" linewidth 1.5
# Where a bar is: in the middle, if it is the row's only one; nowhere, if there is none.
is_number(n) = strcol(n + 1) ne "nan"
bar(n) = is_number(n) ? $0 + (is_number(2) ? 0.26 * (n - 2) : 0) : NaN
plot rows using (1):0:yticlabels(is_number(1) ? strcol(1) : "{/:Bold ".strcol(1)."}") with dots linecolor rgb "#57606a" notitle, \
	for [n=1:3] rows using (1):(bar(n)):(1):(column(n + 1)):(bar(n) - 0.12):(bar(n) + 0.12) \
		with boxxyerror linecolor rgb word("#1f5a92 #4d93d0 #7b8794", n) title word("4 64 2048", n)." KiB"
