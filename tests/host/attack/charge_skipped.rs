// SPDX-License-Identifier: GPL-2.0-or-later
// A folio is added to the LRU, and passed to the workingset code, before a cgroup is charged.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::swap_cache::{Entered, Origin, Splittable},
    prelude::*,
};

pub fn attack<'a>(entered: Entered<'a>, origin: &Origin<'_>) -> Result<Splittable<'a>> {
    #[cfg(attack)]
    return entered.prepare_split(); //~[attack] E0599
    entered.charge(origin)?.prepare_split()
}
