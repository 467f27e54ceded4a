// SPDX-License-Identifier: GPL-2.0

//! zsmalloc: memory for compressed pages.
//!
//! C header: [`include/linux/zsmalloc.h`](srctree/include/linux/zsmalloc.h)

use crate::{
    alloc::{
        Flags,
        NumaNode, //
    },
    bindings,
    crypto::acompress::Input,
    mm::folio::{
        FolioPage,
        NotUptodate,
        Uptodate, //
    },
    page::PAGE_SIZE,
    prelude::*,
    types::{
        NotThreadSafe,
        Opaque, //
    },
};
use core::ptr::NonNull;

/// A zsmalloc pool. Mirrors `struct zs_pool`.
///
/// A thin wrapper with the obligations of C: the caller of [`Pool::store`] must store the object's
/// pool and its length, and free the object before the pool is dropped.
///
/// # Invariants
///
/// `ptr` is a pool, owned by this value, with no objects when it is dropped.
///
/// # Examples
///
/// ```
/// use kernel::{alloc::NumaNode, mm::zsmalloc::Pool};
///
/// let pool = Pool::new(c"rust_doctests")?;
/// // SAFETY: The object is freed below, before the pool is dropped.
/// let handle = unsafe { pool.store(b"some bytes", GFP_KERNEL, NumaNode::NO_NODE)? };
/// assert!(pool.total_pages() > 0);
/// // SAFETY: The object is in this pool, and has 10 bytes.
/// assert_eq!(unsafe { pool.read(&handle, 10, |view| view.len()) }, 10);
/// // SAFETY: The object is in this pool.
/// unsafe { pool.free(handle) };
/// assert_eq!(pool.total_pages(), 0);
/// # Ok::<(), Error>(())
/// ```
pub struct Pool {
    ptr: NonNull<bindings::zs_pool>,
}

/// An object in a [`Pool`].
///
/// Can't be copied, so that an object is freed once, by [`Pool::free`]. Dropping the handle frees
/// nothing.
///
/// # Invariants
///
/// `.0` is an object of some pool. Unsafe code that copies a handle uses at most one of the copies.
#[must_use = "an object must be freed before its pool is dropped"]
#[repr(transparent)]
pub struct Handle(usize);

// SAFETY: A `struct zs_pool` does its own locking, and is bound to no thread.
unsafe impl Send for Pool {}
// SAFETY: C's functions on a shared `struct zs_pool` do their own locking.
unsafe impl Sync for Pool {}

impl Pool {
    /// Creates a pool. Its name must be unique. May sleep. Fails with `ENOMEM`.
    ///
    /// Mirrors `zs_create_pool()`.
    pub fn new(name: &CStr) -> Result<Self> {
        // SAFETY: C copies the name.
        let ptr = unsafe { bindings::zs_create_pool(name.as_char_ptr()) };
        // INVARIANT: The pool was just created. The callers of `store` guarantee that they free
        // their objects before the pool is dropped.
        Ok(Self {
            ptr: NonNull::new(ptr).ok_or(ENOMEM)?,
        })
    }

    /// The number of pages of memory that the pool uses. Any context. Mirrors
    /// `zs_get_total_pages()`.
    #[inline]
    pub fn total_pages(&self) -> usize {
        // SAFETY: The pool is alive.
        unsafe { bindings::zs_get_total_pages(self.ptr.as_ptr()) }
    }

    /// Stores `bytes` in an object on the node `nid`, or near it. May sleep if `gfp` allows it.
    ///
    /// Fails with `EINVAL` if `bytes` is empty or longer than `PAGE_SIZE`, and with the errors of
    /// zsmalloc: `ENOSPC` if it is longer than zsmalloc's largest object, and `ENOMEM`.
    ///
    /// Mirrors `zs_malloc()` and `zs_obj_write()`.
    ///
    /// # Safety
    ///
    /// The object must be freed before the pool is dropped.
    #[inline]
    pub unsafe fn store(&self, bytes: &[u8], gfp: Flags, nid: NumaNode) -> Result<Handle> {
        let handle = self.alloc(bytes.len(), gfp, nid)?;
        // SAFETY: The object was just allocated in this pool, with the length of the slice. C only
        // reads the slice, although its prototype takes a pointer to mutable memory.
        unsafe {
            bindings::zs_obj_write(
                self.ptr.as_ptr(),
                handle.0,
                bytes.as_ptr().cast_mut().cast(),
                bytes.len(),
            )
        }
        Ok(handle)
    }

