// SPDX-License-Identifier: GPL-2.0

//! Stands in for the kernel crate on the host.
//!
//! *The project's abstractions are the kernel's own files*: the models run the same lines as the
//! kernel. Below them [`bindings`] simulates the C functions that they use, on the machine in
//! [`sim`].
//!
//! Replaced at their API, since they belong to C or the kernel crate and their unsafe code isn't
//! the project's, or is unrelated to access to slots: `xarray`, `sync` except `percpu_ref`,
//! `alloc`, `error`, `types`, `workqueue`, `cpuhotplug`, `percpu`, `module_param`,
//! `debugfs`, `ratelimit`, `block`.

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
pub mod block;
pub mod c;
pub mod cpu;
pub mod cpuhotplug;
pub mod crypto;
pub mod debugfs;
pub mod error;
pub mod ffi;
pub mod jump_label;
pub mod mm;
pub mod module_param;
pub mod page;
pub mod percpu;
pub mod prelude;
pub mod ratelimit;
pub mod sim;
pub mod str;
pub mod sync;
pub mod task;
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
