// SPDX-License-Identifier: GPL-2.0

//! Adding folios to the swap cache.
//!
//! [`Slot::add_folio`] takes a new folio through all steps, in C's order: it enters under the lock of
//! the slots' cluster, is charged, prepared for a split if it is large, and published on the LRU. If
//! a step fails, the folio leaves the swap cache as if it had never been there.
//!
//! Adding never waits for a folio's lock: a caller that finds another folio there ([`Added::Present`])
//! has lost the slot, and gets no lock.
//!
//! C header: [`mm/swap.h`](srctree/mm/swap.h)

use crate::{
    alloc::Flags,
    bindings,
    error::from_err_ptr,
    mm::{
        fault::AllocContext,
        folio::{
            CachedFolio,
            Folio,
            NotUptodate, //
        },
        swap_cache::{
            Reads,
            SwapDevice, //
        },
        swap_cluster::{
            bad_table_entry,
            index,
            pfn_of,
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
    sync::{
        aref::ARef,
        atomic::{
            Atomic,
            Relaxed,
            Release, //
        },
    },
};
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    ptr::NonNull, //
};

/// As in C; bindgen takes it for a negative number.
const NO_INTERLEAVE_INDEX: usize = bindings::NO_INTERLEAVE_INDEX as usize;

/// A folio that was just allocated.
///
/// # Invariants
///
/// `ptr` is a folio of `2^order` pages with one reference, owned by this value; no other task knows
/// the folio. It is charged to no cgroup, and was allocated with `gfp`.
pub struct FreshFolio {
    ptr: NonNull<bindings::folio>,
    order: u32,
    gfp: bindings::gfp_t,
}

impl FreshFolio {
    /// Allocates a folio of `2^order` pages. May sleep if the flags allow it. For more than a page,
    /// restricts them as C does for large folios. `__GFP_ACCOUNT` is ignored: the folio is charged
    /// once it has its slots, and to their cgroup.
    ///
    /// Mirrors `folio_alloc_mpol()` and `vma_alloc_folio()`.
    #[inline]
    pub fn alloc(order: u32, context: &AllocContext<'_>) -> Option<Self> {
        if order > SLOTS_PER_CLUSTER.ilog2() {
            return None; // more than a cluster's slots
        }
        let mut gfp = context.gfp & !bindings::__GFP_ACCOUNT;
        // SAFETY: The order is at most a cluster's, so that C's shifts by it don't overflow. By the invariants of
        // `AllocContext` the task may allocate with the flags, and the fault and the policy are null or stay alive.
        let ptr = unsafe {
            bindings::swapin_alloc_folio(&mut gfp, order, context.vmf, context.mpol, context.ilx)
        };
        // INVARIANT: Just allocated, without accounting, with the flags that C has derived from those of the context.
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
    /// Adds `folio` to the swap cache, locked, for as many aligned slots as it has pages, this slot
    /// among them, and charges it to their cgroup. All of the slots must be in use, belong to the same
    /// cgroup, and agree in the zero mark.
    ///
    /// Fails with `EEXIST` if this slot has a folio, with `ENOENT` if it isn't in use, with `EBUSY`
    /// if another of the slots fails the checks, with `EINVAL` if there are too many, with `ENOMEM`
    /// if the folio can't be charged or prepared for a split: it has left the swap cache again then.
    ///
    /// Takes the cluster's lock. May sleep if the flags that the folio was allocated with allow it.
    /// Mirrors `__swap_cache_alloc()`, after the allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::mm::{
    ///     fault::AllocContext,
    ///     folio::Folio,
    ///     swap_add::{FreshFolio, NewFolio},
    ///     swap_cache::{Reads, SwapDevice},
    ///     swap_cluster::Slot,
    ///     swapops::SwapEntry,
    /// };
    /// # use kernel::sync::aref::ARef;
    ///
    /// // Fails with `EEXIST` if another task was faster.
    /// fn add(slot: Slot<'_>, context: &AllocContext<'_>) -> Result<NewFolio> {
    ///     let folio = FreshFolio::alloc(0, context).ok_or(ENOMEM)?;
    ///     slot.add_folio(folio, context)
    /// }
    ///
    /// fn swapin(entry: SwapEntry, context: &AllocContext<'_>) -> Result<ARef<Folio>> {
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
        let (order, gfp) = (folio.order, folio.gfp);
        let folio = Unpublished::enter(self, folio)?;
        let ptr = folio.ptr.as_ptr();
        crate::race_point!("add:before_charge");
        // SAFETY: The folio is alive, locked, and known to no other task but by lookups; the fault, if there
        // is one, is being handled, with its VMA locked, and keeps its `mm`.
        let refused = unsafe {
            let mm = bindings::vmf_mm(context.vmf);
            bindings::mem_cgroup_swapin_charge_folio(ptr, folio.memcg, mm, gfp)
        };
        if refused != 0 {
            count_fallback(order, Fallback::Charge);
            return Err(ENOMEM);
        }
        // Makes sure that a large folio can be put on its cgroup's deferred split queue.
        if folio.nr_pages() > 2
            // SAFETY: The folio is alive and locked.
            && unsafe { bindings::folio_prepare_split(ptr) } != 0
        {
            return Err(ENOMEM);
        }
        let folio = ManuallyDrop::new(folio);
        // SAFETY: By the invariant of `Unpublished` the folio is locked by this task and in the swap cache, has a
        // reference that is passed on, and hasn't been counted before. The shadow is one that C has
        // left in the slot, or the empty one.
        Ok(unsafe {
            bindings::memcg1_swapin(ptr);
            bindings::workingset_refault(ptr, folio.shadow.as_ptr());
            bindings::folio_count_swapcache(ptr, folio.nr_pages());
            bindings::folio_add_lru(ptr);
            NewFolio::from_raw(ptr)
        })
    }
}

/// A folio that has entered the swap cache and isn't published yet.
///
/// Dropping it removes the folio from the swap cache: its slots can get another folio. All slots of
/// a large folio then have the shadow of the requested one.
///
/// # Invariants
///
/// `ptr` is a folio that is locked by this task, with one reference of its own and one of the swap
/// cache for each page, in the swap cache for slots of a device that isn't swapped off during `'a`.
/// It isn't uptodate, on no reclaim list, and not counted. No other value unlocks or puts it.
struct Unpublished<'a> {
    // The folio itself has its slots and its size; leaving them out saves stack.
    ptr: NonNull<bindings::folio>,
    shadow: Shadow,
    memcg: c_ushort,
    _device: PhantomData<Slot<'a>>,
}

