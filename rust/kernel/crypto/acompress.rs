// SPDX-License-Identifier: GPL-2.0

//! Compression of pages.
//!
//! C header: [`include/crypto/acompress.h`](srctree/include/crypto/acompress.h)

use crate::{
    alloc::NumaNode,
    bindings,
    error::{
        code::{
            EINVAL,
            ENOMEM, //
        },
        from_err_ptr,
        to_result,
        Result, //
    },
    fmt,
    mm::folio::{
        Contents,
        Filled,
        FolioPage, //
    },
    page::PAGE_SIZE,
    prelude::*,
    str::BStr,
    types::Opaque,
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

const NAME_SIZE: usize = bindings::CRYPTO_MAX_ALG_NAME as usize;

/// The name of an algorithm that might exist.
///
/// # Invariants
///
/// There is a zero in it.
///
/// # Examples
///
/// ```
/// use kernel::{
///     alloc::NumaNode,
///     crypto::acompress::{Algorithm, Compressor},
/// };
///
/// let bogus = Algorithm::new(b"bogus").ok_or(EINVAL)?;
/// assert!(!bogus.is_available());
/// let compressor = Compressor::new(&bogus, NumaNode::NO_NODE);
/// assert_eq!(compressor.err(), Some(ENOENT));
///
/// let lzo = Algorithm::new(b"lzo").ok_or(EINVAL)?;
/// assert_eq!(lzo.as_bytes(), b"lzo");
/// let compressor = Compressor::new(&lzo, NumaNode::NO_NODE);
/// assert_eq!(compressor.is_ok(), lzo.is_available());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Algorithm([u8; NAME_SIZE]);

impl Algorithm {
    /// Makes a name of bytes, unless they are too many for a name or have a zero in them.
    pub fn new(name: &[u8]) -> Option<Self> {
        let mut buf = [0; NAME_SIZE];
        if name.len() >= NAME_SIZE || name.contains(&0) {
            return None;
        }
        buf.get_mut(..name.len())?.copy_from_slice(name);
        // INVARIANT: `name` is shorter than `buf`, the rest of which is zeroes.
        Some(Self(buf))
    }

    fn as_char_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }

    /// The name's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.split(|&b| b == 0).next().unwrap_or_default()
    }

    /// Whether there is such a compression algorithm. May sleep, and load a module.
    ///
    /// Mirrors `crypto_has_acomp()`.
    pub fn is_available(&self) -> bool {
        // SAFETY: By the type invariant the name is zero-terminated.
        (unsafe { bindings::crypto_has_acomp(self.as_char_ptr(), 0, 0) }) != 0
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(BStr::from_bytes(self.as_bytes()), f)
    }
}

/// Bytes to be decompressed, wherever they lie.
///
/// # Invariants
///
/// `sg` is a list of `len` bytes that may be read for `'a`.
pub struct Input<'a> {
    sg: *mut bindings::scatterlist,
    len: usize,
    _p: PhantomData<&'a [u8]>,
}

impl Input<'_> {
    /// # Safety
    ///
    /// `sg` must be a list of `len` bytes that may be read for the lifetime of the result.
    pub(crate) unsafe fn from_raw(sg: *mut bindings::scatterlist, len: usize) -> Self {
        // INVARIANT: By the requirement.
        Self {
            sg,
            len,
            _p: PhantomData,
        }
    }
}

