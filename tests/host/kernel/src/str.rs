// SPDX-License-Identifier: GPL-2.0

//! Strings.

use crate::error::Result;
pub use core::ffi::CStr;
use core::fmt;

pub trait CStrExt {
    fn as_char_ptr(&self) -> *const crate::ffi::c_char;

    /// # Safety
    ///
    /// As for `CStr::from_ptr()`.
    unsafe fn from_char_ptr<'a>(ptr: *const crate::ffi::c_char) -> &'a Self;
}

impl CStrExt for CStr {
    fn as_char_ptr(&self) -> *const crate::ffi::c_char {
        self.as_ptr().cast()
    }

    unsafe fn from_char_ptr<'a>(ptr: *const crate::ffi::c_char) -> &'a Self {
        // SAFETY: The caller guarantees that `ptr` is a string for `'a`.
        unsafe { CStr::from_ptr(ptr.cast()) }
    }
}

pub struct CString(std::ffi::CString);

impl CString {
    pub fn try_from_fmt(args: fmt::Arguments<'_>) -> Result<Self> {
        Ok(Self(std::ffi::CString::new(args.to_string()).unwrap()))
    }
}

impl core::ops::Deref for CString {
    type Target = CStr;
    fn deref(&self) -> &CStr {
        &self.0
    }
}

#[repr(transparent)]
pub struct BStr([u8]);

impl BStr {
    pub const fn from_bytes(bytes: &[u8]) -> &Self {
        // SAFETY: Transparent.
        unsafe { &*(core::ptr::from_ref(bytes) as *const Self) }
    }
}

impl fmt::Display for BStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}
