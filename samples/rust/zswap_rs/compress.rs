// SPDX-License-Identifier: GPL-2.0-or-later

//! Compressed storage: from a page to bytes in a pool, and back.

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
        pool_list::PoolRef,
        slots::{
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

/// How a page's bytes are kept.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Compressed to fewer bytes than a page has.
    Compressed,
    /// As they are, since no compressor could make them fewer: C's `length == PAGE_SIZE`.
    Raw,
}

impl Form {
    /// How the bytes of `object` are kept.
    #[inline]
    pub(crate) fn of(object: &Object) -> Self {
        if object.len() == PAGE_SIZE {
            Self::Raw
        } else {
            Self::Compressed
        }
    }
}

/// A page was refused, and why. The counter that says so has been incremented, if there is one.
pub(crate) struct Refused(pub(crate) Outcome);

/// Reclaim is under way: memory for an object is had at once, or the page goes to the swap device.
fn object_gfp() -> Flags {
    GFP_NOWAIT | __GFP_NORETRY | __GFP_HIGHMEM | __GFP_MOVABLE
}

/// Compresses `pages` into `pool`, several at a time if the compressor can, and hands the objects to `each`, in
/// order; ends with the first page that is refused. May sleep; `each` may not allocate memory.
///
/// The mutex of the CPU's compressor is released after each page: a load on the same CPU waits for one
/// compression, not for 16. An asynchronous compressor is locked until all pages are done.
///
/// A page that can't be made smaller is kept as it is, which keeps the LRU order of writebacks. If
/// writeback is disabled, that would only cost memory: it is refused.
///
/// Mirrors `zswap_compress()`, which takes a page at a time.
#[inline]
pub(crate) fn compress_each(
    pool: &PoolRef,
    mut pages: SlotPages<'_, '_>,
    skip: &mut SkipIncompressible,
    mut each: impl FnMut(Object),
) -> Result<(), Refused> {
    let mut context = pool.contexts().this_cpu().lock();
    if let Some(compressor) = &mut *context {
        if let Some(queue) = compressor.queue() {
            return compress_in_queue(pool, queue, pages, each);
        }
    }
    let folio = pages.folio();
    let mut next = pages.next();
    while let Some(slot) = next {
        let Some(compressor) = &mut *context else {
            return Err(failed(EINVAL, Outcome::NoCompressor));
        };
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
        // A load on this CPU may wait for the compressor.
        drop(context);
        context = pool.contexts().this_cpu().lock();
    }
    Ok(())
}

/// Compresses a page into `pool`: [`compress_each`] for a folio of one page. May sleep.
///
/// Mirrors `zswap_compress()`.
#[inline]
pub(crate) fn compress_one(
    pool: &PoolRef,
    slot: SlotPage<'_>,
    folio: &CachedFolio<'_>,
) -> Result<Object, Refused> {
    let mut context = pool.contexts().this_cpu().lock();
    let Some(compressor) = &mut *context else {
        return Err(failed(EINVAL, Outcome::NoCompressor));
    };
    store_compressed(pool, slot, compressor.compress(slot.page), folio)
}

/// [`compress_each`] on an asynchronous compressor, which works on several pages at a time.
///
/// Not inlined, to keep its locals out of the stack frame of [`compress_each`].
#[inline(never)]
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

/// Stores what has become of a page in `pool`.
///
/// Mirrors the second half of `zswap_compress()`.
#[inline(always)] // so that the result needn't go through memory
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

/// Stores a page in `pool` as it is.
#[inline(always)] // so that the result needn't go through memory
fn store_raw(pool: &PoolRef, slot: SlotPage<'_>) -> Result<Object, Refused> {
    Object::from_page(pool.clone(), slot.page, slot.swap, object_gfp()).map_err(no_room)
}

/// Counts that there was no memory for an object.
#[cold]
fn no_room(error: Error) -> Refused {
    refused(error, &zswap_reject_alloc_fail, Outcome::NoRoom)
}

/// Counts that a page can't be compressed.
#[cold]
fn failed(error: Error, outcome: Outcome) -> Refused {
    refused(error, &zswap_reject_compress_fail, outcome)
}

/// Counts why a page is refused: `ENOSPC`, from the compressor or zsmalloc, as a page that compresses
/// poorly; anything else by `counter`.
#[cold]
#[inline(never)]
fn refused(error: Error, counter: &'static Atomic<u64>, outcome: Outcome) -> Refused {
    if error == ENOSPC {
        stats::inc(&zswap_reject_compress_poor);
        Refused(Outcome::NotCompressed)
    } else {
        stats::inc(counter);
        Refused(outcome)
    }
}

/// Puts the page that `object` was made from into `dst`. May sleep.
///
/// On failure, returns the number of bytes that the compressor made instead of a page's.
///
/// Mirrors `zswap_decompress()`, but for what it says of a failure: that is `load::decompress_entry`.
pub(crate) fn decompress<'a>(object: &Object, dst: NotUptodate<'a>) -> Result<Uptodate<'a>, usize> {
    match Form::of(object) {
        Form::Raw => object
            .read(|view| view.copy_to(dst))
            .map_err(|_| object.len()),
        Form::Compressed => {
            let mut context = object.pool().contexts().this_cpu().lock();
            let Some(compressor) = &mut *context else {
                return Err(0);
            };
            object.read(|view| compressor.decompress(view.as_input(), dst))
        }
    }
}
