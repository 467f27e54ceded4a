// SPDX-License-Identifier: GPL-2.0

//! Files in debugfs that show one number, readable by all, and are there for ever.
//!
//! C header: [`include/linux/debugfs.h`](srctree/include/linux/debugfs.h)

use crate::prelude::*;

/// A number to be shown.
///
/// # Examples
///
/// ```
/// use kernel::{
///     debugfs::attribute::Attribute,
///     sync::atomic::{Atomic, Relaxed},
/// };
///
/// static STORED: Atomic<u64> = Atomic::new(0);
///
/// struct Kibibytes;
///
/// impl Attribute for Kibibytes {
///     fn get() -> u64 {
///         STORED.load(Relaxed) / 1024
///     }
/// }
///
/// // Once debugfs is there: /sys/kernel/debug/my_store/stored, /sys/kernel/debug/my_store/kib.
/// fn make_files() -> Result {
///     let dir = kernel::static_debugfs_dir!(c"my_store")?;
///     dir.counter(c"stored", &STORED);
///     dir.file::<Kibibytes>(c"kib");
///     Ok(())
/// }
///
/// STORED.store(7168, Relaxed);
/// assert_eq!(Kibibytes::get(), 7);
/// ```
pub trait Attribute {
    /// The number now. Runs in a task that may sleep.
    fn get() -> u64;
}

/// A directory in debugfs that is never removed. Made by [`static_debugfs_dir!`].
///
/// [`static_debugfs_dir!`]: crate::static_debugfs_dir
#[derive(Clone, Copy)]
pub struct StaticDir(
    #[cfg(CONFIG_DEBUG_FS)] *mut crate::bindings::dentry,
    #[cfg(not(CONFIG_DEBUG_FS))] (),
);

#[cfg(CONFIG_DEBUG_FS)]
mod imp {
    use super::*;
    use crate::{
        bindings,
        error::code::ENODEV,
        ffi::{
            c_int,
            c_void, //
        },
        sync::atomic::{
            ordering::Relaxed,
            Atomic, //
        },
    };

    /// # Safety
    ///
    /// Only for `simple_attr_read()`, with a valid `value`.
    unsafe extern "C" fn get<A: Attribute>(_data: *mut c_void, value: *mut u64) -> c_int {
        // SAFETY: By the requirement.
        unsafe { value.write(A::get()) };
        0
    }

    /// # Safety
    ///
    /// Only for the VFS, to open a file.
    unsafe extern "C" fn open<A: Attribute>(
        inode: *mut bindings::inode,
        file: *mut bindings::file,
    ) -> c_int {
        // SAFETY: By the requirement; the format takes the `u64` that `get` gives.
        unsafe {
            bindings::simple_attr_open(inode, file, Some(get::<A>), None, c"%llu\n".as_char_ptr())
        }
    }

    struct Ops<A>(core::marker::PhantomData<A>);

    impl<A: Attribute> Ops<A> {
        /// What `DEFINE_DEBUGFS_ATTRIBUTE(..., "%llu\n")` makes.
        const OPS: bindings::file_operations = bindings::file_operations {
            open: Some(open::<A>),
            release: Some(bindings::simple_attr_release),
            read: Some(bindings::debugfs_attr_read),
            write: Some(bindings::debugfs_attr_write),
            ..pin_init::zeroed()
        };
    }

    /// # Safety
    ///
    /// Only for `simple_attr_read()`, with a valid `value`, of a file made by [`StaticDir::counter`].
    unsafe extern "C" fn get_counter(data: *mut c_void, value: *mut u64) -> c_int {
        // SAFETY: By the requirement `data` is what `counter` gave to C: a `&'static Atomic<u64>`.
        let counter = unsafe { &*data.cast::<Atomic<u64>>() };
        // SAFETY: By the requirement.
        unsafe { value.write(counter.load(Relaxed)) };
        0
    }

