// SPDX-License-Identifier: GPL-2.0-or-later
// C looks an entry up as often as it likes: what was found first may be freed when it is used.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub fn attack(folio: &mut CachedFolio<'_>) -> usize {
    let one = folio.slots::<Note>();
    #[cfg(control)]
    drop(one);
    let two = folio.slots::<Note>(); //~[attack] E0499
    #[cfg(attack)]
    drop(one);
    two.len()
}
