// SPDX-License-Identifier: GPL-2.0-or-later
// Objects in a tree outlive the caller that stores them, and are read back as the tree's
// type: a tree of `&'static u8` that could be coerced to one of `&'a u8` would return a
// dangling reference, as upstream's does.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{prelude::*, xarray::XArray};

type Refs<'r> = KBox<&'r u8>;
#[cfg(control)]
type Any<'r> = Refs<'static>;
#[cfg(attack)]
type Any<'r> = Refs<'r>;

fn store<'r>(tree: &XArray<Any<'r>>, value: Any<'r>) -> Result {
    tree.lock().store(0, value, GFP_KERNEL)?;
    Ok(())
}

pub fn attack<'r>(tree: &XArray<Refs<'static>>, local: &'r u8) -> Result<Option<u8>> {
    #[cfg(control)]
    let local = {
        let _ = local;
        &7
    };
    store(tree, KBox::new(local, GFP_KERNEL)?)?; //~[attack] E0521
    let read: Option<&'static u8> = tree.lock().get(0).copied();
    Ok(read.copied())
}
