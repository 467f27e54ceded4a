// SPDX-License-Identifier: GPL-2.0-or-later
// The trees of a device.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::CachedFolio,
        swap_slots::{Attached, DeadDevice, Kept, Leaves, SlotTrees, Slots},
    },
    prelude::*,
    xarray::XArray,
};

include!("note.in");

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

    pub fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let entry = folio.swap();
        #[cfg(other_devices_tree)]
        let found = Note::trees().tree(entry).is_some(); //~[other_devices_tree] E0624
        #[cfg(control)]
        let found = entry == folio.swap() && folio.slots::<Note>().occupied(0).is_some();
        let _ = Note::trees();
        found
    }
}

// A type's trees are implemented by the policy, so that they may differ between calls.
#[cfg(any(control, trees_made_up))]
pub mod trees_made_up {
    use super::*;

    pub struct Other;
    static TREES: SlotTrees<Note> = SlotTrees::new(c"attack");
    #[cfg(trees_made_up)]
    static OTHERS: SlotTrees<Other> = SlotTrees::new(c"attack");

    #[cfg(trees_made_up)]
    impl Kept for Other {
        //~[trees_made_up]^ E0200
        type Owned = KBox<Other>;

        fn trees() -> &'static SlotTrees<Self> {
            &OTHERS
        }
    }

    pub fn attack() -> bool {
        core::ptr::eq(Note::trees(), &TREES)
    }
}

// A leaf of one type, from its cache, is put into the tree of another, whose values it would drop;
// or a leaf from a cache that is destroyed with leaves in it.
#[cfg(any(control, leaves_of_another))]
pub mod leaves_of_another {
    use super::*;

    pub struct Other(pub u32);

    kernel::impl_kept! {
        impl Kept for Other { owned: KBox<Other>, name: c"other" }
    }

    type Cache<T> = &'static Leaves<T>;

    pub fn attack(
        slots: &mut Slots<'_, '_, Note>,
        note: KBox<Note>,
        (leaves, others): (Cache<Note>, Cache<Other>),
    ) -> Result {
        #[cfg(leaves_of_another)]
        let leaves = others;
        slots.replace(0, note, leaves, GFP_KERNEL)?; //~[leaves_of_another] E0308
        Ok(())
    }

    pub fn and(slots: &mut Slots<'_, '_, Note>, note: KBox<Note>, leaves: Cache<Note>) -> Result {
        #[cfg(leaves_of_another)]
        let leaves = &Leaves::new(c"attack")?; //~[leaves_of_another] E0716
        slots.replace(0, note, leaves, GFP_KERNEL)?;
        Ok(())
    }
}

// swapon without trees, or with trees for fewer slots than the device has: freeing a slot looks up
// its tree without a bounds check.
#[cfg(any(control, attached_too_few))]
pub mod attached_too_few {
    use super::*;

    pub fn attack(device: DeadDevice<'_>) -> Result<Attached<'_, Note>> {
        #[cfg(attached_too_few)]
        return Ok(()); //~[attached_too_few] E0308
        #[cfg(attached_too_few)]
        return device.attach(1, kernel::static_lock_class!()); //~[attached_too_few] E0061
        device.attach(kernel::static_lock_class!())
    }
}

// swapon succeeds for a device without trees: another device has got trees.
#[cfg(any(control, attached_to_another))]
pub mod attached_to_another {
    use super::*;

    #[cfg(attached_to_another)]
    pub fn another<'a, 'b>(
        one: DeadDevice<'a>,
        other: DeadDevice<'b>,
    ) -> Result<Attached<'a, Note>> {
        other.attach(kernel::static_lock_class!()) //~[attached_to_another] ERROR: lifetime may not live long enough
                                                   //~[attached_to_another]^ ERROR: lifetime may not live long enough
    }

    #[cfg(control)]
    pub fn attack(device: DeadDevice<'_>) -> Result<Attached<'_, Note>> {
        device.attach(kernel::static_lock_class!())
    }
}
