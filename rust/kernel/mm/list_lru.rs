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
    mm::{
        memalloc::Memalloc,
        memcontrol::{
            self,
            HasObjCgroup,
            MemCgroup,
            ObjCgroup,
            ZswapCharged,
            ZswapObject, //
        },
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
        ForeignOwnable,
        NotThreadSafe,
        Opaque, //
    },
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};

/// Makes what has it invariant in `T`: which list an object is on, and where its links are, is said
/// by its type, and a subtype can say otherwise.
type Invariant<T> = PhantomData<fn(T) -> T>;

/// What ties an object to its list.
///
/// # Invariants
///
/// A zeroed `struct list_head`, unless the object is on one of the lists of [`Item::lru`] of the type
/// that it is part of, or in a [`Batch`] of that type.
#[repr(transparent)]
pub struct Links(Opaque<bindings::list_head>);

// SAFETY: The links are looked at and changed under the lock of their list.
unsafe impl Send for Links {}
// SAFETY: A shared reference gives no access to them but to `ListLru`, which looks at them and changes them
// under the lock of their list.
unsafe impl Sync for Links {}

impl Links {
    /// Links of an object that isn't on a list. They may be moved while it isn't.
    #[inline]
    pub fn new() -> Self {
        // INVARIANT: Zeroed.
        Self(Opaque::zeroed())
    }

