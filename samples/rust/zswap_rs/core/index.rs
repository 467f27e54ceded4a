// SPDX-License-Identifier: GPL-2.0-or-later

//! The index: which entry a swap slot has.
//!
//! A device has an array of trees, one for each [`SLOTS_PER_TREE`] slots. A tree maps a run of
//! [`SLOTS_PER_LEAF`] slots to a [`Leaf`], which has a pointer for each. A witness of [`slots`](super::slots)
//! makes a slot exclusive, so that its pointer is read and written without a lock and without an atomic
//! read-modify-write. Only the lifetime of a leaf is shared by the owners of its slots: it is a reference
//! count. In C:
//!
//! ```c
//! struct leaf { long refs; struct rcu_head rcu; struct zswap_entry *slots[64]; };
//!
//! bool leaf_try_get(leaf, n)      // before n slots are filled
//! {
//!         return atomic_add_unless(&leaf->refs, n, 0);    // 0: it is being removed; insert another
//! }
//! void leaf_put(leaf, n)          // after n slots were emptied
//! {
//!         if (!atomic_sub_and_lock(n, &leaf->refs, &tree->xa_lock)) return;
//!         __xa_erase(tree, index); xa_unlock(tree); kfree_rcu(leaf);
//! }
//! ```
//!
//! So a leaf with an entry stays in its tree. The owner of a slot who finds nothing in a leaf that is being
//! removed has found the truth: nobody else could have filled the slot.

use super::{
    entry::Entry,
    free::StoredEntry, //
};
use core::{
    ops::Range,
    ptr::NonNull, //
};
use kernel::{
    alloc::NumaNode,
    bindings,
    jump_label::static_key::StaticKeyFalse,
    prelude::*,
    slab, static_key_enabled_unlikely,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Full,
            Relaxed,
            Release, //
        },
        rcu, //
    },
    types::Opaque,
    xarray::{
        StoreError,
        XArray, //
    },
};

/// Slots in one leaf: as many as an XArray node has, so that a leaf takes a node's memory.
pub(super) const SLOTS_PER_LEAF: usize = 64;

/// Slots in one tree: with pages of 4 KiB, 16 MiB of swap space. Its leaves fit into one XArray node.
///
/// C's `ZSWAP_ADDRESS_SPACE_PAGES` is four times as large, for trees that are one node deeper.
pub(super) const SLOTS_PER_TREE: usize = {
    let one_node = SLOTS_PER_LEAF * 64;
    if one_node > bindings::SWAPFILE_CLUSTER_SLOTS {
        one_node
    } else {
        bindings::SWAPFILE_CLUSTER_SLOTS
    }
};

const _: () = assert!(SLOTS_PER_TREE % bindings::SWAPFILE_CLUSTER_SLOTS == 0);
const _: () = assert!(SLOTS_PER_TREE % SLOTS_PER_LEAF == 0);

/// The entries of a run of slots.
///
/// # Invariants
///
/// - A pointer of `slots` is null, or owns an entry. It is accessed only with a witness for its slot, or
///   when the leaf is dropped.
/// - `refs` is the number of entries in `slots` plus the references that [`LeafRef`]s have: see the field.
#[repr(C)]
pub(super) struct Leaf {
    /// - above 0: the leaf is in its tree, and stays there.
    /// - 0: the leaf is being removed. `refs` becomes 0 and the leaf leaves its tree in one critical section of
    ///   the tree's lock. No reference can be got any more.
    refs: Atomic<usize>,
    rcu: Opaque<bindings::callback_head>,
    slots: [Atomic<*mut Entry>; SLOTS_PER_LEAF],
}

// SAFETY: It owns entries, which are `Send`; the head is RCU's once the leaf is freed.
unsafe impl Send for Leaf {}
// SAFETY: A witness lends an entry to one task at a time, and entries are `Sync` besides.
unsafe impl Sync for Leaf {}

impl Leaf {
    /// An empty leaf, with `n` references for its maker.
    #[inline]
    fn new(n: usize) -> Self {
        Self {
            refs: Atomic::new(n),
            rcu: Opaque::zeroed(),
            slots: [const { Atomic::new(core::ptr::null_mut()) }; SLOTS_PER_LEAF],
        }
    }

