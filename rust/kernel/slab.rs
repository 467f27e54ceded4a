// SPDX-License-Identifier: GPL-2.0

//! Slab caches of objects of one type.
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

/// A field of this type makes a struct invariant in `T`.
type Invariant<T> = PhantomData<fn(T) -> T>;

/// A slab cache of `T`, shown in `/proc/slabinfo`.
///
/// Mirrors `struct kmem_cache` as created by `KMEM_CACHE()`.
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

// SAFETY: A `struct kmem_cache` does its own locking, and is bound to no thread.
unsafe impl<T> Send for Cache<T> {}
// SAFETY: All methods take `&self`, and call C functions that do their own locking.
unsafe impl<T> Sync for Cache<T> {}

impl<T> Cache<T> {
    /// Creates a cache called `name`. May sleep. Fails with `ENOMEM`.
    ///
    /// Mirrors `kmem_cache_create()`.
    pub fn new(name: &'static CStr) -> Result<Self> {
        const {
            // Required by C, which takes the size as an `unsigned int`, and may round it up.
            assert!(size_of::<T>() != 0 && size_of::<T>() <= bindings::KMALLOC_MAX_SIZE as usize);
        }
        let mut args = bindings::kmem_cache_args {
            align: core::mem::align_of::<T>() as u32,
            ..pin_init::zeroed()
        };
        // SAFETY: `name` is never freed; C only reads `args`, during the call.
        let ptr = unsafe {
            bindings::__kmem_cache_create_args(
                name.as_char_ptr(),
                core::mem::size_of::<T>() as u32,
                &mut args,
                0,
            )
        };
        Ok(Self {
            // INVARIANT: The cache was just created for the layout of `T`, and no other code has
            // it.
            ptr: NonNull::new(ptr).ok_or(ENOMEM)?,
            _p: PhantomData,
        })
    }

    /// Allocates memory for one object on the node `nid`, or near it. May sleep if `gfp` allows it.
    ///
    /// Requires a cache that is never destroyed, since `kmem_cache_destroy()` requires that no
    /// objects are left.
    ///
    /// Mirrors `kmem_cache_alloc_node()`.
    #[inline]
    pub fn alloc(&'static self, gfp: Flags, nid: NumaNode) -> Result<UninitBox<T>, AllocError> {
        let nid = nid.as_raw();
        // SAFETY: `self.ptr` is a cache by the type invariant. By the invariant of `NumaNode` the
        // node is possible, or is `NUMA_NO_NODE`.
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
        // SAFETY: By the type invariant the cache is owned by this value. It has no objects:
        // `alloc` requires a cache that is never dropped.
        unsafe { bindings::kmem_cache_destroy(self.ptr.as_ptr()) }
    }
}

/// Memory for several objects, from a [`Cache`].
///
/// # Invariants
///
/// `first` is null, or the first of a chain of allocations from a slab cache, each for a `T`. Each
/// allocation has at its start a pointer to the next one, or null in the last.
pub struct UninitBoxes<T> {
    first: *mut c_void,
    _p: Invariant<T>,
}

impl<T> Cache<T> {
    /// Allocates memory for `nr` objects on the node `nid`, or near it; all or none. May sleep if
    /// `gfp` allows it.
    ///
    /// Allocates in bulk if `nid` is the node that this CPU allocates from.
    /// `kmem_cache_alloc_bulk()` takes no node, and prefers partial slabs of other nodes to a new
    /// slab. An object from another node is exchanged by [`alloc`], so that objects are on other
    /// nodes only if `nid` has no memory.
    ///
    /// Mirrors `kmem_cache_alloc_bulk()`.
    ///
    /// [`alloc`]: Cache::alloc
    #[inline]
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
        if nr == 1 {
            all.push(self.alloc(gfp, nid)?);
        } else {
            self.alloc_more(&mut all, nr, gfp, nid)?;
        }
        Ok(all)
    }

    #[inline(never)] // stack: keeps its array out of the caller's frame
    fn alloc_more(
        &'static self,
        all: &mut UninitBoxes<T>,
        mut left: usize,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<(), AllocError> {
        // SAFETY: No requirement.
        let (here, max) = unsafe { (bindings::numa_mem_id(), bindings::max_node_ids()) };
        let elsewhere = cfg!(CONFIG_NUMA) && max > 1;
        while left > 1 && nid.as_raw() == here {
            let mut some = [None::<NonNull<MaybeUninit<T>>>; 16];
            let n = left.min(some.len());
            // SAFETY: By the type invariant `self.ptr` is a cache; `some` has room for `n`
            // pointers.
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
                // INVARIANT: The memory was just allocated from this cache, for a `T`, and is owned
                // by this function.
                let memory = UninitBox {
                    ptr,
                    _p: PhantomData,
                };
                // SAFETY: It is memory from a slab cache.
                all.push(if elsewhere && unsafe { nid_of(ptr.as_ptr()) } != nid {
                    self.alloc(gfp, nid).unwrap_or(memory)
                } else {
                    memory
                });
            }
        }
        for _ in 0..left {
            all.push(self.alloc(gfp, nid)?);
        }
        Ok(())
    }
}

