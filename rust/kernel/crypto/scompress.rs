// SPDX-License-Identifier: GPL-2.0

//! Compression algorithms that the crypto API can call.
//!
//! An algorithm works on slices, synchronously. The crypto API maps the scatterlists or addresses
//! of its users. An algorithm that [`module_scomp!`] registers is found by its name, like
//! algorithms in C.
//!
//! [`module_scomp!`]: crate::module_scomp
//!
//! C header: [`include/crypto/internal/scompress.h`](srctree/include/crypto/internal/scompress.h)

use crate::{
    bindings,
    error::{
        from_result,
        to_result, //
    },
    prelude::*,
    sync::barrier::barrier, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

/// A compression algorithm. Mirrors `struct scomp_alg`.
///
/// The source is a private copy of the user's source. The user's memory may change during an
/// operation: a page that is written out can be written to through `/proc/PID/mem`, or by a device.
/// A user may also pass a destination that overlaps the source.
///
/// An error means that the operation has failed: the errors for an operation still in progress
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
///     const LONGEST_SOURCE: usize = 4096;
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
// One implementor: LZ4. C calls it through function pointers, so it has to be a trait; other compressors
// of C have the same interface (`struct scomp_alg`).
pub trait Algorithm: 'static {
    /// The name by which users look up the algorithm (`cra_name`). The crypto API selects one of
    /// the algorithms of the same name: a user that looks up the name of an algorithm in C may get
    /// this one, as IPComp does with `deflate`.
    const NAME: &'static CStr;

    /// The unique name of this algorithm (`cra_driver_name`).
    const DRIVER_NAME: &'static CStr;

    /// The maximum length of a source, for both operations, in bytes. Users get `EINVAL` for a
    /// longer source. Each CPU that runs operations has a buffer of this size, for the copy of the
    /// source.
    const LONGEST_SOURCE: usize;

    /// The state for an operation. Each CPU that runs operations has a stream, unless there was no
    /// memory for it.
    type Stream: Send + 'static;

    /// Creates a stream. May sleep.
    fn new_stream() -> Result<KVBox<Self::Stream>>;

    /// Compresses `src` into `dst`, which is zeroed, and all of which it may overwrite. Returns the
    /// length of the result.
    ///
    /// Must not sleep: the stream's spin lock is held.
    fn compress(stream: &mut Self::Stream, src: &[u8], dst: &mut [u8]) -> Result<usize>;

    /// Decompresses `src`, which is untrusted, into `dst`, which is zeroed, and all of which it may
    /// overwrite. Returns the length of the result.
    ///
    /// Must not sleep: the stream's spin lock is held.
    fn decompress(stream: &mut Self::Stream, src: &[u8], dst: &mut [u8]) -> Result<usize>;
}

/// A buffer for the private copy of a source: the memory of a vector that stays empty.
struct Source(KVVec<u8>);

impl Source {
    /// Allocates a buffer of `len` bytes. May sleep.
    fn new(len: usize) -> Result<Self> {
        Ok(Self(KVVec::with_capacity(len, GFP_KERNEL)?))
    }

    /// Copies `len` bytes at `src`, and returns the copy. `EINVAL` if the buffer is shorter.
    ///
    /// # Safety
    ///
    /// `src` must be valid for reads of `len` bytes by C. They may change during the call.
    #[inline]
    unsafe fn copy(&mut self, src: *const u8, len: usize) -> Result<&[u8]> {
        if len > self.0.capacity() {
            return Err(EINVAL);
        }
        let copy = self.0.as_mut_ptr();
        // SAFETY: The vector has memory for `len` bytes, which no other code can access. The caller
        // guarantees that C may read `len` bytes at `src`. This is C's function, for which a
        // concurrent write isn't undefined, and not `copy_nonoverlapping()`, for which it is. All
        // bytes of the slice were written, and `self` is borrowed as long as it lives.
        unsafe {
            bindings::memcpy(copy.cast(), src.cast(), len);
            // The compiler recognises `memcpy()`: it must not read `src` again in place of the copy.
            barrier();
            Ok(core::slice::from_raw_parts(copy, len))
        }
    }
}

/// The context of a CPU.
struct Context<A: Algorithm> {
    stream: KVBox<A::Stream>,
    source: Source,
}

impl<A: Algorithm> Context<A> {
    /// Creates a context. May sleep.
    fn new() -> Result<KBox<Self>> {
        let context = Self {
            stream: A::new_stream()?,
            source: Source::new(A::LONGEST_SOURCE)?,
        };
        Ok(KBox::new(context, GFP_KERNEL)?)
    }
}

