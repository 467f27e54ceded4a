// SPDX-License-Identifier: GPL-2.0

//! Compression algorithms that the crypto API can call.
//!
//! An algorithm works on slices, synchronously; the crypto API makes these from its users'
//! scatterlists or addresses. An algorithm registered by [`module_scomp!`] is found by its name,
//! like those in C.
//!
//! [`module_scomp!`]: crate::module_scomp
//!
//! C header: [`include/crypto/internal/scompress.h`](srctree/include/crypto/internal/scompress.h)

use crate::{
    bindings,
    error::{
        code::{
            EBUSY,
            EINPROGRESS,
            EINVAL,
            ENAMETOOLONG, //
        },
        from_result,
        to_result, //
    },
    prelude::*,
    str::CStr,
    types::Opaque, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

/// A compression algorithm. Mirrors `struct scomp_alg`.
///
/// Source and destination never overlap: a user that passes overlapping ones gets `EINVAL`. An
/// error means that the operation has failed: the errors for an operation still in progress
/// (`EINPROGRESS`, `EBUSY`) become `EINVAL`.
///
/// # Examples
///
/// ```
/// use kernel::{crypto::scompress::Algorithm, prelude::*};
///
/// /// Copies without compressing.
/// struct Copy;
///
/// impl Algorithm for Copy {
///     const NAME: &'static CStr = c"copy";
///     const DRIVER_NAME: &'static CStr = c"copy-scomp";
///     type Stream = ();
///
///     fn new_stream() -> Result<KVBox<()>> {
///         Ok(KVBox::new((), GFP_KERNEL)?)
///     }
///
///     fn compress(_: &mut (), src: &[u8], dst: &mut [u8]) -> Result<usize> {
///         dst.get_mut(..src.len()).ok_or(EINVAL)?.copy_from_slice(src);
///         Ok(src.len())
///     }
///
///     fn decompress(stream: &mut (), src: &[u8], dst: &mut [u8]) -> Result<usize> {
///         Self::compress(stream, src, dst)
///     }
/// }
/// ```
pub trait Algorithm: 'static {
    /// The name by which users find it. Among algorithms of the same name, the crypto API picks
    /// one.
    const NAME: &'static CStr;

    /// The unique name of this algorithm.
    const DRIVER_NAME: &'static CStr;

    /// The state for an operation. Each CPU that runs operations has one, unless there was no
    /// memory for it.
    type Stream: Send + 'static;

    /// Creates a stream. May sleep.
    fn new_stream() -> Result<KVBox<Self::Stream>>;

    /// Compresses `src` into `dst`, of which it may overwrite all. Returns the length of the result.
    ///
    /// Must not sleep: the stream's spin lock is held.
    fn compress(stream: &mut Self::Stream, src: &[u8], dst: &mut [u8]) -> Result<usize>;

    /// Decompresses `src`, which is untrusted, into `dst`, of which it may overwrite all. Returns
    /// the length of the result.
    ///
    /// Must not sleep: the stream's spin lock is held.
    fn decompress(stream: &mut Self::Stream, src: &[u8], dst: &mut [u8]) -> Result<usize>;
}

/// An [`Algorithm`] that is registered with the crypto API, until this is dropped.
///
/// A transform pins the algorithm's module, which drops this when it is unloaded. See
/// [`module_scomp!`].
///
/// [`module_scomp!`]: crate::module_scomp
///
/// # Invariants
///
/// `alg` is registered. [`Registration::new`] has created it for `A`.
pub struct Registration<A: Algorithm> {
    alg: NonNull<bindings::scomp_alg>,
    // Invariant in `A`, which determines what is registered.
    _p: PhantomData<fn(A) -> A>,
}

// SAFETY: The crypto API registers and unregisters under its own locks, from any task.
unsafe impl<A: Algorithm> Send for Registration<A> {}
// SAFETY: A shared reference has no methods.
unsafe impl<A: Algorithm> Sync for Registration<A> {}

