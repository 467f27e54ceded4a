// SPDX-License-Identifier: GPL-2.0-or-later

//! A page stored in a pool.

use super::{
    entry_word::EntryWord,
    pool::Pool,
    pool_table::PoolRef, //
};
use kernel::{
    alloc::{
        Flags,
        NumaNode, //
    },
    bindings,
    crypto::acompress::Input,
    mm::{
        folio::{
            FolioPage,
            NotUptodate,
            Uptodate, //
        },
        swapops::SwapEntry, //
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
    types::Opaque,
    warn_on_once, //
};

/// A page stored in a pool, compressed or not: C's `pool`, `handle`, `length`, `swpentry` and
/// `referenced` of an entry. Pins its pool.
///
/// # Invariants
///
/// - `word` is an [`EntryWord`], whose pool id owns a reference, and whose length is from 1 to `PAGE_SIZE`.
///   Neither changes.
/// - `handle` is an object of that length in that pool's zsmalloc pool, and is owned by this value.
pub(crate) struct Object {
    word: Atomic<u64>,
    handle: usize,
}

// zswap has one object per page.
const _: () = assert!(size_of::<Object>() == 16);

impl Object {
    /// Stores `bytes` for the page of `slot`, on node `nid` if possible. May sleep if `gfp` allows it.
    ///
    /// Fails with `EINVAL` if `bytes` is empty or longer than `PAGE_SIZE`, and with the errors of zsmalloc: `ENOSPC` if
    /// it is longer than zsmalloc's largest object, and `ENOMEM`.
    #[inline(always)] // stack, make bench: otherwise the result is returned through memory
    pub(crate) fn from_bytes(
        pool: PoolRef,
        bytes: &[u8],
        slot: SwapEntry,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<Self> {
        let len = bytes.len();
        Self::store(pool, len, slot, gfp, nid, |zs, handle| {
            // SAFETY: The object was just allocated in that pool, with the length of the slice. C only reads the slice,
            // although its prototype takes a pointer to mutable memory.
            unsafe { bindings::zs_obj_write(zs, handle, bytes.as_ptr().cast_mut().cast(), len) }
        })
    }

    /// Stores the page of `slot` uncompressed, on its node. Otherwise like [`Object::from_bytes`].
    #[inline(always)] // stack, make bench: otherwise the result is returned through memory
    pub(crate) fn from_page(
        pool: PoolRef,
        page: FolioPage<'_>,
        slot: SwapEntry,
        gfp: Flags,
    ) -> Result<Self> {
        Self::store(pool, PAGE_SIZE, slot, gfp, page.nid(), |zs, handle| {
            // SAFETY: The object was just allocated in that pool, with `PAGE_SIZE` bytes; `src` is a mapped page. C
            // copies its bytes, which may change during the copy.
            page.with_mapped(|src| unsafe {
                bindings::zs_obj_write(zs, handle, src.cast_mut().cast(), PAGE_SIZE)
            });
        })
    }

    /// Allocates an object of `len` bytes, and calls `write` with it and its pool. Mirrors `zs_malloc()`.
    #[inline(always)] // stack, make bench: otherwise the result is returned through memory
    fn store(
        pool: PoolRef,
        len: usize,
        slot: SwapEntry,
        gfp: Flags,
        nid: NumaNode,
        write: impl FnOnce(*mut bindings::zs_pool, usize),
    ) -> Result<Self> {
        if !(1..=PAGE_SIZE).contains(&len) {
            return Err(EINVAL);
        }
        let zs = pool.zs().as_raw();
        // SAFETY: `pool` pins the zsmalloc pool. By the invariant of `NumaNode` the node is possible, or is
        // `NUMA_NO_NODE`.
        let handle = unsafe { bindings::zs_malloc(zs, len, gfp.as_raw(), nid.as_raw()) };
        let errno = handle as isize;
        if (-(bindings::MAX_ERRNO as isize)..0).contains(&errno) {
            return Err(Error::from_errno(errno as i32));
        }
        write(zs, handle);
        let word = EntryWord::new(pool.into_id(), len, slot);
        // INVARIANT: The object was just allocated. The id owns the reference of `pool`.
        Ok(Self {
            word: Atomic::new(word.bits()),
            handle,
        })
    }

    /// The word, with the slot, the length and the `referenced` flag.
    pub(crate) fn word(&self) -> EntryWord {
        EntryWord::from_bits(self.word.load(Relaxed))
    }

    /// Clears the `referenced` flag.
    ///
    /// Not one operation: the caller must hold the list's lock, or own the entry, which must be on no list.
    pub(crate) fn clear_referenced(&self) {
        // INVARIANT: Pool id and length stay the same.
        self.word
            .store(self.word().without_referenced().bits(), Relaxed);
    }

    /// The length in bytes: never 0, at most `PAGE_SIZE`.
    #[allow(clippy::len_without_is_empty)]
    pub(crate) fn len(&self) -> usize {
        self.word().len()
    }

    /// The pool.
    pub(crate) fn pool(&self) -> &Pool {
        // SAFETY: By the type invariant the id owns a reference, which only `drop` gives up.
        unsafe { PoolRef::borrow_id(self.word().pool_id()) }
    }

    /// Whether both are in one pool.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(crate) fn shares_pool(&self, other: &Self) -> bool {
        self.word().pool_id() == other.word().pool_id()
    }

    /// Calls `f` with a list of the object's `len()` bytes, which zsmalloc doesn't move during the call, and no task
    /// changes. May sleep.
    ///
    /// Mirrors `zs_obj_read_sg_begin()` and `zs_obj_read_sg_end()`.
    fn with_list<R>(&self, f: impl FnOnce(*mut bindings::scatterlist) -> R) -> R {
        let (zs, list) = (self.pool().zs().as_raw(), Opaque::uninit());
        let list: *mut [bindings::scatterlist; 2] = list.get();
        // SAFETY: By the type invariant the object is in that pool and has `len` bytes. C fills one or two entries of
        // the list, which has two. What was begun is ended once, by the same task.
        unsafe {
            bindings::zs_obj_read_sg_begin(zs, self.handle, list.cast(), self.len());
            let ret = f(list.cast());
            bindings::zs_obj_read_sg_end(zs, self.handle);
            ret
        }
    }

    /// Calls `f` with the bytes, as the input of a decompression. May sleep.
    pub(crate) fn read<R>(&self, f: impl FnOnce(Input<'_>) -> R) -> R {
        // SAFETY: It is a list of `len` bytes, which may be read during the call.
        self.with_list(|list| f(unsafe { Input::from_raw(list, self.len()) }))
    }

    /// Copies an object of `PAGE_SIZE` bytes into `page`. Fails with `EINVAL` if it is shorter.
    pub(crate) fn copy_to<'a>(&self, mut page: NotUptodate<'a>) -> Result<Uptodate<'a>> {
        if self.len() != PAGE_SIZE {
            return Err(EINVAL);
        }
        // SAFETY: The list was filled, and has `PAGE_SIZE` bytes, as has `dst`. All are written.
        self.with_list(|list| unsafe {
            // It is contiguous.
            warn_on_once!((*list).length as usize != PAGE_SIZE);
            page.write_page(|dst| {
                bindings::memcpy_from_sglist(dst.cast(), list, 0, PAGE_SIZE as u32);
            });
            Ok(page.assume_written())
        })
    }

    /// Copies the object to the start of `buffer`. Returns its length.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(crate) fn copy_to_buffer(&self, buffer: &mut [u8; PAGE_SIZE]) -> usize {
        let (dst, len) = (buffer.as_mut_ptr().cast(), self.len());
        // SAFETY: The list has `len` bytes, and `buffer` at least as many, by the type invariant.
        self.with_list(|list| unsafe { bindings::memcpy_from_sglist(dst, list, 0, len as u32) });
        len
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let pool = self.pool();
        // SAFETY: By the type invariant the object is in that pool, and the id owns a reference, which is given up
        // last. Neither is used after this.
        unsafe {
            bindings::zs_free(pool.zs().as_raw(), self.handle);
            drop(PoolRef::from_id(self.word().pool_id()));
        }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_object)]
