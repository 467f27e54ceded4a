// SPDX-License-Identifier: GPL-2.0-or-later

//! A page stored in a pool.

use super::{
    entry_word::EntryWord,
    pool::Pool,
    pool_list::PoolRef, //
};
use kernel::{
    alloc::{
        Flags,
        NumaNode, //
    },
    mm::{
        folio::FolioPage,
        swapops::SwapEntry,
        zsmalloc::{
            Handle,
            View, //
        },
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// A page stored in a pool, compressed or not: C's `pool`, `handle`, `length`, `swpentry` and
/// `referenced` of an entry. Pins its pool.
///
/// # Invariants
///
/// - `word` is an [`EntryWord`], whose pool id owns a reference, and whose length is at most `PAGE_SIZE`.
///   Neither changes.
/// - `handle` is an object of that length in that pool, and is owned by this value.
pub(crate) struct Object {
    word: Atomic<u64>,
    handle: Handle,
}

// zswap has one object per page.
const _: () = assert!(size_of::<Object>() == 16);

impl Object {
    fn new(pool: PoolRef, len: usize, slot: SwapEntry, handle: Handle) -> Self {
        let word = EntryWord::new(pool.into_id(), len, slot);
        // INVARIANT: The callers pass a handle of that length in that pool. The id owns the reference of `pool`.
        Self {
            word: Atomic::new(word.bits()),
            handle,
        }
    }

    /// Stores `bytes` for the page of `slot`, on node `nid` if possible. May sleep if `gfp` allows it.
    ///
    /// Fails like [`store`](kernel::mm::zsmalloc::Pool::store).
    #[inline(always)] // stack, make bench: otherwise the result is returned through memory
    pub(crate) fn from_bytes(
        pool: PoolRef,
        bytes: &[u8],
        slot: SwapEntry,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<Self> {
        // SAFETY: The `Object` pins the pool, and frees the handle when it is dropped.
        let handle = unsafe { pool.zs().store(bytes, gfp, nid)? };
        Ok(Self::new(pool, bytes.len(), slot, handle))
    }

    /// Stores the page of `slot` uncompressed. Otherwise like [`Object::from_bytes`].
    #[inline(always)] // stack, make bench: otherwise the result is returned through memory
    pub(crate) fn from_page(
        pool: PoolRef,
        page: FolioPage<'_>,
        slot: SwapEntry,
        gfp: Flags,
    ) -> Result<Self> {
        // SAFETY: The `Object` pins the pool, and frees the handle when it is dropped.
        let handle = unsafe { pool.zs().store_page(page, gfp)? };
        Ok(Self::new(pool, PAGE_SIZE, slot, handle))
    }

    /// The word, with the slot, the length and the `referenced` flag.
    pub(crate) fn word(&self) -> EntryWord {
        EntryWord::from_bits(self.word.load(Relaxed))
    }

    /// Clears the `referenced` flag.
    ///
    /// Not atomic: a concurrent update of the word may be lost. The caller must hold the list's lock, or own the entry,
    /// which must be on no list.
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

    /// Calls `f` with the bytes, which zsmalloc does not move meanwhile. May sleep.
    pub(crate) fn read<R>(&self, f: impl FnOnce(&View<'_>) -> R) -> R {
        // SAFETY: By the type invariant the object is in that pool and has `len` bytes.
        unsafe { self.pool().zs().read(&self.handle, self.len(), f) }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: The handle isn't used after this.
        let handle = unsafe { core::ptr::read(&self.handle) };
        // SAFETY: By the type invariant the object is in that pool.
        unsafe { self.pool().zs().free(handle) };
        // SAFETY: By the type invariant the id owns a reference, which is given up here.
        drop(unsafe { PoolRef::from_id(self.word().pool_id()) });
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_object)]
mod tests {
    use super::{
        super::pool_list::tests::{
            algorithms,
            TestList, //
        },
        *, //
    };

    #[test]
    fn objects_have_the_length_they_were_made_with() -> Result {
        let list = TestList::new()?;
        let [algorithm, _] = algorithms()?;
        let pool = list.add(&algorithm)?;
        assert_eq!(pool.zs().total_pages(), 0);

        let slot = SwapEntry::unpack(0x123_4567);
        let bytes = KBox::<[u8; PAGE_SIZE + 1]>::zeroed(GFP_KERNEL)?;
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
                assert_eq!(object.read(|view| view.len()), len);
                assert!(object.word().slot() == slot);
                assert!(core::ptr::eq(object.pool(), &*pool));
            }
        }
        assert_eq!(pool.zs().total_pages(), 0);
        Ok(())
    }
}