    /// The entry of the slot at `offset` of its device.
    #[inline]
    pub(super) fn slot(&self, offset: usize) -> &Atomic<*mut Entry> {
        &self.slots[offset % SLOTS_PER_LEAF]
    }

    /// The entries of the slots at `offsets`, of this leaf.
    ///
    /// # Safety
    ///
    /// The slots must be the caller's, by a witness, and their entries not be taken while they are looked at.
    #[inline]
    pub(super) unsafe fn entries(&self, offsets: Range<usize>) -> impl Iterator<Item = &Entry> {
        // SAFETY: By the type invariant what isn't null owns an entry. The slots are the caller's.
        offsets.filter_map(|offset| unsafe { self.slot(offset).load(Relaxed).as_ref() })
    }

    /// Gets `n` references, unless the leaf is being removed. Mirrors `atomic_add_unless()`.
    #[inline]
    fn try_get(&self, n: usize) -> bool {
        let mut refs = self.refs.load(Relaxed);
        while refs != 0 {
            match self.refs.cmpxchg(refs, refs.wrapping_add(n), Relaxed) {
                Ok(_) => return true,
                Err(now) => refs = now,
            }
        }
        false
    }

    /// Frees a leaf after an RCU grace period, as XArray frees its nodes. Its slots must be empty: it isn't
    /// dropped. Any context but NMI. Mirrors `call_rcu()`.
    #[inline]
    fn free_rcu(leaf: slab::Box<Self>) {
        /// # Safety
        ///
        /// `head` must be that of a leaf which nobody uses any more.
        unsafe extern "C" fn free(head: *mut bindings::callback_head) {
            // SAFETY: The caller guarantees that `head` is in a leaf, which is in memory of a slab cache and unused.
            // Documentation/core-api/memory-allocation.rst allows kfree() for it.
            unsafe { bindings::kfree(head.byte_sub(core::mem::offset_of!(Leaf, rcu)).cast()) }
        }
        let leaf = slab::Box::into_raw(leaf);
        // SAFETY: The leaf was ours. Its head is for nothing else. RCU readers may look at it until C calls `free`,
        // which is built in.
        unsafe { bindings::call_rcu((*leaf.as_ptr()).rcu.get(), Some(free)) }
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        for slot in &self.slots {
            if let Some(entry) = NonNull::new(slot.load(Relaxed)) {
                // SAFETY: By the type invariant it owns an entry. Nobody else can reach it: the leaf is being dropped.
                drop(unsafe { StoredEntry::from_raw(entry) });
            }
        }
    }
}

/// Mirrors `zswap_ever_enabled`. Enabled before the first leaf is made.
static EVER_OPEN: StaticKeyFalse = StaticKeyFalse::new();

/// Whether nothing was ever stored, nor could be. A no-op as long as that is true.
///
/// Mirrors `zswap_never_enabled()`.
#[inline]
pub(crate) fn never_opened() -> bool {
    !static_key_enabled_unlikely!(EVER_OPEN)
}

/// Memory for leaves: a slab cache, which is shown in `/proc/slabinfo`.
///
/// # Invariants
///
/// If `open` is true, `EVER_OPEN` is enabled. (The KUnit suites of this file and of [`slots`](super::slots) make an
/// exception: no folio is read for their slots.)
pub(crate) struct LeafCache {
    cache: slab::Cache<Leaf>,
    open: Atomic<bool>,
}

impl LeafCache {
    /// Creates the cache, from which no leaf is made before [`LeafCache::open`]. May sleep.
    pub(crate) fn new(name: &'static CStr) -> Result<Self> {
        // INVARIANT: Not open.
        Ok(Self {
            cache: slab::Cache::new(name)?,
            open: Atomic::new(false),
        })
    }

    /// Allows leaves to be made. From here on [`never_opened`] returns false. May sleep; takes
    /// `cpus_read_lock()`.
    pub(crate) fn open(&self) {
        EVER_OPEN.enable();
        // INVARIANT: Just enabled; release publishes that.
        self.open.store(true, Release);
    }
}

