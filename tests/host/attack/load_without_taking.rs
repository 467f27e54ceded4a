// SPDX-License-Identifier: GPL-2.0-or-later
// The page is loaded, and its entry stays: a second copy, and the old one after the first write.
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
        #[cfg(control)]
        let slot = slot.take();
        Ok::<Found<'_>, Error>(Some((fill(from, contents)?, slot))) //~[attack] E0308
    })
}
