// SPDX-License-Identifier: GPL-2.0-or-later
// The trees of a device.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{mm::folio::CachedFolio, prelude::*, xarray::XArray};
use zswap_core::{
    index::{self, LeafCache},
    lru::Prepared,
    slots::Slots,
    store_batch::{store, Published},
    trees::{self, Attached, DeadDevice},
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
        let found = trees::tree(entry).is_some(); //~[other_devices_tree] E0603
                                                  //~[other_devices_tree]^ E0133
        #[cfg(other_devices_tree)]
        let found = trees::tree_unchecked(entry).is_empty(); //~[other_devices_tree] E0603
                                                             //~[other_devices_tree]^ E0133
        #[cfg(control)]
        let found = entry.offset() != 0 && Slots::new(folio).entry(0).is_some();
        found
    }
}

// The index of the slots is emptied, or replaced, while it is in use: trees differ between calls.
#[cfg(any(control, trees_made_up))]
pub mod trees_made_up {
    use super::*;

    pub(crate) fn attack(device: &DeadDevice<'_>) -> bool {
        #[cfg(trees_made_up)]
        let _ = device.clear(); //~[trees_made_up] E0624
        #[cfg(trees_made_up)]
        let _ = &trees::INDEX; //~[trees_made_up] E0603
        #[cfg(trees_made_up)]
        let _: Option<index::LeafRef<'_>> = None; //~[trees_made_up] E0603
        let _ = device;
        index::never_opened()
    }
}

// A leaf is allocated from a cache that is then destroyed.
#[cfg(any(control, leaves_of_a_local))]
pub mod leaves_of_a_local {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Result<Option<Published<'f>>> {
        #[cfg(leaves_of_a_local)]
        let leaves = &LeafCache::new(c"attack")?; //~[leaves_of_a_local] E0716
        let stored = store(folio, leaves, |_| Ok(prepared), |error| error);
        Ok(stored.ok().map(|(_, published)| published))
    }
}

// swapon without trees, or with trees for fewer slots than the device has: freeing a slot looks up
// its tree without a bounds check.
#[cfg(any(control, attached_too_few))]
pub mod attached_too_few {
    use super::*;

    pub(crate) fn attack(device: DeadDevice<'_>) -> Result<Attached<'_>> {
        #[cfg(attached_too_few)]
        return Ok(()); //~[attached_too_few] E0308
        #[cfg(attached_too_few)]
        return device.attach(1); //~[attached_too_few] E0061
        device.attach()
    }
}

// The length of a device is changed, before trees are made for its slots.
#[cfg(any(control, device_shortened))]
pub mod device_shortened {
    use super::*;

    pub(crate) fn attack(device: DeadDevice<'_>) -> Result<Attached<'_>> {
        #[cfg(device_shortened)]
        let device = DeadDevice {
            nr_slots: 1, //~[device_shortened] E0451
            ..device     //~[device_shortened] E0451
                         //~[device_shortened]^ E0451
        };
        device.attach()
    }
}

// swapon succeeds for a device without trees: another device has got trees.
#[cfg(any(control, attached_to_another))]
pub mod attached_to_another {
    use super::*;

    #[cfg(attached_to_another)]
    pub(crate) fn another<'a, 'b>(
        one: DeadDevice<'a>,
        other: DeadDevice<'b>,
    ) -> Result<Attached<'a>> {
        other.attach() //~[attached_to_another] ERROR: lifetime may not live long enough
                       //~[attached_to_another]^ ERROR: lifetime may not live long enough
    }

    #[cfg(control)]
    pub(crate) fn attack(device: DeadDevice<'_>) -> Result<Attached<'_>> {
        device.attach()
    }
}

// A device's trees are dropped, and it is put into use all the same.
#[cfg(any(control, detached_and_attached))]
pub mod detached_and_attached {
    use super::*;

    pub(crate) fn attack(device: DeadDevice<'_>) -> Result<Attached<'_>> {
        let attached = device.attach();
        #[cfg(detached_and_attached)]
        device.detach(); //~[detached_and_attached] E0382
        attached
    }
}
