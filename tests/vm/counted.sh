# SPDX-License-Identifier: GPL-2.0
# Shared by the programs that count instructions.
# shellcheck shell=sh

# prove_unit NAME: verifies the unit of the counts (steps.sh) before anything is counted
prove_unit()
{
	sh steps.sh > /run/points
	wrong=$(awk '/^not ok/ { sub(/^not ok [0-9]* - /, ""); sub(/ # .*/, ""); name = $0 }
		/^#   got/ { sub(/^#   got */, ""); print name ": got " $0; exit }' /run/points)
	[ "$(grep -c '^ok' /run/points)" = 5 ] && return
	echo "$1: not counted as it should be: ${wrong:-tests/vm/steps.sh went wrong}"
	exit 1
}
