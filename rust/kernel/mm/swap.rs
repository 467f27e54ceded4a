// SPDX-License-Identifier: GPL-2.0

//! Filling folios in the swap cache: swapin, and writeback from memory to the device.
//!
//! | type               | what it is                                            | leaves by                          |
//! |--------------------|-------------------------------------------------------|------------------------------------|
//! | [`SwapDevice`]     | a reference to the device of a swap entry             | drop                               |
//! | [`NewFolio`]       | just added to the swap cache: locked, not filled      | `read()`, or `discard()`           |
//! | [`WritebackFolio`] | the same, and its slot has no zero mark               | `write()`                          |
//! | [`ZeroMarked`]     | the same, and it has: what is kept for it is older    | `discard_stale()`                  |
//! | [`UnreadFolio`]    | C's, which is being read                              | `load_exclusively()`: see [`Load`] |
//!
//! Adding never waits for a folio's lock: a caller that finds another folio there ([`Added::Present`]) has
//! lost the slot, and gets no lock.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h), `mm/swap.h`

use crate::{
    alloc::Flags,
    bindings,
    error::{
        code::{
            EEXIST,
            EINVAL,
            ENOMEM, //
        },
        from_err_ptr,
        Error,
        Result, //
    },
    mm::{
        folio::{
            CachedFolio,
            Contents,
            Filled,
            Folio, //
        },
        swap_slots::{
            Borrowed,
            Kept,
            Occupied, //
        },
        swapops::SwapEntry,
    },
    sync::aref::ARef,
    types::Opaque, //
};
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    ops::Deref,
    ptr::NonNull, //
};

/// As in C; bindgen takes it for a negative number.
const NO_INTERLEAVE_INDEX: usize = bindings::NO_INTERLEAVE_INDEX as usize;

/// A swap device that is kept from being swapped off by a reference, through one of its slots.
///
/// The slot is within the device. It may be free, or not for use.
///
/// # Invariants
///
/// `si` is the device of `entry`, with a reference that is ours; `entry` lies within it.
pub struct SwapDevice {
    si: NonNull<bindings::swap_info_struct>,
    entry: SwapEntry,
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

    /// The slot that the device was got through.
    #[inline]
    pub(super) fn entry(&self) -> SwapEntry {
        self.entry
    }

    /// Whether the slot isn't for use: that of the device's header, or a bad block's. This stays so
    /// for as long as the device does.
    #[cfg(not(CONFIG_SWAP_CACHE_RUST))]
    fn is_bad(&self) -> bool {
        use crate::mm::swap_table::{
            Native,
            Word, //
        };

        let entry = self.entry.as_raw();
        // SAFETY: The device is kept by our reference, and the entry lies within it, so that it has a
        // cluster with such a slot. C looks for the table under RCU.
        let raw = unsafe {
            bindings::swap_table_get(
                bindings::swap_entry_to_cluster(entry),
                bindings::swp_cluster_offset(entry),
            )
        };
        matches!(Native::decode(raw), Word::Bad)
    }

    /// Tries to put a new folio of one page into the swap cache for the slot. May sleep, but never
    /// waits for a folio's lock.
    ///
    /// `__GFP_ACCOUNT` is ignored: the folio is charged to the cgroup of the slot.
    ///
    /// Mirrors `swap_cache_alloc_folio()` as zswap's writeback calls it.
    #[inline]
    pub fn add_folio(&self, gfp: Flags) -> Added {
        // The entry may be that of an earlier device, and the slot a bad one of this. Rust's swap
        // cache refuses it; C's takes its swap-table entry for a count (see docs/upstream).
        #[cfg(not(CONFIG_SWAP_CACHE_RUST))]
        if self.is_bad() {
            return Added::Failed(crate::error::code::ENOENT);
        }
        // It would be charged twice.
        let gfp = gfp.as_raw() & !bindings::__GFP_ACCOUNT;
        // SAFETY: The device is kept by our reference; the slot is one for data, as was seen above or
        // will be seen there, and whether it is free is found out there. The policy is the current
        // task's, which isn't changed meanwhile but by the task. One order, that of a single page.
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
        // INVARIANT: C returns a new folio, locked by us, in the swap cache for the slot, not uptodate,
        // with a reference that is ours; or an error.
        AddedPtr(added).into()
    }
}

impl Drop for SwapDevice {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is ours.
        unsafe { bindings::put_swap_device(self.si.as_ptr()) }
    }
}

/// What came of trying to add a folio to the swap cache.
#[must_use = "a folio that was added is deleted from the swap cache at once if unused"]
pub enum Added {
    /// It is there.
    New(NewFolio),
    /// There is another: somebody is using the page.
    Present,
    /// There is no memory, or the slot is free.
    Failed(Error),
}

