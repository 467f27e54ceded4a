// SPDX-License-Identifier: GPL-2.0

//! Memory cgroups, as zswap charges them.
//!
//! With `CONFIG_MEMCG` off, or `cgroup_disable=memory`, there is no group anywhere: everything
//! that could have one has an [`Option`].
//!
//! C header: [`include/linux/memcontrol.h`](srctree/include/linux/memcontrol.h)

use crate::{
    bindings,
    mm::{folio::CachedFolio, vmstat::Event},
    sync::{
        aref::{
            ARef,
            AlwaysRefCounted, //
        },
        atomic::Atomic,
        rcu,
    },
    types::Opaque,
};
use core::{
    ops::Deref,
    ptr::NonNull, //
};

/// A memory cgroup. Mirrors `struct mem_cgroup`.
#[repr(transparent)]
pub struct MemCgroup(Opaque<bindings::mem_cgroup>);

impl MemCgroup {
    /// The group that `folio` is charged to now. Mirrors `folio_memcg()`.
    ///
    /// The folio's lock doesn't keep the group: it lives as long as the RCU read section.
    pub fn of_folio<'rcu>(folio: &CachedFolio<'_>, _rcu: &'rcu rcu::Guard) -> Option<&'rcu Self> {
        // SAFETY: The folio is alive. What it is charged to is read under RCU, as `folio_memcg()`
        // wants, and the group isn't freed before `'rcu` ends. `Self` is transparent.
        unsafe {
            bindings::folio_memcg(folio.as_raw())
                .cast::<Self>()
                .as_ref()
        }
    }

    /// Whether what `memcg` has in zswap may go on to the swap device: `memory.zswap.writeback` of
    /// it and its ancestors. True without a group, and while zswap is disabled.
    ///
    /// Mirrors `mem_cgroup_zswap_writeback_enabled()`.
    pub fn zswap_writeback_enabled(memcg: Option<&Self>) -> bool {
        let memcg = memcg.map_or(core::ptr::null_mut(), |memcg| memcg.0.get());
        // SAFETY: `memcg` is null, which C takes, or alive; a group keeps its ancestors.
        unsafe { bindings::mem_cgroup_zswap_writeback_enabled(memcg) }
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
    /// The group that objects made from `folio` are to be charged to.
    ///
    /// Mirrors `get_obj_cgroup_from_folio()`.
    pub fn of_folio(folio: &CachedFolio<'_>) -> Option<ARef<Self>> {
        // SAFETY: The folio is alive and locked, which binds it to its group, as memcontrol.h says.
        let objcg = unsafe { bindings::get_obj_cgroup_from_folio(folio.as_raw()) };
        // SAFETY: C has got a reference for us; `Self` is transparent.
        NonNull::new(objcg.cast()).map(|objcg| unsafe { ARef::from_raw(objcg) })
    }

    /// Whether the group and its ancestors are below their `memory.zswap.max`. May sleep.
    ///
    /// Mirrors `obj_cgroup_may_zswap()`.
    pub fn may_zswap(&self) -> bool {
        // SAFETY: `self` is alive.
        unsafe { bindings::obj_cgroup_may_zswap(self.0.get()) }
    }

    /// Counts events for the group. Mirrors `count_objcg_events()`.
    #[inline]
    pub fn count(&self, event: Event, delta: usize) {
        // SAFETY: `self` is alive; `event` is an index of the counters.
        unsafe { bindings::count_objcg_events(self.0.get(), event.as_raw(), delta) }
    }
}

/// The reclaim state of a node, or of a cgroup on it. Mirrors `struct lruvec`.
#[repr(transparent)]
pub struct LruVec(Opaque<bindings::lruvec>);

impl LruVec {
    /// # Safety
    ///
    /// `ptr` must point to a `struct lruvec` that isn't freed during `'a`.
    #[inline]
    pub unsafe fn from_raw<'a>(ptr: *mut bindings::lruvec) -> &'a Self {
        // SAFETY: By the requirement; `Self` is transparent.
        unsafe { &*ptr.cast() }
    }

    /// The state that `folio` is charged to now. Mirrors `folio_lruvec()`.
    #[inline]
    pub fn of_folio<'rcu>(folio: &CachedFolio<'_>, _rcu: &'rcu rcu::Guard) -> &'rcu Self {
        // SAFETY: The folio is alive; what `folio_lruvec()` finds isn't freed while the RCU read
        // lock is held, as it says.
        unsafe { Self::from_raw(bindings::folio_lruvec(folio.as_raw())) }
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

/// An object in zswap whose size is known.
pub trait ZswapObject {
    /// Bytes that the object takes in the pool: always the same number.
    fn bytes(&self) -> usize;
}

/// A zswap object with what it is charged to: the charge ends with the object.
///
/// # Invariants
///
/// If there is a group, `object.bytes()` and one page are charged to it.
pub struct ZswapCharged<O: ZswapObject> {
    object: O,
    objcg: Option<ARef<ObjCgroup>>,
}

impl<O: ZswapObject> ZswapCharged<O> {
    /// Charges `object` to `objcg`: its bytes to the group's memory, and to its zswap counters.
    ///
    /// Mirrors `obj_cgroup_charge_zswap()`, which is for reclaim (`PF_MEMALLOC`): that isn't refused
    /// memory. In other tasks C warns, and a charge that its limit refuses would be given back all
    /// the same. May sleep.
    #[inline]
    pub fn new(object: O, objcg: Option<ARef<ObjCgroup>>) -> Self {
        if let Some(objcg) = &objcg {
            // SAFETY: We have a reference.
            unsafe { bindings::obj_cgroup_charge_zswap(objcg.0.get(), object.bytes()) }
        }
        // INVARIANT: Just charged.
        Self { object, objcg }
    }

    /// The group that the object is charged to.
    #[inline]
    pub fn objcg(&self) -> Option<&ObjCgroup> {
        self.objcg.as_deref()
    }
}

impl<O: ZswapObject> Deref for ZswapCharged<O> {
    type Target = O;

    #[inline]
    fn deref(&self) -> &O {
        &self.object
    }
}

impl<O: ZswapObject> Drop for ZswapCharged<O> {
    #[inline]
    fn drop(&mut self) {
        if let Some(objcg) = &self.objcg {
            // SAFETY: We have a reference, and by the type invariant that much is charged.
            unsafe { bindings::obj_cgroup_uncharge_zswap(objcg.0.get(), self.object.bytes()) }
        }
    }
}
