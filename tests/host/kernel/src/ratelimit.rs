// SPDX-License-Identifier: GPL-2.0

//! Whether there may be one more message.

use crate::str::CStr;
use pin_init::PinInit;

pub struct RateLimit(());

impl RateLimit {
    pub fn new() -> impl PinInit<Self> {
        unsafe {
            pin_init::pin_init_from_closure(|slot: *mut Self| {
                slot.write(Self(()));
                Ok::<(), core::convert::Infallible>(())
            })
        }
    }
    pub fn allows(&self, _: &CStr) -> bool {
        true
    }
}
