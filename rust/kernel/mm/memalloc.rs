// SPDX-License-Identifier: GPL-2.0

//! Scopes in which a task may allocate from the memory reserves, and doesn't enter reclaim.
//!
//! C header: [`include/linux/sched/mm.h`](srctree/include/linux/sched/mm.h)

use crate::{
    bindings,
    types::NotThreadSafe, //
};

/// A witness that the task allocates as in reclaim: without entering reclaim, and from all
/// reserves.
///
/// # Invariants
///
/// `PF_MEMALLOC` is set for the current task as long as a reference to this lives.
///
/// # Examples
///
/// ```
/// use kernel::mm::memalloc::{self, Memalloc};
///
/// // For a caller that is about to free more than it allocates.
/// fn make_room(_memalloc: &Memalloc) -> Result<KBox<u32>> {
///     Ok(KBox::new(7, GFP_KERNEL)?)
/// }
///
/// assert_eq!(*memalloc::scope(make_room)?, 7);
/// # Ok::<(), Error>(())
/// ```
pub struct Memalloc(NotThreadSafe);

/// Calls `f` with `PF_MEMALLOC` set. Scopes nest. Reclaim is such a scope: in it, this changes
/// nothing.
///
/// Allocations in the scope come from reserves that other tasks need to free memory: they should be
/// small, and lead to more memory being freed. In interrupts the scope gives no access to reserves.
///
/// Mirrors `memalloc_noreclaim_save()` and `memalloc_noreclaim_restore()`.
#[inline]
pub fn scope<R>(f: impl FnOnce(&Memalloc) -> R) -> R {
    // SAFETY: No requirement: this sets a flag of the current task.
    let flags = unsafe { bindings::memalloc_noreclaim_save() };
    // INVARIANT: The flag is set now. Nested scopes leave it set, and `f` gets a reference that it
    // can neither store nor send to another task.
    let ret = f(&Memalloc(NotThreadSafe));
    // SAFETY: `flags` are from the save above, in the same task: `f` can't unwind.
    unsafe { bindings::memalloc_noreclaim_restore(flags) };
    ret
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_memalloc)]
mod tests {
    use super::*;

    /// Whether the current task has the flag.
    fn is_set() -> bool {
        // SAFETY: The current task is alive, and only it changes its flags.
        let flags = unsafe { (*bindings::get_current()).flags };
        flags & bindings::PF_MEMALLOC != 0
    }

    #[test]
    fn scopes_nest() {
        assert!(!is_set());
        scope(|_| {
            assert!(is_set());
            scope(|_| assert!(is_set()));
            assert!(is_set());
        });
        assert!(!is_set());
    }
}
