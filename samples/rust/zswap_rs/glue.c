// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions that Rust in Linux 7.3 can't make.
 */

#include <linux/init.h>
#include <linux/module.h>

/*
 * The initcall. It must be late, since crypto must be initialised first. With
 * LTO, C orders initcalls by sections that Rust can't name.
 */
int zswap_rs_init(void);
late_initcall(zswap_rs_init);

/* .modinfo: these macros define statics. All but the last two are as in C zswap. */
__MODULE_PARM_TYPE(max_pool_percent, "uint");
__MODULE_PARM_TYPE(accept_threshold_percent, "uint");
__MODULE_PARM_TYPE(shrinker_enabled, "bool");
__MODULE_PARM_TYPE(skip_incompressible, "bool");
#ifdef CONFIG_ZSWAP_LARGE_SWAPIN
__MODULE_PARM_TYPE(large_swapin, "bool");
#endif
MODULE_AUTHOR("Seth Jennings <sjennings@variantweb.net>");
MODULE_DESCRIPTION("Compressed cache for swap pages");
