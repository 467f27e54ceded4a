// SPDX-License-Identifier: GPL-2.0

//! C's types as the kernel has them.

#![allow(non_camel_case_types)]

pub type c_char = u8;
pub type c_int = i32;
pub type c_uint = u32;
pub type c_long = isize;
pub type c_ulong = usize;
pub type c_ushort = u16;
pub use core::ffi::c_void;
