// SPDX-License-Identifier: GPL-2.0-or-later

//! The kernel's LZ4 in C, as crypto/lz4.c calls it.

use core::ffi::{c_char, c_int, c_void};

extern "C" {
    fn LZ4_compress_default(
        src: *const c_char,
        dst: *mut c_char,
        slen: c_int,
        dlen: c_int,
        work: *mut c_void,
    ) -> c_int;
    fn LZ4_decompress_safe(src: *const c_char, dst: *mut c_char, slen: c_int, dlen: c_int)
        -> c_int;
}

/// More than LZ4_MEM_COMPRESS, aligned like vmalloc() memory.
#[repr(align(64))]
struct Work([u8; 1 << 15]);

/// The state for compression.
pub struct C(Box<Work>);

impl C {
    pub fn new() -> Self {
        Self(Box::new(Work([0; 1 << 15])))
    }
    pub fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        // SAFETY: Both buffers have the lengths passed, and the memory is larger than required.
        let len = unsafe {
            LZ4_compress_default(
                src.as_ptr().cast(),
                dst.as_mut_ptr().cast(),
                src.len() as c_int,
                dst.len() as c_int,
                self.0 .0.as_mut_ptr().cast(),
            )
        };
        (len > 0).then_some(len as usize)
    }
}

impl Default for C {
    fn default() -> Self {
        Self::new()
    }
}

pub fn decompress(src: &[u8], dst: &mut [u8]) -> Option<usize> {
    // SAFETY: Both buffers have the lengths passed.
    let len = unsafe {
        LZ4_decompress_safe(
            src.as_ptr().cast(),
            dst.as_mut_ptr().cast(),
            src.len() as c_int,
            dst.len() as c_int,
        )
    };
    usize::try_from(len).ok()
}
