# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=N
# The same on a kernel where zswap hasn't been set up: in a boot of its own.
. ./params.sh
