# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=N
# The same before zswap is set up, in a separate boot.
. ./params.sh
