# SPDX-License-Identifier: GPL-2.0
# bench.gp: the picture of docs/performance.md. `rows` is a file from bench.py: a line for each group of bars,
# LABEL<tab>PERCENT<tab>PERCENT<tab>PERCENT, for folios of 4, 64 and 2048 KiB; `limit` is the maximum for a row.
set terminal svg size 1000,620 font "sans-serif,13" background "#ffffff"
set datafile separator tab
set style fill solid noborder
set xlabel "instructions a page, % against C"
set xrange [*<-2:2<*]
set grid xtics
set yrange [*:*] reverse
set offsets 0, 0, 0.4, 0.4
set ytics noenhanced scale 0
set key outside top center horizontal title "folios of"
set arrow from limit, graph 0 to limit, graph 1 nohead linecolor "#a3341f" dashtype 2
set arrow from 0, graph 0 to 0, graph 1 nohead linecolor "#333333"
bar(row, n) = row + 0.25 * (n - 2)
plot rows using (0):0:yticlabels(1) with dots notitle, \
	for [n=1:3] rows using (0):(bar($0, n)):(0):(column(n + 1)):(bar($0, n) - 0.12):(bar($0, n) + 0.12) \
		with boxxyerror linecolor rgb word("#1f5a92 #5c9bd1 #b6d0e8", n) title word("4 64 2048", n)." KiB"
