// SPDX-License-Identifier: GPL-2.0-or-later
// All pages of a folio are stored, and then a slot is emptied or filled with something else: the proof that they
// are stored would be false. Publishing consumes the slots, and borrows the folio for all the time of its witness.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        folio::CachedFolio,
        list_lru::Charged,
        swap_slots::{Leaves, Listed, Published},
    },
    prelude::*,
};

pub fn attack<'f, T: Listed>(
    folio: &'f mut CachedFolio<'f>,
    charged: Charged<'_, T>,
    leaves: &'static Leaves<T>,
) -> Result<Published<'f, T>> {
    let slots = folio.slots::<T>();
    let (_, published) =
        slots
            .publish(charged, leaves, GFP_KERNEL)
            .map_err(|(unpublished, error)| {
                unpublished.slots().clear(drop);
                error
            })?;
    #[cfg(attack)]
    slots.clear(drop); //~[attack] E0382
    #[cfg(attack)]
    drop(folio.slots::<T>().occupied(0)); //~[attack] E0499
    Ok(published)
}
