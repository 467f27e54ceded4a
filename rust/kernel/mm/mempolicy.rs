// SPDX-License-Identifier: GPL-2.0

//! Policies for which NUMA node memory comes from.
//!
//! C header: [`include/linux/mempolicy.h`](srctree/include/linux/mempolicy.h)

use crate::{
    bindings,
    ffi::c_ulong,
    mm::{
        swap_cache::Origin,
        virt::VmaRef, //
    },
    types::NotThreadSafe,
};
use core::marker::PhantomData;

/// The policy for an address of a VMA, and where it falls in an interleaved one.
///
/// # Invariants
///
/// `policy` is what `get_vma_policy()` has returned, and not put yet: the VMA's, which has it while
/// it is locked, or a shared one with a reference, or the current task's, which only that changes.
///
/// # Examples
///
/// ```
/// use kernel::mm::{mempolicy::VmaPolicy, swap_cache::FreshFolio, virt::VmaRef};
///
/// // A page for what was swapped out at `address`, on the node where the VMA wants it.
/// fn alloc(vma: &VmaRef, address: usize) -> Option<FreshFolio> {
///     let policy = VmaPolicy::of(vma, address);
///     FreshFolio::alloc(GFP_KERNEL, 0, &policy.origin())
/// }
/// ```
pub struct VmaPolicy<'a> {
    policy: *mut bindings::mempolicy,
    ilx: c_ulong,
    _vma: PhantomData<&'a VmaRef>,
    _not_send: NotThreadSafe,
}

impl<'a> VmaPolicy<'a> {
    /// Gets the policy for `address`, of `vma` or of the current task.
    ///
    /// Mirrors `get_vma_policy()` for a single page.
    #[inline]
    pub fn of(vma: &'a VmaRef, address: usize) -> Self {
        let mut ilx = 0;
        // SAFETY: The VMA is locked, as a `&VmaRef` says.
        let policy = unsafe { bindings::get_vma_policy(vma.as_ptr(), address, 0, &mut ilx) };
        // INVARIANT: Just got.
        Self {
            policy,
            ilx,
            _vma: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    /// Pages are to be swapped in by this policy.
    #[inline]
    pub fn origin(&self) -> Origin<'_> {
        // SAFETY: By the type invariant the policy is there while `self` is.
        unsafe { Origin::from_raw(core::ptr::null_mut(), self.policy, self.ilx) }
    }
}

impl Drop for VmaPolicy<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant it was got and not put yet. Null will do.
        unsafe { bindings::mpol_cond_put(self.policy) }
    }
}
