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
    page::PAGE_SIZE,
    prelude::*,
    sync::atomic::Atomic, //
};
use core::{
    marker::PhantomData,
    ops::Range,
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

    /// Whether no other process maps the page that the fault's PTE, a swap PTE, refers to. That
    /// may change until the page table is locked. Mirrors `pte_swp_exclusive(vmf->orig_pte)`.
    #[inline]
    pub fn is_exclusive(self) -> bool {
        // SAFETY: By the type invariant the fault is alive. C tests a bit of its copy of the PTE.
        unsafe { bindings::vmf_pte_is_exclusive(self.vmf.as_ptr()) }
    }

    /// Those of `orders`, a set of bits, that the settings of transparent huge pages allow a folio
    /// of the fault's VMA. Never 0 or 1, and none in a mapping of a file. Mirrors
    /// `thp_vma_allowable_orders(..., TVA_PAGEFAULT, ...)`.
    #[inline]
    pub fn allowable_orders(self, orders: usize) -> usize {
        if !self.vma().is_anonymous() {
            return 0;
        }
        // SAFETY: By the type invariant the fault is being handled, with its VMA locked.
        unsafe { bindings::vmf_allowable_orders(self.vmf.as_ptr(), orders) }
    }

    /// The addresses that the fault's page table maps.
    #[inline]
    pub fn page_table(self) -> Range<usize> {
        let span = page_table_span();
        let start = self.address() & !(span - 1);
        start..start.wrapping_add(span)
    }

    /// Whether the page before the aligned block of `2^order` pages around the fault, or the one
    /// behind it, is mapped and was accessed since the kernel last checked. Only pages of the fault's
    /// page table count, whose entries are read without a lock. False for a block that is as large as
    /// what a page table maps. Doesn't sleep.
    #[inline]
    pub fn has_young_beside(self, order: u32) -> bool {
        let entries = page_table_span() / PAGE_SIZE;
        if 1usize.checked_shl(order).is_none_or(|nr| nr >= entries) {
            return false;
        }
        // SAFETY: By the type invariant the fault is being handled, and its `pmd` is the one of its
        // address. The aligned block around that is within its page table, as was just checked; C
        // reads the page before or behind it only if that is, too. C returns false if the page table
        // is gone, and otherwise reads it under the RCU read lock.
        unsafe { bindings::vmf_has_young_beside(self.vmf.as_ptr(), order) }
    }

    /// Whether at least `least` of the `nr` pages from `start` on are mapped and were accessed since
    /// the kernel last checked. False unless all are within the fault's page table, whose entries
    /// are read without a lock: they may change at any time. Doesn't sleep.
    pub fn has_young(self, start: usize, nr: usize, least: usize) -> bool {
        let table = self.page_table();
        let offset = start.wrapping_sub(table.start);
        let rest = page_table_span().saturating_sub(offset) / PAGE_SIZE;
        if offset % PAGE_SIZE != 0 || nr > rest || least > nr {
            return false;
        }
        // SAFETY: By the type invariant the fault is being handled, and its `pmd` is the one of its
        // address. That page table has entries for the `nr` pages, as was just checked: they start
        // at an offset within it, and `rest` of them follow. C returns false if the page table is
        // gone, and otherwise reads it under the RCU read lock, so that it isn't freed meanwhile.
        unsafe { bindings::vmf_has_young(self.vmf.as_ptr(), start, nr as c_uint, least as c_uint) }
    }
}

/// The number of pages that can be charged to the cgroup of the fault's process, or else to that of
/// this one, until the cgroup, or one of its ancestors, reaches `memory.max` or `memory.high`.
/// `usize::MAX` if none limits it, in a kernel thread, or without `CONFIG_MEMCG`; 0 with cgroup v1.
/// Only a hint: others charge at the same time. Doesn't sleep.
///
/// Mirrors `mem_cgroup_margin()`, with `memory.high` and the ancestors.
#[inline]
pub fn memcg_room(fault: Option<Fault<'_>>) -> usize {
    let vmf = fault.map_or(core::ptr::null_mut(), |fault| fault.vmf.as_ptr());
    // SAFETY: By the invariant of `Fault` it is being handled, with its VMA locked: the VMA has an
    // `mm`. Without a fault C takes `current->mm`, which only this task changes. C finds the cgroup of
    // the owner of the `mm` under the RCU read lock; a cgroup pins its ancestors.
    unsafe { bindings::vmf_memcg_room(vmf) }
}

/// In what order a process has announced that it will access the pages of a VMA: `madvise()`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccessPattern {
    /// Nothing was announced (`MADV_NORMAL`).
    Normal,
    /// In random order (`MADV_RANDOM`).
    Random,
    /// From the lowest address to the highest (`MADV_SEQUENTIAL`).
    Sequential,
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

    /// Whether the VMA maps no file. Mirrors `vma_is_anonymous()`.
    #[inline]
    pub fn is_anonymous(&self) -> bool {
        // SAFETY: By the type invariant the VMA is locked for reading during the lifetime of `self`. C
        // sets `vm_ops` only in a VMA that is locked for writing, or that no other task can reach yet.
        unsafe { (*self.as_ptr()).vm_ops.is_null() }
    }

    /// The announced order of accesses. Mirrors `VM_RAND_READ` and `VM_SEQ_READ`.
    ///
    /// A stack has both flags while its process is being created: the order is random then.
    #[inline]
    pub fn access_pattern(&self) -> AccessPattern {
        let flags = self.flags();
        if flags & bindings::VM_RAND_READ != 0 {
            AccessPattern::Random
        } else if flags & bindings::VM_SEQ_READ != 0 {
            AccessPattern::Sequential
        } else {
            AccessPattern::Normal
        }
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

    /// The same, for an allocation and a charge that fail rather than reclaim memory. (A list of the
    /// folio's cgroup that is allocated once, for its first large folio, may still do so.)
    #[inline]
    pub fn without_reclaim(&self) -> Self {
        // INVARIANT: A task that may allocate with the flags may also allocate without reclaim.
        Self {
            gfp: self.gfp & !bindings::__GFP_DIRECT_RECLAIM,
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

/// Whether a PTE's access bit shows that its page was accessed, rather than that it was mapped or that
/// one of its neighbours was accessed.
///
/// Mirrors `arch_has_hw_pte_young()`, except that it is false with `CONFIG_ARM64_CONTPTE`, where a
/// block of PTEs has one access bit.
#[inline]
pub fn access_bits_are_exact() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::pte_young_is_exact() }
}

/// Whether a swap device is rotational, so that seeks are slow. Mirrors `nr_rotate_swap`.
#[inline]
pub fn has_rotating_device() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::swap_has_rotating_device() }
}
