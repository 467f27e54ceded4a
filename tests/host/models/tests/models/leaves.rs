// SPDX-License-Identifier: GPL-2.0-or-later

//! The life of a leaf of the index of slots, without zswap: two or three tasks, each with a slot of its
//! own, all in one leaf. The same with mistakes in the index.
//!
//! The invariants: a slot's owner finds what the slot was filled with, no leaf is used after it was freed,
//! and none is left at the end.

use kernel::{
    alloc::{flags::GFP_KERNEL, KBox},
    bindings::{self, folio, Fault},
    c,
    mm::folio::CachedFolio,
    sim::{self, together},
    static_lock_class,
    sync::SetOnce,
    workqueue,
};

/// A device that C does not know.
const DEVICE: i32 = 1;

fn entry(offset: usize) -> bindings::swp_entry_t {
    // SAFETY: Arithmetic.
    unsafe { bindings::swp_entry(DEVICE as usize, offset) }
}

/// The locked folio of a slot.
#[derive(Clone, Copy)]
struct Owner(*mut folio);

// SAFETY: It exists to the end of the model.
unsafe impl Send for Owner {}

impl Owner {
    fn new(offset: usize) -> Self {
        // SAFETY: No task unlocks it.
        unsafe {
            let folio = bindings::folio_alloc(0);
            c::folio_lock(folio);
            bindings::folio_enter_swapcache(folio, entry(offset));
            Self(folio)
        }
    }
}

/// The kernel's index, or a variant of it, on one device.
trait Index: 'static {
    fn attach();
    /// Whether it was empty.
    fn detach() -> bool;
    fn fill(owner: Owner, number: u32);
    fn kept(owner: Owner) -> Option<u32>;
    /// Frees slots, and returns how many were filled.
    fn free(offset: usize, nr: usize) -> usize;
}

macro_rules! indices {
    ($($module:ident: $slots:ident, $($impl_kept:ident)::*;)*) => {
        $(mod $module {
            use super::*;
            use kernel::mm::$module::{DeadDevice, FreedSlots, Leaves};

            pub struct Number(u32);

            $($impl_kept)::*! {
                impl Kept for Number { owned: KBox<Number>, name: c"leaves" }
            }

            static LEAVES: SetOnce<Leaves<Number>> = SetOnce::new();

            // The device is in use between `attach` and `detach`, and each slot is one
            // task's, which has locked its folio or has none.
            impl Index for Number {
                fn attach() {
                    LEAVES.populate(Leaves::new(c"leaves").unwrap());
                    LEAVES.as_ref().unwrap().open();
                    // SAFETY: As above.
                    let attached = unsafe {
                        DeadDevice::attach_raw::<Number>(DEVICE, 8, |device| {
                            device.attach(static_lock_class!())
                        })
                    };
                    attached.unwrap();
                }
                fn detach() -> bool {
                    // SAFETY: As above.
                    let empty = unsafe {
                        DeadDevice::with_raw(DEVICE, |mut device| Ok(device.detach::<Number>()))
                    };
                    empty.unwrap()
                }
                fn fill(owner: Owner, number: u32) {
                    let number = KBox::new(Number(number), GFP_KERNEL).unwrap();
                    // SAFETY: As above.
                    unsafe {
                        CachedFolio::with_raw(owner.0, |folio| {
                            let leaves = LEAVES.as_ref().unwrap();
                            let mut slots = folio.$slots::<Number>();
                            assert!(slots.replace(0, number, leaves, GFP_KERNEL).is_ok());
                        })
                    }
                }
                fn kept(owner: Owner) -> Option<u32> {
                    // SAFETY: As above.
                    unsafe {
                        CachedFolio::with_raw(owner.0, |folio| {
                            folio.$slots::<Number>().occupied(0).map(|slot| slot.get().0)
                        })
                    }
                }
                fn free(offset: usize, nr: usize) -> usize {
                    let mut freed = 0;
                    // SAFETY: As above.
                    unsafe {
                        FreedSlots::<Number>::with_raw(entry(offset), nr, |slots| {
                            if let Some(filled) = slots.filled() {
                                filled.take_each(|_| freed += 1);
                            }
                        })
                    };
                    freed
                }
            }
        })*
    };
}

indices! {
    swap_slots: slots, kernel::impl_kept;
    joins_what_leaves: joins_what_leaves_slots, kernel::impl_kept_joins_what_leaves;
    leaves_unseen: leaves_unseen_slots, kernel::impl_kept_leaves_unseen;
    frees_at_once: frees_at_once_slots, kernel::impl_kept_frees_at_once;
    leaves_unjoined: leaves_unjoined_slots, kernel::impl_kept_leaves_unjoined;
}

