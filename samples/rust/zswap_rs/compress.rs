// SPDX-License-Identifier: GPL-2.0-or-later

//! Compressed storage: from a page to bytes in a pool, and back.

use super::{
    contexts::Context,
    pool::Pool,
    stats::{
        self,
        zswap_reject_alloc_fail,
        zswap_reject_compress_fail,
        zswap_reject_compress_poor, //
    },
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
    error::code::EINVAL,
    mm::{
        folio::{
            Contents,
            Filled,
            FolioPage, //
        },
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

/// What an entry keeps beside its object, in what would be padding of the object.
pub(crate) struct Meta {
    /// How the bytes are kept.
    pub(crate) form: Form,
    /// Whether the entry gets a second chance when the shrinker comes to it.
    pub(crate) referenced: Atomic<bool>,
}

impl Meta {
    fn new(form: Form) -> Self {
        Self {
            form,
            referenced: Atomic::new(true),
        }
    }
}

/// The bytes of a page in a pool: C's `pool`, `handle` and `length` of an entry.
pub(crate) type Object = zsmalloc::Object<Pool, Meta>;

/// A page was refused, and why. The counter that says so has been incremented, if there is one.
pub(crate) struct Refused(pub(crate) Outcome);

/// Reclaim is under way: memory for an object is had at once, or the page goes to the swap device.
fn object_gfp() -> Flags {
    GFP_NOWAIT | __GFP_NORETRY | __GFP_HIGHMEM | __GFP_MOVABLE
}

/// Compresses `page` into `pool`. May sleep.
///
/// A page that can't be made smaller is kept as it is, which keeps the LRU order of writebacks. If
/// writeback is disabled (asked of `may_write_back`), that would only cost memory: it is refused.
///
/// Mirrors `zswap_compress()`.
#[inline]
pub(crate) fn compress(
    pool: &Ref<Pool>,
    page: FolioPage<'_>,
    may_write_back: impl FnOnce() -> bool,
) -> Result<Object, Refused> {
    let mut context = pool.contexts().this_cpu().lock();
    let Some(Context { compressor, buffer }) = &mut *context else {
        return Err(failed(EINVAL, Outcome::NoCompressor));
    };
    keep(
        pool,
        page,
        compressor.compress(page, buffer),
        may_write_back,
    )
}

/// Compresses `pages` into `pool`, several at a time if the compressor can, and hands the objects to
/// `each`, in order; ends with the first page that is refused. May sleep; `each` may not allocate
/// memory.
///
/// A page becomes what it does in [`compress`]. C has no counterpart: it waits for each page.
pub(crate) fn compress_each<'p>(
    pool: &Ref<Pool>,
    pages: impl Iterator<Item = FolioPage<'p>>,
    may_write_back: impl Fn() -> bool,
    mut each: impl FnMut(Object),
) -> Result<(), Refused> {
    let mut context = pool.contexts().this_cpu().lock();
    let Some(Context { compressor, buffer }) = &mut *context else {
        return Err(failed(EINVAL, Outcome::NoCompressor));
    };
    if let Some(mut lanes) = compressor.lanes() {
        return lanes.compress_each(pages, |page, compressed| {
            each(keep(pool, page, compressed, &may_write_back)?);
            Ok(())
        });
    }
    for page in pages {
        let compressed = compressor.compress(page, buffer);
        each(keep(pool, page, compressed, &may_write_back)?);
    }
    Ok(())
}

/// Puts what has become of `page` into `pool`: mirrors the second half of `zswap_compress()`.
#[inline(always)] // in what stores page by page
fn keep(
    pool: &Ref<Pool>,
    page: FolioPage<'_>,
    compressed: Result<&[u8]>,
    may_write_back: impl FnOnce() -> bool,
) -> Result<Object, Refused> {
    let compressed = match compressed {
        Ok(bytes) if bytes.len() >= PAGE_SIZE => Err(EINVAL),
        other => other,
    };
    let object = match compressed {
        Ok(bytes) => {
            let (meta, nid) = (Meta::new(Form::Compressed), page.nid());
            Object::from_bytes(pool.clone(), bytes, meta, object_gfp(), nid)
        }
        Err(error) => {
            if !may_write_back() {
                return Err(failed(error, Outcome::NotCompressed));
            }
            Object::from_page(pool.clone(), page, Meta::new(Form::Raw), object_gfp())
        }
    };
    object.map_err(|error| refused(error, &zswap_reject_alloc_fail, Outcome::NoRoom))
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
    match object.meta.form {
        Form::Raw => object
            .read(|view| view.copy_to(dst))
            .map_err(|_| object.len()),
        Form::Compressed => {
            let mut context = object.owner().contexts().this_cpu().lock();
            let Some(Context { compressor, .. }) = &mut *context else {
                return Err(0);
            };
            object.read(|view| compressor.decompress(view.as_input(), dst))
        }
    }
}
