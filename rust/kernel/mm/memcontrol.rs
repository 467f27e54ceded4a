// SPDX-License-Identifier: GPL-2.0

//! Memory cgroups: the part of the interface that zswap uses.
//!
//! With `CONFIG_MEMCG` off, or `cgroup_disable=memory`, no cgroup exists: functions take and return
//! an [`Option`].
//!
//! C header: [`include/linux/memcontrol.h`](srctree/include/linux/memcontrol.h)

use crate::{
    alloc::NumaNode,
    bindings,
    mm::{
        call::Call,
        folio::{
            methods_of_c,
            CachedFolio, //
        },
        vmstat::Event, //
    },
    sync::{
        aref::{
            ARef,
            AlwaysRefCounted, //
        },
        atomic::{
            Atomic,
            Relaxed, //
        },
        rcu, //
    },
    types::Opaque, //
};
use core::ptr::{
    null_mut,
    NonNull, //
};

/// A type of C, whose references are counted by two functions of C.
///
/// # Invariants
///
/// As long as a reference `&TYPE` exists, a counted reference to the object is held.
macro_rules! counted_by_c {
    (
        $(#[$doc:meta])*
        pub struct $type:ident(bindings::$c:ident: bindings::$get:ident, bindings::$put:ident);
    ) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $type(Opaque<bindings::$c>);

        impl $type {
            /// The object, for C.
            #[inline]
            pub fn as_raw(&self) -> *mut bindings::$c {
                self.0.get()
            }
        }

        // SAFETY: Any task may put a reference: the count is a `struct percpu_ref`.
        unsafe impl Send for $type {}
        // SAFETY: C's functions on a shared object do their own locking.
        unsafe impl Sync for $type {}

        // SAFETY: C frees the object when its last reference is put. (That of a root isn't counted
        // and never freed.)
        unsafe impl AlwaysRefCounted for $type {
            #[inline]
            fn inc_ref(&self) {
                // SAFETY: By the type invariant a reference is held.
                unsafe { bindings::$get(self.as_raw()) }
            }

            #[inline]
            unsafe fn dec_ref(obj: NonNull<Self>) {
                // SAFETY: The caller guarantees that it owns a reference, and gives it up; `Self` is
                // transparent.
                unsafe { bindings::$put(obj.as_ptr().cast()) }
            }
        }
    };
}

/// Takes over a reference from C; `None` for null.
///
/// # Safety
///
/// `ptr` must be null, or an object that `T` transparently stands for, with a reference that the
/// caller owns and gives up.
#[inline]
unsafe fn counted<T: AlwaysRefCounted>(ptr: *mut impl Sized) -> Option<ARef<T>> {
    // SAFETY: The caller guarantees that it gives up a reference to such an object.
    NonNull::new(ptr.cast()).map(|ptr| unsafe { ARef::from_raw(ptr) })
}

counted_by_c! {
    /// A memory cgroup. Mirrors `struct mem_cgroup`.
    ///
    /// # Invariants
    ///
    /// As long as a `&MemCgroup` exists, a reference to the cgroup is held: a cgroup that only RCU
    /// protects is never lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::mm::memcontrol::{Cursor, MemCgroup};
    ///
    /// // Each group that there is, the root first.
    /// let mut groups = 0;
    /// let mut cursor = Cursor::new();
    /// loop {
    ///     cursor.advance();
    ///     let Some(memcg) = cursor.get() else { break };
    ///     groups += usize::from(memcg.is_online());
    /// }
    /// assert!(groups > 0 || MemCgroup::disabled());
    /// ```
    pub struct MemCgroup(bindings::mem_cgroup: bindings::mem_cgroup_get, bindings::mem_cgroup_put);
}

impl MemCgroup {
    /// Whether memory cgroups are disabled, at build time or by `cgroup_disable=memory`.
    ///
    /// Mirrors `mem_cgroup_disabled()`.
    #[inline]
    pub fn disabled() -> bool {
        // SAFETY: No requirement.
        unsafe { bindings::mem_cgroup_disabled() }
    }

