/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
#include <linux/types.h>
void *memset(void *to, int byte, size_t len);
void *memcpy(void *to, const void *from, size_t len);
void *memmove(void *to, const void *from, size_t len);
