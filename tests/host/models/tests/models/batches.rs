// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries of a large folio, stored together, without zswap's pools, by one task.
//!
//! An entry is for a slot of the folio. A slot without an entry must have the zero mark, or its page is lost: a folio of
//! which a page is left out isn't stored.

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
        tear_down();
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
        assert_eq!(folio.publish(&pages(all)), Ok(0));
        assert_eq!(stored(folio), all);
        let others = [Some(20), Some(22), Some(21), Some(24)];
        assert_eq!(folio.publish(&pages(others)), Ok(0));
        assert_eq!(stored(folio), others);
        // What is given up isn't stored, and neither is what slots had before.
        folio.give_up(&pages([Some(30), Some(31), None, None]));
        assert_eq!(stored(folio), [None; NR]);
        assert_eq!(folio.publish(&pages(all)), Ok(0));
        folio.give_up(&[]);
        assert_eq!(stored(folio), [None; NR]);
    });
}

#[test]
fn a_walk_visits_what_is_published() {
    with_folio(|folio| {
        assert_eq!(walk(8), (vec![], 8));
        let all = [Some(10), Some(11), Some(12), Some(13)];
        assert_eq!(folio.publish(&pages(all)), Ok(0));
        assert_eq!(walk(2), (vec![10, 11], 0));
        assert_eq!(walk(NR), (vec![12, 13, 10, 11], 0));
        folio.give_up(&pages(all));
        assert_eq!(walk(8), (vec![], 8));
    });
}

#[test]
fn a_group_can_be_made_in_parts() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        let (one, other) = (pages(all)[..2].to_vec(), pages(all)[2..].to_vec());
        assert_eq!(folio.publish_in_parts(&one, &other), Ok(0));
        assert_eq!(stored(folio), all);
        assert_eq!(
            walk(8),
            (vec![10, 11, 12, 13], 4),
            "each is on its list once"
        );
        assert_eq!(folio.publish_in_parts(&one, &[]), Err(EINVAL));
        assert_eq!(stored(folio), [None; NR]);
        // There is no group after the last one.
        assert_eq!(folio.publish_in_parts(&pages(all), &[]), Ok(0));
    });
}

#[test]
fn no_page_is_lost() {
    with_folio(|folio| {
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 1) };
        // A slot without a mark gets no entry: the last one, the last two, all of them.
        for wrong in [
            [Some(0), None, Some(2), None],
            [Some(0), None, None, None],
            [None; NR],
        ] {
            assert_eq!(folio.publish(&pages(wrong)), Err(EINVAL), "{wrong:?}");
            assert_eq!(stored(folio), [None; NR], "{wrong:?}");
            assert_eq!(marked(), [false, true, false, false]);
        }
        let right = [Some(0), None, Some(2), Some(3)];
        assert_eq!(folio.publish(&pages(right)), Ok(1));
        assert_eq!(stored(folio), right);
        assert_eq!(marked(), [false, true, false, false]);
    });
}

#[test]
fn nothing_is_stored_without_memory() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        // An entry; after one for each page: the leaf, its place in the tree.
        for nth in [1, NR as u32, NR as u32 + 1, NR as u32 + 2] {
            bindings::fail(Fault::Memory, nth);
            assert_eq!(folio.publish(&pages(all)), Err(ENOMEM), "{nth}");
            assert_eq!(stored(folio), [None; NR]);
        }
        // What slots had is freed as well.
        assert_eq!(folio.publish(&pages(all)), Ok(0));
        bindings::fail(Fault::Memory, 1);
        assert_eq!(folio.publish(&pages(all)), Err(ENOMEM));
        assert_eq!(stored(folio), [None; NR]);
    });
}

/// Entries for a smaller or a larger folio, or out of order.
fn refused(numbers: &'static [(usize, u32)]) {
    with_folio(|folio| _ = folio.publish(numbers));
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
#[should_panic(expected = "the kernel warns")]
fn no_page_is_left_out() {
    refused(&[(0, 0), (2, 2), (3, 3)]);
}

#[test]
fn a_mark_ends_what_was_stored() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        assert_eq!(folio.publish(&pages(all)), Ok(0));
        assert_eq!(marked(), [false; NR]);
        for (index, zeroes, rest) in [
            (1, 1, [Some(20), None, Some(22), Some(23)]),
            (3, 2, [Some(30), None, Some(32), None]),
        ] {
            // SAFETY: It is the folio.
            unsafe { clear_page(folio.0, index) };
            assert_eq!(folio.publish(&pages(rest)), Ok(zeroes));
            assert_eq!(marked(), rest.map(|number| number.is_none()));
            assert_eq!(stored(folio), rest);
        }
    });
}

#[test]
fn a_folio_of_marks_is_published() {
    with_folio(|folio| {
        // SAFETY: It is the folio.
        (0..NR).for_each(|index| unsafe { clear_page(folio.0, index) });
        assert_eq!(folio.publish(&[]), Ok(NR));
        assert_eq!(stored(folio), [None; NR]);
        assert_eq!(marked(), [true; NR]);
    });
}