/// [`Added`] in one word, as C has it: a function that isn't inlined returns this in a register, and
/// takes no stack of its caller's for it.
///
/// # Invariants
///
/// `.0` is an `ERR_PTR()`, with `EEXIST` for [`Added::Present`]; or a folio as the invariants of
/// [`NewFolio`] say, which nobody else will unlock or put. It says nothing about which slots the folio is for.
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
        // SAFETY: By the type invariant the folio is alive and locked by us: its size and its slots don't
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

/// A folio that was just added to the swap cache, and is to be filled: locked by us, not uptodate,
/// with its content and its slots' data nobody else's.
///
/// Dropping it is [`NewFolio::discard`].
///
/// # Invariants
///
/// `.0` is the only witness of a lock which is ours to release, for a folio with a reference that
/// is ours to put; the folio is not uptodate, and nobody else accesses its content.
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
        // INVARIANT: The lock and the reference are ours, and the folio is not uptodate, as required.
        Self(unsafe { CachedFolio::from_raw(ptr) })
    }

    /// Hands the folio to a C caller as it is, with its lock and its reference.
    #[inline]
    pub fn into_c_locked(self) -> *mut bindings::folio {
        ManuallyDrop::new(self).0.as_raw()
    }

    /// Has the folio read, from zswap or from the device. May sleep. Returns the reference; the
    /// folio is unlocked when it has its content, or that couldn't be had, which may be later.
    ///
    /// Mirrors `swap_read_folio()`.
    #[inline]
    pub fn read(self, reads: &mut Reads) -> ARef<Folio> {
        let folio = self.into_c_locked();
        // SAFETY: By the type invariant the folio is locked by us, in the swap cache and not
        // uptodate, which is what C wants, and the reference ours. The lock goes to C.
        unsafe {
            bindings::swap_read_folio(reads.0.get(), folio);
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

    /// Looks for the slot's zero mark, before anything that is kept for the slot may be used.
    ///
    /// C swaps a page of zeroes out by a mark, and tells nobody: what is kept for the slot is older than
    /// the zeroes. Mirrors `swap_table_test_zero()`.
    #[inline]
    pub fn check_zero_mark(self) -> Result<WritebackFolio, ZeroMarked> {
        // SAFETY: The folio is alive, locked and in the swap cache, which keeps the cluster from
        // being freed and the mark from changing.
        if unsafe { bindings::folio_swap_is_zero(self.0.as_raw(), 0) } {
            // INVARIANT: Just seen; the folio's lock keeps the mark from changing.
            Err(ZeroMarked(self))
        } else {
            // INVARIANT: It has none, and the folio's lock keeps it from getting one.
            Ok(WritebackFolio(self))
        }
    }
}

/// A [`NewFolio`] whose slot is marked as that of a page of zeroes: what is kept for it is older, and
/// must be neither written to the device nor shown to anybody.
///
/// # Invariants
///
/// The folio's slot has the mark.
#[must_use = "what is kept for the slot stays"]
pub struct ZeroMarked(NewFolio);

impl ZeroMarked {
    /// Drops the `T` that is kept for the slot, and discards the folio. Says whether there was one.
    #[inline]
    pub fn discard_stale<T: Kept>(mut self) -> bool {
        let stale = self.0 .0.slots::<T>().occupied(0).map(Occupied::take);
        let found = stale.is_some();
        drop(stale);
        self.0.discard();
        found
    }
}

/// A [`NewFolio`] that is to be filled from what is kept for its slot, and written to the device.
///
/// # Invariants
///
/// The folio's slot has no zero mark: what is kept for it is the page that was swapped out last.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub struct WritebackFolio(NewFolio);

impl WritebackFolio {
    /// Writes the folio to the device, and drops what is kept for the slot. May sleep.
    ///
    /// Lets `f` fill the folio from the `T` that is kept for the slot. If it does, takes that out of
    /// its slot, marks the folio uptodate and submits it; it is unlocked when the I/O has started, and
    /// will be at the tail of the inactive list when that is over. If `f` fails, gives the folio
    /// back, with the slot as it was; and without asking `f`, with `ENOMEM` if no `T` is kept for the
    /// slot, as C has it, and with `EINVAL` for a large folio. Mirrors the end of
    /// `zswap_writeback_entry()`.
    #[inline]
    pub fn write<T: Kept>(
        mut self,
        f: impl for<'e, 'f> FnOnce(Borrowed<'e, T>, Contents<'f>) -> Result<Filled<'f>>,
    ) -> Result<(), (NewFolio, Error)> {
        // SAFETY: The content is nobody else's, by the invariant of `NewFolio`; no page of the folio
        // is asked for below.
        let (mut cached, contents) = unsafe { self.0 .0.split() };
        let Some(contents) = contents else {
            return Err((self.0, EINVAL));
        };
        let Some(occupied) = cached.slots::<T>().occupied(0) else {
            return Err((self.0, ENOMEM));
        };
        match f(occupied.get(), contents) {
            // The folio has the data: from here on nothing fails.
            Ok(_filled) => drop(occupied.take()),
            Err(error) => {
                drop(occupied);
                return Err((self.0, error));
            }
        }

        let folio = self.0.into_c_locked();
        let mut ctx = NO_IO;
        // SAFETY: By the invariant of `NewFolio` the folio is alive, locked and in the swap cache; it
        // was filled, as `Filled` says. The lock goes to `__swap_writepage()`; the reference is put
        // after the last use.
        unsafe {
            bindings::folio_mark_uptodate(folio);
            bindings::folio_set_reclaim(folio);
            bindings::__swap_writepage(&mut ctx, folio);
            bindings::swap_write_submit(&mut ctx);
            bindings::folio_put(folio);
        }
        Ok(())
    }
}

/// No I/O yet.
const NO_IO: bindings::swap_io_ctx = bindings::swap_io_ctx {
    sio: core::ptr::null_mut(),
    sis: core::ptr::null_mut(),
};

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
        let mut reads = Self(Opaque::new(NO_IO));
        let ret = f(&mut reads);
        // SAFETY: By the type invariant it is initialised.
        unsafe { bindings::swap_read_submit(reads.0.get()) };
        ret
    }

    /// Calls `f` with what a C caller has begun to read with.
    ///
    /// # Safety
    ///
    /// `ptr` must be initialised, the caller's alone during the call, and submitted by it later.
    #[inline]
    pub unsafe fn with_raw<R>(
        ptr: *mut bindings::swap_io_ctx,
        f: impl FnOnce(&mut Self) -> R,
    ) -> R {
        // SAFETY: The caller has initialised it, and leaves it to `f` during the call; `Self` is transparent.
        f(unsafe { &mut *ptr.cast() })
    }
}

