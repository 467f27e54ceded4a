/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the kernel that its LZ4 uses, for the host. */
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
