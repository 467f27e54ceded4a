// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that the types don't exclude: they compile. Each says what it leads to: nothing,
// memory held, a deadlock, lost data, memory unsafety.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::{self, forget, swap, MaybeUninit};
use kernel::{
    alloc::{flags::GFP_KERNEL, AllocError, NumaNode},
    bindings::folio,
    cpu::CpuId,
    cpuhotplug::{Instance, Prepare, Slot, State},
    crypto::acompress::Compressor,
    mm::{
        folio::{CachedFolio, Folio, FolioPage},
        list_lru::{Batch, Charged, Item, ListLru, Next, Prepared},
        memcontrol::{Cursor, LruVec, MemCgroup, ObjCgroup, ZswapCharged, ZswapObject},
        mempolicy::VmaPolicy,
        swap::{Abandoned, Added, Completed, NewFolio, Reads, SwapDevice, ZeroMarked},
        swap_cache::{Entered, FreshFolio, Pinned, Splittable},
        swap_slots::{
            Cleared, DeadDevice, FilledSlots, FreedSlots, Kept, Leaves, Listed, Occupied,
            Published, Slots,
        },
        swapops::SwapEntry,
        zsmalloc::Pool,
    },
    module_param::runtime::{ParamLock, Text},
    percpu::PerCpu,
    shrinker::Shrinker,
    slab::{self, Cache, Managed, Vacant, Vacants},
    sync::{
        aref::ARef,
        atomic::ordering::Relaxed,
        generations::{Detached, Generation, Generations, Ref, *},
        rcu, Mutex, SetOnce, SpinLock,
    },
    types::ForeignOwnable,
    xarray::XArray,
};
use pin_init::Wrapper;

include!("fill.in");

// Two witnesses of one lifetime can be swapped: each still is valid for its own folio, from which
// its slots are found. Swapped Reads are both submitted.
pub mod evidence_swapped {
    use super::*;

    pub fn folios<'f>(one: &mut CachedFolio<'f>, other: &mut CachedFolio<'f>) {
        swap(one, other);
    }

    pub fn reads() {
        Reads::together(|one| Reads::together(|other| swap(one, other)));
    }
}

// Allocation flags that nobody has named: the complement of some. C's allocators warn of what they
// don't support, and return memory as large as was requested, or none.
pub mod flags_of_any_bits {
    use super::*;

    pub fn complement() -> Result<KBox<u64>, AllocError> {
        KBox::new(7, !GFP_NOWAIT)
    }
}

// A witness that owns nothing: forgetting it has no effect, nor has dropping it. A witness that is
// only lent to a closure (View, ParamLock, Reads, Uncharges, and what NewFolio and UnreadFolio lend) can't be
// forgotten: see view_forgotten. A caller that forgets a Visit or an Unlocked has no Next to end
// the callback with: see visit_without_end.
pub mod forget_evidence {
    use super::*;

    pub fn cached(folio: CachedFolio<'_>, pinned: Pinned<'_, '_>, contents: Contents<'_>) {
        forget((folio, pinned, contents));
    }

    pub fn slots<T: Kept>(slots: Slots<'_, '_, T>, slot: Occupied<'_, T>) {
        forget((slots, slot));
    }

    pub fn freed<T: Kept>(freed: FreedSlots<'_, T>, filled: FilledSlots<'_, T>) {
        forget((freed, filled));
    }

    pub fn results<T: Kept>(filled: Filled<'_>, cleared: Cleared<'_, T>) {
        forget((filled, cleared));
    }

    pub fn others<T: Item>(
        device: DeadDevice<'_>,
        ends: (Completed<'_>, Abandoned<'_>, Next<'_>),
        lists: Prepared<'_, T>,
    ) {
        forget((device, ends, lists));
    }
}

// Harmless: requests in flight have no handle. Nothing is in flight when the lanes are
// forgotten, and they stay as they were.
pub mod forget_lanes {
    use super::*;

    pub fn forgotten<'p>(compressor: &mut Compressor, pages: &[FolioPage<'p>]) -> Result {
        mem::forget(compressor.lanes());
        match compressor.lanes() {
            Some(mut lanes) => lanes.compress_each(pages.iter().copied(), |page, compressed| {
                let _ = (page, compressed?);
                Ok(())
            }),
            None => Ok(()),
        }
    }
}

