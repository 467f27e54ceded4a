# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 transparent_hugepage=always kunit.enable=0
# only: docs/upstream/ksm-large.md
# Pages that KSM has merged are swapped in as one large folio, by a process to which it does not
# belong alone.
. ./lib.sh
plan 3

folios 64
swap_on brd
mkdir /cg/a
# shellcheck disable=SC2016
sh -c 'echo $$ > /cg/a/cgroup.procs; exec ksmblock /cg/a' > /run/ksmblock
got() { awk -v name="$1" '$1 == name { print $2 }' /run/ksmblock; }
point "merged pages lie in consecutive slots" "$(got rows)" yes
point "those of the other process can be swapped out again" "$(got stuck)" 0
point "and have their contents" "$(got wrong)" 0
