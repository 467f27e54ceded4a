// SPDX-License-Identifier: GPL-2.0

//! Adding folios to the swap cache.
//!
//! [`Slot::add_folio`] does all steps, in the order of C: it allocates a folio, writes it into the
//! swap table under the lock of the slots' cluster (`ci->lock`), charges it, prepares it for a
//! split if it is large, and adds it to the LRU. If a step fails, it removes the folio from the
//! swap cache again.
//!
//! Adding a folio never waits for a folio's lock: a caller whose slot already has a folio
//! (`EEXIST`) gets neither that folio nor its lock.
//!
//! C header: [`mm/swap.h`](srctree/mm/swap.h)

use crate::{
    alloc, bindings,
    error::{
        from_err_ptr,
        to_result, //
    },
    mm::{
        fault::AllocContext,
        folio::{
            CachedFolio,
            Folio,
            FolioRef,
            UnreadPages, //
        },
        swap_cache::{
            leave,
            Reads,
            SwapDevice, //
        },
        swap_cluster::{
            bad_table_entry,
            pfn_of,
            Backing,
            BadEntry,
            LockedCluster,
            Slot,
            SLOTS_PER_CLUSTER, //
        },
        swap_table::{
            Flags,
            Shadow,
            SwapTableEntry, //
        },
        swapops::SwapEntry, //
    },
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed,
        Release, //
    },
};
use core::{
    mem::ManuallyDrop,
    ptr::NonNull, //
};

/// As in C; bindgen makes it a negative number.
const NO_INTERLEAVE_INDEX: usize = bindings::NO_INTERLEAVE_INDEX as usize;

