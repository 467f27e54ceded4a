// SPDX-License-Identifier: GPL-2.0-or-later
// An instance is put where it isn't dropped: it is forgotten, and its memory, which is its own, stays.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::MaybeUninit;
use kernel::{
    cpuhotplug::{Instance, Prepare, State},
    prelude::*,
};
use pin_init::Wrapper;

pub fn in_place<T: Prepare>(state: &'static State<T>, inner: T) -> Result {
    let init = MaybeUninit::<Instance<T>>::pin_init(Instance::new(state, inner));
    drop(KBox::pin_init(init, GFP_KERNEL)?);
    Ok(())
}
