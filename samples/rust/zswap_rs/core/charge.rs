// SPDX-License-Identifier: GPL-2.0-or-later

//! Charging entries to memory cgroups, with one call for a run of entries.
//!
//! C header: [`include/linux/memcontrol.h`](srctree/include/linux/memcontrol.h)

use core::ptr::NonNull;
use kernel::{
    bindings,
    mm::{
        memalloc::Memalloc,
        memcontrol::ObjCgroup, //
    },
    page::PAGE_SIZE,
    sync::{
        aref::ARef,
        rcu, //
    },
    warn_on_once, //
};

/// The sums over a run of entries.
///
/// # Invariants
///
/// No field is larger than `i32::MAX`.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    bytes: usize,
    entries: usize,
    /// Entries of `PAGE_SIZE` bytes.
    incompressible: usize,
}

impl Sum {
    /// Whether an entry of `len` bytes can be added without overflow: `mod_memcg_state()` takes an `int`, and
    /// `obj_cgroup_uncharge()` counts in an `unsigned int`.
    fn has_room(&self, len: usize) -> bool {
        self.bytes.wrapping_add(len) <= i32::MAX as usize
    }

    /// Adds an entry of `len` bytes, from 1 to `PAGE_SIZE`. The caller must have checked [`has_room`](Self::has_room).
    fn add(&mut self, len: usize) {
        // INVARIANT: `has_room` has checked `bytes`. Each entry has at least one byte, so the other sums are no larger.
        self.bytes = self.bytes.wrapping_add(len);
        self.entries = self.entries.wrapping_add(1);
        self.incompressible = self.incompressible.wrapping_add((len == PAGE_SIZE).into());
    }

    /// Adds the sums to the zswap counters of the cgroup if `sign` is 1, subtracts them if it is -1.
    #[inline(never)] // stack: keeps its locals out of its callers' frames
    fn count(&self, objcg: &ObjCgroup, sign: i32) {
        let rcu = rcu::read_lock();
        let memcg = objcg.memcg_rcu(&rcu);
        let count = |item, n: usize| {
            // By the type invariant `n` fits into an `i32`.
            // SAFETY: RCU protects the cgroup; the items are those of the enum.
            unsafe { bindings::mod_memcg_state(memcg, item, (n as i32).wrapping_mul(sign)) }
        };
        count(bindings::memcg_stat_item_MEMCG_ZSWAP_B, self.bytes);
        count(bindings::memcg_stat_item_MEMCG_ZSWAPPED, self.entries);
        if self.incompressible != 0 {
            count(
                bindings::memcg_stat_item_MEMCG_ZSWAP_INCOMP,
                self.incompressible,
            );
        }
    }
}

/// Whether entries are charged to the cgroup of `objcg`: only on the default hierarchy, and not to the root.
fn takes_zswap(objcg: &ObjCgroup) -> bool {
    // SAFETY: `objcg` is alive, since it is borrowed.
    unsafe { bindings::memcg_on_dfl() && !bindings::obj_cgroup_is_root(objcg.as_raw()) }
}

// A folio's entries have at most as many bytes as a cluster's slots.
const _: () = assert!(bindings::SWAPFILE_CLUSTER_SLOTS * PAGE_SIZE <= i32::MAX as usize);

/// Charges entries of one folio, which have these lengths, to `objcg`, and takes a reference for each. May sleep.
///
/// Mirrors `obj_cgroup_charge_zswap()` of each entry. The charge can't fail in a task with `PF_MEMALLOC`.
pub(super) fn charge(objcg: &ObjCgroup, lens: impl Iterator<Item = usize>, _memalloc: &Memalloc) {
    let mut sum = Sum::default();
    for len in lens {
        // There is room, by the assertion above.
        sum.add(len);
    }
    if sum.entries == 0 {
        return;
    }
    // SAFETY: `objcg` is alive, since it is borrowed, and so has a reference.
    unsafe { bindings::obj_cgroup_get_many(objcg.as_raw(), sum.entries) };
    if !takes_zswap(objcg) {
        return;
    }
    // SAFETY: `objcg` is alive. `_memalloc` proves that `PF_MEMALLOC` is set, so that C may allocate.
    let refused =
        unsafe { bindings::obj_cgroup_charge(objcg.as_raw(), bindings::GFP_KERNEL, sum.bytes) };
    warn_on_once!(refused != 0);
    sum.count(objcg, 1);
}

