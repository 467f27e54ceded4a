// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() returns 0, but the folio isn't filled, or is still locked: tasks that
// wait for the folio wait forever.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::swap::Completed;

pub fn attack<'a, P: HasPool>(
    folio: UnreadFolio<'a>,
    how: Option<Completed<'a>>,
    from: &Stored<P>,
) -> Load<'a, Note> {
    let _ = (how, from);
    #[cfg(attack)]
    core::mem::forget(folio);
    #[cfg(attack)]
    return Load::Loaded(()); //~[attack] E0308
    #[cfg(control)]
    folio.load_exclusively::<Note>(|_, contents| fill(from, contents))
}
