// SPDX-License-Identifier: GPL-2.0

//! The prelude.

pub use crate::{
    alloc::{flags::*, KBox, KVec},
    error::{code::*, Error, Result},
    ffi::*,
    macros::export,
    pr_silent as pr_alert, pr_silent as pr_debug, pr_silent as pr_err, pr_silent as pr_info,
    pr_silent as pr_warn,
    str::{CStr, CStrExt as _},
};
pub use core::{
    format_args as fmt,
    mem::{align_of, size_of},
    pin::Pin,
};
pub use pin_init::{
    init, init as try_init, pin_data, pin_init, pin_init as try_pin_init, pinned_drop,
    InPlaceWrite, Init, PinInit, Zeroable,
};
