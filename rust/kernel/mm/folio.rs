// SPDX-License-Identifier: GPL-2.0

//! Folios, and the witnesses for a held folio lock.
//!
//! | type            | proves                                                                     |
//! |-----------------|----------------------------------------------------------------------------|
//! | [`Folio`]       | the folio is alive                                                         |
//! | [`FolioRef`]    | the same, and owns the reference that keeps it alive                       |
//! | [`CachedFolio`] | it is locked and in the swap cache: exclusive access to its slots          |
//! | [`UnreadPages`] | exclusive access to the contents of its pages, to write them               |
//! | [`NotUptodate`] | the same, for one page                                                     |
//! | [`Uptodate`]    | these contents were written                                                |
//! | [`FilledPages`] | so many pages of a folio were written                                      |
//!
//! A swap-cache folio's lock serialises swap-in, swap-out and writeback of its slots: data that is
//! stored for slots can be reached only by a `&mut CachedFolio`. Only the lock's holder can remove a
//! folio from the swap cache, so a [`CachedFolio`] stays valid.
//!
//! No function of this file waits for a folio's lock: all of reclaim runs under another folio's
//! lock, and would deadlock with a task that takes the two locks in the opposite order.
//!
//! C headers: [`include/linux/mm_types.h`](srctree/include/linux/mm_types.h),
//! [`include/linux/page-flags.h`](srctree/include/linux/page-flags.h)

use crate::{
    bindings,
    mm::{
        call::Call,
        swapops::SwapEntry, //
    },
    page::PAGE_SIZE,
    prelude::*,
    types::{
        NotThreadSafe,
        Opaque, //
    },
};
use core::{
    cell::Cell,
    marker::PhantomData,
    mem::ManuallyDrop,
    ops::Range,
    ptr::NonNull, //
};

/// Methods that each call one function of C, on the object that `&self` keeps alive.
macro_rules! methods_of_c {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident(&self $(, $arg:ident: $type:ty)*) $(-> $ret:ty)? {
            bindings::$function:ident(self $(, $value:expr)*) $(as $number:ty)?
        }
    )*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&self $(, $arg: $type)*) $(-> $ret)? {
            // SAFETY: By the type invariant the object is alive, which is all that C requires: it
            // changes the object atomically, or under a lock that it takes, and a concurrent write
            // to what it reads isn't undefined.
            (unsafe { bindings::$function(self.as_raw() $(, $value)*) }) $(as $number)?
        }
    )*};
}
#[cfg(CONFIG_ZSWAP_RUST)]
pub(super) use methods_of_c;

/// A folio: one page, or a naturally aligned power of two of them. Mirrors `struct folio`.
///
/// # Invariants
///
/// As long as a `&Folio` exists, a reference to the folio is held, or the holder of the folio's
/// lock has frozen its reference count. A `&Folio` of a folio whose count may be frozen isn't lent
/// outside of `kernel::mm`, and `kernel::mm` only reads the folio's flags: `folio_get()` would
/// increment a count of 0.
// A `struct folio` overlays several `struct page`. A small folio has only the first.
#[repr(transparent)]
pub struct Folio(Opaque<bindings::page>);

impl Folio {
    /// The folio of a C caller.
    ///
    /// # Safety
    ///
    /// `ptr` must point to a folio to which the caller has its own reference during `'a`. The swap
    /// cache's reference doesn't suffice, since the count can be frozen.
    #[inline]
    pub unsafe fn from_raw<'a>(ptr: *mut bindings::folio, _call: &'a Call) -> &'a Self {
        // SAFETY: The caller guarantees that it has its own reference during `'a`, so that the
        // count isn't frozen; `Self` is transparent.
        unsafe { &*ptr.cast() }
    }

    /// The folio, for C.
    #[inline]
    pub fn as_raw(&self) -> *mut bindings::folio {
        self.0.get().cast()
    }

    methods_of_c! {
        /// Whether the folio has more than one page; may be stale unless the folio is locked. Mirrors
        /// `folio_test_large()`.
        pub fn is_large(&self) -> bool { bindings::folio_test_large(self) }

        /// Clears the readahead flag (`PG_readahead`), and returns whether it was set. Mirrors
        /// `folio_test_clear_readahead()`.
        pub fn take_readahead(&self) -> bool { bindings::folio_test_clear_readahead(self) }
    }
}

