// SPDX-License-Identifier: GPL-2.0

//! Lists of objects in the order of their last use: one for each NUMA node and memory cgroup.
//!
//! The objects are [`slab::Object`]s that have [`Links`] and are charged to a cgroup. Which list an
//! object is on follows from where it lies and what it is charged to, neither of which changes. An
//! object that is destroyed is taken off its list first, while all of it is still there.
//!
//! Mistakes that were made with these lists can't be made here: to take an object off a list that
//! it isn't on (no method does), to use an object after the list's lock was dropped (what a walk
//! hands out is consumed by that), to take up the lock again and go on, or to say "removed" for an
//! object that wasn't, which `list_lru` would count twice.
//!
//! C header: [`include/linux/list_lru.h`](srctree/include/linux/list_lru.h)

use crate::{
    alloc::NumaNode,
    bindings,
    error::{
        code::{
            EBUSY,
            ENODEV, //
        },
        to_result,
        Result, //
    },
    ffi::{
        c_int,
        c_void, //
    },
    mm::memcontrol::{
        MemCgroup,
        ObjCgroup, //
    },
    shrinker::Shrinker,
    slab::{
        self,
        ObjectRef, //
    },
    sync::{
        atomic::{
            ordering::{
                Acquire,
                Release, //
            },
            Atomic,
        },
        rcu,
    },
    types::{
        NotThreadSafe,
        Opaque, //
    },
};
use core::marker::PhantomData;

/// Makes what has it invariant in `T`: which list an object is on, and where its links are, is said
/// by its type, and a subtype can say otherwise.
type Invariant<T> = PhantomData<fn(T) -> T>;

/// What ties an object to its list.
///
/// # Invariants
///
/// A zeroed `struct list_head`, unless the object is on one of the lists of [`Item::lru`] of the type
/// that it is part of.
#[repr(transparent)]
pub struct Links(Opaque<bindings::list_head>);

// SAFETY: The links are looked at and changed under the lock of their list.
unsafe impl Send for Links {}
// SAFETY: As above.
unsafe impl Sync for Links {}

impl Links {
    /// Links of an object that isn't on a list. They may be moved while it isn't.
    #[inline]
    pub fn new() -> Self {
        // INVARIANT: Zeroed.
        Self(Opaque::zeroed())
    }
}

impl Default for Links {
    fn default() -> Self {
        Self::new()
    }
}

/// A type whose objects can be on a [`ListLru`]. Implemented by [`impl_list_lru_item!`].
///
/// # Safety
///
/// - `links()`, `objcg()` and `lru()` must return the same always, and `from_links()` must undo
///   `links()`.
/// - The type's [`slab::Managed::before_drop`] must call [`ListLru::remove`] of `lru()`.
///
/// [`impl_list_lru_item!`]: crate::impl_list_lru_item
pub unsafe trait Item: slab::Managed + Send + Sync + 'static {
    /// The object's links.
    fn links(&self) -> &Links;

    /// The object that has these links.
    ///
    /// # Safety
    ///
    /// They must be some object's.
    unsafe fn from_links(links: *mut Links) -> *mut Self;

    /// What the object is charged to.
    fn objcg(&self) -> Option<&ObjCgroup>;

    /// The lists that objects of this type are on.
    fn lru() -> &'static ListLru<Self>
    where
        Self: Sized;
}