impl<A: Algorithm> Registration<A> {
    /// Registers `A` as an algorithm of `module`. For [`module_scomp!`]. May sleep.
    ///
    /// Starts the kernel's self-tests; a lookup of the algorithm waits for them.
    ///
    /// Fails with `EEXIST` if either name is another algorithm's driver name, or the driver name is
    /// another algorithm's name; with `ENAMETOOLONG` or `EINVAL` for a name that is too long or
    /// empty; or with `ENOMEM`. Mirrors `crypto_register_scomp()`.
    ///
    /// [`module_scomp!`]: crate::module_scomp
    ///
    /// # Safety
    ///
    /// `module` must be the caller's. It must be built in, or drop the result when it is unloaded.
    /// The rest of its initialisation must not fail: its code would be freed, even if the algorithm
    /// is in use by then.
    #[doc(hidden)]
    pub unsafe fn new(module: &'static ThisModule) -> Result<Self> {
        let alg = KBox::<Opaque<bindings::scomp_alg>>::zeroed(GFP_KERNEL)?;
        {
            // SAFETY: All zeroes is a valid, empty `struct scomp_alg`.
            let alg = unsafe { &mut *alg.get() };
            alg.compress = Some(Self::compress);
            alg.decompress = Some(Self::decompress);
            alg.streams.alloc_ctx = Some(Self::alloc_ctx);
            alg.streams.free_ctx = Some(Self::free_ctx);
            // SAFETY: Both views of the union have the field at the same offset, as C guarantees.
            let base = unsafe { &mut alg.__bindgen_anon_1.calg.base };
            copy_name(&mut base.cra_name, A::NAME)?;
            copy_name(&mut base.cra_driver_name, A::DRIVER_NAME)?;
            base.cra_module = module.as_ptr();
        }
        let alg = KBox::into_raw(alg).cast::<bindings::scomp_alg>();
        // SAFETY: It is complete, and doesn't move until C calls `destroy`.
        if let Err(error) = to_result(unsafe { bindings::crypto_register_scomp(alg) }) {
            // SAFETY: It came from a box. C has not kept it: C may have put its only reference,
            // which frees nothing without `cra_destroy`.
            drop(unsafe { KBox::<Opaque<bindings::scomp_alg>>::from_raw(alg.cast()) });
            return Err(error);
        }
        // Set only now: otherwise C would free some of the algorithms that it refuses, and not
        // others.
        //
        // SAFETY: The registration's reference keeps it, until `drop` gives that up. C reads the
        // field only in `crypto_unregister_alg()`, which only `drop` calls, and where the last
        // reference is put, so not concurrently. The union is as above.
        unsafe { (&raw mut (*alg).__bindgen_anon_1.calg.base.cra_destroy).write(Some(destroy)) };
        Ok(Self {
            // INVARIANT: Just registered.
            //
            // SAFETY: A box never points to null.
            alg: unsafe { NonNull::new_unchecked(alg) },
            _p: PhantomData,
        })
    }

    /// Creates a stream for C. May sleep.
    extern "C" fn alloc_ctx() -> *mut c_void {
        match A::new_stream() {
            Ok(stream) => KVBox::into_raw(stream).cast(),
            Err(error) => error.to_ptr(),
        }
    }

    /// # Safety
    ///
    /// `ctx` must come from [`Self::alloc_ctx`], be no error, and not be used again.
    unsafe extern "C" fn free_ctx(ctx: *mut c_void) {
        // SAFETY: By the requirement.
        drop(unsafe { KVBox::<A::Stream>::from_raw(ctx.cast()) });
    }

    /// # Safety
    ///
    /// As for [`run`].
    unsafe extern "C" fn compress(
        _tfm: *mut bindings::crypto_scomp,
        src: *const u8,
        slen: c_uint,
        dst: *mut u8,
        dlen: *mut c_uint,
        ctx: *mut c_void,
    ) -> c_int {
        // SAFETY: By the requirement.
        unsafe { run(A::compress, src, slen, dst, dlen, ctx) }
    }

    /// # Safety
    ///
    /// As for [`run`].
    unsafe extern "C" fn decompress(
        _tfm: *mut bindings::crypto_scomp,
        src: *const u8,
        slen: c_uint,
        dst: *mut u8,
        dlen: *mut c_uint,
        ctx: *mut c_void,
    ) -> c_int {
        // SAFETY: By the requirement.
        unsafe { run(A::decompress, src, slen, dst, dlen, ctx) }
    }
}