/// A reference to a folio, which gives no access to its slots or its contents.
///
/// It can't be cloned, since safe code may forget it: C counts the references in an `int`, which 2^32
/// forgotten clones would wrap. A lookup is refused long before.
///
/// # Invariants
///
/// A reference to the folio, whose count isn't frozen, is owned by this value.
pub struct FolioRef(NonNull<bindings::folio>);

impl FolioRef {
    /// Takes over a reference.
    ///
    /// # Safety
    ///
    /// The caller must own a reference to the folio, and give it up.
    #[inline]
    pub(super) unsafe fn from_raw(folio: NonNull<bindings::folio>) -> Self {
        // INVARIANT: The caller guarantees that it gives up a reference.
        Self(folio)
    }

    /// Passes the folio and the reference to C. Never null.
    #[inline]
    pub fn into_c(self) -> *mut bindings::folio {
        ManuallyDrop::new(self).as_raw()
    }

    /// The folio, for C.
    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::folio {
        self.0.as_ptr()
    }

    methods_of_c! {
        /// Sets the readahead flag (`PG_readahead`). Mirrors `folio_set_readahead()`.
        pub fn set_readahead(&self) { bindings::folio_set_readahead(self) }
    }
}

impl Drop for FolioRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is owned by this value.
        unsafe { bindings::folio_put(self.0.as_ptr()) }
    }
}

/// A page of a folio whose lock is held.
///
/// C may read the page's contents. The contents can't be borrowed as bytes: the lock doesn't
/// prevent writes by a task that has the folio mapped or has a reference.
///
/// # Invariants
///
/// `page` is a page of a folio that is alive and locked for `'a`.
#[derive(Clone, Copy)]
pub struct FolioPage<'a> {
    page: NonNull<bindings::page>,
    _folio: PhantomData<&'a Folio>,
}

impl FolioPage<'_> {
    /// The NUMA node that the page lies on. Mirrors `page_to_nid()`.
    #[cfg(CONFIG_ZSWAP_RUST)]
    #[inline]
    pub fn nid(&self) -> crate::alloc::NumaNode {
        // SAFETY: By the type invariant the page is alive; the node of a page exists.
        unsafe { crate::alloc::NumaNode::from_possible(bindings::page_to_nid(self.page.as_ptr())) }
    }

    /// The page, for C to read.
    #[inline]
    pub fn as_raw(&self) -> *mut bindings::page {
        self.page.as_ptr()
    }

    methods_of_c! {
        /// Whether all bytes of the page are 0. Another task may change them at any time. Mirrors
        /// `is_folio_zero_filled()`, for one page.
        pub fn is_zero_filled(&self) -> bool { bindings::page_is_zero_filled(self) }
    }

    /// Calls `f` with the address of the page's `PAGE_SIZE` bytes, mapped during the call.
    ///
    /// The bytes may change at any time: only C may read them. `f` may sleep. Mirrors
    /// `kmap_local_page()` and `kunmap_local()`.
    #[inline]
    pub fn with_mapped<R>(&self, f: impl FnOnce(*const u8) -> R) -> R {
        // SAFETY: By the type invariant the page is alive. What is unmapped was mapped before; `f`
        // has unmapped all that it mapped: functions of this crate map only for the time of a call.
        unsafe {
            let addr = bindings::kmap_local_page(self.as_raw());
            let ret = f(addr.cast());
            bindings::kunmap_local(addr);
            ret
        }
    }
}

/// A witness that a folio's lock (`PG_locked`) is held for this task, and that the folio is in the swap
/// cache: during `'a` its swap slots are pinned, with exclusive access to them.
///
/// Does not own the lock: dropping it does nothing.
///
/// # Invariants
///
/// For `'a`:
///
/// - The folio is alive and locked, and only the lender of this witness unlocks it.
/// - The folio is in the swap cache for the `nr_pages()` slots from `folio->swap` on. The slots are
///   allocated on an active swap device, and both stay so: removing the folio from the swap cache,
///   and so freeing one of its slots or finishing swapoff, requires its lock.
/// - No other usable `CachedFolio` is for one of these slots: a slot has one folio in the swap
///   cache, a folio has one lock, and the lock's holder lends it once at a time.
/// - When [`CachedFolio::page`] is called, the folio is filled, and this task doesn't hold the lock
///   of its slots' cluster (`ci->lock`). If either isn't true, the creator of the witness gets no
///   page from it, and lends no `&mut CachedFolio` to code that could.
///
/// `'a` is invariant, neither shortened nor extended, and no other `CachedFolio` has it: it ties an
/// object that is taken out of a slot to that slot's folio.
///
/// # Examples
///
/// ```
/// use core::ops::Range;
/// use kernel::mm::folio::CachedFolio;
///
/// // The offsets of a locked folio's slots: they stay the folio's while the witness is borrowed.
/// fn offsets(folio: &CachedFolio<'_>) -> Range<usize> {
///     let first = folio.swap().offset();
///     first..first + folio.nr_pages()
/// }
/// ```
pub struct CachedFolio<'a> {
    // Not a `&Folio`: the folio's reference count may be frozen, and must not be incremented then.
    ptr: NonNull<bindings::folio>,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
    // Stays in one task: lockdep doesn't track folio locks.
    _not_send: NotThreadSafe,
}