// A folio whose lock is forgotten stays locked, in the swap cache and with its references: it isn't
// freed, nor are its slots, nor is its device removed. Tasks that need the page wait forever, as
// does swapoff; no task reads another's data. (docs/races.md: 2 is such a bug in C.) Forgetting a
// folio that is being loaded isn't enough to end zswap_load(): the policy would have to return an
// outcome, and can't: see load_made_up.
pub mod forget_locks {
    use super::*;

    use kernel::mm::swap_cache::Charged;

    pub fn loading(folio: UnreadFolio<'_>) {
        forget(folio);
    }

    pub fn new(folio: NewFolio) {
        forget(folio);
    }

    pub fn writing_back(folio: WritebackFolio, zero: ZeroMarked) {
        forget((folio, zero));
    }

    pub fn handed_to_c(new: NewFolio) -> *mut folio {
        new.into_c_locked()
    }

    pub fn steps(entered: Entered<'_>, charged: Charged<'_>, splittable: Splittable<'_>) {
        forget((entered, charged, splittable));
    }
}

// Forgotten memory is leaked, and its contents stay valid: an entry is still on its
// list, where a walk finds it alive; one in a batch is on none, and never will be; its object keeps its pool, its charge the cgroup's
// counters. An instance that hotplug calls owns its memory, which is leaked with it.
// A shrinker that isn't registered is never called, and a state
// that is forgotten stays registered.
pub mod forget_memory {
    use super::*;

    pub fn entries<T: Item>(entry: slab::Object<T>, vacant: Vacant<T>, cache: Cache<T>) {
        forget((entry, vacant, cache));
    }

    pub fn together<T: Item>(entries: Batch<T>, charged: Charged<'_, T>, vacants: Vacants<T>) {
        forget((entries, charged, vacants));
    }

    pub fn leaves<T: Kept>(leaves: Leaves<T>) {
        forget(leaves);
    }

    pub fn objects<P: HasPool, O: ZswapObject>(object: Object<P>, charged: ZswapCharged<O>) {
        forget((object, charged));
    }

    pub fn instances<T: Prepare>(instance: Instance<T>, state: State<T>) {
        forget((instance, state));
    }

    pub fn others(pool: Pool, cpus: PerCpu<u32>, compressor: Compressor, shrinker: Shrinker) {
        forget((pool, cpus, compressor, shrinker));
    }
}

// The kernel crate's own guards. An RCU read section that never ends frees nothing: waits for
// readers never end, and are reported (stalls). A lock that is never released blocks its waiters;
// the data that it protects isn't accessed.
pub mod forget_rcu {
    use super::*;

    pub fn section() {
        forget(rcu::read_lock());
    }

    pub fn locks(mutex: Pin<&Mutex<u32>>, lock: Pin<&SpinLock<u32>>) {
        forget(mutex.lock());
        forget(lock.lock());
    }
}

// A forgotten reference pins its object: a device against swapoff, which waits; a pool,
// a cgroup, a folio, a policy against being freed, as long as the machine runs. A pool
// that is forgotten before it was added to its list is on none, and has a reference: it
// is never found, and never freed.
pub mod forget_references {
    use super::*;

    pub fn device(device: SwapDevice) {
        forget(device);
    }

    pub fn pools<T: Send + Sync>(pool: Ref<T>, detached: Detached<T>) {
        forget((pool, detached));
    }

    pub fn groups(memcg: ARef<MemCgroup>, objcg: ARef<ObjCgroup>, cursor: Cursor) {
        forget((memcg, objcg, cursor));
    }

    pub fn folios(folio: ARef<Folio>, fresh: FreshFolio, policy: VmaPolicy<'_>) {
        forget((folio, fresh, policy));
    }
}

// An instance is put where it isn't dropped: it is forgotten, and its memory, which is its own, stays.
pub mod instance_pinned_in_place {
    use super::*;

    pub fn in_place<T: Prepare>(state: &'static State<T>, inner: T) -> Result {
        let init = MaybeUninit::<Instance<T>>::pin_init(Instance::new(state, inner));
        drop(KBox::pin_init(init, GFP_KERNEL)?);
        Ok(())
    }
}

// A callback for a CPU that comes up adds another instance: the task waits for cpu_hotplug_lock, which
// it holds. No instance is used half made.
pub mod instance_while_preparing {
    use super::*;

    static STATE: SetOnce<State<Nested>> = SetOnce::new();

    pub struct Nested;