/// An [`Algorithm`] that is registered with the crypto API, until this is dropped.
///
/// A transform pins the algorithm's module. Unloading the module drops this. See [`module_scomp!`].
///
/// [`module_scomp!`]: crate::module_scomp
///
/// # Invariants
///
/// `alg` is registered. [`Registration::new`] has created it for `A`.
pub struct Registration<A: Algorithm> {
    alg: NonNull<bindings::scomp_alg>,
    // Invariant in `A`, which determines the callbacks that are registered.
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
    /// `module` must be the module of the caller. It must be built in, or drop the result when it
    /// is unloaded. The rest of its initialisation must not fail: its code would be freed, even if
    /// the algorithm is in use by then.
    #[doc(hidden)]
    pub unsafe fn new(module: &'static ThisModule) -> Result<Self> {
        let mut base: bindings::crypto_alg = pin_init::zeroed();
        copy_name(&mut base.cra_name, A::NAME)?;
        copy_name(&mut base.cra_driver_name, A::DRIVER_NAME)?;
        base.cra_module = module.as_ptr();
        let mut alg = KBox::<bindings::scomp_alg>::zeroed(GFP_KERNEL)?;
        alg.compress = Some(Self::compress);
        alg.decompress = Some(Self::decompress);
        alg.streams.alloc_ctx = Some(Self::alloc_ctx);
        alg.streams.free_ctx = Some(Self::free_ctx);
        alg.__bindgen_anon_1.calg.base = base;
        let alg = NonNull::from(KBox::leak(alg));
        // `cra_destroy` is set after the registration: otherwise C would free some of the algorithms
        // that it refuses, and not others.
        //
        // SAFETY: `alg` is complete, and doesn't move until C calls `destroy`. If C refuses it, it
        // has stored no pointer to it, and may have put its only reference, which frees nothing
        // without `cra_destroy`: it goes back into its box. Otherwise the registration's reference
        // pins `alg` until `drop` puts it. C reads the field only in `crypto_unregister_alg()`,
        // which only `drop` calls, and where the last reference is put, so not concurrently. `calg`
        // is the field of the union that was set above.
        unsafe {
            if let Err(error) = to_result(bindings::crypto_register_scomp(alg.as_ptr())) {
                drop(KBox::from_raw(alg.as_ptr()));
                return Err(error);
            }
            (&raw mut (*alg.as_ptr()).__bindgen_anon_1.calg.base.cra_destroy).write(Some(destroy));
        }
        Ok(Self {
            // INVARIANT: Just registered.
            alg,
            _p: PhantomData,
        })
    }

    /// Creates a context for C. May sleep.
    extern "C" fn alloc_ctx() -> *mut c_void {
        match Context::<A>::new() {
            Ok(context) => KBox::into_raw(context).cast(),
            Err(error) => error.to_ptr(),
        }
    }

    /// # Safety
    ///
    /// `ctx` must come from [`Self::alloc_ctx`], must not be an error pointer, and must not be used
    /// again.
    unsafe extern "C" fn free_ctx(ctx: *mut c_void) {
        // SAFETY: The caller guarantees that `alloc_ctx` made it from a box of this type, and that it
        // isn't used again.
        drop(unsafe { KBox::<Context<A>>::from_raw(ctx.cast()) });
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
        // SAFETY: The caller guarantees what `run` requires. `ctx` is from this type's `alloc_ctx`.
        unsafe { run::<A>(A::compress, src, slen, dst, dlen, ctx) }
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
        // SAFETY: The caller guarantees what `run` requires. `ctx` is from this type's `alloc_ctx`.
        unsafe { run::<A>(A::decompress, src, slen, dst, dlen, ctx) }
    }
}

impl<A: Algorithm> Drop for Registration<A> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant `alg` is registered. Since it has a `cra_destroy`, C frees
        // it when the last reference is put.
        unsafe { bindings::crypto_unregister_scomp(self.alg.as_ptr()) }
    }
}

