// SPDX-License-Identifier: GPL-2.0-or-later

//! The policy modules that need nothing of the kernel: the same files that the kernel builds.

#![no_std]
#![allow(unreachable_pub, dead_code)]

#[path = "../../../../samples/rust/zswap_rs/age.rs"]
mod age;
#[path = "../../../../samples/rust/zswap_rs/limits.rs"]
mod limits;

pub mod api {
    //! What is `pub(crate)` in the kernel, for tests.

    use crate::{
        age,
        limits::{Fullness, Limits},
    };

    /// `age::spare`: the entries left, and the swapins that weren't made up for.
    pub fn spare(freeable: usize, swapins: usize) -> (usize, usize) {
        age::spare(freeable, swapins)
    }

    /// `age::scale`: the entries on offer.
    pub fn scale(freeable: usize, backing: usize, stored: usize) -> usize {
        age::scale(freeable, backing, stored)
    }

    /// `Limits::check`: whether zswap is full, and whether the limit was hit just now.
    pub fn check(max: u32, accept: u32, was_full: bool, pool: usize, ram: usize) -> (bool, bool) {
        let limits = Limits {
            max_pool_percent: max,
            accept_threshold_percent: accept,
        };
        let fullness = limits.check(was_full, pool, ram);
        (fullness != Fullness::Accepting, fullness == Fullness::Hit)
    }

    /// `Limits::max_pages` and `Limits::accept_pages`.
    pub fn pages(max: u32, accept: u32, ram: usize) -> (usize, usize) {
        let limits = Limits {
            max_pool_percent: max,
            accept_threshold_percent: accept,
        };
        (limits.max_pages(ram), limits.accept_pages(ram))
    }
}
