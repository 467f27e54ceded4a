// SPDX-License-Identifier: GPL-2.0

//! Files in debugfs that show one number. Readable by all, and never removed.
//!
//! C header: [`include/linux/debugfs.h`](srctree/include/linux/debugfs.h)

use crate::prelude::*;

/// A number shown in debugfs.
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
/// // Creates /sys/kernel/debug/my_store/stored and /sys/kernel/debug/my_store/kib.
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
    /// The current number. Runs in a task that may sleep.
    fn get() -> u64;
}

/// A directory in debugfs that is never removed. Created by [`static_debugfs_dir!`].
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
        // SAFETY: By the requirement; the format takes the `u64` that `get` returns.
        unsafe {
            bindings::simple_attr_open(inode, file, Some(get::<A>), None, c"%llu\n".as_char_ptr())
        }
    }

    struct Ops<A>(core::marker::PhantomData<A>);

    impl<A: Attribute> Ops<A> {
        /// As defined by `DEFINE_DEBUGFS_ATTRIBUTE(..., "%llu\n")`.
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
    /// Only for `simple_attr_read()`, with a valid `value`, of a file created by
    /// [`StaticDir::counter`].
    unsafe extern "C" fn get_counter(data: *mut c_void, value: *mut u64) -> c_int {
        // SAFETY: By the requirement `data` is what `counter` passed to C: a `&'static
        // Atomic<u64>`.
        let counter = unsafe { &*data.cast::<Atomic<u64>>() };
        // SAFETY: By the requirement.
        unsafe { value.write(counter.load(Relaxed)) };
        0
    }

    /// # Safety
    ///
    /// Only for the VFS, to open a file created by [`StaticDir::counter`].
    unsafe extern "C" fn open_counter(
        inode: *mut bindings::inode,
        file: *mut bindings::file,
    ) -> c_int {
        // SAFETY: By the requirement; the format takes the `u64` that `get_counter` returns, to
        // which C passes what `counter` passed to C.
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

    /// As used by `debugfs_create_u64()` for a read-only file.
    const COUNTER_OPS: bindings::file_operations = bindings::file_operations {
        open: Some(open_counter),
        release: Some(bindings::simple_attr_release),
        read: Some(bindings::debugfs_attr_read),
        write: Some(bindings::debugfs_attr_write),
        ..pin_init::zeroed()
    };

    impl StaticDir {
        /// Creates a directory at debugfs's root. Fails with `ENODEV` before debugfs is
        /// initialised.
        ///
        /// As in C, later failures are ignored: nothing depends on debugfs.
        ///
        /// # Safety
        ///
        /// The code and data of its files must never be unloaded: they must be built in.
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

        /// Creates a file that shows `A`.
        pub fn file<A: Attribute>(self, name: &CStr) {
            // SAFETY: C copies the name. The directory is never removed, or is an error, which C
            // accepts. The operations are `static`, of code that is never unloaded, as `new`
            // requires. They guard against removal themselves, as the `unsafe` (unproxied) form
            // requires.
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

        /// Creates a file that shows `counter`. Mirrors `debugfs_create_u64()`, mode 0444.
        pub fn counter(self, name: &CStr, counter: &'static Atomic<u64>) {
            // SAFETY: As in `file`. The operations take a `&'static Atomic<u64>` as their data.
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
    /// Does nothing without debugfs.
    ///
    /// # Safety
    ///
    /// As with debugfs.
    #[doc(hidden)]
    pub unsafe fn new(_name: &CStr) -> Result<Self> {
        Ok(Self(()))
    }

    /// Does nothing without debugfs.
    pub fn file<A: Attribute>(self, _name: &CStr) {}

    /// Does nothing without debugfs.
    pub fn counter(self, _name: &CStr, _counter: &'static crate::sync::atomic::Atomic<u64>) {}
}

/// Creates a [`StaticDir`](kernel::debugfs::attribute::StaticDir) at debugfs's root.
///
/// Fails with `ENODEV` before debugfs is initialised. Only for built-in code: the files are never
/// removed.
// One user: zswap. A macro, since only the caller's crate knows whether it is a module.
#[macro_export]
macro_rules! static_debugfs_dir {
    ($name:expr) => {{
        #[cfg(MODULE)]
        ::core::compile_error!("static_debugfs_dir! is for built-in code");
        let name: &$crate::str::CStr = $name;
        // SAFETY: This is built in, as just checked, and so are the code and data of its files.
        unsafe { $crate::debugfs::attribute::StaticDir::new(name) }
    }};
}
