// SPDX-License-Identifier: GPL-2.0-or-later

//! The life of a leaf of the index of slots, without zswap: two or three tasks, each with a slot of its
//! own, all in one leaf. The same with mistakes in the index.
//!
//! The invariants: a slot's owner finds what the slot was filled with, no leaf is used after it was freed,
//! and none is left at the end.

use kernel::{
    bindings::{self, Fault},
    c,
    sim::{self, together},
    workqueue,
};
use models::leaves::{self, Index, Owner};

/// The locked folio of a slot.
pub fn owner(offset: usize) -> Owner {
    // SAFETY: No task unlocks it.
    unsafe {
        let folio = bindings::folio_alloc(0);
        c::folio_lock(folio);
        bindings::folio_enter_swapcache(folio, leaves::entry(offset));
        Owner(folio)
    }
}

fn attach<I: Index>() {
    I::set_up();
    I::attach();
}

/// The end: slots are emptied, and nothing is left.
fn shut_down<I: Index>(filled: &[(usize, Owner, u32)]) {
    for &(offset, owner, number) in filled {
        assert_eq!(
            I::number(owner),
            Some(number),
            "a slot has what it was filled with"
        );
        assert_eq!(I::free(offset, 1), 1);
        assert_eq!(I::number(owner), None);
    }
    I::detach();
    while workqueue::run() {}
    assert_eq!(sim::allocated("slab"), 0, "a leaf is left");
    assert_eq!(sim::allocated("kmalloc"), 0, "a number is left");
}

/// A device on which slot 1 is the only one that is filled.
fn boot<I: Index>() {
    attach::<I>();
    I::fill(owner(1), 1);
}

fn fill_two<I: Index>() {
    attach::<I>();
    let (two, three) = (owner(2), owner(3));
    together(vec![
        Box::new(move || I::fill(two, 2)),
        Box::new(move || I::fill(three, 3)),
    ]);
    shut_down::<I>(&[(2, two, 2), (3, three, 3)]);
}

/// While a task waits in vain for the memory of the leaf, or of its place in the tree, another one inserts
/// the leaf: the first fills its slot in that.
fn fill_without_memory<I: Index>() {
    attach::<I>();
    let (two, three) = (owner(2), owner(3));
    // The value, the leaf, its place.
    for nth in [2, 3] {
        bindings::fail_while(Fault::Memory, nth, move || I::fill(two, 2));
        I::fill(three, 3);
        assert_eq!(I::number(two), Some(2), "the other task has run");
        assert_eq!(I::free(2, 2), 2);
    }
    shut_down::<I>(&[]);
}

fn free_and_fill<I: Index>() {
    boot::<I>();
    let two = owner(2);
    together(vec![
        Box::new(|| assert_eq!(I::free(1, 1), 1)),
        Box::new(move || I::fill(two, 2)),
    ]);
    shut_down::<I>(&[(2, two, 2)]);
}

fn free_and_fill_two<I: Index>() {
    boot::<I>();
    let (two, three) = (owner(2), owner(3));
    together(vec![
        Box::new(|| assert_eq!(I::free(1, 1), 1)),
        Box::new(move || I::fill(two, 2)),
        Box::new(move || I::fill(three, 3)),
    ]);
    shut_down::<I>(&[(2, two, 2), (3, three, 3)]);
}

fn free_and_look<I: Index>() {
    boot::<I>();
    let two = owner(2);
    together(vec![
        Box::new(|| assert_eq!(I::free(1, 1), 1)),
        Box::new(move || assert_eq!(I::number(two), None)),
    ]);
    shut_down::<I>(&[]);
}

/// Both tasks take a leaf's last slots off: one of them removes it. Each frees a range, in which a slot is
/// empty.
fn free_two<I: Index>() {
    boot::<I>();
    I::fill(owner(3), 3);
    together(vec![
        Box::new(|| assert_eq!(I::free(0, 2), 1)),
        Box::new(|| assert_eq!(I::free(2, 2), 1)),
    ]);
    shut_down::<I>(&[]);
}

macro_rules! runs {
    ($($name:ident: $model:ident of $module:ident;)*) => {
        $(pub fn $name() {
            $model::<leaves::$module::Numbers>();
        })*
    };
}

runs! {
    leaf_filled_by_two: fill_two of as_it_is;
    leaf_filled_without_memory: fill_without_memory of as_it_is;
    leaf_left_and_joined: free_and_fill of as_it_is;
    leaf_left_and_joined_by_two: free_and_fill_two of as_it_is;
    leaf_left_and_looked_at: free_and_look of as_it_is;
    leaf_left_by_two: free_two of as_it_is;
    mistake_gets_what_is_removed: free_and_fill of gets_what_is_removed;
    mistake_put_unseen: free_and_fill of put_unseen;
    mistake_frees_at_once: free_and_look of frees_at_once;
    mistake_puts_what_it_has_not: free_and_fill_two of puts_what_it_has_not;
}

/// What fails if a leaf goes that has a filled slot.
pub const LOST: &str = "a slot has what it was filled with";
/// What fails if it is freed while another task looks at it.
pub const GONE: &str = "memory is used that was freed";
