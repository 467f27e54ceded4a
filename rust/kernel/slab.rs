// SPDX-License-Identifier: GPL-2.0

//! Caches of objects of one type.
//!
//! How an object ends is said by its type ([`Managed`]), and two types of which one is a subtype of
//! the other, `E<for<'a> fn(&'a u8)>` and `E<fn(&'static u8)>`, can say different things. So nothing
//! here can be coerced from one to the other: all is invariant in the type of the object.
//!
//! C header: [`include/linux/slab.h`](srctree/include/linux/slab.h)

use crate::{
    alloc::{
        AllocError,
        Flags,
        NumaNode, //
    },
    bindings,
    error::{
        code::ENOMEM,
        Result, //
    },
    ffi::c_void,
    str::{
        CStr,
        CStrExt as _, //
    },
    types::ForeignOwnable,
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
///     slab::{Cache, Managed},
///     sync::SetOnce,
/// };
///
/// struct Entry {
///     key: u64,
/// }
///
/// impl Managed for Entry {}
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
/// let vacant = cache.alloc(GFP_KERNEL, NumaNode::NO_NODE)?;
/// let entry = vacant.write(Entry { key: 7 });
/// assert_eq!(entry.borrow().key, 7);
/// # Ok::<(), Error>(())
/// ```
pub struct Cache<T: Managed> {
    ptr: NonNull<bindings::kmem_cache>,
    _p: Invariant<T>,
}

// SAFETY: A `struct kmem_cache` does its own locking and belongs to no thread.
unsafe impl<T: Managed> Send for Cache<T> {}
// SAFETY: All methods take `&self`, and call functions of C that lock the `struct kmem_cache` themselves.
unsafe impl<T: Managed> Sync for Cache<T> {}

impl<T: Managed> Cache<T> {
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
    pub fn alloc(&'static self, gfp: Flags, nid: NumaNode) -> Result<Vacant<T>, AllocError> {
        let nid = nid.as_raw();
        // SAFETY: `self.ptr` is a cache by the type invariant. The node is one that there can be,
        // or none, by that of `NumaNode`.
        let ptr = unsafe { bindings::kmem_cache_alloc_node(self.ptr.as_ptr(), gfp.as_raw(), nid) };
        // INVARIANT: The memory was just allocated from a slab cache with the layout of `T`.
        Ok(Vacant {
            ptr: NonNull::new(ptr.cast()).ok_or(AllocError)?,
            _p: PhantomData,
        })
    }
}

impl<T: Managed> Drop for Cache<T> {
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
pub struct Vacants<T: Managed> {
    first: *mut c_void,
    _p: Invariant<T>,
}

impl<T: Managed> Cache<T> {
    /// Allocates memory for `nr` objects on `nid`, or near it; all or none. May sleep if `gfp` may.
    ///
    /// In bulk if `nid` is the node that this CPU allocates from. `kmem_cache_alloc_bulk()` takes no node, and
    /// prefers partial slabs of other nodes to a new slab: each object from elsewhere is exchanged by [`alloc`],
    /// so that objects are on other nodes only when `nid` has no memory.
    ///
    /// [`alloc`]: Cache::alloc
    #[inline(never)] // for its stack
    pub fn alloc_many(
        &'static self,
        nr: usize,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<Vacants<T>, AllocError> {
        const {
            assert!(size_of::<T>() >= size_of::<*mut c_void>());
            assert!(align_of::<T>() >= align_of::<*mut c_void>());
        }
        let mut all = Vacants {
            first: core::ptr::null_mut(),
            _p: PhantomData,
        };
        let mut left = nr;
        // SAFETY: No requirement.
        let here = unsafe { bindings::numa_mem_id() };
        // SAFETY: No requirement.
        let elsewhere = cfg!(CONFIG_NUMA) && unsafe { bindings::max_node_ids() } > 1;
        while left > 1 && nid.as_raw() == here {
            let mut some = [core::ptr::null_mut::<c_void>(); 16];
            let n = left.min(some.len());
            // SAFETY: By the type invariant it is a cache; there is room for `n` pointers.
            if !unsafe {
                bindings::kmem_cache_alloc_bulk(
                    self.ptr.as_ptr(),
                    gfp.as_raw(),
                    n,
                    some.as_mut_ptr(),
                )
            } {
                return Err(AllocError);
            }
            left = left.wrapping_sub(n);
            for &ptr in some.iter().take(n) {
                // SAFETY: Memory for a `T`, just allocated from this cache, and owned by this function.
                unsafe {
                    let ptr = if elsewhere && nid_of(ptr) != nid {
                        self.exchange(ptr, gfp, nid)
                    } else {
                        ptr
                    };
                    all.push(ptr)
                };
            }
        }
        for _ in 0..left {
            let vacant = core::mem::ManuallyDrop::new(self.alloc(gfp, nid)?);
            // SAFETY: By the invariant of `Vacant`.
            unsafe { all.push(vacant.ptr.as_ptr().cast()) };
        }
        Ok(all)
    }

    /// Exchanges memory for an object for such memory on `nid`, or near it. If there is none, returns `ptr`.
    ///
    /// # Safety
    ///
    /// `ptr` must be memory that this cache gave for a `T`, and is handed over.
    #[cold]
    #[inline(never)] // keeps its registers out of `alloc_many`
    unsafe fn exchange(&'static self, ptr: *mut c_void, gfp: Flags, nid: NumaNode) -> *mut c_void {
        let Ok(vacant) = self.alloc(gfp, nid) else {
            return ptr;
        };
        // SAFETY: The caller hands over memory from a slab cache, which holds no `T`. For that,
        // Documentation/core-api/memory-allocation.rst allows kfree().
        unsafe { bindings::kfree(ptr) };
        core::mem::ManuallyDrop::new(vacant).ptr.as_ptr().cast()
    }
}

impl<T: Managed> Vacants<T> {
    /// # Safety
    ///
    /// `ptr` must be memory that a slab cache gave for a `T`, and is handed over.
    #[inline]
    unsafe fn push(&mut self, ptr: *mut c_void) {
        // SAFETY: The caller hands over memory for a `T`; `alloc_many` has seen that a pointer fits into it.
        unsafe { ptr.cast::<*mut c_void>().write(self.first) };
        // INVARIANT: Just written.
        self.first = ptr;
    }

    /// Memory for one of the objects, if there is any left.
    #[inline]
    pub fn pop(&mut self) -> Option<Vacant<T>> {
        let ptr = NonNull::new(self.first)?;
        // SAFETY: By the type invariant a pointer to the next is there.
        // INVARIANT: The chain begins with that; by the invariant this memory was given for a `T`.
        self.first = unsafe { ptr.cast::<*mut c_void>().read() };
        Some(Vacant {
            ptr: ptr.cast(),
            _p: PhantomData,
        })
    }
}

impl<T: Managed> Drop for Vacants<T> {
    #[inline]
    fn drop(&mut self) {
        while let Some(vacant) = self.pop() {
            drop(vacant);
        }
    }
}

/// A type that can be freed after an RCU grace period.
///
/// # Safety
///
/// At `OFFSET` in each value must be a `struct callback_head`, or room for one, aligned, that is for nothing
/// else and may be written to through a shared reference. The code must be there for ever: it must be built in.
pub unsafe trait HasRcuHead: Managed {
    /// Where the head is.
    const OFFSET: usize;
}

impl<T: HasRcuHead> Object<T> {
    /// Frees the memory after an RCU grace period. The `T` isn't dropped, and readers may look at it until
    /// then. Any context but NMI.
    ///
    /// Mirrors `call_rcu()`, as XArray frees its nodes.
    #[inline]
    pub fn free_rcu(self) {
        /// # Safety
        ///
        /// `head` must be that of a `T` in memory of a slab cache which nobody uses any more.
        unsafe extern "C" fn free<T: HasRcuHead>(head: *mut bindings::callback_head) {
            // SAFETY: The caller guarantees that `head` is at `T::OFFSET` in memory of a slab cache, which
            // nobody uses any more. Documentation/core-api/memory-allocation.rst allows kfree() for it.
            unsafe { bindings::kfree(head.byte_sub(T::OFFSET).cast()) }
        }

        T::before_drop(self.borrow());
        let ptr = core::mem::ManuallyDrop::new(self).ptr;
        // SAFETY: By the type invariant the memory is ours and from a slab cache, and pointers to the object
        // that were left elsewhere are gone since `before_drop`, except those of RCU readers, which C waits
        // for. The head is in the memory, and the code stays, as `HasRcuHead` guarantees.
        unsafe { bindings::call_rcu(ptr.byte_add(T::OFFSET).as_ptr().cast(), Some(free::<T>)) }
    }
}

/// A type whose values may be in memory of a [`Cache`].
pub trait Managed: Sized {
    /// Called before the object is dropped, while others may still be looking at it: ends that.
    ///
    /// This trait is safe to implement. Unsafe code that leaves a pointer to an object with others must
    /// itself require that this takes it back: [`list_lru::Item`](crate::mm::list_lru::Item) does.
    fn before_drop(_object: ObjectRef<'_, Self>) {}
}

/// Memory of a [`Cache`] for a `T` that isn't there yet.
///
/// # Invariants
///
/// The pointer owns memory that a slab cache gave for a `T`.
pub struct Vacant<T: Managed> {
    ptr: NonNull<MaybeUninit<T>>,
    _p: Invariant<T>,
}

impl<T: Managed> Vacant<T> {
    /// Puts the object into its place.
    #[inline]
    pub fn write(self, value: T) -> Object<T> {
        let ptr = core::mem::ManuallyDrop::new(self).ptr;
        // SAFETY: By the type invariant `ptr` is valid for writes and nobody else knows it.
        unsafe { ptr.cast().write(value) };
        // INVARIANT: `ptr` owns slab memory, and it holds a `T` now.
        Object {
            ptr: ptr.cast(),
            _p: PhantomData,
        }
    }
}

impl<T: Managed> Drop for Vacant<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the memory is ours and from a slab cache, for which
        // Documentation/core-api/memory-allocation.rst allows kfree(). There is no `T` in it.
        unsafe { bindings::kfree(self.ptr.as_ptr().cast()) }
    }
}

/// An object in memory of a [`Cache`]: its lifetime is owned, access to it is shared.
///
/// Never hands out `&mut T`, so that the object may sit on lists which others walk.
///
/// # Invariants
///
/// - `ptr` points to a valid `T` in memory from a slab cache, and owns both.
/// - Others reach the object through a borrow of this value, or through a pointer that unsafe code has
///   left with them and that [`Managed::before_drop`] takes back: see there.
pub struct Object<T: Managed> {
    ptr: NonNull<T>,
    _p: PhantomData<(T, Invariant<T>)>,
}

// SAFETY: It owns the `T` and may drop it anywhere; others may have `&T` at the time.
unsafe impl<T: Managed + Send + Sync> Send for Object<T> {}
// SAFETY: A shared reference to it gives only `&T`.
unsafe impl<T: Managed + Sync> Sync for Object<T> {}

impl<T: Managed> Object<T> {
    /// Borrows the object as one that is known to be in memory of a [`Cache`].
    #[inline]
    pub fn borrow(&self) -> ObjectRef<'_, T> {
        // INVARIANT: It is in slab memory by the type invariant.
        ObjectRef {
            // SAFETY: Valid by the type invariant, and no `&mut T` exists but in `drop`.
            object: unsafe { self.ptr.as_ref() },
            _p: PhantomData,
        }
    }

    /// Where the object is: it doesn't move.
    #[inline]
    pub(crate) fn as_ptr(&self) -> NonNull<T> {
        self.ptr
    }

    /// Drops the object, which `f` has to itself first.
    #[inline]
    pub fn drop_after(self, f: impl FnOnce(&mut T)) {
        // SAFETY: By the type invariant there is a `T`, ours to end.
        unsafe { end(core::mem::ManuallyDrop::new(self).ptr, f) }
    }
}

impl<T: Managed> Drop for Object<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant there is a `T`, ours to end.
        unsafe { drop_at(self.ptr) }
    }
}

