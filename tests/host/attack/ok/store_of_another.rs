// SPDX-License-Identifier: GPL-2.0-or-later
// Lost data, not excluded: a folio's slots get objects with any bytes, of other pages or of none. The proof that a
// folio is stored says that each slot has an object or the zero mark; the policy compresses. Tests in the kernel
// compare every page.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::CachedFolio,
        list_lru::Charged,
        swap_slots::{Leaves, Listed, Published},
    },
    prelude::*,
};

pub fn store_made_of_another<'f, T: Listed>(
    folio: &'f mut CachedFolio<'f>,
    made_of_another: Charged<'_, T>,
    leaves: &'static Leaves<T>,
) -> Result<Published<'f, T>> {
    let slots = folio.slots::<T>();
    let published = slots.publish(made_of_another, leaves, GFP_KERNEL);
    published.map(|(_, it)| it).map_err(|(_, error)| error)
}
