// SPDX-License-Identifier: GPL-2.0

//! A call from C, as a scope.

use crate::types::NotThreadSafe;

/// The duration of a call from C: a value on the stack of the function that C calls.
///
/// A guarantee of the C caller lasts only until that function returns: a lock that the caller
/// holds, an entry that is not freed. An `unsafe fn from_raw(raw, call)` creates a witness of such
/// a guarantee, which borrows the [`Call`]. No callee can choose the witness's lifetime, or store
/// the witness where it outlives the call.
///
/// A witness that borrows the call exclusively is the only witness of the call, and its lifetime is
/// unique: a value that is branded with this lifetime belongs to no other witness. A function
/// creates one `Call`, or else lends only one of them exclusively: inference could give two of them
/// the same lifetime.
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
