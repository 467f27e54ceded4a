// SPDX-License-Identifier: GPL-2.0

//! Static keys defined in Rust.
//!
//! C header: [`include/linux/jump_label.h`](srctree/include/linux/jump_label.h)

use crate::{
    bindings,
    types::Opaque, //
};

/// A static key that is disabled at boot. Must be a `static`.
///
/// [`static_key_enabled_unlikely!`] tests it. Until the key is enabled, the test costs a no-op.
///
/// Mirrors `DEFINE_STATIC_KEY_FALSE()`.
///
/// # Invariants
///
/// `key` is an initialised `struct static_key_false`, changed only by C's functions.
///
/// # Examples
///
/// Ignored: before 1.87 the test requires the feature `asm_goto`, which is enabled for samples, but
/// not for examples.
///
/// ```ignore
/// use kernel::{jump_label::static_key::StaticKeyFalse, static_key_enabled_unlikely};
///
/// static EVER_USED: StaticKeyFalse = StaticKeyFalse::new();
///
/// assert!(!static_key_enabled_unlikely!(EVER_USED));
/// EVER_USED.enable();
/// assert!(static_key_enabled_unlikely!(EVER_USED));
/// ```
///
/// [`static_key_enabled_unlikely!`]: crate::static_key_enabled_unlikely
#[repr(transparent)]
pub struct StaticKeyFalse {
    key: Opaque<bindings::static_key_false>,
}

// SAFETY: C changes a static key under its own locks, and reads it by atomic operations.
unsafe impl Sync for StaticKeyFalse {}

impl StaticKeyFalse {
    /// A disabled key. Mirrors `STATIC_KEY_FALSE_INIT`.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        // INVARIANT: `STATIC_KEY_FALSE_INIT` is all zeroes, with and without jump labels.
        Self {
            key: Opaque::zeroed(),
        }
    }

    fn as_raw(&'static self) -> *mut bindings::static_key {
        self.key.get().cast()
    }

    /// Enables the key. May sleep; takes `cpus_read_lock()`. Mirrors `static_branch_enable()`.
    pub fn enable(&'static self) {
        // SAFETY: By the type invariant `self` is an initialised static key, and `&'static self`
        // is never freed.
        unsafe { bindings::static_key_enable(self.as_raw()) }
    }

    /// Whether the key is enabled, read from memory. For [`static_key_enabled_unlikely!`].
    ///
    /// [`static_key_enabled_unlikely!`]: crate::static_key_enabled_unlikely
    #[cfg(not(CONFIG_JUMP_LABEL))]
    #[doc(hidden)]
    #[inline]
    pub fn is_enabled(&'static self) -> bool {
        // SAFETY: By the type invariant `self` is an initialised static key.
        unsafe { bindings::static_key_count(self.as_raw()) > 0 }
    }
}

/// The layout of [`StaticKeyFalse`], for assembly, which requires the name of a field.
#[doc(hidden)]
#[repr(transparent)]
pub struct Layout {
    pub key: bindings::static_key_false,
}

/// Whether a [`StaticKeyFalse`](kernel::jump_label::static_key::StaticKeyFalse) is enabled.
///
/// Takes the path of the `static`. Mirrors `static_branch_unlikely()`.
// One user: zswap's index. A macro, since the key's symbol goes into the jump table; every key that is
// defined in Rust needs it.
#[macro_export]
macro_rules! static_key_enabled_unlikely {
    ($key:path) => {{
        // A pointer, since a reference would be coerced: `$key` must name the key itself, whose
        // symbol goes into the jump table.
        let _key: *const $crate::jump_label::static_key::StaticKeyFalse =
            ::core::ptr::addr_of!($key);
        // Rejects a `static` of an `extern` block, a C symbol whose type the compiler can't check:
        // a reference to one requires `unsafe`.
        let _ = || -> &'static $crate::jump_label::static_key::StaticKeyFalse { &$key };
        #[cfg(not(CONFIG_JUMP_LABEL))]
        {
            $key.is_enabled()
        }
        #[cfg(CONFIG_JUMP_LABEL)]
        // SAFETY: `$key` is a `StaticKeyFalse` defined in Rust: the type of `_key` and the closure
        // above check that. By the type invariant it is an initialised `struct static_key_false`,
        // and `Layout` has the same layout.
        unsafe {
            $crate::jump_label::arch_static_branch! {
                $key, $crate::jump_label::static_key::Layout, key, false
            }
        }
    }};
}
