# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the tests that compare documents with the sources. status is their exit status.

# shellcheck disable=SC2034 # status: the sourcing script exits with it
n=0 status=0
point() { # point NAME PROBLEMS: passes if there are none
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf '# %s\n' "${2//$'\n'/$'\n# '}"
		status=1
	fi
}
