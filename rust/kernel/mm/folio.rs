// SPDX-License-Identifier: GPL-2.0

//! Folios, and what holding a folio's lock proves.
//!
//! | type            | proves                                                                     |
//! |-----------------|----------------------------------------------------------------------------|
//! | [`Folio`]       | it is alive                                                                |
//! | [`CachedFolio`] | its lock is held for us, and it is in the swap cache: its slots are ours   |
//! | [`Contents`]    | nobody else looks at the content of its one page, which is to be written   |
//!
//! The lock of a folio in the swap cache is what synchronises swapin, swapout and writeback of its
//! slots: see [`crate::mm::swap_slots`], whose `Slots` can be had from a [`CachedFolio`] only. Only the
//! holder of the lock can take a folio out of the swap cache, so that a [`CachedFolio`] stays one.
//!
//! Nothing here locks a folio by waiting: code that runs under another folio's lock, as all of
//! reclaim does, would deadlock with one who takes the two the other way round.
//!
//! C headers: [`include/linux/mm_types.h`](srctree/include/linux/mm_types.h),
//! [`include/linux/page-flags.h`](srctree/include/linux/page-flags.h)

use crate::{
    bindings,
    page::PAGE_SIZE,
    sync::aref::{
        ARef,
        AlwaysRefCounted, //
    },
    types::{
        NotThreadSafe,
        Opaque, //
    },
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

/// A folio: one page, or a naturally aligned power of two of them. Mirrors `struct folio`.
///
/// # Invariants
///
/// Somebody holds a reference while there is a `&Folio`, and its count isn't frozen while that is lent
/// to others.
// A `struct folio` is a name for several `struct page`, of which a small one has only the first.
#[repr(transparent)]
pub struct Folio(Opaque<bindings::page>);

// SAFETY: A folio belongs to no thread.
unsafe impl Send for Folio {}
// SAFETY: What `&Folio` allows is done with atomic flags and counts, or reads what doesn't change.
unsafe impl Sync for Folio {}

impl Folio {
    /// # Safety
    ///
    /// `ptr` must point to a folio that has a reference for `'a`.
    #[inline]
    unsafe fn from_raw<'a>(ptr: *mut bindings::folio) -> &'a Self {
        // SAFETY: By the requirement; `Self` is transparent.
        unsafe { &*ptr.cast() }
    }

    #[inline]
    pub(crate) fn as_raw(&self) -> *mut bindings::folio {
        self.0.get().cast()
    }

    /// For C, with the reference. Null isn't among what it gets.
    #[inline]
    pub fn into_c(folio: ARef<Self>) -> *mut bindings::folio {
        ARef::into_raw(folio).as_ptr().cast()
    }

    /// Whether the folio has more than one page, as far as can be said of one that isn't locked.
    /// Mirrors `folio_test_large()`.
    #[inline]
    pub fn is_large(&self) -> bool {
        // SAFETY: The folio is alive.
        unsafe { bindings::folio_test_large(self.as_raw()) }
    }

    /// Marks the folio as read ahead. Mirrors `folio_set_readahead()`.
    #[inline]
    pub fn set_readahead(&self) {
        // SAFETY: The folio is alive; the flag is set atomically.
        unsafe { bindings::folio_set_readahead(self.as_raw()) }
    }

    /// Takes that mark away, and says whether it was there. Mirrors
    /// `folio_test_clear_readahead()`.
    #[inline]
    pub fn take_readahead(&self) -> bool {
        // SAFETY: The folio is alive; the flag is cleared atomically.
        unsafe { bindings::folio_test_clear_readahead(self.as_raw()) }
    }

    /// Calls `f` with a folio that C has lent.
    ///
    /// # Safety
    ///
    /// `ptr` must point to a folio that the caller has a reference of its own to during the call: that
    /// of the swap cache, whose count can be frozen, won't do.
    #[inline]
    pub unsafe fn with_raw<R>(
        ptr: *mut bindings::folio,
        f: impl for<'a> FnOnce(&'a Self) -> R,
    ) -> R {
        // SAFETY: By the requirement.
        f(unsafe { Self::from_raw(ptr) })
    }
}

// SAFETY: A folio is freed when its last reference is put.
unsafe impl AlwaysRefCounted for Folio {
    #[inline]
    fn inc_ref(&self) {
        // SAFETY: By the type invariant somebody has a reference.
        unsafe { bindings::folio_get(self.as_raw()) }
    }

    #[inline]
    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: The caller gives up a reference; `Self` is transparent.
        unsafe { bindings::folio_put(obj.as_ptr().cast()) }
    }
}

