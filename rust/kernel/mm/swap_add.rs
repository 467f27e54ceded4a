// SPDX-License-Identifier: GPL-2.0

//! Adding folios to the swap cache.
//!
//! [`Slot::add_folio`] does all steps, in the order of C: it writes the folio into the swap table
//! under the lock of the slots' cluster (`ci->lock`), charges it, prepares it for a split if it is
//! large, and adds it to the LRU. If a step fails, it removes the folio from the swap cache again.
//!
//! Adding a folio never waits for a folio's lock: a caller whose slot already has a folio
//! ([`Added::Present`]) gets neither that folio nor its lock.
//!
//! C header: [`mm/swap.h`](srctree/mm/swap.h)

use crate::{
    alloc::Flags,
    bindings,
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
            Reads,
            SwapDevice, //
        },
        swap_cluster::{
            bad_table_entry,
            index,
            pfn_of,
            Backing,
            BadEntry,
            ClusterGuard,
            LockedCluster,
            Slot,
            SLOTS_PER_CLUSTER, //
        },
        swap_delete::leave,
        swap_table::{
            self,
            KernelLayout,
            Shadow,
            SwapTableEntry, //
        },
    },
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed,
        Release, //
    },
};
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    ptr::NonNull, //
};

/// As in C; bindgen makes it a negative number.
const NO_INTERLEAVE_INDEX: usize = bindings::NO_INTERLEAVE_INDEX as usize;

/// A folio that was just allocated.
///
/// # Invariants
///
/// `ptr` is a folio of `2^order` pages with one reference, owned by this value; no other task can
/// reach the folio. It is charged to no cgroup, and was allocated with `gfp`.
pub struct FreshFolio {
    ptr: NonNull<bindings::folio>,
    order: u32,
    gfp: bindings::gfp_t,
}

impl FreshFolio {
    /// Allocates a folio of `2^order` pages; `None` if there is no memory, or if the order is
    /// larger than that of a cluster. May sleep if the context's GFP flags allow it.
    ///
    /// For a large folio, restricts the flags as C does. Ignores `__GFP_ACCOUNT`: the folio is
    /// charged to the cgroup of its slots, after it has been added for them.
    ///
    /// Mirrors `folio_alloc_mpol()` and `vma_alloc_folio()`.
    #[inline]
    pub fn alloc(order: u32, context: &AllocContext<'_>) -> Option<Self> {
        if order > SLOTS_PER_CLUSTER.ilog2() {
            return None; // more than a cluster's slots
        }
        let mut gfp = context.gfp & !bindings::__GFP_ACCOUNT;
        // SAFETY: The order is at most that of a cluster, so C's shifts by it don't overflow. By
        // the invariants of `AllocContext` the task may allocate with the flags, and the fault and
        // the policy are null or stay alive.
        let ptr = unsafe {
            bindings::swapin_alloc_folio(&mut gfp, order, context.vmf, context.mpol, context.ilx)
        };
        // INVARIANT: The folio was just allocated, without accounting, with the flags that C has
        // derived from the flags of the context.
        Some(Self {
            ptr: NonNull::new(ptr)?,
            order,
            gfp,
        })
    }
}

impl Drop for FreshFolio {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is owned by this value.
        unsafe { bindings::folio_put(self.ptr.as_ptr()) }
    }
}

