// SPDX-License-Identifier: GPL-2.0-or-later
// Two evidences of one lifetime can change places: each still says what is true of its own folio,
// from which its slots are found. Reads that change places are submitted, both.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::swap;
use kernel::mm::{folio::CachedFolio, swap::Reads};

pub fn folios<'f>(one: &mut CachedFolio<'f>, other: &mut CachedFolio<'f>) {
    swap(one, other);
}

pub fn reads() {
    Reads::together(|one| Reads::together(|other| swap(one, other)));
}