impl<'a> CachedFolio<'a> {
    /// The folio whose lock a C caller holds. It is the only folio of the call that is branded with
    /// `'a`: a value with this brand belongs to this folio.
    ///
    /// # Safety
    ///
    /// During `'a` the caller must hold the folio's lock and a reference (the swap cache's
    /// suffices), or have frozen its reference count. It must not remove the folio from the swap
    /// cache, or access the data and the zeromap bits of its slots other than by this witness. No
    /// other `CachedFolio` may have the lifetime `'a`: a function lends only one [`Call`]
    /// exclusively.
    ///
    /// Unless the folio is filled and the lock of its slots' cluster isn't held, the caller must
    /// not call a function that gives access to a page.
    #[inline]
    pub unsafe fn from_raw(ptr: *mut bindings::folio, _call: &'a mut Call) -> Self {
        // SAFETY: The caller guarantees that during `'a` the folio is locked, alive, and in the
        // swap cache, that no other `CachedFolio` has this lifetime, and that it gets no page
        // unless it may.
        unsafe { Self::from_raw_unbounded(ptr) }
    }

    /// As [`CachedFolio::from_raw`], for an owner of the lock that chooses the lifetime.
    ///
    /// # Safety
    ///
    /// As for [`CachedFolio::from_raw`]. If `'a` is longer than the lock is held, the result must
    /// be lent to safe code only with a lifetime that isn't, as by [`CachedFolio::split`].
    #[inline]
    pub(crate) unsafe fn from_raw_unbounded(ptr: *mut bindings::folio) -> Self {
        // SAFETY: `ptr` is a folio that the caller has locked, and so alive, and not null.
        let ptr = unsafe {
            if cfg!(CONFIG_DEBUG_VM) {
                bindings::folio_check_cached(ptr);
            }
            NonNull::new_unchecked(ptr)
        };
        // INVARIANT: The caller guarantees that the folio is locked for `'a` and in the swap cache,
        // and that it lends the lock once. It gets no page of a folio that isn't filled, or with
        // the cluster's lock held.
        Self {
            ptr,
            _brand: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    /// The folio, whose reference count may be frozen: callers may read its flags, and must not
    /// take a reference.
    #[inline]
    pub(super) fn folio(&self) -> &Folio {
        // SAFETY: By the type invariant the folio is alive; `Folio` is transparent.
        unsafe { self.ptr.cast().as_ref() }
    }

    /// The folio, for C. A raw pointer, since the reference count may be frozen.
    #[inline]
    pub fn as_raw(&self) -> *mut bindings::folio {
        self.ptr.as_ptr()
    }

    /// The swap entry of the folio's first page. The entries of the other pages follow it. Mirrors
    /// `folio->swap`.
    #[inline]
    pub fn swap(&self) -> SwapEntry {
        // SAFETY: The folio is alive and in the swap cache, by the type invariant: the field names
        // its first slot, which is on a device in use.
        unsafe { SwapEntry::from_raw(bindings::folio_swap(self.as_raw())) }
    }

    /// Whether the zeromap bit of the folio's slot `index` is set; false if the folio has no such
    /// slot. The bit can't change while the folio is locked. Mirrors `__swap_table_test_zero()`.
    #[inline]
    pub fn has_zero_mark(&self, index: usize) -> bool {
        index < self.nr_pages()
            // SAFETY: By the type invariant the folio is alive, locked and in the swap cache, which
            // pins the cluster that has the bit. The folio has such a slot.
            && unsafe { bindings::folio_swap_is_zero(self.as_raw(), index) }
    }

    /// The number of the folio's slots whose zeromap bit is set.
    pub fn zero_marks(&self) -> usize {
        (0..self.nr_pages())
            .filter(|&index| self.has_zero_mark(index))
            .fold(0, |nr: usize, _| nr.wrapping_add(1))
    }

    /// Lends the witness together with exclusive access to the contents.
    ///
    /// # Safety
    ///
    /// No other code may access the contents while this is lent: the witness may be passed on only
    /// in a form that gives no access to a page. What this returns may go only to code that is
    /// generic over its lifetime, so that it can't be taken for that of another folio.
    #[inline]
    pub unsafe fn split(&mut self) -> (CachedFolio<'_>, UnreadPages<'_>) {
        let ptr = self.ptr;
        // INVARIANT: The folio is alive and locked for as long as `self` is borrowed. The caller
        // guarantees that no other code accesses its contents in that time.
        let contents = UnreadPages {
            ptr,
            nr: self.nr_pages(),
            _brand: PhantomData,
        };
        // INVARIANT: The invariants of `self` hold, which can't be used while this is lent. The
        // caller guarantees that no page is accessed by the result.
        let cached = CachedFolio {
            ptr,
            _brand: PhantomData,
            _not_send: NotThreadSafe,
        };
        (cached, contents)
    }

    /// The NUMA node that the folio lies on. Mirrors `folio_nid()`.
    #[cfg(CONFIG_ZSWAP_RUST)]
    #[inline]
    pub fn nid(&self) -> crate::alloc::NumaNode {
        // SAFETY: A folio has a first page.
        unsafe { self.page(0) }.nid()
    }

    methods_of_c! {
        /// The folio's number of pages. Only the lock's holder can split it. Mirrors
        /// `folio_nr_pages()`.
        pub fn nr_pages(&self) -> usize { bindings::folio_nr_pages(self) as usize }
    }

    /// Page `index` of the folio.
    ///
    /// # Safety
    ///
    /// `index` must be below `nr_pages()`.
    #[inline]
    pub unsafe fn page(&self, index: usize) -> FolioPage<'_> {
        FolioPage {
            // INVARIANT: It is a page of a folio that is alive and locked while `self` is borrowed.
            //
            // SAFETY: The folio is alive, and the caller guarantees that it has such a page.
            page: unsafe { page_of(self.ptr, index) },
            _folio: PhantomData,
        }
    }
}

/// Exclusive access to the contents of a folio, to write them. No task has read them yet.
///
/// # Invariants
///
/// `ptr` is a folio of `nr` pages, alive and locked for `'a`. No other code accesses its contents
/// during `'a`. No other `UnreadPages` has the lifetime `'a`, which is invariant.
pub struct UnreadPages<'a> {
    ptr: NonNull<bindings::folio>,
    nr: usize,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
}

