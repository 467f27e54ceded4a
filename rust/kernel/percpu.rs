// SPDX-License-Identifier: GPL-2.0

//! Per-CPU values.
//!
//! C header: [`include/linux/percpu.h`](srctree/include/linux/percpu.h)

use crate::{
    alloc::{
        AllocError,
        Flags,
        NumaNode, //
    },
    bindings,
    cpu::{
        nr_cpu_ids,
        CpuId, //
    },
    page::PAGE_SIZE,
    prelude::*, //
};
use core::marker::PhantomData;

/// A `T` for each possible CPU, in memory close to that CPU.
///
/// The value of each CPU can be accessed from any CPU. [`PerCpu::this_cpu`] only locates a value:
/// it doesn't prevent the task from migrating. Hence `T` must be [`Sync`].
///
/// Mirrors `alloc_percpu()`.
///
/// # Invariants
///
/// `ptr` is a per-CPU allocation with the layout of `T`, owned by this value, in which the value of
/// each possible CPU is initialised and pinned.
///
/// Covariant in `T`, like a box: values are borrowed and dropped, and never replaced.
///
/// # Examples
///
/// ```
/// use kernel::{
///     cpu::{nr_cpu_ids, CpuId},
///     new_mutex,
///     percpu::PerCpu,
///     sync::Mutex,
/// };
///
/// let counts: PerCpu<Mutex<u32>> = PerCpu::new(|| new_mutex!(0), GFP_KERNEL)?;
/// *counts.this_cpu().lock() += 1;
///
/// // On whichever CPU the task ran.
/// let cpus = (0..nr_cpu_ids()).filter_map(CpuId::from_u32);
/// let counts = cpus.filter_map(|cpu| counts.get(cpu));
/// let sum: u32 = counts.map(|count| *count.lock()).sum();
/// assert_eq!(sum, 1);
/// # Ok::<(), Error>(())
/// ```
pub struct PerCpu<T> {
    // A per-CPU address, which `per_cpu_ptr()` and similar functions translate into a real one.
    ptr: *mut c_void,
    _p: PhantomData<T>,
}

// SAFETY: The owner may drop the values on any CPU.
unsafe impl<T: Send> Send for PerCpu<T> {}
// SAFETY: A shared reference to a `PerCpu<T>` gives only `&T`.
unsafe impl<T: Sync> Sync for PerCpu<T> {}

/// All possible CPUs, in the order of their numbers. Mirrors `for_each_possible_cpu()`.
fn possible_cpus() -> impl Iterator<Item = CpuId> {
    (0..nr_cpu_ids())
        .filter_map(CpuId::from_u32)
        .filter(is_possible)
}

/// Mirrors `cpu_possible()`.
fn is_possible(cpu: &CpuId) -> bool {
    // SAFETY: A `CpuId` is below `nr_cpu_ids`.
    unsafe { bindings::cpu_possible(cpu.as_u32()) }
}

/// The NUMA node of `cpu`, or [`NumaNode::NO_NODE`] if the CPU isn't possible. Mirrors
/// `cpu_to_node()`.
pub fn node_of(cpu: CpuId) -> NumaNode {
    if !is_possible(&cpu) {
        return NumaNode::NO_NODE;
    }
    // SAFETY: The CPU is possible, so it has the per-CPU data that C reads.
    let nid = unsafe { bindings::cpu_to_node(cpu.as_u32() as crate::ffi::c_int) };
    // A CPU that was never up may have no node.
    NumaNode::new(nid).unwrap_or(NumaNode::NO_NODE)
}

