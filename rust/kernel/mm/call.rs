// SPDX-License-Identifier: GPL-2.0

//! A call from C, as a scope.

use crate::types::NotThreadSafe;

/// The duration of a call from C: a value on the stack of the function that C calls.
///
/// C guarantees things only until that function returns: a lock that its caller holds, an entry that
/// stays valid. A witness of such a guarantee is made by an `unsafe fn from_raw(raw, call)` and
/// borrows the [`Call`]. So no callee can choose the witness's lifetime, and none can store the
/// witness where it outlives the call.
///
/// A witness that borrows the call exclusively is its only one, and so is its lifetime: a value
/// that is branded with it can belong to no other witness. A function makes one `Call`, or else lends
/// only one of them exclusively: inference could give two of them one lifetime.
///
/// # Examples
///
/// ```
/// use kernel::{
///     bindings,
///     mm::{call::Call, folio::Folio},
/// };
///
/// /// # Safety
/// ///
/// /// The caller must own a reference to `folio`.
/// unsafe extern "C" fn is_large(folio: *mut bindings::folio) -> bool {
///     let call = Call::new();
///     // SAFETY: The caller's reference lasts until this returns.
///     let folio = unsafe { Folio::from_raw(folio, &call) };
///     folio.is_large()
/// }
/// ```
pub struct Call(NotThreadSafe);

impl Call {
    /// The call of the current function.
    // Not `const`, and not a constant expression: `&Call::new()` isn't promoted to a static.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(NotThreadSafe)
    }
}
