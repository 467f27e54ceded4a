// SPDX-License-Identifier: GPL-2.0

//! Memory cgroups, as zswap charges them.
//!
//! With `CONFIG_MEMCG` off, or `cgroup_disable=memory`, there is no group anywhere: everything
//! that could have one has an [`Option`].
//!
//! C header: [`include/linux/memcontrol.h`](srctree/include/linux/memcontrol.h)

use crate::{
    alloc::NumaNode,
    bindings,
    mm::{
        call::Call,
        folio::CachedFolio,
        trace_event::EventField,
        vmstat::Event, //
    },
    sync::{
        aref::{
            ARef,
            AlwaysRefCounted, //
        },
        atomic::Atomic,
        rcu, //
    },
    types::Opaque, //
};
use core::ptr::NonNull;

/// A memory cgroup. Mirrors `struct mem_cgroup`.
///
/// # Invariants
///
/// Somebody has a reference to values of this type: one that RCU alone keeps is never lent.
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
#[repr(transparent)]
pub struct MemCgroup(Opaque<bindings::mem_cgroup>);

// SAFETY: References may be put anywhere; they are a percpu_ref.
unsafe impl Send for MemCgroup {}
// SAFETY: All that C does with a shared `struct mem_cgroup` does its own locking.
unsafe impl Sync for MemCgroup {}

// SAFETY: A `struct mem_cgroup` lives until its last reference is put.
unsafe impl AlwaysRefCounted for MemCgroup {
    fn inc_ref(&self) {
        // SAFETY: By the type invariant a reference exists.
        unsafe { bindings::mem_cgroup_get(self.0.get()) }
    }

    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: The caller gives up a reference; `Self` is transparent.
        unsafe { bindings::mem_cgroup_put(obj.as_ptr().cast()) }
    }
}

/// Bytes and pages that a group has in zswap.
pub struct ZswapUsage {
    /// Bytes of memory that they take.
    pub bytes: usize,
    /// Pages.
    pub pages: usize,
}

impl MemCgroup {
    /// Whether cgroups are disabled at build time or by `cgroup_disable=memory`: there are none.
    ///
    /// Mirrors `mem_cgroup_disabled()`.
    #[inline]
    pub fn disabled() -> bool {
        // SAFETY: No requirement.
        unsafe { bindings::mem_cgroup_disabled() }
    }

    /// A group that C has lent for the time of `call`, or none.
    ///
    /// # Safety
    ///
    /// `ptr` must be null or point to a group that somebody has a reference to for that time.
    #[inline]
    pub unsafe fn from_raw_or_null<'a>(
        ptr: *mut bindings::mem_cgroup,
        _call: &'a Call,
    ) -> Option<&'a Self> {
        // SAFETY: The caller guarantees that the group, if there is one, has a reference for the time of the call,
        // which outlives `'a`; `Self` is transparent.
        unsafe { ptr.cast::<Self>().as_ref() }
    }

    /// Null for no group, which is how C has it.
    #[inline]
    pub fn raw(memcg: Option<&Self>) -> *mut bindings::mem_cgroup {
        memcg.map_or(core::ptr::null_mut(), |memcg| memcg.0.get())
    }

    /// Whether the group is in use: not removed by its user. Mirrors `mem_cgroup_online()`.
    #[inline]
    pub fn is_online(&self) -> bool {
        // SAFETY: The group is alive.
        unsafe { bindings::mem_cgroup_online(self.0.get()) }
    }

    /// What the group and its descendants have in zswap; `None` with cgroups disabled at build
    /// time. May flush statistics, but not often. May sleep.
    ///
    /// Mirrors `memcg_page_state()` of `MEMCG_ZSWAP_B` and `MEMCG_ZSWAPPED`.
    pub fn zswap_usage(&self) -> Option<ZswapUsage> {
        #[cfg(CONFIG_MEMCG)]
        // SAFETY: The group is alive; the items are those of the enum.
        unsafe {
            bindings::mem_cgroup_flush_stats_ratelimited(self.0.get());
            Some(ZswapUsage {
                bytes: bindings::memcg_page_state(
                    self.0.get(),
                    bindings::memcg_stat_item_MEMCG_ZSWAP_B as crate::ffi::c_int,
                ),
                pages: bindings::memcg_page_state(
                    self.0.get(),
                    bindings::memcg_stat_item_MEMCG_ZSWAPPED as crate::ffi::c_int,
                ),
            })
        }
        #[cfg(not(CONFIG_MEMCG))]
        None
    }

    /// Whether what `memcg` has in zswap may go on to the swap device: `memory.zswap.writeback` of
    /// it and its ancestors. True without a group, and while zswap is disabled.
    ///
    /// Mirrors `mem_cgroup_zswap_writeback_enabled()`.
    #[inline]
    pub fn zswap_writeback_enabled(memcg: Option<&Self>) -> bool {
        // SAFETY: It is null, which C takes, or alive; a group keeps its ancestors.
        unsafe { bindings::mem_cgroup_zswap_writeback_enabled(Self::raw(memcg)) }
    }
}

