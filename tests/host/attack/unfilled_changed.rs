// SPDX-License-Identifier: GPL-2.0-or-later
// Before a load or a writeback, an object is put into the slot, or all slots are cleared, and the
// load then fails: the page is lost.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::swap_slots::Leaves;

pub fn attack<'a, P: HasPool>(
    #[allow(unused_mut)] mut folio: UnreadFolio<'a>,
    from: &Stored<P>,
    leaves: &'static Leaves<Note>,
) -> Load<'a, Note> {
    #[cfg(attack)]
    {
        let note = KBox::new(Note(1), GFP_KERNEL).unwrap();
        let _ = folio.slots::<Note>().replace(0, note, leaves, GFP_KERNEL); //~[attack] E0596
        let _ = folio.slots::<Note>().clear(drop); //~[attack] E0596
                                                   //~[attack]^ E0597
    }
    folio.load_exclusively::<Note>(|_, contents| fill(from, contents)) //~[attack] E0505
}

pub fn and<P: HasPool>(folio: WritebackFolio, from: &Stored<P>) -> Result {
    folio
        .write::<Note>(|_, contents| fill(from, contents))
        .map_err(|(_, error)| error)
}
