// SPDX-License-Identifier: GPL-2.0

//! Memory management: the kernel's own files, and variants of the index of slots for models.

#[path = "../../../../../rust/kernel/mm/call.rs"]
pub mod call;
#[path = "../../../../../rust/kernel/mm/debug.rs"]
pub mod debug;
#[path = "../../../../../rust/kernel/mm/fault.rs"]
pub mod fault;
#[path = "../../../../../rust/kernel/mm/folio.rs"]
pub mod folio;
#[path = "../../../../../rust/kernel/mm/memalloc.rs"]
pub mod memalloc;
#[path = "../../../../../rust/kernel/mm/memcontrol.rs"]
pub mod memcontrol;
#[path = "../../../../../rust/kernel/mm/swap_add.rs"]
pub mod swap_add;
#[path = "../../../../../rust/kernel/mm/swap_cache.rs"]
pub mod swap_cache;
#[path = "../../../../../rust/kernel/mm/swap_cluster.rs"]
pub mod swap_cluster;
#[path = "../../../../../rust/kernel/mm/swap_readahead.rs"]
pub mod swap_readahead;
#[path = "../../../../../rust/kernel/mm/swap_table.rs"]
pub mod swap_table;
#[path = "../../../../../rust/kernel/mm/swapops.rs"]
pub mod swapops;
#[path = "../../../../../rust/kernel/mm/trace_event.rs"]
pub mod trace_event;
#[path = "../../../../../rust/kernel/mm/vmstat.rs"]
pub mod vmstat;

pub mod virt {
    //! A VMA, by its address.
    use crate::bindings;

    pub struct VmaRef(bindings::vm_area_struct);

    impl VmaRef {
        /// # Safety
        ///
        /// The VMA must stay alive for `'a`.
        pub unsafe fn from_raw<'a>(vma: *const bindings::vm_area_struct) -> &'a Self {
            // SAFETY: By the requirement; the type is only a marker for the address.
            unsafe { &*vma.cast() }
        }
        pub fn as_ptr(&self) -> *mut bindings::vm_area_struct {
            core::ptr::from_ref(self).cast_mut().cast()
        }
        pub fn flags(&self) -> usize {
            0
        }
        pub fn start(&self) -> usize {
            self.0.start
        }
        pub fn end(&self) -> usize {
            self.0.end
        }
    }
}

pub fn totalram_pages() -> usize {
    // SAFETY: No requirement.
    unsafe { crate::bindings::totalram_pages() }
}
