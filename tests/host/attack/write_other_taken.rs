// SPDX-License-Identifier: GPL-2.0-or-later
// Another slot was emptied than the one that is written: its old entry stays, to be written over
// newer data some day.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{Contents, Filled},
        swap::{NewFolio, SlotTrees, Taken},
        zsmalloc::{HasPool, Object},
    },
    prelude::*,
};

type Trees = SlotTrees<KBox<u32>>;
type Stored<P> = Object<P, ()>;

fn fill<'f, P: HasPool>(from: &Stored<P>, to: Option<Contents<'f>>) -> Result<Filled<'f>> {
    from.read(|view| view.copy_to(to.ok_or(EINVAL)?))
}

pub fn attack<P: HasPool>(
    one: NewFolio,
    two: NewFolio,
    trees: &'static Trees,
    from: &Stored<P>,
) -> Result {
    one.write_exclusively(|one, first| {
        let slot = one.slots(trees).occupied(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        two.write_exclusively(|_, second| Ok::<_, Error>((fill(from, second)?, slot.take())))?; //~[attack] ERROR: lifetime may not live long enough
                                                                                                //~[attack]^ ERROR: lifetime may not live long enough
        #[cfg(attack)]
        return Err::<(Filled<'_>, Taken<'_, KBox<u32>>), Error>(EINVAL);
        #[cfg(control)]
        Ok((fill(from, first)?, slot.take()))
    })
}
