// SPDX-License-Identifier: GPL-2.0

//! Compression of pages.
//!
//! C header: [`include/crypto/acompress.h`](srctree/include/crypto/acompress.h)

use crate::{
    alloc::NumaNode,
    bindings,
    error::{
        from_err_ptr,
        to_result, //
    },
    fmt,
    mm::folio::{
        FolioPage,
        NotUptodate,
        Uptodate, //
    },
    page::PAGE_SIZE,
    prelude::*,
    str::BStr,
    types::Opaque, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

const NAME_SIZE: usize = bindings::CRYPTO_MAX_ALG_NAME as usize;

/// The name of a compression algorithm, which may not exist.
///
/// # Invariants
///
/// Contains a zero byte.
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
    /// Creates a name from bytes; `None` if it is `CRYPTO_MAX_ALG_NAME` bytes or longer, or
    /// contains a zero byte.
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

    /// The name.
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }

    /// The name's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.as_c_str().to_bytes()
    }

    /// Whether a compression algorithm of that name is available. May sleep, and load a module.
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

/// Bytes to be decompressed, in one or more memory ranges.
///
/// # Invariants
///
/// `sg` is a scatterlist of at least `len` bytes, the first of which may be read during `'a`.
pub struct Input<'a> {
    sg: *mut bindings::scatterlist,
    len: usize,
    _p: PhantomData<&'a [u8]>,
}

impl Input<'_> {
    /// The first `len` bytes of a scatterlist.
    ///
    /// # Safety
    ///
    /// `sg` must be a scatterlist of at least `len` bytes that may be read for the lifetime of the result.
    #[inline]
    pub unsafe fn from_raw(sg: *mut bindings::scatterlist, len: usize) -> Self {
        // INVARIANT: The caller guarantees that `sg` is such a scatterlist during the result's
        // lifetime.
        Self {
            sg,
            len,
            _p: PhantomData,
        }
    }
}

/// The number of requests of a [`RequestQueue`].
pub const QUEUE_DEPTH: usize = 8;

/// A transform. Mirrors `struct crypto_acomp`.
///
/// # Invariants
///
/// `.0` is valid and owned by this value.
struct Transform(NonNull<bindings::crypto_acomp>);

impl Transform {
    /// Mirrors `crypto_alloc_acomp_node()`. May sleep.
    fn new(algorithm: &Algorithm, nid: NumaNode) -> Result<Self> {
        // SAFETY: By the invariant of `Algorithm` the name is zero-terminated. By the invariant of
        // `NumaNode` the node is possible, or is `NUMA_NO_NODE`.
        let acomp = from_err_ptr(unsafe {
            bindings::crypto_alloc_acomp_node(algorithm.as_char_ptr(), 0, 0, nid.as_raw())
        })?;
        // INVARIANT: Just allocated.
        Ok(Self(NonNull::new(acomp).ok_or(ENOMEM)?))
    }
}

impl Drop for Transform {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the transform is owned by this value.
        unsafe { bindings::crypto_free_acomp(self.0.as_ptr()) }
    }
}

/// A request with its completion and its memory. Mirrors `struct acomp_req` with a `struct
/// crypto_wait`. Must not leave its box, since C has pointers to it.
///
/// # Invariants
///
/// `req` is valid and owned by this value; `wait` is initialised, and `req` completes it. `page` is
/// a scatterlist with room for one page, and `output` is the scatterlist of `buffer`. `started` is
/// what the start of the operation in flight has returned, or 0 if none is in flight.
struct Request {
    req: NonNull<bindings::acomp_req>,
    // A separate allocation, on the node of the buffer.
    wait: KBox<Opaque<bindings::crypto_wait>>,
    page: Opaque<bindings::scatterlist>,
    output: Opaque<bindings::scatterlist>,
    buffer: KBox<[u8; PAGE_SIZE]>,
    started: c_int,
}

/// What an operation reports at its end: whether it has succeeded, and the length of its result.
type Report = (Result, usize);

impl Request {
    /// Allocates [`QUEUE_DEPTH`] requests for `transform`. May sleep.
    fn all(transform: &Transform, nid: NumaNode) -> Result<KVec<KBox<Self>>> {
        let mut requests = KVec::new();
        requests.reserve(QUEUE_DEPTH, GFP_KERNEL)?;
        for _ in 0..QUEUE_DEPTH {
            requests.push(Self::new(transform, nid)?, GFP_KERNEL)?;
        }
        Ok(requests)
    }

