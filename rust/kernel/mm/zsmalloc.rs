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
    error::{
        code::{
            EINVAL,
            ENOMEM, //
        },
        Error,
        Result, //
    },
    mm::{
        folio::{
            Contents,
            Filled,
            FolioPage, //
        },
        memcontrol::ZswapObject,
    },
    page::PAGE_SIZE,
    str::{
        CStr,
        CStrExt as _, //
    },
    sync::generations::Ref,
    types::{
        NotThreadSafe,
        Opaque, //
    },
};
use core::ptr::NonNull;

/// A zsmalloc pool. Mirrors `struct zs_pool`.
///
/// # Invariants
///
/// `ptr` is a pool, owned by this value, with no objects when it is dropped.
pub struct Pool {
    ptr: NonNull<bindings::zs_pool>,
}

// SAFETY: A `struct zs_pool` does its own locking and belongs to no thread.
unsafe impl Send for Pool {}
// SAFETY: As above.
unsafe impl Sync for Pool {}

impl Pool {
    /// Creates a pool. Its name must be unique. May sleep.
    ///
    /// Mirrors `zs_create_pool()`.
    pub fn new(name: &CStr) -> Result<Self> {
        // SAFETY: C copies the name.
        let ptr = unsafe { bindings::zs_create_pool(name.as_char_ptr()) };
        // INVARIANT: Just created. Objects keep what contains the pool alive.
        Ok(Self {
            ptr: NonNull::new(ptr).ok_or(ENOMEM)?,
        })
    }

    /// Pages of memory that the pool takes. Mirrors `zs_get_total_pages()`.
    #[inline]
    pub fn total_pages(&self) -> usize {
        // SAFETY: The pool is alive.
        unsafe { bindings::zs_get_total_pages(self.ptr.as_ptr()) }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: By the type invariant it is ours, and empty.
        unsafe { bindings::zs_destroy_pool(self.ptr.as_ptr()) }
    }
}

/// Something pinned that contains a [`Pool`]. Implemented by [`impl_has_zs_pool!`].
///
/// # Safety
///
/// Must return the same pool always, as long as the value lives.
///
/// [`impl_has_zs_pool!`]: crate::impl_has_zs_pool
pub unsafe trait HasPool: Send + Sync + 'static {
    /// The pool.
    fn zs_pool(&self) -> &Pool;
}

/// Implements [`HasPool`](crate::mm::zsmalloc::HasPool) for a type with a field that is a pool.
///
/// ```ignore
/// impl_has_zs_pool! { impl HasPool for MyPool { self.zs } }
/// ```
#[macro_export]
macro_rules! impl_has_zs_pool {
    (impl HasPool for $self:ty { self.$field:ident }) => {
        // SAFETY: A field of a value that is only shared stays the same: a `Pool` has nothing that
        // `&Pool` could change.
        unsafe impl $crate::mm::zsmalloc::HasPool for $self {
            #[inline]
            fn zs_pool(&self) -> &$crate::mm::zsmalloc::Pool {
                // Neither a pattern nor what makes a pointer dereferences: it is the field itself.
                let Self { $field: pool, .. } = self;
                let pool: *const $crate::mm::zsmalloc::Pool = pool;
                // SAFETY: Made from a reference just now.
                unsafe { &*pool }
            }
        }
    };
}

/// An object in a pool, of 1 to `PAGE_SIZE` bytes, whose content was set when it was made.
///
/// Keeps the owner of the pool alive. `M` is a word of the user's, at no cost in size.
///
/// # Invariants
///
/// `handle` is an object of `len` bytes in the pool of `owner`, and is ours.
///
/// # Examples
///
/// ```
/// use kernel::{
///     alloc::NumaNode,
///     mm::zsmalloc::{Object, Pool},
///     sync::{generations::Generations, SetOnce},
/// };
///
/// struct Store {
///     zs: Pool,
/// }
///
/// kernel::impl_has_zs_pool! {
///     impl HasPool for Store { self.zs }
/// }
///
/// static STORES: SetOnce<Pin<KBox<Generations<Store>>>> = SetOnce::new();
///
/// # if STORES.as_ref().is_none() {
/// #     // Once: a pool's name is its own.
/// STORES.populate(KBox::pin_init(kernel::builtin_generations!(), GFP_KERNEL)?);
/// #     let stores = STORES.as_ref().ok_or(ENOMEM)?;
/// let zs = Pool::new(c"rust_doctests")?;
/// stores.create(init!(Store { zs }? Error))?.make_current();
/// # }
/// # let stores = STORES.as_ref().ok_or(ENOMEM)?;
///
/// let store = stores.current().ok_or(ENOENT)?;
/// let node = NumaNode::NO_NODE;
/// let object = Object::from_bytes(store.clone(), b"some bytes", (), GFP_KERNEL, node)?;
/// assert_eq!(object.read(|view| view.len()), 10);
/// assert!(store.zs.total_pages() > 0);
///
/// drop(object);
/// assert_eq!(store.zs.total_pages(), 0);
/// # Ok::<(), Error>(())
/// ```
pub struct Object<P: HasPool, M> {
    owner: Ref<P>,
    handle: usize,
    len: u32,
    /// What the user wants to know about the object.
    pub meta: M,
}

