// SPDX-License-Identifier: GPL-2.0

//! Caches of objects of one type.
//!
//! C header: [`include/linux/slab.h`](srctree/include/linux/slab.h)

use crate::{
    alloc::{
        AllocError,
        Flags,
        NumaNode, //
    },
    bindings,
    prelude::*,
    types::ForeignOwnable, //
};
use core::{
    marker::PhantomData,
    mem::MaybeUninit,
    ops::Deref,
    ptr::NonNull, //
};

/// Makes what has it invariant in `T`.
type Invariant<T> = PhantomData<fn(T) -> T>;

/// A slab cache of `T`, shown in `/proc/slabinfo`.
///
/// Mirrors `struct kmem_cache` as made by `KMEM_CACHE()`.
///
/// # Invariants
///
/// `ptr` is a cache whose objects have the size and alignment of `T`, owned by this value.
///
/// # Examples
///
/// ```
/// use kernel::{
///     alloc::NumaNode,
///     slab::Cache,
///     sync::SetOnce,
/// };
///
/// struct Entry {
///     key: u64,
/// }
///
/// static CACHE: SetOnce<Cache<Entry>> = SetOnce::new();
///
/// # // Once, and for when the test is run again.
/// # if CACHE.as_ref().is_none() {
/// CACHE.populate(Cache::new(c"rust_doctests_entry")?);
/// # }
/// let cache = CACHE.as_ref().ok_or(ENOMEM)?;
///
/// // Memory first, which may fail; then what comes into it.
/// let memory = cache.alloc(GFP_KERNEL, NumaNode::NO_NODE)?;
/// let entry = memory.write(Entry { key: 7 });
/// assert_eq!(entry.key, 7);
/// # Ok::<(), Error>(())
/// ```
pub struct Cache<T> {
    ptr: NonNull<bindings::kmem_cache>,
    _p: Invariant<T>,
}

// SAFETY: A `struct kmem_cache` does its own locking and belongs to no thread.
unsafe impl<T> Send for Cache<T> {}
// SAFETY: All methods take `&self`, and call functions of C that lock the `struct kmem_cache` themselves.
unsafe impl<T> Sync for Cache<T> {}

impl<T> Cache<T> {
    /// Creates a cache called `name`. May sleep.
    pub fn new(name: &'static CStr) -> Result<Self> {
        const {
            // What C wants of a cache. It takes the size as an `unsigned int`, and makes it larger.
            assert!(size_of::<T>() != 0 && size_of::<T>() <= bindings::KMALLOC_MAX_SIZE as usize);
        }
        let mut args = bindings::kmem_cache_args {
            align: core::mem::align_of::<T>() as u32,
            ..pin_init::zeroed()
        };
        // SAFETY: `name` lives for ever and `args` for the call, which only reads it.
        let ptr = unsafe {
            bindings::__kmem_cache_create_args(
                name.as_char_ptr(),
                core::mem::size_of::<T>() as u32,
                &mut args,
                0,
            )
        };
        Ok(Self {
            // INVARIANT: The cache was just created for the layout of `T`, and nobody else has it.
            ptr: NonNull::new(ptr).ok_or(ENOMEM)?,
            _p: PhantomData,
        })
    }

    /// Allocates memory for one object on `nid`, or near it. May sleep if `gfp` may.
    ///
    /// Only a cache that is never destroyed gives objects: `kmem_cache_destroy()` wants none left.
    #[inline]
    pub fn alloc(&'static self, gfp: Flags, nid: NumaNode) -> Result<UninitBox<T>, AllocError> {
        let nid = nid.as_raw();
        // SAFETY: `self.ptr` is a cache by the type invariant. The node is one that there can be,
        // or none, by that of `NumaNode`.
        let ptr = unsafe { bindings::kmem_cache_alloc_node(self.ptr.as_ptr(), gfp.as_raw(), nid) };
        // INVARIANT: The memory was just allocated from a slab cache with the layout of `T`.
        Ok(UninitBox {
            ptr: NonNull::new(ptr.cast()).ok_or(AllocError)?,
            _p: PhantomData,
        })
    }
}