impl<T> UninitBoxes<T> {
    #[inline]
    fn push(&mut self, memory: UninitBox<T>) {
        let ptr = core::mem::ManuallyDrop::new(memory).ptr;
        // SAFETY: By the invariant of `UninitBox` it is memory for a `T`, which this function owns
        // now. `alloc_bulk` has checked that a pointer fits into it.
        unsafe { ptr.cast().write(self.first) };
        // INVARIANT: The pointer to the next allocation, or null, was just written.
        self.first = ptr.as_ptr().cast();
    }

    /// Removes and returns memory for one object; `None` if none is left.
    #[inline]
    pub fn pop(&mut self) -> Option<UninitBox<T>> {
        let ptr = NonNull::new(self.first)?;
        // SAFETY: By the type invariant the allocation has at its start a pointer to the next, or
        // null.
        // INVARIANT: The chain now begins with the next allocation. By the type invariant the
        // memory that is returned was allocated for a `T`; it is no longer in the chain.
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
        while self.pop().is_some() {}
    }
}

/// Memory from a [`Cache`] for a `T`, not initialised.
///
/// # Invariants
///
/// `ptr` points to memory that was allocated from a slab cache for a `T`, and is owned by this
/// value.
pub struct UninitBox<T> {
    ptr: NonNull<MaybeUninit<T>>,
    _p: Invariant<T>,
}

impl<T> UninitBox<T> {
    /// Initialises the memory with `value`.
    #[inline]
    pub fn write(self, value: T) -> Box<T> {
        let ptr = core::mem::ManuallyDrop::new(self).ptr;
        // SAFETY: By the type invariant `ptr` is valid for writes, and only this function has it.
        unsafe { ptr.cast().write(value) };
        // INVARIANT: `ptr` points to memory from a slab cache, which has a `T` now. Both are owned
        // by the result.
        Box { ptr: ptr.cast() }
    }
}

impl<T> Drop for UninitBox<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the memory is owned by this value, and from a slab cache,
        // for which Documentation/core-api/memory-allocation.rst allows kfree(). It contains no `T`
        // to drop.
        unsafe { bindings::kfree(self.ptr.as_ptr().cast()) }
    }
}

/// An owned object in memory from a [`Cache`]. Gives only `&T`: the object may be on lists that
/// other tasks walk.
///
/// # Invariants
///
/// `ptr` points to a valid `T` in memory from a slab cache. This value owns both. Other code
/// reaches the object by a borrow of this value, or by a pointer from [`Box::as_ptr`], under the
/// rules of the unsafe code that has passed the pointer on.
pub struct Box<T> {
    ptr: NonNull<T>,
}

// SAFETY: A `Box<T>` owns the `T`, and any task may drop it. Other tasks may have a `&T` at the
// time.
unsafe impl<T: Send + Sync> Send for Box<T> {}
// SAFETY: A shared reference to a `Box<T>` gives only `&T`.
unsafe impl<T: Sync> Sync for Box<T> {}

impl<T> Box<T> {
    /// The address of the object, which doesn't move.
    #[inline]
    pub fn as_ptr(&self) -> NonNull<T> {
        self.ptr
    }

    /// Passes the object to the caller, who must convert it back with [`Box::from_raw`] to free it.
    #[inline]
    pub fn into_raw(this: Self) -> NonNull<T> {
        core::mem::ManuallyDrop::new(this).ptr
    }