impl Slot<'_> {
    /// Adds `folio` to the swap cache, locked, and charges it to the cgroup of its slots: the
    /// naturally aligned slots around this one, one for each page. All of these slots must be in
    /// use, belong to the same cgroup, and be [readable](Backing::Readable).
    ///
    /// Fails with `EEXIST` if this slot has a folio, with `ENOENT` if it isn't in use, with `EBUSY`
    /// if another of the slots fails the checks, and with `EINVAL` if a cluster has fewer slots.
    /// Fails with `ENOMEM` if the folio can't be charged or prepared for a split; it was removed
    /// from the swap cache then.
    ///
    /// Takes the cluster's lock (`ci->lock`). May sleep if the GFP flags that the folio was
    /// allocated with allow it, and always for a folio of more than two pages, whose preparation
    /// for a split allocates with `GFP_KERNEL`.
    ///
    /// Mirrors `__swap_cache_alloc()`, after the allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::mm::{
    ///     fault::AllocContext,
    ///     folio::FolioRef,
    ///     swap_add::{FreshFolio, NewFolio},
    ///     swap_cache::{Reads, SwapDevice},
    ///     swap_cluster::Slot,
    ///     swapops::SwapEntry,
    /// };
    ///
    /// // Fails with `EEXIST` if another task was faster.
    /// fn add(slot: Slot<'_>, context: &AllocContext<'_>) -> Result<NewFolio> {
    ///     let folio = FreshFolio::alloc(0, context).ok_or(ENOMEM)?;
    ///     slot.add_folio(folio, context)
    /// }
    ///
    /// fn swapin(entry: SwapEntry, context: &AllocContext<'_>) -> Result<FolioRef> {
    ///     let device = SwapDevice::get(entry).ok_or(ENOENT)?;
    ///     let slot = device.slot();
    ///     match slot.folio() {
    ///         Some(folio) => Ok(folio),
    ///         None => Reads::together(|reads| Ok(add(slot, context)?.read(reads))),
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn add_folio(self, folio: FreshFolio, context: &AllocContext<'_>) -> Result<NewFolio> {
        self.add(folio, context, |backing| backing == Backing::Readable)
    }

    /// As [`Slot::add_folio`], for slots [backed by zswap](Backing::Zswap), at most half of them
    /// zero-marked: fails with `EBUSY` for other slots, and with `EINVAL` for a single page.
    #[inline]
    pub fn add_zswap_folio(
        self,
        folio: FreshFolio,
        context: &AllocContext<'_>,
    ) -> Result<ZswapFolio> {
        // INVARIANT: The slots were checked in the critical section in which the folio was added.
        let order = folio.order;
        if order == 0 {
            return Err(EINVAL);
        }
        self.add(folio, context, |backing| backing.is_worth_filling(order))
            .map(ZswapFolio)
    }

    /// Adds `folio`, as [`Slot::add_folio`], if `admits` admits the slots of a large folio.
    #[inline]
    fn add(
        self,
        folio: FreshFolio,
        context: &AllocContext<'_>,
        admits: impl FnOnce(Backing) -> bool,
    ) -> Result<NewFolio> {
        let (order, gfp) = (folio.order, folio.gfp);
        let folio = EnteredFolio::enter(self, folio, admits)?;
        let ptr = folio.ptr.as_ptr();
        crate::race_point!("add:before_charge");
        // SAFETY: The folio is alive and locked, and other tasks reach it only by lookups. The
        // fault, if it isn't null, is being handled, with its VMA locked, which pins its `mm`.
        let refused = unsafe {
            let mm = bindings::vmf_mm(context.vmf);
            bindings::mem_cgroup_swapin_charge_folio(ptr, folio.memcg, mm, gfp)
        };
        if refused != 0 {
            count_fallback(order, Fallback::Charge);
            return Err(ENOMEM);
        }
        // `folio_memcg_alloc_deferred()`: allocates the list of the deferred split queue of the
        // folio's cgroup. As in C, a folio of two pages is never in that queue.
        if folio.nr_pages() > 2
            // SAFETY: The folio is alive and locked.
            && unsafe { bindings::folio_prepare_split(ptr) } != 0
        {
            return Err(ENOMEM);
        }
        let folio = ManuallyDrop::new(folio);
        // SAFETY: By the invariant of `EnteredFolio` the folio is locked by this task and in the
        // swap cache, has a reference that is passed on, and hasn't been counted before. The shadow
        // was in the slot: of an earlier folio, or `Shadow::NONE`, which isn't null in C either.
        Ok(unsafe {
            bindings::memcg1_swapin(ptr);
            bindings::workingset_refault(ptr, folio.shadow.as_ptr());
            bindings::folio_count_swapcache(ptr, folio.nr_pages());
            bindings::folio_add_lru(ptr);
            NewFolio::from_raw(ptr)
        })
    }
}

/// A folio that was entered in the swap cache, where lookups find it, and is not yet charged.
///
/// Dropping it removes the folio from the swap cache: its slots can get another folio. All slots of
/// a large folio then have the shadow of the requested slot.
///
/// # Invariants
///
/// `ptr` is a folio that is locked by this task, with one reference that this value owns and one of
/// the swap cache for each page, in the swap cache for slots of a device that isn't swapped off
/// during `'a`. It is not uptodate, not on the LRU, and not counted. No other value unlocks or puts
/// it.
struct EnteredFolio<'a> {
    // The slots and the size are read from the folio: fields for them would take stack.
    ptr: NonNull<bindings::folio>,
    shadow: Shadow,
    memcg: c_ushort,
    _device: PhantomData<Slot<'a>>,
}