impl Slot<'_> {
    /// Allocates a folio of `2^order` pages, adds it to the swap cache, locked, and charges it to
    /// the cgroup of its slots: the naturally aligned slots around this one, one for each page. All
    /// of these slots must be in use, belong to the same cgroup, and be
    /// [readable](Backing::Readable).
    ///
    /// Fails with `EEXIST` if this slot has a folio, with `ENOENT` if it isn't in use, with `EBUSY`
    /// if another of the slots fails the checks, and with `EINVAL` if a cluster has fewer slots.
    /// Fails with `ENOMEM` if the folio can't be allocated, charged or prepared for a split.
    ///
    /// Takes the cluster's lock (`ci->lock`). May sleep if the context's GFP flags allow it, and
    /// always for a folio of more than two pages, whose preparation for a split allocates with
    /// `GFP_KERNEL`. Ignores `__GFP_ACCOUNT`, with which the folio would be charged twice;
    /// restricts the flags for a large folio as C does.
    ///
    /// Mirrors `__swap_cache_alloc()`, without the check before the allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::mm::{
    ///     fault::AllocContext,
    ///     folio::FolioRef,
    ///     swap_cache::{Reads, SwapDevice},
    ///     swapops::SwapEntry,
    /// };
    ///
    /// // Fails with `EEXIST` if another task was faster.
    /// fn swapin(entry: SwapEntry, context: &AllocContext<'_>) -> Result<FolioRef> {
    ///     let device = SwapDevice::get(entry).ok_or(ENOENT)?;
    ///     let slot = device.slot();
    ///     match slot.folio() {
    ///         Some(folio) => Ok(folio),
    ///         None => Reads::together(|reads| Ok(slot.add_folio(0, context)?.read(reads))),
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn add_folio(self, order: u32, context: &AllocContext<'_>) -> Result<NewFolio> {
        self.add(order, context, |backing| backing == Backing::Readable)
    }

    /// Adds a large folio as [`Slot::add_folio`], for slots [backed by zswap](Backing::Zswap), lets
    /// zswap fill it, unlocks it, and returns the reference. The folio is clean, and the data stays
    /// in zswap as well, until the folio is mapped. May sleep.
    ///
    /// Fails with `EBUSY` for other slots, and with zswap's error if that can't fill the folio,
    /// which has left the swap cache then; the data stays in zswap.
    #[inline]
    pub fn fill_from_zswap(self, order: u32, context: &AllocContext<'_>) -> Result<FolioRef> {
        let folio = self.add(order, context, |backing| backing == Backing::Zswap)?;
        crate::race_point!("whole:after_add");
        // zswap held the slots, or they were zero-marked, when the folio was added. No task can
        // change that: to store, load or write back requires the folio's lock, and to free a slot
        // requires that it has no folio.
        // SAFETY: By the invariant of `NewFolio` the folio is locked by this task, in the swap
        // cache and not uptodate, and no other task accesses its contents. The `NewFolio` owns the
        // lock, which is given up at last, and the reference, which is passed to the result.
        unsafe {
            to_result(bindings::swap_fill_from_zswap(folio.0.as_raw()))?;
            let folio = folio.into_c_locked();
            bindings::folio_unlock(folio);
            Ok(FolioRef::from_raw(NonNull::new_unchecked(folio)))
        }
    }

    /// Adds a folio as [`Slot::add_folio`], if `admits` admits the backing of its slots. Generic, so
    /// that each caller has a copy whose locals are in registers.
    #[inline]
    fn add(
        self,
        order: u32,
        context: &AllocContext<'_>,
        admits: impl FnOnce(Backing) -> bool,
    ) -> Result<NewFolio> {
        if order > SLOTS_PER_CLUSTER.ilog2() {
            return Err(EINVAL);
        }
        let mut gfp = context.gfp & !bindings::__GFP_ACCOUNT;
        // SAFETY: The order is at most that of a cluster, so C's shifts by it don't overflow. By
        // the invariants of `AllocContext` the task may allocate with the flags, and the fault and
        // the policy are null or stay alive.
        let ptr = unsafe {
            bindings::swapin_alloc_folio(&mut gfp, order, context.vmf, context.mpol, context.ilx)
        };
        let folio = NonNull::new(ptr).ok_or(ENOMEM)?.cast::<Folio>();
        crate::race_point!("add:after_alloc");
        let claimed = self.locked(|cluster| {
            let first = self.first(order).ok_or(EINVAL)?;
            let slots = cluster.uncached(self, first, order)?;
            if !admits(slots.backing) {
                return Err(EBUSY);
            }
            // SAFETY: The folio was just allocated: no other task has a reference to it, so its
            // flags may be set non-atomically. By the invariant of `Uncached` the slots' cluster is
            // locked, and the slots, one for each page of the folio, have no folio.
            unsafe {
                bindings::folio_init_swapin(ptr);
                write_entries(slots.entries, folio.as_ref());
                bindings::folio_enter_swapcache(ptr, first.as_raw());
            }
            Ok((slots.shadow, slots.memcg))
        });
        // SAFETY: If the folio wasn't added, the reference of its allocation is put. Otherwise it is
        // locked by this task, and other tasks reach it only by lookups; it has a reference of the
        // swap cache for each page, and that of its allocation, for `undo()` or the `NewFolio`. The
        // fault, if it isn't null, is being handled, with its VMA locked, which pins its `mm`. The
        // shadow was in the slot: of an earlier folio, or `Shadow::NONE`, which isn't null in C
        // either.
        unsafe {
            let (shadow, memcg) = claimed.inspect_err(|_| bindings::folio_put(ptr))?;
            crate::race_point!("add:before_charge");
            let charged = bindings::swapin_charge_folio(ptr, memcg, context.vmf, gfp) == 0;
            if !charged {
                let item = bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK_CHARGE;
                bindings::count_mthp_stat(order as c_int, item);
            }
            // `folio_memcg_alloc_deferred()`: allocates the list of the deferred split queue of the
            // folio's cgroup. As in C, a folio of two pages is never in that queue.
            if !charged || order > 1 && bindings::folio_prepare_split(ptr) != 0 {
                undo(folio, shadow);
                return Err(ENOMEM);
            }
            bindings::memcg1_swapin(ptr);
            bindings::workingset_refault(ptr, shadow.as_ptr());
            // Read from the folio: a local for it would take stack.
            bindings::folio_count_swapcache(ptr, bindings::folio_nr_pages(ptr));
            bindings::folio_add_lru(ptr);
            Ok(NewFolio::from_raw(ptr))
        }
    }
}

/// Removes a folio from the swap cache that was just added and isn't counted yet, unlocks it and
/// puts its references. Its slots then have `shadow`, and can get another folio. Mirrors the error
/// path of `__swap_cache_alloc()`.
///
/// # Safety
///
/// The folio must be locked by the caller, in the swap cache for slots of a device that isn't
/// swapped off, and have a reference that the caller owns. The caller gives up both. The folio must
/// be neither counted nor on the LRU.
unsafe fn undo(folio: NonNull<Folio>, shadow: Shadow) {
    let ptr = folio.cast().as_ptr();
    // SAFETY: The caller guarantees that it has locked the folio, which is in the swap cache for
    // one slot per page, on a device that isn't swapped off, and that it owns a reference. No
    // witness for the slots exists. The references of the swap cache are put here as well, since
    // the folio is removed from it.
    unsafe {
        let nr = bindings::folio_nr_pages(ptr) as usize;
        let first = SwapEntry::from_raw(bindings::folio_swap(ptr));
        Slot::new(first).locked(|cluster| leave(cluster, folio.as_ref(), first, nr, shadow));
        bindings::folio_unlock(ptr);
        bindings::folio_put_refs(ptr, nr.wrapping_add(1) as c_int);
    }
}

