// SPDX-License-Identifier: GPL-2.0-or-later

//! Counting entries, and charging them to memory cgroups, with one call for a run of entries.
//!
//! C header: [`include/linux/memcontrol.h`](srctree/include/linux/memcontrol.h)

#![allow(non_upper_case_globals)]

use core::ptr::NonNull;
use kernel::{
    bindings,
    mm::{
        memalloc::Memalloc,
        memcontrol::ObjCgroup, //
    },
    page::PAGE_SIZE,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        rcu, //
    },
    warn_on_once, //
};

// SAFETY: `glue.c` defines these as `atomic_long_t`. C only reads them.
unsafe extern "C" {
    /// The number of pages currently stored in zswap. Also in `/proc/meminfo`.
    pub(crate) safe static zswap_stored_pages: Atomic<isize>;

    /// The number of incompressible pages currently stored in zswap.
    pub(super) safe static zswap_stored_incompressible_pages: Atomic<isize>;
}

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
    /// The number of entries.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// Whether an entry of `len` bytes can be added without overflow: `mod_memcg_state()` takes an `int`, and
    /// `obj_cgroup_uncharge()` counts in an `unsigned int`.
    pub(super) fn has_room(&self, len: usize) -> bool {
        self.bytes.wrapping_add(len) <= i32::MAX as usize
    }

    /// Adds an entry of `len` bytes, from 1 to `PAGE_SIZE`. The caller must have checked [`has_room`](Self::has_room).
    pub(super) fn add(&mut self, len: usize) {
        // INVARIANT: `has_room` has checked `bytes`. Each entry has at least one byte, so the other sums are no larger.
        self.bytes = self.bytes.wrapping_add(len);
        self.entries = self.entries.wrapping_add(1);
        self.incompressible = self.incompressible.wrapping_add((len == PAGE_SIZE).into());
    }

    /// Adds the entries to the totals if `sign` is 1, subtracts them if it is -1.
    pub(super) fn count(&self, sign: isize) {
        zswap_stored_pages.fetch_add((self.entries as isize).wrapping_mul(sign), Relaxed);
        if self.incompressible != 0 {
            let change = (self.incompressible as isize).wrapping_mul(sign);
            zswap_stored_incompressible_pages.fetch_add(change, Relaxed);
        }
    }

    /// Adds the sums to the zswap counters of the cgroup if `sign` is 1, subtracts them if it is -1.
    #[inline(never)] // stack: keeps its locals out of its callers' frames
    fn count_in(&self, objcg: &ObjCgroup, sign: i32) {
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

    /// Charges the entries to `objcg`, and takes a reference for each. May sleep.
    ///
    /// Mirrors `obj_cgroup_charge_zswap()` of each entry. The charge can't fail in a task with `PF_MEMALLOC`.
    #[inline]
    pub(super) fn charge(&self, objcg: &ObjCgroup, _memalloc: &Memalloc) {
        // SAFETY: `objcg` is alive, since it is borrowed, and so has a reference.
        unsafe { bindings::obj_cgroup_get_many(objcg.as_raw(), self.entries) };
        if !takes_zswap(objcg) {
            return;
        }
        // With `PF_MEMALLOC`, which `_memalloc` proves, this succeeds.
        // SAFETY: `objcg` is alive, as above.
        let refused = unsafe {
            bindings::obj_cgroup_charge(objcg.as_raw(), bindings::GFP_KERNEL, self.bytes)
        };
        warn_on_once!(refused != 0);
        self.count_in(objcg, 1);
    }

    /// Ends the charges of the entries, and puts their references. Any context except NMI.
    ///
    /// Mirrors `obj_cgroup_uncharge_zswap()` and `obj_cgroup_put()` of each entry.
    ///
    /// # Safety
    ///
    /// [`charge`](Self::charge) must have charged the entries to `objcg`, and the caller gives up their references.
    #[inline]
    pub(super) unsafe fn uncharge(&self, objcg: NonNull<ObjCgroup>) {
        // SAFETY: The caller owns references, which are put last.
        let group = unsafe { objcg.as_ref() };
        if takes_zswap(group) {
            // SAFETY: The caller guarantees that the bytes are charged to the group.
            unsafe { bindings::obj_cgroup_uncharge(group.as_raw(), self.bytes) };
            self.count_in(group, -1);
        }
        // SAFETY: The caller owns a reference for each entry, and doesn't use them again.
        unsafe { bindings::obj_cgroup_put_many(group.as_raw(), self.entries) };
    }
}

/// Whether entries are charged to the cgroup of `objcg`: only on the default hierarchy, and not to the root.
fn takes_zswap(objcg: &ObjCgroup) -> bool {
    // SAFETY: `objcg` is alive, since it is borrowed.
    unsafe { bindings::memcg_on_dfl() && !bindings::obj_cgroup_is_root(objcg.as_raw()) }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kernel::macros::kunit_tests(zswap_charge)]
mod tests {
    use super::*;
    #[cfg(CONFIG_MEMCG)]
    use kernel::{
        prelude::*,
        sync::aref::ARef, //
    };

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

        let mut one = Sum::default();
        one.add(GIB);
        let (bytes, pages) = usage(&memcg).ok_or(EINVAL)?;
        memalloc::scope(|memalloc| {
            for _ in 0..ENTRIES {
                one.charge(&objcg, memalloc);
            }
        });
        let counted = if takes_zswap(&objcg) { ENTRIES } else { 0 };
        assert_eq!(
            usage(&memcg),
            Some((bytes + counted * GIB, pages + counted))
        );

        for _ in 0..ENTRIES {
            // SAFETY: `charge` has charged the entry, and taken its reference.
            unsafe { one.uncharge(NonNull::from(&*objcg)) };
        }
        assert_eq!(usage(&memcg), Some((bytes, pages)));
        Ok(())
    }
}