// SAFETY: Null, or a group that is borrowed.
unsafe impl EventField for Option<&MemCgroup> {
    type Raw = *mut bindings::mem_cgroup;

    #[inline(always)]
    fn into_raw(self) -> *mut bindings::mem_cgroup {
        MemCgroup::raw(self)
    }
}

/// A place in the endless round over all groups.
///
/// # Invariants
///
/// The group, if there is one, is what `mem_cgroup_iter()` has returned last, with a reference.
pub struct Cursor(Option<ARef<MemCgroup>>);

impl Cursor {
    /// Before the first.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Goes on to the next group, or, after the last, to none. Doesn't sleep.
    ///
    /// Mirrors `mem_cgroup_iter(NULL, prev, NULL)`.
    pub fn advance(&mut self) {
        let prev = self.0.take().map_or(core::ptr::null_mut(), |prev| {
            ARef::into_raw(prev).as_ptr().cast::<bindings::mem_cgroup>()
        });
        // SAFETY: By the type invariant `prev` is from the last call, with the reference that C
        // puts.
        let next = unsafe {
            bindings::mem_cgroup_iter(core::ptr::null_mut(), prev, core::ptr::null_mut())
        };
        // SAFETY: C has got a reference for us (of the root, which is never freed, it needs none, and
        // putting one does nothing); `MemCgroup` is transparent.
        self.0 = NonNull::new(next.cast()).map(|next| unsafe { ARef::from_raw(next) });
    }

    /// The group that it is at.
    pub fn get(&self) -> Option<&MemCgroup> {
        self.0.as_deref()
    }

    /// A reference to the group that it is at, if that is online.
    ///
    /// Mirrors `mem_cgroup_tryget_online()`.
    pub fn tryget_online(&self) -> Option<ARef<MemCgroup>> {
        let memcg = self.get()?;
        // SAFETY: The group is alive.
        if !unsafe { bindings::mem_cgroup_tryget_online(memcg.0.get()) } {
            return None;
        }
        // SAFETY: C has got a reference for us.
        Some(unsafe { ARef::from_raw(NonNull::from(memcg)) })
    }
}

impl Default for Cursor {
    fn default() -> Self {
        Self::new()
    }
}

impl CachedFolio<'_> {
    /// Whether what the folio's group has in zswap may go on to the swap device: see
    /// [`MemCgroup::zswap_writeback_enabled`].
    #[inline]
    pub fn zswap_writeback_enabled(&self) -> bool {
        let _rcu = rcu::read_lock();
        // SAFETY: The folio is alive. The group that it is charged to is read under RCU, and isn't
        // freed before the end of this section; a group keeps its ancestors.
        unsafe {
            bindings::mem_cgroup_zswap_writeback_enabled(bindings::folio_memcg(self.as_raw()))
        }
    }
}

/// What a kernel object is charged to: stands for a memory cgroup, and after that one's death for
/// its parent. Mirrors `struct obj_cgroup`.
#[repr(transparent)]
pub struct ObjCgroup(Opaque<bindings::obj_cgroup>);

// SAFETY: References may be put anywhere; they are a percpu_ref.
unsafe impl Send for ObjCgroup {}
// SAFETY: All that C does with a shared `struct obj_cgroup` does its own locking.
unsafe impl Sync for ObjCgroup {}

// SAFETY: A `struct obj_cgroup` lives until its last reference is put, and that of a root group for
// ever (its references aren't counted).
unsafe impl AlwaysRefCounted for ObjCgroup {
    #[inline]
    fn inc_ref(&self) {
        // SAFETY: A reference exists, else there were no `&self`.
        unsafe { bindings::obj_cgroup_get(self.0.get()) }
    }

    #[inline]
    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: The caller gives up a reference; `Self` is transparent.
        unsafe { bindings::obj_cgroup_put(obj.as_ptr().cast()) }
    }
}

impl ObjCgroup {
    /// The group, for C.
    #[inline]
    pub fn as_raw(&self) -> *mut bindings::obj_cgroup {
        self.0.get()
    }