    /// Allocates a request for `transform`. Once the transform is freed, the request may be freed,
    /// but not started. Mirrors `acomp_request_alloc()`. May sleep.
    fn new(transform: &Transform, nid: NumaNode) -> Result<KBox<Self>> {
        let buffer = KBox::zeroed_node(GFP_KERNEL, nid)?;
        let wait = KBox::<Opaque<bindings::crypto_wait>>::zeroed_node(GFP_KERNEL, nid)?;
        // SAFETY: The transform is valid, by its type invariant.
        let req = unsafe { bindings::acomp_request_alloc(transform.0.as_ptr()) };
        let request = Self {
            req: NonNull::new(req).ok_or(ENOMEM)?,
            wait,
            page: Opaque::uninit(),
            output: Opaque::uninit(),
            buffer,
            started: 0,
        };
        let mut request = KBox::new(request, GFP_KERNEL)?;
        let (wait, buffer) = (request.wait.get(), request.buffer.as_mut_ptr().cast());
        // SAFETY: `req` was just allocated. `wait` and both lists are valid for writes, and don't
        // move out of their boxes; `wait` outlives `req`, as fields are dropped after `drop`. The
        // buffer is memory from `kmalloc()`, as `sg_init_one()` requires.
        // INVARIANT: `req` completes `wait`, `page` becomes a list with room for a page, and
        // `output` the list of `buffer`. Operations change none of that.
        unsafe {
            bindings::crypto_init_wait(wait);
            bindings::acomp_request_set_callback(
                req,
                bindings::CRYPTO_TFM_REQ_MAY_BACKLOG,
                Some(bindings::crypto_req_done),
                wait.cast(),
            );
            bindings::sg_init_table(request.page.get(), 1);
            bindings::sg_init_one(request.output.get(), buffer, PAGE_SIZE as u32);
        }
        Ok(request)
    }

    /// Starts the compression of `page` into the buffer or, if there is an `input`, its
    /// decompression into `page`.
    ///
    /// # Safety
    ///
    /// The request must be idle. Until [`Request::finish`] returns, it must not be used otherwise,
    /// moved or dropped, the transform that it was created for must stay alive, and the operation
    /// must be allowed to read `page` or, if there is an `input`, to read that and to write `page`.
    #[inline(always)] // stack: no frame between its caller and C
    unsafe fn start(&mut self, page: *mut bindings::page, input: Option<Input<'_>>) {
        const LEN: u32 = PAGE_SIZE as u32;
        let (req, list) = (self.req.as_ptr(), self.page.get());
        // SAFETY: By the type invariant `req` is valid, `list` has room for the page set here, and
        // `output` is the list of the buffer; by that of `Input` `sg` has at least `len` bytes. The
        // caller guarantees that the request is idle, and that all may be accessed until it is
        // finished.
        // INVARIANT: The operation was just started.
        self.started = unsafe {
            bindings::sg_set_page(list, page, LEN, 0);
            match input {
                None => {
                    bindings::acomp_request_set_params(req, list, self.output.get(), LEN, LEN);
                    bindings::crypto_acomp_compress(req)
                }
                Some(Input { sg, len, .. }) => {
                    bindings::acomp_request_set_params(req, sg, list, len as u32, LEN);
                    bindings::crypto_acomp_decompress(req)
                }
            }
        };
    }

    /// Waits for the operation that was started to complete. May sleep.
    #[inline]
    fn finish(&mut self) -> Report {
        // INVARIANT: No operation is in flight when this returns.
        let started = core::mem::take(&mut self.started);
        // SAFETY: By the type invariants the request is valid, and completes `wait`.
        // `crypto_wait_req()` returns after the operation has completed, and can't be interrupted.
        unsafe {
            let ret = match bindings::crypto_wait_req(started, self.wait.get()) {
                // As in C, any other result than zero is an error.
                1.. => Err(EINVAL),
                ret => to_result(ret),
            };
            (ret, (*self.req.as_ptr()).dlen as usize)
        }
    }

    /// The page that was compressed. `EINVAL` if the reported length is zero, or more than the
    /// buffer's.
    #[inline]
    fn compressed(&self, (result, len): Report) -> Result<&[u8]> {
        result?;
        match self.buffer.get(..len) {
            Some(compressed) if len > 0 => Ok(compressed),
            _ => Err(EINVAL),
        }
    }
}

/// The page that was decompressed. On failure, the length that the compressor reports.
///
/// # Safety
///
/// `report` must be that of a decompression into `dst`.
#[inline]
unsafe fn decompressed<'a>(dst: NotUptodate<'a>, report: Report) -> Result<Uptodate<'a>, usize> {
    match report {
        // SAFETY: The compressor has succeeded, and reports that it has written `PAGE_SIZE` bytes.
        // C's compressors are trusted to have done so. One in Rust may lie, but can't leave
        // older bytes: `scompress` clears the destination first.
        (Ok(()), PAGE_SIZE) => Ok(unsafe { dst.assume_written() }),
        (_, len) => Err(len),
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the request is owned by this value. No operation is in
        // flight: `start` requires its caller to wait before the request is dropped.
        unsafe { bindings::acomp_request_free(self.req.as_ptr()) }
    }
}

