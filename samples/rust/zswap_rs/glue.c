// SPDX-License-Identifier: GPL-2.0
/*
 * What Rust can't define in Linux 7.3.
 */

#include <linux/init.h>
#include <linux/module.h>

/*
 * The initcall, which must be late so that crypto has time to come up:
 * with LTO, C orders initcalls by sections that Rust can't name.
 */
int zswap_rs_init(void);
late_initcall(zswap_rs_init);

/* .modinfo, as C zswap has it: these are macros that make statics. */
__MODULE_PARM_TYPE(max_pool_percent, "uint");
__MODULE_PARM_TYPE(accept_threshold_percent, "uint");
__MODULE_PARM_TYPE(shrinker_enabled, "bool");
MODULE_AUTHOR("Seth Jennings <sjennings@variantweb.net>");
MODULE_DESCRIPTION("Compressed cache for swap pages");