/// A page of a folio whose lock is held.
///
/// Its content can be handed to C to be read. It can't be borrowed as bytes: a lock keeps nobody who
/// has the folio mapped, or a reference to it, from writing to it.
///
/// # Invariants
///
/// `page` is a page of a folio that is alive and locked for `'a`.
#[derive(Clone, Copy)]
pub struct FolioPage<'a> {
    page: NonNull<bindings::page>,
    _folio: PhantomData<&'a Folio>,
}

// Only who compresses looks at pages.
#[cfg_attr(not(CONFIG_ZSWAP_RUST), expect(dead_code))]
impl FolioPage<'_> {
    /// The NUMA node that the page lies on. Mirrors `page_to_nid()`.
    #[cfg(CONFIG_ZSWAP_RUST)]
    #[inline]
    pub fn nid(&self) -> crate::alloc::NumaNode {
        // SAFETY: By the type invariant the page is alive; the node that it lies on is one that
        // there is.
        unsafe { crate::alloc::NumaNode::from_possible(bindings::page_to_nid(self.page.as_ptr())) }
    }

    #[inline]
    pub(crate) fn as_raw(&self) -> *mut bindings::page {
        self.page.as_ptr()
    }

    /// Calls `f` with the address of the page's `PAGE_SIZE` bytes, mapped for that long.
    ///
    /// The bytes may change at any time: they are for C to read. `f` may sleep.
    #[inline]
    pub(crate) fn with_mapped<R>(&self, f: impl FnOnce(*const u8) -> R) -> R {
        // SAFETY: By the type invariant the page is alive.
        let addr = unsafe { bindings::kmap_local_page(self.page.as_ptr()) };
        let ret = f(addr.cast());
        // SAFETY: Mapped above; what `f` mapped, it has unmapped, since only closures can map.
        unsafe { bindings::kunmap_local(addr) };
        ret
    }
}

/// Evidence that a folio's lock (`PG_locked`) is held for us, and that the folio is in the swap
/// cache: the swap slots that it sits on are pinned, and ours alone, for `'a`.
///
/// Does not own the lock: dropping it does nothing.
///
/// # Invariants
///
/// For `'a`:
///
/// - The folio is alive and locked, and nobody but who handed out this evidence unlocks it.
/// - The folio is in the swap cache for the `nr_pages()` slots from `folio->swap` on. These are
///   allocated on an active swap device, and neither can end: to take a folio out of the swap
///   cache, and so to free one of its slots or to finish swapoff, one needs its lock.
/// - No other `CachedFolio` that is in use is for one of these slots: a slot has one folio in the
///   swap cache, a folio has one lock, and the lock's holder lends it once at a time.
///
/// `'a` can be neither shortened nor made longer: it is what ties what was taken out of a slot to
/// the folio whose slot it was.
///
/// # Examples
///
/// ```
/// use kernel::mm::{folio::CachedFolio, swap_slots::Kept};
///
/// // Whether something is kept for each slot of a folio, whose lock is held.
/// fn is_stored<T: Kept>(folio: &mut CachedFolio<'_>) -> bool {
///     (0..folio.nr_pages()).all(|index| folio.slots::<T>().occupied(index).is_some())
/// }
/// ```
pub struct CachedFolio<'a> {
    // Not a `&Folio`: what keeps the folio may be a frozen count, which nobody can add to.
    ptr: NonNull<bindings::folio>,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
    // Locks that lockdep doesn't know are easiest to follow in one task.
    _not_send: NotThreadSafe,
}

impl<'a> CachedFolio<'a> {
    /// Lends `f` the lock that a C caller holds.
    ///
    /// # Safety
    ///
    /// Until `f` returns, the caller must hold the folio's lock and a reference (that of the swap
    /// cache will do), or have frozen its count, keep the folio in the swap cache, and leave its
    /// slots' data to `f`. The folio must be filled: `f` can have its pages stored.
    #[inline]
    pub unsafe fn with_raw<R>(
        ptr: *mut bindings::folio,
        f: impl for<'f> FnOnce(&'f mut CachedFolio<'f>) -> R,
    ) -> R {
        // SAFETY: By the requirement.
        f(&mut unsafe { CachedFolio::from_raw(ptr) })
    }

