// SPDX-License-Identifier: GPL-2.0-or-later
// A load reports that a slot with an entry has none: C then reads the device, which has older
// contents. Or it looks for another type's entry, which doesn't exist. Only the abstraction does
// the lookup, for the type that C's caller has requested.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::swap::NotStored;

pub struct Other;

kernel::impl_kept! {
    impl Kept for Other { owned: KBox<Other>, name: c"other" }
}

pub fn attack<'a, P: HasPool>(
    folio: UnreadFolio<'a>,
    how: Option<NotStored<'a, Note>>,
    from: &Stored<P>,
) -> Load<'a, Note> {
    let _ = how;
    #[cfg(attack)]
    if from.len() > 1 {
        return Load::NotStored(folio); //~[attack] E0308
    } else if from.len() > 0 {
        return Load::NotStored(NotStored(folio, Default::default())); //~[attack] E0423
    }
    #[cfg(control)]
    return folio.load_exclusively::<Note>(|_, contents| fill(from, contents));
    #[cfg(attack)]
    folio.load_exclusively::<Other>(|_, contents| fill(from, contents)) //~[attack] E0308
}
