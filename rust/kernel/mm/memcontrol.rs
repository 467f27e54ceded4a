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
        folio::CachedFolio,
        memalloc::Memalloc,
        vmstat::Event, //
    },
    page::PAGE_SIZE,
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
    marker::PhantomData,
    ops::Deref,
    ptr::NonNull, //
};

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

    /// Lends a group that C has lent, for the call of `f` and no longer.
    ///
    /// # Safety
    ///
    /// `ptr` must be null or point to a group that somebody has a reference to until this returns.
    #[inline]
    pub unsafe fn with_raw<R>(
        ptr: *mut bindings::mem_cgroup,
        f: impl for<'a> FnOnce(Option<&'a Self>) -> R,
    ) -> R {
        // SAFETY: The caller guarantees that the group, if there is one, has a reference until this returns:
        // longer than the call of `f`, which takes any lifetime, and so can keep nothing.
        f(unsafe { Self::from_raw(ptr) })
    }

    /// # Safety
    ///
    /// `ptr` must be null or point to a group that somebody has a reference to during `'a`, which
    /// the caller must see to: no code that it calls may choose it.
    pub(crate) unsafe fn from_raw<'a>(ptr: *mut bindings::mem_cgroup) -> Option<&'a Self> {
        // SAFETY: The caller guarantees that `ptr` is null or that the group has a reference during `'a`;
        // `Self` is transparent.
        unsafe { ptr.cast::<Self>().as_ref() }
    }

    /// Null for no group, which is how C has it.
    #[inline]
    pub(crate) fn raw(memcg: Option<&Self>) -> *mut bindings::mem_cgroup {
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
    pub(crate) fn memcg_rcu(&self, _rcu: &rcu::Guard) -> *mut bindings::mem_cgroup {
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
    /// Lends the state that C has lent, for the call of `f` and no longer.
    ///
    /// # Safety
    ///
    /// `ptr` must point to a `struct lruvec` that isn't freed before this returns.
    #[inline]
    pub unsafe fn with_raw<R>(
        ptr: *mut bindings::lruvec,
        f: impl for<'a> FnOnce(&'a Self) -> R,
    ) -> R {
        // SAFETY: The caller guarantees that the `struct lruvec` isn't freed before this returns: longer than
        // the call of `f`, which takes any lifetime, and so can keep nothing.
        f(unsafe { Self::from_raw(ptr) })
    }

    /// # Safety
    ///
    /// `ptr` must point to a `struct lruvec` that isn't freed during `'a`.
    #[inline]
    unsafe fn from_raw<'a>(ptr: *mut bindings::lruvec) -> &'a Self {
        // SAFETY: The caller guarantees that the `struct lruvec` isn't freed during `'a`; `Self` is
        // transparent.
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
        // that there can be, by the invariant of `NumaNode`, and has its data for ever.
        unsafe {
            let node = bindings::NODE_DATA(nid.as_raw());
            let lruvec = bindings::mem_cgroup_lruvec(MemCgroup::raw(memcg), node);
            Some(Self::from_raw(lruvec))
        }
    }

    /// The state that `folio` is charged to now. The caller must not sleep while it uses the result: without
    /// `CONFIG_PREEMPT_RCU` the read section ends with that, and the group may be freed. No type excludes it.
    /// Mirrors `folio_lruvec()`.
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
///
/// # Safety
///
/// `bytes()` must return the same number always: what is charged for is uncharged. It must be neither 0
/// nor more than `i32::MAX`: C counts in an `int`.
pub unsafe trait ZswapObject {
    /// Bytes that the object takes in the pool.
    fn bytes(&self) -> usize;
}

/// Something that is charged to one group, or to none, as long as it lives.
///
/// # Safety
///
/// `objcg()` must return the same for as long as the value is only shared.
pub unsafe trait HasObjCgroup {
    /// The group that it is charged to.
    fn objcg(&self) -> Option<&ObjCgroup>;
}

// SAFETY: A reference that is only shared stays what it is.
unsafe impl HasObjCgroup for Option<ARef<ObjCgroup>> {
    #[inline]
    fn objcg(&self) -> Option<&ObjCgroup> {
        self.as_deref()
    }
}

// SAFETY: It is a field that changes only through `&mut self`.
unsafe impl<O: ZswapObject> HasObjCgroup for ZswapCharged<O> {
    #[inline]
    fn objcg(&self) -> Option<&ObjCgroup> {
        self.objcg.as_deref()
    }
}

/// A zswap object with what it is charged to: the charge ends with the object.
///
/// Invariant in `O`: how much is uncharged is said by the type, and a subtype can say otherwise.
///
/// # Invariants
///
/// If there is a group, `object.bytes()` and one page are charged to it, and the reference is ours.
pub struct ZswapCharged<O: ZswapObject> {
    object: O,
    objcg: Option<ARef<ObjCgroup>>,
    _invariant: PhantomData<fn(O) -> O>,
}

impl<O: ZswapObject> ZswapCharged<O> {
    /// An object that is charged to nobody yet: see [`charge_all`].
    #[inline]
    pub const fn new(object: O) -> Self {
        // INVARIANT: There is no group.
        Self {
            object,
            objcg: None,
            _invariant: PhantomData,
        }
    }

    /// Ends the charge, together with those that `uncharges` has collected.
    #[inline]
    pub fn uncharge(&mut self, uncharges: &mut Uncharges) {
        if let Some(objcg) = self.objcg.take() {
            uncharges.add(objcg, self.object.bytes());
        }
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
            // SAFETY: We have a reference, and by the type invariant that much is charged: the
            // number is what it was.
            unsafe { bindings::obj_cgroup_uncharge_zswap(objcg.0.get(), self.object.bytes()) }
        }
    }
}