/// Says that objects of a type can be on the lists of a `static` [`ListLru`].
///
/// Takes the fields that are the object's [`Links`] and what knows the group that it is charged to:
/// its type must be [`HasObjCgroup`](crate::mm::memcontrol::HasObjCgroup).
///
/// ```ignore
/// impl_list_lru_item! {
///     impl Item for Entry { links: self.lru, charged: self.object, lru: LRU }
/// }
/// ```
#[macro_export]
macro_rules! impl_list_lru_item {
    (impl Item for $self:ty {
        links: self.$links:ident, charged: self.$charged:ident, lru: $lru:ident $(,)?
    }) => {
        // C is never told that the lists go.
        #[cfg(MODULE)]
        ::core::compile_error!("impl_list_lru_item! is for built-in code");

        // SAFETY: Which field is which and a `static` stay the same, and so does what an object is
        // charged to, as `HasObjCgroup` promises for a field that is only shared; `before_drop`
        // below does as it should.
        unsafe impl $crate::mm::list_lru::Item for $self {
            #[inline]
            fn links(&self) -> &$crate::mm::list_lru::Links {
                &self.$links
            }

            #[inline]
            unsafe fn from_links(links: *mut $crate::mm::list_lru::Links) -> *mut Self {
                // SAFETY: By the requirement of the trait.
                unsafe { $crate::container_of!(links, Self, $links) }
            }

            #[inline]
            fn objcg(&self) -> Option<&$crate::mm::memcontrol::ObjCgroup> {
                // Neither a pattern nor a call of a trait's function by its name dereferences: it
                // is the field itself.
                let Self {
                    $charged: charged, ..
                } = self;
                $crate::mm::memcontrol::HasObjCgroup::objcg(charged)
            }

            #[inline]
            fn lru() -> &'static $crate::mm::list_lru::ListLru<Self> {
                static THE: &$crate::mm::list_lru::ListLru<$self> = &$lru;
                THE
            }
        }

        impl $crate::slab::Managed for $self {
            #[inline]
            fn before_drop(object: $crate::slab::ObjectRef<'_, Self>) {
                $crate::mm::list_lru::ListLru::<Self>::remove(object);
            }
        }
    };
}

/// [`ListLru::state`]: nobody has called `init`.
const UNUSED: u32 = 0;
/// Somebody is in `init`, or it has failed.
const TAKEN: u32 = 1;
/// The lists can be used.
const READY: u32 = 2;

/// The lists of all objects of one type. To be a `static`.
///
/// # Invariants
///
/// - If `state` is `READY`, `lru` is an initialised `struct list_lru`, which knows about cgroups
///   and will never be destroyed. If it is `TAKEN`, one task has `lru` to itself.
/// - On its lists are [`Links`] of live [`slab::Object`]s of `T`, each on the list of the node that
///   it lies on and the cgroup that it is charged to.
///
/// # Examples
///
/// ```
/// use kernel::mm::{
///     list_lru::{Links, ListLru},
///     memalloc,
///     memcontrol::{ZswapCharged, ZswapObject},
/// };
/// # use kernel::{
/// #     alloc::NumaNode,
/// #     shrinker::{Request, Scanned, Shrink, Shrinker},
/// #     slab::Cache,
/// #     sync::SetOnce,
/// # };
/// #
/// # struct Bytes;
/// #
/// # // SAFETY: It is a constant.
/// # unsafe impl ZswapObject for Bytes {
/// #     fn bytes(&self) -> usize {
/// #         17
/// #     }
/// # }
/// #
/// # struct Pressure;
/// #
/// # impl Shrink for Pressure {
/// #     fn count(_request: &Request<'_>) -> usize {
/// #         0
/// #     }
/// #
/// #     fn scan(_request: &Request<'_>, _nr_to_scan: &mut usize) -> Scanned {
/// #         Scanned::Refused
/// #     }
/// # }
/// #
/// # static CACHE: SetOnce<Cache<Entry>> = SetOnce::new();
///
/// struct Entry {
///     links: Links,
///     object: ZswapCharged<Bytes>,
/// }
///
/// static LRU: ListLru<Entry> = ListLru::new();
///
/// kernel::impl_list_lru_item! {
///     impl Item for Entry { links: self.links, charged: self.object, lru: LRU }
/// }
///
/// # if CACHE.as_ref().is_none() {
/// #     // Once, and for when the test is run again.
/// #     CACHE.populate(Cache::new(c"rust_doctests_lru")?);
/// #     let shrinker = Shrinker::new::<Pressure>(c"rust_doctests")?;
/// LRU.init(&shrinker)?;
/// #     core::mem::forget(shrinker);
/// # }
/// # let cache = CACHE.as_ref().ok_or(ENOMEM)?;
/// # let links = Links::new();
/// # let object = memalloc::scope(|memalloc| ZswapCharged::new(Bytes, None, memalloc));
/// # let vacant = cache.alloc(GFP_KERNEL, NumaNode::NO_NODE)?;
/// let entry = vacant.write(Entry { links, object });
/// ListLru::add(entry.borrow(), &ListLru::prepare(None, GFP_KERNEL)?);
///
/// // No more than 8, from the least recently used on.
/// let nid = entry.borrow().nid();
/// let (mut nr_to_walk, mut bytes) = (8, 0);
/// ListLru::<Entry>::walk(nid, None, &mut nr_to_walk, |visit| {
///     bytes += visit.object().object.bytes();
///     visit.rotate()
/// });
/// assert_eq!((bytes, nr_to_walk), (17, 7));
///
/// drop(entry); // It leaves its list by itself.
/// assert_eq!(ListLru::<Entry>::count(nid, None), 0);
/// # Ok::<(), Error>(())
/// ```
pub struct ListLru<T> {
    lru: Opaque<bindings::list_lru>,
    state: Atomic<u32>,
    _p: Invariant<T>,
}

