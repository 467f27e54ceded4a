// SPDX-License-Identifier: GPL-2.0

//! Swap slots, and the clusters that contain them.
//!
//! | type              | proves                                                              |
//! |-------------------|---------------------------------------------------------------------|
//! | [`Slot`]          | the slot's device isn't swapped off                                 |
//! | [`LockedCluster`] | a cluster's lock is held, by this task or by the C that calls it    |
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
            Pfn,
            Shadow,
            SwapTableEntry,
            HAS_ZERO_MARK, //
        },
        swapops::SwapEntry, //
    },
    prelude::*,
    print::OnceLite,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
    types::Opaque, //
};
use core::{
    marker::PhantomData,
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
    pub(super) entry: SwapEntry,
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
        unsafe { Self::new(SwapEntry::from_raw(entry)) }
    }

    /// # Safety
    ///
    /// During `'a` the device of `entry` must not be swapped off, and `entry` must lie within it.
    #[inline]
    pub(super) unsafe fn new(entry: SwapEntry) -> Self {
        // INVARIANT: The caller guarantees that the device isn't swapped off during `'a`, and that
        // the entry lies within it. C finds the cluster of an entry in the device's array of
        // clusters.
        Self {
            entry,
            // SAFETY: The device has a cluster for the entry, and the cluster's address is never
            // null.
            cluster: unsafe {
                NonNull::new_unchecked(bindings::swap_entry_to_cluster(entry.as_raw()))
            },
            _device: PhantomData,
        }
    }

    /// The slot's swap entry, for C.
    #[inline]
    pub fn as_raw(self) -> bindings::swp_entry_t {
        self.entry.as_raw()
    }

    /// The slot's offset on its device, in pages. Mirrors `swp_offset()`.
    #[inline]
    pub fn offset(self) -> usize {
        self.entry.offset()
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
        let distance = offset.wrapping_sub(self.offset());
        // SAFETY: The device is that of `self`, and has such a slot, as is checked first.
        (offset < self.device_len()).then(|| unsafe { Self::new(self.entry.after(distance)) })
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
            entry: self.entry.align_down(nr),
            ..self
        })
    }

    /// The slot's current swap-table entry, which may change at any time unless the cluster is
    /// locked. Takes no lock. Mirrors `swap_table_get()`.
    #[inline]
    pub fn table_entry(self) -> SwapTableEntry {
        // SAFETY: By the type invariant the cluster exists and has such a slot. C looks up the
        // table under the RCU read lock, and returns a null entry if the cluster has no table.
        SwapTableEntry::decode(unsafe {
            bindings::swap_table_get(self.cluster.as_ptr(), cluster_offset(self.entry) as c_uint)
        })
    }

    /// Calls `f` with the slot's cluster locked. `f` must not sleep. Mirrors `swap_cluster_lock()`
    /// and `swap_cluster_unlock()`.
    #[inline]
    pub(super) fn locked<R>(self, f: impl FnOnce(&LockedCluster) -> R) -> R {
        let cluster = self.cluster.as_ptr();
        // SAFETY: By the type invariant the cluster exists. Its lock is held while `f` runs, which
        // gets the only witness.
        unsafe {
            bindings::swap_cluster_spin_lock(cluster);
            let ret = f(&*cluster.cast());
            bindings::swap_cluster_unlock(cluster);
            ret
        }
    }

    /// Where the pages of the `2^order` aligned slots that contain this one are, if these can get a
    /// folio. The result may be stale as soon as this returns. Takes the cluster's lock
    /// (`ci->lock`).
    ///
    /// Fails as [`Slot::add_folio`]. Mirrors `__swap_cache_add_check()`, as called before a folio
    /// is allocated.
    #[inline]
    pub fn backing(self, order: u32) -> Result<Backing> {
        let first = self.first(order).ok_or(EINVAL)?;
        self.locked(|cluster| Ok(cluster.uncached(self, first, order)?.backing))
    }

    /// The flags of the device (`si->flags`).
    #[inline]
    fn device_flags(self) -> c_ulong {
        // SAFETY: By the type invariant the device exists. C writes the flags with single stores,
        // under a lock, and reads them without it, too.
        let flags = unsafe {
            Atomic::from_ptr(&raw mut (*bindings::swap_entry_to_info(self.as_raw())).flags)
        };
        flags.load(Relaxed)
    }

    /// Whether the device is as fast as memory, so that swap-in bypasses readahead. Mirrors
    /// `SWP_SYNCHRONOUS_IO`.
    #[inline]
    pub fn is_synchronous(self) -> bool {
        self.device_flags() & bindings::SWP_SYNCHRONOUS_IO as c_ulong != 0
    }

    /// Whether slots of the device are allocated. Not so once `swapoff()` has begun. Mirrors
    /// `SWP_WRITEOK`.
    #[inline]
    pub fn is_writable(self) -> bool {
        self.device_flags() & bindings::SWP_WRITEOK as c_ulong != 0
    }

    /// Whether the zeromap bit of the slot seems to be set: a hint. Also false where the swap-table
    /// entry has no room for the bit.
    #[inline]
    pub fn seems_zero(self) -> bool {
        match self.table_entry() {
            SwapTableEntry::Shadow(_, flags) | SwapTableEntry::Folio(_, flags) => flags.is_zero(),
            _ => false,
        }
    }

    /// Whether zswap seems to have the page of the slot: a hint. Doesn't sleep.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    #[inline]
    pub fn seems_in_zswap(self) -> bool {
        // SAFETY: By the type invariant the device isn't swapped off, and the slot lies within it.
        unsafe { bindings::zswap_seems_to_hold(self.as_raw()) }
    }
}