/// The end: slots are emptied, and nothing is left.
fn shut_down<I: Index>(filled: &[(usize, Owner, u32)]) {
    for &(offset, owner, number) in filled {
        assert_eq!(
            I::kept(owner),
            Some(number),
            "a slot has what it was filled with"
        );
        assert_eq!(I::free(offset, 1), 1);
        assert_eq!(I::kept(owner), None);
    }
    assert!(I::detach(), "a leaf is left in its tree");
    while workqueue::run() {}
    assert_eq!(sim::allocated("slab"), 0, "a leaf is left");
    assert_eq!(sim::allocated("kmalloc"), 0, "a value is left");
}

/// A device on which slot 1 is the only one that is filled.
fn boot<I: Index>() {
    I::attach();
    I::fill(Owner::new(1), 1);
}

fn fill_two<I: Index>() {
    I::attach();
    let (two, three) = (Owner::new(2), Owner::new(3));
    together(vec![
        Box::new(move || I::fill(two, 2)),
        Box::new(move || I::fill(three, 3)),
    ]);
    shut_down::<I>(&[(2, two, 2), (3, three, 3)]);
}

/// While a task waits in vain for the memory of the leaf, or of its place in the tree, another one inserts
/// the leaf: the first fills its slot in that.
fn fill_without_memory<I: Index>() {
    I::attach();
    let (two, three) = (Owner::new(2), Owner::new(3));
    // The value, the leaf, its place.
    for nth in [2, 3] {
        bindings::fail_while(Fault::Memory, nth, move || I::fill(two, 2));
        I::fill(three, 3);
        assert_eq!(I::kept(two), Some(2), "the other task has run");
        assert_eq!(I::free(2, 2), 2);
    }
    shut_down::<I>(&[]);
}

fn free_and_fill<I: Index>() {
    boot::<I>();
    let two = Owner::new(2);
    together(vec![
        Box::new(|| assert_eq!(I::free(1, 1), 1)),
        Box::new(move || I::fill(two, 2)),
    ]);
    shut_down::<I>(&[(2, two, 2)]);
}

fn free_and_fill_two<I: Index>() {
    boot::<I>();
    let (two, three) = (Owner::new(2), Owner::new(3));
    together(vec![
        Box::new(|| assert_eq!(I::free(1, 1), 1)),
        Box::new(move || I::fill(two, 2)),
        Box::new(move || I::fill(three, 3)),
    ]);
    shut_down::<I>(&[(2, two, 2), (3, three, 3)]);
}

fn free_and_look<I: Index>() {
    boot::<I>();
    let two = Owner::new(2);
    together(vec![
        Box::new(|| assert_eq!(I::free(1, 1), 1)),
        Box::new(move || assert_eq!(I::kept(two), None)),
    ]);
    shut_down::<I>(&[]);
}

/// Both tasks take a leaf's last slots off: one of them removes it. Each frees a range, in which a slot is
/// empty.
fn free_two<I: Index>() {
    boot::<I>();
    I::fill(Owner::new(3), 3);
    together(vec![
        Box::new(|| assert_eq!(I::free(0, 2), 1)),
        Box::new(|| assert_eq!(I::free(2, 2), 1)),
    ]);
    shut_down::<I>(&[]);
}

macro_rules! runs {
    ($($name:ident: $model:ident of $module:ident;)*) => {
        $(pub fn $name() {
            $model::<$module::Number>();
        })*
    };
}

runs! {
    leaf_filled_by_two: fill_two of swap_slots;
    leaf_filled_without_memory: fill_without_memory of swap_slots;
    leaf_left_and_joined: free_and_fill of swap_slots;
    leaf_left_and_joined_by_two: free_and_fill_two of swap_slots;
    leaf_left_and_looked_at: free_and_look of swap_slots;
    leaf_left_by_two: free_two of swap_slots;
    mistake_joins_what_leaves: free_and_fill of joins_what_leaves;
    mistake_leaves_unseen: free_and_fill of leaves_unseen;
    mistake_frees_at_once: free_and_look of frees_at_once;
    mistake_leaves_unjoined: free_and_fill_two of leaves_unjoined;
}

/// What fails if a leaf goes that has a filled slot.
pub const LOST: &str = "a slot has what it was filled with";
/// What fails if it is freed while another task looks at it.
pub const GONE: &str = "memory is used that was freed";
