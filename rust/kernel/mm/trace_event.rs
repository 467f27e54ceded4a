// SPDX-License-Identifier: GPL-2.0

//! Trace events of mm in Rust: safe functions for tracepoints that C defines.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h)

use crate::{
    alloc::NumaNode,
    bindings,
    prelude::*, //
};

/// A value that an event may record.
///
/// # Safety
///
/// The result of `into_raw()` must be a number, or a pointer that is null or that C may dereference
/// for as long as `self` is valid.
pub unsafe trait EventField {
    /// The type of the tracepoint's argument.
    type Raw;

    /// The value, for C.
    fn into_raw(self) -> Self::Raw;
}

// One user: the list below, of types with the same implementation.
macro_rules! numbers {
    ($($number:ty)*) => {
        $(
            // SAFETY: It is a number.
            unsafe impl EventField for $number {
                type Raw = Self;

                #[inline]
                fn into_raw(self) -> Self {
                    self
                }
            }
        )*
    };
}

numbers! { bool c_int c_uint c_ulong bindings::swp_entry_t }

// SAFETY: It is a number.
unsafe impl EventField for NumaNode {
    type Raw = c_int;

    #[inline]
    fn into_raw(self) -> c_int {
        self.as_raw()
    }
}

// SAFETY: It is a number: the errno, or 0.
unsafe impl EventField for Option<Error> {
    type Raw = c_int;

    #[inline]
    fn into_raw(self) -> c_int {
        self.map_or(0, Error::to_errno)
    }
}

/// Defines functions that report events to tracepoints, which C defines for Rust
/// (`CREATE_RUST_TRACE_POINTS`).
///
/// Each function takes a closure that returns the event's fields, and calls it only if the event is
/// enabled. A disabled tracepoint is one instruction (with `CONFIG_JUMP_LABEL`); without
/// `CONFIG_TRACEPOINTS` it is none. After `=>` follow the tracepoint and its named arguments, each
/// of them an [`EventField`](kernel::mm::trace_event::EventField).
///
/// # Examples
///
/// ```
/// use kernel::mm::swap_cluster::Slot;
///
/// kernel::trace_event! {
///     /// A folio was added to the swap cache, or adding it failed.
///     pub fn add<'a>(slot: Slot<'a>, order: u32, error: Option<Error>)
///         => swap_cache_add(slot = slot.as_raw(), order = order, error = error);
/// }
///
/// fn report(slot: Slot<'_>) {
///     add(|| (slot, 0, Some(ENOMEM)));
/// }
/// ```
#[macro_export]
macro_rules! trace_event {
    // Documentation is the only attribute allowed: others may be unsafe.
    ($(
        $(#[doc = $doc:literal])*
        $vis:vis fn $name:ident $(<$lifetime:lifetime>)? ($($field:ident: $type:ty),* $(,)?)
            => $event:ident($($arg:ident = $value:expr),* $(,)?);
    )*) => {$(
        $(#[doc = $doc])*
        #[allow(unused_parens)] // around a single field
        #[inline]
        $vis fn $name $(<$lifetime>)? (event: impl FnOnce() -> ($($type),*)) {
            #[cfg(CONFIG_TRACEPOINTS)]
            {
                // SAFETY: The key is the static key of a tracepoint, which is a C static.
                let enabled = unsafe {
                    $crate::macros::paste! {
                        $crate::jump_label::static_branch_unlikely!(
                            $crate::bindings::[< __tracepoint_ $event >],
                            $crate::bindings::tracepoint,
                            key
                        )
                    }
                };
                if enabled {
                    let ($($field),*) = event();
                    // Not in the unsafe block: these expressions are from the macro's caller.
                    let ($($arg,)*) = (
                        $($crate::mm::trace_event::EventField::into_raw($value),)*
                    );
                    $crate::macros::paste! {
                        // SAFETY: By the requirement of `EventField`, each argument is a number, or
                        // a pointer that C may dereference during the call.
                        unsafe { $crate::bindings::[< rust_do_trace_ $event >]($($arg),*) }
                    }
                }
            }
            #[cfg(not(CONFIG_TRACEPOINTS))]
            let _ = event;
        }
    )*};
}
