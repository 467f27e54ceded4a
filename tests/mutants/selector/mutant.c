// SPDX-License-Identifier: GPL-2.0
/* The parameter that selects the mutant in the Rust code: see rust/kernel/mutant.rs. */
#include <linux/moduleparam.h>

extern u64 zswap_mutant;

static int zswap_mutant_set(const char *name, const struct kernel_param *kp)
{
	u64 id = 0xcbf29ce484222325;

	if (!*name || *name == '\n')
		id = 0;
	for (; *name && *name != '\n'; name++)
		id = (id ^ (u8)*name) * 0x100000001b3;
	WRITE_ONCE(zswap_mutant, id);
	return 0;
}

static const struct kernel_param_ops zswap_mutant_ops = {
	.set = zswap_mutant_set,
};
__module_param_call("", zswap_mutant, &zswap_mutant_ops, NULL, 0200, -1, 0);