// SAFETY: A `struct list_lru` does its own locking, and has no thread; walks hand out `&T`, with
// `T: Sync` as of `Item`.
unsafe impl<T> Sync for ListLru<T> {}

impl<T: Item> ListLru<T> {
    /// Lists that can't be used yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        // INVARIANT: Unused.
        Self {
            lru: Opaque::uninit(),
            state: Atomic::new(UNUSED),
            _p: PhantomData,
        }
    }

    /// Makes the lists usable, on behalf of `shrinker`: it will be called when there is something
    /// on them. Can be done once, else fails with `EBUSY`. May sleep.
    ///
    /// Mirrors `list_lru_init_memcg()`.
    pub fn init(&'static self, shrinker: &Shrinker) -> Result {
        if self.state.cmpxchg(UNUSED, TAKEN, Acquire).is_err() {
            return Err(EBUSY);
        }
        // SAFETY: By the exchange `lru` is ours alone; it is part of a `static`, and doesn't move.
        // C wants it zeroed, keeps no more of the shrinker than its id, and doesn't destroy it.
        unsafe {
            self.lru.get().write_bytes(0, 1);
            to_result(bindings::list_lru_init_memcg(
                self.lru.get(),
                shrinker.as_raw(),
            ))?;
        }
        // INVARIANT: Initialised; release publishes that.
        self.state.store(READY, Release);
        Ok(())
    }

    /// The C lists, if they can be used.
    #[inline]
    fn ready(&self) -> Option<*mut bindings::list_lru> {
        (self.state.load(Acquire) == READY).then_some(self.lru.get())
    }

    /// Makes sure that objects which are charged to `objcg` can be put on their lists. May sleep.
    ///
    /// Fails with `ENODEV` if the lists can't be used yet, with `ENOMEM`. Mirrors
    /// `memcg_list_lru_alloc()`.
    pub fn prepare<'a>(
        objcg: Option<&'a ObjCgroup>,
        gfp: crate::alloc::Flags,
    ) -> Result<Prepared<'a, T>> {
        let lru = T::lru().ready().ok_or(ENODEV)?;
        if let Some(memcg) = objcg.and_then(ObjCgroup::memcg) {
            // SAFETY: `lru` is initialised, `memcg` is alive.
            to_result(unsafe {
                bindings::list_lru_alloc_memcg(MemCgroup::raw(Some(&memcg)), lru, gfp.as_raw())
            })?;
        }
        // INVARIANT: The group and its ancestors have lists now, if there is one.
        Ok(Prepared {
            objcg,
            _p: PhantomData,
        })
    }

    /// Calls `f` with the cgroup whose list `object` belongs on, kept for that long.
    #[inline]
    fn with_memcg(object: ObjectRef<'_, T>, f: impl FnOnce(*mut bindings::mem_cgroup)) {
        let rcu = rcu::read_lock();
        f(object
            .objcg()
            .map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu)));
    }

    /// Puts an object at the end of its list, the most recently used, unless it is on it.
    ///
    /// From here on others find the object by walking. An object that is charged to another group
    /// than was prepared stays off. Takes the list's lock, never sleeps. Mirrors `list_lru_add()`.
    #[inline(always)] // once for each page that is stored
    pub fn add(object: ObjectRef<'_, T>, prepared: &Prepared<'_, T>) {
        let group = |objcg: Option<&ObjCgroup>| objcg.map(core::ptr::from_ref);
        if crate::warn_on_once!(group(object.objcg()) != group(prepared.objcg)) {
            return;
        }
        Self::with_memcg(object, |memcg| {
            // SAFETY: `lru` is initialised, as `Prepared` says. The object is alive, and so are its
            // links; before it is dropped, `before_drop` takes it off. Its node is one that has
            // memory. Its group has a list, by the invariant of `Prepared`; if it has died since,
            // its parent has, which has taken over its objects, as the group itself gets no list
            // any more. So `remove` will find the list that this one is put on. RCU keeps the group.
            unsafe {
                bindings::list_lru_add_zeroed(
                    T::lru().lru.get(),
                    object.links().0.get(),
                    object.nid().as_raw(),
                    memcg,
                )
            };
        });
    }

    /// Takes an object off its list, if it is on it. For [`slab::Managed::before_drop`].
    ///
    /// Waits for a walk that is looking at the object. Takes the list's lock, never sleeps. For an
    /// object of a cgroup that nothing was ever prepared for, C warns that there is no list.
    #[inline]
    pub fn remove(object: ObjectRef<'_, T>) {
        let Some(lru) = T::lru().ready() else { return };
        Self::with_memcg(object, |memcg| {
            // SAFETY: As in `add`. If the object was never added, its links are zeroed, and it
            // doesn't matter which list is locked.
            unsafe {
                bindings::list_lru_del_zeroed(
                    lru,
                    object.links().0.get(),
                    object.nid().as_raw(),
                    memcg,
                )
            };
        });
    }

    /// How many objects are on the list of a node and cgroup. Takes no lock.
    ///
    /// Mirrors `list_lru_count_one()`.
    pub fn count(nid: NumaNode, memcg: Option<&MemCgroup>) -> usize {
        let Some((lru, nid)) = Self::list_of(nid) else {
            return 0;
        };
        // SAFETY: `lru` is initialised for the node; `memcg` is alive.
        unsafe { bindings::list_lru_count_one(lru, nid, MemCgroup::raw(memcg)) }
    }

    /// The C lists and a node that they have lists for.
    fn list_of(nid: NumaNode) -> Option<(*mut bindings::list_lru, c_int)> {
        // By the invariant of `NumaNode`: each node that there can be has lists.
        (nid != NumaNode::NO_NODE).then_some((T::lru().ready()?, nid.as_raw()))
    }

    /// Walks the list of a node and cgroup from its head, the least recently used, over no more
    /// than `nr_to_walk` objects, and takes as many off `nr_to_walk`.
    ///
    /// For each calls `f`, with the list's lock held: `f` must not sleep before it drops the lock.
    /// Mirrors `list_lru_walk_one()`.
    pub fn walk<F>(nid: NumaNode, memcg: Option<&MemCgroup>, nr_to_walk: &mut usize, mut f: F)
    where
        F: for<'v> FnMut(Visit<'v, T>) -> Next<'v>,
    {
        let Some((lru, nid)) = Self::list_of(nid) else {
            return;
        };
        // SAFETY: `lru` is initialised for the node, `memcg` alive. `visit` gets `f` and objects
        // that are on the list; the number is one that C may count down.
        unsafe {
            bindings::list_lru_walk_one(
                lru,
                nid,
                MemCgroup::raw(memcg),
                Some(visit::<T, F>),
                (&raw mut f).cast(),
                nr_to_walk,
            )
        };
    }
}

