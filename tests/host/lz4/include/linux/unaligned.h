/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
#include <linux/types.h>

#define get_unaligned(ptr) ({ \
	struct { typeof(*(ptr)) x; } __attribute__((packed)) const *__p = (const void *)(ptr); \
	__p->x; \
})
#define put_unaligned(val, ptr) do { \
	struct { typeof(*(ptr)) x; } __attribute__((packed)) *__p = (void *)(ptr); \
	__p->x = (val); \
} while (0)

static inline u16 get_unaligned_le16(const void *p)
{
	return get_unaligned((const u16 *)p);
}

static inline void put_unaligned_le16(u16 val, void *p)
{
	put_unaligned(val, (u16 *)p);
}
