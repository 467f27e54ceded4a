// SPDX-License-Identifier: GPL-2.0

//! Checks of the callers' guarantees, enabled by `CONFIG_DEBUG_VM`.
//!
//! Without `CONFIG_DEBUG_VM` they cost nothing: the condition isn't evaluated.
//!
//! C header: [`include/linux/mmdebug.h`](srctree/include/linux/mmdebug.h)

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

/// With `CONFIG_DEBUG_VM`, warns once if a condition on a folio is true, and dumps the folio.
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
                $folio.dump($crate::c_str!(::core::concat!(
                    "VM_WARN_ON_ONCE_FOLIO(",
                    ::core::stringify!($cond),
                    ")"
                )));
                $crate::warn_on!(true);
            }
        }
    };
}