/// Writes a folio into swap-table entries. Their counts and zeromap bits don't change. Takes a
/// reference for each entry, for the swap cache.
///
/// Mirrors `__swap_cache_do_add_folio()`.
///
/// # Safety
///
/// The cluster of `entries` must be locked; `folio` must be locked by the caller, and have one page
/// for each of the entries.
#[inline]
unsafe fn write_entries(entries: &[Atomic<usize>], folio: &Folio) {
    let pfn = pfn_of(folio);
    let mut odd = false;
    for entry in entries {
        let flags = match SwapTableEntry::decode(entry.load(Relaxed)) {
            SwapTableEntry::Null => Flags::NONE,
            SwapTableEntry::Shadow(_, flags) => flags,
            // Not reported here: a call would force the loop's state onto the stack.
            SwapTableEntry::Folio(_, flags) => {
                odd = true;
                flags
            }
            _ => {
                odd = true;
                Flags::NONE
            }
        };
        // Release: the lock flag of a new folio was set by a plain write, which must be visible
        // before a lookup can find the folio. The cluster's lock doesn't order the two: it was
        // taken before both.
        entry.store(SwapTableEntry::Folio(pfn, flags).encode(), Release);
    }
    // SAFETY: The folio is alive.
    unsafe { bindings::folio_ref_add(folio.as_raw(), entries.len() as c_int) };
    if odd {
        bad_table_entry(BadEntry::EntersOccupied);
    }
}

/// Adds a C caller's folio to the swap cache, and counts it.
///
/// Mirrors `__swap_cache_add_folio()`.
///
/// # Safety
///
/// `folio` must be locked by the caller and not be in the swap cache. The slots from `entry` on,
/// one for each page of the folio, must be in `cluster`, have no folio, and have been allocated by
/// the caller.
#[inline]
pub unsafe fn add_from_c(
    cluster: &LockedCluster,
    folio: NonNull<bindings::folio>,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: The caller guarantees that the folio is locked and not in the swap cache, and that
    // its slots are in `cluster`, which is locked. `entries` has one entry for each page.
    unsafe {
        if cfg!(CONFIG_DEBUG_VM) {
            bindings::folio_check_add(folio.as_ptr());
        }
        let nr = bindings::folio_nr_pages(folio.as_ptr());
        let entries = cluster.entries(SwapEntry::from_raw(entry), nr as usize);
        if entries.len() != nr as usize {
            // C would write past the end of the table.
            return bad_table_entry(BadEntry::EntersOutside);
        }
        write_entries(entries, folio.cast().as_ref());
        bindings::folio_enter_swapcache(folio.as_ptr(), entry);
        bindings::folio_count_swapcache(folio.as_ptr(), nr);
    }
}

/// Counts a fallback of a swap-in from a folio of `2^order` pages to a smaller one. Any context.
///
/// Mirrors `count_mthp_stat(order, MTHP_STAT_SWPIN_FALLBACK)`.
#[inline]
pub fn count_fallback(order: u32) {
    let item = bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK;
    // SAFETY: The item is one of the enum; C ignores an order that isn't counted.
    unsafe { bindings::count_mthp_stat(order as c_int, item) }
}

impl SwapDevice {
    /// Allocates a folio of one page, and adds it to the swap cache for the slot. May sleep, but
    /// never waits for a folio's lock. Fails as [`Slot::add_folio`].
    ///
    /// Mirrors `swap_cache_alloc_folio()` as zswap's writeback calls it.
    #[inline]
    pub fn add_folio(&self, gfp: alloc::Flags) -> Result<NewFolio> {
        // The entry may be from an earlier device of this number, and name a bad slot of this one:
        // the slot of the header or of a bad block, which stays bad as long as the device is in
        // use. The swap cache in Rust refuses a bad slot; the one in C interprets its swap-table
        // entry as a count.
        if !cfg!(CONFIG_SWAP_CACHE_RUST) && self.slot().table_entry() == SwapTableEntry::Bad {
            return Err(ENOENT);
        }
        // SAFETY: The reference prevents swapoff. The slot isn't bad, as was checked above, or C's
        // function checks that. It also checks whether the slot is free. The policy is the current
        // task's, which only the task itself changes. `1` has the bit of order 0. With
        // `__GFP_ACCOUNT` the folio would be charged twice.
        // C returns a new folio, locked by this task, in the swap cache for the slot, not uptodate,
        // with a reference that the caller owns; or an `ERR_PTR()`.
        unsafe {
            let added = bindings::swap_cache_alloc_folio(
                self.entry.as_raw(),
                gfp.as_raw() & !bindings::__GFP_ACCOUNT,
                1,
                core::ptr::null_mut(),
                bindings::current_task_policy(),
                NO_INTERLEAVE_INDEX,
            );
            from_err_ptr(added).map(|folio| NewFolio::from_raw(folio))
        }
    }
}