/// A (de)compressor that can do one thing at a time, and is waited for.
///
/// Mirrors `struct crypto_acomp` with a `struct acomp_req` and a `struct crypto_wait`.
///
/// # Invariants
///
/// `acomp` and `req`, a request for it, are valid and owned by this value; `wait` is initialised,
/// and what `req` completes. No operation of `req` is under way but inside [`Compressor::run`].
///
/// # Examples
///
/// ```
/// use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, page::PAGE_SIZE};
///
/// // How many bytes a page takes when it is compressed.
/// fn compressed_len(compressor: &mut Compressor, page: FolioPage<'_>) -> Result<usize> {
///     let mut buffer = KBox::<[u8; PAGE_SIZE]>::zeroed(GFP_KERNEL)?;
///     Ok(compressor.compress(page, &mut buffer)?.len())
/// }
/// ```
pub struct Compressor {
    acomp: NonNull<bindings::crypto_acomp>,
    req: NonNull<bindings::acomp_req>,
    // On the heap, as it points at itself.
    wait: KBox<Opaque<bindings::crypto_wait>>,
}

// SAFETY: Neither belongs to a thread.
unsafe impl Send for Compressor {}
// SAFETY: A shared reference to it can do nothing.
unsafe impl Sync for Compressor {}

impl Compressor {
    /// Makes a compressor, with its memory on `nid`. May sleep.
    ///
    /// Mirrors `crypto_alloc_acomp_node()` and `acomp_request_alloc()`, with their errors.
    pub fn new(algorithm: &Algorithm, nid: NumaNode) -> Result<Self> {
        let wait = KBox::<Opaque<bindings::crypto_wait>>::zeroed_node(GFP_KERNEL, nid)?;
        // SAFETY: `wait` is valid for writes; it stays in its box.
        unsafe { bindings::crypto_init_wait(wait.get()) };
        // SAFETY: By the invariant of `Algorithm` the name is zero-terminated, and by that of
        // `NumaNode` the node is one that there can be, or none.
        let acomp = from_err_ptr(unsafe {
            bindings::crypto_alloc_acomp_node(algorithm.as_char_ptr(), 0, 0, nid.as_raw())
        })?;
        // SAFETY: `acomp` was just allocated.
        let Some(req) = NonNull::new(unsafe { bindings::acomp_request_alloc(acomp) }) else {
            // SAFETY: `acomp` was just allocated, and is ours.
            unsafe { bindings::crypto_free_acomp(acomp) };
            return Err(ENOMEM);
        };
        // SAFETY: `req` was just allocated. `wait` outlives it, as fields are dropped after `drop`.
        unsafe {
            bindings::acomp_request_set_callback(
                req.as_ptr(),
                bindings::CRYPTO_TFM_REQ_MAY_BACKLOG,
                Some(bindings::crypto_req_done),
                wait.get().cast(),
            );
        }
        // INVARIANT: All were just made.
        Ok(Self {
            // SAFETY: `crypto_alloc_acomp_node()` returns errors, but never null.
            acomp: unsafe { NonNull::new_unchecked(acomp) },
            req,
            wait,
        })
    }

    /// Runs one operation and waits for it. Returns its result, and the bytes it says it made.
    ///
    /// # Safety
    ///
    /// `op` must be an acomp operation, `src` and `dst` lists of `slen` and `dlen` bytes that it
    /// may read and write.
    #[inline]
    unsafe fn run(
        &mut self,
        op: unsafe extern "C" fn(*mut bindings::acomp_req) -> c_int,
        src: *mut bindings::scatterlist,
        slen: usize,
        dst: *mut bindings::scatterlist,
        dlen: usize,
    ) -> (Result, usize) {
        let req = self.req.as_ptr();
        // SAFETY: `req` is valid and idle by the type invariant, and `wait` is what it completes.
        // The lists do as the caller says, and aren't used after `crypto_wait_req()`, which sees
        // the operation end, and can't be interrupted.
        unsafe {
            bindings::acomp_request_set_params(req, src, dst, slen as u32, dlen as u32);
            let ret = match bindings::crypto_wait_req(op(req), self.wait.get()) {
                // As in C, anything but zero is an error.
                1.. => Err(EINVAL),
                ret => to_result(ret),
            };
            (ret, (*req).dlen as usize)
        }
    }

