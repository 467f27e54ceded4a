// SPDX-License-Identifier: GPL-2.0

//! Stands in for the kernel crate on the host.
//!
//! *The project's abstractions are the kernel's own files*: the models run the same lines as the
//! kernel. Below them [`bindings`] simulates the C functions that they use, on the machine in
//! [`sim`].
//!
//! Replaced at their API, since they belong to C or the kernel crate and their unsafe code isn't
//! the project's, or is unrelated to access to slots: `xarray`, `sync`, `alloc`, `error`, `types`, `workqueue`,
//! `cpu`, `block`. And [`glue`] simulates what zswap itself has in C.

#![allow(
    dead_code,
    unused_imports,
    improper_ctypes,
    improper_ctypes_definitions,
    clippy::all
)]

extern crate self as kernel;

pub use macros;

pub use core::fmt;

#[macro_use]
mod macros_;
pub mod alloc;
pub mod bindings;
pub mod c;
pub mod error;
pub mod glue;
pub mod mm;
pub mod prelude;
pub mod sim;
pub mod str;
pub mod sync;
pub mod types;
pub mod workqueue;
pub mod xarray;

#[path = "../../../../rust/kernel/nodemask.rs"]
pub mod nodemask;
#[path = "../../../../rust/kernel/race.rs"]
pub mod race;
#[path = "../../../../rust/kernel/shrinker.rs"]
pub mod shrinker;
#[path = "../../../../rust/kernel/slab.rs"]
pub mod slab;

/// Compressors: the kernel's file, and variants of it for models.
#[path = "."]
pub mod crypto {
    #[path = "../../../../rust/kernel/crypto/acompress.rs"]
    pub mod acompress;

    macro_rules! variants {
        ($($name:ident)*) => {
            $(pub mod $name {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
            })*
        };
    }

    variants! { short_queue returns_early does_not_wait transform_goes_first no_backlog }
}

/// C's types as the kernel has them.
#[allow(non_camel_case_types)]
pub mod ffi {
    pub type c_char = u8;
    pub type c_int = i32;
    pub type c_uint = u32;
    pub type c_long = isize;
    pub type c_ulong = usize;
    pub type c_ushort = u16;
    pub use core::ffi::c_void;
}

/// Block devices.
pub mod block {
    pub mod plug {
        pub fn plugged<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
    }
}

/// CPUs: as many as a model has threads.
pub mod cpu {
    #[derive(Clone, Copy)]
    pub struct CpuId(u32);

    impl CpuId {
        pub fn from_u32(id: u32) -> Option<Self> {
            (id < nr_cpu_ids()).then_some(Self(id))
        }
        pub fn as_u32(&self) -> u32 {
            self.0
        }
        pub fn current() -> Self {
            Self(crate::sim::cpu() as u32)
        }
    }

    pub fn nr_cpu_ids() -> u32 {
        crate::sim::NR_CPUS as u32
    }
}

/// Pages are small here: a version and an owner.
pub mod page {
    pub const PAGE_SHIFT: usize = 4;
    pub const PAGE_SIZE: usize = 1 << PAGE_SHIFT;
}

/// Messages that are printed once.
pub mod print {
    pub struct OnceLite(());

    impl OnceLite {
        pub const fn new() -> Self {
            Self(())
        }
        pub fn call_once(&self, f: impl FnOnce()) -> bool {
            f();
            true
        }
    }
}

/// Tasks.
pub mod task {
    pub fn cond_resched() {
        crate::sim::relax();
    }
}