    impl Prepare for Nested {
        const SLOT: Slot = Slot::PrepareDyn;

        fn prepare(&self, _: CpuId) -> Result {
            Instance::new(STATE.as_ref().ok_or(EINVAL)?, Nested).map(drop)
        }
    }
}

// Lost data, and not excluded: a folio is filled from an object other than that of the entry of
// its slot. The brand ties the filled contents to the folio; the policy chooses the source. Tests
// in the kernel compare every page.
pub mod load_of_another {
    use super::*;

    pub fn fill_from<'a, P: HasPool>(folio: UnreadFolio<'a>, other: &Stored<P>) -> Load<'a, Note> {
        folio.load_exclusively::<Note>(|_, contents| fill(other, contents))
    }

    pub fn write_from<P: HasPool>(folio: WritebackFolio, other: &Stored<P>) -> Result {
        folio
            .write::<Note>(|_, contents| fill(other, contents))
            .map_err(|(_, error)| error)
    }
}

// A deadlock, not excluded: code takes a lock that its task holds. Types don't say which locks are held; lockdep
// reports it. (Without CONFIG_SMP a spin lock is no lock: see locks_of_one_cpu.)
pub mod lock_twice {
    use super::*;

    pub fn list<T: Item>(nid: NumaNode) {
        ListLru::<T>::walk(nid, None, &mut 1, |visit| {
            ListLru::<T>::walk(nid, None, &mut 1, |visit| visit.rotate());
            visit.rotate()
        });
    }

    pub fn tree<T: ForeignOwnable>(tree: &XArray<T>, value: T) {
        let _guard = tree.lock();
        let _ = tree.insert(0, value, GFP_NOWAIT);
    }

    pub fn cluster<T: Kept>(filled: FilledSlots<'_, T>, device: &SwapDevice) {
        filled.take_each(|_| drop(device.add_folio(GFP_NOWAIT)));
    }
}

// Memory unsafety, not excluded, in kernels without CONFIG_SMP: there a spin lock doesn't exclude code that runs
// in its own section. That is so for the kernel crate's SpinLock, too. CONFIG_DEBUG_SPINLOCK reports it. With SMP
// these programs deadlock. A pool is taken off its list twice; an object is freed that a walk is looking at.
pub mod locks_of_one_cpu {
    use super::*;

    use kernel::slab::Object;

    pub fn pool<T: Generation>(list: &'static Generations<T>) -> [Option<Detached<T>>; 2] {
        let inner = core::cell::Cell::new(None);
        let outer = list.take_retired(|_| {
            inner.set(list.take_retired(|_| true));
            true
        });
        [outer, inner.take()]
    }

    // As take_each(), Slots::clear() hands out objects that are still on their lists.
    pub fn object<T: Listed>(filled: FilledSlots<'_, T>, nid: NumaNode, look: impl Fn(&T)) {
        filled.take_each(|object: Object<T>| {
            let mut object = Some(object);
            ListLru::<T>::walk(nid, None, &mut 1, |visit| {
                let seen = visit.object();
                drop(object.take());
                look(seen);
                visit.rotate()
            });
        });
    }
}

// Memory is held, not excluded: a slot gets the zero mark by the view of another type than zswap's, which drops
// only the objects of its own type. zswap's entry stays behind the mark: C reads zeroes there, and doesn't ask zswap.
// The entry is dropped when the slot is stored again or freed, or when its writeback finds the mark.
pub mod mark_of_another {
    use super::*;

    pub fn mark(folio: &mut CachedFolio<'_>) {
        folio.slots::<Note>().mark_zeroes(0..1);
    }
}

// A folio that was added is dropped unread, on any path: it leaves the swap cache again, so that
// other tasks find a slot without a folio, and not an unreadable folio. Tests in the kernel cover
// that (tests/kunit/swap_cache.c, tests/vm/nomem-writeback.sh).
pub mod new_folio_dropped {
    use super::*;

    pub fn give_up(device: &SwapDevice) -> Result {
        match device.add_folio(GFP_KERNEL) {
            Added::New(folio) => match folio.check_zero_mark() {
                Ok(folio) => {
                    drop(folio);
                    Ok(())
                }
                Err(_) => Err(EAGAIN),
            },
            Added::Present => Ok(()),
            Added::Failed(error) => Err(error),
        }
    }
}

