// SPDX-License-Identifier: GPL-2.0

//! Static keys, the kernel's.

#[path = "../../../../rust/kernel/jump_label/static_key.rs"]
pub mod static_key;
