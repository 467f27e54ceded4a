// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries of a large folio, stored together, without zswap's pools, by one task.
//!
//! An entry of a batch is for a slot of the folio. A slot without an entry must have the zero mark, or its
//! page is lost: a batch that leaves a page out isn't published.

use kernel::{
    bindings::{self, folio, words, Fault},
    error::code::{EINVAL, ENOMEM},
    page::PAGE_SIZE,
    sim::{self, Run},
    workqueue,
};
use models::batches::{
    counted, listed, set_up, tear_down, walk, Locked, DEVICE, ELSEWHERE, FIRST, NR,
};

/// The numbers with the pages that they are for.
fn pages(numbers: [Option<u32>; NR]) -> Vec<(usize, u32)> {
    let numbers = numbers.into_iter().enumerate();
    numbers
        .filter_map(|(index, number)| Some((index, number?)))
        .collect()
}

/// The numbers that the folio's slots have. As many entries are on lists, and counted.
fn stored(folio: Locked) -> [Option<u32>; NR] {
    let stored = folio.numbers();
    let nr = stored.iter().flatten().count();
    assert_eq!(
        listed(),
        nr,
        "what slots have is on lists, and nothing else"
    );
    let odd = stored.iter().flatten().filter(|&n| n % 2 != 0).count();
    assert_eq!(
        counted(),
        (nr as isize, odd as isize),
        "what slots have is counted"
    );
    assert_eq!(sim::allocated("kmalloc"), nr, "objects are left");
    stored
}

/// The slots of the folio that have the zero mark.
fn marked() -> [bool; NR] {
    core::array::from_fn(|index| {
        // SAFETY: The device has the slots, and isn't destroyed.
        let word = unsafe {
            let entry = bindings::swp_entry(DEVICE, FIRST + index);
            let ci = bindings::swap_entry_to_cluster(entry);
            bindings::swap_table_get(ci, bindings::swp_cluster_offset(entry))
        };
        word & words::ZERO != 0
    })
}

/// Runs `f` with a folio of `NR` pages, none of which is all zeroes, in the swap cache. Nothing is left of
/// the entries after that.
fn with_folio(f: impl FnOnce(Locked)) {
    let plain = Run {
        broken: None,
        preemptions: 0,
        schedules: 0,
    };
    plain.plain(|| {
        set_up();
        let folio = Locked::new();
        f(folio);
        folio.free();
        assert_eq!(stored(folio), [None; NR]);
        assert!(tear_down(), "a leaf is left in its tree");
        while workqueue::run() {}
        assert_eq!(sim::allocated("slab"), 0, "entries or leaves are left");
        assert_eq!(sim::locks_held(), 1, "locks are left, besides the folio's");
    });
}

/// Writes zeroes to a page of the folio.
///
/// # Safety
///
/// The folio must be alive, and have such a page.
unsafe fn clear_page(folio: *mut folio, index: usize) {
    // SAFETY: The caller of this function guarantees the same.
    unsafe { bindings::set_page_bytes(bindings::folio_page(folio, index), [0; PAGE_SIZE]) }
}

#[test]
fn what_a_slot_had_is_replaced() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        assert_eq!(folio.publish(&pages(all), false), Ok(NR));
        assert_eq!(stored(folio), all);
        // A batch without entries isn't the folio's: it is that of a folio of zeroes.
        assert_eq!(folio.publish(&[], false), Err(EINVAL));
        assert_eq!(stored(folio), all);
        let others = [Some(20), Some(22), Some(21), Some(24)];
        assert_eq!(folio.publish(&pages(others), false), Ok(NR));
        assert_eq!(stored(folio), others);
        // What is given up isn't stored, and leaves the slots as they were.
        folio.give_up(&pages(all));
        folio.give_up(&pages([None, Some(31), None, None]));
        folio.give_up(&[]);
        assert_eq!(stored(folio), others);
    });
}

#[test]
fn a_walk_visits_what_is_published() {
    with_folio(|folio| {
        assert_eq!(walk(8), (vec![], 8));
        folio.give_up(&pages([Some(1), Some(2), Some(3), Some(4)]));
        assert_eq!(walk(8), (vec![], 8), "entries of a batch are on no list");
        let all = [Some(10), Some(11), Some(12), Some(13)];
        assert_eq!(folio.publish(&pages(all), false), Ok(NR));
        assert_eq!(walk(2), (vec![10, 11], 0));
        assert_eq!(walk(NR), (vec![12, 13, 10, 11], 0));
    });
}

