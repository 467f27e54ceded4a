// SPDX-License-Identifier: GPL-2.0-or-later
// Any caller can claim what a comment requires. Here a value is the proof, and the
// policy can't construct the value. (A SwapEntry proves that there can be a device of its number.)
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::marker::PhantomData;
use kernel::mm::{
    folio::Filled,
    swap::{Abandoned, Completed},
    swap_slots::Cleared,
    swapops::SwapEntry,
};

pub fn attack<'f>(
    entry: SwapEntry,
    _: Option<(Filled<'f>, Completed<'f>, Abandoned<'f>, Cleared<'f, ()>)>,
    _: PhantomData<()>,
) -> SwapEntry {
    #[cfg(attack)]
    {
        let _ = Filled(PhantomData); //~[attack] E0423
        let _ = Completed(PhantomData); //~[attack] E0423
        let _ = Abandoned(PhantomData); //~[attack] E0423
        let _ = Cleared(PhantomData, PhantomData); //~[attack] E0423
        let _ = SwapEntry(entry.0); //~[attack] E0616
                                    //~[attack]^ E0423
    }
    entry
}
