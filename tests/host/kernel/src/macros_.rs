// SPDX-License-Identifier: GPL-2.0

//! The macros of the kernel crate that the project uses.

/// A warning in the kernel fails the model.
#[macro_export]
macro_rules! warn_on_once {
    ($cond:expr) => {{
        // The path of a nested function names the function that warns.
        fn here() {}
        let bad: bool = $cond;
        let warns = ::core::any::type_name_of_val(&here).trim_end_matches("::here");
        assert!(!bad, "the kernel warns in {warns}: {}", stringify!($cond));
        bad
    }};
}

#[macro_export]
macro_rules! warn_on {
    ($cond:expr) => {
        $crate::warn_on_once!($cond)
    };
}

#[macro_export]
macro_rules! do_once_lite {
    { $($e:tt)* } => {{ $($e)* }};
}

#[macro_export]
macro_rules! container_of {
    ($ptr:expr, $Container:ty, $($fields:tt)*) => {{
        let offset: usize = ::core::mem::offset_of!($Container, $($fields)*);
        $ptr.byte_sub(offset).cast::<$Container>()
    }};
}

#[macro_export]
macro_rules! c_str {
    ($text:expr) => {
        match ::core::ffi::CStr::from_bytes_with_nul(concat!($text, "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a string has a zero in it"),
        }
    };
}

#[macro_export]
macro_rules! static_lock_class {
    () => {{
        static CLASS: $crate::sync::LockClassKey = $crate::sync::LockClassKey;
        ::core::pin::Pin::static_ref(&CLASS)
    }};
}

#[macro_export]
macro_rules! new_mutex {
    ($value:expr $(, $name:literal)? $(,)?) => {
        $crate::sync::Mutex::new($value, c"", $crate::static_lock_class!())
    };
}

#[macro_export]
macro_rules! new_spinlock {
    ($value:expr $(, $name:literal)? $(,)?) => {
        $crate::sync::SpinLock::new($value, c"", $crate::static_lock_class!())
    };
}

#[macro_export]
macro_rules! new_work {
    ($name:literal) => {
        $crate::workqueue::Work::new(c"", $crate::static_lock_class!())
    };
}

#[macro_export]
macro_rules! impl_has_work {
    ($(impl $({$($generics:tt)*})? HasWork<$work:ty> for $self:ty { self.$field:ident })*) => {};
}

/// As without `CONFIG_JUMP_LABEL`.
#[macro_export]
macro_rules! static_branch_unlikely {
    ($key:path, $type:ty, $field:ident) => {
        $crate::bindings::static_key_count((&raw mut $key).cast()) > 0
    };
}

/// Formats, like the kernel, and prints nothing.
#[macro_export]
macro_rules! pr_silent {
    ($($arg:tt)*) => {{
        let _ = ::std::format!($($arg)*);
    }};
}
