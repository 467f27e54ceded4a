// SPDX-License-Identifier: GPL-2.0-or-later

//! The shrinker's freeable count, against a model of the computation in C and of what its mailing-list
//! thread promised.

use policy::api::{scale, spare};
use proptest::prelude::*;

/// The loop in `zswap_shrinker_count()`: the remaining `nr_freeable`, and `nr_remain`.
fn c_spare(freeable: u64, swapins: u64) -> (u64, u64) {
    let remain = if freeable >= swapins {
        0
    } else {
        swapins - freeable
    };
    (freeable - (swapins - remain), remain)
}

/// `mult_frac()` on `unsigned long`.
fn c_mult_frac(x: u64, n: u64, d: u64) -> u64 {
    let (q, r) = (x / d, x % d);
    q.wrapping_mul(n).wrapping_add(r.wrapping_mul(n) / d)
}

/// Realistic and unrealistic numbers of pages.
fn pages() -> impl Strategy<Value = usize> {
    prop_oneof![0..=1000usize, 0..=1usize << 32, any::<usize>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn sparing_matches_c(freeable in pages(), swapins in pages()) {
        let (left, remain) = c_spare(freeable as u64, swapins as u64);
        prop_assert_eq!(spare(freeable, swapins), (left as usize, remain as usize));
    }

    /// Each swap-in spares exactly one entry, now or at a later count.
    #[test]
    fn a_swapin_spares_one_entry(rounds in prop::collection::vec((0..100usize, 0..100usize), 1..50)) {
        let (mut owed, mut all, mut spared) = (0, 0, 0);
        for (freeable, swapins) in rounds {
            all += swapins;
            let (left, remain) = spare(freeable, owed + swapins);
            spared += freeable - left;
            owed = remain;
            prop_assert_eq!(spared + owed, all);
        }
    }

    #[test]
    fn scaling_matches_c(freeable in pages(), backing in pages(), stored in pages()) {
        prop_assume!(stored != 0);
        let c = c_mult_frac(freeable as u64, backing as u64, stored as u64);
        prop_assert_eq!(scale(freeable, backing, stored), c as usize);
    }

    /// The better pages compress, the fewer entries are freeable; never more than exist.
    #[test]
    fn the_better_the_ratio_the_less_is_offered(
        freeable in 0..1usize << 20, stored in 1..1usize << 20, a in 0..1usize << 20, b in 0..1usize << 20,
    ) {
        let (a, b) = (a.min(stored), b.min(stored));
        let (low, high) = (a.min(b), a.max(b));
        prop_assert!(scale(freeable, low, stored) <= scale(freeable, high, stored));
        prop_assert!(scale(freeable, high, stored) <= freeable);
    }

    #[test]
    fn with_nothing_stored_nothing_is_offered(freeable in pages(), backing in pages()) {
        prop_assert_eq!(scale(freeable, backing, 0), 0);
    }
}