    /// Compresses `page` into `dst`, and returns the part of `dst` that was written. May sleep.
    ///
    /// `dst` comes from `kmalloc()`, since only memory in the direct map can be in a list for C.
    ///
    /// A compressor's word isn't trusted: if it says that it wrote nothing, or more than there was
    /// room for, this is `EINVAL`. Other errors are its own; `ENOSPC` if there wasn't room.
    ///
    /// Mirrors `crypto_acomp_compress()`.
    #[inline]
    pub fn compress<'a>(
        &mut self,
        page: FolioPage<'_>,
        dst: &'a mut KBox<[u8; PAGE_SIZE]>,
    ) -> Result<&'a [u8]> {
        let input = Opaque::<bindings::scatterlist>::uninit();
        let output = Opaque::<bindings::scatterlist>::uninit();
        // SAFETY: Both are valid for writes. The page is alive while it is borrowed. A `KBox` is
        // memory of `kmalloc()`, as `sg_init_one()` wants.
        unsafe {
            bindings::sg_init_table(input.get(), 1);
            bindings::sg_set_page(input.get(), page.as_raw(), PAGE_SIZE as u32, 0);
            bindings::sg_init_one(output.get(), dst.as_mut_ptr().cast(), PAGE_SIZE as u32);
        }
        // SAFETY: The lists were made for those sizes just now; `dst` is borrowed exclusively.
        let (ret, len) = unsafe {
            self.run(
                bindings::crypto_acomp_compress,
                input.get(),
                PAGE_SIZE,
                output.get(),
                PAGE_SIZE,
            )
        };
        ret?;
        match dst.get(..len) {
            Some(compressed) if len > 0 => Ok(compressed),
            _ => Err(EINVAL),
        }
    }

    /// Decompresses `src` into the first page of `dst`. May sleep.
    ///
    /// All is well if the compressor says that it made `PAGE_SIZE` bytes. On failure, returns what
    /// it said instead.
    ///
    /// Mirrors `crypto_acomp_decompress()`.
    #[inline]
    pub fn decompress<'a>(
        &mut self,
        src: Input<'_>,
        mut dst: Contents<'a>,
    ) -> Result<Filled<'a>, usize> {
        let output = Opaque::<bindings::scatterlist>::uninit();
        // SAFETY: `output` is valid for writes; the page is alive while `dst` is.
        unsafe {
            bindings::sg_init_table(output.get(), 1);
            bindings::sg_set_page(output.get(), dst.page(), PAGE_SIZE as u32, 0);
        }
        // SAFETY: `src` is a list of `src.len` bytes by its invariant, `output` was made for a
        // page, whose content is ours.
        let (ret, len) = unsafe {
            self.run(
                bindings::crypto_acomp_decompress,
                src.sg,
                src.len,
                output.get(),
                PAGE_SIZE,
            )
        };
        match ret {
            Ok(()) if len == PAGE_SIZE => Ok(dst.filled()),
            _ => Err(len),
        }
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: By the type invariant both are ours, and the request is idle.
        unsafe {
            bindings::acomp_request_free(self.req.as_ptr());
            bindings::crypto_free_acomp(self.acomp.as_ptr());
        }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_acompress)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_length() {
        assert!(Algorithm::new(&[b'x'; NAME_SIZE - 1]).is_some());
        assert!(Algorithm::new(&[b'x'; NAME_SIZE]).is_none());
        assert!(Algorithm::new(b"a\0b").is_none());
        let name = Algorithm::new(b"bogus");
        assert_eq!(name.as_ref().map(Algorithm::as_bytes), Some(&b"bogus"[..]));
        assert!(!name.is_some_and(|name| name.is_available()));
    }

    #[test]
    fn what_is_not_there_cannot_be_had() -> Result {
        let bogus = Algorithm::new(b"bogus").ok_or(EINVAL)?;
        assert_eq!(
            Compressor::new(&bogus, NumaNode::NO_NODE).err(),
            Some(ENOENT)
        );
        Ok(())
    }
}