/// Whether zswap was never enabled, and so has no page. Mirrors `zswap_never_enabled()`.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[inline]
pub fn zswap_never_enabled() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::zswap_never_enabled() }
}

/// Whether zswap's parameter `large_swapin` is on.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[inline]
pub fn zswap_large_swapin_enabled() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::zswap_large_swapin_enabled() }
}

// SAFETY: tests/kunit/swap_cache.c defines it as a `bool`, which C accesses as a whole.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
unsafe extern "C" {
    safe static swap_cache_admit_all_large: Atomic<bool>;
}

/// For tests: whether every block in zswap is admitted whose PTEs are exclusive and which the
/// settings of transparent huge pages allow, whether its neighbours were accessed or not. Thus the
/// policy hides no bug of the mechanism.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[inline]
pub fn admits_all() -> bool {
    cfg!(CONFIG_SWAP_CACHE_KUNIT_TEST) && swap_cache_admit_all_large.load(Relaxed)
}

/// A slot's index in its cluster. Mirrors `swp_cluster_offset()`.
#[inline]
pub(super) fn cluster_offset(entry: SwapEntry) -> usize {
    entry.offset() % SLOTS_PER_CLUSTER
}

/// A cluster whose lock (`ci->lock`) is held by this task. Mirrors `struct swap_cluster_info`.
///
/// # Invariants
///
/// As long as a `&LockedCluster` exists, the cluster exists and its lock is held. (The type isn't
/// `Sync`, so no other task gets the reference.) Freeing the last slot frees the cluster's table: a
/// function that frees slots is unsafe, and none of [`LockedCluster::entries`] is used after that,
/// or a slot stays in use.
#[repr(transparent)]
pub struct LockedCluster(Opaque<bindings::swap_cluster_info>);

