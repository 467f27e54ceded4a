// SPDX-License-Identifier: GPL-2.0

//! Atomic variables that Rust defines and C declares.
//!
//! C header: [`include/linux/atomic.h`](srctree/include/linux/atomic.h)

use super::Atomic;
use crate::bindings;

// As `exported_atomic_long!` relies on.
const _: () = assert!(
    size_of::<Atomic<isize>>() == size_of::<bindings::atomic_long_t>()
        && align_of::<Atomic<isize>>() == align_of::<bindings::atomic_long_t>()
);

/// Defines an atomic variable, 0 at boot, that a C header declares as `extern atomic_long_t`.
///
/// A variable that no header declares so doesn't compile; one that C defines doesn't link.
///
/// ```ignore
/// kernel::exported_atomic_long! {
///     /// The number of pages currently stored in zswap.
///     pub(crate) static zswap_stored_pages;
/// }
/// ```
#[macro_export]
macro_rules! exported_atomic_long {
    // No attribute but documentation: others may be unsafe.
    ($(#[doc = $doc:literal])* $vis:vis static $name:ident;) => {
        $(#[doc = $doc])*
        #[no_mangle]
        $vis static $name: $crate::sync::atomic::Atomic<isize> =
            $crate::sync::atomic::Atomic::new(0);

        // What C's declaration says of it.
        const _: fn() -> *const $crate::bindings::atomic_long_t =
            || &raw const $crate::bindings::$name;
    };
}
