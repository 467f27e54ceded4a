// SPDX-License-Identifier: GPL-2.0

//! NUMA memory policies.
//!
//! C header: [`include/linux/mempolicy.h`](srctree/include/linux/mempolicy.h)

use crate::{
    alloc::Flags,
    bindings,
    mm::{
        fault::AllocContext,
        virt::VmaRef, //
    },
    prelude::*,
    types::NotThreadSafe, //
};
use core::marker::PhantomData;

/// The policy for an address of a VMA, and the address's interleave index.
///
/// # Invariants
///
/// `policy` comes from `get_vma_policy()` and hasn't been put yet. It is the VMA's policy, which
/// the VMA's lock pins; or a shared policy with a reference; or the current task's policy, which
/// only the task itself changes. (A reference pins a policy unless the count wraps: safe code that
/// forgets 2^32 - 1 values of a shared policy wraps it to one less than before.)
///
/// # Examples
///
/// ```
/// use kernel::mm::{mempolicy::VmaPolicy, swap_add::FreshFolio, virt::VmaRef};
///
/// // A folio for the page that was swapped out at `address`, on the node that the policy selects.
/// fn alloc(vma: &VmaRef, address: usize) -> Option<FreshFolio> {
///     let policy = VmaPolicy::of(vma, address);
///     FreshFolio::alloc(0, &policy.alloc_context(GFP_KERNEL))
/// }
/// ```
pub struct VmaPolicy<'a> {
    policy: *mut bindings::mempolicy,
    ilx: c_ulong,
    _vma: PhantomData<&'a VmaRef>,
    _not_send: NotThreadSafe,
}

impl<'a> VmaPolicy<'a> {
    /// Gets the policy for `address`: the VMA's or the current task's.
    ///
    /// Mirrors `get_vma_policy()` for a single page.
    #[inline]
    pub fn of(vma: &'a VmaRef, address: usize) -> Self {
        let mut ilx = 0;
        // SAFETY: The VMA is locked, by the invariant of `VmaRef`.
        let policy = unsafe { bindings::get_vma_policy(vma.as_ptr(), address, 0, &mut ilx) };
        // INVARIANT: Just returned by `get_vma_policy()`.
        Self {
            policy,
            ilx,
            _vma: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    /// The arguments of an allocation by this policy, with `gfp`.
    #[inline]
    pub fn alloc_context(&self, gfp: Flags) -> AllocContext<'_> {
        // INVARIANT: By the invariant of `VmaPolicy` the policy stays alive as long as `self`.
        AllocContext {
            gfp: gfp.as_raw(),
            vmf: core::ptr::null_mut(),
            mpol: self.policy,
            ilx: self.ilx,
            _p: PhantomData,
        }
    }
}

impl Drop for VmaPolicy<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the policy hasn't been put yet. C accepts null.
        unsafe { bindings::mpol_cond_put(self.policy) }
    }
}
