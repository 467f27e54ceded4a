// SPDX-License-Identifier: GPL-2.0-or-later
// The slots of a locked folio, and views of them.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        folio::CachedFolio,
        list_lru::Charged,
        swap::{NewFolio, NotStored},
        swap_cache::Splittable,
        swap_slots::{
            Cleared, FilledSlots, FreedSlots, Leaves, Listed, Occupied, Published, SlotTrees, Slots,
        },
    },
};

include!("fill.in");

// Two views of one folio: an entry from the first may be freed through the second.
#[cfg(any(control, slots_twice))]
pub mod slots_twice {
    use super::*;

    pub fn attack(folio: &mut CachedFolio<'_>) -> usize {
        let one = folio.slots::<Note>();
        #[cfg(control)]
        drop(one);
        let two = folio.slots::<Note>(); //~[slots_twice] E0499
        #[cfg(slots_twice)]
        drop(one);
        two.len()
    }
}

// C may access a slot's data twice, through another subsystem's data for the slot.
#[cfg(any(control, slots_of_two_trees))]
pub mod slots_of_two_trees {
    use super::*;

    pub struct Other(pub u8);

    kernel::impl_kept! {
        impl Kept for Other { owned: KBox<Other>, name: c"other" }
    }

    pub fn attack(folio: &mut CachedFolio<'_>) -> usize {
        let one = folio.slots::<Note>();
        #[cfg(control)]
        drop(one);
        let other = folio.slots::<Other>(); //~[slots_of_two_trees] E0499
        #[cfg(slots_of_two_trees)]
        drop(one);
        other.len()
    }
}

// Two entries borrowed from one view: freeing one may free the
// other, if both are of the same slot.
#[cfg(any(control, occupied_twice))]
pub mod occupied_twice {
    use super::*;

    pub fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let slots = folio.slots::<Note>();
        let one = slots.occupied(0);
        #[cfg(occupied_twice)]
        let two = slots.occupied(0); //~[occupied_twice] E0382
        #[cfg(control)]
        drop(one);
        #[cfg(control)]
        let two = folio.slots::<Note>().occupied(0);
        #[cfg(occupied_twice)]
        drop(one);
        two.is_some()
    }
}

// zswap_load() unlocks the folio: an entry of it that is used after that
// may be freed (docs/races.md: 10).
#[cfg(any(control, slots_after_unlock))]
pub mod slots_after_unlock {
    use super::*;

    pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
        #[cfg(slots_after_unlock)]
        let cached = &*folio;
        let load = folio.load_exclusively::<Note>(|_, contents| fill(from, contents)); //~[slots_after_unlock] E0505
        #[cfg(slots_after_unlock)]
        let _ = cached.swap();
        #[cfg(slots_after_unlock)]
        let _ = folio.swap(); //~[slots_after_unlock] E0382
        load
    }
}

// The I/O owns a folio that is being read and unlocks it at any time: an object
// found for its slot must not be kept.
#[cfg(any(control, slots_after_read))]
pub mod slots_after_read {
    use super::*;

    pub fn attack(folio: WritebackFolio) -> Option<NewFolio> {
        let mut kept = None;
        let written = folio.write::<Note>(|note, _| {
            #[cfg(slots_after_read)]
            kept.replace(note); //~[slots_after_read] E0521
            #[cfg(control)]
            kept.replace(note.0);
            Err(EINVAL)
        });
        let folio = written.err().map(|(folio, _)| folio);
        drop(kept);
        folio
    }
}

// Subtyping shortens the lifetimes in the objects of slots: a reference to a local is put into the
// tree, and read as a 'static one. Or the type that selects the trees, and how an entry is
// dropped, is coerced to a supertype.
#[cfg(any(control, slots_of_other_lifetime))]
pub mod slots_of_other_lifetime {
    use super::*;