impl<'a> Unpublished<'a> {
    /// Writes the folio into the swap-table entries of its slots, under their cluster's lock.
    #[inline]
    fn enter(slot: Slot<'a>, folio: FreshFolio) -> Result<Self> {
        let first = slot.first(folio.order).ok_or(EINVAL)?;
        let cluster = ClusterGuard::new(slot);
        let vacant = cluster.vacancy::<true>(slot, first, folio.order)?;
        let (shadow, memcg) = (vacant.shadow, vacant.memcg);
        let ptr = ManuallyDrop::new(folio).ptr;
        // SAFETY: By the invariant of `FreshFolio` no other task has a reference to the folio, so its
        // flags may be set non-atomically. By that of `Vacant` the slots' cluster is locked, and
        // there are as many slots as the folio has pages; they have no folio.
        unsafe {
            bindings::folio_init_swapin(ptr.as_ptr());
            enter(vacant.entries, ptr.cast().as_ref());
            bindings::folio_enter_swapcache(ptr.as_ptr(), first.as_raw());
        }
        drop(cluster);
        // INVARIANT: As was just done.
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
        // SAFETY: The folio is alive, and locked by this task, so that no other can split it.
        unsafe { bindings::folio_nr_pages(self.ptr.as_ptr()) }
    }
}

impl Drop for Unpublished<'_> {
    #[inline]
    fn drop(&mut self) {
        // By value, so that nothing has to be in memory for the call.
        //
        // SAFETY: By the type invariant.
        unsafe { undo(self.ptr, self.shadow) }
    }
}

/// # Safety
///
/// The arguments must be the fields of an [`Unpublished`] that isn't used any more.
#[cold]
#[inline(never)]
unsafe fn undo(ptr: NonNull<bindings::folio>, shadow: Shadow) {
    // SAFETY: By the type invariant the folio is locked by this task, and in the swap cache for as many
    // slots as it has pages, whose device isn't swapped off.
    let (nr, first) = unsafe {
        (
            bindings::folio_nr_pages(ptr.as_ptr()) as usize,
            Slot::new(bindings::folio_swap(ptr.as_ptr())),
        )
    };
    let mut cluster = ClusterGuard::new(first);
    // SAFETY: The folio is locked by this task and in the swap cache for these slots; the cluster is
    // theirs.
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
    // SAFETY: The lock and the references are released by their owner; those of the swap cache, too,
    // since the folio has left it.
    unsafe {
        bindings::folio_unlock(ptr.as_ptr());
        bindings::folio_put_refs(ptr.as_ptr(), nr.wrapping_add(1) as c_int);
    }
}