/// Takes the address by value: a caller that drops an [`Object`] keeps that in a register.
///
/// # Safety
///
/// As for [`end`].
#[inline(never)]
unsafe fn drop_at<T: Managed>(ptr: NonNull<T>) {
    // SAFETY: The caller guarantees that `ptr` comes from an `Object` that isn't used any more.
    unsafe { end(ptr, |_| ()) }
}

/// Ends an object.
///
/// # Safety
///
/// `ptr` must come from an [`Object`] that isn't used any more.
#[inline(always)]
unsafe fn end<T: Managed>(mut ptr: NonNull<T>, f: impl FnOnce(&mut T)) {
    // INVARIANT: By that of `Object`.
    T::before_drop(ObjectRef {
        // SAFETY: The caller guarantees that `ptr` comes from an `Object`, in which there is a `T`.
        object: unsafe { ptr.as_ref() },
        _p: PhantomData,
    });
    // SAFETY: The caller guarantees that `ptr` comes from an `Object` that isn't used any more. By the
    // invariant of `Object` it owned the `T` and the memory, which is of a slab cache, for which
    // Documentation/core-api/memory-allocation.rst allows kfree(). No borrow of the `Object` is left, and
    // pointers that were left elsewhere are gone since `before_drop`.
    unsafe {
        f(ptr.as_mut());
        core::ptr::drop_in_place(ptr.as_ptr());
        bindings::kfree(ptr.as_ptr().cast());
    }
}

