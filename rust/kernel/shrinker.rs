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

/// The number of pages that reclaim processes at a time. Mirrors `SWAP_CLUSTER_MAX`.
pub const SWAP_CLUSTER_MAX: usize = bindings::SWAP_CLUSTER_MAX as usize;

/// The number of failed attempts after which reclaim gives up. Mirrors `MAX_RECLAIM_RETRIES`.
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
    /// `None` for a node that isn't possible: `shrinker_debugfs_scan_write()` passes any number below
    /// `nr_node_ids`.
    ///
    /// # Safety
    ///
    /// C must have passed `sc` to a callback of a shrinker, and `call` must be the call of that
    /// callback.
    unsafe fn from_raw(sc: &bindings::shrink_control, call: &'a Call) -> Option<Self> {
        Some(Self {
            nid: NumaNode::new(sc.nid).ok()?,
            // SAFETY: The caller guarantees that `sc` is from C, which holds a reference to the
            // cgroup while it runs the callback.
            memcg: unsafe { MemCgroup::from_raw_or_null(sc.memcg, call) },
            gfp: sc.gfp_mask,
        })
    }

    /// Whether the allocation that entered reclaim allows I/O and calls of file systems (`__GFP_IO`
    /// and `__GFP_FS`).
    ///
    /// Mirrors `gfp_has_io_fs()`.
    pub fn may_do_io(&self) -> bool {
        let io_fs = bindings::__GFP_IO | bindings::__GFP_FS;
        self.gfp & io_fs == io_fs
    }
}

/// The result of a scan.
pub enum Scanned {
    /// The number of objects that were freed.
    Freed(usize),
    /// No more objects can be freed now: reclaim should not call `scan` again for this request
    /// (`SHRINK_STOP`).
    Stop,
    /// No object was scanned (`SHRINK_STOP`, with `nr_scanned` set to 0).
    Refused,
}

/// The callbacks of a shrinker. Mirrors `count_objects` and `scan_objects` of `struct shrinker`.
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
    /// Returns the number of freeable objects. If it is 0, C doesn't call `scan`. Runs in a task
    /// that may sleep.
    fn count(request: &Request<'_>) -> usize;

    /// Scans at most `nr_to_scan` objects and frees some of them. May decrement `nr_to_scan`. Runs
    /// in reclaim, in a task that may sleep.
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
    /// Allocates a shrinker with the callbacks of `S`. May sleep. Fails with `ENOMEM`.
    ///
    /// Mirrors `shrinker_alloc()`.
    pub fn new<S: Shrink>(name: &'static CStr) -> Result<Self> {
        let flags = bindings::SHRINKER_NUMA_AWARE | bindings::SHRINKER_MEMCG_AWARE;
        // SAFETY: The format takes one string. A shrinker that was just allocated isn't registered,
        // so that no other code accesses it.
        unsafe {
            let ptr = bindings::shrinker_alloc(flags, c"%s".as_char_ptr(), name.as_char_ptr());
            let ptr = NonNull::new(ptr).ok_or(ENOMEM)?;
            (*ptr.as_ptr()).count_objects = Some(count::<S>);
            (*ptr.as_ptr()).scan_objects = Some(scan::<S>);
            (*ptr.as_ptr()).batch = 0;
            (*ptr.as_ptr()).seeks = bindings::DEFAULT_SEEKS as c_int;
            // INVARIANT: The shrinker was just allocated, and isn't registered.
            Ok(Self { ptr })
        }
    }

    /// Registers the shrinker, permanently. May sleep. For [`register_builtin_shrinker!`].
    ///
    /// [`register_builtin_shrinker!`]: crate::register_builtin_shrinker
    ///
    /// # Safety
    ///
    /// The callbacks' code must never be unloaded: it must be built in.
    #[doc(hidden)]
    pub unsafe fn register(self) {
        let ptr = core::mem::ManuallyDrop::new(self).ptr;
        // SAFETY: By the type invariant the shrinker is allocated and not registered. It is never
        // freed, and the caller guarantees that its callbacks are never unloaded.
        unsafe { bindings::shrinker_register(ptr.as_ptr()) }
    }

    /// The shrinker, for C.
    pub fn as_raw(&self) -> *mut bindings::shrinker {
        self.ptr.as_ptr()
    }
}

impl Drop for Shrinker {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the shrinker is owned by this value, and not registered.
        unsafe { bindings::shrinker_free(self.ptr.as_ptr()) }
    }
}

/// Registers a [`Shrinker`](kernel::shrinker::Shrinker) of built-in code, permanently. May sleep.
/// Mirrors `shrinker_register()`.
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

/// As in C; bindgen makes it a negative number.
const SHRINK_STOP: c_ulong = c_ulong::MAX;

/// # Safety
///
/// Only for C, as the callback of a shrinker: of reclaim, and of the shrinker's files in debugfs.
unsafe extern "C" fn count<S: Shrink>(
    _shrinker: *mut bindings::shrinker,
    sc: *mut bindings::shrink_control,
) -> c_ulong {
    let call = Call::new();
    // SAFETY: The caller passes a valid `sc` to this callback, whose call is `call`.
    let request = unsafe { Request::from_raw(&*sc, &call) };
    request.map_or(0, |request| S::count(&request))
}

/// # Safety
///
/// As for [`count`].
unsafe extern "C" fn scan<S: Shrink>(
    _shrinker: *mut bindings::shrinker,
    sc: *mut bindings::shrink_control,
) -> c_ulong {
    let call = Call::new();
    // SAFETY: The caller passes a valid `sc` to this callback, whose call is `call`, and which alone
    // accesses it meanwhile.
    let (request, sc) = unsafe { (Request::from_raw(&*sc, &call), &mut *sc) };
    let scanned = request.map_or(Scanned::Refused, |request| {
        S::scan(&request, &mut sc.nr_to_scan)
    });
    match scanned {
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
            // SAFETY: A `struct shrink_control` consists of numbers and pointers, which may be
            // zero.
            let mut sc: bindings::shrink_control = unsafe { core::mem::zeroed() };
            sc.gfp_mask = gfp;
            let call = Call::new();
            // SAFETY: The cgroup of `sc` is null.
            let request = unsafe { Request::from_raw(&sc, &call) };
            assert_eq!(request.map(|request| request.may_do_io()), Some(may));
        }
    }

    // As root can write it to a shrinker's file in debugfs.
    #[test]
    fn impossible_node_is_refused() {
        struct All;

        impl Shrink for All {
            fn count(_: &Request<'_>) -> usize {
                7
            }

            fn scan(_: &Request<'_>, _: &mut usize) -> Scanned {
                Scanned::Freed(7)
            }
        }

        // SAFETY: A `struct shrink_control` consists of numbers and pointers, which may be zero.
        let mut sc: bindings::shrink_control = unsafe { core::mem::zeroed() };
        for (nid, counted, scanned) in [(0, 7, 7), (c_int::MAX, 0, SHRINK_STOP)] {
            sc.nid = nid;
            // SAFETY: `sc` is valid, and its cgroup null.
            let (was_counted, was_scanned) = unsafe {
                let shrinker = core::ptr::null_mut();
                (
                    count::<All>(shrinker, &mut sc),
                    scan::<All>(shrinker, &mut sc),
                )
            };
            assert_eq!((was_counted, was_scanned), (counted, scanned));
        }
    }
}
