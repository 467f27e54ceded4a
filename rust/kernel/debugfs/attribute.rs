// SPDX-License-Identifier: GPL-2.0

//! Files in debugfs that show one number. Readable by all, and never removed.
//!
//! C header: [`include/linux/debugfs.h`](srctree/include/linux/debugfs.h)

use crate::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

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
///     fn get(&self) -> u64 {
///         STORED.load(Relaxed) / 1024
///     }
/// }
///
/// // Creates /sys/kernel/debug/my_store/stored and /sys/kernel/debug/my_store/kib.
/// fn make_files() -> Result {
///     let dir = kernel::static_debugfs_dir!(c"my_store")?;
///     dir.file(c"stored", &STORED);
///     dir.file(c"kib", &Kibibytes);
///     Ok(())
/// }
///
/// STORED.store(7168, Relaxed);
/// assert_eq!(Kibibytes.get(), 7);
/// ```
pub trait Attribute: Sync {
    /// The current number. Runs in a task that may sleep.
    fn get(&self) -> u64;
}

/// A counter.
impl Attribute for Atomic<u64> {
    fn get(&self) -> u64 {
        self.load(Relaxed)
    }
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
    use crate::bindings;

    /// # Safety
    ///
    /// Only for `simple_attr_read()` of a file that shows an `A`. `value` must be valid for writes.
    unsafe extern "C" fn get<A: Attribute>(data: *mut c_void, value: *mut u64) -> c_int {
        // SAFETY: The file shows an `A`, so `data` is the `&'static A` that `StaticDir::file` has
        // passed to C.
        let attribute = unsafe { &*data.cast::<A>() };
        // SAFETY: The caller guarantees that `value` is valid for writes.
        unsafe { value.write(attribute.get()) };
        0
    }

    /// # Safety
    ///
    /// Only for the VFS, to open a file that shows an `A`.
    unsafe extern "C" fn open<A: Attribute>(
        inode: *mut bindings::inode,
        file: *mut bindings::file,
    ) -> c_int {
        // SAFETY: The VFS passes an open file and its inode. The format takes the `u64` that `get`
        // returns. C calls `get` with the data of the file, the `&'static A` from
        // `StaticDir::file`.
        unsafe {
            bindings::simple_attr_open(inode, file, Some(get::<A>), None, c"%llu\n".as_char_ptr())
        }
    }

    struct Ops<A>(core::marker::PhantomData<A>);

    impl<A: Attribute> Ops<A> {
        /// As defined by `DEFINE_DEBUGFS_ATTRIBUTE(..., "%llu\n")`, and used by `debugfs_create_u64()`.
        const OPS: bindings::file_operations = bindings::file_operations {
            open: Some(open::<A>),
            release: Some(bindings::simple_attr_release),
            read: Some(bindings::debugfs_attr_read),
            write: Some(bindings::debugfs_attr_write),
            ..pin_init::zeroed()
        };
    }

    impl StaticDir {
        /// Creates a directory at the root of debugfs. Fails with `ENODEV` before debugfs is
        /// initialised. May sleep.
        ///
        /// As in C, later failures are ignored: no code depends on debugfs.
        ///
        /// # Safety
        ///
        /// The code and data of the directory's files must never be unloaded: they must be built
        /// in.
        #[doc(hidden)]
        pub unsafe fn new(name: &CStr) -> Result<Self> {
            // SAFETY: No requirement.
            if !unsafe { bindings::debugfs_initialized() } {
                return Err(ENODEV);
            }
            // SAFETY: C copies the name; a null parent is the root of debugfs.
            Ok(Self(unsafe {
                bindings::debugfs_create_dir(name.as_char_ptr(), core::ptr::null_mut())
            }))
        }

        /// Creates a file that shows `attribute`, with mode 0444. May sleep. A failure is ignored.
        pub fn file<A: Attribute>(self, name: &CStr, attribute: &'static A) {
            // SAFETY: C copies the name. The directory is never removed, or is an error pointer,
            // which C accepts. The operations are `static`, of code that is never unloaded, as
            // `new` requires, and take a `&'static A` as their data. They guard against removal
            // themselves, as the `unsafe` (unproxied) form requires.
            unsafe {
                bindings::debugfs_create_file_unsafe(
                    name.as_char_ptr(),
                    0o444,
                    self.0,
                    core::ptr::from_ref(attribute).cast_mut().cast(),
                    &const { Ops::<A>::OPS },
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
    pub fn file<A: Attribute>(self, _name: &CStr, _attribute: &'static A) {}
}

/// Creates a [`StaticDir`](kernel::debugfs::attribute::StaticDir) at the root of debugfs. May
/// sleep.
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
