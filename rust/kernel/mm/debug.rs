// SPDX-License-Identifier: GPL-2.0

//! Checks of what callers must guarantee, only with `CONFIG_DEBUG_VM`.
//!
//! Without it they cost nothing: the condition isn't evaluated.
//!
//! C header: [`include/linux/mmdebug.h`](srctree/include/linux/mmdebug.h)

use crate::{
    bindings,
    mm::folio::Folio,
    prelude::*, //
};

/// With `CONFIG_DEBUG_VM`, warns once if a condition is true.
///
/// Mirrors `VM_WARN_ON_ONCE()`.
///
/// # Examples
///
/// ```
/// fn swapin(slots: usize) {
///     kernel::vm_warn_on_once!(slots == 0);
/// }
/// # swapin(1);
/// ```
#[macro_export]
macro_rules! vm_warn_on_once {
    ($cond:expr) => {
        if ::core::cfg!(CONFIG_DEBUG_VM) {
            $crate::warn_on_once!($cond);
        }
    };
}

/// With `CONFIG_DEBUG_VM`, warns once if a condition on a [`Folio`] is true, and dumps the folio.
///
/// Mirrors `VM_WARN_ON_ONCE_FOLIO()`.
///
/// # Examples
///
/// ```
/// use kernel::mm::folio::Folio;
///
/// fn unlock(folio: &Folio) {
///     kernel::vm_warn_on_once_folio!(!folio.is_locked(), folio);
/// }
/// ```
#[macro_export]
macro_rules! vm_warn_on_once_folio {
    ($cond:expr, $folio:expr) => {
        if ::core::cfg!(CONFIG_DEBUG_VM) && $cond {
            $crate::do_once_lite! {
                $crate::mm::folio::Folio::dump(
                    $folio,
                    $crate::c_str!(::core::concat!(
                        "VM_WARN_ON_ONCE_FOLIO(",
                        ::core::stringify!($cond),
                        ")"
                    )),
                );
                $crate::warn_on!(true);
            }
        }
    };
}

/// The state that the checks test. May be stale unless the folio's lock is held.
impl Folio {
    /// Whether the folio is locked. Mirrors `folio_test_locked()`.
    #[inline]
    pub fn is_locked(&self) -> bool {
        // SAFETY: The folio is alive.
        unsafe { bindings::folio_test_locked(self.as_raw()) }
    }

    /// Whether the folio is in the swap cache. Mirrors `folio_test_swapcache()`.
    #[inline]
    pub fn is_in_swap_cache(&self) -> bool {
        // SAFETY: The folio is alive.
        unsafe { bindings::folio_test_swapcache(self.as_raw()) }
    }

    /// Whether the folio is backed by swap. Mirrors `folio_test_swapbacked()`.
    #[inline]
    pub fn is_swap_backed(&self) -> bool {
        // SAFETY: The folio is alive.
        unsafe { bindings::folio_test_swapbacked(self.as_raw()) }
    }

    /// Whether the folio is under writeback. Mirrors `folio_test_writeback()`.
    #[inline]
    pub fn is_under_writeback(&self) -> bool {
        // SAFETY: The folio is alive.
        unsafe { bindings::folio_test_writeback(self.as_raw()) }
    }

    /// Dumps the folio's state to the log, with the reason `why`. Mirrors `dump_page()`.
    #[cold]
    #[inline(never)]
    pub fn dump(&self, why: &CStr) {
        // SAFETY: The folio is alive; C prints the text and keeps nothing.
        unsafe { bindings::dump_page(self.as_raw().cast(), why.as_char_ptr()) }
    }
}