impl<'a> EnteredFolio<'a> {
    /// Writes the folio into the swap-table entries of its slots, under their cluster's lock, if
    /// `admits` admits those of a large folio. Fails as [`Slot::add_folio`].
    #[inline]
    fn enter(
        slot: Slot<'a>,
        folio: FreshFolio,
        admits: impl FnOnce(Backing) -> bool,
    ) -> Result<Self> {
        let cluster = ClusterGuard::new(slot);
        let vacant = cluster.vacancy::<true>(slot, folio.order, admits)?;
        let first = slot.first(folio.order).ok_or(EINVAL)?;
        let (shadow, memcg) = (vacant.shadow, vacant.memcg);
        let ptr = ManuallyDrop::new(folio).ptr;
        // SAFETY: By the invariant of `FreshFolio` no other task has a reference to the folio, so
        // its flags may be set non-atomically. By the invariant of `Vacant` the slots' cluster is
        // locked, there is a slot for each page of the folio, and the slots have no folio.
        unsafe {
            bindings::folio_init_swapin(ptr.as_ptr());
            write_entries(vacant.entries, ptr.cast().as_ref());
            bindings::folio_enter_swapcache(ptr.as_ptr(), first.as_raw());
        }
        drop(cluster);
        // INVARIANT: The folio was just locked, and added to the swap cache with the swap cache's
        // references. The reference of the `FreshFolio` is owned by this value now. `slot` proves
        // that the device isn't swapped off during `'a`.
        Ok(Self {
            ptr,
            shadow,
            memcg,
            _device: PhantomData,
        })
    }

    /// The folio's number of pages.
    #[inline]
    fn nr_pages(&self) -> c_long {
        // SAFETY: The folio is alive, and locked by this task, so no other task can split it.
        unsafe { bindings::folio_nr_pages(self.ptr.as_ptr()) }
    }
}

impl Drop for EnteredFolio<'_> {
    #[inline]
    fn drop(&mut self) {
        // By value, so that the fields can stay in registers.
        //
        // SAFETY: The arguments are the fields of `self`, which isn't used after this.
        unsafe { undo(self.ptr, self.shadow) }
    }
}

