// SPDX-License-Identifier: GPL-2.0-or-later

//! LZ4 in Rust.

use crate::{codec_rs, error::code::Error};

/// The state for compression.
pub struct Rust(codec_rs::Stream);

impl Rust {
    pub fn new() -> Self {
        Self(codec_rs::Stream::new().unwrap())
    }
    pub fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.0.compress(src, dst)
    }
}

impl Default for Rust {
    fn default() -> Self {
        Self::new()
    }
}

pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    codec_rs::decompress(src, dst)
}
