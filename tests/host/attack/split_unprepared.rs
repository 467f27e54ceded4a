// SPDX-License-Identifier: GPL-2.0-or-later
// A large folio is published without its cgroup's deferred split queue: it is queued there later,
// where an allocation must not fail.
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
