// SPDX-License-Identifier: GPL-2.0-or-later

//! The index: maps a slot to its entry.
//!
//! A device has an array of trees, one per [`SLOTS_PER_TREE`] slots. A tree maps a run of [`SLOTS_PER_LEAF`] slots to a
//! [`Leaf`], which has one pointer per slot. A witness of [`slots`](super::slots) gives exclusive access to a slot, so
//! that its pointer is accessed without a lock and without an atomic read-modify-write. The owners of a leaf's slots
//! share only the lifetime of the leaf, which is reference-counted. In C:
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
//! A leaf with an entry therefore stays in its tree. A lookup in a leaf that is being removed is still correct: only
//! the owner of the slot could have filled it.

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
    prelude::*,
    slab,
    sync::{
        atomic::{
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

/// Slots per leaf: the same number as in an XArray node, so that a leaf uses the same memory as a node.
pub(super) const SLOTS_PER_LEAF: usize = 64;

/// Slots per tree: 16 MiB of swap space with pages of 4 KiB. The leaves of a tree fit into one XArray node, unless a
/// cluster is larger.
///
/// `ZSWAP_ADDRESS_SPACE_PAGES` in C is four times as large, and its trees are one node deeper.
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
/// - A pointer in `slots` is null, or owns an entry from [`LeafRef::fill`], which is in the totals and charged, or will be
///   before it is freed. It is accessed only with a witness for its slot, or when the leaf is dropped; anybody may compare
///   it with null, as a hint.
/// - `refs` is the number of entries in `slots` plus the number of references that [`LeafRef`]s own.
#[repr(C)]
pub(crate) struct Leaf {
    /// - above 0: the leaf is in its tree, and stays there.
    /// - 0: the leaf is being removed. `refs` becomes 0 and the leaf is removed from its tree in the same critical
    ///   section of the tree's lock. No reference can be taken any more.
    refs: Atomic<usize>,
    rcu: Opaque<bindings::callback_head>,
    slots: [Atomic<*mut Entry>; SLOTS_PER_LEAF],
}

// SAFETY: It owns entries, which are `Send`; only RCU uses the head, after the leaf was freed.
unsafe impl Send for Leaf {}
// SAFETY: A witness lends an entry to one task at a time; in addition, entries are `Sync`.
unsafe impl Sync for Leaf {}

impl Leaf {
    /// An empty leaf, with `n` references that the caller owns.
    fn new(n: usize) -> Self {
        Self {
            refs: Atomic::new(n),
            rcu: Opaque::zeroed(),
            slots: [const { Atomic::new(core::ptr::null_mut()) }; SLOTS_PER_LEAF],
        }
    }

    /// The entry of the slot at `offset` of its device.
    pub(super) fn slot(&self, offset: usize) -> &Atomic<*mut Entry> {
        &self.slots[offset % SLOTS_PER_LEAF]
    }

    /// The entries of the slots at `offsets`, of this leaf.
    ///
    /// # Safety
    ///
    /// The caller must have a witness for the slots, and must not remove their entries while the iterator is in use.
    pub(super) unsafe fn entries(&self, offsets: Range<usize>) -> impl Iterator<Item = &Entry> {
        // SAFETY: By the type invariant a pointer that isn't null owns an entry. The caller guarantees that it has a
        // witness for the slots, and that their entries stay in them.
        offsets.filter_map(|offset| unsafe { self.slot(offset).load(Relaxed).as_ref() })
    }

    /// Gets `n` references, unless the leaf is being removed. Mirrors `atomic_add_unless()`.
    #[inline] // make bench: stores find their leaf with it
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

    /// Frees a leaf after an RCU grace period, as XArray frees its nodes. Its slots must be empty, since the leaf isn't
    /// dropped. Any context except NMI. Mirrors `call_rcu()`.
    fn free_rcu(leaf: slab::Box<Self>) {
        /// # Safety
        ///
        /// `head` must be the `rcu` field of a leaf that no task uses any more.
        unsafe extern "C" fn free(head: *mut bindings::callback_head) {
            // SAFETY: The caller guarantees that `head` is in an unused leaf. Leaves are in memory of a slab cache.
            // Documentation/core-api/memory-allocation.rst allows kfree() for it.
            unsafe { bindings::kfree(head.byte_sub(core::mem::offset_of!(Leaf, rcu)).cast()) }
        }
        let leaf = slab::Box::into_raw(leaf);
        // SAFETY: `leaf` owned the leaf, and its `rcu` field has no other use. RCU readers may access the leaf until C
        // calls `free`, which is built in.
        unsafe { bindings::call_rcu((*leaf.as_ptr()).rcu.get(), Some(free)) }
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        for slot in &self.slots {
            if let Some(entry) = NonNull::new(slot.load(Relaxed)) {
                // SAFETY: By the type invariant the pointer owns an entry. No other task can reach the entry, since the
                // leaf is being dropped.
                drop(unsafe { StoredEntry::from_raw(entry) });
            }
        }
    }
}

/// A tree of leaves, for [`SLOTS_PER_TREE`] slots.
pub(super) type Tree = XArray<slab::Box<Leaf>>;

/// The index of a leaf in its tree: that of the slot at `offset`.
fn leaf_index(offset: usize) -> usize {
    offset % SLOTS_PER_TREE / SLOTS_PER_LEAF
}

/// The part of `offsets` that is in the same leaf as the first offset.
pub(super) fn in_one_leaf(offsets: &Range<usize>) -> Range<usize> {
    let next_leaf = (offsets.start | (SLOTS_PER_LEAF - 1)).wrapping_add(1);
    offsets.start..next_leaf.min(offsets.end)
}

/// References to a leaf, which pin it in its tree.
///
/// # Invariants
///
/// `leaf` is in `tree` and contains the slot at `offset`. This value owns `n` of its `refs`. While `n` is 0, a slot of
/// the leaf has an entry that only the owner of this value can remove.
pub(super) struct LeafRef<'a> {
    tree: &'a Tree,
    offset: usize,
    leaf: NonNull<Leaf>,
    n: usize,
}

impl<'a> LeafRef<'a> {
    /// Gets `n` references, at least one, to the leaf of the slot at `offset`. Inserts the leaf if there is none. May
    /// sleep. Fails with `ENOMEM`.
    #[inline] // stack: a chain has one frame less
    pub(super) fn get_or_insert(
        tree: &'a Tree,
        offset: usize,
        n: usize,
        cache: &'static slab::Cache<Leaf>,
    ) -> Result<Self> {
        if let Some(leaf) = Self::try_get(tree, offset, n) {
            return Ok(leaf);
        }
        let leaf = Self::insert(tree, offset, n, cache)?;
        // INVARIANT: `insert` returns the leaf of the slot at `offset`, in `tree`, with `n` references for the caller.
        Ok(Self {
            tree,
            offset,
            leaf,
            n,
        })
    }

    /// Gets `n` references to the leaf of the slot at `offset`, if the tree has one that is not being removed.
    #[inline] // make bench: stores find their leaf with it
    fn try_get(tree: &'a Tree, offset: usize, n: usize) -> Option<Self> {
        let _rcu = rcu::read_lock();
        let leaf = tree.load(leaf_index(offset))?.cast::<Leaf>();
        // SAFETY: The leaf was in the tree during this RCU read section, so it isn't freed before the section ends.
        // INVARIANT: If `try_get` returns true, this value owns `n` references, which pin the leaf in the tree. (Not
        // `then_some`, which would construct a `LeafRef` in either case.)
        unsafe { leaf.as_ref() }.try_get(n).then(|| Self {
            tree,
            offset,
            leaf,
            n,
        })
    }

    /// Inserts the leaf of the slot at `offset`, or finds the leaf that another task has inserted. Returns it with `n`
    /// references that the caller owns. Fails with `ENOMEM`.
    #[inline(never)] // stack: keeps its locals out of the frame from which pages are compressed
    fn insert(
        tree: &'a Tree,
        offset: usize,
        n: usize,
        cache: &'static slab::Cache<Leaf>,
    ) -> Result<NonNull<Leaf>> {
        // Also used if an allocation fails: meanwhile another task may have inserted the leaf.
        let present = || {
            let leaf = Self::try_get(tree, offset, n)?;
            Some(core::mem::ManuallyDrop::new(leaf).leaf)
        };
        let Ok(memory) = cache.alloc(GFP_KERNEL, NumaNode::NO_NODE) else {
            return present().ok_or(ENOMEM);
        };
        let mut new = memory.write(Leaf::new(n));
        loop {
            let leaf = new.as_ptr();
            match tree.insert(leaf_index(offset), new, GFP_KERNEL) {
                // Created with `n` references.
                Ok(()) => return Ok(leaf),
                // Another task has inserted the leaf, to fill other slots of it.
                Err(StoreError { error, value }) if error == EBUSY => new = value,
                Err(StoreError { error, .. }) => return present().ok_or(error),
            }
            if let Some(leaf) = present() {
                return Ok(leaf);
            }
        }
    }

    /// The leaf of `offsets`, all in one leaf, at the first slot that has an entry. The result owns no references: the
    /// entry pins the leaf until it is [removed](Self::empty).
    ///
    /// # Safety
    ///
    /// The caller must have a witness for the slots, until the result owns a reference.
    pub(super) unsafe fn first_filled(tree: &'a Tree, offsets: Range<usize>) -> Option<Self> {
        let _rcu = rcu::read_lock();
        let leaf = tree.load(leaf_index(offsets.start))?.cast::<Leaf>();
        for offset in offsets {
            // SAFETY: The leaf was in the tree during this RCU read section, so it isn't freed before the section ends.
            // The caller guarantees that it has a witness for the slot. If the slot has an entry, the leaf is in the
            // tree, and stays there, since only the caller can remove the entry.
            let slot = unsafe { leaf.as_ref() }.slot(offset);
            if !slot.load(Relaxed).is_null() {
                // INVARIANT: The slot has an entry.
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

    /// Which of the slots at `offsets`, all in one leaf, have an entry: bit `n` is for the `n`-th of them.
    ///
    /// Without a witness for the slots this is a hint.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(super) fn filled(tree: &Tree, offsets: Range<usize>) -> u64 {
        let _rcu = rcu::read_lock();
        let Some(leaf) = tree.load(leaf_index(offsets.start)) else {
            return 0;
        };
        // SAFETY: The leaf was in the tree during this RCU read section, so it isn't freed before the section ends.
        let leaf = unsafe { leaf.cast::<Leaf>().as_ref() };
        let mut filled = 0;
        for (n, offset) in (0..u64::BITS).zip(offsets) {
            filled |= u64::from(!leaf.slot(offset).load(Relaxed).is_null()).wrapping_shl(n);
        }
        filled
    }

    /// The offset of the slot by which the leaf was found.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The leaf.
    pub(super) fn leaf(&self) -> &Leaf {
        // SAFETY: By the type invariant the leaf is in the tree, and stays there while this value exists: `n` is above
        // 0, or a slot has an entry that only the owner of this value can remove.
        unsafe { self.leaf.as_ref() }
    }

    /// Puts an entry into the slot at `offset` of the leaf, and returns the previous entry. The new entry takes over
    /// the reference of the previous one, or, if there was none, one of this value's references.
    ///
    /// # Safety
    ///
    /// The caller must have a witness for the slot, and must have taken a reference for it. `entry` must be in the totals
    /// and charged, or will be before it is freed.
    pub(super) unsafe fn fill(
        &mut self,
        offset: usize,
        entry: slab::Box<Entry>,
    ) -> Option<StoredEntry> {
        let slot = self.leaf().slot(offset);
        let old = slot.load(Relaxed);
        slot.store(slab::Box::into_raw(entry).as_ptr(), Relaxed);
        let Some(old) = NonNull::new(old) else {
            // INVARIANT: One of this value's `n` references is now that of the entry.
            self.n = self.n.wrapping_sub(1);
            return None;
        };
        // SAFETY: By the invariant of `Leaf` the pointer owned an entry, and it is no longer in the slot.
        Some(unsafe { StoredEntry::from_raw(old) })
    }

    /// Removes the entry from the slot at `offset` of the leaf, and returns it, if there is one.
    ///
    /// # Safety
    ///
    /// The caller must have a witness for the slot.
    pub(super) unsafe fn empty(&mut self, offset: usize) -> Option<StoredEntry> {
        let slot = self.leaf().slot(offset);
        let entry = NonNull::new(slot.load(Relaxed))?;
        slot.store(core::ptr::null_mut(), Relaxed);
        // INVARIANT: The reference of the entry is now one of this value's `n` references.
        self.n = self.n.wrapping_add(1);
        // SAFETY: By the invariant of `Leaf` the pointer owned an entry, and it is no longer in the slot.
        Some(unsafe { StoredEntry::from_raw(entry) })
    }

    /// Puts references that may be the last ones, and removes the leaf if they are.
    fn put_last(&self) {
        let mut tree = self.tree.lock();
        // Full: other tasks' accesses to the leaf, before they put their references, happen before it is freed.
        if self.leaf().refs.fetch_sub(self.n, Full) != self.n {
            return;
        }
        // INVARIANT: The leaf is removed from the tree in the critical section in which its `refs` became 0.
        let leaf = tree.remove(leaf_index(self.offset));
        drop(tree);
        if let Some(leaf) = leaf {
            Leaf::free_rcu(leaf);
        }
    }
}

impl Drop for LeafRef<'_> {
    /// Puts the references. Mirrors `atomic_dec_and_lock()`.
    #[inline] // make bench: for each entry that is loaded
    fn drop(&mut self) {
        if self.n == 0 {
            return;
        }
        let mut refs = self.leaf().refs.load(Relaxed);
        while refs > self.n {
            // Release: the slots are emptied before another task can free the leaf.
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
            charge::Sum,
            object::Object,
            pool_table::{
                tests::{
                    algorithms,
                    create, //
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

    /// A type of which no swap device exists.
    pub(in super::super) const DEVICE: usize = 2;

    /// The slot at `offset` of that device.
    pub(in super::super) fn slot(offset: usize) -> SwapEntry {
        // SAFETY: The type is below `MAX_SWAPFILES`.
        unsafe {
            SwapEntry::from_raw(bindings::swp_entry_t {
                val: DEVICE << bindings::SWP_TYPE_SHIFT | offset,
            })
        }
    }

    /// Never freed, so that the test can be run again.
    pub(in super::super) fn leaves() -> Result<&'static slab::Cache<Leaf>> {
        static LEAVES: SetOnce<slab::Cache<Leaf>> = SetOnce::new();
        if LEAVES.as_ref().is_none() {
            LEAVES.populate(slab::Cache::new(c"zswap_index_test")?);
        }
        LEAVES.as_ref().ok_or(ENOMEM)
    }

    /// The `refs` of the leaf of the slot at `offset` in `tree`. No other task may change the tree.
    pub(in super::super) fn refs_in(tree: &Tree, offset: usize) -> Option<usize> {
        let leaf = tree.load(leaf_index(offset))?.cast::<Leaf>();
        // SAFETY: No other task changes the tree.
        Some(unsafe { leaf.as_ref() }.refs.load(Relaxed))
    }

    /// Creates entries, which the tests distinguish by their lengths.
    pub(in super::super) struct Entries(PoolRef);

    impl Entries {
        pub(in super::super) fn new() -> Result<Self> {
            let [algorithm, _] = algorithms()?;
            create(&algorithm).map(Self)
        }

        /// An entry of `len` bytes for the slot at `offset`.
        pub(in super::super) fn entry(
            &self,
            offset: usize,
            len: usize,
        ) -> Result<slab::Box<Entry>> {
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
            let mut sum = Sum::default();
            sum.add(len);
            sum.count(1);
            Ok(memory.write(Entry::new(object, None)))
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
