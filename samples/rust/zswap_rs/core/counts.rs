// SPDX-License-Identifier: GPL-2.0-or-later

//! The number of pages in zswap.

#![allow(non_upper_case_globals)]

use kernel::{
    page::PAGE_SIZE,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

// SAFETY: `glue.c` defines these as `atomic_long_t`. C only reads them.
unsafe extern "C" {
    /// The number of pages currently stored in zswap. Also in `/proc/meminfo`.
    pub(crate) safe static zswap_stored_pages: Atomic<isize>;

    /// The number of incompressible pages currently stored in zswap.
    pub(crate) safe static zswap_stored_incompressible_pages: Atomic<isize>;
}

/// The number of pages of a batch, to be added to the totals or subtracted from them.
#[derive(Default)]
pub(super) struct Counts {
    stored: isize,
    incompressible: isize,
}

impl Counts {
    /// No pages.
    pub(super) const NONE: Self = Self {
        stored: 0,
        incompressible: 0,
    };

    /// Counts an entry of `len` bytes.
    pub(super) fn add(&mut self, len: usize) {
        self.stored = self.stored.wrapping_add(1);
        self.incompressible = self.incompressible.wrapping_add((len == PAGE_SIZE).into());
    }

    /// Adds the pages to the totals.
    pub(super) fn publish(self) {
        self.change(1);
    }

    /// Subtracts the pages from the totals.
    pub(super) fn subtract(self) {
        self.change(-1);
    }

    fn change(self, sign: isize) {
        if self.stored != 0 {
            zswap_stored_pages.fetch_add(self.stored.wrapping_mul(sign), Relaxed);
        }
        if self.incompressible != 0 {
            zswap_stored_incompressible_pages
                .fetch_add(self.incompressible.wrapping_mul(sign), Relaxed);
        }
    }
}