    /// Whether the object, which is the caller's, is on a list: nobody else puts it there or takes it off.
    /// (A walk may move it.)
    #[inline]
    fn are_in_use(&self) -> bool {
        // As `list_empty()` has it, by READ_ONCE().
        // SAFETY: It is part of `self`. A walk that moves the object writes other pointers to it.
        !unsafe { (&raw const (*self.0.get()).next).read_volatile() }.is_null()
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
/// - `links()`, `charged()`, `charged_mut()` and `lru()` must return the same always. `raw_links()` must
///   return what `links()` does, and `from_links()` must undo both.
/// - The type's [`slab::Managed::before_drop`] must call [`ListLru::remove`] of `lru()`.
///
/// [`impl_list_lru_item!`]: crate::impl_list_lru_item
pub unsafe trait Item: slab::Managed + Send + Sync + 'static {
    /// The object's links.
    fn links(&self) -> &Links;

    /// The links of an object, by a pointer that is good for all of it.
    ///
    /// # Safety
    ///
    /// `object` must be alive.
    unsafe fn raw_links(object: *mut Self) -> *mut Links;

    /// The object that has these links.
    ///
    /// # Safety
    ///
    /// They must be some object's. To use the result for anything but the links, `links` must come from
    /// `raw_links()`: a pointer made of a `&Links` is good for the links alone.
    unsafe fn from_links(links: *mut Links) -> *mut Self;

    /// What of the object is charged to a group.
    type Charged: HasObjCgroup;

    /// It.
    fn charged(&self) -> &Self::Charged;

    /// It, of an object that nobody else looks at.
    fn charged_mut(&mut self) -> &mut Self::Charged;

    /// The group that the object is charged to.
    #[inline]
    fn objcg(&self) -> Option<&ObjCgroup> {
        self.charged().objcg()
    }

    /// The lists that objects of this type are on.
    fn lru() -> &'static ListLru<Self>
    where
        Self: Sized;
}

/// Says that objects of a type can be on the lists of a `static` [`ListLru`].
///
/// Takes the fields that are the object's [`Links`] and what knows the group that it is charged to, with
/// its type, which must be [`HasObjCgroup`](crate::mm::memcontrol::HasObjCgroup).
///
/// ```ignore
/// impl_list_lru_item! {
///     impl Item for Entry { links: self.lru, charged: self.object: ZswapCharged<Object>, lru: LRU }
/// }
/// ```
#[macro_export]
macro_rules! impl_list_lru_item {
    (impl Item for $self:ty {
        links: self.$links:ident, charged: self.$charged:ident: $of:ty, lru: $lru:ident $(,)?
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
            unsafe fn raw_links(object: *mut Self) -> *mut $crate::mm::list_lru::Links {
                // SAFETY: The object is alive, as the trait requires of the caller.
                unsafe { &raw mut (*object).$links }
            }

            #[inline]
            unsafe fn from_links(links: *mut $crate::mm::list_lru::Links) -> *mut Self {
                // SAFETY: The trait requires of the caller that they are this field of an object.
                unsafe { $crate::container_of!(links, Self, $links) }
            }

            type Charged = $of;

            // Neither a pattern nor what makes a pointer dereferences: it is the field itself.
            #[inline]
            fn charged(&self) -> &$of {
                let Self {
                    $charged: charged, ..
                } = self;
                let charged: *const $of = charged;
                // SAFETY: Made from a reference just now.
                unsafe { &*charged }
            }

            #[inline]
            fn charged_mut(&mut self) -> &mut $of {
                let Self {
                    $charged: charged, ..
                } = self;
                let charged: *mut $of = charged;
                // SAFETY: Made from a reference just now.
                unsafe { &mut *charged }
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
///     list_lru::{Batch, Links, ListLru},
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
///     impl Item for Entry { links: self.links, charged: self.object: ZswapCharged<Bytes>, lru: LRU }
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
/// # let (links, object) = (Links::new(), ZswapCharged::new(Bytes));
/// # let vacant = cache.alloc(GFP_KERNEL, NumaNode::NO_NODE)?;
/// let mut batch = Batch::new();
/// batch.push(vacant.write(Entry { links, object }));
/// let lists = ListLru::prepare(None, GFP_KERNEL)?;
/// let charged = memalloc::scope(|memalloc| batch.charge(&lists, memalloc));
/// // Now `Slots::publish()`: the owner of the slots is the owner of the objects.
/// assert_eq!(charged.len(), 1);
///
/// // No more than 8, from the least recently used on.
/// let node = NumaNode::new(0)?;
/// let (mut nr_to_walk, mut bytes) = (8, 0);
/// ListLru::<Entry>::walk(node, None, &mut nr_to_walk, |visit| {
///     bytes += visit.object().object.bytes();
///     visit.rotate()
/// });
/// assert_eq!((bytes, nr_to_walk), (0, 8)); // They aren't published yet.
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

    /// Puts the objects of a chain at the end of their lists, the most recently used, in order. From
    /// here on walks find them. Takes a list's lock once, or as often as the node changes; never sleeps.
    ///
    /// Mirrors `list_lru_add()` of each.
    ///
    /// # Safety
    ///
    /// `chain` must be the `next`-linked links of `nr` objects, at least one, from [`Item::raw_links`], which are
    /// charged to `objcg`, for which the lists were prepared. Their owner must keep them until this returns.
    #[inline]
    unsafe fn add_chain(chain: *mut bindings::list_head, nr: usize, objcg: Option<&ObjCgroup>) {
        let lru = T::lru().lru.get();
        let nid_of = |links: *mut bindings::list_head| {
            // SAFETY: The chain has the links of objects, from `raw_links()`; `links` are those of one that is
            // alive, in a slab cache, and so on a node that has memory.
            unsafe { slab::nid_of(T::from_links(links.cast())) }
        };
        let rcu = rcu::read_lock();
        let (mut links, mut left) = (chain, nr);
        while left != 0 {
            let nid = nid_of(links);
            let mut memcg = objcg.map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu));
            // SAFETY: `lru` is initialised, as the caller has seen that it was prepared for the group. The
            // group has a list; if it has died since, its parent has, which has taken over its objects,
            // as the group itself gets no list any more. So `remove` will find the list that this one
            // is. RCU keeps the group.
            let list = unsafe { bindings::list_lru_lock(lru, nid.as_raw(), &mut memcg) };
            loop {
                // SAFETY: There are `left` objects of the `nr` in the chain from `links` on, none
                // of which is on a list: C wants links that say so. The list is locked, and is the one
                // that C says it is, of the object's node. Before the object is dropped, `before_drop`
                // takes it off.
                unsafe {
                    let next = (*links).next;
                    bindings::INIT_LIST_HEAD(links);
                    bindings::__list_lru_add(lru, list, links, nid.as_raw(), memcg);
                    links = next;
                }
                left = left.wrapping_sub(1);
                if left == 0 || nid_of(links) != nid {
                    break;
                }
            }
            // SAFETY: Locked above.
            unsafe { bindings::list_lru_unlock(list) };
        }
    }

    /// Takes an object off its list, if it is on it. For [`slab::Managed::before_drop`].
    ///
    /// Waits for a walk that is looking at the object: called from within one, it deadlocks. Takes the list's
    /// lock, never sleeps. For an object of a cgroup that nothing was ever prepared for, C warns that there is
    /// no list.
    ///
    /// Any holder of a reference to an object may take it off its list: no walk finds it to write it back then,
    /// and it stays until its slot is emptied. No memory is lost or freed early.
    #[inline]
    pub fn remove(object: ObjectRef<'_, T>) {
        // An object is put on a list once, by the publisher of its slot, who lends it to nobody before that. So
        // links that aren't in use stay so while the caller has it. Links that are in use may be of an object
        // that another caller takes off right now: C looks again under the lock.
        if !object.links().are_in_use() {
            return;
        }
        let Some(lru) = T::lru().ready() else { return };
        Self::with_memcg(object, |memcg| {
            // SAFETY: As in `add_chain`: `lru` is initialised, and the group, which RCU keeps, or its
            // parent has the list that the object was put on. C looks at the links again under its lock.
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

    /// Takes objects off their lists: under one hold of the lock for those that follow one another on one
    /// list. Otherwise as [`ListLru::remove`] of each.
    ///
    /// # Safety
    ///
    /// The caller must have the slots of the objects to itself, by a witness.
    #[inline]
    pub(crate) unsafe fn remove_all<'a>(objects: impl Iterator<Item = ObjectRef<'a, T>>)
    where
        T: 'a,
    {
        let Some(lru) = T::lru().ready() else { return };
        let rcu = rcu::read_lock();
        // Of the list that is locked: whose it is, and the list.
        let mut of = (NumaNode::NO_NODE, None);
        let mut list: *mut bindings::list_lru_one = core::ptr::null_mut();
        for object in objects {
            let links = object.links();
            if !links.are_in_use() {
                continue;
            }
            let its = (object.nid(), object.objcg().map(core::ptr::from_ref));
            if list.is_null() || its != of {
                if !list.is_null() {
                    // SAFETY: Locked below.
                    unsafe { bindings::list_lru_unlock(list) };
                }
                of = its;
                let objcg = object.objcg();
                let mut memcg = objcg.map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu));
                // SAFETY: `lru` is initialised, and RCU keeps the group. The object is on a list, so that
                // the group has one, or its parent, if it has died.
                list = unsafe { bindings::list_lru_lock(lru, its.0.as_raw(), &mut memcg) };
            }
            let links = links.0.get();
            // SAFETY: The object is alive, and the list that it is on locked. Links that are in use and of no
            // `Batch`, whose objects are lent to nobody, are on a list. The caller has the slot of each object to
            // itself, and so is the only one that takes them off: another could do so by `remove` only, with a
            // witness for the slot, or in a walk, which calls with this list locked.
            // INVARIANT: Off the list, and zeroed.
            unsafe {
                bindings::__list_lru_del(lru, list, links, its.0.as_raw());
                links.write_bytes(0, 1);
            }
        }
        if !list.is_null() {
            // SAFETY: Locked above.
            unsafe { bindings::list_lru_unlock(list) };
        }
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
    /// For each calls `f`, with the list's lock held: `f` must not sleep before it drops the lock, nor call what
    /// takes the lock of a list: another walk, [`ListLru::remove`], dropping an object, `publish()` of
    /// [`Slots`](crate::mm::swap_slots::Slots). That deadlocks, as types don't say which locks are held; without
    /// `CONFIG_SMP` it takes the lock a second time, and dropping the object of the visit is a use after free.
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

/// Objects that are to be charged and published together, in order: owned, and on no list. Each has a
/// position, and a position has one object at most.
///
/// # Invariants
///
/// The links of objects, from [`Item::raw_links`], are chained by their `next`, from `first` to `last`; both
/// are null if there is none. The objects are ours, and on no list. Unless `len` is `u32::MAX`, their `prev`
/// are their positions, each above the one before, and below `len`; `gaps` positions have none.
pub struct Batch<T: Item> {
    first: *mut bindings::list_head,
    last: *mut bindings::list_head,
    len: u32,
    gaps: u32,
    _p: PhantomData<(slab::Object<T>, Invariant<T>)>,
}

impl<T: Item> Batch<T> {
    /// No objects.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self {
            first: core::ptr::null_mut(),
            last: core::ptr::null_mut(),
            len: 0,
            gaps: 0,
            _p: PhantomData,
        }
    }

    /// How many positions there are: the next object's.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Leaves the positions before `len` without an object, which have none yet.
    #[inline]
    pub fn skip_to(&mut self, len: usize) {
        if len > self.len() {
            let len = u32::try_from(len).unwrap_or(u32::MAX);
            self.gaps = self.gaps.wrapping_add(len.wrapping_sub(self.len));
            self.len = len;
        }
    }

    /// Takes an object in, at the next position. If it is on a list it leaves that.
    #[inline]
    pub fn push(&mut self, object: slab::Object<T>) {
        // Nobody else looks at it after this.
        T::before_drop(object.borrow());
        // SAFETY: The object is alive. (Not by a reference to its links: the object is reached from these.)
        let links = unsafe { T::raw_links(object.as_ptr().as_ptr()) }.cast::<bindings::list_head>();
        core::mem::forget(object);
        // SAFETY: The object is ours, and off any list: nobody else looks at its links. `last`, if it isn't
        // null, is the links of an object of ours, by the type invariant.
        unsafe {
            (*links).next = core::ptr::null_mut();
            (*links).prev = core::ptr::without_provenance_mut(self.len());
            if self.last.is_null() {
                self.first = links;
            } else {
                (*self.last).next = links;
            }
        }
        // INVARIANT: The object is chained behind the last, and ours. `len` is above its position, which was
        // above the others'.
        self.last = links;
        self.len = self.len.saturating_add(1);
    }

    /// How many positions have no object, or none any more.
    #[inline]
    pub(crate) fn gaps(&self) -> usize {
        self.gaps as usize
    }

    /// The positions of the objects, in order.
    #[inline]
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> + use<'_, T> {
        let mut links = self.first;
        core::iter::from_fn(move || {
            // SAFETY: By the type invariant, what isn't null are the links of an object of ours.
            let object = unsafe { links.as_ref() }?;
            links = object.next;
            Some(object.prev.addr())
        })
    }

    /// How many objects have positions below `end`. Apart for the caller's stack.
    #[cold]
    #[inline(never)]
    pub(crate) fn count_before(&self, end: usize) -> usize {
        let before = self.positions().take_while(|&at| at < end);
        before.fold(0, |nr: usize, _| nr.wrapping_add(1))
    }

    /// Charges all of them to the group that `prepared` is for, at once. May sleep.
    #[inline]
    pub fn charge<'a, O: ZswapObject>(
        &'a mut self,
        prepared: &Prepared<'a, T>,
        memalloc: &Memalloc,
    ) -> Charged<'a, T>
    where
        T: Item<Charged = ZswapCharged<O>>,
    {
        let mut links = self.first;
        let objects = core::iter::from_fn(|| {
            if links.is_null() {
                return None;
            }
            // SAFETY: By the type invariant these are the links of an object of ours. Nobody else looks at
            // it; each is lent once, and what is lent isn't its links.
            unsafe {
                let object = T::from_links(links.cast());
                links = (*links).next;
                Some((*object).charged_mut())
            }
        });
        memcontrol::charge_all(prepared.objcg, objects, memalloc);
        // INVARIANT: Just charged; that the lists are there is said by `prepared`.
        Charged {
            batch: self,
            objcg: prepared.objcg,
        }
    }

