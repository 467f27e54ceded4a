// SPDX-License-Identifier: GPL-2.0-or-later
// A leaf of one type, from its cache, is put into the tree of another, whose values it would drop;
// or a leaf from a cache that is destroyed with leaves in it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::swap_slots::{Leaves, Slots};

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
    #[cfg(attack)]
    let leaves = others;
    slots.replace(0, note, leaves, GFP_KERNEL)?; //~[attack] E0308
    Ok(())
}

pub fn and(slots: &mut Slots<'_, '_, Note>, note: KBox<Note>, leaves: Cache<Note>) -> Result {
    #[cfg(attack)]
    let leaves = &Leaves::new(c"attack")?; //~[attack] E0716
    slots.replace(0, note, leaves, GFP_KERNEL)?;
    Ok(())
}
