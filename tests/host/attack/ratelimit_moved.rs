// SPDX-License-Identifier: GPL-2.0-or-later
// A lock in use is moved.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{prelude::*, ratelimit::RateLimit};

pub fn attack(limit: Pin<KBox<RateLimit>>) -> bool {
    #[cfg(attack)]
    let limit = *Pin::into_inner(limit); //~[attack] E0277
    limit.allows(c"attack")
}
