// SPDX-License-Identifier: GPL-2.0

//! Swap slots, and the clusters that contain them.
//!
//! | type              | proves                                                              |
//! |-------------------|---------------------------------------------------------------------|
//! | [`Slot`]          | the slot's device isn't swapped off                                 |
//! | [`LockedCluster`] | a cluster's lock is held, by this task or by the C that calls it    |
//! | [`ClusterGuard`]  | the same, and dropping it unlocks                                   |
//!
//! A cluster's lock (`ci->lock`) is a spin lock, never taken in interrupt context. Reclaim takes it
//! with interrupts disabled. The locks for freeing a slot, and the locks of cgroup v1 at swap-out,
//! nest inside it.
//!
//! C headers: [`mm/swap.h`](srctree/mm/swap.h), [`mm/swap_table.h`](srctree/mm/swap_table.h)

use crate::{
    bindings,
    mm::{
        call::Call,
        folio::Folio,
        swap_table::{
            Flags,
            KernelLayout,
            Pfn,
            Shadow,
            SwapTableEntry, //
        },
        swapops::OFFSET_MASK, //
    },
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
    types::NotThreadSafe, //
};
use core::{
    marker::PhantomData,
    ops::Deref,
    ptr::NonNull, //
};

/// The number of slots in a cluster. Mirrors `SWAPFILE_CLUSTER`.
pub const SLOTS_PER_CLUSTER: usize = bindings::SWAPFILE_CLUSTER_SLOTS;

/// A swap slot on a device that isn't swapped off.
///
/// Proves nothing about the slot's users: the slot may be free.
///
/// # Invariants
///
/// During `'a` the device of `entry` isn't swapped off; `entry` lies within it, in `cluster`.
#[derive(Clone, Copy)]
pub struct Slot<'a> {
    // The value without its type, so that a `Slot` is passed in two registers.
    entry: usize,
    cluster: NonNull<bindings::swap_cluster_info>,
    _device: PhantomData<&'a ()>,
}

impl<'a> Slot<'a> {
    /// The slot of an entry from C.
    ///
    /// # Safety
    ///
    /// During `'a` the device of `entry` must not be swapped off, and `entry` must lie within it.
    /// mm/swap.h has the same requirement for C: "the caller must ensure that the entry is valid
    /// and protect the swap device with a reference or locks".
    #[inline]
    pub unsafe fn from_raw(entry: bindings::swp_entry_t, _call: &'a Call) -> Self {
        // SAFETY: The caller guarantees that during `'a` the device isn't swapped off, and that the
        // entry lies within it.
        unsafe { Self::new(entry) }
    }

    /// # Safety
    ///
    /// During `'a` the device of `entry` must not be swapped off, and `entry` must lie within it.
    #[inline]
    pub(super) unsafe fn new(entry: bindings::swp_entry_t) -> Self {
        // INVARIANT: The caller guarantees that the device isn't swapped off during `'a`, and that
        // the entry lies within it. C finds the cluster of an entry in the device's array of
        // clusters.
        Self {
            entry: entry.val,
            // SAFETY: The device has a cluster for the entry, and the cluster's address is never
            // null.
            cluster: unsafe { NonNull::new_unchecked(bindings::swap_entry_to_cluster(entry)) },
            _device: PhantomData,
        }
    }

    /// The slot's swap entry, for C.
    #[inline]
    pub fn as_raw(self) -> bindings::swp_entry_t {
        bindings::swp_entry_t { val: self.entry }
    }

    /// The slot's index in its cluster.
    #[inline]
    pub(super) fn index(self) -> usize {
        index(self.as_raw())
    }

    /// The slot's offset on its device, in pages. Mirrors `swp_offset()`.
    #[inline]
    pub fn offset(self) -> usize {
        self.entry & OFFSET_MASK
    }

    /// The device's number of slots, including the slot of its header. Mirrors `si->max`.
    #[inline]
    pub fn device_len(self) -> usize {
        // SAFETY: By the type invariant the device exists.
        (unsafe { (*bindings::swap_entry_to_info(self.as_raw())).max }) as usize
    }

    /// The slot at `offset` of the same device; `None` if that is beyond its end.
    #[inline]
    pub fn at(self, offset: usize) -> Option<Self> {
        if offset >= self.device_len() {
            return None;
        }
        let val = self.entry & !OFFSET_MASK | offset;
        // SAFETY: The device is that of `self`, and has such a slot, as was just checked.
        Some(unsafe { Self::new(bindings::swp_entry_t { val }) })
    }

