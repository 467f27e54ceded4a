// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_store() says that a folio is stored after it has emptied its slots, or without having filled any: C
// doesn't write it to the device, and its pages are lost. "Stored" takes the proof that publishing returns, in a
// folio all of whose pages have the zero mark, too.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::mm::{folio::CachedFolio, swap_slots::Published};

pub(crate) fn attack<'f>(folio: &'f mut CachedFolio<'f>, how: u32) -> store::Store<'f> {
    #[cfg(attack)]
    if how == 1 {
        folio.slots::<entry::Entry>().clear(drop);
        return Ok(()); //~[attack] E0308
    } else if how == 2 {
        folio.slots::<entry::Entry>().mark_zeroes(0..1);
        return Ok(Published(Default::default(), Default::default())); //~[attack] E0423
    }
    Err(folio.slots::<entry::Entry>().clear(drop))
}