    /// Converts back from [`Box::into_raw`].
    ///
    /// # Safety
    ///
    /// `ptr` must be from [`Box::into_raw`], and the caller must not use it again.
    #[inline]
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        // INVARIANT: The caller hands over the object and its memory.
        Self { ptr }
    }

    /// Splits into the object and its memory. No other code may be able to reach the object.
    #[inline]
    pub fn into_parts(this: Self) -> (T, UninitBox<T>) {
        let ptr = Self::into_raw(this);
        // INVARIANT: By the invariant of `Box` it is memory from a slab cache, which this function
        // owns. The `T` is moved out of it below.
        let memory = UninitBox {
            ptr: ptr.cast(),
            _p: PhantomData,
        };
        // SAFETY: By the type invariant the memory has a `T`, which this function owns and moves
        // out once.
        (unsafe { ptr.read() }, memory)
    }

    /// The NUMA node that the object lies on. Mirrors `page_to_nid(virt_to_page())`.
    #[inline]
    pub fn nid(&self) -> NumaNode {
        // SAFETY: By the type invariant the object is in memory from a slab cache.
        unsafe { nid_of(self.ptr.as_ptr()) }
    }
}

impl<T> Deref for Box<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: The object is valid by the type invariant, and no `&mut T` exists.
        unsafe { self.ptr.as_ref() }
    }
}

impl<T> Drop for Box<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the `T` is valid and owned by this value, in memory from a
        // slab cache, for which Documentation/core-api/memory-allocation.rst allows kfree().
        unsafe {
            core::ptr::drop_in_place(self.ptr.as_ptr());
            bindings::kfree(self.ptr.as_ptr().cast());
        }
    }
}

/// The NUMA node that an object lies on. Mirrors `page_to_nid(virt_to_page())`.
///
/// # Safety
///
/// `object` must be in memory from a slab cache.
#[inline]
pub unsafe fn nid_of<T>(object: *const T) -> NumaNode {
    // SAFETY: The caller guarantees that the object is in memory from a slab cache, which is in the
    // direct map, so that it has a `struct page`. The node of a `struct page` is possible.
    unsafe { NumaNode::from_possible(bindings::page_to_nid(bindings::virt_to_page(object.cast()))) }
}

// SAFETY: `into_foreign` returns the pointer to the object, which is not null and aligned for `T`.
unsafe impl<T> ForeignOwnable for Box<T> {
    const FOREIGN_ALIGN: usize = core::mem::align_of::<T>();

    type Borrowed<'a>
        = &'a T
    where
        T: 'a;
    // Shared as well, since other tasks may have a `&T`.
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
        // SAFETY: The caller guarantees that `ptr` is from `into_foreign`, and so not null, and
        // that it isn't used again.
        unsafe { Self::from_raw(NonNull::new_unchecked(ptr.cast())) }
    }

    #[inline]
    unsafe fn borrow<'a>(ptr: *mut c_void) -> &'a T
    where
        T: 'a,
    {
        // SAFETY: The caller guarantees that `ptr` is from `into_foreign`, and that `from_foreign`
        // isn't called for it during `'a`.
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
        // Never freed, so that the test can be run again.
        static CACHE: SetOnce<Cache<Counted>> = SetOnce::new();
        if CACHE.as_ref().is_none() {
            CACHE.populate(Cache::new(c"rust_slab_test")?);
        }
        let cache = CACHE.as_ref().ok_or(ENOMEM)?;
        let before = DROPPED.load(Relaxed);

        // The memory has no object, so none is dropped.
        drop(cache.alloc(GFP_KERNEL, NumaNode::NO_NODE)?);
        assert_eq!(DROPPED.load(Relaxed), before);

        // Node 0 exists on every machine.
        drop(cache.alloc(GFP_KERNEL, NumaNode::new(0)?)?);
        assert_eq!(DROPPED.load(Relaxed), before);

        let object = cache
            .alloc(GFP_KERNEL, NumaNode::NO_NODE)?
            .write(Counted(7));
        assert_eq!(object.0, 7);
        let foreign = object.into_foreign();
        // SAFETY: `foreign` is from `into_foreign`, and isn't converted back while it is borrowed.
        let borrowed = unsafe { <Box<Counted> as ForeignOwnable>::borrow(foreign) };
        assert_eq!(borrowed.0, 7);
        assert_eq!(DROPPED.load(Relaxed), before);
        // SAFETY: `foreign` is from `into_foreign` above, and isn't used again.
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