    /// The first of the `2^order` aligned slots that contain this one; `None` if a cluster has
    /// fewer slots.
    #[inline]
    pub(super) fn first(self, order: u32) -> Option<Self> {
        let nr = 1usize
            .checked_shl(order)
            .filter(|&nr| nr <= SLOTS_PER_CLUSTER)?;
        // INVARIANT: The slot is in the same cluster: `nr` divides the size of a cluster, to which
        // clusters are aligned.
        Some(Self {
            entry: self.entry & !nr.wrapping_sub(1),
            ..self
        })
    }

    /// The slot's current swap-table entry, which may change at any time unless the cluster is
    /// locked. Takes no lock. Mirrors `swap_table_get()`.
    #[inline]
    pub fn table_entry(self) -> SwapTableEntry {
        // SAFETY: By the type invariant the cluster exists and has such a slot. C looks up the
        // table under the RCU read lock, and returns a null entry if the cluster has no table.
        KernelLayout::decode(unsafe {
            bindings::swap_table_get(self.cluster.as_ptr(), self.index() as c_uint)
        })
    }
}

/// A slot's index in its cluster.
#[inline]
pub(super) fn index(entry: bindings::swp_entry_t) -> usize {
    (entry.val & OFFSET_MASK) % SLOTS_PER_CLUSTER
}

/// A witness that a cluster's lock (`ci->lock`) is held by this task.
///
/// Doesn't own the lock: dropping it does nothing.
///
/// # Invariants
///
/// - `cluster` exists during `'a`, and its lock is held as long as this value exists.
/// - The cluster's table isn't freed while this value is borrowed. Freeing the last slot frees the
///   table: a function that frees slots takes this by value, or leaves a slot in use. No other
///   usable `LockedCluster` for the cluster exists.
pub struct LockedCluster<'a> {
    cluster: NonNull<bindings::swap_cluster_info>,
    _locked: PhantomData<&'a ()>,
    _not_send: NotThreadSafe,
}