/// A (de)compressor, used by one task at a time, which waits for each operation.
///
/// An asynchronous compressor also has a [`RequestQueue`], which compresses several pages at a
/// time.
///
/// Mirrors `struct crypto_acomp_ctx` of zswap: `struct crypto_acomp` with a `struct acomp_req`, a `struct
/// crypto_wait` and a buffer.
///
/// # Invariants
///
/// `request` and the requests in `queue` are for `_transform`. Their operations are in flight only
/// inside a function of this type or of [`RequestQueue`]. `queue` is empty or has [`QUEUE_DEPTH`]
/// requests.
///
/// # Examples
///
/// ```
/// use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage};
///
/// // The compressed size of a page, in bytes.
/// fn compressed_len(compressor: &mut Compressor, page: FolioPage<'_>) -> Result<usize> {
///     Ok(compressor.compress(page)?.len())
/// }
/// ```
pub struct Compressor {
    // Dropped in this order.
    request: KBox<Request>,
    queue: KVec<KBox<Request>>,
    _transform: Transform,
}

// SAFETY: A transform, its requests and their memory are bound to no thread.
unsafe impl Send for Compressor {}
// SAFETY: No method takes a shared reference, so it gives access to nothing.
unsafe impl Sync for Compressor {}

impl Compressor {
    /// Creates a compressor, with its buffers on the node `nid`. May sleep.
    ///
    /// The buffers are from `kmalloc()`, since hardware may write to them. If there is no memory
    /// for a queue, an asynchronous compressor has none: its callers wait for each operation, as in
    /// C.
    ///
    /// Mirrors `crypto_alloc_acomp_node()` and `acomp_request_alloc()`, with their errors.
    pub fn new(algorithm: &Algorithm, nid: NumaNode) -> Result<Self> {
        let transform = Transform::new(algorithm, nid)?;
        let request = Request::new(&transform, nid)?;
        // SAFETY: By its type invariant the transform is valid.
        let queue = if unsafe { bindings::acomp_is_async(transform.0.as_ptr()) } {
            Request::all(&transform, nid).unwrap_or_default()
        } else {
            KVec::new()
        };
        // INVARIANT: All were just created for `transform`.
        Ok(Self {
            request,
            queue,
            _transform: transform,
        })
    }

    /// The queue of an asynchronous compressor; `None` for a synchronous one, or if there was no
    /// memory for a queue.
    #[inline]
    pub fn queue(&mut self) -> Option<RequestQueue<'_>> {
        // INVARIANT: No request is in flight, by the type invariant. `self` is borrowed.
        <&mut [KBox<Request>; QUEUE_DEPTH]>::try_from(&mut self.queue[..])
            .ok()
            .map(RequestQueue)
    }

    /// Compresses `page`, and returns the result, which is in the compressor's buffer. May sleep.
    ///
    /// Fails with `EINVAL` if the compressor reports a length of zero, or more than `PAGE_SIZE`.
    /// Other errors are those of the compressor, such as `ENOSPC` if the result doesn't fit into
    /// the buffer.
    ///
    /// Mirrors `crypto_acomp_compress()`.
    #[inline]
    pub fn compress(&mut self, page: FolioPage<'_>) -> Result<&[u8]> {
        // SAFETY: By the type invariant the request is idle, and its transform owned by `self`. The
        // request is finished before this returns; until then the page is borrowed, and `self`
        // exclusively.
        unsafe { self.request.start(page.as_raw(), None) };
        let report = self.request.finish();
        self.request.compressed(report)
    }

    /// Decompresses `src` into `dst`. May sleep.
    ///
    /// Succeeds if the compressor succeeds and reports a length of `PAGE_SIZE`. On failure, returns
    /// the length that it reports.
    ///
    /// Mirrors `crypto_acomp_decompress()`.
    #[inline]
    pub fn decompress<'a>(
        &mut self,
        src: Input<'_>,
        mut dst: NotUptodate<'a>,
    ) -> Result<Uptodate<'a>, usize> {
        // SAFETY: By the type invariant the request is idle, and its transform owned by `self`. The
        // request is finished before this returns; until then `src` and the page, to whose contents
        // `dst` gives exclusive access, are borrowed, and `self` exclusively.
        unsafe {
            self.request.start(dst.page(), Some(src));
            decompressed(dst, self.request.finish())
        }
    }
}

/// The requests of an asynchronous [`Compressor`], which (de)compress up to [`QUEUE_DEPTH`] pages at a
/// time.
///
/// When a function of this type returns, no request is in flight. As with `std::thread::scope`, that
/// makes it sound to lend pages and buffers to operations that run concurrently. No handle exists that
/// a caller could leak.
///
/// # Invariants
///
/// No request is in flight. The requests belong to a [`Compressor`] that is borrowed, and so is
/// their transform.
pub struct RequestQueue<'a>(&'a mut [KBox<Request>; QUEUE_DEPTH]);

