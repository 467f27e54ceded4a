// SPDX-License-Identifier: GPL-2.0-or-later
// The trees of a device.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    mm::folio::CachedFolio,
    prelude::*,
    slab::{self, UninitBoxes},
    xarray::XArray,
};
use zswap_core::{
    entry::Entry,
    glue,
    index::{self, Leaf},
    lru::Lists,
    slots::{self, Slots},
    store::Store,
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// Objects in a tree outlive the caller that stores them, and are read back as the tree's
// type: a tree of `&'static u8` that could be coerced to one of `&'a u8` would return a
// dangling reference, as upstream's does.
#[cfg(any(control, tree_takes_a_local))]
pub mod tree_takes_a_local {
    use super::*;

    type Refs<'r> = KBox<&'r u8>;
    #[cfg(control)]
    type Any<'r> = Refs<'static>;
    #[cfg(tree_takes_a_local)]
    type Any<'r> = Refs<'r>;

    fn store<'r>(tree: &XArray<Any<'r>>, value: Any<'r>) -> Result {
        tree.lock().store(0, value, GFP_KERNEL)?;
        Ok(())
    }

    pub fn attack<'r>(tree: &XArray<Refs<'static>>, local: &'r u8) -> Result<Option<u8>> {
        #[cfg(control)]
        let local = {
            let _ = local;
            &7
        };
        store(tree, KBox::new(local, GFP_KERNEL)?)?; //~[tree_takes_a_local] E0521
        let read: Option<&'static u8> = tree.lock().get(0).copied();
        Ok(read.copied())
    }
}

// swap_zswap_tree() finds a tree for any entry: for a wrong one, another device's tree.
#[cfg(any(control, other_devices_tree))]
pub mod other_devices_tree {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let entry = folio.swap();
        #[cfg(other_devices_tree)]
        let found = slots::tree(entry).is_some(); //~[other_devices_tree] E0603
                                                  //~[other_devices_tree]^ E0133
        #[cfg(control)]
        let found = entry.offset() != 0 && Slots::of_folio(folio).are_filled();
        found
    }
}

// The index of the slots is emptied, or replaced, while it is in use: trees differ between calls. Or swapon makes none,
// or too few: freeing a slot looks up its tree without a bounds check.
#[cfg(any(control, trees_made_up))]
pub mod trees_made_up {
    use super::*;

    pub(crate) fn attack() -> bool {
        #[cfg(trees_made_up)]
        {
            let _ = &slots::TREES; //~[trees_made_up] E0603
            let _ = &slots::NR_TREES; //~[trees_made_up] E0603
            let _: Option<index::LeafRef<'_>> = None; //~[trees_made_up] E0603
            slots::detach(0); //~[trees_made_up] E0133
            drop(slots::attach(0, 1)); //~[trees_made_up] E0133
        }
        glue::never_enabled()
    }
}

// A leaf is allocated from a cache that is then destroyed.
#[cfg(any(control, leaves_of_a_local))]
pub mod leaves_of_a_local {
    use super::*;

    pub(crate) fn attack(
        store: &mut Store<'_, '_>,
        (memory, lists): (UninitBoxes<Entry>, Lists<'_>),
        leaves: &'static slab::Cache<Leaf>,
    ) -> Result {
        #[cfg(leaves_of_a_local)]
        let leaves = &slab::Cache::new(c"attack")?; //~[leaves_of_a_local] E0716
        store.fill(memory, lists, leaves, |_| Ok(()))
    }
}