    /// The cgroup of a C caller, for the time of `call`; `None` for null.
    ///
    /// # Safety
    ///
    /// `ptr` must be null, or point to a cgroup to which a reference is held for that time.
    #[inline]
    pub unsafe fn from_raw_or_null<'a>(
        ptr: *mut bindings::mem_cgroup,
        _call: &'a Call,
    ) -> Option<&'a Self> {
        // SAFETY: The caller guarantees that a reference to the cgroup, if `ptr` isn't null, is
        // held for the time of the call, which outlives `'a`; `Self` is transparent.
        unsafe { ptr.cast::<Self>().as_ref() }
    }

    /// The cgroup, for C; null for `None`.
    #[inline]
    pub fn raw(memcg: Option<&Self>) -> *mut bindings::mem_cgroup {
        memcg.map_or(null_mut(), Self::as_raw)
    }

    methods_of_c! {
        /// Whether the cgroup is online: user space hasn't removed it. Mirrors
        /// `mem_cgroup_online()`.
        pub fn is_online(&self) -> bool { bindings::mem_cgroup_online(self) }
    }

    /// The [`disk_swapins`] of a cgroup on a node, or of the node if `memcg` is `None`. For
    /// [`NumaNode::NO_NODE`], the node is that of this CPU.
    ///
    /// Mirrors `mem_cgroup_lruvec()`.
    pub fn disk_swapins(memcg: Option<&Self>, nid: NumaNode) -> &Atomic<isize> {
        // SAFETY: The cgroup is null, which C accepts, or alive, and owns its state. By the
        // invariant of `NumaNode` the node is possible, and its data is never freed.
        unsafe { disk_swapins(bindings::mem_cgroup_lruvec(Self::raw(memcg), nid.as_raw())) }
    }

    /// The number of the cgroup in cgroupfs; 0 for `None`. Mirrors `mem_cgroup_id()`.
    pub fn id(memcg: Option<&Self>) -> u64 {
        // SAFETY: The cgroup is null, which C accepts, or alive.
        unsafe { bindings::mem_cgroup_id(Self::raw(memcg)) }
    }

    /// What the cgroup and its descendants have in zswap: the bytes of the compressed pages
    /// (`MEMCG_ZSWAP_B`), and the number of pages (`MEMCG_ZSWAPPED`). `None` without `CONFIG_MEMCG`.
    /// Flushes the statistics at a limited rate. May sleep.
    ///
    /// Mirrors `memcg_page_state()`.
    pub fn zswap_usage(&self) -> Option<(usize, usize)> {
        #[cfg(CONFIG_MEMCG)]
        // SAFETY: The cgroup is alive; the items are those of the enum.
        unsafe {
            let state =
                |item: u32| bindings::memcg_page_state(self.as_raw(), item as crate::ffi::c_int);
            bindings::mem_cgroup_flush_stats_ratelimited(self.as_raw());
            Some((
                state(bindings::memcg_stat_item_MEMCG_ZSWAP_B),
                state(bindings::memcg_stat_item_MEMCG_ZSWAPPED),
            ))
        }
        #[cfg(not(CONFIG_MEMCG))]
        None
    }

    /// Whether zswap may write the cgroup's pages back to the swap device: `memory.zswap.writeback`
    /// of `memcg` and its ancestors. True for `None`, and while zswap is disabled.
    ///
    /// Mirrors `mem_cgroup_zswap_writeback_enabled()`.
    #[inline]
    pub fn zswap_writeback_enabled(memcg: Option<&Self>) -> bool {
        // SAFETY: The cgroup is null, which C accepts, or alive; a cgroup pins its ancestors.
        unsafe { bindings::mem_cgroup_zswap_writeback_enabled(Self::raw(memcg)) }
    }
}

/// A position in an iteration over all cgroups, which begins again after the last one.
///
/// # Invariants
///
/// The cgroup, if it isn't `None`, was returned by the last `mem_cgroup_iter()`, and a reference
/// to it is owned by this value.
pub struct Cursor(Option<ARef<MemCgroup>>);

impl Cursor {
    /// A position before the first cgroup.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Advances to the next cgroup, or, after the last one, to the position before the first.
    /// Doesn't sleep.
    ///
    /// Mirrors `mem_cgroup_iter(NULL, prev, NULL)`.
    pub fn advance(&mut self) {
        let prev = self.0.take();
        let prev = prev.map_or(null_mut(), |prev| ARef::into_raw(prev).as_ptr().cast());
        // SAFETY: By the type invariant `prev` is null or from the last call, with a reference,
        // which C puts. C returns a reference. (The root is never freed: C takes no reference to
        // it, and putting one does nothing.) `MemCgroup` is transparent.
        self.0 = unsafe { counted(bindings::mem_cgroup_iter(null_mut(), prev, null_mut())) };
    }

    /// The cgroup at this position; `None` before the first.
    pub fn get(&self) -> Option<&MemCgroup> {
        self.0.as_deref()
    }