impl<'a> UnreadPages<'a> {
    /// The contents of a folio of one page; `None` for a large folio.
    #[inline]
    pub fn single(self) -> Option<NotUptodate<'a>> {
        if self.nr != 1 {
            return None;
        }
        // INVARIANT: It is the folio's only page, and its `UnreadPages` is consumed.
        Some(NotUptodate {
            // SAFETY: By the type invariant the folio is alive, and so has a first page.
            page: unsafe { page_of(self.ptr, 0) },
            _brand: PhantomData,
        })
    }

    /// Calls `f` with the pages, and with a count to which it adds each page that it has written. The
    /// result is a witness that all were written.
    ///
    /// `f` may hold several pages at a time, for a device that writes them concurrently. Fails with
    /// the error of `f`, or with `EIO` if `f` leaves out a page.
    pub fn fill(
        self,
        f: impl for<'f> FnOnce(PagesToFill<'f>, &FilledPages<'f>) -> Result,
    ) -> Result<Uptodate<'a>> {
        let nr = self.nr;
        let filled = FilledPages {
            // INVARIANT: No page was added. `f` is generic over the lifetime, so that no other pages
            // have it than those of `self`.
            nr: Cell::new(0),
            _brand: PhantomData,
        };
        // INVARIANT: No page was lent, as `self` is consumed. As above for the lifetime.
        let pages = PagesToFill {
            ptr: self.ptr,
            rest: 0..nr,
            _brand: PhantomData,
        };
        f(pages, &filled)?;
        if filled.nr.get() != nr {
            return Err(EIO);
        }
        // INVARIANT: By the type invariant of `FilledPages`, `nr` different pages of the folio were
        // written: all.
        Ok(Uptodate(PhantomData))
    }
}

/// The pages of a folio, in order, each lent once to be written.
///
/// # Invariants
///
/// `ptr` is a folio that is alive and locked for `'a`, and has the pages `rest`, whose contents no
/// other code accesses during `'a`. No [`NotUptodate`] of them exists. Pages of another folio have
/// another lifetime than `'a`, which is invariant.
pub struct PagesToFill<'a> {
    ptr: NonNull<bindings::folio>,
    rest: Range<usize>,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
}