impl LockedCluster {
    /// The cluster that a C caller has locked.
    ///
    /// # Safety
    ///
    /// `cluster` must exist and be locked by the caller during `'a`. In that time the caller must
    /// not access the cluster.
    #[inline]
    pub unsafe fn from_raw<'a>(
        cluster: *mut bindings::swap_cluster_info,
        _call: &'a Call,
    ) -> &'a Self {
        // SAFETY: The caller guarantees that the cluster exists and is locked during `'a`; `Self`
        // is transparent.
        unsafe { &*cluster.cast() }
    }

    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::swap_cluster_info {
        self.0.get()
    }

    /// The swap-table entries of the `nr` slots from `first` on; fewer if the cluster ends before
    /// that; none if it has no table.
    #[inline]
    pub(super) fn entries(&self, first: SwapEntry, nr: usize) -> &[Atomic<usize>] {
        // SAFETY: By the type invariant the cluster is locked, and its table isn't freed before the
        // last use of the result. A table has an entry for each slot of a cluster. The entries are
        // atomic in C, too.
        let table = unsafe {
            bindings::swap_cluster_table(self.as_raw())
                .cast::<[Atomic<usize>; SLOTS_PER_CLUSTER]>()
                .as_ref()
        };
        let rest = table
            .and_then(|table| table.get(cluster_offset(first)..))
            .unwrap_or(&[]);
        rest.get(..nr).unwrap_or(rest)
    }

    /// Checks that the `2^order` aligned slots from `first` on, one of which is `target`, can get a
    /// folio.
    ///
    /// Fails with `EEXIST` if `target` has a folio, with `ENOENT` if it isn't in use, and with
    /// `EBUSY` if another of the slots has one or isn't in use, if they don't belong to one cgroup,
    /// or if neither the device nor zswap can read all of them (see [`Backing`]). Mirrors
    /// `__swap_cache_add_check()`.
    #[inline]
    pub(super) fn uncached(
        &self,
        target: Slot<'_>,
        first: Slot<'_>,
        order: u32,
    ) -> Result<Uncached<'_>> {
        let mut entries = self.entries(target.entry, 1);
        let entry = entries.first().ok_or(ENOENT)?;
        let shadow = match SwapTableEntry::decode(entry.load(Relaxed)) {
            SwapTableEntry::Folio(..) => return Err(EEXIST),
            SwapTableEntry::Shadow(shadow, flags) if flags.count() > 0 => shadow,
            // The slot is free or bad, or the entry is unknown.
            _ => return Err(ENOENT),
        };
        let memcg = self.memcg(cluster_offset(target.entry));
        let mut backing = Backing::Readable;
        if order > 0 {
            let nr = 1usize.wrapping_shl(order);
            backing = self.backing(first, nr, memcg).ok_or(EBUSY)?;
            entries = self.entries(first.entry, nr);
        }
        // INVARIANT: These are the slots that were checked: `target`, or all that `backing` has
        // checked.
        Ok(Uncached {
            entries,
            shadow,
            memcg,
            backing,
        })
    }

    /// Where the pages of the `nr` slots from `first` on are, which don't exceed the cluster; `None` if
    /// one of the slots isn't in use or has a folio, if their cgroup isn't `memcg`, or if they can't
    /// be read as a whole.
    #[inline(never)] // stack: only for large folios
    fn backing(&self, first: Slot<'_>, nr: usize, memcg: c_ushort) -> Option<Backing> {
        let start = cluster_offset(first.entry);
        let (mut zeroes, mut bits) = (0usize, 0);
        for (nth, entry) in self.entries(first.entry, nr).iter().enumerate() {
            let at = start.wrapping_add(nth);
            match SwapTableEntry::decode(entry.load(Relaxed)) {
                SwapTableEntry::Shadow(_, flags)
                    if flags.count() > 0 && self.memcg(at) == memcg =>
                {
                    if self.is_zero(at, flags) {
                        zeroes = zeroes.wrapping_add(1);
                        bits |= c_ulong::checked_shl(1, nth as u32).unwrap_or(0);
                    }
                }
                _ => return None,
            }
        }
        if zeroes == nr {
            return Some(Backing::Readable);
        }
        if zeroes > 0 && nr > c_ulong::BITS as usize {
            return None; // too many for zswap, and for `bits`
        }
        // SAFETY: The cluster is locked. As was just checked, these slots of it are in use and have no
        // folio.
        let held = unsafe { bindings::swap_slots_in_zswap(first.as_raw(), nr as c_uint, bits) };
        match held as usize {
            0 => (zeroes == 0).then_some(Backing::Readable),
            held => (held.wrapping_add(zeroes) == nr && zeroes <= nr / 2).then_some(Backing::Zswap),
        }
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
        if HAS_ZERO_MARK {
            return flags.is_zero();
        }
        // SAFETY: The cluster is locked and has such a slot: callers take the index from its table.
        unsafe { bindings::swap_table_test_zero(self.as_raw(), index as c_uint) }
    }
}

/// Slots in use that have no folio, as long as their cluster is locked, and can get one.
///
/// # Invariants
///
/// During `'l` the cluster of `entries` is locked by this task. `entries` are the entries of the
/// requested slots, and none of the slots has a folio.
pub(super) struct Uncached<'l> {
    /// The slots' swap-table entries.
    pub(super) entries: &'l [Atomic<usize>],
    /// The shadow of the target slot.
    pub(super) shadow: Shadow,
    /// The ID of the cgroup of all slots.
    pub(super) memcg: c_ushort,
    /// Where the pages are.
    pub(super) backing: Backing,
}

/// Where the pages of slots are that can get a folio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backing {
    /// `swap_read_folio()` can read them: they are all zeroes, or all on the device, or there is only
    /// one of them.
    Readable,
    /// Only zswap can fill a folio for them, and it is worth it: zswap holds at least half of the
    /// slots, and the others are zero-marked. A folio that is mostly zeroes would take memory that
    /// nobody asked for.
    Zswap,
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
#[derive(Clone, Copy, Debug)]
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
    #[link_section = ".data..once"] // as `do_once_lite!`
    static ONCE: [OnceLite; 6] = [const { OnceLite::new() }; 6];

    if let Some(once) = ONCE.get(kind as usize) {
        once.call_once(|| {
            pr_warn!("swap table: {kind:?}\n");
            crate::warn_on!(true);
        });
    }
}