impl<P: HasPool, M> Object<P, M> {
    fn alloc(owner: Ref<P>, len: usize, meta: M, gfp: Flags, nid: NumaNode) -> Result<Self> {
        if !(1..=PAGE_SIZE).contains(&len) {
            return Err(EINVAL);
        }
        let pool = owner.zs_pool().ptr;
        let nid = nid.as_raw();
        // SAFETY: `owner` keeps the pool alive. The node is one that there can be, or none, by the
        // invariant of `NumaNode`.
        let handle = unsafe { bindings::zs_malloc(pool.as_ptr(), len, gfp.as_raw(), nid) };
        let errno = handle as isize;
        if (-(bindings::MAX_ERRNO as isize)..0).contains(&errno) {
            return Err(Error::from_errno(errno as i32));
        }
        // INVARIANT: The handle was just made in that pool with `len` bytes. Its content is old
        // memory yet: our callers write it before they hand it out.
        Ok(Self {
            owner,
            handle,
            len: len as u32,
            meta,
        })
    }

    /// # Safety
    ///
    /// `src` must be readable for `self.len` bytes, which C reads once, and which may change.
    unsafe fn write(&mut self, src: *const u8) {
        // SAFETY: By the type invariant the object is ours and has `len` bytes; C only reads
        // `src`, in spite of its prototype.
        unsafe {
            bindings::zs_obj_write(
                self.owner.zs_pool().ptr.as_ptr(),
                self.handle,
                src.cast_mut().cast(),
                self.len as usize,
            )
        }
    }

    /// Makes an object of `bytes` on `nid`, or near it. May sleep if `gfp` may.
    ///
    /// Fails with `EINVAL` if there are no `bytes`, or more than a page's; else with zsmalloc's
    /// errors: `ENOSPC` if they are too many for it, `ENOMEM`.
    ///
    /// Mirrors `zs_malloc()` and `zs_obj_write()`.
    pub fn from_bytes(
        owner: Ref<P>,
        bytes: &[u8],
        meta: M,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<Self> {
        let mut object = Self::alloc(owner, bytes.len(), meta, gfp, nid)?;
        // SAFETY: The slice has as many bytes as the object.
        unsafe { object.write(bytes.as_ptr()) };
        Ok(object)
    }

    /// Makes an object of a page's bytes, as they are. Otherwise like [`Object::from_bytes`].
    #[inline(always)] // so that the result needn't go through memory
    pub fn from_page(owner: Ref<P>, page: FolioPage<'_>, meta: M, gfp: Flags) -> Result<Self> {
        let mut object = Self::alloc(owner, PAGE_SIZE, meta, gfp, page.nid())?;
        // SAFETY: The page is mapped and has as many bytes as the object.
        page.with_mapped(|src| unsafe { object.write(src) });
        Ok(object)
    }

    /// Bytes of the object: never 0, at most `PAGE_SIZE`.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// What the object's pool is part of.
    #[inline]
    pub fn owner(&self) -> &P {
        &self.owner
    }

    /// Lets `f` look at the object's content, and keeps it from being moved meanwhile. May sleep.
    ///
    /// Mirrors `zs_obj_read_sg_begin()` and `zs_obj_read_sg_end()`.
    #[inline]
    pub fn read<R>(&self, f: impl FnOnce(&View<'_, P, M>) -> R) -> R {
        // Filled where it is: it is large, to be moved.
        let view = View {
            object: self,
            sg: Opaque::uninit(),
            _not_send: NotThreadSafe,
        };
        // SAFETY: By the type invariant the object is ours and has `len` bytes. C fills one or
        // two entries, as many as there are.
        unsafe {
            bindings::zs_obj_read_sg_begin(
                self.owner.zs_pool().ptr.as_ptr(),
                self.handle,
                view.sg.get().cast(),
                self.len(),
            )
        };
        // INVARIANT: The read was begun just now.
        f(&view)
    }
}

// SAFETY: `len` doesn't change.
unsafe impl<P: HasPool, M> ZswapObject for Object<P, M> {
    #[inline]
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl<P: HasPool, M> Drop for Object<P, M> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the object is ours, and `View`s have borrowed it.
        unsafe { bindings::zs_free(self.owner.zs_pool().ptr.as_ptr(), self.handle) }
    }
}

/// The content of an [`Object`], in one or two pieces.
///
/// # Invariants
///
/// A read of `object` was begun and not ended, and filled `sg` with a list of its bytes, which
/// nobody changes as long as it goes on.
pub struct View<'a, P: HasPool, M> {
    object: &'a Object<P, M>,
    sg: Opaque<[bindings::scatterlist; 2]>,
    // zsmalloc's per-zspage lock is a lock that a task holds.
    _not_send: NotThreadSafe,
}

