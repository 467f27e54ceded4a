// SPDX-License-Identifier: GPL-2.0

//! Rate limits for messages.
//!
//! C header: [`include/linux/ratelimit.h`](srctree/include/linux/ratelimit.h)

use crate::{
    bindings,
    prelude::*,
    types::Opaque, //
};

/// Allows ten messages in five seconds, and counts the suppressed ones.
///
/// Mirrors `struct ratelimit_state` with the default limits.
///
/// # Invariants
///
/// `state` is initialised.
///
/// # Examples
///
/// ```
/// use kernel::ratelimit::RateLimit;
///
/// let limit = KBox::pin_init(RateLimit::new(), GFP_KERNEL)?;
/// let printed = (0..30).filter(|_| limit.allows(c"complain")).count();
/// assert_eq!(printed, 10);
/// # Ok::<(), Error>(())
/// ```
#[pin_data]
pub struct RateLimit {
    #[pin]
    state: Opaque<bindings::ratelimit_state>,
}

// SAFETY: A `struct ratelimit_state` has its own lock and is bound to no thread.
unsafe impl Send for RateLimit {}
// SAFETY: A `struct ratelimit_state` has its own lock.
unsafe impl Sync for RateLimit {}

impl RateLimit {
    /// Creates a limit that has counted no message yet. Mirrors `ratelimit_default_init()`.
    pub fn new() -> impl PinInit<Self> {
        // INVARIANT: `state` is initialised here.
        pin_init!(Self {
            // SAFETY: `slot` is valid for writes.
            state <- Opaque::ffi_init(|slot| unsafe { bindings::ratelimit_default_init(slot) }),
        })
    }

    /// Whether one more message may be printed now. When the suppressed messages are reported,
    /// `name` is printed as the name of the function.
    ///
    /// Any context except NMI. Mirrors `__ratelimit()`.
    pub fn allows(&self, name: &CStr) -> bool {
        // SAFETY: `state` is initialised by the type invariant. Values of this type come only from
        // pinned initialisers, so it doesn't move. `name` outlives the call.
        (unsafe { bindings::___ratelimit(self.state.get(), name.as_char_ptr()) }) != 0
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_ratelimit)]
mod tests {
    use super::*;

    #[test]
    fn ten_pass() -> Result {
        let limit = KBox::pin_init(RateLimit::new(), GFP_KERNEL)?;
        let mut passed = 0;
        for _ in 0..30 {
            if limit.allows(c"ten_pass") {
                passed += 1;
            }
        }
        assert_eq!(passed, 10);
        Ok(())
    }
}