impl<T> PerCpu<T> {
    /// Allocates the values, each initialised by an initialiser that `init` returns. May sleep if
    /// `gfp` allows it.
    ///
    /// Fails to compile for a `T` that is too large for the allocator: C would warn at run time.
    pub fn new<I: PinInit<T>>(mut init: impl FnMut() -> I, gfp: Flags) -> Result<Self, AllocError> {
        const {
            // `PCPU_MIN_UNIT_SIZE`
            assert!(size_of::<T>() <= (32usize << 10).next_multiple_of(PAGE_SIZE));
            assert!(align_of::<T>() <= PAGE_SIZE);
        }
        // SAFETY: No requirement. The allocator refuses size 0.
        let ptr = unsafe {
            bindings::alloc_percpu_gfp(size_of::<T>().max(1), align_of::<T>(), gfp.as_raw())
        };
        if ptr.is_null() {
            return Err(AllocError);
        }
        for cpu in possible_cpus() {
            // SAFETY: `ptr` was just allocated with the layout of `T`, and isn't shared yet; each
            // value is initialised once, in its final place.
            unsafe { pin_init::raw_init(Self::value(ptr, cpu), init()) };
        }
        // INVARIANT: `ptr` was just allocated for `T`. The value of each possible CPU is
        // initialised, and doesn't move before it is dropped.
        Ok(Self {
            ptr,
            _p: PhantomData,
        })
    }

    fn value(ptr: *mut c_void, cpu: CpuId) -> *mut T {
        // SAFETY: `per_cpu_ptr()` only computes an address. The callers justify their use of it.
        unsafe { bindings::per_cpu_ptr(ptr, cpu.as_u32()) }.cast()
    }

    /// The value of `cpu`, or [`None`] if `cpu` isn't possible.
    pub fn get(&self, cpu: CpuId) -> Option<&T> {
        // SAFETY: The CPU is possible: by the type invariant its value is initialised. It is only
        // shared until `drop`.
        is_possible(&cpu).then(|| unsafe { &*Self::value(self.ptr, cpu) })
    }

    /// The value of the CPU that the task currently runs on. The task may migrate at any time.
    /// Mirrors `raw_cpu_ptr()`.
    #[inline]
    pub fn this_cpu(&self) -> &T {
        // SAFETY: By the type invariant this is a per-CPU allocation, with an initialised value for
        // the current CPU, which is possible since it is running. It is only shared until `drop`.
        unsafe { &*bindings::raw_cpu_ptr(self.ptr).cast::<T>() }
    }
}

impl<T> Drop for PerCpu<T> {
    fn drop(&mut self) {
        for cpu in possible_cpus() {
            // SAFETY: By the type invariant the value is initialised and owned by `self`; it is
            // dropped once.
            unsafe { core::ptr::drop_in_place(Self::value(self.ptr, cpu)) };
        }
        // SAFETY: By the type invariant the allocation is owned by `self`.
        unsafe { bindings::free_percpu(self.ptr) };
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_percpu)]
mod tests {
    use super::*;
    use crate::{
        new_mutex,
        sync::{
            Arc,
            Mutex, //
        },
    };

    #[test]
    fn each_cpu_has_its_own_value() -> Result {
        let values: PerCpu<Mutex<u32>> = PerCpu::new(|| new_mutex!(1), GFP_KERNEL)?;
        for cpu in possible_cpus() {
            let value = values.get(cpu).ok_or(EINVAL)?;
            assert_eq!(*value.lock(), 1);
            *value.lock() = 100 + cpu.as_u32();
        }
        for cpu in possible_cpus() {
            assert_eq!(*values.get(cpu).ok_or(EINVAL)?.lock(), 100 + cpu.as_u32());
        }
        assert!(*values.this_cpu().lock() >= 100);
        Ok(())
    }

    #[test]
    fn each_value_is_dropped_once() -> Result {
        let shared = Arc::new((), GFP_KERNEL)?;
        let values = PerCpu::new(
            || {
                let shared = shared.clone();
                // SAFETY: The closure writes the whole value, and can't fail.
                unsafe {
                    pin_init::pin_init_from_closure(move |slot: *mut Arc<()>| {
                        slot.write(shared);
                        Ok::<(), core::convert::Infallible>(())
                    })
                }
            },
            GFP_KERNEL,
        )?;
        drop(values);
        // No other reference is left.
        assert!(Arc::into_unique_or_drop(shared).is_some());
        Ok(())
    }
}