impl<'a> LockedCluster<'a> {
    /// The cluster that a C caller has locked.
    ///
    /// # Safety
    ///
    /// `cluster` must exist and be locked by the caller during `'a`. In that time the caller must
    /// not access the cluster, and must not create another witness for it.
    #[inline]
    pub unsafe fn from_raw(cluster: NonNull<bindings::swap_cluster_info>, _call: &'a Call) -> Self {
        // INVARIANT: The caller guarantees that the cluster is locked for `'a`, and that this is
        // its only witness.
        Self {
            cluster,
            _locked: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::swap_cluster_info {
        self.cluster.as_ptr()
    }

    /// The swap table; `None` if the cluster has none.
    #[inline]
    fn table(&self) -> Option<&[Atomic<usize>; SLOTS_PER_CLUSTER]> {
        // SAFETY: By the type invariant the cluster is locked, and its table isn't freed while
        // `self` is borrowed. A table has an entry for each slot of a cluster. The entries are
        // atomic in C, too.
        unsafe {
            bindings::swap_cluster_table(self.as_raw())
                .cast::<[Atomic<usize>; SLOTS_PER_CLUSTER]>()
                .as_ref()
        }
    }

    /// The swap-table entries of the `nr` slots from index `first` on; fewer if the cluster ends
    /// before that; none if it has no table.
    #[inline]
    pub(super) fn entries(&self, first: usize, nr: usize) -> &[Atomic<usize>] {
        let table: &[Atomic<usize>] = match self.table() {
            Some(table) => table,
            None => &[],
        };
        let rest = table.get(first..).unwrap_or(&[]);
        rest.get(..nr).unwrap_or(rest)
    }

    /// Checks that the `2^order` aligned slots that include `target` can get a folio.
    /// With `MEMCG`, also checks that they belong to one cgroup. If there are several slots, `admits`
    /// decides by where their pages are.
    ///
    /// Fails with `EEXIST` if `target` has a folio, with `ENOENT` if it isn't in use, and with
    /// `EBUSY` if another of the slots fails the checks, if neither the device nor zswap can read
    /// all of them (see [`Backing`]), or if they aren't admitted. Fails with `EINVAL` if a cluster
    /// has fewer slots. Mirrors `__swap_cache_add_check()`.
    #[inline]
    pub(super) fn vacancy<const MEMCG: bool>(
        &self,
        target: Slot<'_>,
        order: u32,
        admits: impl FnOnce(Backing) -> bool,
    ) -> Result<Vacant<'_>> {
        let table = self.table().ok_or(ENOENT)?;
        let at = target.index();
        let entry = table.get(at).ok_or(EINVAL)?;
        let shadow = match KernelLayout::decode(entry.load(Relaxed)) {
            SwapTableEntry::Folio(..) => return Err(EEXIST),
            SwapTableEntry::Shadow(shadow, flags) if flags.count() > 0 => shadow,
            // The slot is free or bad, or the entry is unknown.
            _ => return Err(ENOENT),
        };
        let memcg = if MEMCG { self.memcg(at) } else { 0 };
        let mut entries = core::slice::from_ref(entry);
        if order > 0 {
            let first = target.first(order).ok_or(EINVAL)?;
            // INVARIANT: `self` is borrowed, and isn't used until `backing` returns. By value, so that
            // the cluster stays in a register.
            let cluster = LockedCluster { ..*self };
            let backing = cluster.backing(first.as_raw(), order, MEMCG.then_some(memcg));
            if !backing.is_some_and(admits) {
                return Err(EBUSY);
            }
            entries = self.entries(first.index(), 1usize.wrapping_shl(order));
        }
        // INVARIANT: These are the slots that were checked: `target`, or all that `backing` has
        // checked.
        Ok(Vacant {
            entries,
            shadow,
            memcg,
        })
    }

    /// Where the pages of the `2^order` slots from `first` on are; `None` if the cluster has fewer, if
    /// one of them is free or has a folio, if their cgroup isn't `memcg`, or if they can't be read as a
    /// whole.
    #[inline(never)] // stack: only for large folios
    fn backing(
        self,
        first: bindings::swp_entry_t,
        order: u32,
        memcg: Option<c_ushort>,
    ) -> Option<Backing> {
        let (start, nr) = (index(first), 1usize.wrapping_shl(order));
        let entries = self.entries(start, nr);
        if entries.len() != nr {
            return None;
        }
        let mut zeroes = Zeroes::default();
        for (nth, entry) in entries.iter().enumerate() {
            let at = start.wrapping_add(nth);
            match KernelLayout::decode(entry.load(Relaxed)) {
                SwapTableEntry::Shadow(_, flags)
                    if flags.count() > 0 && memcg.is_none_or(|memcg| self.memcg(at) == memcg) =>
                {
                    if self.is_zero(at, flags) {
                        zeroes.add(nth);
                    }
                }
                _ => return None,
            }
        }
        // SAFETY: The cluster is locked. As was just checked, these slots of it are in use and have no
        // folio.
        unsafe { Backing::of(first, nr, zeroes) }
    }

    /// The ID of the cgroup that a slot is charged to. Mirrors `__swap_cgroup_get()`.
    #[inline]
    fn memcg(&self, index: usize) -> c_ushort {
        // SAFETY: The cluster is locked and has such a slot: callers take the index from its table.
        unsafe { bindings::swap_cgroup_get(self.as_raw(), index as c_uint) }
    }

    /// Whether the zeromap bit of a slot is set, in its swap-table entry or in the cluster's
    /// bitmap. Mirrors `__swap_table_test_zero()`.
    #[inline]
    fn is_zero(&self, index: usize, flags: Flags) -> bool {
        if KernelLayout::HAS_ZERO_MARK {
            return flags.is_zero();
        }
        // SAFETY: The cluster is locked and has such a slot: callers take the index from its table.
        unsafe { bindings::swap_table_test_zero(self.as_raw(), index as c_uint) }
    }
}

/// Slots that can get a folio, as long as their cluster is locked.
///
/// # Invariants
///
/// During `'l` the cluster of `entries` is locked by this task. `entries` are the entries of the
/// requested slots, and none of the slots has a folio.
pub(super) struct Vacant<'l> {
    /// The slots' swap-table entries.
    pub(super) entries: &'l [Atomic<usize>],
    /// The shadow of the target slot.
    pub(super) shadow: Shadow,
    /// The ID of the cgroup of all slots; 0 if the check was without `MEMCG`.
    pub(super) memcg: c_ushort,
}

/// Where the pages of slots are that can get a folio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backing {
    /// `swap_read_folio()` can read them: they are all zeroes, or all on the device, or there is only
    /// one of them.
    Readable,
    /// Only zswap can fill them, at least two: it holds at least one of them, and the other
    /// `zeroes` are zero-marked.
    Zswap {
        /// The number of slots whose zeromap bit is set. (Small, so that this is returned in a register.)
        zeroes: u16,
    },
}

impl Backing {
    /// Whether zswap can fill a large folio for the slots, and at most half of them are zero-marked: a folio
    /// that is mostly zeroes would take memory that nobody asked for.
    #[inline]
    pub fn is_worth_filling(self, order: u32) -> bool {
        matches!(self, Backing::Zswap { zeroes } if usize::from(zeroes) <= (1 << order) / 2)
    }

