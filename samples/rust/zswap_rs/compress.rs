// SPDX-License-Identifier: GPL-2.0-or-later

//! Compresses a page into a pool, and decompresses it.

#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::zswap_core::entry::Entry;
use super::{
    runs::SkipIncompressible,
    stats::{
        self,
        zswap_reject_alloc_fail,
        zswap_reject_compress_fail,
        zswap_reject_compress_poor, //
    },
    trace::Outcome,
    zswap_core::{
        object::Object,
        pool_table::PoolRef,
        store::{
            SlotPage,
            SlotPages, //
        },
    },
};
use kernel::{
    alloc::{
        flags::{
            __GFP_HIGHMEM,
            __GFP_MOVABLE,
            __GFP_NOMEMALLOC,
            __GFP_NORETRY, //
        },
        Flags, //
    },
    crypto::acompress::RequestQueue,
    mm::folio::{
        CachedFolio,
        NotUptodate,
        Uptodate, //
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::atomic::Atomic, //
};

/// The form in which a page is stored.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Compressed to less than `PAGE_SIZE` bytes.
    Compressed,
    /// Uncompressed, since it is incompressible: `length == PAGE_SIZE` in C.
    Raw,
}

impl Form {
    /// The form of the page in `object`.
    pub(crate) fn of(object: &Object) -> Self {
        if object.len() == PAGE_SIZE {
            Self::Raw
        } else {
            Self::Compressed
        }
    }
}

/// The reason for which a page was refused. If the reason has a counter, that has been incremented.
pub(crate) struct Refused(pub(crate) Outcome);

/// The allocation of an object must not sleep, since this is called from reclaim. If it fails, the page is written to
/// the swap device.
fn object_gfp() -> Flags {
    GFP_NOWAIT | __GFP_NORETRY | __GFP_HIGHMEM | __GFP_MOVABLE
}

/// Compresses `pages` into `pool`, and passes the objects to `each`, in order. An asynchronous compressor works on
/// several pages at a time. Stops at the first page that is refused. May sleep; `each` must not allocate memory.
///
/// The mutex of the CPU's compressor is released after each page, so that a load on the same CPU waits for one
/// compression, not for 16. The mutex of an asynchronous compressor is held until all pages are done.
///
/// An incompressible page is stored uncompressed, which preserves the LRU order of writebacks. It is refused if
/// writeback is disabled: storing it would only cost memory.
///
/// Mirrors `zswap_compress()`, which compresses one page.
pub(crate) fn compress_each(
    pool: &PoolRef,
    mut pages: SlotPages<'_, '_>,
    skip: &mut SkipIncompressible,
    mut each: impl FnMut(Object),
) -> Result<(), Refused> {
    let mut compressor = pool.compressor();
    if pages.len() > 1 {
        if let Some(queue) = compressor.queue() {
            return compress_in_queue(pool, queue, pages, each);
        }
    }
    let folio = pages.folio();
    let mut next = pages.next();
    while let Some(slot) = next {
        let object = if skip.try_next() {
            let compressed = compressor.compress(slot.page);
            let object = store_compressed(pool, slot, compressed, folio)?;
            skip.record(Form::of(&object) == Form::Compressed);
            object
        } else {
            store_raw(pool, slot)?
        };
        each(object);
        next = pages.next();
        if next.is_none() {
            break;
        }
        // Let a load on this CPU use the compressor.
        drop(compressor);
        compressor = pool.compressor();
    }
    Ok(())
}

/// [`compress_each`] with an asynchronous compressor, which works on several pages at a time.
#[inline(never)] // stack: keeps its requests out of the synchronous path's frame
fn compress_in_queue(
    pool: &PoolRef,
    mut queue: RequestQueue<'_>,
    pages: SlotPages<'_, '_>,
    mut each: impl FnMut(Object),
) -> Result<(), Refused> {
    let (mut slots, folio) = (pages, pages.folio());
    queue.compress_each(pages.map(|slot| slot.page), |_, compressed| {
        if let Some(slot) = slots.next() {
            each(store_compressed(pool, slot, compressed, folio)?);
        }
        Ok(())
    })
}