/// Says that objects which are charged to a group can be put on their lists.
///
/// # Invariants
///
/// `T::lru()` is initialised. If `objcg` stands for a group, that one and its ancestors have lists
/// in it.
pub struct Prepared<'a, T> {
    objcg: Option<&'a ObjCgroup>,
    _p: Invariant<T>,
}

impl<'a, T> Prepared<'a, T> {
    /// What objects are to be charged to.
    #[inline]
    pub fn objcg(&self) -> Option<&'a ObjCgroup> {
        self.objcg
    }
}

/// # Safety
///
/// Only for `list_lru_walk_one()` as called by [`ListLru::walk`], with its `f`.
unsafe extern "C" fn visit<T: Item, F: for<'v> FnMut(Visit<'v, T>) -> Next<'v>>(
    links: *mut bindings::list_head,
    list: *mut bindings::list_lru_one,
    f: *mut c_void,
) -> bindings::lru_status {
    // SAFETY: `walk` lends its closure to C for the call, which comes back here only.
    let f = unsafe { &mut *f.cast::<F>() };
    // INVARIANT: `list` is locked, and `links` is on it.
    f(Visit {
        links,
        list,
        _object: PhantomData,
        _visit: PhantomData,
        _not_send: NotThreadSafe,
    })
    .status
}

