// SPDX-License-Identifier: GPL-2.0-or-later
// A large folio that its cgroup's list of folios to be split has no room for is published: it is
// put there later, where an allocation can't fail any more.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    swap::NewFolio,
    swap_cache::{Charged, Splittable},
};

pub fn attack(charged: Charged<'_>) -> Result<NewFolio, kernel::error::Error> {
    #[cfg(attack)]
    return Ok(charged.publish()); //~[attack] E0599
    let splittable: Splittable<'_> = charged.prepare_split()?;
    Ok(splittable.publish())
}
