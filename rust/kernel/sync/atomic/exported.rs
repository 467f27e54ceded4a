// SPDX-License-Identifier: GPL-2.0

//! Atomic variables defined in Rust and declared in C.
//!
//! C header: [`include/linux/atomic.h`](srctree/include/linux/atomic.h)

use super::Atomic;
use crate::bindings;

// `exported_atomic_long!` relies on this.
const _: () = assert!(
    size_of::<Atomic<isize>>() == size_of::<bindings::atomic_long_t>()
        && align_of::<Atomic<isize>>() == align_of::<bindings::atomic_long_t>()
);

/// Defines an atomic variable, 0 at boot, that a C header declares as `extern atomic_long_t`.
///
/// Fails to compile unless a C header has that declaration, and fails to link if C also defines the
/// variable.
///
/// ```ignore
/// kernel::exported_atomic_long! {
///     /// The number of pages currently stored in zswap.
///     pub(crate) static zswap_stored_pages;
/// }
/// ```
// One user: zswap's counter of stored pages, which C reads. Any variable that moves from C to Rust while C
// reads it needs this.
#[macro_export]
macro_rules! exported_atomic_long {
    // Documentation is the only attribute allowed: others may be unsafe.
    ($(#[doc = $doc:literal])* $vis:vis static $name:ident;) => {
        $(#[doc = $doc])*
        #[no_mangle]
        $vis static $name: $crate::sync::atomic::Atomic<isize> =
            $crate::sync::atomic::Atomic::new(0);

        // Checks the declaration in C.
        const _: fn() -> *const $crate::bindings::atomic_long_t =
            || &raw const $crate::bindings::$name;
    };
}