    /// Takes the first object out.
    fn pop(&mut self) -> Option<slab::Object<T>> {
        let links = NonNull::new(self.first)?;
        // SAFETY: By the type invariant these are the links of an object of ours, which is handed over.
        // INVARIANT: The chain begins with the next. The links of the object, which is no longer in it, are
        // zeroed.
        unsafe {
            self.first = links.as_ref().next;
            if self.first.is_null() {
                self.last = core::ptr::null_mut();
            }
            links.as_ptr().write_bytes(0, 1);
            Some(slab::Object::from_foreign(
                T::from_links(links.as_ptr().cast()).cast(),
            ))
        }
    }
}

impl<T: Item> Drop for Batch<T> {
    #[inline]
    fn drop(&mut self) {
        while let Some(object) = self.pop() {
            drop(object);
        }
    }
}

/// A [`Batch`] whose objects are charged, and can be put on their lists. Those that aren't stay in the batch.
///
/// # Invariants
///
/// Every object of `batch` is charged to `objcg`, for which the lists are prepared as [`Prepared`] says.
pub struct Charged<'a, T: Item> {
    batch: &'a mut Batch<T>,
    objcg: Option<&'a ObjCgroup>,
}

impl<T: Item> Charged<'_, T> {
    /// How many positions there are.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// The batch, with what is left in it.
    #[inline]
    pub(crate) fn batch(&self) -> &Batch<T> {
        self.batch
    }

    /// Hands the first `nr` objects to `f`, with their positions, in order, and then puts them on their
    /// lists.
    ///
    /// # Safety
    ///
    /// There must be as many objects, and at least one. `f` must take the object over, whose owner must
    /// keep it until this returns.
    #[inline]
    pub(crate) unsafe fn publish(&mut self, nr: usize, mut f: impl FnMut(usize, NonNull<T>)) {
        // INVARIANT: The positions of those that are handed over have none any more.
        self.batch.gaps = self.batch.gaps.wrapping_add(nr as u32);
        let chain = self.batch.first;
        let mut links = chain;
        for _ in 0..nr {
            // SAFETY: The batch has `nr` objects, and by its invariant these are the links of the next.
            unsafe {
                let (position, next) = ((*links).prev.addr(), (*links).next);
                f(
                    position,
                    NonNull::new_unchecked(T::from_links(links.cast())),
                );
                links = next;
            }
        }
        // INVARIANT: The chain begins after the last object that is no longer ours.
        self.batch.first = links;
        if links.is_null() {
            self.batch.last = links;
        }
        crate::race_point!("store:before_lru_add");
        // SAFETY: By our requirement, and the type invariant.
        unsafe { ListLru::<T>::add_chain(chain, nr, self.objcg) };
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
/// `list` is locked by us, `links` are those of an object of `T`, from [`Item::raw_links`], and on it.
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
