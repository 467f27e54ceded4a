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
    sync::{
        atomic::{
            ordering::Relaxed,
            Atomic, //
        },
        generations::{
            Generation,
            Ref, //
        },
    },
    types::{
        NotThreadSafe,
        Opaque, //
    },
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

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
pub unsafe trait HasPool: Generation {
    /// The pool.
    fn zs_pool(&self) -> &Pool;
}

/// Implements [`HasPool`](crate::mm::zsmalloc::HasPool) for a type with a field that is a pool, and
/// [`Generation`](crate::sync::generations::Generation).
///
/// ```ignore
/// impl_has_zs_pool! { impl HasPool for MyPool { self.zs } }
/// ```
#[macro_export]
macro_rules! impl_has_zs_pool {
    (impl HasPool for $self:ty { self.$field:ident }) => {
        $crate::impl_generation! { impl Generation for $self }

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
/// Keeps the owner of the pool alive. Has a tag of [`TAG_BITS`] bits, which are the user's. All of it takes
/// 16 bytes, as there is one for each page in zswap.
///
/// # Invariants
///
/// - `word` has, from its lowest bits on, the number of the owner of a pool, with a reference that is ours;
///   a length less one; and the tag. All but the tag stays as it was made.
/// - `handle` is an object of that length in that pool, and is ours.
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
/// let object = Object::from_bytes(store.clone(), b"some bytes", 7, GFP_KERNEL, node)?;
/// assert_eq!(object.read(|view| view.len()), 10);
/// assert_eq!(object.tag(), 7);
/// assert!(store.zs.total_pages() > 0);
///
/// drop(object);
/// assert_eq!(store.zs.total_pages(), 0);
/// # Ok::<(), Error>(())
/// ```
pub struct Object<P: HasPool> {
    word: Atomic<u64>,
    handle: usize,
    _p: PhantomData<Ref<P>>,
}

const NUMBER_BITS: u32 = u8::BITS;
const LEN_BITS: u32 = 16;
const _: () = assert!(PAGE_SIZE <= 1 << LEN_BITS);

const TAG_SHIFT: u32 = NUMBER_BITS + LEN_BITS;

/// Bits that an [`Object`] has for its user.
pub const TAG_BITS: u32 = u64::BITS - TAG_SHIFT;

impl<P: HasPool> Object<P> {
    /// Makes an object of `len` bytes, which `write` is to write, given a pool and an object in it.
    #[inline(always)] // so that the result needn't go through memory
    fn make(
        owner: Ref<P>,
        len: usize,
        tag: u64,
        gfp: Flags,
        nid: NumaNode,
        write: impl FnOnce(*mut bindings::zs_pool, usize),
    ) -> Result<Self> {
        if !(1..=PAGE_SIZE).contains(&len) {
            return Err(EINVAL);
        }
        let pool = owner.zs_pool().ptr.as_ptr();
        // SAFETY: `owner` keeps the pool alive. The node is one that there can be, or none, by the
        // invariant of `NumaNode`.
        let handle = unsafe { bindings::zs_malloc(pool, len, gfp.as_raw(), nid.as_raw()) };
        let errno = handle as isize;
        if (-(bindings::MAX_ERRNO as isize)..0).contains(&errno) {
            return Err(Error::from_errno(errno as i32));
        }
        write(pool, handle);
        let number = u64::from(owner.into_number());
        let len = len.wrapping_sub(1) as u64;
        // INVARIANT: The handle was just made in that pool with `len` bytes, and written to.
        Ok(Self {
            word: Atomic::new(tag << TAG_SHIFT | len << NUMBER_BITS | number),
            handle,
            _p: PhantomData,
        })
    }

    /// The number of the owner.
    #[inline]
    fn number(&self) -> u8 {
        self.word.load(Relaxed) as u8
    }

    /// The pool.
    #[inline]
    fn pool(&self) -> *mut bindings::zs_pool {
        self.owner().zs_pool().ptr.as_ptr()
    }

    /// The tag, in the low [`TAG_BITS`] bits.
    #[inline]
    pub fn tag(&self) -> u64 {
        self.word.load(Relaxed) >> TAG_SHIFT
    }

    /// Replaces the tag by `f` of it, of which the low [`TAG_BITS`] bits count.
    ///
    /// Not atomic: of two tasks that do this at a time one may be undone. Whose turn it is, the user has to
    /// know.
    #[inline]
    pub fn change_tag(&self, f: impl FnOnce(u64) -> u64) {
        let word = self.word.load(Relaxed);
        let rest = word & ((1 << TAG_SHIFT) - 1);
        // INVARIANT: The rest is what it was.
        self.word
            .store(f(word >> TAG_SHIFT) << TAG_SHIFT | rest, Relaxed);
    }

    /// Makes an object of `bytes` on `nid`, or near it. May sleep if `gfp` may.
    ///
    /// Fails with `EINVAL` if there are no `bytes`, or more than a page's; else with zsmalloc's
    /// errors: `ENOSPC` if they are too many for it, `ENOMEM`.
    ///
    /// Mirrors `zs_malloc()` and `zs_obj_write()`.
    #[inline(always)] // so that the result needn't go through memory
    pub fn from_bytes(
        owner: Ref<P>,
        bytes: &[u8],
        tag: u64,
        gfp: Flags,
        nid: NumaNode,
    ) -> Result<Self> {
        Self::make(owner, bytes.len(), tag, gfp, nid, |pool, handle| {
            // SAFETY: An object of as many bytes as the slice has, ours, in that pool. C only reads what
            // its prototype would let it change.
            unsafe {
                bindings::zs_obj_write(pool, handle, bytes.as_ptr().cast_mut().cast(), bytes.len())
            }
        })
    }

    /// Makes an object of a page's bytes, as they are. Otherwise like [`Object::from_bytes`].
    #[inline(always)] // so that the result needn't go through memory
    pub fn from_page(owner: Ref<P>, page: FolioPage<'_>, tag: u64, gfp: Flags) -> Result<Self> {
        Self::make(owner, PAGE_SIZE, tag, gfp, page.nid(), |pool, handle| {
            // SAFETY: As above; the page is mapped. C reads each of its bytes once, and they may change.
            page.with_mapped(|src| unsafe {
                bindings::zs_obj_write(pool, handle, src.cast_mut().cast(), PAGE_SIZE)
            })
        })
    }

    /// Bytes of the object: never 0, at most `PAGE_SIZE`.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        let len = self.word.load(Relaxed) >> NUMBER_BITS & ((1 << LEN_BITS) - 1);
        (len as usize).wrapping_add(1)
    }

    /// What the object's pool is part of.
    #[inline]
    pub fn owner(&self) -> &P {
        // SAFETY: By the type invariant the number has a reference, which is ours until we are dropped.
        unsafe { Ref::borrow_number(self.number()) }
    }

    /// Lets `f` look at the object's content, and keeps it from being moved meanwhile. May sleep.
    ///
    /// Mirrors `zs_obj_read_sg_begin()` and `zs_obj_read_sg_end()`.
    #[inline]
    pub fn read<R>(&self, f: impl FnOnce(&View<'_, P>) -> R) -> R {
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
                self.pool(),
                self.handle,
                view.sg.get().cast(),
                self.len(),
            )
        };
        // INVARIANT: The read was begun just now.
        f(&view)
    }
}

