// SPDX-License-Identifier: GPL-2.0-or-later

//! The unmodified codec of samples/rust/lz4_rs, on the host, and the kernel's own LZ4 in C.

#![allow(clippy::missing_safety_doc)]

// The codec uses the crate `kernel`, of which it needs little.
extern crate self as kernel;

#[allow(dead_code)]
#[path = "../../../../samples/rust/lz4_rs/codec.rs"]
pub mod codec_rs;

pub mod c;
pub mod codec;
pub mod pages;

#[doc(hidden)]
pub mod error {
    pub mod code {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Error(pub i32);
        pub const EINVAL: Error = Error(-22);
    }
}

#[doc(hidden)]
pub mod prelude {
    pub use super::error::code::{Error, EINVAL};

    pub type Result<T = (), E = Error> = core::result::Result<T, E>;
    pub struct Flags;
    pub const GFP_KERNEL: Flags = Flags;

    /// A box whose value is written later, like the kernel's.
    pub struct KVBox<T>(Box<T>);
    pub struct Uninit<T>(Box<core::mem::MaybeUninit<T>>);

    impl<T> KVBox<T> {
        pub fn new_uninit(_: Flags) -> Result<Uninit<T>> {
            Ok(Uninit(Box::new_uninit()))
        }
    }
    impl<const N: usize> KVBox<[u8; N]> {
        pub fn zeroed(_: Flags) -> Result<Self> {
            Ok(Self(Box::new([0; N])))
        }
    }
    impl<T> Uninit<T> {
        pub fn write(self, value: T) -> KVBox<T> {
            let mut room = self.0;
            room.write(value);
            // SAFETY: Just written.
            KVBox(unsafe { room.assume_init() })
        }
    }
    impl<T> core::ops::Deref for KVBox<T> {
        type Target = T;
        fn deref(&self) -> &T {
            &self.0
        }
    }
    impl<T> core::ops::DerefMut for KVBox<T> {
        fn deref_mut(&mut self) -> &mut T {
            &mut self.0
        }
    }
}
