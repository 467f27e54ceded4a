// SPDX-License-Identifier: GPL-2.0-or-later
// Inside a load or a writeback, a page that isn't filled yet is read: stale memory is stored, and
// reaches a process as a page of its own.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    folio.load_exclusively::<Note>(|_, #[allow(unused_mut)] mut contents| {
        #[cfg(attack)]
        let _page = contents.page(); //~[attack] E0624
        #[cfg(attack)]
        contents.write_page(|_page| ()); //~[attack] E0624
        #[cfg(attack)]
        let _page = contents.slots::<Note>().get(0); //~[attack] E0599
        fill(from, contents)
    })
}
