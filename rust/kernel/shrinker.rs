// SPDX-License-Identifier: GPL-2.0

//! Shrinkers: callbacks that free memory under pressure.
//!
//! C header: [`include/linux/shrinker.h`](srctree/include/linux/shrinker.h)

use crate::{
    alloc::NumaNode,
    bindings,
    mm::{
        call::Call,
        memcontrol::MemCgroup, //
    },
    prelude::*, //
};
use core::ptr::NonNull;

/// The number of pages that reclaim takes at a time. Mirrors `SWAP_CLUSTER_MAX`.
pub const SWAP_CLUSTER_MAX: usize = bindings::SWAP_CLUSTER_MAX as usize;

/// The number of failures after which reclaim gives up. Mirrors `MAX_RECLAIM_RETRIES`.
pub const MAX_RECLAIM_RETRIES: u32 = bindings::MAX_RECLAIM_RETRIES;

/// A request from reclaim. Mirrors `struct shrink_control`.
pub struct Request<'a> {
    /// The node that is short of memory.
    pub nid: NumaNode,
    /// The cgroup to reclaim from; [`None`] with cgroups disabled at run time or at build time.
    pub memcg: Option<&'a MemCgroup>,
    gfp: bindings::gfp_t,
}

impl<'a> Request<'a> {
    /// # Safety
    ///
    /// `sc` must be the one that C passes to the callback that `call` is the call of.
    unsafe fn from_raw(sc: &bindings::shrink_control, call: &'a Call) -> Self {
        // SAFETY: By the requirement; C keeps the cgroup while it runs the callback, and the node
        // is a possible one.
        unsafe {
            Self {
                nid: NumaNode::from_possible(sc.nid),
                memcg: MemCgroup::from_raw_or_null(sc.memcg, call),
                gfp: sc.gfp_mask,
            }
        }
    }

    /// Whether the allocation allows reclaim to do I/O and to enter file systems.
    ///
    /// Mirrors `gfp_has_io_fs()`.
    pub fn may_do_io(&self) -> bool {
        let io_fs = bindings::__GFP_IO | bindings::__GFP_FS;
        self.gfp & io_fs == io_fs
    }
}

/// The result of a scan.
pub enum Scanned {
    /// This many objects were freed.
    Freed(usize),
    /// Nothing more can be freed now: reclaim should not call again for this request.
    Stop,
    /// No object was scanned.
    Refused,
}