/// Charges to be ended together: one call into C for a run of entries with the same `objcg`.
///
/// # Invariants
///
/// `sum` is charged to `objcg`, and this value owns `sum.entries` references to it. Without an `objcg`, `sum` is zero.
pub(super) struct UnchargeBatch {
    objcg: Option<NonNull<ObjCgroup>>,
    sum: Sum,
}

impl UnchargeBatch {
    /// No charges.
    pub(super) fn new() -> Self {
        Self {
            objcg: None,
            sum: Sum::default(),
        }
    }

    /// Takes over the charge of one entry of `len` bytes, and its reference.
    #[inline] // make bench: for each entry that is freed
    pub(super) fn add(&mut self, objcg: ARef<ObjCgroup>, len: usize) {
        let objcg = ARef::into_raw(objcg);
        if self.objcg != Some(objcg) || !self.sum.has_room(len) {
            self.end();
            self.objcg = Some(objcg);
        }
        // INVARIANT: The caller hands over the charge and the reference. `objcg` is that of the entries before.
        self.sum.add(len);
    }

    /// Ends the charges. Any context except NMI. Mirrors `obj_cgroup_uncharge_zswap()` and `obj_cgroup_put()` of each
    /// entry.
    pub(super) fn end(&mut self) {
        let Some(objcg) = self.objcg.take() else {
            return;
        };
        let sum = core::mem::take(&mut self.sum);
        // SAFETY: By the type invariant this value owns references, which are put last.
        let group = unsafe { objcg.as_ref() };
        if takes_zswap(group) {
            // SAFETY: By the type invariant `sum.bytes` are charged to the group.
            unsafe { bindings::obj_cgroup_uncharge(group.as_raw(), sum.bytes) };
            sum.count(group, -1);
        }
        // SAFETY: By the type invariant this value owns `sum.entries` references, which are not used again.
        unsafe { bindings::obj_cgroup_put_many(group.as_raw(), sum.entries) };
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kernel::macros::kunit_tests(zswap_charge)]
mod tests {
    use super::*;
    #[cfg(CONFIG_MEMCG)]
    use kernel::prelude::*;

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
        assert_eq!((sum.bytes, sum.entries), (i32::MAX as usize, 2));
        assert_eq!(sum.incompressible, 0);
    }

    // Requires a cgroup other than the root: nothing is charged to the root.
    #[test]
    #[cfg(CONFIG_MEMCG)]
    fn gigabytes_are_charged_and_uncharged() -> Result {
        use kernel::mm::{
            memalloc,
            memcontrol::{
                Cursor,
                MemCgroup, //
            },
        };

        /// With 1 GiB each, more bytes than an `unsigned int` of C can hold.
        const ENTRIES: usize = 5;

        let usage = |memcg: &MemCgroup| {
            // SAFETY: The cgroup is alive.
            unsafe { bindings::mem_cgroup_flush_stats(MemCgroup::raw(Some(memcg))) };
            memcg.zswap_usage()
        };

        // The last cgroup, which is the root if no other exists.
        let (mut cursor, mut last) = (Cursor::new(), None);
        cursor.advance();
        while cursor.get().is_some() {
            last = cursor.tryget_online().or(last);
            cursor.advance();
        }
        // `cgroup_disable=memory`
        let Some(memcg) = last else { return Ok(()) };

        // SAFETY: Only this task uses the field, and the cgroup is alive until the field is restored. The
        // cgroup is online, so its `struct obj_cgroup` is not freed.
        let objcg: ARef<ObjCgroup> = unsafe {
            let current = bindings::get_current();
            let old =
                core::mem::replace(&mut (*current).active_memcg, MemCgroup::raw(Some(&memcg)));
            let objcg = bindings::current_obj_cgroup();
            (*current).active_memcg = old;
            objcg.cast::<ObjCgroup>().as_ref().ok_or(EINVAL)?.into()
        };

        let (bytes, pages) = usage(&memcg).ok_or(EINVAL)?;
        memalloc::scope(|memalloc| {
            for _ in 0..ENTRIES {
                charge(&objcg, core::iter::once(GIB), memalloc);
            }
        });
        let counted = if takes_zswap(&objcg) { ENTRIES } else { 0 };
        assert_eq!(
            usage(&memcg),
            Some((bytes + counted * GIB, pages + counted))
        );

        let mut uncharge = UnchargeBatch::new();
        for _ in 0..ENTRIES {
            // SAFETY: `charge` has taken a reference for each entry.
            uncharge.add(unsafe { ARef::from_raw(NonNull::from(&*objcg)) }, GIB);
        }
        uncharge.end();
        assert_eq!(usage(&memcg), Some((bytes, pages)));
        Ok(())
    }
}
