/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
#include <linux/types.h>

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline unsigned long __fls(unsigned long word)
{
	return 63 - __builtin_clzl(word);
}
