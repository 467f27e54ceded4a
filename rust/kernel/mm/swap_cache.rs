// SPDX-License-Identifier: GPL-2.0

//! The swap cache: looking up the folio of a slot, and references to swap devices.
//!
//! The slot's swap-cache folio alone serialises swap-in, swap-out and writeback of the slot:
//!
//! | step                                        | type                                           |
//! |---------------------------------------------|------------------------------------------------|
//! | a slot, on a device that isn't swapped off  | [`Slot`]                                       |
//! | look up: a counted reference, no access     | [`Slot::folio`]                                |
//! | win the slots: add a locked folio           | [`Slot::add_folio`] gives a [`NewFolio`]       |
//! | read its page, or ...                       | [`NewFolio::read`]                             |
//! | ... remove it again                         | [`NewFolio::discard`]                          |
//! | remove or replace a folio that C has locked | [`CachedFolio::delete`] and others             |
//!
//! Nothing here waits for a folio's lock.
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
        folio::Folio,
        swap_cluster::{
            ClusterGuard,
            Slot, //
        },
        swap_table::SwapTableEntry,
        swapops::SwapEntry, //
    },
    prelude::*,
    sync::aref::ARef,
    types::Opaque, //
};
use core::ptr::NonNull;

impl Slot<'_> {
    /// The slot's swap-cache folio, with a reference, not locked.
    ///
    /// The folio may leave the swap cache at any time: to use it, the caller has to lock it and to
    /// recheck that it still is the slot's. Takes no lock. Mirrors `swap_cache_get_folio()`.
    #[inline]
    pub fn folio(self) -> Option<ARef<Folio>> {
        self.try_folio()
            .unwrap_or_else(|Raced| self.folio_after_race())
    }

    /// As above, after a race was lost.
    #[cold]
    #[inline(never)]
    fn folio_after_race(self) -> Option<ARef<Folio>> {
        loop {
            if let Ok(folio) = self.try_folio() {
                return folio;
            }
        }
    }

    #[inline(always)] // in both
    fn try_folio(self) -> Result<Option<ARef<Folio>>, Raced> {
        let SwapTableEntry::Folio(pfn, _) = self.table_entry() else {
            return Ok(None);
        };
        crate::race_point!("lookup:before_folio_get");
        // SAFETY: A page frame that was in the swap cache a moment ago has its `struct page`. That
        // no `struct page` is removed meanwhile is what C's lookup relies on, too. The folio's
        // reference count is zero if it has no user; a reference is only taken if it has one.
        let folio = unsafe {
            let folio = bindings::pfn_folio(pfn.get());
            if !bindings::folio_try_get(folio) {
                return Err(Raced);
            }
            // The reference was just taken.
            ARef::from_raw(NonNull::new_unchecked(folio).cast::<Folio>())
        };
        // The folio may have been freed and reused before the reference was taken.
        let SwapTableEntry::Folio(pfn, _) = self.table_entry() else {
            return Err(Raced);
        };
        // SAFETY: The page frame was in the swap cache a moment ago, and so has its `struct page`. Only its
        // folio's address is computed.
        let now = unsafe { bindings::pfn_folio(pfn.get()) };
        if now == folio.as_raw() {
            Ok(Some(folio))
        } else {
            Err(Raced)
        }
    }

    /// Whether the `2^order` aligned slots that contain this one could get a folio. The answer may
    /// be stale as soon as this returns. Fails as [`Slot::add_folio`] does, which also requires the
    /// slots to belong to one cgroup: not checked here, since that rarely fails. Takes the
    /// cluster's lock.
    ///
    /// Mirrors `__swap_cache_add_check()`, as called before a folio is allocated.
    pub fn is_vacant(self, order: u32) -> Result {
        let first = self.first(order).ok_or(EINVAL)?;
        ClusterGuard::new(self)
            .vacancy::<false>(self, first, order)
            .map(drop)
    }
}

/// The folio left its slot during the lookup.
struct Raced;

/// A reference to a swap device, through one of its slots: the device isn't swapped off.
///
/// The slot is within the device. It may be free, or not usable.
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
    /// Gets a reference to the device of `entry`, unless it is being swapped off or there is no
    /// such slot.
    ///
    /// Mirrors `get_swap_device()`.
    #[inline]
    pub fn get(entry: SwapEntry) -> Option<Self> {
        // SAFETY: C checks the entry.
        let si = NonNull::new(unsafe { bindings::get_swap_device(entry.as_raw()) })?;
        // INVARIANT: C has got the reference, and checked that the entry lies within the device.
        Some(Self { si, entry })
    }

    /// The slot that the device was looked up by.
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

/// Reads that are begun one after the other, and submitted together. Mirrors `struct swap_io_ctx`.
///
/// # Invariants
///
/// Initialised. What was read with it and isn't submitted yet will be, by its maker.
#[repr(transparent)]
pub struct Reads(Opaque<bindings::swap_io_ctx>);

impl Reads {
    /// Calls `f` with a new one, and submits what it has read. May sleep.
    ///
    /// Mirrors `swap_read_submit()`.
    #[inline]
    pub fn together<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // INVARIANT: C begins with zeroes; submitted below.
        let mut reads = Self(Opaque::new(bindings::swap_io_ctx {
            sio: core::ptr::null_mut(),
            sis: core::ptr::null_mut(),
        }));
        let ret = f(&mut reads);
        // SAFETY: By the type invariant it is initialised.
        unsafe { bindings::swap_read_submit(reads.as_raw()) };
        ret
    }

    /// The reads that a C caller has begun.
    ///
    /// # Safety
    ///
    /// `ptr` must be initialised. During `'a` only the result may be used; later the caller must submit
    /// the reads.
    #[inline]
    #[allow(clippy::mut_from_ref)] // it is a reference to `ptr`, not to the call
    pub unsafe fn from_raw<'a>(ptr: *mut bindings::swap_io_ctx, _call: &'a Call) -> &'a mut Self {
        // SAFETY: The caller has initialised it, and doesn't use it during `'a`; `Self` is transparent.
        unsafe { &mut *ptr.cast() }
    }

    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::swap_io_ctx {
        self.0.get()
    }
}