impl<T> Drop for Cache<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the cache is ours. No object is left: `alloc` wants a
        // cache that lives for ever, and this one doesn't.
        unsafe { bindings::kmem_cache_destroy(self.ptr.as_ptr()) }
    }
}

/// Memory for several objects, of a [`Cache`].
///
/// # Invariants
///
/// `first` is null, or begins a chain of memory that a slab cache gave for a `T` each: a pointer to the
/// next is at the start of each, and null in the last.
pub struct UninitBoxes<T> {
    first: *mut c_void,
    _p: Invariant<T>,
}

impl<T> Cache<T> {
    /// Allocates memory for `nr` objects on `nid`, or near it; all or none. May sleep if `gfp` may.
    ///
    /// In bulk if `nid` is the node that this CPU allocates from. `kmem_cache_alloc_bulk()` takes no node, and
    /// prefers partial slabs of other nodes to a new slab: each object from elsewhere is exchanged by [`alloc`],
    /// so that objects are on other nodes only when `nid` has no memory.
    ///
    /// [`alloc`]: Cache::alloc
    #[inline(never)] // for its stack
    pub fn alloc_bulk(
        &'static self,
        nr: usize,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<UninitBoxes<T>, AllocError> {
        const {
            assert!(size_of::<T>() >= size_of::<*mut c_void>());
            assert!(align_of::<T>() >= align_of::<*mut c_void>());
        }
        let mut all = UninitBoxes {
            first: core::ptr::null_mut(),
            _p: PhantomData,
        };
        let mut left = nr;
        // SAFETY: No requirement.
        let here = unsafe { bindings::numa_mem_id() };
        // SAFETY: No requirement.
        let elsewhere = cfg!(CONFIG_NUMA) && unsafe { bindings::max_node_ids() } > 1;
        while left > 1 && nid.as_raw() == here {
            let mut some = [None::<NonNull<MaybeUninit<T>>>; 16];
            let n = left.min(some.len());
            // SAFETY: By the type invariant it is a cache; there is room for `n` pointers.
            if !unsafe {
                bindings::kmem_cache_alloc_bulk(
                    self.ptr.as_ptr(),
                    gfp.as_raw(),
                    n,
                    some.as_mut_ptr().cast(),
                )
            } {
                return Err(AllocError);
            }
            left = left.wrapping_sub(n);
            for ptr in some.into_iter().take(n).flatten() {
                // INVARIANT: Memory for a `T`, just allocated from this cache, and owned by this function.
                let memory = UninitBox {
                    ptr,
                    _p: PhantomData,
                };
                all.push(if elsewhere && memory.nid() != nid {
                    self.exchange(memory, gfp, nid)
                } else {
                    memory
                });
            }
        }
        for _ in 0..left {
            all.push(self.alloc(gfp, nid)?);
        }
        Ok(all)
    }

    /// Exchanges memory for an object for such memory on `nid`, or near it, if there is any.
    #[cold]
    #[inline(never)] // keeps its registers out of `alloc_bulk`
    fn exchange(&'static self, memory: UninitBox<T>, gfp: Flags, nid: NumaNode) -> UninitBox<T> {
        self.alloc(gfp, nid).unwrap_or(memory)
    }
}

impl<T> UninitBoxes<T> {
    #[inline]
    fn push(&mut self, memory: UninitBox<T>) {
        let ptr = core::mem::ManuallyDrop::new(memory).ptr;
        // SAFETY: By its invariant it was memory for a `T`, which is ours now; `alloc_bulk` has seen that a pointer fits
        // into it.
        unsafe { ptr.cast().write(self.first) };
        // INVARIANT: Just written.
        self.first = ptr.as_ptr().cast();
    }