#[test]
fn no_page_is_lost() {
    with_folio(|folio| {
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 1) };
        assert_eq!(folio.mark_zeroes(0..NR), [0, 2, 3]);
        assert_eq!(marked(), [false, true, false, false]);
        // A slot without a mark gets no entry: the first one, the third, the last, all of them.
        for wrong in [
            [None, Some(1), Some(2), Some(3)],
            [Some(0), None, None, Some(3)],
            [Some(0), None, Some(2), None],
            [None; NR],
        ] {
            assert_eq!(
                folio.publish(&pages(wrong), false),
                Err(EINVAL),
                "{wrong:?}"
            );
            assert_eq!(stored(folio), [None; NR], "{wrong:?}");
        }
        let right = [Some(0), None, Some(2), Some(3)];
        assert_eq!(folio.publish(&pages(right), false), Ok(3));
        assert_eq!(stored(folio), right);
        assert_eq!(marked(), [false, true, false, false]);
    });
}

#[test]
fn slots_are_given_back_without_memory() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        // After an entry and a number for each page: the leaf, its place in the tree.
        for nth in [1, 2] {
            bindings::fail(Fault::Memory, 2 * NR as u32 + nth);
            assert_eq!(folio.publish(&pages(all), false), Err(ENOMEM));
            assert_eq!(stored(folio), [None; NR]);
        }
        // What slots had stays, until they are cleared.
        assert_eq!(folio.publish(&pages(all), false), Ok(NR));
        assert_eq!(
            folio.publish(&pages([None, Some(1), Some(2), Some(3)]), false),
            Err(EINVAL)
        );
        assert_eq!(stored(folio), all);
        assert_eq!(
            folio.publish(&pages([None, Some(1), Some(2), Some(3)]), true),
            Err(EINVAL)
        );
        assert_eq!(stored(folio), [None; NR]);
    });
}

/// Entries for a smaller or a larger folio, or out of order.
fn refused(numbers: &'static [(usize, u32)]) {
    with_folio(|folio| _ = folio.publish(numbers, false));
}

#[test]
#[should_panic(expected = "the kernel warns")]
fn a_page_comes_once() {
    refused(&[(0, 0), (1, 1), (1, 2)]);
}

#[test]
#[should_panic(expected = "the kernel warns")]
fn pages_come_in_order() {
    refused(&[(1, 1), (0, 0)]);
}

#[test]
#[should_panic(expected = "the kernel warns")]
fn a_page_is_of_the_folio() {
    refused(&[(0, 0), (1, 1), (2, 2), (3, 3), (NR, 4)]);
}

#[test]
#[should_panic(expected = "the kernel warns")]
fn a_page_is_of_the_folios_device() {
    refused(&[(0, 0), (ELSEWHERE + 1, 1), (2, 2), (3, 3)]);
}

#[test]
fn a_mark_ends_what_was_stored() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        assert_eq!(folio.publish(&pages(all), false), Ok(NR));
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 1) };
        // Only what is asked for is marked.
        assert_eq!(folio.mark_zeroes(2..NR), [2, 3]);
        assert_eq!(marked(), [false; NR]);
        let entries = sim::allocated("slab");
        assert_eq!(folio.mark_zeroes(0..NR), [0, 2, 3]);
        assert_eq!(marked(), [false, true, false, false]);
        assert_eq!(stored(folio), [Some(10), None, Some(12), Some(13)]);
        assert_eq!(sim::allocated("slab"), entries - 1, "it is freed");
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 3) };
        assert_eq!(folio.mark_zeroes(3..NR), []);
        assert_eq!(marked(), [false, true, false, true]);
        assert_eq!(stored(folio), [Some(10), None, Some(12), None]);
    });
}

#[test]
fn a_folio_of_marks_is_published() {
    with_folio(|folio| {
        // SAFETY: It is the folio.
        (0..NR).for_each(|index| unsafe { clear_page(folio.0, index) });
        assert_eq!(folio.mark_zeroes(0..NR), []);
        assert_eq!(folio.publish(&[], false), Ok(0));
        assert_eq!(stored(folio), [None; NR]);
        assert_eq!(marked(), [true; NR]);
    });
}