impl Drop for NewFolio {
    #[inline]
    fn drop(&mut self) {
        let folio = self.0.as_raw();
        // SAFETY: By the type invariant the folio is alive, locked by us and in the swap cache. No
        // `Slots` of it is in use, since those borrow `self`: a subsystem that keeps data for the slot may be
        // told here to forget it, if the slot has no other user any more.
        unsafe {
            bindings::swap_cache_del_folio(folio);
            bindings::folio_unlock(folio);
            bindings::folio_put(folio);
        }
    }
}

/// A folio in the swap cache whose lock is ours to release, and which is to be filled: not
/// uptodate, so that nobody but us looks at its content.
///
/// Dropping it unlocks; finding the folio not uptodate, readers take this for an I/O error.
///
/// # Invariants
///
/// `.0` is the only witness of a lock which is ours to release. The folio is not uptodate, and
/// nobody else accesses its content.
///
/// # Examples
///
/// ```
/// use kernel::mm::{
///     folio::{Contents, Filled},
///     swap::{Load, UnreadFolio},
/// };
///
/// struct Stored;
/// # impl Stored {
/// #     fn decompress<'a>(&self, _page: Contents<'a>) -> Result<Filled<'a>> {
/// #         Err(EIO)
/// #     }
/// # }
///
/// kernel::impl_kept! {
///     impl Kept for Stored { owned: KBox<Stored>, name: c"stored" }
/// }
///
/// // Afterwards the folio is unlocked, unless there is nothing for it.
/// fn load(folio: UnreadFolio<'_>) -> Load<'_, Stored> {
///     // What can't be decompressed stays where it is.
///     folio.load_exclusively::<Stored>(|stored, contents| stored.decompress(contents))
/// }
/// ```
#[must_use = "the folio is unlocked at once if unused"]
pub struct UnreadFolio<'a>(CachedFolio<'a>);

