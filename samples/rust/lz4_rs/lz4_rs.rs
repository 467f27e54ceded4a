// SPDX-License-Identifier: GPL-2.0-or-later

//! LZ4 in Rust, for the crypto API.
//!
//! Registered as `lz4-rust`, and used only by that name. The C implementation of `lz4` has priority 0,
//! the lowest that the crypto API accepts; among equal priorities, users get the algorithm that was
//! registered last.
//!
//! C original: [`crypto/lz4.c`](srctree/crypto/lz4.c)

#![deny(unsafe_code)]

#[forbid(unsafe_code)]
mod codec;

use codec::Stream;
use kernel::{
    crypto::scompress::Algorithm,
    prelude::*, //
};

kernel::module_scomp! {
    type: Lz4,
    name: "lz4_rust",
    authors: ["The zswap_rs authors"],
    description: "LZ4 compression algorithm in Rust",
    license: "GPL",
    alias: ["lz4-rust", "crypto-lz4-rust"],
}

struct Lz4;

impl Algorithm for Lz4 {
    const NAME: &'static CStr = c"lz4-rust";
    const DRIVER_NAME: &'static CStr = c"lz4-rust-scomp";
    const LONGEST_SOURCE: usize = codec::LONGEST_COMPRESSED;
    type Stream = Stream;

    fn new_stream() -> Result<KVBox<Stream>> {
        Ok(KVBox::new(Stream::new()?, GFP_KERNEL)?)
    }

    fn compress(stream: &mut Stream, src: &[u8], dst: &mut [u8]) -> Result<usize> {
        stream.compress(src, dst)
    }

    fn decompress(_: &mut Stream, src: &[u8], dst: &mut [u8]) -> Result<usize> {
        codec::decompress(src, dst)
    }
}
