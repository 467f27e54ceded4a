// SPDX-License-Identifier: GPL-2.0

//! Errors.

use crate::ffi::c_int;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error(c_int);

pub type Result<T = (), E = Error> = core::result::Result<T, E>;

pub mod code {
    use super::Error;

    macro_rules! codes {
        ($($name:ident $errno:literal)*) => {
            $(pub const $name: Error = Error(-$errno);)*
        };
    }
    codes! {
        ENOENT 2 EIO 5 EAGAIN 11 ENOMEM 12 EBUSY 16 EEXIST 17 ENODEV 19 EINVAL 22 ENOSPC 28
    }
}

const MAX_ERRNO: isize = 4095;

impl Error {
    pub fn from_errno(errno: c_int) -> Self {
        Self(errno)
    }
    pub fn to_errno(self) -> c_int {
        self.0
    }
    pub fn to_ptr<T>(self) -> *mut T {
        self.0 as isize as *mut T
    }
    pub fn name(&self) -> Option<&'static crate::str::CStr> {
        None
    }
}

impl From<crate::alloc::AllocError> for Error {
    fn from(_: crate::alloc::AllocError) -> Self {
        code::ENOMEM
    }
}

impl From<core::convert::Infallible> for Error {
    fn from(e: core::convert::Infallible) -> Self {
        match e {}
    }
}

impl<T> From<crate::xarray::StoreError<T>> for Error {
    fn from(e: crate::xarray::StoreError<T>) -> Self {
        e.error
    }
}

pub fn to_result(errno: c_int) -> Result {
    if errno < 0 {
        Err(Error(errno))
    } else {
        Ok(())
    }
}

pub fn from_result(f: impl FnOnce() -> Result<c_int>) -> c_int {
    f().unwrap_or_else(|error| error.to_errno())
}

pub fn from_err_ptr<T>(ptr: *mut T) -> Result<*mut T> {
    let errno = ptr as isize;
    if (-MAX_ERRNO..0).contains(&errno) {
        Err(Error(errno as c_int))
    } else {
        Ok(ptr)
    }
}
