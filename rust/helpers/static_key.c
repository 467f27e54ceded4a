// SPDX-License-Identifier: GPL-2.0

#include <linux/jump_label.h>

__rust_helper void rust_helper_static_key_enable(struct static_key *key)
{
	static_key_enable(key);
}
