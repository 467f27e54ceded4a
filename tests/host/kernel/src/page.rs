// SPDX-License-Identifier: GPL-2.0

//! Pages are small here: a version and an owner.

pub const PAGE_SHIFT: usize = 4;
pub const PAGE_SIZE: usize = 1 << PAGE_SHIFT;
