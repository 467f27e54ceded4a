// SPDX-License-Identifier: GPL-2.0

//! Points in the code at which a test can hold a task, to force an interleaving.
//!
//! Nothing is left of them unless `CONFIG_ZSWAP_RACE_POINTS` is set; then it is a no-op, until a
//! test arms one.

/// A point named `"PATH:BEFORE_OR_AFTER_STEP"` at which a test can hold a task: `atomic` where it
/// mustn't sleep.
///
/// # Examples
///
/// ```
/// # fn lookup() -> Option<u32> {
/// #     Some(7)
/// # }
/// let found = lookup();
/// // What was found may be gone before it is used: a test can see to that.
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

/// A point named `"PATH:BEFORE_OR_AFTER_STEP"` at which a test can hold a task: `atomic` where it
/// mustn't sleep.
///
/// # Examples
///
/// ```
/// # fn lookup() -> Option<u32> {
/// #     Some(7)
/// # }
/// let found = lookup();
/// // What was found may be gone before it is used: a test can see to that.
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
    // SAFETY: It is a static key that C has defined.
    if unsafe { crate::static_branch_unlikely!(zswap_race_armed, Armed, key) } {
        hold(point, may_sleep);
    }
}

#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
#[cold]
#[inline(never)]
fn hold(point: &crate::str::CStr, may_sleep: bool) {
    use crate::str::CStrExt as _;

    // SAFETY: A string that stays; C looks at it, and waits in the way that it is told.
    unsafe { zswap_race_point(point.as_char_ptr(), may_sleep) }
}

/// `static_branch_unlikely!` wants a field.
#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
#[repr(transparent)]
struct Armed {
    key: crate::bindings::static_key_false,
}

#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
extern "C" {
    // C changes it.
    static mut zswap_race_armed: Armed;

    fn zswap_race_point(point: *const crate::ffi::c_char, may_sleep: bool);
}
