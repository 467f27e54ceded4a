// SPDX-License-Identifier: GPL-2.0-or-later
// C may access a slot's data twice, through another subsystem's data for the slot.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub struct Other(pub u8);

kernel::impl_kept! {
    impl Kept for Other { owned: KBox<Other>, name: c"other" }
}

pub fn attack(folio: &mut CachedFolio<'_>) -> usize {
    let one = folio.slots::<Note>();
    #[cfg(control)]
    drop(one);
    let other = folio.slots::<Other>(); //~[attack] E0499
    #[cfg(attack)]
    drop(one);
    other.len()
}