/// A borrowed [`Object`].
///
/// # Invariants
///
/// The `T` is in memory of a slab cache, which is in the direct map, and doesn't move.
pub struct ObjectRef<'a, T> {
    object: &'a T,
    _p: Invariant<T>,
}

impl<T> Clone for ObjectRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ObjectRef<'_, T> {}

impl<T> Deref for ObjectRef<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.object
    }
}

impl<'a, T> ObjectRef<'a, T> {
    /// The NUMA node that the object lies on: `page_to_nid(virt_to_page())`.
    #[inline]
    pub fn nid(self) -> NumaNode {
        // SAFETY: By the type invariant.
        unsafe { nid_of(self.object) }
    }

    /// The object.
    #[inline]
    pub fn get(self) -> &'a T {
        self.object
    }
}

/// The NUMA node that an object lies on.
///
/// # Safety
///
/// `object` must be in memory of a slab cache.
#[inline]
pub(crate) unsafe fn nid_of<T>(object: *const T) -> NumaNode {
    // SAFETY: The caller guarantees that the object is in memory of a slab cache: in the direct map, so
    // that it has a `struct page`, whose node is a possible one.
    unsafe { NumaNode::from_possible(bindings::page_to_nid(bindings::virt_to_page(object.cast()))) }
}

// SAFETY: `into_foreign` gives the pointer to the object, which is not null and aligned for `T`.
unsafe impl<T: Managed> ForeignOwnable for Object<T> {
    const FOREIGN_ALIGN: usize = core::mem::align_of::<T>();