// Memory is held, not excluded: an entry is in its slot, and on no list, so that it is never written back. One that
// is put there by replace() isn't charged either: no limit counts it. A load or a store that looks at an entry can
// take it off its list. Loads find it, and freeing the slot frees it.
pub mod off_its_list {
    use super::*;

    use kernel::slab::Object;

    pub fn replaced<T: Listed>(
        slots: &mut Slots<'_, '_, T>,
        object: Object<T>,
        leaves: &'static Leaves<T>,
    ) -> Result {
        slots.replace(0, object, leaves, GFP_KERNEL).map(drop)
    }

    pub fn removed<T: Listed>(folio: UnreadFolio<'_>) -> Load<'_, T> {
        folio.load_exclusively::<T>(|entry, _| {
            ListLru::remove(entry);
            Err(EIO)
        })
    }

    pub fn before_drop<T: Listed>(folio: &mut CachedFolio<'_>) {
        if let Some(slot) = folio.slots::<T>().occupied(0) {
            T::before_drop(slot.get());
        }
    }
}

// The parameters' lock is taken twice: the task waits for itself, for ever. There never are two
// witnesses.
pub mod parameters_locked_twice {
    use super::*;

    static TEXT: Text = Text::new(c"lzo");

    pub fn twice() -> usize {
        ParamLock::with(|outer| {
            ParamLock::with(|inner| TEXT.get(inner).len()) + TEXT.get(outer).len()
        })
    }
}

// A deadlock, not excluded: code sleeps under a spin lock, of a list or of a cluster. What spins for it on this CPU
// never gets it. Types don't say which locks are held; might_sleep() reports it.
pub mod sleep_in_atomic {
    use super::*;

    pub fn walk<T: Item>(nid: NumaNode, mutex: Pin<&Mutex<u32>>) {
        ListLru::<T>::walk(nid, None, &mut 1, |visit| {
            drop(mutex.lock());
            visit.rotate()
        });
    }

    pub fn free<T: Kept>(filled: FilledSlots<'_, T>, mutex: Pin<&Mutex<u32>>) {
        filled.take_each(|_| drop(mutex.lock()));
    }
}

// Memory unsafety, not excluded: code sleeps in an RCU read section, in which it has a reference that RCU keeps.
// Unless CONFIG_PREEMPT_RCU is set a grace period can end meanwhile: the pool, or the state of the cgroup, is
// freed under the reference. The kernel crate's rcu::Guard doesn't say that nothing may sleep. might_sleep() and
// CONFIG_PROVE_RCU report it when it happens.
pub mod sleep_in_rcu {
    use super::*;

    pub fn pool<T: Generation>(list: &Generations<T>, mutex: Pin<&Mutex<u32>>, look: impl Fn(&T)) {
        list.for_each(|pool| {
            drop(mutex.lock());
            look(pool);
        });
    }

    pub fn lruvec(folio: &CachedFolio<'_>, mutex: Pin<&Mutex<u32>>) -> isize {
        let rcu = rcu::read_lock();
        let lruvec = LruVec::of_folio(folio, &rcu);
        drop(mutex.lock());
        lruvec.nr_disk_swapins().load(Relaxed)
    }
}

// Lost data, not excluded: a folio's slots get objects with any bytes, of other pages or of none. The proof that a
// folio is stored says that each slot has an object or the zero mark; the policy compresses. Tests in the kernel
// compare every page.
pub mod store_of_another {
    use super::*;

    pub fn store_made_of_another<'f, T: Listed>(
        folio: &'f mut CachedFolio<'f>,
        made_of_another: Charged<'_, T>,
        leaves: &'static Leaves<T>,
    ) -> Result<Published<'f, T>> {
        let slots = folio.slots::<T>();
        let published = slots.publish(made_of_another, leaves, GFP_KERNEL);
        published.map(|(_, it)| it).map_err(|(_, error)| error)
    }
}

// A tag is the policy's: any bits name a slot, and of two tasks that change a tag at a time one may
// be undone. A device is got by a slot's name only if it is in use and has that slot. The owner's
// number and the length, next to the tag, stay as they are.
pub mod tag_of_any_bits {
    use super::*;

    pub fn device<P: HasPool>(object: &Object<P>) -> Option<SwapDevice> {
        SwapDevice::get(SwapEntry::unpack(object.tag()))
    }

    pub fn changed<P: HasPool>(object: &Object<P>) {
        object.change_tag(|tag| {
            object.change_tag(|_| u64::MAX);
            !tag
        });
    }
}
