// SPDX-License-Identifier: GPL-2.0

//! Page faults, and the context in which a folio is allocated for one.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h)

use crate::{
    bindings,
    mm::{
        call::Call,
        virt::VmaRef, //
    },
    prelude::*,
    sync::atomic::Atomic, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

/// A page fault that is being handled. Mirrors `struct vm_fault`.
///
/// # Invariants
///
/// During `'a` the fault is being handled, with its VMA locked, and its `pmd` is the `pmd` of its
/// address.
#[derive(Clone, Copy)]
pub struct Fault<'a> {
    vmf: NonNull<bindings::vm_fault>,
    _p: PhantomData<&'a ()>,
}

impl<'a> Fault<'a> {
    /// The fault of a C caller.
    ///
    /// # Safety
    ///
    /// `vmf` must meet the type's invariants.
    #[inline]
    pub unsafe fn from_raw(vmf: NonNull<bindings::vm_fault>, _call: &'a Call) -> Self {
        // INVARIANT: The caller guarantees that `vmf` is such a fault during `'a`.
        Self {
            vmf,
            _p: PhantomData,
        }
    }

    /// The fault, for C to borrow.
    #[inline]
    pub fn as_raw(self) -> *mut bindings::vm_fault {
        self.vmf.as_ptr()
    }

    /// The fault's VMA. Mirrors `vmf->vma`.
    #[inline]
    pub fn vma(self) -> &'a VmaRef {
        // SAFETY: By the type invariant the fault is being handled during `'a`, with its VMA
        // locked.
        unsafe { VmaRef::from_raw(bindings::vmf_vma(self.vmf.as_ptr())) }
    }

    /// The faulting address, rounded down to its page. Mirrors `vmf->address`.
    #[inline]
    pub fn address(self) -> usize {
        // SAFETY: By the type invariant the fault is alive.
        unsafe { bindings::vmf_address(self.vmf.as_ptr()) }
    }
}

impl VmaRef {
    /// The VMA of a C caller; `None` for null.
    ///
    /// # Safety
    ///
    /// During `'a` `vma` must be null, or a VMA that is locked for reading, by its per-VMA lock or
    /// by the `mmap_lock` of its `mm`.
    #[inline]
    pub unsafe fn from_raw_or_null<'a>(
        vma: *mut bindings::vm_area_struct,
        _call: &'a Call,
    ) -> Option<&'a VmaRef> {
        // SAFETY: The caller guarantees that the VMA, if it isn't null, is locked during `'a`.
        (!vma.is_null()).then(|| unsafe { VmaRef::from_raw(vma) })
    }

    /// The readahead state of the VMA, packed as in [`mm/swap_state.c`]; 0 in a new VMA. Mirrors
    /// `vma->swap_readahead_info`.
    ///
    /// [`mm/swap_state.c`]: srctree/mm/swap_state.c
    #[inline]
    pub fn swap_readahead_info(&self) -> &Atomic<isize> {
        // SAFETY: The VMA lives as long as `self`. The field is an `atomic_long_t` in C, too.
        unsafe { &*bindings::vma_swap_readahead_info(self.as_ptr()).cast() }
    }
}

/// The arguments of a folio's allocation for a swap-in: the GFP flags, and the fault or the memory
/// policy.
///
/// # Invariants
///
/// During `'a` `vmf` is null or a fault that is being handled, with its VMA locked; `mpol` is null
/// or a policy that stays alive; with `CONFIG_NUMA` one of them isn't null, as C then looks into
/// the policy. The task may allocate with `gfp`.
#[derive(Clone, Copy)]
pub struct AllocContext<'a> {
    pub(super) gfp: bindings::gfp_t,
    pub(super) vmf: *mut bindings::vm_fault,
    pub(super) mpol: *mut bindings::mempolicy,
    pub(super) ilx: c_ulong,
    pub(super) _p: PhantomData<&'a ()>,
}

impl<'a> AllocContext<'a> {
    /// The flags, the fault and the policy of a C caller; one of the pointers may be null.
    ///
    /// # Safety
    ///
    /// The arguments must meet the type's invariants.
    #[inline]
    pub unsafe fn from_raw(
        gfp: bindings::gfp_t,
        vmf: *mut bindings::vm_fault,
        mpol: *mut bindings::mempolicy,
        ilx: c_ulong,
        _call: &'a Call,
    ) -> Self {
        // INVARIANT: The caller guarantees that the arguments meet the type's invariants.
        Self {
            gfp,
            vmf,
            mpol,
            ilx,
            _p: PhantomData,
        }
    }

    /// The same, for an allocation and a charge that fail rather than reclaim memory.
    #[inline]
    pub fn without_reclaim(&self) -> Self {
        // INVARIANT: A task that may allocate with the flags may also allocate without reclaim.
        Self {
            gfp: self.gfp & !bindings::___GFP_DIRECT_RECLAIM,
            ..*self
        }
    }
}

/// The number of bytes that one page table maps. Mirrors `PMD_SIZE`, which isn't a constant on
/// every architecture.
#[inline]
pub fn page_table_span() -> usize {
    // SAFETY: No requirement.
    unsafe { bindings::page_table_span() }
}

/// Whether a swap device is rotational, so that seeks are slow. Mirrors `nr_rotate_swap`.
#[inline]
pub fn has_rotating_device() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::swap_has_rotating_device() }
}