/// The leaves of [`SLOTS_PER_TREE`] slots.
pub(super) type Tree = XArray<slab::Box<Leaf>>;

/// The index, in its tree, of the leaf of the slot at `offset`.
#[inline]
fn leaf_index(offset: usize) -> usize {
    offset % SLOTS_PER_TREE / SLOTS_PER_LEAF
}

/// The part of `offsets` that is in the leaf of its first.
#[inline]
pub(super) fn in_one_leaf(offsets: &Range<usize>) -> Range<usize> {
    let next_leaf = (offsets.start | (SLOTS_PER_LEAF - 1)).wrapping_add(1);
    offsets.start..next_leaf.min(offsets.end)
}

/// References to a leaf: it stays in its tree.
///
/// # Invariants
///
/// `leaf` is in `tree`, as that of the slot at `offset`, and `n` of its `refs` are this value's. While `n` is 0, a slot
/// of the leaf is filled that only the owner of this could empty.
pub(super) struct LeafRef<'a> {
    tree: &'a Tree,
    offset: usize,
    leaf: NonNull<Leaf>,
    n: usize,
}

impl<'a> LeafRef<'a> {
    /// Gets `n` references, at least one, to the leaf of the slot at `offset`, which is inserted if need be. May
    /// sleep. Fails with `ENOMEM`, or with `EINVAL` if `cache` isn't open.
    #[inline]
    pub(super) fn get_or_insert(
        tree: &'a Tree,
        offset: usize,
        n: usize,
        cache: &'static LeafCache,
    ) -> Result<Self> {
        if let Some(leaf) = Self::try_get(tree, offset, n) {
            return Ok(leaf);
        }
        let leaf = Self::insert(tree, offset, n, cache)?;
        // INVARIANT: As `insert` says.
        Ok(Self {
            tree,
            offset,
            leaf,
            n,
        })
    }

    /// Gets references to the leaf that is there, if there is one that stays.
    #[inline]
    fn try_get(tree: &'a Tree, offset: usize, n: usize) -> Option<Self> {
        let _rcu = rcu::read_lock();
        let leaf = tree.load(leaf_index(offset))?.cast::<Leaf>();
        // SAFETY: It was in the tree during this RCU read section, and so isn't freed before its end.
        // INVARIANT: If `try_get` says so, `n` are ours; with them the leaf stays in the tree. (Not `then_some`:
        // it makes a `LeafRef` first, which is dropped.)
        unsafe { leaf.as_ref() }.try_get(n).then(|| Self {
            tree,
            offset,
            leaf,
            n,
        })
    }

    /// The leaf of the slot at `offset`, new or another task's, with `n` references for the caller. Fails with
    /// `EINVAL` if `cache` isn't open, else with `ENOMEM`.
    #[inline(never)]
    fn insert(
        tree: &'a Tree,
        offset: usize,
        n: usize,
        cache: &'static LeafCache,
    ) -> Result<NonNull<Leaf>> {
        // Acquire pairs with the release in `LeafCache::open`: an entry is stored only after the key was enabled.
        if !cache.open.load(Acquire) {
            return Err(EINVAL);
        }
        // Without memory, too: another task may have inserted the leaf while this one waited for some.
        let present = || {
            let leaf = Self::try_get(tree, offset, n)?;
            Some(core::mem::ManuallyDrop::new(leaf).leaf)
        };
        let Ok(memory) = cache.cache.alloc(GFP_KERNEL, NumaNode::NO_NODE) else {
            return present().ok_or(ENOMEM);
        };
        let mut new = memory.write(Leaf::new(n));
        loop {
            let leaf = new.as_ptr();
            match tree.insert(leaf_index(offset), new, GFP_KERNEL) {
                // It has `n` references, which are ours.
                Ok(()) => return Ok(leaf),
                // Another task, which fills other slots of it, was first.
                Err(StoreError { error, value }) if error == EBUSY => new = value,
                Err(StoreError { error, .. }) => return present().ok_or(error),
            }
            if let Some(leaf) = present() {
                return Ok(leaf);
            }
        }
    }