impl<'a> Iterator for PagesToFill<'a> {
    type Item = (usize, NotUptodate<'a>);

    /// The index and the contents of the next page.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.rest.next()?;
        // INVARIANT: `index` was removed from `rest`, so that the page is lent once.
        let page = NotUptodate {
            // SAFETY: By the type invariant the folio is alive, and has this page.
            page: unsafe { page_of(self.ptr, index) },
            _brand: PhantomData,
        };
        Some((index, page))
    }
}

/// The number of pages of a folio that were written.
///
/// # Invariants
///
/// `nr` different pages of the folio whose [`PagesToFill`] has the lifetime `'a` were written.
pub struct FilledPages<'a> {
    nr: Cell<usize>,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
}

impl<'a> FilledPages<'a> {
    /// Adds a page. Its witness can't be added twice.
    #[inline]
    pub fn add(&self, page: Uptodate<'a>) {
        let Uptodate(_) = page;
        // INVARIANT: By the invariant of `Uptodate` the page was written, and has no other witness. Its lifetime
        // shows that it is a page of the folio.
        self.nr.set(self.nr.get().wrapping_add(1));
    }
}

/// Page `index` of a folio. Mirrors `folio_page()`.
///
/// # Safety
///
/// The folio must be alive, and have more than `index` pages.
#[inline]
unsafe fn page_of(folio: NonNull<bindings::folio>, index: usize) -> NonNull<bindings::page> {
    // SAFETY: The caller guarantees that the folio has such a page, whose address isn't null.
    unsafe { NonNull::new_unchecked(bindings::folio_page(folio.as_ptr(), index)) }
}

/// Exclusive access to the contents of one page of a folio, to write them. No task has read them yet.
///
/// # Invariants
///
/// `page` is a page of a folio that is alive and locked for `'a`. No other code accesses its
/// contents during `'a`, and no other `NotUptodate` is for it. The lifetime `'a`, which is invariant,
/// is that of no other page, or that of the [`PagesToFill`] of this folio only.
pub struct NotUptodate<'a> {
    page: NonNull<bindings::page>,
    _brand: PhantomData<fn(&'a mut Folio) -> &'a mut Folio>,
}

/// A witness that a page was written whose [`NotUptodate`] had the lifetime `'a`, or all pages whose
/// [`UnreadPages`] had it.
///
/// # Invariants
///
/// All bytes of that page, or of these pages, were written. The page has no other `Uptodate`: the
/// `NotUptodate` was consumed for it.
pub struct Uptodate<'a>(PhantomData<fn(&'a mut Folio) -> &'a mut Folio>);

impl<'a> NotUptodate<'a> {
    /// Clears the page. Mirrors `clear_highpage()`.
    ///
    /// # Safety
    ///
    /// The data that was stored for the page's slot must be all zeroes: tasks that map the folio will
    /// read them.
    #[inline]
    pub unsafe fn clear(self) -> Uptodate<'a> {
        // SAFETY: By the type invariant the page is alive, and no other code accesses its contents.
        unsafe {
            bindings::clear_highpage(self.page.as_ptr());
            bindings::flush_dcache_page(self.page.as_ptr());
        }
        // INVARIANT: All bytes of the page were written.
        Uptodate(PhantomData)
    }

    /// Declares that the page was written.
    ///
    /// # Safety
    ///
    /// All bytes of the page must have been written since `self` was created: tasks that map the
    /// folio will read them. (That they are the data of its slot, types don't prove.)
    #[inline]
    pub unsafe fn assume_written(self) -> Uptodate<'a> {
        // INVARIANT: The caller guarantees that all bytes of the page were written.
        Uptodate(PhantomData)
    }

    /// The page, for C to write to.
    #[inline]
    pub fn page(&mut self) -> *mut bindings::page {
        self.page.as_ptr()
    }

    /// Calls `f` with the address of the page's `PAGE_SIZE` bytes, mapped during the call. `f` must
    /// write all of them.
    pub fn write_page(&mut self, f: impl FnOnce(*mut [u8; PAGE_SIZE])) {
        // SAFETY: By the type invariant the page is alive. What is unmapped was mapped before; `f`
        // has unmapped all that it mapped: functions of this crate map only for the time of a call.
        unsafe {
            let addr = bindings::kmap_local_page(self.page());
            f(addr.cast());
            bindings::kunmap_local(addr);
            bindings::flush_dcache_page(self.page());
        }
    }
}
