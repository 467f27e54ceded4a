// SPDX-License-Identifier: GPL-2.0-or-later

//! Compressed storage: from a page to bytes in a pool, and back.

use super::{
    pool::Pool,
    runs::Runs,
    stats::{
        self,
        zswap_reject_alloc_fail,
        zswap_reject_compress_fail,
        zswap_reject_compress_poor, //
    },
    tag::Tag,
};
use kernel::{
    alloc::{
        flags::{
            __GFP_HIGHMEM,
            __GFP_MOVABLE,
            __GFP_NORETRY, //
        },
        Flags,
    },
    crypto::acompress::Lanes,
    error::code::EINVAL,
    mm::{
        folio::{
            CachedFolio,
            Contents,
            Filled,
            FolioPage, //
        },
        swap_slots::{
            Indices,
            Kept,
            Slots, //
        },
        swapops::SwapEntry,
        trace::Outcome,
        zsmalloc,
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::{
        atomic::Atomic,
        generations::Ref, //
    },
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

/// The bytes of a page in a pool: C's `pool`, `handle` and `length` of an entry. Its tag is a [`Tag`].
pub(crate) type Object = zsmalloc::Object<Pool>;

/// A page was refused, and why. The counter that says so has been incremented, if there is one.
pub(crate) struct Refused(pub(crate) Outcome);

/// Reclaim is under way: memory for an object is had at once, or the page goes to the swap device.
fn object_gfp() -> Flags {
    GFP_NOWAIT | __GFP_NORETRY | __GFP_HIGHMEM | __GFP_MOVABLE
}

/// Compresses the pages of `slots` at `indices` into `pool`, several at a time if the compressor can, and
/// hands the objects to `each`, in order, with their indices; ends with the first page that is refused. May
/// sleep; `each` may not allocate memory.
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
    pool: &Ref<Pool>,
    slots: &Slots<'_, '_, impl Kept>,
    indices: Indices,
    runs: &mut Runs,
    mut each: impl FnMut(usize, Object),
) -> Result<(), Refused> {
    let mut context = pool.contexts().this_cpu().lock();
    if let Some(compressor) = &mut *context {
        if let Some(lanes) = compressor.lanes() {
            return compress_in_lanes(pool, lanes, slots, indices, each);
        }
    }
    let mut left = indices;
    let mut next = left.next();
    while let Some(index) = next {
        let Some((swap, page)) = slots.get(index) else {
            break;
        };
        let Some(compressor) = &mut *context else {
            return Err(failed(EINVAL, Outcome::NoCompressor));
        };
        let object = if runs.try_next() {
            let compressed = compressor.compress(page);
            let object = keep(pool, swap, page, compressed, slots.folio())?;
            runs.tried(Form::of(&object) == Form::Compressed);
            object
        } else {
            keep_raw(pool, swap, page)?
        };
        each(index, object);
        next = left.next();
        if next.is_none() {
            break;
        }
        // A load on this CPU may wait for the compressor.
        drop(context);
        context = pool.contexts().this_cpu().lock();
    }
    Ok(())
}

/// [`compress_each`] on an asynchronous compressor, which works on several pages at a time.
///
/// Apart for its stack.
#[inline(never)]
fn compress_in_lanes(
    pool: &Ref<Pool>,
    mut lanes: Lanes<'_>,
    slots: &Slots<'_, '_, impl Kept>,
    indices: Indices,
    mut each: impl FnMut(usize, Object),
) -> Result<(), Refused> {
    let mut those = indices;
    let pages = indices.map_while(|index| slots.get(index).map(|(_, page)| page));
    lanes.compress_each(pages, |page, compressed| {
        if let Some((index, (swap, _))) = those.next().and_then(|i| Some((i, slots.get(i)?))) {
            each(index, keep(pool, swap, page, compressed, slots.folio())?);
        }
        Ok(())
    })
}

/// Puts what has become of `page`, for slot `swap`, into `pool`.
///
/// Mirrors the second half of `zswap_compress()`.
#[inline(always)] // so that the result needn't go through memory
fn keep(
    pool: &Ref<Pool>,
    swap: SwapEntry,
    page: FolioPage<'_>,
    compressed: Result<&[u8]>,
    folio: &CachedFolio<'_>,
) -> Result<Object, Refused> {
    let compressed = match compressed {
        Ok(bytes) if bytes.len() >= PAGE_SIZE => Err(EINVAL),
        other => other,
    };
    match compressed {
        Ok(bytes) => {
            let (tag, nid) = (Tag::new(swap).bits(), page.nid());
            Object::from_bytes(pool.clone(), bytes, tag, object_gfp(), nid).map_err(no_room)
        }
        Err(error) => {
            if !folio.zswap_writeback_enabled() {
                return Err(failed(error, Outcome::NotCompressed));
            }
            keep_raw(pool, swap, page)
        }
    }
}

/// Puts `page` into `pool` as it is.
#[inline(always)] // so that the result needn't go through memory
fn keep_raw(pool: &Ref<Pool>, swap: SwapEntry, page: FolioPage<'_>) -> Result<Object, Refused> {
    let tag = Tag::new(swap).bits();
    Object::from_page(pool.clone(), page, tag, object_gfp()).map_err(no_room)
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
pub(crate) fn decompress<'a>(object: &Object, dst: Contents<'a>) -> Result<Filled<'a>, usize> {
    match Form::of(object) {
        Form::Raw => object
            .read(|view| view.copy_to(dst))
            .map_err(|_| object.len()),
        Form::Compressed => {
            let mut context = object.owner().contexts().this_cpu().lock();
            let Some(compressor) = &mut *context else {
                return Err(0);
            };
            object.read(|view| compressor.decompress(view.as_input(), dst))
        }
    }
}