    /// # Safety
    ///
    /// Only for the VFS, to open a file made by [`StaticDir::counter`].
    unsafe extern "C" fn open_counter(
        inode: *mut bindings::inode,
        file: *mut bindings::file,
    ) -> c_int {
        // SAFETY: By the requirement; the format takes the `u64` that `get_counter` gives, to which C
        // passes what `counter` gave to it.
        unsafe {
            bindings::simple_attr_open(
                inode,
                file,
                Some(get_counter),
                None,
                c"%llu\n".as_char_ptr(),
            )
        }
    }

    /// What `debugfs_create_u64()` has for a file that can't be written.
    const COUNTER_OPS: bindings::file_operations = bindings::file_operations {
        open: Some(open_counter),
        release: Some(bindings::simple_attr_release),
        read: Some(bindings::debugfs_attr_read),
        write: Some(bindings::debugfs_attr_write),
        ..pin_init::zeroed()
    };

    impl StaticDir {
        /// Makes a directory at debugfs's root. Fails with `ENODEV` before debugfs is there.
        ///
        /// As in C, later failures are ignored: nothing depends on debugfs.
        ///
        /// # Safety
        ///
        /// What its files show must be there for ever: it must be built in.
        #[doc(hidden)]
        pub unsafe fn new(name: &CStr) -> Result<Self> {
            // SAFETY: No requirement.
            if !unsafe { bindings::debugfs_initialized() } {
                return Err(ENODEV);
            }
            // SAFETY: C copies the name; a null parent is the root.
            Ok(Self(unsafe {
                bindings::debugfs_create_dir(name.as_char_ptr(), core::ptr::null_mut())
            }))
        }

        /// Makes a file that shows `A`.
        pub fn file<A: Attribute>(self, name: &CStr) {
            // SAFETY: C copies the name. The directory is never removed, or is an error, which C
            // takes. The operations are `static`, of code that stays, as `new` requires, and those
            // that the `unsafe` (unproxied) form wants: they guard against removal themselves.
            unsafe {
                bindings::debugfs_create_file_unsafe(
                    name.as_char_ptr(),
                    0o444,
                    self.0,
                    core::ptr::null_mut(),
                    &const { Ops::<A>::OPS },
                )
            };
        }

        /// Makes a file that shows `counter`. Mirrors `debugfs_create_u64()`, mode 0444.
        pub fn counter(self, name: &CStr, counter: &'static Atomic<u64>) {
            // SAFETY: As in `file`. The operations take a `&'static Atomic<u64>` for their data.
            unsafe {
                bindings::debugfs_create_file_unsafe(
                    name.as_char_ptr(),
                    0o444,
                    self.0,
                    core::ptr::from_ref(counter).cast_mut().cast(),
                    &const { COUNTER_OPS },
                )
            };
        }
    }
}

#[cfg(not(CONFIG_DEBUG_FS))]
impl StaticDir {
    /// There is no debugfs.
    ///
    /// # Safety
    ///
    /// As where there is one.
    #[doc(hidden)]
    pub unsafe fn new(_name: &CStr) -> Result<Self> {
        Ok(Self(()))
    }

    /// There is no debugfs.
    pub fn file<A: Attribute>(self, _name: &CStr) {}

    /// There is no debugfs.
    pub fn counter(self, _name: &CStr, _counter: &'static crate::sync::atomic::Atomic<u64>) {}
}

/// Makes a [`StaticDir`](kernel::debugfs::attribute::StaticDir) at debugfs's root.
///
/// Fails with `ENODEV` before debugfs is there. Only for built-in code: its files are never removed.
#[macro_export]
macro_rules! static_debugfs_dir {
    ($name:expr) => {{
        #[cfg(MODULE)]
        ::core::compile_error!("static_debugfs_dir! is for built-in code");
        let name: &$crate::str::CStr = $name;
        // SAFETY: This is built in, as just checked, and so is what it knows.
        unsafe { $crate::debugfs::attribute::StaticDir::new(name) }
    }};
}
