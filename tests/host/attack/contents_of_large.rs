// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() fills the first page of a large folio, and says that all of it was: "large folios
// should not be swapped in". There is no content for one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{Contents, Filled, Load, UnreadFolio},
        swap::{SlotTrees, Taken},
        zsmalloc::{HasPool, Object},
    },
    prelude::*,
};

type Trees = SlotTrees<KBox<u32>>;
type Found<'f> = Option<(Filled<'f>, Taken<'f, KBox<u32>>)>;

fn fill<'f, P: HasPool>(from: &Object<P, ()>, to: Option<Contents<'f>>) -> Result<Filled<'f>> {
    from.read(|view| view.copy_to(to.ok_or(EINVAL)?))
}

pub fn attack<'a, P: HasPool>(
    folio: UnreadFolio<'a>,
    trees: &'static Trees,
    from: &Object<P, ()>,
) -> Load<'a, Error> {
    folio.load_exclusively(|folio, contents| {
        let slot = folio.slots(trees).occupied(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        let filled = from.read(|view| view.copy_to(contents))?; //~[attack] E0308
        #[cfg(control)]
        let filled = fill(from, contents)?;
        Ok::<Found<'_>, Error>(Some((filled, slot.take())))
    })
}