mod tests {
    use super::{
        super::pool_table::tests::{
            algorithms,
            create, //
        },
        *, //
    };

    #[test]
    fn objects_have_the_length_they_were_made_with() -> Result {
        let [algorithm, _] = algorithms()?;
        let pool = create(&algorithm)?;
        assert_eq!(pool.zs().total_pages(), 0);

        let slot = SwapEntry::unpack(0x123_4567);
        let mut bytes = KBox::<[u8; PAGE_SIZE + 1]>::zeroed(GFP_KERNEL)?;
        bytes.fill(7);
        let object = |len: usize| {
            let bytes = bytes.get(..len).unwrap_or_default();
            Object::from_bytes(pool.clone(), bytes, slot, GFP_KERNEL, NumaNode::NO_NODE)
        };
        for len in [0, PAGE_SIZE + 1] {
            assert_eq!(object(len).err(), Some(EINVAL));
        }
        for len in [1, 17, PAGE_SIZE / 2, PAGE_SIZE - 1, PAGE_SIZE] {
            let object = object(len)?;
            assert!(pool.zs().total_pages() > 0);
            for referenced in [true, false] {
                if !referenced {
                    object.clear_referenced();
                }
                assert_eq!(object.word().referenced(), referenced);
                assert_eq!(object.len(), len);
                #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
                {
                    let mut copy = KBox::<[u8; PAGE_SIZE]>::zeroed(GFP_KERNEL)?;
                    assert_eq!(object.copy_to_buffer(&mut copy), len);
                    assert!(copy.get(..len) == bytes.get(..len));
                }
                assert!(object.word().slot() == slot);
                assert!(core::ptr::eq(object.pool(), &*pool));
            }
        }
        assert_eq!(pool.zs().total_pages(), 0);
        Ok(())
    }
}