    /// The leaf of the first of `offsets`, which are in one leaf, that is filled. No references yet: the slot is to be
    /// [emptied](Self::empty).
    ///
    /// # Safety
    ///
    /// The slots must be the caller's, by a witness, as long as this has no reference.
    #[inline]
    pub(super) unsafe fn first_filled(tree: &'a Tree, offsets: Range<usize>) -> Option<Self> {
        let _rcu = rcu::read_lock();
        let leaf = tree.load(leaf_index(offsets.start))?.cast::<Leaf>();
        for offset in offsets {
            // SAFETY: The leaf was in the tree during this RCU read section, and isn't freed before its end.
            // The slot is the caller's, by a witness. If it is filled, the leaf is in the tree, and
            // stays there, as only the caller could empty the slot.
            let slot = unsafe { leaf.as_ref() }.slot(offset);
            if !slot.load(Relaxed).is_null() {
                // INVARIANT: Just seen.
                return Some(Self {
                    tree,
                    offset,
                    leaf,
                    n: 0,
                });
            }
        }
        None
    }

    /// The tree that the leaf is in.
    #[inline]
    pub(super) fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The slot that the leaf was found by.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The leaf.
    #[inline]
    pub(super) fn leaf(&self) -> &Leaf {
        // SAFETY: By the type invariant it is in the tree, and stays there while this lives: `n` is above
        // 0, or slots are filled that only the owner of this could empty.
        unsafe { self.leaf.as_ref() }
    }

    /// Fills the slot at `offset`, of the leaf, and returns the entry that it had. The reference for that entry is
    /// the new one's, or else one of this value's.
    ///
    /// # Safety
    ///
    /// The slot must be the caller's, by a witness, and one that references were got for; `entry` must own an
    /// entry, which is the slot's from here on.
    #[inline]
    pub(super) unsafe fn fill(
        &mut self,
        offset: usize,
        entry: NonNull<Entry>,
    ) -> Option<StoredEntry> {
        let slot = self.leaf().slot(offset);
        let old = slot.load(Relaxed);
        slot.store(entry.as_ptr(), Relaxed);
        let Some(old) = NonNull::new(old) else {
            // INVARIANT: What was this value's of `refs` is the slot's.
            self.n = self.n.wrapping_sub(1);
            return None;
        };
        // SAFETY: By the invariant of `Leaf` it owned an entry, which is no longer the slot's.
        Some(unsafe { StoredEntry::from_raw(old) })
    }

    /// Empties the slot at `offset`, of the leaf, and returns its entry, if there is one.
    ///
    /// # Safety
    ///
    /// The slot must be the caller's, by a witness.
    #[inline]
    pub(super) unsafe fn empty(&mut self, offset: usize) -> Option<StoredEntry> {
        let slot = self.leaf().slot(offset);
        let entry = NonNull::new(slot.load(Relaxed))?;
        slot.store(core::ptr::null_mut(), Relaxed);
        // INVARIANT: What was the slot's of `refs` is this value's.
        self.n = self.n.wrapping_add(1);
        // SAFETY: By the invariant of `Leaf` it owned an entry, which is no longer the slot's.
        Some(unsafe { StoredEntry::from_raw(entry) })
    }

    /// Removes the leaf with its last references. Of 64 slots that are freed, one comes here.
    #[cold]
    #[inline(never)]
    fn put_last(&self) {
        let mut tree = self.tree.lock();
        // Full: what others did to the leaf before they put it comes before its end.
        if self.leaf().refs.fetch_sub(self.n, Full) != self.n {
            return;
        }
        // INVARIANT: The leaf leaves the tree in the critical section in which its `refs` became 0.
        let leaf = tree.remove(leaf_index(self.offset));
        drop(tree);
        if let Some(leaf) = leaf {
            Leaf::free_rcu(leaf);
        }
    }
}