/// What zswap objects come to.
///
/// # Invariants
///
/// No number is larger than `i32::MAX`.
#[derive(Clone, Copy, Default)]
struct Sum {
    bytes: usize,
    objects: usize,
    /// Objects of a page's bytes.
    incompressible: usize,
}

impl Sum {
    /// Whether an object of `bytes`, as a [`ZswapObject`] has, can be added: `mod_memcg_state()` takes
    /// an `int`, and `obj_cgroup_uncharge()` counts in an `unsigned int`.
    #[inline]
    fn has_room(&self, bytes: usize) -> bool {
        self.bytes.wrapping_add(bytes) <= i32::MAX as usize
    }

    /// Only if [`has_room`](Self::has_room).
    #[inline]
    fn add(&mut self, bytes: usize) {
        // INVARIANT: There is room for the bytes; each object has at least one.
        self.bytes = self.bytes.wrapping_add(bytes);
        self.objects = self.objects.wrapping_add(1);
        self.incompressible = self
            .incompressible
            .wrapping_add((bytes == PAGE_SIZE).into());
    }

    /// Charges it to the group, and takes a reference for each object. May sleep.
    #[inline]
    fn charge(&self, objcg: &ObjCgroup, _memalloc: &Memalloc) {
        if self.objects == 0 {
            return;
        }
        // SAFETY: The group is alive, as it is lent, and so has a reference.
        unsafe { bindings::obj_cgroup_get_many(objcg.0.get(), self.objects) };
        if !objcg.takes_zswap() {
            return;
        }
        // SAFETY: The group is alive, and by the witness `PF_MEMALLOC` is set, so that C may allocate.
        let refused =
            unsafe { bindings::obj_cgroup_charge(objcg.0.get(), bindings::GFP_KERNEL, self.bytes) };
        crate::warn_on_once!(refused != 0);
        self.count(objcg, 1);
    }

    /// Charges it, and starts anew: for a run of more than 2 GiB.
    #[cold]
    #[inline(never)]
    fn charge_early(&mut self, objcg: &ObjCgroup, memalloc: &Memalloc) {
        core::mem::take(self).charge(objcg, memalloc);
    }

    /// Adds it to the group's zswap counters, or takes it off: `sign` is 1 or -1. Not inlined, to keep its
    /// locals out of the stack frames of its callers.
    #[inline(never)]
    fn count(&self, objcg: &ObjCgroup, sign: i32) {
        let rcu = rcu::read_lock();
        let memcg = objcg.memcg_rcu(&rcu);
        let count = |item, n: usize| {
            // By the type invariant `n` is an `i32`.
            // SAFETY: RCU keeps the group; the items are those of the enum.
            unsafe { bindings::mod_memcg_state(memcg, item, (n as i32).wrapping_mul(sign)) }
        };
        count(bindings::memcg_stat_item_MEMCG_ZSWAP_B, self.bytes);
        count(bindings::memcg_stat_item_MEMCG_ZSWAPPED, self.objects);
        if self.incompressible != 0 {
            count(
                bindings::memcg_stat_item_MEMCG_ZSWAP_INCOMP,
                self.incompressible,
            );
        }
    }
}

impl ObjCgroup {
    /// Whether zswap objects are charged to it: not to the root, and only on the default hierarchy.
    #[inline]
    fn takes_zswap(&self) -> bool {
        // SAFETY: `self` is alive.
        unsafe { bindings::memcg_on_dfl() && !bindings::obj_cgroup_is_root(self.0.get()) }
    }
}

/// Charges `objects` to `objcg`, together: their bytes to the group's memory, and to its zswap counters.
/// May sleep. Without a group they are charged to nobody.
///
/// Mirrors `obj_cgroup_charge_zswap()` of each, which must not fail, as it doesn't in a task that
/// allocates from the reserves.
#[inline]
pub fn charge_all<'o, O: ZswapObject + 'o>(
    objcg: Option<&ObjCgroup>,
    objects: impl Iterator<Item = &'o mut ZswapCharged<O>>,
    memalloc: &Memalloc,
) {
    let mut sum = Sum::default();
    for charged in objects {
        if charged.objcg.is_some() {
            Uncharges::together(|uncharges| charged.uncharge(uncharges));
        }
        if let Some(objcg) = objcg {
            if !sum.has_room(charged.object.bytes()) {
                sum.charge_early(objcg, memalloc);
            }
            sum.add(charged.object.bytes());
            // INVARIANT: Charged by `sum.charge()`, before any other access: see below.
            // SAFETY: The group is alive. The reference is taken by `sum.charge()`, before this function
            // returns. It can't be put sooner: `&'o mut` lends the object to us alone for `'o`, which
            // outlives the call, so neither the iterator nor another task can reach it again.
            charged.objcg = Some(unsafe { ARef::from_raw(NonNull::from(objcg)) });
        }
    }
    if let Some(objcg) = objcg {
        sum.charge(objcg, memalloc);
    }
}

