/* SPDX-License-Identifier: GPL-2.0 */
/* Page sizes and page table state, shared by all programs. */
#ifndef PAGES_H
#define PAGES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/*
 * The page size of the kernel that they are packed for: see
 * scripts/initramfs.sh.
 */
#define PAGE (PAGE_KIB * 1024UL)
#define HUGE (2UL << 20)

#define SWAPPED (1ULL << 62) /* in /proc/PID/pagemap */

/*
 * Reads the entries of n pages from an address on. Returns whether that
 * succeeded.
 */
static inline bool read_pagemap(int pagemap, const void *address, uint64_t *entries, size_t n)
{
	return pread(pagemap, entries, n * 8, (uintptr_t)address / PAGE * 8) == (ssize_t)(n * 8);
}

/* Brings /proc/vmstat up to date: each CPU adds to it what it has counted by itself. */
static inline void refresh_vmstat(void)
{
	int file = open("/proc/sys/vm/stat_refresh", O_RDONLY);
	char none;

	if (file < 0)
		return;
	(void)!read(file, &none, 1);
	close(file);
}

/* The successor of x, which isn't 0, in a pseudorandom sequence (xorshift). */
static inline uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

#endif