    type Borrowed<'a>
        = ObjectRef<'a, T>
    where
        T: 'a;
    // Shared as well: a task that walks a list may be looking at the object.
    type BorrowedMut<'a>
        = ObjectRef<'a, T>
    where
        T: 'a;

    #[inline]
    fn into_foreign(self) -> *mut c_void {
        core::mem::ManuallyDrop::new(self).ptr.as_ptr().cast()
    }

    #[inline]
    unsafe fn from_foreign(ptr: *mut c_void) -> Self {
        // INVARIANT: `ptr` is from `into_foreign`, whose owner the caller was, and hands over.
        Self {
            // SAFETY: Pointers from `into_foreign` are not null.
            ptr: unsafe { NonNull::new_unchecked(ptr.cast()) },
            _p: PhantomData,
        }
    }

    #[inline]
    unsafe fn borrow<'a>(ptr: *mut c_void) -> ObjectRef<'a, T>
    where
        T: 'a,
    {
        // INVARIANT: It is in slab memory by the invariant of `Object`.
        ObjectRef {
            // SAFETY: `ptr` is from `into_foreign`, and the object isn't taken back during `'a`.
            object: unsafe { &*ptr.cast() },
            _p: PhantomData,
        }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(ptr: *mut c_void) -> ObjectRef<'a, T>
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

    impl Managed for Counted {}

    impl Managed for [u64; 5] {}

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
        assert_eq!(object.borrow().0, 7);
        let foreign = object.into_foreign();
        // SAFETY: From `into_foreign` just now; borrowed for less than that.
        let borrowed = unsafe { <Object<Counted> as ForeignOwnable>::borrow(foreign) };
        assert_eq!(borrowed.0, 7);
        assert_eq!(DROPPED.load(Relaxed), before);
        // SAFETY: From `into_foreign` above, once.
        drop(unsafe { Object::<Counted>::from_foreign(foreign) });
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
