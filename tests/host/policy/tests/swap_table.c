// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes the swap-table entries on standard input with the kernel's own
 * mm/swap_table.h, with PFN_BITS for page frame numbers: uses the header's
 * macros and the functions that only cast; the rest is cut off. For
 * swap_table.rs.
 */
#include <stdbool.h>
#include <stdio.h>

#define BITS_PER_LONG 64
#define BITS_PER_BYTE 8
#define BITS_PER_XA_VALUE 63
#define BIT(n) (1UL << (n))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)
#define VM_WARN_ON(condition) ((void)(condition))
#define VM_WARN_ON_ONCE(condition) ((void)(condition))
#define EINVAL 22
#define PAGE_SHIFT 12
#define MAX_POSSIBLE_PHYSMEM_BITS (PFN_BITS + PAGE_SHIFT)
#define SWAPFILE_CLUSTER 512

typedef struct {
	long counter;
} atomic_long_t;
struct folio;

#define xa_is_value(entry) ((unsigned long)(entry) & 1)
#define xa_mk_value(v) ((void *)(((unsigned long)(v) << 1) | 1))
#define folio_pfn(folio) ((unsigned long)(folio))
#define pfn_folio(pfn) ((struct folio *)(pfn))

#include "swap_table.h"

int main(void)
{
	unsigned long tb;

	while (scanf("%lx", &tb) == 1) {
		bool counts = swp_tb_is_countable(tb) && !swp_tb_is_null(tb);
		bool zero = counts && SWAP_TABLE_HAS_ZEROFLAG && (tb & SWP_TB_ZERO_FLAG);
		unsigned int count = counts ? __swp_tb_get_count(tb) : 0;

		if (swp_tb_is_null(tb))
			printf("null 0 0 0\n");
		else if (swp_tb_is_shadow(tb))
			printf("shadow %lu %u %d\n", (unsigned long)swp_tb_to_shadow(tb), count, zero);
		else if (swp_tb_is_folio(tb))
			printf("folio %lu %u %d\n", (unsigned long)swp_tb_to_folio(tb), count, zero);
		else
			printf("%s 0 0 0\n", swp_tb_is_bad(tb) ? "bad" : "unknown");
	}
	return 0;
}