// SAFETY: The length doesn't change, and is from 1 to `PAGE_SIZE`.
unsafe impl<P: HasPool> ZswapObject for Object<P> {
    #[inline]
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl<P: HasPool> Drop for Object<P> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the object is ours, and `View`s have borrowed it. The reference is
        // ours, too, and comes to an end after the object.
        unsafe {
            bindings::zs_free(self.pool(), self.handle);
            drop(Ref::<P>::from_number(self.number()));
        }
    }
}

/// The content of an [`Object`], in one or two pieces.
///
/// # Invariants
///
/// A read of `object` was begun and not ended, and filled `sg` with a list of its bytes, which
/// nobody changes as long as it goes on.
pub struct View<'a, P: HasPool> {
    object: &'a Object<P>,
    sg: Opaque<[bindings::scatterlist; 2]>,
    // zsmalloc's per-zspage lock is a lock that a task holds.
    _not_send: NotThreadSafe,
}

impl<P: HasPool> View<'_, P> {
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

impl<P: HasPool> Drop for View<'_, P> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the read was begun and not ended.
        unsafe { bindings::zs_obj_read_sg_end(self.object.pool(), self.object.handle) }
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
            Object::from_bytes(owner.clone(), bytes, 0, GFP_KERNEL, NumaNode::NO_NODE)
        };
        for len in [0, PAGE_SIZE + 1] {
            assert_eq!(object(len).err(), Some(EINVAL));
        }
        for len in [1, 17, PAGE_SIZE / 2, PAGE_SIZE - 1, PAGE_SIZE] {
            let object = object(len)?;
            assert_eq!(object.len(), len);
            assert_eq!(object.read(|view| view.len()), len);
            assert!(owner.zs.total_pages() > 0);

            // A tag takes what it has room for, and nothing else changes.
            let most = (1 << TAG_BITS) - 1;
            for (tag, is) in [
                (1, 1),
                (most, most),
                (u64::MAX, most),
                (most + 2, 1),
                (0, 0),
            ] {
                object.change_tag(|_| tag);
                assert_eq!(object.tag(), is);
                assert_eq!(object.len(), len);
                assert!(core::ptr::eq(object.owner(), &*owner));
            }
        }
        assert_eq!(owner.zs.total_pages(), 0);
        Ok(())
    }
}