    /// A reference to the cgroup at this position, if it is online.
    ///
    /// Mirrors `mem_cgroup_tryget_online()`.
    pub fn tryget_online(&self) -> Option<ARef<MemCgroup>> {
        let memcg = self.get()?;
        // SAFETY: The cgroup is alive. C takes a reference if it returns true.
        unsafe {
            bindings::mem_cgroup_tryget_online(memcg.as_raw())
                .then(|| ARef::from_raw(NonNull::from(memcg)))
        }
    }
}

impl CachedFolio<'_> {
    /// Whether zswap may write the pages of the folio's cgroup back to the swap device: see
    /// [`MemCgroup::zswap_writeback_enabled`].
    #[inline]
    pub fn zswap_writeback_enabled(&self) -> bool {
        let _rcu = rcu::read_lock();
        // SAFETY: The folio is alive. The cgroup that it is charged to is read under the RCU read
        // lock, and isn't freed while this lock is held; a cgroup pins its ancestors.
        unsafe {
            bindings::mem_cgroup_zswap_writeback_enabled(bindings::folio_memcg(self.as_raw()))
        }
    }

    /// Counts the swap-in of a page from the device: see [`disk_swapins`]. Mirrors
    /// `zswap_folio_swapin()`.
    #[inline]
    pub fn count_disk_swapin(&self) {
        let _rcu = rcu::read_lock();
        // SAFETY: The folio is alive. The `struct lruvec` that `folio_lruvec()` returns isn't freed
        // while the RCU read lock is held, as memcontrol.h documents.
        unsafe { disk_swapins(bindings::folio_lruvec(self.as_raw())) }.fetch_add(1, Relaxed);
    }
}

counted_by_c! {
    /// The target of an object's charge (objcg): refers to a memory cgroup or, once that is offline, to
    /// an ancestor. Mirrors `struct obj_cgroup`.
    pub struct ObjCgroup(bindings::obj_cgroup: bindings::obj_cgroup_get, bindings::obj_cgroup_put);
}

impl ObjCgroup {
    /// The objcg that objects for the data of `folio` are to be charged to; `None` if the
    /// folio isn't charged, as without `CONFIG_MEMCG`.
    ///
    /// Mirrors `get_obj_cgroup_from_folio()`.
    #[inline]
    pub fn of_folio(folio: &CachedFolio<'_>) -> Option<ARef<Self>> {
        // SAFETY: The folio is alive and locked. As memcontrol.h documents, the lock makes its
        // binding to its objcg stable. C returns a reference or null; `Self` is transparent.
        unsafe { counted(bindings::get_obj_cgroup_from_folio(folio.as_raw())) }
    }

    /// A reference to the cgroup that the objcg refers to now; `None` without `CONFIG_MEMCG`.
    ///
    /// Mirrors `get_mem_cgroup_from_objcg()`.
    #[inline]
    pub fn memcg(&self) -> Option<ARef<MemCgroup>> {
        // SAFETY: `self` is alive. C returns a reference or null; `MemCgroup` is transparent.
        unsafe { counted(bindings::get_mem_cgroup_from_objcg(self.as_raw())) }
    }

    methods_of_c! {
        /// The cgroup that the objcg refers to now, valid while the RCU read lock is held; null
        /// without `CONFIG_MEMCG`.
        ///
        /// Mirrors `obj_cgroup_memcg()`.
        pub fn memcg_rcu(&self, _rcu: &rcu::Guard) -> *mut bindings::mem_cgroup {
            bindings::obj_cgroup_memcg(self)
        }

        /// Whether the cgroup and its ancestors are below their `memory.zswap.max`. May sleep.
        ///
        /// Mirrors `obj_cgroup_may_zswap()`.
        pub fn may_zswap(&self) -> bool { bindings::obj_cgroup_may_zswap(self) }

        /// Counts `delta` events for the cgroup; warns of an event that cgroups don't count.
        /// Mirrors `count_objcg_events()`.
        pub fn count(&self, event: Event, delta: usize) {
            bindings::count_objcg_events(self, event.0, delta)
        }
    }
}

/// The number of pages that were swapped in from a swap device rather than from zswap, and that the
/// shrinker has not deducted yet, on a node, or of a cgroup on it. Mirrors `nr_disk_swapins` of
/// `struct zswap_lruvec_state`.
///
/// # Safety
///
/// `lruvec` must point to a `struct lruvec` that isn't freed during `'a`.
#[inline]
pub unsafe fn disk_swapins<'a>(lruvec: *mut bindings::lruvec) -> &'a Atomic<isize> {
    // SAFETY: The caller guarantees that the field isn't freed. C accesses it by atomic operations
    // only.
    unsafe {
        Atomic::from_ptr((&raw mut (*lruvec).zswap_lruvec_state.nr_disk_swapins.counter).cast())
    }
}
