// SPDX-License-Identifier: GPL-2.0

//! NUMA memory policies.
//!
//! C header: [`include/linux/mempolicy.h`](srctree/include/linux/mempolicy.h)

use crate::{
    alloc::Flags,
    bindings,
    mm::{
        call::Call,
        fault::AllocContext,
        virt::VmaRef, //
    },
};
use core::ptr::null_mut;

impl AllocContext<'_> {
    /// Calls `f` with the arguments of an allocation by the policy for `address` of a VMA, which is
    /// that of the VMA or of the current task.
    ///
    /// Only lent: a reference to a shared policy that is forgotten stays counted, and the count, an
    /// `int`, wraps. Mirrors `get_vma_policy()`, for a single page, and `mpol_cond_put()`.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::mm::{fault::AllocContext, swap_add::FreshFolio, virt::VmaRef};
    ///
    /// // A folio for the page that was swapped out at `address`, on the node that the policy selects.
    /// fn alloc(vma: &VmaRef, address: usize) -> Option<FreshFolio> {
    ///     AllocContext::with_policy_of(vma, address, GFP_KERNEL, |context| {
    ///         FreshFolio::alloc(0, context)
    ///     })
    /// }
    /// ```
    #[inline]
    pub fn with_policy_of<R>(
        vma: &VmaRef,
        address: usize,
        gfp: Flags,
        f: impl FnOnce(&AllocContext<'_>) -> R,
    ) -> R {
        let (mut ilx, call) = (0, Call::new());
        // SAFETY: The VMA is locked, by the invariant of `VmaRef`. The policy is put once, after its
        // last use; C accepts null. Until then it stays alive: it is the VMA's policy, which the
        // VMA's lock pins; or a shared policy with a reference; or the current task's policy, which
        // only the task itself changes.
        unsafe {
            let mpol = bindings::get_vma_policy(vma.as_ptr(), address, 0, &mut ilx);
            let ret = f(&AllocContext::from_raw(
                gfp.as_raw(),
                null_mut(),
                mpol,
                ilx,
                &call,
            ));
            bindings::mpol_cond_put(mpol);
            ret
        }
    }
}
