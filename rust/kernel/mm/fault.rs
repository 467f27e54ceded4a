// SPDX-License-Identifier: GPL-2.0

//! Page faults, and the context in which a folio is allocated for one.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h)

use crate::{
    alloc::Flags,
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
    ptr::{
        null_mut,
        NonNull, //
    },
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
    pub(super) fn as_raw(self) -> *mut bindings::vm_fault {
        self.vmf.as_ptr()
    }

    /// The fault's VMA. Mirrors `vmf->vma`.
    #[inline]
    pub fn vma(self) -> Vma<'a> {
        // SAFETY: By the type invariant the fault is being handled during `'a`, with its VMA
        // locked.
        Vma(unsafe { VmaRef::from_raw((*self.as_raw()).__bindgen_anon_1.vma) })
    }

    /// The faulting address, rounded down to its page. Mirrors `vmf->address`.
    #[inline]
    pub fn address(self) -> usize {
        // SAFETY: By the type invariant the fault is alive.
        unsafe { (*self.as_raw()).__bindgen_anon_1.address }
    }

    /// Whether no other process maps the page that the fault's PTE, a swap PTE, refers to. That
    /// may change until the page table is locked. Mirrors `pte_swp_exclusive(vmf->orig_pte)`.
    #[inline]
    pub fn is_exclusive(self) -> bool {
        // SAFETY: By the type invariant the fault is alive. C tests a bit of its copy of the PTE.
        unsafe { bindings::vmf_pte_is_exclusive(self.as_raw()) }
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
        unsafe { bindings::vmf_allowable_orders(self.as_raw(), orders) }
    }

    /// The addresses that the fault's page table maps.
    #[inline]
    fn page_table(self) -> Range<usize> {
        let span = page_table_span();
        let start = self.address() & !span.wrapping_sub(1);
        start..start.wrapping_add(span)
    }

    /// The addresses of the fault's VMA that its page table maps.
    #[inline]
    pub fn reach(self) -> Range<usize> {
        let (table, vma) = (self.page_table(), self.vma().range());
        table.start.max(vma.start)..table.end.min(vma.end)
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
        unsafe { bindings::vmf_has_young_beside(self.as_raw(), order) }
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
        unsafe { bindings::vmf_has_young(self.as_raw(), start, nr as c_uint, least as c_uint) }
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
    let vmf = fault.map_or(null_mut(), Fault::as_raw);
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

/// A VMA that is locked for reading: of a [`VmaRef`] what changes neither the VMA nor its pages.
#[derive(Clone, Copy)]
pub struct Vma<'a>(&'a VmaRef);

impl<'a> Vma<'a> {
    /// The VMA of a C caller; `None` for null.
    ///
    /// # Safety
    ///
    /// During `'a` `vma` must be null, or a VMA that is locked for reading, by its per-VMA lock or
    /// by the `mmap_lock` of its `mm`.
    #[inline]
    pub unsafe fn from_raw_or_null(
        vma: *mut bindings::vm_area_struct,
        _call: &'a Call,
    ) -> Option<Self> {
        // SAFETY: The caller guarantees that the VMA, if it isn't null, is locked during `'a`.
        (!vma.is_null()).then(|| Self(unsafe { VmaRef::from_raw(vma) }))
    }

    /// The VMA, for C to borrow.
    #[inline]
    pub(super) fn as_raw(self) -> *mut bindings::vm_area_struct {
        self.0.as_ptr()
    }

    /// The addresses of the VMA.
    #[inline]
    pub fn range(self) -> Range<usize> {
        self.0.start()..self.0.end()
    }

    /// Whether the VMA maps no file. Mirrors `vma_is_anonymous()`.
    #[inline]
    pub fn is_anonymous(self) -> bool {
        // SAFETY: By the invariant of `VmaRef` the VMA is locked for reading during `'a`. C sets
        // `vm_ops` only in a VMA that is locked for writing, or that no other task can reach yet.
        unsafe { (*self.as_raw()).vm_ops.is_null() }
    }

    /// The announced order of accesses. Mirrors `VM_RAND_READ` and `VM_SEQ_READ`.
    ///
    /// A stack has both flags while its process is being created: the order is random then.
    #[inline]
    pub fn access_pattern(self) -> AccessPattern {
        let flags = self.0.flags();
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
    pub fn swap_readahead_info(self) -> &'a Atomic<isize> {
        // SAFETY: The VMA lives during `'a`. The field is an `atomic_long_t` in C, too.
        unsafe { &*(&raw mut (*self.as_raw()).swap_readahead_info).cast() }
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

    /// Calls `f` with the arguments of an allocation by the policy for `address` of a VMA, which is
    /// that of the VMA or of the current task.
    ///
    /// Only lent: a reference to a shared policy that is forgotten stays counted, and the count, an
    /// `int`, wraps. Mirrors `get_vma_policy()`, for a single page, and `mpol_cond_put()`.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::mm::{
    ///     fault::{AllocContext, Vma},
    ///     swap_add::NewFolio,
    ///     swap_cluster::Slot,
    /// };
    ///
    /// // A folio for the page that was swapped out at `address`, on the node that the policy selects.
    /// fn add(slot: Slot<'_>, vma: Vma<'_>, address: usize) -> Result<NewFolio> {
    ///     AllocContext::with_policy_of(vma, address, GFP_KERNEL, |context| slot.add_folio(0, context))
    /// }
    /// ```
    #[inline]
    pub fn with_policy_of<R>(
        vma: Vma<'_>,
        address: usize,
        gfp: Flags,
        f: impl FnOnce(&AllocContext<'_>) -> R,
    ) -> R {
        let (mut ilx, gfp, call) = (0, gfp.as_raw(), Call::new());
        // SAFETY: By the invariant of `VmaRef` the VMA is locked. The policy is put once, after its
        // last use; C accepts null. Until then it stays alive: it is the VMA's policy, which the
        // VMA's lock pins; or a shared policy with a reference; or the current task's policy, which
        // only the task itself changes.
        unsafe {
            let mpol = bindings::get_vma_policy(vma.as_raw(), address, 0, &mut ilx);
            let ret = f(&AllocContext::from_raw(gfp, null_mut(), mpol, ilx, &call));
            bindings::mpol_cond_put(mpol);
            ret
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
fn page_table_span() -> usize {
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
