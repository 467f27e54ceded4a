// SPDX-License-Identifier: GPL-2.0-or-later

//! LZ4 blocks, by [`lz4_flex`], within what the crypto API asks for.
//!
//! Two things are ours: a table is made once a CPU, and never on the stack; and a result that needs less
//! room than lz4_flex asks for gets it.
//!
//! The table is lz4_flex's large one for pages, too, for which it would take the small one. By five
//! bytes it finds fewer matches and longer ones: the pages of the demonstration take as much memory, a
//! seventh less time to compress, and fewer steps to decompress (docs/compressors.md).
//!
//! # Overflows
//!
//! lz4_flex is built without checks for these. An input has less than 4 GiB, since C's lengths are
//! 32 bits wide. A length in a compressed block is a sum of at most that many bytes, and positions are
//! below the length of a slice: all fit into 64 bits.

use kernel::{
    error::code::EINVAL,
    prelude::*, //
};
use lz4_flex::block::{
    compress_into_with_table,
    decompress_into,
    get_maximum_output_size,
    CompressTable, //
};

/// The longest input that is compressed into whatever room there is.
pub(crate) const LONGEST: usize = 128 << 10;

/// What compressing takes: 160 KiB.
pub(crate) struct Stream {
    table: KVBox<CompressTable>,
    /// Room for the worst that can become of [`LONGEST`] bytes.
    buffer: KVBox<[u8; get_maximum_output_size(LONGEST)]>,
}

impl Stream {
    /// Makes one. May sleep.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            table: KVBox::new_uninit(GFP_KERNEL)?.write(const { CompressTable::large() }),
            buffer: KVBox::zeroed(GFP_KERNEL)?,
        })
    }

    /// Compresses `src` into `dst`, and returns the length of the result.
    ///
    /// `EINVAL` if `dst` has no room for it; also if `src` is longer than [`LONGEST`] and `dst` not
    /// as long as lz4_flex asks, a tenth more than `src`. Mirrors `LZ4_compress_default()`.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize> {
        let bound = get_maximum_output_size(src.len());
        if dst.len() >= bound {
            return compress(&mut self.table, src, dst);
        }
        // lz4_flex looks for room once, for the worst case.
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
        // It never is. For a long input lz4_flex would make another, on the stack: the compiler sees
        // that it doesn't.
        CompressTable::Small(_) => Err(EINVAL),
    }
}

/// Decompresses `src` into `dst`, and returns the length of the result.
///
/// `EINVAL` if `src` isn't what compressing makes, or `dst` too short for it; all of `dst` may have been
/// overwritten. What is something else's compressed data gives something else: LZ4 has no checksum.
/// Mirrors `LZ4_decompress_safe()`.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8]) -> Result<usize> {
    decompress_into(src, dst).map_err(|_| EINVAL)
}