impl<P: HasPool, M> View<'_, P, M> {
    /// Bytes of the object.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.object.len()
    }

    /// The content, to be decompressed.
    #[inline]
    pub fn as_input(&self) -> Input<'_> {
        // SAFETY: By the type invariant this is a list of that length, for as long as `self` is.
        unsafe { Input::from_raw(self.sg.get().cast(), self.len()) }
    }

    /// Copies an object of `PAGE_SIZE` bytes into `page`.
    ///
    /// Fails with `EINVAL` if the object has fewer. Mirrors `memcpy_from_sglist()`.
    pub fn copy_to<'a>(&self, mut page: Contents<'a>) -> Result<Filled<'a>> {
        if self.len() != PAGE_SIZE {
            return Err(EINVAL);
        }
        // An object of a page is in one piece.
        // SAFETY: By the type invariant the list was filled.
        let piece = unsafe { (*self.sg.get().cast::<bindings::scatterlist>()).length };
        crate::warn_on_once!(piece as usize != PAGE_SIZE);
        page.write_page(|dst| {
            // SAFETY: By the type invariant the list has `PAGE_SIZE` bytes, as has `dst`.
            unsafe {
                bindings::memcpy_from_sglist(dst.cast(), self.sg.get().cast(), 0, PAGE_SIZE as u32);
            }
        });
        Ok(page.filled())
    }
}

impl<P: HasPool, M> Drop for View<'_, P, M> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the read was begun and not ended.
        unsafe {
            bindings::zs_obj_read_sg_end(
                self.object.owner.zs_pool().ptr.as_ptr(),
                self.object.handle,
            )
        }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_zsmalloc)]
mod tests {
    use super::*;
    use crate::{
        prelude::*,
        sync::generations::Generations, //
    };

    struct Owner {
        zs: Pool,
    }

    crate::impl_has_zs_pool! {
        impl HasPool for Owner { self.zs }
    }

    #[test]
    fn objects_have_the_length_they_were_made_with() -> Result {
        let list = KBox::pin_init(crate::builtin_generations!(), GFP_KERNEL)?;
        // SAFETY: It is leaked, and so never moves.
        let list = unsafe { Pin::into_inner_unchecked(list) };
        let list: &'static Generations<Owner> = KBox::leak(list);
        let zs = Pool::new(c"rust_zsmalloc_test")?;
        list.create(pin_init::init!(Owner { zs }? Error))?
            .make_current();
        let owner = list.current().ok_or(EINVAL)?;
        assert_eq!(owner.zs.total_pages(), 0);

        let bytes = KBox::<[u8; PAGE_SIZE + 1]>::zeroed(GFP_KERNEL)?;
        let object = |len: usize| {
            let bytes = bytes.get(..len).unwrap_or_default();
            Object::from_bytes(owner.clone(), bytes, (), GFP_KERNEL, NumaNode::NO_NODE)
        };
        for len in [0, PAGE_SIZE + 1] {
            assert_eq!(object(len).err(), Some(EINVAL));
        }
        for len in [1, 17, PAGE_SIZE / 2, PAGE_SIZE - 1, PAGE_SIZE] {
            let object = object(len)?;
            assert_eq!(object.len(), len);
            assert_eq!(object.read(|view| view.len()), len);
            assert!(owner.zs.total_pages() > 0);
        }
        assert_eq!(owner.zs.total_pages(), 0);
        Ok(())
    }
}
