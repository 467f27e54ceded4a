// SPDX-License-Identifier: GPL-2.0

//! The crypto API.
//!
//! C header: [`include/linux/crypto.h`](srctree/include/linux/crypto.h)

pub mod acompress;
