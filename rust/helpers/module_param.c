// SPDX-License-Identifier: GPL-2.0

#include <linux/moduleparam.h>

__rust_helper void rust_helper_kernel_param_lock(struct module *mod)
{
	kernel_param_lock(mod);
}

__rust_helper void rust_helper_kernel_param_unlock(struct module *mod)
{
	kernel_param_unlock(mod);
}
