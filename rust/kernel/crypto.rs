// SPDX-License-Identifier: GPL-2.0

//! The crypto API.
//!
//! C header: [`include/linux/crypto.h`](srctree/include/linux/crypto.h)

#[cfg(CONFIG_ZSWAP_RUST)]
pub mod acompress;
#[cfg(CONFIG_RUST_CRYPTO_SCOMPRESS)]
pub mod scompress;