    /// Memory for one of the objects, if there is any left.
    #[inline]
    pub fn pop(&mut self) -> Option<UninitBox<T>> {
        let ptr = NonNull::new(self.first)?;
        // SAFETY: By the type invariant a pointer to the next is there.
        // INVARIANT: The chain begins with that; by the invariant this memory was given for a `T`.
        self.first = unsafe { ptr.cast::<*mut c_void>().read() };
        Some(UninitBox {
            ptr: ptr.cast(),
            _p: PhantomData,
        })
    }
}

impl<T> Drop for UninitBoxes<T> {
    #[inline]
    fn drop(&mut self) {
        while let Some(memory) = self.pop() {
            drop(memory);
        }
    }
}

/// Memory of a [`Cache`] for a `T` that isn't there yet.
///
/// # Invariants
///
/// The pointer owns memory that a slab cache gave for a `T`.
pub struct UninitBox<T> {
    ptr: NonNull<MaybeUninit<T>>,
    _p: Invariant<T>,
}

impl<T> UninitBox<T> {
    /// The NUMA node that the memory lies on.
    #[inline]
    fn nid(&self) -> NumaNode {
        // SAFETY: By the type invariant it is memory of a slab cache.
        unsafe { nid_of(self.ptr.as_ptr()) }
    }

    /// Puts the object into its place.
    #[inline]
    pub fn write(self, value: T) -> Box<T> {
        let ptr = core::mem::ManuallyDrop::new(self).ptr;
        // SAFETY: By the type invariant `ptr` is valid for writes and nobody else knows it.
        unsafe { ptr.cast().write(value) };
        // INVARIANT: `ptr` owns slab memory, and it holds a `T` now.
        Box {
            ptr: ptr.cast(),
            _p: PhantomData,
        }
    }
}

impl<T> Drop for UninitBox<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the memory is ours and from a slab cache, for which
        // Documentation/core-api/memory-allocation.rst allows kfree(). There is no `T` in it.
        unsafe { bindings::kfree(self.ptr.as_ptr().cast()) }
    }
}

/// An object in memory of a [`Cache`], owned. Hands out `&T` only: the object may be on lists that others walk.
///
/// # Invariants
///
/// `ptr` points to a valid `T` in memory from a slab cache, and owns both. Others reach the object through a borrow of
/// this value, or through a pointer from [`Box::as_ptr`], by the rules of the unsafe code that has left it with them.
pub struct Box<T> {
    ptr: NonNull<T>,
    _p: PhantomData<T>,
}

// SAFETY: It owns the `T` and may drop it anywhere; others may have `&T` at the time.
unsafe impl<T: Send + Sync> Send for Box<T> {}
// SAFETY: A shared reference to it gives only `&T`.
unsafe impl<T: Sync> Sync for Box<T> {}

impl<T> Box<T> {
    /// Where the object is: it doesn't move.
    #[inline]
    pub fn as_ptr(&self) -> NonNull<T> {
        self.ptr
    }

    /// Gives up the object: its owner has to make this [of it](Box::from_raw) again.
    #[inline]
    pub fn into_raw(this: Self) -> NonNull<T> {
        core::mem::ManuallyDrop::new(this).ptr
    }

    /// # Safety
    ///
    /// `ptr` must be from [`Box::into_raw`], and is handed over.
    #[inline]
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        // INVARIANT: The caller hands over the object and its memory.
        Self {
            ptr,
            _p: PhantomData,
        }
    }

    /// The object and its memory. Nobody else may reach the object any more.
    #[inline]
    pub fn into_parts(this: Self) -> (T, UninitBox<T>) {
        let ptr = Self::into_raw(this);
        // INVARIANT: The memory is of a slab cache, and there is no `T` in it any more.
        let memory = UninitBox {
            ptr: ptr.cast(),
            _p: PhantomData,
        };
        // SAFETY: By the type invariant there is a `T`, ours to move out.
        (unsafe { ptr.read() }, memory)
    }

    /// The NUMA node that the object lies on: `page_to_nid(virt_to_page())`.
    #[inline]
    pub fn nid(&self) -> NumaNode {
        // SAFETY: By the type invariant it is in memory of a slab cache.
        unsafe { nid_of(self.ptr.as_ptr()) }
    }
}

impl<T> Deref for Box<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: Valid by the type invariant; there is no `&mut T`.
        unsafe { self.ptr.as_ref() }
    }
}

impl<T> Drop for Box<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant there is a `T`, ours to end, in memory of a slab cache, for which
        // Documentation/core-api/memory-allocation.rst allows kfree().
        unsafe {
            core::ptr::drop_in_place(self.ptr.as_ptr());
            bindings::kfree(self.ptr.as_ptr().cast());
        }
    }
}