    /// Stores the `PAGE_SIZE` bytes of a page, on its node. Otherwise like [`Pool::store`].
    ///
    /// # Safety
    ///
    /// The object must be freed before the pool is dropped.
    #[inline]
    pub unsafe fn store_page(&self, page: FolioPage<'_>, gfp: Flags) -> Result<Handle> {
        let handle = self.alloc(PAGE_SIZE, gfp, page.nid())?;
        page.with_mapped(|src| {
            // SAFETY: The object was just allocated in this pool, with `PAGE_SIZE` bytes; `src` is
            // a mapped page. C copies its bytes, which may change during the copy.
            unsafe {
                bindings::zs_obj_write(
                    self.ptr.as_ptr(),
                    handle.0,
                    src.cast_mut().cast(),
                    PAGE_SIZE,
                )
            }
        });
        Ok(handle)
    }

    /// Allocates an object of `len` bytes. Mirrors `zs_malloc()`.
    #[inline]
    fn alloc(&self, len: usize, gfp: Flags, nid: NumaNode) -> Result<Handle> {
        if !(1..=PAGE_SIZE).contains(&len) {
            return Err(EINVAL);
        }
        // SAFETY: The pool is alive. By the invariant of `NumaNode` the node is possible, or is
        // `NUMA_NO_NODE`.
        let handle =
            unsafe { bindings::zs_malloc(self.ptr.as_ptr(), len, gfp.as_raw(), nid.as_raw()) };
        let errno = handle as isize;
        if (-(bindings::MAX_ERRNO as isize)..0).contains(&errno) {
            return Err(Error::from_errno(errno as i32));
        }
        // INVARIANT: Just allocated.
        Ok(Handle(handle))
    }

    /// Frees an object. Any context except NMI. Mirrors `zs_free()`.
    ///
    /// # Safety
    ///
    /// The object must be in this pool.
    #[inline]
    pub unsafe fn free(&self, handle: Handle) {
        // SAFETY: The caller guarantees that the object is in this pool. By the invariant of
        // `Handle` it exists, and no other handle of it is used. No `View` of it exists, since a
        // `View` borrows the handle.
        unsafe { bindings::zs_free(self.ptr.as_ptr(), handle.0) }
    }

    /// Calls `f` with a view of an object of `len` bytes. The object isn't migrated during the
    /// call. `f` may sleep.
    ///
    /// Mirrors `zs_obj_read_sg_begin()` and `zs_obj_read_sg_end()`.
    ///
    /// # Safety
    ///
    /// The object must be in this pool, and have `len` bytes.
    #[inline]
    pub unsafe fn read<R>(&self, handle: &Handle, len: usize, f: impl FnOnce(&View<'_>) -> R) -> R {
        // Initialised in place: a `View` is large, and moving it would copy it.
        let view = View {
            pool: self,
            handle,
            len,
            sg: Opaque::uninit(),
            _not_send: NotThreadSafe,
        };
        // SAFETY: The caller guarantees that the object is in this pool and has `len` bytes. C fills one or
        // two entries of the list, which has two.
        unsafe {
            bindings::zs_obj_read_sg_begin(self.ptr.as_ptr(), handle.0, view.sg.get().cast(), len)
        };
        // INVARIANT: The read was begun just now. The caller guarantees that `len` is the object's
        // length, which `alloc` has checked.
        f(&view)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the pool is owned by this value, and has no objects.
        unsafe { bindings::zs_destroy_pool(self.ptr.as_ptr()) }
    }
}

/// The content of an object, in one or two pieces.
///
/// # Invariants
///
/// A read of the object `handle` of `pool`, of `len` bytes, was begun and not ended. It has filled
/// `sg` with a list of the object's bytes, which no task changes until the read ends. `len` is from 1
/// to `PAGE_SIZE`: [`Pool::store`] makes no other object.
pub struct View<'a> {
    pool: &'a Pool,
    handle: &'a Handle,
    len: usize,
    sg: Opaque<[bindings::scatterlist; 2]>,
    // The task that has begun the read holds zsmalloc's lock of the zspage, and has to release it.
    _not_send: NotThreadSafe,
}

