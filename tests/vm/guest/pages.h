/* SPDX-License-Identifier: GPL-2.0 */
/* What all programs know of pages. */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Of the kernel that they are packed for: see scripts/initramfs.sh. */
#define PAGE (PAGE_KIB * 1024UL)
#define HUGE (2UL << 20)

#define SWAPPED (1ULL << 62) /* in /proc/PID/pagemap */

/* Reads the entries of n pages from an address on: whether that went well. */
static inline bool read_pagemap(int pagemap, const void *address, uint64_t *entries, size_t n)
{
	return pread(pagemap, entries, n * 8, (uintptr_t)address / PAGE * 8) == (ssize_t)(n * 8);
}

/* The next number after x, which isn't 0, of a pseudorandom sequence (xorshift). */
static inline uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

#endif
