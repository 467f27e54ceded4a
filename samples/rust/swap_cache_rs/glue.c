// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions that Rust in Linux 7.3 can't make.
 */

#include <linux/init.h>

/* With LTO, C orders initcalls by sections that Rust can't name. */
int swap_cache_rs_init(void);
subsys_initcall(swap_cache_rs_init);
