// SPDX-License-Identifier: GPL-2.0-or-later

//! Which pages of a folio are compressed: `skip_incompressible`.

use policy::api::tried;
use proptest::prelude::*;

proptest! {
    #[test]
    fn disabled_tries_each_page(pages in proptest::collection::vec(any::<bool>(), 0..600)) {
        prop_assert!(tried(false, &pages).all(|tried| tried));
    }

    #[test]
    fn skips_only_in_a_run(pages in proptest::collection::vec(any::<bool>(), 0..600)) {
        let tried: Vec<bool> = tried(true, &pages).collect();
        let mut last_tried = Vec::new();
        let mut skipped = 0;
        for (tried, compresses) in tried.into_iter().zip(pages) {
            let in_a_run = last_tried.len() >= 2 && last_tried.ends_with(&[false, false]);
            if tried {
                last_tried.push(compresses);
                prop_assert!(!in_a_run || skipped == 3, "one of four is tried in a run");
                skipped = 0;
            } else {
                skipped += 1;
                prop_assert!(in_a_run && skipped <= 3, "a page is skipped for no reason");
            }
        }
    }
}

#[test]
fn a_page_that_compresses_ends_a_run() {
    let mut pages = [false; 12];
    pages[5] = true; // the first that is tried in the run
    let tried: Vec<bool> = tried(true, &pages).collect();
    let expected = [
        true, true, false, false, false, true, true, true, false, false, false, true,
    ];
    assert_eq!(tried, expected);
}