    /// The lock that a C caller holds. For what consumes it at once; what is handed on is lent by
    /// [`CachedFolio::with_raw`], which leaves the lifetime to nobody's choice.
    ///
    /// # Safety
    ///
    /// As for [`CachedFolio::with_raw`], for `'a`; if the folio isn't filled, it must be used only for
    /// what gives no page.
    #[inline]
    pub unsafe fn from_raw(ptr: *mut bindings::folio) -> Self {
        // SAFETY: The folio is alive, by the requirement. The checks add no reference, which the count,
        // if it is frozen, forbids.
        let folio = unsafe { Folio::from_raw(ptr) };
        crate::vm_warn_on_once_folio!(!folio.is_locked(), folio);
        crate::vm_warn_on_once_folio!(!folio.is_in_swap_cache(), folio);
        // INVARIANT: By the requirement.
        Self {
            // SAFETY: It is a folio, by the requirement, and so not null.
            ptr: unsafe { NonNull::new_unchecked(ptr) },
            _brand: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    #[inline]
    pub(crate) fn as_raw(&self) -> *mut bindings::folio {
        self.ptr.as_ptr()
    }

    /// The address, which outlives the evidence.
    #[inline]
    pub(super) fn as_ptr(&self) -> NonNull<bindings::folio> {
        self.ptr
    }

    /// Lends the evidence together with the content, which must be nobody else's.
    ///
    /// There is no [`Contents`] for a large folio, as it is for one page that somebody fills.
    ///
    /// # Safety
    ///
    /// Nobody else may access the content for as long as this is lent: the evidence may be handed on
    /// only as one that gives no page.
    #[inline]
    pub(super) unsafe fn split(&mut self) -> (CachedFolio<'_>, Option<Contents<'_>>) {
        let ptr = self.ptr;
        let contents = (!self.is_large()).then_some(
            // INVARIANT: By the requirement; the folio is alive for as long as `self` is borrowed.
            Contents {
                ptr,
                _brand: PhantomData,
            },
        );
        // INVARIANT: Ours, which can't be used while it is lent.
        let cached = CachedFolio {
            ptr,
            _brand: PhantomData,
            _not_send: NotThreadSafe,
        };
        (cached, contents)
    }

    /// How many pages the folio has. Mirrors `folio_nr_pages()`.
    #[inline]
    pub fn nr_pages(&self) -> usize {
        // SAFETY: The folio is alive. Only the lock's holder could split it.
        (unsafe { bindings::folio_nr_pages(self.as_raw()) }) as usize
    }

    /// Whether the folio has more than one page. Mirrors `folio_test_large()`.
    #[inline]
    pub fn is_large(&self) -> bool {
        // SAFETY: The folio is alive. Only the lock's holder could split it.
        unsafe { bindings::folio_test_large(self.as_raw()) }
    }

    /// Page `index` of the folio.
    ///
    /// # Safety
    ///
    /// `index` must be below `nr_pages()`.
    #[inline]
    pub(super) unsafe fn page_unchecked(&self, index: usize) -> FolioPage<'_> {
        FolioPage {
            // INVARIANT: A page of a folio which is alive and locked while `self` is borrowed.
            //
            // SAFETY: The folio is alive and has such a page; `folio_page()` is never null.
            page: unsafe { NonNull::new_unchecked(bindings::folio_page(self.as_raw(), index)) },
            _folio: PhantomData,
        }
    }
}

/// The content of a folio of one page that nobody has read yet, to be written.
///
/// # Invariants
///
/// `ptr` is a folio of one page, alive for `'a`. Nobody else accesses its content for `'a`. No other
/// `Contents` has the lifetime `'a`, which can be neither shortened nor made longer.
pub struct Contents<'a> {
    ptr: NonNull<bindings::folio>,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
}

/// Says that the page whose [`Contents`] had the lifetime `'a` was written.
pub struct Filled<'a>(PhantomData<fn(&'a mut Folio) -> &'a mut Folio>);

// Only who compresses looks at pages.
#[cfg_attr(not(CONFIG_ZSWAP_RUST), expect(dead_code))]
impl<'a> Contents<'a> {
    /// Says that all of it was written.
    #[inline]
    pub(crate) fn filled(self) -> Filled<'a> {
        Filled(PhantomData)
    }

    /// The page, for C to write to.
    #[inline]
    pub(crate) fn page(&mut self) -> *mut bindings::page {
        // SAFETY: By the type invariant the folio is alive; every folio has a first page.
        unsafe { bindings::folio_page(self.ptr.as_ptr(), 0) }
    }

    /// Calls `f` with the address of the page's `PAGE_SIZE` bytes, to write them all.
    pub(crate) fn write_page(&mut self, f: impl FnOnce(*mut [u8; PAGE_SIZE])) {
        // SAFETY: It is the page of a folio which is alive.
        let addr = unsafe { bindings::kmap_local_page(self.page()) };
        f(addr.cast());
        // SAFETY: Mapped above; what `f` mapped, it has unmapped, since only closures can map.
        unsafe { bindings::kunmap_local(addr) };
        // SAFETY: The folio is alive.
        unsafe { bindings::flush_dcache_folio(self.ptr.as_ptr()) };
    }
}