/// Stores the page of `slot` in `pool`: the compressed bytes, or the page itself if compression failed.
///
/// Mirrors the second half of `zswap_compress()`.
#[inline(always)] // stack, make bench: otherwise the result is returned through memory
fn store_compressed(
    pool: &PoolRef,
    slot: SlotPage<'_>,
    compressed: Result<&[u8]>,
    folio: &CachedFolio<'_>,
) -> Result<Object, Refused> {
    let compressed = match compressed {
        Ok(bytes) if bytes.len() >= PAGE_SIZE => Err(EINVAL),
        other => other,
    };
    match compressed {
        Ok(bytes) => {
            let nid = slot.page.nid();
            Object::from_bytes(pool.clone(), bytes, slot.swap, object_gfp(), nid).map_err(no_room)
        }
        Err(error) => {
            if !folio.zswap_writeback_enabled() {
                return Err(failed(error, Outcome::NotCompressed));
            }
            store_raw(pool, slot)
        }
    }
}

/// Stores a page in `pool` uncompressed.
///
/// Does not use the memory reserves, unlike C: storing such a page frees no memory, and without reserves no swap table
/// can be allocated, which invokes the OOM killer while swap is free.
#[inline(always)] // stack, make bench: otherwise the result is returned through memory
fn store_raw(pool: &PoolRef, slot: SlotPage<'_>) -> Result<Object, Refused> {
    let gfp = object_gfp() | __GFP_NOMEMALLOC;
    Object::from_page(pool.clone(), slot.page, slot.swap, gfp).map_err(no_room)
}

/// Increments the counter of failed allocations of objects.
fn no_room(error: Error) -> Refused {
    refused(error, &zswap_reject_alloc_fail, Outcome::NoRoom)
}

/// Increments the counter of pages that can't be compressed.
fn failed(error: Error, outcome: Outcome) -> Refused {
    refused(error, &zswap_reject_compress_fail, outcome)
}

/// Increments the counter of a refusal: `zswap_reject_compress_poor` for `ENOSPC`, from the compressor or zsmalloc, and
/// `counter` for any other error.
fn refused(error: Error, counter: &'static Atomic<u64>, outcome: Outcome) -> Refused {
    if error == ENOSPC {
        stats::inc(&zswap_reject_compress_poor);
        Refused(Outcome::NotCompressed)
    } else {
        stats::inc(counter);
        Refused(outcome)
    }
}

/// Decompresses `object` into `dst`. May sleep.
///
/// On failure, returns the number of bytes that were decompressed instead of `PAGE_SIZE`.
///
/// Mirrors `zswap_decompress()`, except for the error message, which `load::decompress_entry` prints.
pub(crate) fn decompress<'a>(object: &Object, dst: NotUptodate<'a>) -> Result<Uptodate<'a>, usize> {
    match Form::of(object) {
        Form::Raw => object.copy_to(dst).map_err(|_| object.len()),
        Form::Compressed => {
            let mut compressor = object.pool().compressor();
            object.read(|input| compressor.decompress(input, dst))
        }
    }
}

/// Whether the pages in two objects can be decompressed by one compressor, or need none.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) fn are_alike(one: &Object, other: &Object) -> bool {
    one.shares_pool(other) && Form::of(one) == Form::of(other)
}

/// Decompresses several pages, whose entries are all [alike](are_alike) `object`, and passes each result to `each`, in
/// order. An asynchronous compressor works on several pages at a time. Stops at the first error of `each`. May sleep.
///
/// On failure, the result is the number of bytes that were decompressed instead of `PAGE_SIZE`.
///
/// The mutex of the CPU's compressor is released after each page; that of an asynchronous one is held until all pages are
/// done, as in [`compress_each`].
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) fn decompress_each<'e, 'p>(
    object: &Object,
    pages: impl Iterator<Item = (&'e Entry, NotUptodate<'p>)>,
    mut each: impl FnMut(&'e Entry, Result<Uptodate<'p>, usize>) -> Result,
) -> Result {
    if Form::of(object) == Form::Compressed {
        let mut compressor = object.pool().compressor();
        if let Some(queue) = compressor.queue() {
            return decompress_in_queue(queue, pages, each);
        }
    }
    for (entry, page) in pages {
        each(entry, decompress(entry.object(), page))?;
    }
    Ok(())
}

/// [`decompress_each`] with an asynchronous compressor, which works on several pages at a time.
///
/// Each object is copied first: while it is read, zsmalloc holds the lock of its memory.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[inline(never)] // stack: keeps its requests out of the synchronous path's frame
fn decompress_in_queue<'e, 'p>(
    mut queue: RequestQueue<'_>,
    pages: impl Iterator<Item = (&'e Entry, NotUptodate<'p>)>,
    each: impl FnMut(&'e Entry, Result<Uptodate<'p>, usize>) -> Result,
) -> Result {
    queue.decompress_each(
        pages,
        |entry, buffer| entry.object().copy_to_buffer(buffer),
        each,
    )
}