impl<'a> UnreadFolio<'a> {
    /// Hands `f` the lock that a C caller holds, to have the folio loaded from the `T` that is kept
    /// for its slot. Returns what became of the folio: `f` can't say so unasked, but has to load it.
    ///
    /// # Safety
    ///
    /// The caller must hold the folio's lock and hand it over; if the result is
    /// [`NotLoaded::NotStored`], it is the caller's again. The folio must be in the swap cache with
    /// its slots' data nobody's business, not uptodate, with its content nobody's business, and must
    /// be kept alive until this returns (by the reference that the caller or, while the folio is
    /// locked, the swap cache holds).
    #[inline]
    pub unsafe fn with_raw<T: Kept>(
        ptr: *mut bindings::folio,
        f: impl for<'f> FnOnce(UnreadFolio<'f>) -> Load<'f, T>,
    ) -> Result<(), NotLoaded> {
        // SAFETY: The caller hands over the folio's lock, with which it stays in the swap cache, and keeps it
        // alive until this returns. It isn't filled: `UnreadFolio` gives nobody `&mut CachedFolio`, and so
        // no page.
        // INVARIANT: The lock is ours, the folio is not uptodate, and no other task accesses its content, as required.
        match f(UnreadFolio(unsafe { CachedFolio::from_raw(ptr) })) {
            Load::Loaded(_) => Ok(()),
            Load::NotStored(folio) => {
                // The lock goes back to the caller.
                core::mem::forget(folio);
                Err(NotLoaded::NotStored)
            }
            Load::Failed(error, _) => Err(NotLoaded::Failed(error)),
        }
    }

    /// Loads the folio: lets `f` fill it from the `T` that is kept for its slot. If there is none, the
    /// folio is as it was, and `f` isn't asked.
    ///
    /// If `f` fills it, marks the folio uptodate *and dirty*, takes the `T` out of its slot, since the
    /// folio has the only copy now, and unlocks it. If `f` fails, unlocks it, with the slot as it was.
    ///
    /// What can be filled is a folio of one page. A large one is unlocked, and fails with `EINVAL` and
    /// a warning, whatever is kept for its slots: of some of its pages the device may have the data,
    /// and of others a `T`, and nobody can load that. Mirrors `zswap_load()`.
    #[inline]
    pub fn load_exclusively<T: Kept>(
        mut self,
        f: impl for<'e, 'f> FnOnce(Borrowed<'e, T>, Contents<'f>) -> Result<Filled<'f>>,
    ) -> Load<'a, T> {
        let folio = self.0.as_raw();
        // SAFETY: The content is nobody else's, by the type invariant; no page of the folio is asked
        // for below.
        let (mut cached, contents) = unsafe { self.0.split() };
        let Some(contents) = contents else {
            crate::warn_on_once!(true);
            self.unlock();
            return Load::Failed(EINVAL, Abandoned(PhantomData));
        };
        let Some(occupied) = cached.slots::<T>().occupied(0) else {
            return Load::NotStored(NotStored(self, PhantomData));
        };
        match f(occupied.get(), contents) {
            Ok(_filled) => {
                // SAFETY: The folio is alive and locked. It was filled: `Filled` is made from
                // `Contents`, and by its lifetime from that above.
                unsafe {
                    bindings::folio_mark_uptodate(folio);
                    bindings::folio_mark_dirty(folio);
                }
                drop(occupied.take());
                self.unlock();
                Load::Loaded(Completed(PhantomData))
            }
            Err(error) => {
                drop(occupied);
                self.unlock();
                Load::Failed(error, Abandoned(PhantomData))
            }
        }
    }

    /// Unlocks the folio. Mirrors `folio_unlock()`.
    #[inline]
    fn unlock(self) {
        drop(self);
    }
}

/// What came of loading a folio from the `T` that is kept for its slot. Only
/// [`UnreadFolio::load_exclusively`] can say.
#[must_use = "a folio that isn't stored is unlocked at once if unused"]
pub enum Load<'a, T> {
    /// It has its data, and nothing else has. It is unlocked.
    Loaded(Completed<'a>),
    /// There is no `T` for it. It is still locked.
    NotStored(NotStored<'a, T>),
    /// There may be data for it, which can't be had. It is unlocked and not uptodate, so that those
    /// who wait for it get an I/O error.
    Failed(Error, Abandoned<'a>),
}

/// Why a folio wasn't loaded, for the C caller that has handed it over.
pub enum NotLoaded {
    /// There is no data for it. It is still locked.
    NotStored,
    /// There may be data for it, which can't be had. It is unlocked and not uptodate.
    Failed(Error),
}

/// Says that the [`UnreadFolio`] which had the lifetime `'a` has its data and is unlocked: a caller that
/// only forgot it can't say so.
pub struct Completed<'a>(PhantomData<CachedFolio<'a>>);

/// The [`UnreadFolio`] that has the lifetime `'a`, still locked, and that there was no `T` for its slot
/// when that was looked up: a caller that hasn't looked can't say so, and the device would be read, which
/// may have an older page.
///
/// Dropping it unlocks.
pub struct NotStored<'a, T>(
    #[expect(dead_code)] UnreadFolio<'a>,
    PhantomData<fn(T) -> T>,
);

/// Says that the [`UnreadFolio`] which had the lifetime `'a` was unlocked without its data.
pub struct Abandoned<'a>(PhantomData<CachedFolio<'a>>);

impl<'a> Deref for UnreadFolio<'a> {
    type Target = CachedFolio<'a>;

    #[inline]
    fn deref(&self) -> &CachedFolio<'a> {
        &self.0
    }
}

impl Drop for UnreadFolio<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the lock is ours to release.
        unsafe { bindings::folio_unlock(self.0.as_raw()) }
    }
}
