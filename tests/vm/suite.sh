# SPDX-License-Identifier: GPL-2.0
# Runs test files one after the other in this guest, each from the same state. One that hangs ends
# the run (scripts/vm.sh). mutant=NAME activates a seeded bug in the kernel of make mutants from
# then on.
# usage: suite.sh [mutant=NAME] FILE...
. ./lib.sh

tidy()
{
	killall -q -9 mem
	for swap in $(awk 'NR > 1 { print $1 }' /proc/swaps); do
		swapoff "$swap"
	done
	rm -f /run/*.in /run/*.out /run/out
	rmdir /cg/*/ 2> /dev/null
	if [ -d $PARAM ]; then
		set_param max_pool_percent 20
		set_param accept_threshold_percent 90
		set_param compressor lz4
		set_param enabled Y
	fi
	folios "$page"
}

for test in "$@"; do
	case $test in
	mutant=*)
		echo "# $test"
		echo "${test#mutant=}" > /sys/module/kernel/parameters/zswap_mutant
		continue
		;;
	esac
	echo "# file $test"
	sh "$test"
	tidy
done