    /// Where the pages of `nr` slots from `first` on are; `None` if some are on the device, and
    /// others in zswap or zero-marked.
    ///
    /// # Safety
    ///
    /// The slots' cluster must be locked by this task. The slots must be in use, and have no folio.
    #[inline]
    unsafe fn of(first: bindings::swp_entry_t, nr: usize, zeroes: Zeroes) -> Option<Self> {
        if zeroes.count == nr {
            return Some(Backing::Readable);
        }
        if zeroes.count > 0 && nr > Zeroes::SLOTS {
            return None; // too many for zswap
        }
        // SAFETY: The caller guarantees what zswap requires: the cluster is locked, and its slots
        // are in use and have no folio.
        let held = unsafe { bindings::swap_slots_in_zswap(first, nr as c_uint, zeroes.bits) };
        let held = held as usize;
        match zeroes.count {
            0 if held == 0 => Some(Backing::Readable),
            zeroes if held > 0 && held.wrapping_add(zeroes) == nr => Some(Backing::Zswap {
                zeroes: zeroes as u16, // below `SLOTS`
            }),
            _ => None,
        }
    }
}

/// Slots of a range whose zeromap bit is set.
#[derive(Clone, Copy, Default)]
struct Zeroes {
    count: usize,
    /// Bit `n` for slot `n`, for the first [`Zeroes::SLOTS`] slots.
    bits: c_ulong,
}

impl Zeroes {
    const SLOTS: usize = c_ulong::BITS as usize;

    #[inline]
    fn add(&mut self, nth: usize) {
        self.count = self.count.wrapping_add(1);
        if nth < Self::SLOTS {
            self.bits |= 1 << nth;
        }
    }
}

/// The lock of a cluster (`ci->lock`). Dropping this releases it.
///
/// # Invariants
///
/// This value owns the lock, and lends the witness only while it is borrowed.
pub(super) struct ClusterGuard<'a>(LockedCluster<'a>);

impl<'a> ClusterGuard<'a> {
    /// Locks the cluster of a slot. Doesn't sleep. Mirrors `swap_cluster_lock()`.
    #[inline]
    pub(super) fn new(slot: Slot<'a>) -> Self {
        // SAFETY: By the invariant of `Slot` the cluster exists.
        unsafe { bindings::swap_cluster_spin_lock(slot.cluster.as_ptr()) };
        // INVARIANT: The lock was just taken, and is held until this is dropped; the cluster exists
        // during `'a`.
        Self(LockedCluster {
            cluster: slot.cluster,
            _locked: PhantomData,
            _not_send: NotThreadSafe,
        })
    }

    /// Lends the witness by value: functions take the cluster in a register.
    #[inline]
    pub(super) fn locked(&mut self) -> LockedCluster<'_> {
        // INVARIANT: The lock is held as long as `self` exists. `self.0` can't be used while `self`
        // is borrowed exclusively.
        LockedCluster {
            cluster: self.0.cluster,
            _locked: PhantomData,
            _not_send: NotThreadSafe,
        }
    }
}

impl<'a> Deref for ClusterGuard<'a> {
    type Target = LockedCluster<'a>;

    #[inline]
    fn deref(&self) -> &LockedCluster<'a> {
        &self.0
    }
}

impl Drop for ClusterGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the lock is owned by this value.
        unsafe { bindings::swap_cluster_unlock(self.0.as_raw()) }
    }
}

/// The page frame number of a folio's first page, as in swap-table entries. Mirrors `folio_pfn()`.
#[inline]
pub(super) fn pfn_of(folio: &Folio) -> Pfn {
    // SAFETY: The folio is alive.
    let pfn = unsafe { bindings::folio_pfn(folio.as_raw()) };
    crate::vm_warn_on_once!(pfn >> bindings::SWAP_TABLE_PFN_BITS != 0);
    Pfn::new(pfn)
}

/// A mismatch between a folio and the swap-table entries of its slots.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum BadEntry {
    /// A folio is added for a slot that is bad, or that already has a folio, whose flags stay.
    EntersOccupied,
    /// A folio is added for slots beyond the end of the cluster.
    EntersOutside,
    /// A folio is removed, and the entry of one of its slots isn't the entry of this folio.
    LeavesForeign,
    /// A folio is removed from slots beyond the end of the cluster.
    LeavesOutside,
    /// A folio is replaced, and the entry of one of its slots isn't the entry of this folio.
    ReplacesForeign,
    /// A folio replaces another one for slots beyond the end of the cluster.
    ReplacesOutside,
}

/// Warns of a mismatch, once for each kind, and prints its name to the log.
pub(super) fn bad_table_entry(kind: BadEntry) {
    // One user: the list below. A macro, since each kind needs a place in the code that warns once.
    macro_rules! warn_once {
        ($($kind:ident)*) => {
            $(if kind == BadEntry::$kind {
                crate::do_once_lite! {
                    crate::prelude::pr_warn!("swap table: {}\n", stringify!($kind));
                    crate::warn_on!(kind == BadEntry::$kind);
                }
            })*
        };
    }
    warn_once! {
        EntersOccupied EntersOutside LeavesForeign LeavesOutside ReplacesForeign ReplacesOutside
    }
}
