// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that was submitted to be written is no longer ours: its lock is dropped as the I/O
// starts.
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

pub fn attack<P: HasPool>(folio: NewFolio, trees: &'static Trees, from: &Stored<P>) -> Result {
    let written = folio.write_exclusively(|folio, contents| {
        let slot = folio.slots(trees).occupied(0).ok_or(ENOENT)?;
        Ok((fill(from, contents)?, slot.take()))
    });
    #[cfg(attack)]
    drop(folio); //~[attack] E0382
    written
}
