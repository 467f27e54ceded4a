// SPDX-License-Identifier: GPL-2.0-or-later
// Memory is held, not excluded: a slot gets the zero mark by the view of another type than zswap's, which drops
// only the objects of its own type. zswap's entry stays behind the mark: C reads zeroes there, and doesn't ask zswap.
// The entry is dropped when the slot is stored again or freed, or when its writeback finds the mark.
//@ check-pass
#![forbid(unsafe_code)]
include!("../note.in");
use kernel::mm::folio::CachedFolio;

pub fn mark(folio: &mut CachedFolio<'_>) {
    folio.slots::<Note>().mark_zeroes(0..1);
}
