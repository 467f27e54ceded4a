// SPDX-License-Identifier: GPL-2.0-or-later

//! The index of slots and its witnesses, with numbers instead of entries: as zswap_rs has them, and variants of
//! the index with a seeded bug.

use kernel::bindings::{self, folio};

/// A device that zswap doesn't know.
const DEVICE: i32 = 1;

/// A slot of that device.
pub fn entry(offset: usize) -> bindings::swp_entry_t {
    // SAFETY: Arithmetic.
    unsafe { bindings::swp_entry(DEVICE as usize, offset) }
}

/// The locked folio of a slot.
#[derive(Clone, Copy)]
pub struct Owner(pub *mut folio);

// SAFETY: It exists to the end of the model.
unsafe impl Send for Owner {}

/// zswap's index, or a variant of it, on one device.
pub trait Index: 'static {
    fn set_up();
    fn attach();
    /// Warns if it isn't empty.
    fn detach();
    /// Fills an empty slot.
    fn fill(owner: Owner, number: u32);
    fn number(owner: Owner) -> Option<u32>;
    /// Frees slots, and returns how many were filled.
    fn free(offset: usize, nr: usize) -> usize;
}

macro_rules! indices {
    ($($name:ident)*) => {
        $(pub mod $name {
            mod entry {
                pub(super) struct Entry(pub(super) u32);
            }

            mod free {
                use super::entry::Entry;
                use core::{ops::Deref, ptr::NonNull};
                use kernel::slab::Box;

                pub(super) struct StoredEntry(Box<Entry>);

                impl StoredEntry {
                    /// # Safety
                    ///
                    /// `entry` must be from a slot, and is handed over.
                    pub(super) unsafe fn from_raw(entry: NonNull<Entry>) -> Self {
                        // SAFETY: The slot owned a `Box`.
                        Self(unsafe { Box::from_raw(entry) })
                    }
                }

                impl Deref for StoredEntry {
                    type Target = Entry;

                    fn deref(&self) -> &Entry {
                        &self.0
                    }
                }

                pub(super) struct FreeBatch;

                impl FreeBatch {
                    pub(super) fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
                        f(&mut Self)
                    }

                    pub(super) fn free(&mut self, entry: StoredEntry) {
                        drop(entry);
                    }
                }
            }

            mod lru {
                use super::entry::Entry;

                /// No entry is on a list.
                ///
                /// # Safety
                ///
                /// No requirement.
                pub(super) unsafe fn del_each<'a>(entries: impl Iterator<Item = &'a Entry>) {
                    entries.for_each(|entry| _ = entry.0);
                }
            }

            mod index {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
            }
            mod page_mask {
                include!(concat!(env!("OUT_DIR"), "/page_mask.rs"));
            }
            mod slots {
                include!(concat!(env!("OUT_DIR"), "/slots.rs"));
            }

            use super::{Index, Owner, DEVICE};
            use core::cell::Cell;
            use entry::Entry;
            use index::{Leaf, LeafRef};
            use kernel::{
                alloc::NumaNode,
                mm::{call::Call, folio::CachedFolio},
                prelude::*,
                slab::Cache,
                sync::SetOnce,
            };
            use slots::Slots;

            static LEAVES: SetOnce<Cache<Leaf>> = SetOnce::new();
            static ENTRIES: SetOnce<Cache<Entry>> = SetOnce::new();

            pub struct Numbers;

            // The device is in use between `attach` and `detach`, and each slot is one
            // task's, which has locked its folio or has none.
            impl Index for Numbers {
                fn set_up() {
                    LEAVES.populate(Cache::new(c"leaves").unwrap());
                    ENTRIES.populate(Cache::new(c"entries").unwrap());
                }

                fn attach() {
                    // SAFETY: The caller of this function guarantees the same.
                    unsafe { slots::attach(DEVICE, 8) }.unwrap();
                }

                fn detach() {
                    // SAFETY: The caller of this function guarantees the same.
                    unsafe { slots::detach(DEVICE) }
                }

                fn fill(owner: Owner, number: u32) {
                    let entries = ENTRIES.as_ref().unwrap();
                    let memory = entries.alloc(GFP_KERNEL, NumaNode::NO_NODE).unwrap();
                    let entry = memory.write(Entry(number));
                    let leaves = LEAVES.as_ref().unwrap();
                    let mut call = Call::new();
                    // SAFETY: The caller of this function guarantees the same.
                    let folio = unsafe { CachedFolio::from_raw(owner.0, &mut call) };
                    let offset = folio.swap().offset();
                    // SAFETY: The device is in use: the folio is in the swap cache.
                    let tree = unsafe { slots::tree(folio.swap()) }.unwrap();
                    let mut leaf =
                        LeafRef::get_or_insert(tree, offset, 1, leaves).unwrap();
                    // SAFETY: The slot is ours, by `folio`.
                    assert!(unsafe { leaf.fill(offset, entry) }.is_none());
                }

                fn number(owner: Owner) -> Option<u32> {
                    let mut call = Call::new();
                    // SAFETY: The slot is ours, by `slots`.
                    let mut folio = unsafe { CachedFolio::from_raw(owner.0, &mut call) };
                    let number = Slots::of_folio(&mut folio)
                        .entry(0)
                        .map(|slot| slot.get().0);
                    number
                }

                fn free(offset: usize, nr: usize) -> usize {
                    let freed = Cell::new(0);
                    let call = Call::new();
                    // SAFETY: The slot is ours, by `slots`.
                    let slots = unsafe { Slots::freed(super::entry(offset), nr, &call) };
                    slots.clear(|_| freed.set(freed.get() + 1));
                    freed.get()
                }
            }
        })*
    };
}

indices! { as_it_is gets_what_is_removed put_unseen frees_at_once puts_what_it_has_not }