impl Drop for LeafRef<'_> {
    /// Puts the references. Mirrors `atomic_dec_and_lock()`.
    #[inline]
    fn drop(&mut self) {
        if self.n == 0 {
            return;
        }
        let mut refs = self.leaf().refs.load(Relaxed);
        while refs > self.n {
            // Release: the slots are empty before the leaf can go.
            match self
                .leaf()
                .refs
                .cmpxchg(refs, refs.wrapping_sub(self.n), Release)
            {
                Ok(_) => return,
                Err(now) => refs = now,
            }
        }
        self.put_last();
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_index)]
pub(super) mod tests {
    use super::{
        super::{
            counts::Counts,
            object::Object,
            pool_list::{
                tests::{
                    algorithms,
                    TestList, //
                },
                PoolRef, //
            },
        },
        *, //
    };
    use kernel::{
        mm::swapops::SwapEntry,
        sync::SetOnce, //
    };

    /// The number of no device.
    pub(in super::super) const DEVICE: usize = 2;

    /// The slot at `offset` of that device.
    pub(in super::super) fn slot(offset: usize) -> SwapEntry {
        // SAFETY: Arithmetic on the values; the number is one that a device could have.
        unsafe { SwapEntry::from_raw(bindings::swp_entry(DEVICE, offset)) }
    }

    /// Never freed, so that the test can be run again.
    pub(in super::super) fn leaves() -> Result<&'static LeafCache> {
        static LEAVES: SetOnce<LeafCache> = SetOnce::new();
        if LEAVES.as_ref().is_none() {
            LEAVES.populate(LeafCache::new(c"zswap_index_test")?);
        }
        LEAVES.as_ref().ok_or(ENOMEM)
    }

    /// Opens or closes [`leaves`]. Not by `LeafCache::open()`: with the key, C would allocate no large folios.
    pub(in super::super) fn set_open(open: bool) -> Result {
        leaves()?.open.store(open, Relaxed);
        Ok(())
    }

    /// The `refs` of the leaf of the slot at `offset`, in `tree`, which no other task changes.
    pub(in super::super) fn refs_in(tree: &Tree, offset: usize) -> Option<usize> {
        let leaf = tree.load(leaf_index(offset))?.cast::<Leaf>();
        // SAFETY: No other task changes the tree.
        Some(unsafe { leaf.as_ref() }.refs.load(Relaxed))
    }

    /// Makes entries that are told apart by their lengths.
    pub(in super::super) struct Entries(PoolRef);

    impl Entries {
        pub(in super::super) fn new() -> Result<Self> {
            let [algorithm, _] = algorithms()?;
            Ok(Self(TestList::new()?.add(&algorithm)?))
        }

        /// An entry of `len` bytes for the slot at `offset`.
        pub(in super::super) fn entry(&self, offset: usize, len: usize) -> Result<StoredEntry> {
            static CACHE: SetOnce<slab::Cache<Entry>> = SetOnce::new();
            if CACHE.as_ref().is_none() {
                CACHE.populate(slab::Cache::new(c"zswap_entry_test")?);
            }
            let memory = CACHE
                .as_ref()
                .ok_or(ENOMEM)?
                .alloc(GFP_KERNEL, NumaNode::NO_NODE)?;
            let bytes = [1; 16];
            let bytes = bytes.get(..len).ok_or(EINVAL)?;
            let pool = self.0.clone();
            let object =
                Object::from_bytes(pool, bytes, slot(offset), GFP_KERNEL, NumaNode::NO_NODE)?;
            let mut counts = Counts::default();
            counts.add(len);
            counts.publish();
            Ok(StoredEntry::new(memory, Entry::new(object)))
        }
    }

    #[test]
    fn no_reference_is_got_to_a_leaf_that_is_being_removed() {
        let leaf = Leaf::new(2);
        assert!(leaf.try_get(3));
        assert_eq!(leaf.refs.load(Relaxed), 5);
        leaf.refs.store(0, Relaxed);
        assert!(!leaf.try_get(1));
        assert_eq!(leaf.refs.load(Relaxed), 0);
    }

    #[test]
    fn runs_end_at_the_next_leaf() {
        let edge = SLOTS_PER_LEAF;
        for (offsets, run) in [
            (0..1, 0..1),
            (0..edge, 0..edge),
            (0..edge + 1, 0..edge),
            (edge - 1..edge + 1, edge - 1..edge),
            (edge..2 * edge + 3, edge..2 * edge),
        ] {
            assert_eq!(in_one_leaf(&offsets), run);
        }
    }
}