/// The NUMA node that an object lies on.
///
/// # Safety
///
/// `object` must be in memory of a slab cache.
#[inline]
pub unsafe fn nid_of<T>(object: *const T) -> NumaNode {
    // SAFETY: The caller guarantees that the object is in memory of a slab cache: in the direct map, so
    // that it has a `struct page`, whose node is a possible one.
    unsafe { NumaNode::from_possible(bindings::page_to_nid(bindings::virt_to_page(object.cast()))) }
}

// SAFETY: `into_foreign` gives the pointer to the object, which is not null and aligned for `T`.
unsafe impl<T> ForeignOwnable for Box<T> {
    const FOREIGN_ALIGN: usize = core::mem::align_of::<T>();

    type Borrowed<'a>
        = &'a T
    where
        T: 'a;
    // Shared as well: others may look at the object.
    type BorrowedMut<'a>
        = &'a T
    where
        T: 'a;

    #[inline]
    fn into_foreign(self) -> *mut c_void {
        Self::into_raw(self).as_ptr().cast()
    }

    #[inline]
    unsafe fn from_foreign(ptr: *mut c_void) -> Self {
        // SAFETY: `ptr` is from `into_foreign`, and so not null; the caller hands it over.
        unsafe { Self::from_raw(NonNull::new_unchecked(ptr.cast())) }
    }

    #[inline]
    unsafe fn borrow<'a>(ptr: *mut c_void) -> &'a T
    where
        T: 'a,
    {
        // SAFETY: `ptr` is from `into_foreign`, and the object isn't taken back during `'a`.
        unsafe { &*ptr.cast() }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(ptr: *mut c_void) -> &'a T
    where
        T: 'a,
    {
        // SAFETY: The requirements of `borrow_mut` include those of `borrow`.
        unsafe { <Self as ForeignOwnable>::borrow(ptr) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_slab)]
mod tests {
    use super::*;
    use crate::{
        alloc::flags::GFP_KERNEL,
        sync::{
            atomic::{
                ordering::Relaxed,
                Atomic, //
            },
            SetOnce,
        },
    };

    static DROPPED: Atomic<u32> = Atomic::new(0);

    struct Counted(u64);

    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn objects_are_dropped_once() -> Result {
        // For ever, and for when the test is run again.
        static CACHE: SetOnce<Cache<Counted>> = SetOnce::new();
        if CACHE.as_ref().is_none() {
            CACHE.populate(Cache::new(c"rust_slab_test")?);
        }
        let cache = CACHE.as_ref().ok_or(ENOMEM)?;
        let before = DROPPED.load(Relaxed);

        // Nothing in it: nothing is dropped.
        drop(cache.alloc(GFP_KERNEL, NumaNode::NO_NODE)?);
        assert_eq!(DROPPED.load(Relaxed), before);

        // Node 0 is there everywhere.
        drop(cache.alloc(GFP_KERNEL, NumaNode::new(0)?)?);
        assert_eq!(DROPPED.load(Relaxed), before);

        let object = cache
            .alloc(GFP_KERNEL, NumaNode::NO_NODE)?
            .write(Counted(7));
        assert_eq!(object.0, 7);
        let foreign = object.into_foreign();
        // SAFETY: From `into_foreign` just now; borrowed for less than that.
        let borrowed = unsafe { <Box<Counted> as ForeignOwnable>::borrow(foreign) };
        assert_eq!(borrowed.0, 7);
        assert_eq!(DROPPED.load(Relaxed), before);
        // SAFETY: From `into_foreign` above, once.
        drop(unsafe { Box::<Counted>::from_foreign(foreign) });
        assert_eq!(DROPPED.load(Relaxed), before + 1);
        Ok(())
    }

    #[test]
    fn a_cache_without_objects_goes() -> Result {
        drop(Cache::<[u64; 5]>::new(c"rust_slab_test_2")?);
        // Its name is free again.
        drop(Cache::<[u64; 5]>::new(c"rust_slab_test_2")?);
        Ok(())
    }
}
