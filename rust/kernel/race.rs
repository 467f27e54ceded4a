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
#[doc(hidden)]
#[inline(always)]
#[cfg(not(CONFIG_ZSWAP_RACE_POINTS))]
pub fn reached(_point: &'static crate::str::CStr, _may_sleep: bool) {}

/// For [`race_point!`](crate::race_point).
#[doc(hidden)]
#[inline]
#[cfg(CONFIG_ZSWAP_RACE_POINTS)]
pub fn reached(point: &'static crate::str::CStr, may_sleep: bool) {
    /// `static_branch_unlikely!` requires a field.
    #[repr(transparent)]
    struct Armed {
        key: crate::bindings::static_key_false,
    }
    extern "C" {
        // Mutable, since C changes it.
        static mut zswap_race_armed: Armed;

        fn zswap_race_point(point: *const crate::ffi::c_char, may_sleep: bool);
    }

    // SAFETY: `zswap_race_armed` is a static key, defined in C. `point` is a zero-terminated string,
    // which C only reads. C sleeps only if `may_sleep`.
    unsafe {
        if crate::static_branch_unlikely!(zswap_race_armed, Armed, key) {
            zswap_race_point(point.as_ptr().cast(), may_sleep);
        }
    }
}