impl<A: Algorithm> Drop for Registration<A> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant it is registered. Since it has a `cra_destroy`, C frees it
        // when the last reference is put.
        unsafe { bindings::crypto_unregister_scomp(self.alg.as_ptr()) }
    }
}

/// Declares a module of one compression algorithm. The algorithm is registered when the module is
/// loaded, and unregistered when the module is unloaded, which isn't possible while it is in use.
///
/// # Examples
///
/// ```ignore
/// kernel::module_scomp! {
///     type: Copy,
///     name: "copy",
///     authors: ["Somebody"],
///     description: "Copies without compressing",
///     license: "GPL",
///     alias: ["crypto-copy"],
/// }
/// ```
#[macro_export]
macro_rules! module_scomp {
    (type: $type:ty, $($info:tt)*) => {
        struct ScompModule {
            _registration: $crate::crypto::scompress::Registration<$type>,
        }

        impl $crate::Module for ScompModule {
            fn init(module: &'static $crate::ThisModule) -> $crate::error::Result<Self> {
                // The first call is the kernel's, which keeps the result. Later calls get none.
                static BEGUN: $crate::sync::SetOnce<()> = $crate::sync::SetOnce::new();
                if !BEGUN.populate(()) {
                    return Err($crate::error::code::EBUSY);
                }
                Ok(Self {
                    // SAFETY: Whether built in or not, the result is dropped when the module is
                    // unloaded, and not before. Nothing that follows can fail.
                    _registration: unsafe {
                        $crate::crypto::scompress::Registration::new(module)
                    }?,
                })
            }
        }

        $crate::prelude::module! {
            type: ScompModule,
            $($info)*
        }
    };
}

/// Runs an algorithm's operation, and returns the result to C.
///
/// # Safety
///
/// `src` must be `slen` bytes that are not written until this returns (C doesn't document that
/// requirement for its users: see docs/safety.md for what is trusted). `dst` must be `*dlen` bytes;
/// nothing else may access these or `dlen`. `ctx` must come from `alloc_ctx` of the algorithm whose
/// operation `op` is, and be locked for the caller.
#[inline(always)]
unsafe fn run<S>(
    op: fn(&mut S, &[u8], &mut [u8]) -> Result<usize>,
    src: *const u8,
    slen: c_uint,
    dst: *mut u8,
    dlen: *mut c_uint,
    ctx: *mut c_void,
) -> c_int {
    // SAFETY: By the requirement.
    let room = unsafe { *dlen };
    let (from, to) = (src as usize, dst as usize);
    // C doesn't forbid users to pass overlapping buffers.
    if from < to.saturating_add(room as usize) && to < from.saturating_add(slen as usize) {
        return EINVAL.to_errno();
    }
    from_result(|| {
        // SAFETY: By the requirement; the two don't overlap, as checked above. Memory that C hasn't
        // initialised consists of valid bytes on this side of the FFI.
        let (src, dst) = unsafe {
            (
                core::slice::from_raw_parts(src, slen as usize),
                core::slice::from_raw_parts_mut(dst, room as usize),
            )
        };
        // SAFETY: By the requirement it was created as a box of this type, and is locked for us.
        let len = match op(unsafe { &mut *ctx.cast::<S>() }, src, dst) {
            // A caller that got one of these would wait forever for completion.
            Err(EINPROGRESS | EBUSY) => Err(EINVAL),
            ret => ret,
        }?;
        // The length that an algorithm returns is checked.
        if len > room as usize {
            return Err(EINVAL);
        }
        // SAFETY: By the requirement. The length is at most the old one.
        unsafe { *dlen = len as c_uint };
        Ok(0)
    })
}

/// Frees an algorithm without users.
///
/// # Safety
///
/// `alg` must be part of a `struct scomp_alg` from [`Registration::new`], and not be used again.
unsafe extern "C" fn destroy(alg: *mut bindings::crypto_alg) {
    // SAFETY: By the requirement it is part of one.
    let scomp =
        unsafe { crate::container_of!(alg, bindings::scomp_alg, __bindgen_anon_1.calg.base) };
    // SAFETY: It came from a box.
    drop(unsafe { KBox::<Opaque<bindings::scomp_alg>>::from_raw(scomp.cast()) });
}

