// SPDX-License-Identifier: GPL-2.0

//! Scopes in which a task allocates from the reserves, and doesn't enter reclaim.
//!
//! C header: [`include/linux/sched/mm.h`](srctree/include/linux/sched/mm.h)

use crate::{
    bindings,
    types::NotThreadSafe, //
};

/// Evidence that the task allocates as reclaim does: without entering it, and from all reserves.
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
/// // To be called by those who are about to free more than they allocate.
/// fn make_room(_memalloc: &Memalloc) -> Result<KBox<u32>> {
///     Ok(KBox::new(7, GFP_KERNEL)?)
/// }
///
/// assert_eq!(*memalloc::scope(make_room)?, 7);
/// # Ok::<(), Error>(())
/// ```
pub struct Memalloc(NotThreadSafe);

/// Calls `f` in such a scope. May be nested, and does nothing but that in reclaim, which is one.
///
/// What is allocated comes from memory that others need in order to free theirs: it should be little,
/// and lead to more being freed. In interrupts the scope gives no access to reserves.
///
/// Mirrors `memalloc_noreclaim_save()` and `memalloc_noreclaim_restore()`.
#[inline]
pub fn scope<R>(f: impl FnOnce(&Memalloc) -> R) -> R {
    // SAFETY: No requirement: it is a flag of the current task.
    let flags = unsafe { bindings::memalloc_noreclaim_save() };
    // INVARIANT: Just set, if it wasn't. Scopes within this one leave it as it is, and `f` gets a
    // reference that it can neither keep nor send.
    let ret = f(&Memalloc(NotThreadSafe));
    // SAFETY: From the save above, in the same task: `f` can't unwind.
    unsafe { bindings::memalloc_noreclaim_restore(flags) };
    ret
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_memalloc)]
mod tests {
    use super::*;

    /// Whether the current task has the flag.
    fn is_set() -> bool {
        // SAFETY: The current task is there, and only it changes its flags.
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