    /// The group that objects made from `folio` are to be charged to.
    ///
    /// Mirrors `get_obj_cgroup_from_folio()`.
    #[inline]
    pub fn of_folio(folio: &CachedFolio<'_>) -> Option<ARef<Self>> {
        // SAFETY: The folio is alive and locked, which binds it to its group, as memcontrol.h says.
        let objcg = unsafe { bindings::get_obj_cgroup_from_folio(folio.as_raw()) };
        // SAFETY: C has got a reference for us; `Self` is transparent.
        NonNull::new(objcg.cast()).map(|objcg| unsafe { ARef::from_raw(objcg) })
    }

    /// Whether the group and its ancestors are below their `memory.zswap.max`. May sleep.
    ///
    /// Mirrors `obj_cgroup_may_zswap()`.
    #[inline]
    pub fn may_zswap(&self) -> bool {
        // SAFETY: `self` is alive.
        unsafe { bindings::obj_cgroup_may_zswap(self.0.get()) }
    }

    /// The group that it stands for now; none without `CONFIG_MEMCG`.
    ///
    /// Mirrors `get_mem_cgroup_from_objcg()`.
    #[inline]
    pub fn memcg(&self) -> Option<ARef<MemCgroup>> {
        // SAFETY: `self` is alive.
        let memcg = unsafe { bindings::get_mem_cgroup_from_objcg(self.0.get()) };
        // SAFETY: C has got a reference for us; `MemCgroup` is transparent.
        NonNull::new(memcg.cast()).map(|memcg| unsafe { ARef::from_raw(memcg) })
    }

    /// The group that it stands for now, as long as the RCU read section.
    ///
    /// Mirrors `obj_cgroup_memcg()`.
    #[inline]
    pub fn memcg_rcu(&self, _rcu: &rcu::Guard) -> *mut bindings::mem_cgroup {
        // SAFETY: `self` is alive, and the RCU read lock is held.
        unsafe { bindings::obj_cgroup_memcg(self.0.get()) }
    }

    /// Counts events for the group. Mirrors `count_objcg_events()`.
    #[inline]
    pub fn count(&self, event: Event, delta: usize) {
        // SAFETY: `self` is alive. C has looked up which events a group counts, and warns of others.
        unsafe { bindings::count_objcg_events(self.0.get(), event.as_raw(), delta) }
    }
}

/// The reclaim state of a node, or of a cgroup on it. Mirrors `struct lruvec`.
#[repr(transparent)]
pub struct LruVec(Opaque<bindings::lruvec>);

impl LruVec {
    /// The state that C has lent for the time of `call`.
    ///
    /// # Safety
    ///
    /// `ptr` must point to a `struct lruvec` that isn't freed in that time.
    #[inline]
    pub unsafe fn from_c<'a>(ptr: *mut bindings::lruvec, _call: &'a Call) -> &'a Self {
        // SAFETY: The caller guarantees that the `struct lruvec` isn't freed in the time of the call, which outlives
        // `'a`; `Self` is transparent.
        unsafe { &*ptr.cast() }
    }

    /// The state of a group on a node; of the node, without a group.
    ///
    /// Mirrors `mem_cgroup_lruvec()`.
    pub fn of(memcg: Option<&MemCgroup>, nid: NumaNode) -> Option<&Self> {
        if nid == NumaNode::NO_NODE {
            return None;
        }
        // SAFETY: The group is null, which C takes, or alive, and keeps its state; the node is one
        // that there can be, by the invariant of `NumaNode`, and has its data for ever. `Self` is transparent.
        unsafe {
            let node = bindings::NODE_DATA(nid.as_raw());
            let lruvec = bindings::mem_cgroup_lruvec(MemCgroup::raw(memcg), node);
            Some(&*lruvec.cast())
        }
    }

    /// The state that `folio` is charged to now. The caller must not sleep while it uses the result: without
    /// `CONFIG_PREEMPT_RCU` the read section ends with that, and the group may be freed. No type excludes it.
    /// Mirrors `folio_lruvec()`.
    #[inline]
    pub fn of_folio<'rcu>(folio: &CachedFolio<'_>, _rcu: &'rcu rcu::Guard) -> &'rcu Self {
        // SAFETY: The folio is alive; what `folio_lruvec()` finds isn't freed while the RCU read
        // lock is held, as it says; `Self` is transparent.
        unsafe { &*bindings::folio_lruvec(folio.as_raw()).cast() }
    }

    /// Pages that came back from a swap device rather than from zswap, since the shrinker last
    /// took note. Mirrors `struct zswap_lruvec_state`.
    #[cfg(CONFIG_ZSWAP)]
    #[inline]
    pub fn nr_disk_swapins(&self) -> &Atomic<isize> {
        // SAFETY: The field is part of `self`, and C accesses it by atomic operations only.
        unsafe {
            Atomic::from_ptr(
                (&raw mut (*self.0.get()).zswap_lruvec_state.nr_disk_swapins.counter).cast(),
            )
        }
    }
}
