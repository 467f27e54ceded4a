// SPDX-License-Identifier: GPL-2.0

//! Rate limits, replaced at their API.

use crate::str::CStr;
use pin_init::PinInit;

pub struct RateLimit(());

impl RateLimit {
    pub fn new() -> impl PinInit<Self> {
        Self(())
    }
    pub fn allows(&self, _: &CStr) -> bool {
        true
    }
}