/// Declares a module of one compression algorithm. The algorithm is registered when the module is
/// loaded, and unregistered when the module is unloaded. A module whose algorithm is in use can't
/// be unloaded.
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
// One user: LZ4. The counterpart of `module_phy_driver!` and the like, for every compressor.
#[macro_export]
macro_rules! module_scomp {
    (type: $type:ty, $($info:tt)*) => {
        struct ScompModule {
            _registration: $crate::crypto::scompress::Registration<$type>,
        }

        impl $crate::Module for ScompModule {
            fn init(module: &'static $crate::ThisModule) -> $crate::error::Result<Self> {
                // The kernel makes the first call, and stores the result. Later calls fail.
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

/// An operation of an algorithm with streams `S`.
type Operation<S> = fn(&mut S, &[u8], &mut [u8]) -> Result<usize>;

/// Runs an algorithm's operation, and returns the result to C.
///
/// Fails with `EINVAL` if the source is longer than [`Algorithm::LONGEST_SOURCE`].
///
/// # Safety
///
/// - `src` must be valid for reads of `slen` bytes by C; these may change during the call.
/// - `dst` must be valid for writes of `*dlen` bytes, and no other code may access these or `dlen`
///   during the call, except that they may overlap `src`.
/// - `ctx` must come from `alloc_ctx` of `A`'s registration, and its lock must be held.
#[inline]
unsafe fn run<A: Algorithm>(
    op: Operation<A::Stream>,
    src: *const u8,
    slen: c_uint,
    dst: *mut u8,
    dlen: *mut c_uint,
    ctx: *mut c_void,
) -> c_int {
    from_result(|| {
        // SAFETY: The caller guarantees that `alloc_ctx` made `ctx` from a box of this type, and
        // that the context's lock is held, so that no other operation uses it; that `slen` bytes
        // can be read; and that only this call accesses `dlen` and as many bytes at `dst`: a `src`
        // that overlaps them is no longer used, as the copy has replaced it. Memory that C hasn't
        // initialised consists of valid bytes on this side of the FFI.
        let (stream, src, dst) = unsafe {
            let context = &mut *ctx.cast::<Context<A>>();
            let src = context.source.copy(src, slen as usize)?;
            let dst = core::slice::from_raw_parts_mut(dst, *dlen as usize);
            (&mut *context.stream, src, dst)
        };
        // An algorithm may report more bytes than it has written: the others must not have another
        // user's data.
        dst.fill(0);
        let len = match op(stream, src, dst) {
            // A caller that gets one of these waits forever for completion.
            Err(EINPROGRESS | EBUSY) => Err(EINVAL),
            ret => ret,
        }?;
        // The length that an algorithm returns is checked.
        if len > dst.len() {
            return Err(EINVAL);
        }
        // SAFETY: The caller guarantees that only this call accesses `dlen`. The length fits into
        // it, as it is at most the old one.
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
    // SAFETY: The caller guarantees that `alg` is part of a `struct scomp_alg` that is from
    // `Registration::new`, which made it from a box, and that it isn't used again.
    drop(unsafe {
        let scomp = crate::container_of!(alg, bindings::scomp_alg, __bindgen_anon_1.calg.base);
        KBox::from_raw(scomp)
    });
}

/// Copies a name and its terminating zero. Fails with `ENAMETOOLONG` if they don't fit.
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
    use crate::{
        error::code::EEXIST,
        types::Opaque, //
    };

    /// One of two algorithms, with or without names.
    struct Copy<const NAMED: bool>;

    impl<const NAMED: bool> Algorithm for Copy<NAMED> {
        const NAME: &'static CStr = if NAMED { c"rust-copy" } else { c"" };
        const DRIVER_NAME: &'static CStr = if NAMED { c"rust-copy-scomp" } else { c"" };
        const LONGEST_SOURCE: usize = 512;
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
        // SAFETY: This test is built in, and so is never unloaded.
        unsafe { Registration::new(&BUILT_IN) }
    }

    /// Writes nothing, and returns the value of its stream.
    struct Says;

    impl Algorithm for Says {
        const NAME: &'static CStr = c"";
        const DRIVER_NAME: &'static CStr = c"";
        const LONGEST_SOURCE: usize = 8;
        type Stream = Result<usize>;

        fn new_stream() -> Result<KVBox<Self::Stream>> {
            Ok(KVBox::new(Ok(0), GFP_KERNEL)?)
        }

        fn compress(said: &mut Self::Stream, _: &[u8], _: &mut [u8]) -> Result<usize> {
            *said
        }

        fn decompress(said: &mut Self::Stream, _: &[u8], _: &mut [u8]) -> Result<usize> {
            *said
        }
    }

    /// Overwrites the user's source, as another task may do during an operation, and copies the
    /// private one.
    struct Overwrites;

    impl Algorithm for Overwrites {
        const NAME: &'static CStr = c"";
        const DRIVER_NAME: &'static CStr = c"";
        const LONGEST_SOURCE: usize = 16;
        type Stream = [usize; 1];

        fn new_stream() -> Result<KVBox<Self::Stream>> {
            Ok(KVBox::new([0], GFP_KERNEL)?)
        }

        fn compress([user]: &mut Self::Stream, src: &[u8], dst: &mut [u8]) -> Result<usize> {
            // SAFETY: `user` is the address of the test's array of that length, which the test
            // lends.
            unsafe { (*user as *mut u8).write_bytes(0xff, src.len()) };
            // Otherwise the compiler may assume that the slice still has its former bytes.
            let src = core::hint::black_box(src);
            dst.get_mut(..src.len()).ok_or(EINVAL)?.copy_from_slice(src);
            Ok(src.len())
        }

        fn decompress(stream: &mut Self::Stream, src: &[u8], dst: &mut [u8]) -> Result<usize> {
            Self::compress(stream, src, dst)
        }
    }

    /// An operation as C calls it.
    type Op = unsafe extern "C" fn(
        *mut bindings::crypto_scomp,
        *const u8,
        c_uint,
        *mut u8,
        *mut c_uint,
        *mut c_void,
    ) -> c_int;

    // Runs an operation of `A` with `stream`, from `src` into `dst`. Returns its result and its
    // length.
    fn called<A: Algorithm>(
        op: Op,
        stream: A::Stream,
        src: *const u8,
        slen: usize,
        dst: &mut [u8],
    ) -> Result<(c_int, c_uint)> {
        let mut context = Context::<A>::new()?;
        *context.stream = stream;
        let mut len = dst.len() as c_uint;
        // SAFETY: Only this test uses the memory, the length and the context.
        let ret = unsafe {
            op(
                core::ptr::null_mut(),
                src,
                slen as c_uint,
                dst.as_mut_ptr(),
                &mut len,
                (&raw mut *context).cast(),
            )
        };
        Ok((ret, len))
    }

    // The result and the length that C gets if an algorithm returns `said` for eight bytes.
    fn told(said: Result<usize>) -> Result<(c_int, c_uint)> {
        let (src, mut dst) = ([0; 8], [0; 8]);
        let op = Registration::<Says>::compress;
        called::<Says>(op, said, src.as_ptr(), 8, &mut dst)
    }

    // The memory has another user's data, and the algorithm reports to have overwritten all of it.
    #[test]
    fn unwritten_bytes_are_zero() -> Result {
        type Tested = Registration<Says>;
        for op in [Tested::compress as Op, Tested::decompress] {
            let (src, mut dst) = ([0; 8], [0xff; 8]);
            let ret = called::<Says>(op, Ok(8), src.as_ptr(), 8, &mut dst)?;
            assert_eq!(ret, (0, 8));
            assert_eq!(dst, [0; 8]);
        }
        Ok(())
    }

    #[test]
    fn reported_length_is_checked() -> Result {
        assert_eq!(told(Ok(5))?, (0, 5));
        assert_eq!(told(Ok(9))?, (EINVAL.to_errno(), 8));
        assert_eq!(told(Err(ENOSPC))?, (ENOSPC.to_errno(), 8));
        assert_eq!(told(Err(EINPROGRESS))?, (EINVAL.to_errno(), 8));
        assert_eq!(told(Err(EBUSY))?, (EINVAL.to_errno(), 8));
        Ok(())
    }

    // The user's memory changes while it is compressed, and while it is decompressed.
    #[test]
    fn source_is_private() -> Result {
        type Tested = Registration<Overwrites>;
        for op in [Tested::compress as Op, Tested::decompress] {
            let (mut user, mut dst) = (*b"its user's bytes", [0; 16]);
            let at = &raw mut user;
            let ret = called::<Overwrites>(op, [at as usize], at.cast(), 16, &mut dst)?;
            assert_eq!(ret, (0, 16));
            assert_eq!(dst, *b"its user's bytes");
            // SAFETY: `user` is alive, and no longer written to.
            assert_eq!(unsafe { at.read_volatile() }, [0xff; 16]);
        }
        Ok(())
    }

    #[test]
    fn longer_source_is_refused() -> Result {
        type Tested = Registration<Overwrites>;
        for op in [Tested::compress as Op, Tested::decompress] {
            let (mut user, mut dst) = ([7; 17], [0; 17]);
            let at = &raw mut user;
            let ret = called::<Overwrites>(op, [at as usize], at.cast(), 17, &mut dst)?;
            assert_eq!(ret, (EINVAL.to_errno(), 17));
            // SAFETY: `user` is alive; the algorithm wasn't called.
            assert_eq!(unsafe { at.read_volatile() }, [7; 17]);
            assert_eq!(dst, [0; 17]);
        }
        Ok(())
    }

    // Whether live allocations of algorithms are distinct. After a double free they are not.
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
        // The name is in use until the self-test ends. A lookup waits for the self-test.
        //
        // SAFETY: The name is zero-terminated.
        unsafe { bindings::crypto_has_alg(c"rust-copy-scomp".as_char_ptr(), 0, 0) };
        drop(first);
        drop(register::<true>()?);
        Ok(())
    }
}
