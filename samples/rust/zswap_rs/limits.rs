// SPDX-License-Identifier: GPL-2.0-or-later

//! The memory that zswap may use.
//!
//! Arithmetic wraps, as in C: user space may set the percentages to any value.

/// The two limits, as percentages.
pub(crate) struct Limits {
    /// The share of total memory that the pools may use before stores are refused.
    pub(crate) max_pool_percent: u32,
    /// The share of that limit to which the pools must shrink before stores are accepted again.
    pub(crate) accept_threshold_percent: u32,
}

/// Whether zswap is full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fullness {
    /// Stores are accepted.
    Accepting,
    /// The pools have reached the limit.
    Hit,
    /// The limit was hit before, and the pools haven't shrunk to the threshold yet.
    Draining,
}

impl Limits {
    /// The number of pages that the pools may use, of `total_ram` pages of memory.
    ///
    /// Mirrors `zswap_max_pages()`.
    pub(crate) fn max_pages(&self, total_ram: usize) -> usize {
        total_ram.wrapping_mul(self.max_pool_percent as usize) / 100
    }

    /// The number of pages to shrink to after the limit was hit. Mirrors
    /// `zswap_accept_thr_pages()`.
    pub(crate) fn accept_pages(&self, total_ram: usize) -> usize {
        self.max_pages(total_ram)
            .wrapping_mul(self.accept_threshold_percent as usize)
            / 100
    }

    /// Decides whether zswap is full if the pools use `pool_pages`; `was_full` is the previous
    /// decision.
    ///
    /// Mirrors the decision of `zswap_check_limits()`.
    pub(crate) fn check(&self, was_full: bool, pool_pages: usize, total_ram: usize) -> Fullness {
        if pool_pages >= self.max_pages(total_ram) {
            Fullness::Hit
        } else if was_full && pool_pages > self.accept_pages(total_ram) {
            Fullness::Draining
        } else {
            Fullness::Accepting
        }
    }
}
