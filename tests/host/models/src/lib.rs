// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap_rs and swap_cache_rs, the same files that the kernel builds, on the simulated kernel; and
//! the setup and teardown of a model.

#![allow(
    dead_code,
    unused_imports,
    unused_must_use,
    unreachable_pub,
    clippy::all
)]

#[path = "../../../../samples/rust/swap_cache_rs/swap_cache_rs.rs"]
mod swap_cache_rs;
#[path = "../../../../samples/rust/zswap_rs/zswap_rs.rs"]
mod zswap_rs;

pub mod batches;
pub mod leaves;

use kernel::{
    bindings::{self, swap_info_struct, swp_entry_t},
    c::{self, Content, Page, Pte},
    sim, workqueue,
};
use std::ffi::CStr;

pub use kernel::glue::{set, Param};

/// A pointer shared by a model's threads.
#[derive(Clone, Copy)]
pub struct Device(*mut swap_info_struct);

// SAFETY: A device's memory stays to the end of the model, swapped off or not. Tasks are coroutines
// of one thread, so only one changes its cells at a time.
unsafe impl Send for Device {}
// SAFETY: A device's memory stays to the end of the model, swapped off or not. Tasks are coroutines
// of one thread, so only one changes its cells at a time.
unsafe impl Sync for Device {}

impl Device {
    /// Slot `offset`.
    pub fn slot(self, offset: usize) -> swp_entry_t {
        // SAFETY: Arithmetic. Device 0 is the only one that models use.
        unsafe { bindings::swp_entry(0, offset) }
    }

    /// Swaps it off, which swaps in the pages on it.
    pub fn off(self, pages: &[&'static Page]) {
        c::swapoff(self.0, || {
            for page in pages {
                page.fault(true);
            }
        });
    }
}

/// Slots of the device, one of which is the header's: two clusters.
pub const SLOTS: usize = 2 * bindings::SWAPFILE_CLUSTER_SLOTS;

/// Boots the simulated kernel: zswap and its shrinker are enabled, and a device is active.
pub fn boot() -> Device {
    // SAFETY: Once in an execution, before all else, like an initcall.
    unsafe { bindings::zswap_rs_init() };
    set(Param::Enabled, c"Y");
    set(Param::ShrinkerEnabled, c"Y");
    let device = Device(c::swapon(0, SLOTS));
    // Uses every global once: the order of first uses isn't of interest.
    static WARM: Page = Page::new();
    for version in [1, 2] {
        let page = &WARM;
        page.create(Content::new(99, version));
        assert!(page.reclaim(device.slot(1)));
        c::shrink(1);
        assert_eq!(
            c::shrink(1),
            1,
            "what was reclaimed is there to be written back"
        );
        assert_eq!(page.fault(true), c::Faulted::Done);
        assert!(page.check());
        page.unmap();
    }
    device
}

/// The end of a model: all pages have the right contents, are unmapped, and leave nothing.
pub fn shut_down(device: Device, pages: &[&'static Page]) {
    for page in pages {
        loop {
            match page.fault(false) {
                c::Faulted::Done => break,
                c::Faulted::Again => {}
                // Reclaim frees the folio that could not be read; then the read can be retried.
                c::Faulted::Error => match page.pte() {
                    // SAFETY: The page table refers to the slot, and the slot keeps the device.
                    Pte::Swapped(entry) => unsafe { _ = c::reclaim_cached(entry) },
                    _ => {}
                },
            }
        }
        page.check();
        page.unmap();
    }
    device.off(&[]);
    nothing_is_left();
}

/// No objects of the pages and the device are left.
pub fn nothing_is_left() {
    while workqueue::run() {}
    assert_eq!(sim::allocated("slab"), 0, "entries are left");
    assert_eq!(bindings::zs_objects(), 0, "objects are left");
    assert!(sim::allocated("zs_pool") <= 1, "retired pools are left");
    assert_eq!(bindings::frames_in_use(), 0, "folios are left");
    assert_eq!(sim::locks_held(), 0, "locks are left");
    assert_eq!(stored_pages(), 0, "pages are counted that there aren't");
}

/// The number of stored pages, from zswap's counter.
pub fn stored_pages() -> isize {
    kernel::glue::zswap_stored_pages.load(kernel::sync::atomic::ordering::Relaxed)
}
