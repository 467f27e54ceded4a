// SPDX-License-Identifier: GPL-2.0

//! Compressors: the kernel's file, and variants of it for models.

#[path = "../../../../../rust/kernel/crypto/acompress.rs"]
pub mod acompress;

macro_rules! variants {
    ($($name:ident)*) => {
        $(pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        })*
    };
}

variants! { short_queue returns_early does_not_wait transform_goes_first no_backlog }
