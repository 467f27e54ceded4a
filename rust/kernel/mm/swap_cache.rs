// SPDX-License-Identifier: GPL-2.0

//! The swap cache: looking up the folio of a slot, and references to swap devices.
//!
//! The slot's swap-cache folio alone serialises swap-in, swap-out and writeback of the slot:
//!
//! | step                                        | type                                           |
//! |---------------------------------------------|------------------------------------------------|
//! | a slot, on a device that isn't swapped off  | [`Slot`]                                       |
//! | look up: a counted reference, no access     | [`Slot::folio`]                                |
//! | claim the slots: add a locked folio         | [`Slot::add_folio`] gives a [`NewFolio`]       |
//! | read its page, or ...                       | [`NewFolio::read`]                             |
//! | ... remove it again                         | [`NewFolio::discard`]                          |
//! | remove or replace a folio that C has locked | [`CachedFolio::delete`] and others             |
//!
//! No function of this file waits for a folio's lock.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`mm/swap.h`](srctree/mm/swap.h)
//!
//! [`CachedFolio::delete`]: super::folio::CachedFolio::delete
//! [`NewFolio`]: super::swap_add::NewFolio
//! [`NewFolio::discard`]: super::swap_add::NewFolio::discard
//! [`NewFolio::read`]: super::swap_add::NewFolio::read

use crate::{
    bindings,
    mm::{
        call::Call,
        folio::FolioRef,
        swap_cluster::{
            Backing,
            ClusterGuard,
            Slot, //
        },
        swap_table::SwapTableEntry,
        swapops::SwapEntry, //
    },
    prelude::*,
    types::Opaque, //
};
use core::ptr::NonNull;

impl Slot<'_> {
    /// The slot's swap-cache folio, with a reference, not locked.
    ///
    /// The folio may be removed from the swap cache at any time: to use it, the caller has to lock
    /// it and to recheck that it is still the folio of the slot. Takes no lock. Mirrors
    /// `swap_cache_get_folio()`.
    #[inline]
    pub fn folio(self) -> Option<FolioRef> {
        self.try_folio()
            .unwrap_or_else(|Raced| self.folio_after_race())
    }

    /// As [`Slot::folio`], after a lookup that raced with a removal.
    fn folio_after_race(self) -> Option<FolioRef> {
        loop {
            if let Ok(folio) = self.try_folio() {
                return folio;
            }
        }
    }

    #[inline(always)] // make bench: a lookup takes 10 % more instructions otherwise
    fn try_folio(self) -> Result<Option<FolioRef>, Raced> {
        let SwapTableEntry::Folio(pfn, _) = self.table_entry() else {
            return Ok(None);
        };
        crate::race_point!("lookup:before_folio_get");
        // SAFETY: A page frame that was in the swap cache a moment ago has its `struct page`. Like
        // C's lookup, this relies on the memory not being hot-removed meanwhile. The reference
        // count of a folio without a user is zero; `folio_try_get()` takes a reference only if the
        // count isn't.
        let folio = unsafe {
            let folio = bindings::pfn_folio(pfn.get());
            if !bindings::folio_try_get(folio) {
                return Err(Raced);
            }
            // The reference was just taken.
            FolioRef::from_raw(NonNull::new_unchecked(folio))
        };
        // The folio may have been freed and reused before the reference was taken.
        let SwapTableEntry::Folio(pfn, _) = self.table_entry() else {
            return Err(Raced);
        };
        // SAFETY: The page frame was in the swap cache a moment ago, and so has its `struct page`.
        // This only computes the address of its folio.
        let now = unsafe { bindings::pfn_folio(pfn.get()) };
        if now == folio.as_raw() {
            Ok(Some(folio))
        } else {
            Err(Raced)
        }
    }

    /// Checks whether the `2^order` aligned slots that contain this one can get a folio. The result
    /// may be stale as soon as this returns. Takes the cluster's lock (`ci->lock`).
    ///
    /// Fails as [`Slot::add_folio`], except that this doesn't check that the slots belong to one
    /// cgroup, since that check rarely fails.
    ///
    /// Mirrors `__swap_cache_add_check()`, as called before a folio is allocated.
    pub fn is_vacant(self, order: u32) -> Result {
        self.vacancy(order, |backing| backing == Backing::Readable)
    }

    /// As [`Slot::is_vacant`], for slots of which `admits` admits where their pages are. It isn't
    /// called for a single slot.
    pub fn vacancy(self, order: u32, admits: impl FnOnce(Backing) -> bool) -> Result {
        ClusterGuard::new(self)
            .vacancy::<false>(self, order, admits)
            .map(drop)
    }
}

/// The folio was removed from its slot during the lookup.
struct Raced;

/// A reference to a swap device, with one of its slots: prevents swapoff of the device.
///
/// The slot is within the device. It may be free, or bad.
///
/// # Invariants
///
/// `si` is the device of `entry`, with a reference that is owned by this value; `entry` lies within
/// the device.
pub struct SwapDevice {
    si: NonNull<bindings::swap_info_struct>,
    pub(super) entry: SwapEntry,
}

impl SwapDevice {
    /// Takes a reference to the device of `entry`; `None` if the device is being swapped off, or
    /// has no such slot.
    ///
    /// Mirrors `get_swap_device()`.
    #[inline]
    pub fn get(entry: SwapEntry) -> Option<Self> {
        // SAFETY: C checks the entry.
        let si = NonNull::new(unsafe { bindings::get_swap_device(entry.as_raw()) })?;
        // INVARIANT: C has taken the reference, and checked that the entry lies within the device.
        Some(Self { si, entry })
    }

    /// The slot of the entry by which the device was looked up.
    #[inline]
    pub fn slot(&self) -> Slot<'_> {
        // SAFETY: The reference prevents swapoff, and the slot lies within the device.
        unsafe { Slot::new(self.entry.as_raw()) }
    }
}

impl Drop for SwapDevice {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is owned by this value.
        unsafe { bindings::put_swap_device(self.si.as_ptr()) }
    }
}

/// A batch of reads, which are started one after the other and submitted together. Mirrors `struct
/// swap_io_ctx`.
///
/// # Invariants
///
/// `.0` is initialised. The creator of this value submits the reads that were started with it.
#[repr(transparent)]
pub struct Reads(Opaque<bindings::swap_io_ctx>);

impl Reads {
    /// Calls `f` with an empty batch, and submits the reads that `f` has started with it. May
    /// sleep.
    ///
    /// Mirrors `swap_read_submit()`.
    #[inline]
    pub fn together<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // INVARIANT: C initialises it with zeroes, too. The reads are submitted below.
        let mut reads = Self(Opaque::new(bindings::swap_io_ctx {
            sio: core::ptr::null_mut(),
            sis: core::ptr::null_mut(),
        }));
        let ret = f(&mut reads);
        // SAFETY: By the type invariant the batch is initialised.
        unsafe { bindings::swap_read_submit(reads.as_raw()) };
        ret
    }

    /// The batch of a C caller.
    ///
    /// # Safety
    ///
    /// `ptr` must be initialised. During `'a` the caller must not access the batch other than by
    /// the result. Afterwards it must submit the reads.
    #[inline]
    #[allow(clippy::mut_from_ref)] // it is a reference to `ptr`, not to the call
    pub unsafe fn from_raw<'a>(ptr: *mut bindings::swap_io_ctx, _call: &'a Call) -> &'a mut Self {
        // SAFETY: The caller guarantees that the batch is initialised, and that only the result
        // accesses it during `'a`; `Self` is transparent.
        unsafe { &mut *ptr.cast() }
    }

    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::swap_io_ctx {
        self.0.get()
    }
}
