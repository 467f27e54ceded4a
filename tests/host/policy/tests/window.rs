// SPDX-License-Identifier: GPL-2.0-or-later

//! The readahead window, against the arithmetic of mm/swap_state.c, transcribed in C's order.

use policy::api::{around, noted_hit, nr_pages};
use proptest::prelude::*;

/// `__swapin_nr_pages()`
fn c_nr_pages(prev: u64, offset: u64, hits: i32, max_pages: i32, prev_win: i32) -> u32 {
    let mut pages = hits.wrapping_add(2) as u32;
    if pages == 2 {
        if offset != prev.wrapping_add(1) && offset != prev.wrapping_sub(1) {
            pages = 1;
        }
    } else {
        let mut roundup = 4;
        while roundup < pages {
            roundup <<= 1;
        }
        pages = roundup;
    }
    pages = pages.min(max_pages as u32);
    pages.max((prev_win / 2) as u32)
}

/// The end of `swap_vma_ra_win()`.
fn c_around(faddr: u64, prev: u64, win: u64, vma: (u64, u64)) -> (u64, u64) {
    const PMD: u64 = 1 << 21;
    let mut left = if faddr == prev.wrapping_add(4096) {
        faddr
    } else if prev == faddr.wrapping_add(4096) {
        faddr.wrapping_sub(win << 12).wrapping_add(4096)
    } else {
        faddr.wrapping_sub(((win - 1) / 2) << 12)
    };
    let right = left.wrapping_add(win << 12);
    if (left as i64) < 0 {
        left = 0;
    }
    let base = faddr & !(PMD - 1);
    (
        left.max(vma.0).max(base),
        right.min(vma.1).min(base.wrapping_add(PMD)),
    )
}

/// `swap_update_readahead()` with a VMA.
fn c_noted_hit(value: u64, addr: u64, hit: bool) -> u64 {
    let value = if value == 0 { 4 } else { value };
    let win = (value & 0xfc0) >> 6;
    let hits = ((value & 63) + u64::from(hit)).min(63);
    (addr & !0xfff) | ((win << 6) & 0xfc0) | (hits & 63)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn windows_match_c(
        prev in 0u64..1 << 40, step in -3i64..4, far: bool, elsewhere in 0u64..1 << 40,
        hits in 0i32..1 << 20, few in 0i32..9, max in 0u32..10,
        last in prop_oneof![0i32..6, 0i32..1 << 10],
    ) {
        let here = if far { elsewhere } else { prev.wrapping_add_signed(step) };
        for hits in [hits, few] {
            prop_assert_eq!(
                nr_pages(prev as usize, here as usize, hits as u32, 1 << max, last as u32),
                c_nr_pages(prev, here, hits, 1 << max, last)
            );
        }
    }

    #[test]
    fn ranges_match_c(
        page in 0u64..1 << 35, step in -40i64..41, win in 2u64..33, before in 0u64..600, after in 1u64..600,
    ) {
        let here = page << 12;
        let prev = here.wrapping_add_signed(step << 12);
        let vma = (here.saturating_sub(before << 12), here + (after << 12));
        let range = around(here as usize, prev as usize, win as u32, vma.0 as usize..vma.1 as usize, 1 << 21);
        prop_assert_eq!((range.start as u64, range.end as u64), c_around(here, prev, win, vma));
        prop_assert!(range.contains(&(here as usize)));
    }

    #[test]
    fn notes_match_c(value: u64, addr: u64, hit: bool, fresh: bool) {
        let value = if fresh { 0 } else { value };
        prop_assert_eq!(noted_hit(value as usize, addr as usize, hit) as u64, c_noted_hit(value, addr, hit));
    }
}
