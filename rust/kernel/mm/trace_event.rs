// SPDX-License-Identifier: GPL-2.0

//! Trace events of mm in Rust: safe functions for tracepoints that C defines.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h)

/// Defines functions that report events to tracepoints, which C defines for Rust
/// (`CREATE_RUST_TRACE_POINTS`).
///
/// Each function takes a closure that returns the event's fields, and calls it only if the event is
/// enabled. A disabled tracepoint is one instruction (with `CONFIG_JUMP_LABEL`); without
/// `CONFIG_TRACEPOINTS` it is none. After `=>` follow the tracepoint and its arguments with their
/// types, which can only be numbers of [`ffi`](kernel::ffi).
///
/// # Examples
///
/// ```
/// use kernel::mm::swap_cluster::Slot;
///
/// kernel::trace_event! {
///     /// A folio was added to the swap cache, or adding it failed.
///     pub fn add<'a>(slot: Slot<'a>, order: u32, error: Option<Error>) => swap_cache_add(
///         slot: c_ulong = slot.as_raw().val, order: c_uint = order,
///         error: c_int = error.map_or(0, Error::to_errno),
///     );
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
            => $event:ident($($arg:ident: $number:ident = $value:expr),* $(,)?);
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
                    let ($($arg,)*): ($($crate::ffi::$number,)*) = ($($value,)*);
                    $crate::macros::paste! {
                        // SAFETY: The arguments are numbers: `ffi` has no type of a pointer.
                        unsafe { $crate::bindings::[< rust_do_trace_ $event >]($($arg),*) }
                    }
                }
            }
            #[cfg(not(CONFIG_TRACEPOINTS))]
            let _ = event;
        }
    )*};
}
