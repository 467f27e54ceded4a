/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacements, for the host, of the declarations in kernel headers that the kernel's LZ4 needs. For each
 * of those headers, build.rs writes a header that includes this one.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT_SYMBOL(x)
#define MODULE_LICENSE(x)
#define MODULE_DESCRIPTION(x)
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define BITS_PER_LONG 64
#define min(x, y) ((x) < (y) ? (x) : (y))

void *memset(void *to, int byte, size_t len);
void *memcpy(void *to, const void *from, size_t len);
void *memmove(void *to, const void *from, size_t len);

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline unsigned long __fls(unsigned long word)
{
	return 63 - __builtin_clzl(word);
}

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
