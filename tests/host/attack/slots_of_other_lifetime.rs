// SPDX-License-Identifier: GPL-2.0-or-later
// Subtyping shortens the lifetimes in the objects of slots: a reference to a local is put into the
// tree, and read as a 'static one. Or the type that selects the trees, and how an entry is
// dropped, is coerced to a supertype.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{
    swap::NotStored,
    swap_slots::{Cleared, FilledSlots, FreedSlots, Leaves, Occupied, SlotTrees, Slots},
};

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
#[cfg(attack)]
pub type To = Static;

pub fn slots<'a, 'f>(slots: Slots<'a, 'f, Any>) -> Slots<'a, 'f, To> {
    slots //~[attack] E0308
}

pub fn occupied<'a>(slot: Occupied<'a, Any>) -> Occupied<'a, To> {
    slot //~[attack] E0308
}

pub fn cleared<'f>(cleared: Cleared<'f, Any>) -> Cleared<'f, To> {
    cleared //~[attack] E0308
}

pub fn not_stored<'a>(folio: NotStored<'a, Any>) -> NotStored<'a, To> {
    folio //~[attack] E0308
}

pub fn freed<'a>(slots: FreedSlots<'a, Any>) -> FreedSlots<'a, To> {
    slots //~[attack] E0308
}

pub fn filled<'a>(slots: FilledSlots<'a, Any>) -> FilledSlots<'a, To> {
    slots //~[attack] E0308
}

pub fn leaves(leaves: &'static Leaves<Any>) -> &'static Leaves<To> {
    leaves //~[attack] E0308
}

pub fn trees(trees: &'static SlotTrees<Any>) -> &'static SlotTrees<To> {
    trees //~[attack] E0308
}