/// Removes the folio of an [`EnteredFolio`] from the swap cache, unlocks it and puts its
/// references. Mirrors the error path of `__swap_cache_alloc()`.
///
/// # Safety
///
/// The arguments must be the fields of an [`EnteredFolio`] that isn't used any more.
unsafe fn undo(ptr: NonNull<bindings::folio>, shadow: Shadow) {
    // SAFETY: By the invariant of `EnteredFolio` the folio is locked by this task, and in the swap
    // cache for one slot per page, on a device that isn't swapped off.
    let (nr, first) = unsafe {
        (
            bindings::folio_nr_pages(ptr.as_ptr()) as usize,
            Slot::new(bindings::folio_swap(ptr.as_ptr())),
        )
    };
    let mut cluster = ClusterGuard::new(first);
    // SAFETY: The folio is locked by this task and in the swap cache for these slots, which are in
    // this cluster. No witness for them exists.
    unsafe {
        leave(
            cluster.locked(),
            nr,
            ptr.cast().as_ref(),
            first.as_raw(),
            shadow,
        )
    };
    drop(cluster);
    // SAFETY: By the invariant of `EnteredFolio` the lock and one reference are owned by the caller.
    // The references of the swap cache are put here as well, since the folio was removed from it.
    unsafe {
        bindings::folio_unlock(ptr.as_ptr());
        bindings::folio_put_refs(ptr.as_ptr(), nr.wrapping_add(1) as c_int);
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
        let flags = match KernelLayout::decode(entry.load(Relaxed)) {
            SwapTableEntry::Null => swap_table::Flags::NONE,
            SwapTableEntry::Shadow(_, flags) => flags,
            // Not reported here: a call would force the loop's state onto the stack.
            SwapTableEntry::Folio(_, flags) => {
                odd = true;
                flags
            }
            _ => {
                odd = true;
                swap_table::Flags::NONE
            }
        };
        // Release: the lock flag of a new folio was set by a plain write, which must be visible
        // before a lookup can find the folio. The cluster's lock doesn't order the two: it was
        // taken before both.
        entry.store(
            KernelLayout::encode(SwapTableEntry::Folio(pfn, flags)),
            Release,
        );
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
    cluster: LockedCluster<'_>,
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
        let entries = cluster.entries(index(entry), nr as usize);
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
/// Mirrors `count_mthp_stat()`.
#[inline]
pub fn count_fallback(order: u32, why: Fallback) {
    let item = match why {
        Fallback::Smaller => bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK,
        Fallback::Charge => bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK_CHARGE,
    };
    // SAFETY: The item is one of the enum; C ignores an order that isn't counted.
    unsafe { bindings::count_mthp_stat(order as c_int, item) }
}

/// The reason that [`count_fallback`] counts.
#[derive(Clone, Copy)]
pub enum Fallback {
    /// Any reason: the caller tries a smaller folio (`MTHP_STAT_SWPIN_FALLBACK`).
    Smaller,
    /// The charge failed (`MTHP_STAT_SWPIN_FALLBACK_CHARGE`).
    Charge,
}

impl SwapDevice {
    /// Allocates a folio of one page, and adds it to the swap cache for the slot. May sleep, but
    /// never waits for a folio's lock.
    ///
    /// Ignores `__GFP_ACCOUNT`: the folio is charged to the cgroup of the slot.
    ///
    /// Mirrors `swap_cache_alloc_folio()` as zswap's writeback calls it.
    #[inline]
    pub fn add_folio(&self, gfp: Flags) -> Added {
        // The entry may be from an earlier device of this number, and name a bad slot of this one:
        // the slot of the header or of a bad block, which stays bad as long as the device is in
        // use. The swap cache in Rust refuses a bad slot; the one in C interprets its swap-table
        // entry as a count.
        #[cfg(not(CONFIG_SWAP_CACHE_RUST))]
        if matches!(self.slot().table_entry(), SwapTableEntry::Bad) {
            return Added::Failed(crate::error::code::ENOENT);
        }
        // With `__GFP_ACCOUNT` the folio would be charged twice.
        let gfp = gfp.as_raw() & !bindings::__GFP_ACCOUNT;
        // SAFETY: The reference prevents swapoff. The slot isn't bad, as was checked above, or C's
        // function checks that. It also checks whether the slot is free. The policy is the current
        // task's, which only the task itself changes. `1` has the bit of order 0.
        let added = unsafe {
            bindings::swap_cache_alloc_folio(
                self.entry.as_raw(),
                gfp,
                1,
                core::ptr::null_mut(),
                bindings::current_task_policy(),
                NO_INTERLEAVE_INDEX,
            )
        };
        // INVARIANT: C returns a new folio, locked by this task, in the swap cache for the slot, not
        // uptodate, with a reference that the caller owns; or an `ERR_PTR()`.
        AddedPtr(added).into()
    }
}

/// The outcome of trying to add a folio to the swap cache.
#[must_use = "a folio that was added is deleted from the swap cache at once if unused"]
pub enum Added {
    /// The folio was added.
    New(NewFolio),
    /// The slot already has a folio: another task is using the page.
    Present,
    /// No memory is available, the slot is free or bad, the orders are invalid, or none of them
    /// fits.
    Failed(Error),
}

/// An error of adding a folio, for C callers, which know only those of `swap_cache_alloc_folio()`.
///
/// Any other error becomes `ENOMEM`. For example, shmem takes `EIO` as the error of a read, and drops the page.
#[inline]
pub fn err_ptr(error: Error) -> *mut bindings::folio {
    match error {
        ENOENT | EBUSY | EINVAL => error,
        _ => ENOMEM,
    }
    .to_ptr()
}

/// [`Added`] as C returns it: a function that isn't inlined returns this in a register, and takes
/// no memory of its caller's stack frame for it.
///
/// Proves nothing about the slots that the folio is for.
///
/// # Invariants
///
/// `.0` is an `ERR_PTR()`, with `EEXIST` for [`Added::Present`] and that of [`err_ptr`] for
/// [`Added::Failed`]; or a folio that meets the invariants of [`NewFolio`], which no other value
/// unlocks or puts.
#[must_use = "a folio that was added stays locked if unused"]
pub struct AddedPtr(*mut bindings::folio);

impl AddedPtr {
    /// Passes the outcome to a C caller that has requested a folio for the slot of `entry`, of one
    /// of `orders` (a bit for each order). Returns the folio, with its lock and its reference, or
    /// an `ERR_PTR()`.
    ///
    /// Discards a folio for other slots, or of another size, with a warning, and returns `EINVAL`:
    /// zswap in C uses the entry that it has requested the folio for, and doesn't check the folio's
    /// slots.
    #[inline]
    pub fn into_c(self, entry: bindings::swp_entry_t, orders: usize) -> *mut bindings::folio {
        let Ok(folio) = from_err_ptr(self.0) else {
            return self.0;
        };
        // SAFETY: By the type invariant the folio is alive, and locked by this task, so that its
        // size and its slots don't change.
        let (nr, first) = unsafe {
            (
                bindings::folio_nr_pages(folio) as usize,
                bindings::folio_swap(folio),
            )
        };
        // A folio's slots are aligned to their number, which is a power of two.
        if orders & nr == 0 || first.val != entry.val & !nr.wrapping_sub(1) {
            return self.refuse();
        }
        folio
    }

    /// Discards a folio that isn't the requested one, and returns `ERR_PTR(-EINVAL)`.
    fn refuse(self) -> *mut bindings::folio {
        crate::warn_on_once!(true);
        drop(Added::from(self));
        EINVAL.to_ptr()
    }
}

impl From<Added> for AddedPtr {
    #[inline]
    fn from(added: Added) -> Self {
        // INVARIANT: The folio is handed over with its lock and its reference; the others are
        // `ERR_PTR()`s.
        Self(match added {
            Added::New(folio) => folio.into_c_locked(),
            Added::Present => EEXIST.to_ptr(),
            Added::Failed(error) => err_ptr(error),
        })
    }
}

impl From<AddedPtr> for Added {
    #[inline]
    fn from(added: AddedPtr) -> Self {
        match from_err_ptr(added.0) {
            // SAFETY: By the type invariant the folio meets the invariants of `NewFolio`, and its
            // lock and its reference are owned by `added`, which is consumed here.
            Ok(folio) => Added::New(unsafe { NewFolio::from_raw(folio) }),
            Err(EEXIST) => Added::Present,
            Err(error) => Added::Failed(error),
        }
    }
}

/// A folio that was just added to the swap cache, and is to be filled: locked by this task, not
/// uptodate; no other task may access its contents or the data of its slots.
///
/// Dropping it is [`NewFolio::discard`].
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
    pub(super) unsafe fn from_raw(ptr: *mut bindings::folio) -> Self {
        // SAFETY: The caller hands over the folio's lock, which pins it in the swap cache, and its
        // own reference, which is put after the last use. The folio isn't filled: this type calls
        // `CachedFolio::split()` for the contents, and never `CachedFolio::page()`.
        // INVARIANT: The caller guarantees that the folio is not uptodate, and hands over the lock
        // and the reference.
        Self(unsafe { CachedFolio::from_raw_unbounded(ptr) })
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

    /// Deletes the folio from the swap cache, unlocks and puts it: other tasks find a slot without
    /// a folio, not a folio that can't be read.
    ///
    /// Mirrors `swap_cache_del_folio()`, `folio_unlock()` and `folio_put()`.
    #[inline]
    pub fn discard(self) {
        drop(self);
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
        let folio = self.0.as_raw();
        // SAFETY: By the type invariant the folio is alive, locked by this task and in the swap
        // cache. No `Slots` of it is in use, since a `Slots` borrows `self`: if the slot has no
        // other user any more, C frees the slot, and zswap frees the slot's entry.
        unsafe {
            bindings::swap_cache_del_folio(folio);
            bindings::folio_unlock(folio);
            bindings::folio_put(folio);
        }
    }
}

/// A [`NewFolio`] of several pages that zswap is to fill.
///
/// Dropping it is [`NewFolio::discard`].
///
/// # Invariants
///
/// The slots are [backed by zswap](Backing::Zswap). No task can change that while the folio is locked:
/// to store, load or write back requires the folio's lock, and to free a slot requires that it has no
/// folio.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub struct ZswapFolio(NewFolio);

impl ZswapFolio {
    /// Fills the folio from zswap, unlocks it, and returns the reference. The folio is clean, and
    /// the data stays in zswap as well, until the folio is mapped. May sleep.
    ///
    /// On failure discards the folio; the data stays in zswap.
    #[inline]
    pub fn fill(self) -> Result<FolioRef> {
        let folio = self.0 .0.as_raw();
        // SAFETY: By the invariant of `NewFolio` the folio is locked by this task, in the swap
        // cache and not uptodate, and no other task accesses its contents. By the type invariant
        // zswap holds its slots, or they are zero-marked.
        to_result(unsafe { bindings::swap_fill_from_zswap(folio) })?;
        let folio = self.0.into_c_locked();
        // SAFETY: The lock was owned by the `NewFolio`, and is given up here.
        unsafe { bindings::folio_unlock(folio) };
        // SAFETY: The reference was owned by the `NewFolio`; a folio's address isn't null.
        Ok(unsafe { FolioRef::from_raw(NonNull::new_unchecked(folio)) })
    }
}