    pub struct Item<F: 'static>(pub F);
    pub type Any = Item<for<'a> fn(&'a u8)>;
    pub type Static = Item<fn(&'static u8)>;

    kernel::impl_kept! {
        impl Kept for Any { owned: KBox<Any>, name: c"any" }
    }
    #[allow(coherence_leak_check)]
    mod other {
        use super::*;
        kernel::impl_kept! {
            impl Kept for Static { owned: KBox<Static>, name: c"static" }
        }
    }

    #[cfg(control)]
    pub type To = Any;
    #[cfg(slots_of_other_lifetime)]
    pub type To = Static;

    pub fn slots<'a, 'f>(slots: Slots<'a, 'f, Any>) -> Slots<'a, 'f, To> {
        slots //~[slots_of_other_lifetime] E0308
    }

    pub fn occupied<'a>(slot: Occupied<'a, Any>) -> Occupied<'a, To> {
        slot //~[slots_of_other_lifetime] E0308
    }

    pub fn cleared<'f>(cleared: Cleared<'f, Any>) -> Cleared<'f, To> {
        cleared //~[slots_of_other_lifetime] E0308
    }

    pub fn not_stored<'a>(folio: NotStored<'a, Any>) -> NotStored<'a, To> {
        folio //~[slots_of_other_lifetime] E0308
    }

    pub fn freed<'a>(slots: FreedSlots<'a, Any>) -> FreedSlots<'a, To> {
        slots //~[slots_of_other_lifetime] E0308
    }

    pub fn filled<'a>(slots: FilledSlots<'a, Any>) -> FilledSlots<'a, To> {
        slots //~[slots_of_other_lifetime] E0308
    }

    pub fn leaves(leaves: &'static Leaves<Any>) -> &'static Leaves<To> {
        leaves //~[slots_of_other_lifetime] E0308
    }

    pub fn trees(trees: &'static SlotTrees<Any>) -> &'static SlotTrees<To> {
        trees //~[slots_of_other_lifetime] E0308
    }
}

// A slot beyond those of the folio belongs to another owner. A slot is named by its index only,
// which is bounds-checked; the policy can't name the array.
#[cfg(any(control, slot_past_folio))]
pub mod slot_past_folio {
    use super::*;

    pub fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let slots = folio.slots::<Note>();
        #[cfg(slot_past_folio)]
        let tree = slots.tree; //~[slot_past_folio] E0616
        #[cfg(slot_past_folio)]
        return tree.is_some();
        #[cfg(control)]
        slots.occupied(usize::MAX).is_none()
    }
}

// A refused store has cleared the slots, and then one is filled again: writeback of that entry
// overwrites newer data (docs/races.md: 12).
#[cfg(any(control, refill_cleared))]
pub mod refill_cleared {
    use super::*;

    pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, leaves: &'static Leaves<Note>) -> Result {
        #[cfg(control)]
        let cleared = folio.slots::<Note>().clear(drop);
        #[cfg(refill_cleared)]
        let cleared = folio.slots::<Note>().clear(|note| {
            //~[refill_cleared]^ E0500
            drop(folio.slots::<Note>().replace(0, note, leaves, GFP_KERNEL));
        });
        #[cfg(refill_cleared)]
        let mut slots = folio.slots::<Note>(); //~[refill_cleared] E0499
        #[cfg(refill_cleared)]
        drop(slots.replace(0, KBox::new(Note(1), GFP_KERNEL)?, leaves, GFP_KERNEL));
        let _ = cleared;
        Ok(())
    }
}

// All pages of a folio are stored, and then a slot is emptied or filled with something else: the proof that they
// are stored would be false. Publishing consumes the slots, and borrows the folio for all the time of its witness.
#[cfg(any(control, emptied_after_publish))]
pub mod emptied_after_publish {
    use super::*;

    pub fn attack<'f, T: Listed>(
        folio: &'f mut CachedFolio<'f>,
        charged: Charged<'_, T>,
        leaves: &'static Leaves<T>,
    ) -> Result<Published<'f, T>> {
        let slots = folio.slots::<T>();
        let (_, published) =
            slots
                .publish(charged, leaves, GFP_KERNEL)
                .map_err(|(unpublished, error)| {
                    unpublished.slots().clear(drop);
                    error
                })?;
        #[cfg(emptied_after_publish)]
        slots.clear(drop); //~[emptied_after_publish] E0382
        #[cfg(emptied_after_publish)]
        drop(folio.slots::<T>().occupied(0)); //~[emptied_after_publish] E0499
        Ok(published)
    }
}

// A folio is counted, and put on the LRU, twice.
#[cfg(any(control, publish_twice))]
pub mod publish_twice {
    use super::*;

    pub fn attack(splittable: Splittable<'_>) -> NewFolio {
        #[cfg(publish_twice)]
        drop(splittable.publish());
        splittable.publish() //~[publish_twice] E0382
    }
}