/// Writes a folio into swap-table entries, which keep their counts and zero marks. The swap cache
/// takes a reference for each.
///
/// # Safety
///
/// The cluster of `entries` must be locked; `folio` must be locked by the caller, with as many pages
/// as there are swap-table entries.
#[inline]
unsafe fn enter(entries: &[Atomic<usize>], folio: &Folio) {
    let pfn = pfn_of(folio);
    let mut odd = false;
    for entry in entries {
        let flags = match KernelLayout::decode(entry.load(Relaxed)) {
            SwapTableEntry::Null => swap_table::Flags::NONE,
            SwapTableEntry::Shadow(_, flags) => flags,
            // No call from here: it would force the loop's state onto the stack.
            SwapTableEntry::Folio(_, flags) => {
                odd = true;
                flags
            }
            _ => {
                odd = true;
                swap_table::Flags::NONE
            }
        };
        // Release: a new folio was marked as locked by a plain write, which must be visible before
        // a lookup can find the folio. The cluster's lock doesn't order the two: it was taken
        // before both.
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
/// `folio` must be locked by the caller and not be in the swap cache. The slots from `entry` on, as
/// many as it has pages, must be in `cluster`, have no folio, and belong to the caller.
#[inline]
pub unsafe fn add_from_c(
    cluster: LockedCluster<'_>,
    folio: NonNull<bindings::folio>,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: The folio is alive.
    let new_folio: &Folio = unsafe { folio.cast().as_ref() };
    crate::vm_warn_on_once_folio!(!new_folio.is_locked(), new_folio);
    crate::vm_warn_on_once_folio!(new_folio.is_in_swap_cache(), new_folio);
    crate::vm_warn_on_once_folio!(!new_folio.is_swap_backed(), new_folio);
    // SAFETY: The folio is locked, not in the swap cache, and has as many pages as there are slots, which are the
    // caller's.
    unsafe {
        let nr = bindings::folio_nr_pages(folio.as_ptr());
        let entries = cluster.entries(index(entry), nr as usize);
        if entries.len() != nr as usize {
            // C would write past the end of the table.
            return bad_table_entry(BadEntry::EntersOutside);
        }
        enter(entries, new_folio);
        bindings::folio_enter_swapcache(folio.as_ptr(), entry);
        bindings::folio_count_swapcache(folio.as_ptr(), nr);
    }
}

/// Counts a fallback of a large folio's swap-in to a smaller folio.
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
    /// Any: a smaller folio is tried.
    Smaller,
    /// The charge failed.
    Charge,
}

impl SwapDevice {
    /// Tries to put a new folio of one page into the swap cache for the slot. May sleep, but never
    /// waits for a folio's lock.
    ///
    /// `__GFP_ACCOUNT` is ignored: the folio is charged to the cgroup of the slot.
    ///
    /// Mirrors `swap_cache_alloc_folio()` as zswap's writeback calls it.
    #[inline]
    pub fn add_folio(&self, gfp: Flags) -> Added {
        // The entry may be that of an earlier device, and the slot a bad one of this: that of the device's header, or a
        // bad block's, for as long as the device is in use. Rust's swap cache refuses it; C's takes its swap-table
        // entry for a count.
        #[cfg(not(CONFIG_SWAP_CACHE_RUST))]
        if matches!(self.slot().table_entry(), SwapTableEntry::Bad) {
            return Added::Failed(crate::error::code::ENOENT);
        }
        // It would be charged twice.
        let gfp = gfp.as_raw() & !bindings::__GFP_ACCOUNT;
        // SAFETY: The reference prevents swapoff; the slot is one for data, as was seen above or
        // will be seen there, and whether it is free is found out there. The policy is the current
        // task's, which only the task itself changes. One order, that of a single page.
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
        // uptodate, with a reference that is handed over; or an error.
        AddedPtr(added).into()
    }
}

/// The outcome of trying to add a folio to the swap cache.
#[must_use = "a folio that was added is deleted from the swap cache at once if unused"]
pub enum Added {
    /// It was added.
    New(NewFolio),
    /// The slot has another folio: another task is using the page.
    Present,
    /// No memory is available, or the slot is free.
    Failed(Error),
}

/// [`Added`] as C returns it: a function that isn't inlined returns this in a register, and needs no
/// memory of its caller's stack frame for it.
///
/// # Invariants
///
/// `.0` is an `ERR_PTR()`, with `EEXIST` for [`Added::Present`]; or a folio as the invariants of
/// [`NewFolio`] say, which no other value unlocks or puts. It proves nothing about which slots the folio is for.
#[must_use = "a folio that was added stays locked if unused"]
pub struct AddedPtr(*mut bindings::folio);

impl AddedPtr {
    /// For a C caller that has requested a folio for the slot of `entry`, of one of `orders`, a bit for each:
    /// the folio as it is, with its lock and its reference, or an `ERR_PTR()`.
    ///
    /// A folio for other slots, or of another size, is discarded, with a warning, and the result is `EINVAL`:
    /// zswap in C uses the entry that it has requested the folio for without looking at the folio's slots.
    #[inline]
    pub fn into_c(self, entry: bindings::swp_entry_t, orders: usize) -> *mut bindings::folio {
        let Ok(folio) = from_err_ptr(self.0) else {
            return self.0;
        };
        // SAFETY: By the type invariant the folio is alive and locked by this task: its size and its slots don't
        // change.
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

    /// Discards a folio that isn't the requested one.
    #[cold]
    #[inline(never)]
    fn refuse(self) -> *mut bindings::folio {
        crate::warn_on_once!(true);
        drop(Added::from(self));
        EINVAL.to_ptr()
    }
}

impl From<Added> for AddedPtr {
    #[inline]
    fn from(added: Added) -> Self {
        // INVARIANT: The folio is handed over; the others are errors.
        Self(match added {
            Added::New(folio) => folio.into_c_locked(),
            Added::Present => EEXIST.to_ptr(),
            Added::Failed(error) => error.to_ptr(),
        })
    }
}

impl From<AddedPtr> for Added {
    #[inline]
    fn from(added: AddedPtr) -> Self {
        match from_err_ptr(added.0) {
            // SAFETY: By the type invariant, with the lock and the reference that go with it.
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
/// `.0` is the only witness of a lock, owned by this value as is a reference to the folio; the folio is
/// not uptodate, and no other task accesses its contents.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub struct NewFolio(CachedFolio<'static>);

impl NewFolio {
    /// # Safety
    ///
    /// `ptr` must be a folio as the type's invariants say, whose lock and reference are handed over.
    #[inline]
    pub(super) unsafe fn from_raw(ptr: *mut bindings::folio) -> Self {
        // SAFETY: The caller hands over the folio's lock, with which it stays in the swap cache, and its own
        // reference, which is put after the last use. It isn't filled; only `CachedFolio::split()` is used
        // for its contents, and no page is asked for.
        // INVARIANT: The lock and the reference are handed over, and the folio is not uptodate, as required.
        Self(unsafe { CachedFolio::from_raw_unbounded(ptr) })
    }

    /// Hands the folio to a C caller as it is, with its lock and its reference.
    #[inline]
    pub fn into_c_locked(self) -> *mut bindings::folio {
        ManuallyDrop::new(self).0.as_raw()
    }

    /// Has the folio read, from zswap or from the device. May sleep. Returns the reference; the
    /// folio is unlocked when the read completes or fails, possibly after this returns.
    ///
    /// Mirrors `swap_read_folio()`.
    #[inline]
    pub fn read(self, reads: &mut Reads) -> ARef<Folio> {
        let folio = self.into_c_locked();
        // SAFETY: By the type invariant the folio is locked, in the swap cache and not uptodate, which C
        // requires. The lock is handed to C, and the reference to the result.
        unsafe {
            bindings::swap_read_folio(reads.as_raw(), folio);
            ARef::from_raw(NonNull::new_unchecked(folio).cast())
        }
    }

    /// Deletes the folio from the swap cache, unlocks and puts it: others find a slot without a
    /// folio, not a folio that can't be read.
    ///
    /// Mirrors `swap_cache_del_folio()`, `folio_unlock()` and `folio_put()`.
    #[inline]
    pub fn discard(self) {
        drop(self);
    }

    /// Lends the folio together with exclusive access to its contents; of a large one without.
    ///
    /// # Safety
    ///
    /// While this is lent, no page may be asked of the [`CachedFolio`] or what is made of it.
    #[inline]
    pub unsafe fn split(&mut self) -> (CachedFolio<'_>, Option<NotUptodate<'_>>) {
        // SAFETY: By the type invariant no other task accesses the contents; the caller asks for no page.
        unsafe { self.0.split() }
    }

    /// Whether the slot of the folio's first page has the zero mark.
    #[inline]
    pub fn has_zero_mark(&self) -> bool {
        self.0.has_zero_mark(0)
    }
}

impl Drop for NewFolio {
    #[inline]
    fn drop(&mut self) {
        let folio = self.0.as_raw();
        // SAFETY: By the type invariant the folio is alive, locked by this task and in the swap cache. No
        // `Slots` of it is in use, since those borrow `self`: if the slot has no other user any more, C frees
        // it, and zswap the slot's entry.
        unsafe {
            bindings::swap_cache_del_folio(folio);
            bindings::folio_unlock(folio);
            bindings::folio_put(folio);
        }
    }
}