/// Something that can free memory.
///
/// # Examples
///
/// ```
/// use kernel::shrinker::{Request, Scanned, Shrink, Shrinker};
///
/// struct Spare;
///
/// # fn spare_pages() -> usize {
/// #     0
/// # }
/// # fn free_spare_pages(nr: usize) -> usize {
/// #     nr
/// # }
/// impl Shrink for Spare {
///     fn count(_request: &Request<'_>) -> usize {
///         spare_pages()
///     }
///
///     fn scan(request: &Request<'_>, nr_to_scan: &mut usize) -> Scanned {
///         if !request.may_do_io() {
///             return Scanned::Refused;
///         }
///         Scanned::Freed(free_spare_pages(*nr_to_scan))
///     }
/// }
///
/// fn init() -> Result {
///     kernel::register_builtin_shrinker!(Shrinker::new::<Spare>(c"spare")?);
///     Ok(())
/// }
///
/// // One that isn't registered is freed.
/// drop(Shrinker::new::<Spare>(c"spare")?);
/// # Ok::<(), Error>(())
/// ```
// One implementor: zswap. C calls it through function pointers, so it has to be a trait; every cache in C
// has the same interface (`struct shrinker`).
pub trait Shrink {
    /// Returns the number of freeable objects; with 0, `scan` isn't called. Runs in a task that may
    /// sleep.
    fn count(request: &Request<'_>) -> usize;

    /// Scans at most `nr_to_scan` objects and frees some. May count `nr_to_scan` down. Runs in
    /// reclaim, in a task that may sleep.
    fn scan(request: &Request<'_>, nr_to_scan: &mut usize) -> Scanned;
}

/// A shrinker that isn't registered yet, aware of NUMA nodes and cgroups.
///
/// # Invariants
///
/// `ptr` is an allocated `struct shrinker`, not registered, owned by this value.
pub struct Shrinker {
    ptr: NonNull<bindings::shrinker>,
}

impl Shrinker {
    /// Allocates a shrinker that will call `S`. May sleep.
    ///
    /// Mirrors `shrinker_alloc()`.
    pub fn new<S: Shrink>(name: &'static CStr) -> Result<Self> {
        let flags = bindings::SHRINKER_NUMA_AWARE | bindings::SHRINKER_MEMCG_AWARE;
        // SAFETY: The format takes one string.
        let ptr =
            unsafe { bindings::shrinker_alloc(flags, c"%s".as_char_ptr(), name.as_char_ptr()) };
        let ptr = NonNull::new(ptr).ok_or(ENOMEM)?;
        // SAFETY: Just allocated, and not registered, so nothing else accesses it.
        unsafe {
            (*ptr.as_ptr()).count_objects = Some(count::<S>);
            (*ptr.as_ptr()).scan_objects = Some(scan::<S>);
            (*ptr.as_ptr()).batch = 0;
            (*ptr.as_ptr()).seeks = bindings::DEFAULT_SEEKS as c_int;
        }
        // INVARIANT: Just allocated.
        Ok(Self { ptr })
    }

    /// Registers the shrinker, permanently. For [`register_builtin_shrinker!`].
    ///
    /// [`register_builtin_shrinker!`]: crate::register_builtin_shrinker
    ///
    /// # Safety
    ///
    /// The callbacks' code must never be unloaded: it must be built in.
    #[doc(hidden)]
    pub unsafe fn register(self) {
        let ptr = core::mem::ManuallyDrop::new(self).ptr;
        // SAFETY: By the type invariant it is allocated and not registered. It is never freed, and
        // by the requirement its callbacks are never unloaded.
        unsafe { bindings::shrinker_register(ptr.as_ptr()) }
    }

    pub(crate) fn as_raw(&self) -> *mut bindings::shrinker {
        self.ptr.as_ptr()
    }
}

impl Drop for Shrinker {
    fn drop(&mut self) {
        // SAFETY: By the type invariant it is ours, and not registered.
        unsafe { bindings::shrinker_free(self.ptr.as_ptr()) }
    }
}

/// Registers a [`Shrinker`](kernel::shrinker::Shrinker) of built-in code, permanently. Mirrors
/// `shrinker_register()`.
// One user: zswap's setup. A macro, since only the caller's crate knows whether it is a module.
#[macro_export]
macro_rules! register_builtin_shrinker {
    ($shrinker:expr) => {{
        #[cfg(MODULE)]
        ::core::compile_error!("register_builtin_shrinker! is for built-in code");
        let shrinker: $crate::shrinker::Shrinker = $shrinker;
        // SAFETY: This is built in, as just checked, and so are its callbacks.
        unsafe { shrinker.register() }
    }};
}

/// As in C. bindgen would make it a negative number.
const SHRINK_STOP: c_ulong = c_ulong::MAX;

/// # Safety
///
/// Only for C's reclaim.
unsafe extern "C" fn count<S: Shrink>(
    _shrinker: *mut bindings::shrinker,
    sc: *mut bindings::shrink_control,
) -> c_ulong {
    let call = Call::new();
    // SAFETY: By the requirement.
    S::count(&unsafe { Request::from_raw(&*sc, &call) })
}

/// # Safety
///
/// Only for C's reclaim.
unsafe extern "C" fn scan<S: Shrink>(
    _shrinker: *mut bindings::shrinker,
    sc: *mut bindings::shrink_control,
) -> c_ulong {
    let call = Call::new();
    // SAFETY: By the requirement; C lends it to the callback.
    let sc = unsafe { &mut *sc };
    // SAFETY: By the requirement.
    let request = unsafe { Request::from_raw(sc, &call) };
    match S::scan(&request, &mut sc.nr_to_scan) {
        Scanned::Freed(freed) => freed,
        Scanned::Stop => SHRINK_STOP,
        Scanned::Refused => {
            sc.nr_scanned = 0;
            SHRINK_STOP
        }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_shrinker)]
mod tests {
    use super::*;

    #[test]
    fn scan_requires_gfp_io_and_fs() {
        let (io, fs) = (bindings::__GFP_IO, bindings::__GFP_FS);
        for (gfp, may) in [(io | fs, true), (io, false), (fs, false), (0, false)] {
            // SAFETY: It consists of numbers and pointers, which may be zero.
            let mut sc: bindings::shrink_control = unsafe { core::mem::zeroed() };
            sc.gfp_mask = gfp;
            let call = Call::new();
            // SAFETY: Its cgroup is null.
            let request = unsafe { Request::from_raw(&sc, &call) };
            assert_eq!(request.may_do_io(), may);
        }
    }
}