/// Copies a name and its terminating zero, if they fit.
fn copy_name(to: &mut [c_char], name: &CStr) -> Result {
    let name = name.to_bytes_with_nul();
    let to = to.get_mut(..name.len()).ok_or(ENAMETOOLONG)?;
    for (to, from) in to.iter_mut().zip(name) {
        *to = *from as c_char;
    }
    Ok(())
}

#[cfg(CONFIG_CRYPTO_LZ4_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_scompress)]
mod tests {
    use super::*;
    use crate::error::code::EEXIST;

    /// One of two algorithms, with or without names.
    struct Copy<const NAMED: bool>;

    impl<const NAMED: bool> Algorithm for Copy<NAMED> {
        const NAME: &'static CStr = if NAMED { c"rust-copy" } else { c"" };
        const DRIVER_NAME: &'static CStr = if NAMED { c"rust-copy-scomp" } else { c"" };
        type Stream = u8;

        fn new_stream() -> Result<KVBox<u8>> {
            Ok(KVBox::new(0, GFP_KERNEL)?)
        }

        fn compress(_: &mut u8, src: &[u8], dst: &mut [u8]) -> Result<usize> {
            dst.get_mut(..src.len()).ok_or(EINVAL)?.copy_from_slice(src);
            Ok(src.len())
        }

        fn decompress(stream: &mut u8, src: &[u8], dst: &mut [u8]) -> Result<usize> {
            Self::compress(stream, src, dst)
        }
    }

    // SAFETY: This is built in.
    static BUILT_IN: ThisModule = unsafe { ThisModule::from_ptr(core::ptr::null_mut()) };

    fn register<const NAMED: bool>() -> Result<Registration<Copy<NAMED>>> {
        // SAFETY: This is built in, and stays.
        unsafe { Registration::new(&BUILT_IN) }
    }

    // What C gets as result and length if an algorithm returns `said` for eight bytes.
    fn told(mut said: Result<usize>) -> (c_int, c_uint) {
        let (src, mut dst, mut len) = ([0u8; 8], [0u8; 8], 8);
        // SAFETY: Two arrays of eight bytes, a length, and a stream of the operation's type, all
        // ours alone.
        let ret = unsafe {
            run(
                |said: &mut Result<usize>, _, _| *said,
                src.as_ptr(),
                8,
                dst.as_mut_ptr(),
                &mut len,
                (&raw mut said).cast(),
            )
        };
        (ret, len)
    }

    #[test]
    fn reported_length_is_checked() {
        assert_eq!(told(Ok(5)), (0, 5));
        assert_eq!(told(Ok(9)), (EINVAL.to_errno(), 8));
        assert_eq!(told(Err(ENOSPC)), (ENOSPC.to_errno(), 8));
        assert_eq!(told(Err(EINPROGRESS)), (EINVAL.to_errno(), 8));
        assert_eq!(told(Err(EBUSY)), (EINVAL.to_errno(), 8));
    }

    // Whether live allocations of algorithms are distinct: not so after a double free.
    fn is_given_out_once() -> Result<bool> {
        let mut algs = KVec::<KBox<Opaque<bindings::scomp_alg>>>::new();
        for _ in 0..16 {
            let alg = KBox::<Opaque<bindings::scomp_alg>>::zeroed(GFP_KERNEL)?;
            if algs.iter().any(|other| other.get() == alg.get()) {
                core::mem::forget(alg);
                return Ok(false);
            }
            algs.push(alg, GFP_KERNEL)?;
        }
        Ok(true)
    }

    // C frees some of the algorithms that it refuses, if they have a `cra_destroy`.
    #[test]
    fn refused_algorithm_is_freed_once() -> Result {
        let first = register::<true>()?;
        for _ in 0..100 {
            assert_eq!(register::<true>().err(), Some(EEXIST));
            assert!(is_given_out_once()?);
            assert_eq!(register::<false>().err(), Some(EINVAL));
            assert!(is_given_out_once()?);
        }
        // Its self-test keeps the name until it ends; a lookup waits for that.
        //
        // SAFETY: A zero-terminated name.
        unsafe { bindings::crypto_has_alg(c"rust-copy-scomp".as_char_ptr(), 0, 0) };
        drop(first);
        drop(register::<true>()?);
        Ok(())
    }
}
