// SPDX-License-Identifier: GPL-2.0

//! Race points: points in the code at which a test can hold a task, to force an interleaving.
//!
//! Without `CONFIG_ZSWAP_RACE_POINTS` they compile to nothing. With it they are a no-op until a
//! test arms one.

/// A race point named `"PATH:BEFORE_OR_AFTER_STEP"`; `atomic` where the task must not sleep.
///
/// # Examples
///
/// ```
/// # fn lookup() -> Option<u32> {
/// #     Some(7)
/// # }
/// let found = lookup();
/// // A test can hold the task here, and free what was found.
/// kernel::race_point!("example:after_lookup");
/// assert_eq!(found, Some(7));
/// ```
#[cfg(not(CONFIG_ZSWAP_RACE_POINTS))]
#[macro_export]
macro_rules! race_point {
    ($($name:tt)*) => {
        ()
    };
}

/// A race point named `"PATH:BEFORE_OR_AFTER_STEP"`; `atomic` where the task must not sleep.
///
/// # Examples
///
/// ```
/// # fn lookup() -> Option<u32> {
/// #     Some(7)
/// # }
/// let found = lookup();
/// // A test can hold the task here, and free what was found.
/// kernel::race_point!("example:after_lookup");
/// assert_eq!(found, Some(7));
/// ```
#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
#[macro_export]
macro_rules! race_point {
    (atomic $name:literal) => {
        $crate::race::reached($crate::c_str!($name), false)
    };
    ($name:literal) => {
        $crate::race::reached($crate::c_str!($name), true)
    };
}

/// For [`race_point!`](crate::race_point).
#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
#[doc(hidden)]
#[inline]
pub fn reached(point: &'static crate::str::CStr, may_sleep: bool) {
    // SAFETY: `zswap_race_armed` is a static key, defined in C.
    if unsafe { crate::static_branch_unlikely!(zswap_race_armed, Armed, key) } {
        hold(point, may_sleep);
    }
}

#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
fn hold(point: &crate::str::CStr, may_sleep: bool) {
    use crate::str::CStrExt as _;

    // SAFETY: `point` is a zero-terminated string, which C only reads. C sleeps only if
    // `may_sleep`.
    unsafe { zswap_race_point(point.as_char_ptr(), may_sleep) }
}

/// `static_branch_unlikely!` requires a field.
#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
#[repr(transparent)]
struct Armed {
    key: crate::bindings::static_key_false,
}

#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
extern "C" {
    // Mutable, since C changes it.
    static mut zswap_race_armed: Armed;

    fn zswap_race_point(point: *const crate::ffi::c_char, may_sleep: bool);
}
