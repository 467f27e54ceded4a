// SPDX-License-Identifier: GPL-2.0-or-later

//! LZ4 blocks: [`lz4_flex`], adapted to the crypto API.
//!
//! This file adds two things. The hash table is allocated once per CPU, never on the stack.
//! Compression accepts a destination shorter than the worst case, which lz4_flex requires.
//!
//! The table is always lz4_flex's large one; lz4_flex itself uses the small one for a page. The large
//! one hashes five bytes, which finds fewer and longer matches: in benchmarks, pages take the same
//! memory, a seventh less time to compress, and fewer instructions to decompress.
//!
//! # Overflows
//!
//! lz4_flex is built without overflow checks. An input is shorter than 4 GiB, since lengths in C have
//! 32 bits. A length in a compressed block is a sum of at most that many bytes, and positions are
//! below the length of a slice: all fit into 64 bits.

use kernel::prelude::*;
use lz4_flex::block::{
    compress_into_with_table,
    decompress_into,
    get_maximum_output_size,
    CompressTable, //
};

/// The longest input that can be compressed: 64 KiB, the largest page, and more than an IP packet.
pub(crate) const LONGEST: usize = 64 << 10;

/// The longest result of compression, and therefore the longest input that can be decompressed.
pub(crate) const LONGEST_COMPRESSED: usize = get_maximum_output_size(LONGEST);

/// The state of a compressor: 87 KiB.
pub(crate) struct Stream {
    table: KVBox<CompressTable>,
    /// Long enough for the worst case of [`LONGEST`] bytes.
    buffer: KVBox<[u8; LONGEST_COMPRESSED]>,
}

impl Stream {
    /// Allocates the state. May sleep.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            table: KVBox::new_uninit(GFP_KERNEL)?.write(const { CompressTable::large() }),
            buffer: KVBox::zeroed(GFP_KERNEL)?,
        })
    }

    /// Compresses `src` into `dst`, and returns the length of the result.
    ///
    /// Fails with `EINVAL` if the result doesn't fit into `dst`, or if `src` is longer than
    /// [`LONGEST`]. Mirrors `LZ4_compress_default()`.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize> {
        if src.len() > LONGEST {
            return Err(EINVAL);
        }
        let bound = get_maximum_output_size(src.len());
        if dst.len() >= bound {
            return compress(&mut self.table, src, dst);
        }
        // lz4_flex checks the length of the destination once, for the worst case.
        let buffer = self.buffer.get_mut(..bound).ok_or(EINVAL)?;
        let len = compress(&mut self.table, src, buffer)?;
        match (dst.get_mut(..len), buffer.get(..len)) {
            (Some(dst), Some(compressed)) => dst.copy_from_slice(compressed),
            _ => return Err(EINVAL),
        }
        Ok(len)
    }
}

fn compress(table: &mut CompressTable, src: &[u8], dst: &mut [u8]) -> Result<usize> {
    match table {
        CompressTable::Large(_) => compress_into_with_table(src, dst, table).map_err(|_| EINVAL),
        // Unreachable. For a long input lz4_flex would put another table on the stack; this arm lets
        // the compiler remove that code.
        CompressTable::Small(_) => Err(EINVAL),
    }
}

/// Decompresses `src` into `dst`, and returns the length of the result.
///
/// Fails with `EINVAL` if `src` isn't valid LZ4, or if `dst` is too short; all of `dst` may then be
/// overwritten. Corruption that leaves `src` valid is not detected, since an LZ4 block has no
/// checksum. Mirrors `LZ4_decompress_safe()`.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8]) -> Result<usize> {
    decompress_into(src, dst).map_err(|_| EINVAL)
}