/// Charges that end together, with one call of C for a run of objects of one group.
///
/// # Invariants
///
/// `sum` is charged to the group, and `sum.objects` references to it are ours; it is nothing without one.
pub struct Uncharges {
    objcg: Option<NonNull<ObjCgroup>>,
    sum: Sum,
}

impl Uncharges {
    /// Calls `f` with none, and ends those that it has collected. Any context but NMI.
    #[inline]
    pub fn together<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        let mut uncharges = Self {
            objcg: None,
            sum: Sum::default(),
        };
        let ret = f(&mut uncharges);
        uncharges.end();
        ret
    }

    /// Takes over a charge of one object of `bytes`, with the reference.
    #[inline]
    fn add(&mut self, objcg: ARef<ObjCgroup>, bytes: usize) {
        let objcg = ARef::into_raw(objcg);
        if self.objcg != Some(objcg) || !self.sum.has_room(bytes) {
            self.end();
            self.objcg = Some(objcg);
        }
        // INVARIANT: The charge and the reference are ours now.
        self.sum.add(bytes);
    }

    /// Mirrors `obj_cgroup_uncharge_zswap()` and `obj_cgroup_put()` of each.
    fn end(&mut self) {
        let Some(objcg) = self.objcg.take() else {
            return;
        };
        let sum = core::mem::take(&mut self.sum);
        // SAFETY: By the type invariant we have references, until they are put.
        let group = unsafe { objcg.as_ref() };
        if group.takes_zswap() {
            // SAFETY: By the type invariant that much is charged.
            unsafe { bindings::obj_cgroup_uncharge(group.0.get(), sum.bytes) };
            sum.count(group, -1);
        }
        // SAFETY: By the type invariant these are ours.
        unsafe { bindings::obj_cgroup_put_many(group.0.get(), sum.objects) };
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_memcontrol)]
mod tests {
    use super::*;

    const GIB: usize = 1 << 30;

    #[test]
    fn a_run_fits_into_an_int() {
        let mut sum = Sum::default();
        assert!(sum.has_room(i32::MAX as usize));
        sum.add(GIB);
        assert!(sum.has_room(GIB - 1));
        assert!(!sum.has_room(GIB));
        sum.add(GIB - 1);
        assert!(!sum.has_room(1));
        assert_eq!((sum.bytes, sum.objects), (i32::MAX as usize, 2));
    }

    // tests/vm/kunit.sh creates a cgroup for it. In the root nothing is counted.
    #[test]
    #[cfg(CONFIG_MEMCG)]
    fn gigabytes_are_charged_and_uncharged() -> crate::error::Result {
        use crate::{
            error::code::EINVAL,
            mm::memalloc, //
        };

        /// More than C's `unsigned int` holds come from five of them.
        struct Big;

        // SAFETY: It is a constant, from 1 to `i32::MAX`.
        unsafe impl ZswapObject for Big {
            fn bytes(&self) -> usize {
                GIB
            }
        }

        let usage = |memcg: &MemCgroup| {
            // SAFETY: The group is alive.
            unsafe { bindings::mem_cgroup_flush_stats(memcg.0.get()) };
            memcg.zswap_usage().map(|usage| (usage.bytes, usage.pages))
        };

        // The last group, which is the root if there is no other.
        let (mut cursor, mut last) = (Cursor::new(), None);
        cursor.advance();
        while cursor.get().is_some() {
            last = cursor.tryget_online().or(last);
            cursor.advance();
        }
        // `cgroup_disable=memory`
        let Some(memcg) = last else { return Ok(()) };

        // SAFETY: Only this task uses the field, and the group is alive until it is set back. The
        // group is online, and so keeps its `struct obj_cgroup`.
        let objcg: ARef<ObjCgroup> = unsafe {
            let current = bindings::get_current();
            let old = core::mem::replace(&mut (*current).active_memcg, memcg.0.get());
            let objcg = bindings::current_obj_cgroup();
            (*current).active_memcg = old;
            objcg.cast::<ObjCgroup>().as_ref().ok_or(EINVAL)?.into()
        };

        let (bytes, pages) = usage(&memcg).ok_or(EINVAL)?;
        let mut objects = [const { ZswapCharged::new(Big) }; 5];
        memalloc::scope(|memalloc| charge_all(Some(&objcg), objects.iter_mut(), memalloc));
        let counted = if objcg.takes_zswap() {
            objects.len()
        } else {
            0
        };
        assert_eq!(
            usage(&memcg),
            Some((bytes + counted * GIB, pages + counted))
        );

        Uncharges::together(|uncharges| {
            for object in &mut objects {
                object.uncharge(uncharges);
            }
        });
        assert_eq!(usage(&memcg), Some((bytes, pages)));
        Ok(())
    }
}