/// A folio that was just added to the swap cache, and is to be filled: locked by this task, not
/// uptodate; no other task may access its contents or the data of its slots.
///
/// Dropping it deletes the folio from the swap cache: other tasks find a slot without a folio, not a
/// folio that can't be read.
///
/// # Invariants
///
/// `.0` is the only witness of the folio's lock. This value owns the lock and a reference to the
/// folio. The folio is not uptodate, and no other task accesses its contents.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub struct NewFolio(CachedFolio<'static>);

impl NewFolio {
    /// # Safety
    ///
    /// `ptr` must be a folio that meets the type's invariants. The caller must own its lock and a
    /// reference, and gives up both.
    #[inline]
    unsafe fn from_raw(ptr: *mut bindings::folio) -> Self {
        // SAFETY: The caller hands over the folio's lock, which pins it in the swap cache, and its
        // own reference, which is put after the last use. The folio isn't filled: this type calls
        // `CachedFolio::split()` for the contents, and never `CachedFolio::page()`.
        // INVARIANT: The caller guarantees that the folio is not uptodate, and hands over the lock
        // and the reference.
        Self(unsafe { CachedFolio::from_raw_unbounded(ptr) })
    }

    /// Checks that the folio is for `slot`, and of one of `orders` (a bit for each order), as C has
    /// requested it.
    ///
    /// Discards a folio for other slots, or of another size, with a warning, and fails with
    /// `EINVAL`: zswap in C uses the entry that it has requested the folio for, and doesn't check
    /// the folio's slots.
    #[inline]
    pub fn requested(self, slot: Slot<'_>, orders: usize) -> Result<Self> {
        let nr = self.0.nr_pages();
        // A folio's slots are aligned to their number, which is a power of two.
        let other = orders & nr == 0 || self.0.swap() != slot.entry.align_down(nr);
        if crate::warn_on_once!(other) {
            return Err(EINVAL);
        }
        Ok(self)
    }

    /// Passes the folio to a C caller, with its lock and its reference.
    #[inline]
    pub fn into_c_locked(self) -> *mut bindings::folio {
        ManuallyDrop::new(self).0.as_raw()
    }

    /// Starts to read the folio, from zswap or from the device. May sleep. Returns the reference.
    /// The folio is unlocked when the read completes or fails, possibly after this returns.
    ///
    /// Mirrors `swap_read_folio()`.
    #[inline]
    pub fn read(self, reads: &mut Reads) -> FolioRef {
        let folio = self.into_c_locked();
        // SAFETY: By the type invariant the folio is locked, in the swap cache and not uptodate, which C
        // requires. The lock is passed to C, and the reference to the result.
        unsafe {
            bindings::swap_read_folio(reads.as_raw(), folio);
            FolioRef::from_raw(NonNull::new_unchecked(folio))
        }
    }

    /// Lends the folio together with exclusive access to its contents.
    ///
    /// # Safety
    ///
    /// While this is lent, the caller must access no page by the [`CachedFolio`] or by a value that
    /// is made of it. What this returns may go only to code that is generic over its lifetime.
    #[inline]
    pub unsafe fn split(&mut self) -> (CachedFolio<'_>, UnreadPages<'_>) {
        // SAFETY: By the type invariant no other task accesses the contents. The caller guarantees
        // that it accesses no page by the `CachedFolio`, and passes it to generic code only.
        unsafe { self.0.split() }
    }

    /// Whether the zeromap bit of the slot of the folio's first page is set.
    #[inline]
    pub fn has_zero_mark(&self) -> bool {
        self.0.has_zero_mark(0)
    }
}

impl Drop for NewFolio {
    #[inline]
    fn drop(&mut self) {
        // By value: a reference would keep the folio's address on the stack.
        //
        // SAFETY: By the type invariant the folio is alive, locked by this task and in the swap
        // cache, and the lock and a reference are owned by this value. No `Slots` of it is in use,
        // since a `Slots` borrows `self`.
        unsafe { discard(self.0.as_raw()) }
    }
}

/// Deletes a new folio from the swap cache, unlocks and puts it. If a slot has no other user any
/// more, C frees the slot, and zswap frees the slot's entry.
///
/// Mirrors `swap_cache_del_folio()`, `folio_unlock()` and `folio_put()`.
///
/// # Safety
///
/// The caller must own the lock of the folio, which must be in the swap cache, and a reference, and
/// gives up both. No witness of its slots may be in use.
unsafe fn discard(folio: *mut bindings::folio) {
    // SAFETY: The caller guarantees that the folio is locked and in the swap cache, that it owns
    // the lock and a reference, and that no code relies on the slots.
    unsafe {
        bindings::swap_cache_del_folio(folio);
        bindings::folio_unlock(folio);
        bindings::folio_put(folio);
    }
}
