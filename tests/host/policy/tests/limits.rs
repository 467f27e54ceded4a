// SPDX-License-Identifier: GPL-2.0-or-later

//! The limits, against a model of the computation in C, for any percentages and sizes.

use policy::api::{check, pages};
use proptest::prelude::*;

/// `zswap_max_pages()` and `zswap_accept_thr_pages()`: `unsigned long` arithmetic.
fn c_pages(max: u32, accept: u32, ram: u64) -> (u64, u64) {
    let max_pages = ram.wrapping_mul(u64::from(max)) / 100;
    (max_pages, max_pages.wrapping_mul(u64::from(accept)) / 100)
}

/// `zswap_check_limits()`, with its static as a parameter; also returns whether it counted a hit.
fn c_check(max: u32, accept: u32, mut reached_full: bool, cur: u64, ram: u64) -> (bool, bool) {
    let (max_pages, accept_pages) = c_pages(max, accept, ram);
    let mut hit = false;
    if cur >= max_pages {
        hit = true;
        reached_full = true;
    } else if reached_full && cur <= accept_pages {
        reached_full = false;
    }
    (reached_full, hit)
}

/// Realistic and unrealistic percentages.
fn percent() -> impl Strategy<Value = u32> {
    prop_oneof![0..=200u32, any::<u32>(), Just(u32::MAX)]
}

/// Realistic and unrealistic sizes.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![0..=1usize << 22, any::<usize>(), Just(usize::MAX)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn limits_match_c(max in percent(), accept in percent(), ram in size()) {
        let (c_max, c_accept) = c_pages(max, accept, ram as u64);
        prop_assert_eq!(pages(max, accept, ram), (c_max as usize, c_accept as usize));
    }

    #[test]
    fn decisions_match_c(
        max in percent(), accept in percent(), full: bool, pool in size(), ram in size(),
    ) {
        prop_assert_eq!(
            check(max, accept, full, pool, ram),
            c_check(max, accept, full, pool as u64, ram as u64)
        );
    }

    /// Exactly at the limits, which random sizes would miss.
    #[test]
    fn decisions_at_the_edges_match_c(
        max in 0..=200u32, accept in 0..=200u32, full: bool, ram in 0..=1usize << 22, off in -1..=1i64,
    ) {
        let (c_max, c_accept) = c_pages(max, accept, ram as u64);
        for edge in [c_max, c_accept] {
            let pool = edge.saturating_add_signed(off);
            prop_assert_eq!(
                check(max, accept, full, pool as usize, ram),
                c_check(max, accept, full, pool, ram as u64)
            );
        }
    }

    /// Full stays full until the threshold, accepting stays accepting until the limit.
    #[test]
    fn there_is_hysteresis(accept in 0..100u32, steps in prop::collection::vec(0..=1000usize, 1..50)) {
        let ram = 1000;
        let mut full = false;
        for pool in steps {
            let (now, _) = check(50, accept, full, pool, ram);
            if pool >= 500 {
                prop_assert!(now);
            } else if pool <= 500 * accept as usize / 100 {
                prop_assert!(!now);
            } else {
                prop_assert_eq!(now, full);
            }
            full = now;
        }
    }
}