/// Ties what a visit ends with to that visit: neither longer nor shorter.
type Brand<'v> = PhantomData<fn(&'v ()) -> &'v ()>;

/// An object that a walk has come to. The list's lock is held: it can't be destroyed.
///
/// # Invariants
///
/// `list` is locked by us, `links` are those of an object of `T` and on it.
#[must_use = "a walk wants to know what to do next"]
pub struct Visit<'v, T: Item> {
    links: *mut bindings::list_head,
    list: *mut bindings::list_lru_one,
    _object: PhantomData<(&'v T, Invariant<T>)>,
    _visit: Brand<'v>,
    _not_send: NotThreadSafe,
}

/// What a walk is to do after the visit `'v`. Whether that one has dropped the lock is part of it.
///
/// `LRU_REMOVED` isn't among the answers: an object leaves the list when it is destroyed.
pub struct Next<'v> {
    status: bindings::lru_status,
    _visit: Brand<'v>,
    _not_send: NotThreadSafe,
}

impl Next<'_> {
    fn new(status: bindings::lru_status) -> Self {
        Self {
            status,
            _visit: PhantomData,
            _not_send: NotThreadSafe,
        }
    }
}

impl<'v, T: Item> Visit<'v, T> {
    /// The object, for as long as the lock is held.
    pub fn object(&self) -> &T {
        // SAFETY: By the type invariant it is on the list. Before it is dropped it is taken off,
        // which takes the lock that we hold; others have shared references at most.
        unsafe { &*T::from_links(self.links.cast()) }
    }

    /// Moves the object to the end of the list, and goes on to the next.
    pub fn rotate(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_ROTATE)
    }

    /// Moves the object to the end of the list and drops the lock. The object may be gone then.
    pub fn rotate_and_unlock(self) -> Unlocked<'v> {
        // SAFETY: By the type invariant the list is locked by us and the object on it.
        unsafe {
            bindings::list_move_tail(self.links, &raw mut (*self.list).list);
            bindings::spin_unlock(&raw mut (*self.list).lock);
        }
        Unlocked(PhantomData, NotThreadSafe)
    }
}

/// Says that the visit `'v` has dropped the lock. It isn't to be taken again: C starts anew.
#[must_use = "a walk wants to know what to do next"]
pub struct Unlocked<'v>(Brand<'v>, NotThreadSafe);

impl<'v> Unlocked<'v> {
    /// Goes on with what is at the head of the list then.
    pub fn restart(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_RETRY)
    }

    /// Ends the walk.
    pub fn stop(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_STOP)
    }
}
