// SPDX-License-Identifier: GPL-2.0-or-later
// Two witnesses of one lifetime can be swapped: each still is valid for its own folio, from which
// its slots are found. Swapped Reads are both submitted.
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