impl View<'_> {
    /// The length of the object in bytes: from 1 to `PAGE_SIZE`.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The object's content, as the input of a decompression.
    #[inline]
    pub fn as_input(&self) -> Input<'_> {
        // SAFETY: By the type invariant `sg` is a list of `len` bytes as long as `self` lives.
        unsafe { Input::from_raw(self.sg.get().cast(), self.len) }
    }

    /// Copies an object of `PAGE_SIZE` bytes into `page`.
    ///
    /// Fails with `EINVAL` if the object is shorter. Mirrors `memcpy_from_sglist()`.
    #[inline]
    pub fn copy_to<'a>(&self, mut page: NotUptodate<'a>) -> Result<Uptodate<'a>> {
        if self.len != PAGE_SIZE {
            return Err(EINVAL);
        }
        // An object of `PAGE_SIZE` bytes is contiguous.
        // SAFETY: By the type invariant the list was filled.
        let piece = unsafe { (*self.sg.get().cast::<bindings::scatterlist>()).length };
        crate::warn_on_once!(piece as usize != PAGE_SIZE);
        page.write_page(|dst| {
            // SAFETY: By the type invariant the list has `PAGE_SIZE` bytes, as has `dst`.
            unsafe {
                bindings::memcpy_from_sglist(dst.cast(), self.sg.get().cast(), 0, PAGE_SIZE as u32);
            }
        });
        // SAFETY: `memcpy_from_sglist()` has written `PAGE_SIZE` bytes, as the list has that many.
        Ok(unsafe { page.assume_written() })
    }

    /// Copies the object to the start of `buffer`. Returns its length in bytes. Mirrors
    /// `memcpy_from_sglist()`.
    pub fn copy_to_buffer(&self, buffer: &mut [u8; PAGE_SIZE]) -> usize {
        // SAFETY: By the type invariant the list has `len` bytes. `buffer` has as many: an object
        // has at most `PAGE_SIZE`.
        unsafe {
            bindings::memcpy_from_sglist(
                buffer.as_mut_ptr().cast(),
                self.sg.get().cast(),
                0,
                self.len as u32,
            );
        }
        self.len
    }
}

impl Drop for View<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the read was begun and not ended.
        unsafe { bindings::zs_obj_read_sg_end(self.pool.ptr.as_ptr(), self.handle.0) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_zsmalloc)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_length_they_were_made_with() -> Result {
        let pool = Pool::new(c"rust_zsmalloc_test")?;
        assert_eq!(pool.total_pages(), 0);

        let bytes = KBox::<[u8; PAGE_SIZE + 1]>::zeroed(GFP_KERNEL)?;
        let store = |len: usize| {
            let bytes = bytes.get(..len).unwrap_or_default();
            // SAFETY: Each object is freed below, before the pool is dropped.
            unsafe { pool.store(bytes, GFP_KERNEL, NumaNode::NO_NODE) }
        };
        for len in [0, PAGE_SIZE + 1] {
            assert_eq!(store(len).err(), Some(EINVAL));
        }
        for len in [1, 17, PAGE_SIZE / 2, PAGE_SIZE - 1, PAGE_SIZE] {
            let handle = store(len)?;
            // SAFETY: The object was just stored in this pool, with that length.
            assert_eq!(unsafe { pool.read(&handle, len, |view| view.len()) }, len);
            assert!(pool.total_pages() > 0);
            // SAFETY: The object is in this pool.
            unsafe { pool.free(handle) };
        }
        assert_eq!(pool.total_pages(), 0);
        Ok(())
    }
}
