// SPDX-License-Identifier: GPL-2.0

//! Checks of the callers' guarantees, enabled by `CONFIG_DEBUG_VM`.
//!
//! Without `CONFIG_DEBUG_VM` they cost nothing: the condition isn't evaluated. Checks of folios
//! (`VM_WARN_ON_ONCE_FOLIO()`) are helpers in C.
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