impl RequestQueue<'_> {
    /// Compresses `pages`, up to [`QUEUE_DEPTH`] at a time, and passes each page with its result to
    /// `each`, in order. Stops at the first error of `each`. May sleep.
    ///
    /// The reported length is checked as in [`Compressor::compress`].
    pub fn compress_each<'p, E>(
        &mut self,
        pages: impl IntoIterator<Item = FolioPage<'p>>,
        mut each: impl FnMut(FolioPage<'p>, Result<&[u8]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut pages = pages.into_iter().fuse();
        let next = |request: &mut Request| {
            let page = pages.next()?;
            // SAFETY: `run` guarantees that the request is idle, that it isn't used until it is
            // finished, and that its transform stays alive. So does the page, as `'p` outlives this
            // call.
            unsafe { request.start(page.as_raw(), None) };
            Some(page)
        };
        self.run(next, |request, page, report| {
            each(page, request.compressed(report))
        })
    }

    /// Decompresses into `pages`, up to [`QUEUE_DEPTH`] at a time, and passes the result for each page
    /// to `each`, in order. Stops at the first error of `each`. May sleep.
    ///
    /// `read` copies the data that was stored for a page into a buffer, which still has that of an
    /// earlier page, and returns its length in bytes, at most `PAGE_SIZE`. The result is that of
    /// [`Compressor::decompress`].
    pub fn decompress_each<'p, T, E>(
        &mut self,
        pages: impl IntoIterator<Item = (T, NotUptodate<'p>)>,
        mut read: impl FnMut(&T, &mut [u8; PAGE_SIZE]) -> usize,
        mut each: impl FnMut(T, Result<Uptodate<'p>, usize>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut pages = pages.into_iter().fuse();
        let next = |request: &mut Request| {
            let (from, mut page) = pages.next()?;
            let len = read(&from, &mut request.buffer).min(PAGE_SIZE);
            // SAFETY: `output` is the list of the request's buffer, which `read` can't access after
            // its call. `run` guarantees that the request is idle, that it isn't used until it is
            // finished, and that its transform stays alive. So does the page, as `'p` outlives this
            // call; only then is it given away.
            unsafe {
                let src = Input::from_raw(request.output.get(), len);
                request.start(page.page(), Some(src));
            }
            Some((from, page))
        };
        self.run(next, |_, (from, page), report| {
            // SAFETY: It is the report of the operation that was started for the page.
            each(from, unsafe { decompressed(page, report) })
        })
    }

    /// Starts the requests in turn, each again after it was finished, until `start` returns `None` or
    /// `each` fails, which is called for what `start` has returned, with the report. All that were
    /// started are finished when this returns.
    ///
    /// `start` gets an idle request, whose transform is alive, and starts it, or returns `None`. Until
    /// it is finished, this uses the request only to finish it, and keeps what `start` has returned.
    #[inline(always)]
    fn run<T, E>(
        &mut self,
        mut start: impl FnMut(&mut Request) -> Option<T>,
        mut each: impl FnMut(&Request, T, Report) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut under_way = [const { None::<T> }; QUEUE_DEPTH];
        let mut result = Ok(());
        // The requests are used round-robin: the next to start is the one that was just finished. A
        // panic doesn't unwind in the kernel, and so frees nothing that is in flight.
        loop {
            let mut any = false;
            for (request, slot) in self.0.iter_mut().zip(&mut under_way) {
                if let Some(started) = slot.take() {
                    any = true;
                    let report = request.finish();
                    if result.is_ok() {
                        result = each(request, started, report);
                    }
                }
                if result.is_ok() {
                    *slot = start(request);
                    any |= slot.is_some();
                }
            }
            if !any {
                return result;
            }
        }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_acompress)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_maximum_length() {
        assert!(Algorithm::new(&[b'x'; NAME_SIZE - 1]).is_some());
        assert!(Algorithm::new(&[b'x'; NAME_SIZE]).is_none());
        assert!(Algorithm::new(b"a\0b").is_none());
        let name = Algorithm::new(b"bogus");
        assert_eq!(name.as_ref().map(Algorithm::as_bytes), Some(&b"bogus"[..]));
        assert!(!name.is_some_and(|name| name.is_available()));
    }

    #[test]
    fn unknown_algorithm_fails() -> Result {
        let bogus = Algorithm::new(b"bogus").ok_or(EINVAL)?;
        assert_eq!(
            Compressor::new(&bogus, NumaNode::NO_NODE).err(),
            Some(ENOENT)
        );
        Ok(())
    }
}
