// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that the types don't exclude: they compile. Each says what it leads to: nothing,
// memory held, a deadlock, lost data, memory unsafety.
//@ check-pass
#![deny(unsafe_code)]
use core::mem::{self, forget, swap};
use kernel::{
    alloc::{
        flags::{GFP_KERNEL, GFP_NOWAIT},
        AllocError, NumaNode,
    },
    bindings::folio,
    crypto::{acompress::Compressor, scompress},
    mm::{
        folio::{CachedFolio, Folio, FolioPage, FolioRef, NotUptodate, Uptodate},
        memcontrol::{Cursor, MemCgroup, ObjCgroup},
        swap_add::NewFolio,
        swap_cache::{Reads, SwapDevice},
        swapops::SwapEntry,
    },
    page::PAGE_SIZE,
    prelude::*,
    shrinker::Shrinker,
    slab::{self, UninitBox, UninitBoxes},
    sync::{aref::ARef, rcu, Arc, Mutex, SpinLock},
    types::ForeignOwnable,
    xarray::XArray,
};
use zswap_core::{
    entry::Entry,
    glue::ParamLock,
    index::Leaf,
    lru::{self, Lists, Next},
    object::Object,
    pool_table::PoolRef,
    slots::Slots,
    store::{store, Group, Store},
    whole::EntryPages,
    writeback::write,
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

/// Fills a page from what is stored for it.
fn fill<'f>(from: &Object, to: NotUptodate<'f>) -> Result<Uptodate<'f>> {
    from.copy_to(to)
}

// Lost data, and not excluded: a compressor reports more bytes than it has written. They are zeroes, and not another
// user's data.
pub mod algorithm_lies {
    use super::*;

    pub struct Idle;

    impl scompress::Algorithm for Idle {
        const NAME: &'static CStr = c"idle";
        const DRIVER_NAME: &'static CStr = c"idle-scomp";
        const LONGEST_SOURCE: usize = PAGE_SIZE;
        type Stream = ();

        fn new_stream() -> Result<KVBox<()>> {
            Ok(KVBox::new((), GFP_KERNEL)?)
        }

        fn compress(_: &mut (), _: &[u8], dst: &mut [u8]) -> Result<usize> {
            Ok(dst.len())
        }

        fn decompress(_: &mut (), _: &[u8], dst: &mut [u8]) -> Result<usize> {
            Ok(dst.len())
        }
    }
}

// A folio's pages are charged to another cgroup than its own: that one pays, and its walks find them. The entries keep
// a reference to it, and are uncharged from it.
pub mod charge_of_another {
    use super::*;

    pub(crate) fn store_some(
        store: &mut Store<'_, '_>,
        memory: UninitBoxes<Entry>,
        add: fn(&mut Group<'_, '_>),
        other: &ObjCgroup,
        leaves: &'static slab::Cache<Leaf>,
    ) -> Result {
        let lists = lru::prepare(Some(other), GFP_KERNEL)?;
        store.fill(memory, lists, leaves, |group| {
            add(group);
            Ok(())
        })
    }
}

// Two witnesses of one lifetime can be swapped: each still is valid for its own folio, from which
// its slots are found. Swapped Reads are both submitted. (A call lends one folio: to get two of one
// lifetime takes `unsafe`. See groups_swapped.)
pub mod evidence_swapped {
    use super::*;

    pub(crate) fn folios<'f>(one: &mut CachedFolio<'f>, other: &mut CachedFolio<'f>) {
        swap(one, other);
    }

    pub(crate) fn slots<'a>(one: &mut Slots<'a>, other: &mut Slots<'a>) {
        swap(one, other);
    }

    pub(crate) fn reads() {
        Reads::together(|one| Reads::together(|other| swap(one, other)));
    }
}

// Allocation flags that nobody has named: the complement of some. C's allocators warn of what they
// don't support, and return memory as large as was requested, or none.
pub mod flags_of_any_bits {
    use super::*;

    pub(crate) fn complement() -> Result<KBox<u64>, AllocError> {
        KBox::new(7, !GFP_NOWAIT)
    }
}

// A witness that owns nothing: forgetting it has no effect, nor has dropping it. A witness that is
// only lent to a closure (Input, ParamLock, Reads, Store, Group) can't be
// forgotten: see input_kept, group_kept. A caller that forgets a Visit or an Unlocked has no Next to end
// the callback with: see visit_without_end. One that forgets the pages of a folio hasn't filled it.
pub mod forget_evidence {
    use super::*;

    pub(crate) fn cached(folio: CachedFolio<'_>, contents: NotUptodate<'_>, filled: Uptodate<'_>) {
        forget((folio, contents, filled));
    }

    pub(crate) fn others(slots: Slots<'_>, pages: EntryPages<'_, '_, '_>) {
        forget((slots, pages));
    }

    pub(crate) fn lists(next: Next<'_>, lists: Lists<'_>) {
        forget((next, lists));
    }
}

// Harmless: requests in flight have no handle. Nothing is in flight when the queue is
// forgotten, and it stays as it was.
pub mod forget_queue {
    use super::*;

    pub(crate) fn forgotten<'p>(compressor: &mut Compressor, pages: &[FolioPage<'p>]) -> Result {
        mem::forget(compressor.queue());
        match compressor.queue() {
            Some(mut queue) => queue.compress_each(pages.iter().copied(), |page, compressed| {
                let _ = (page, compressed?);
                Ok(())
            }),
            None => Ok(()),
        }
    }
}

// A folio whose lock is forgotten stays locked, in the swap cache and with its references: it isn't
// freed, nor are its slots, nor is its device removed. Tasks that need the page wait forever, as
// does swapoff; no task reads another's data. (docs/races.md: 2 is such a bug in C.)
pub mod forget_locks {
    use super::*;

    pub(crate) fn new(folio: NewFolio) {
        forget(folio);
    }

    pub(crate) fn handed_to_c(new: NewFolio) -> *mut folio {
        new.into_c_locked()
    }
}

// Forgotten memory is leaked, and its contents stay valid: an object keeps its pool. A shrinker that isn't registered
// is never called. The entries of a group can't be forgotten: see group_kept.
pub mod forget_memory {
    use super::*;

    pub(crate) fn entries<T>(entry: slab::Box<T>, memory: UninitBox<T>, cache: slab::Cache<T>) {
        forget((entry, memory, cache));
    }

    pub(crate) fn together<T>(memories: UninitBoxes<T>) {
        forget(memories);
    }

    pub(crate) fn leaves(leaves: slab::Cache<Leaf>) {
        forget(leaves);
    }

    pub(crate) fn objects(object: Object) {
        forget(object);
    }

    pub(crate) fn others(compressor: Compressor, shrinker: Shrinker) {
        forget((compressor, shrinker));
    }
}

// The kernel crate's own guards. An RCU read section that never ends frees nothing: waits for
// readers never end, and are reported (stalls). A lock that is never released blocks its waiters;
// the data that it protects isn't accessed.
pub mod forget_rcu {
    use super::*;

    pub(crate) fn section() {
        forget(rcu::read_lock());
    }

    pub(crate) fn locks(mutex: Pin<&Mutex<u32>>, lock: Pin<&SpinLock<u32>>) {
        forget(mutex.lock());
        forget(lock.lock());
    }
}

// A forgotten reference pins its object: a device against swapoff, which waits; a pool,
// a cgroup, a folio against being freed, as long as the machine runs.
pub mod forget_references {
    use super::*;

    pub(crate) fn device(device: SwapDevice) {
        forget(device);
    }

    pub(crate) fn pools(pool: PoolRef) {
        forget(pool);
    }

    pub(crate) fn groups(memcg: ARef<MemCgroup>, objcg: ARef<ObjCgroup>, cursor: Cursor) {
        forget((memcg, objcg, cursor));
    }

    pub(crate) fn folios(folio: FolioRef) {
        forget(folio);
    }
}

// Memory unsafety by rustc's bug 25860: the implied bound of a function's arguments is lost when its type is
// generalised. Any witness can be kept for ever. scripts/check.py rejects the usual shape in the policy.
pub mod lifetime_extended {
    use super::*;

    fn same<'a, 'b, T>(_: &'a &'b (), value: &'b T) -> &'a T {
        value
    }

    pub(crate) fn kept<'a>(folio: &'a Folio) -> &'static Folio {
        let extend: for<'x> fn(_, &'x Folio) -> &'static Folio = same;
        extend(&&(), folio)
    }
}

// Lost data, and not excluded: the policy does not decompress. A process gets SIGBUS; the page stays in zswap. shmem
// forgets the page after an I/O error, and frees its slot.
pub mod load_given_up {
    use super::*;

    pub(crate) fn fill<'f>(_: &Entry, _: NotUptodate<'f>) -> Option<Uptodate<'f>> {
        None
    }
}

// Lost data, and not excluded: a folio is filled from an object other than that of the entry of
// its slot. The brand ties the filled contents to the folio; the policy chooses the source. Tests
// in the kernel compare every page.
pub mod load_of_another {
    use super::*;

    pub(crate) fn write_from(folio: NewFolio, other: &Object) -> Result {
        write(folio, |_, contents| fill(other, contents)).map(drop)
    }
}

// A deadlock, not excluded: code takes a lock that its task holds. Types don't say which locks are held; lockdep
// reports it. (Without CONFIG_SMP a spin lock is no lock: see locks_of_one_cpu.)
pub mod lock_twice {
    use super::*;

    pub(crate) fn list(nid: NumaNode) {
        lru::walk(nid, None, &mut 1, |visit| {
            lru::walk(nid, None, &mut 1, |visit| visit.rotate());
            visit.rotate()
        });
    }

    pub(crate) fn tree<T: ForeignOwnable>(tree: &XArray<T>, value: T) {
        let _guard = tree.lock();
        let _ = tree.insert(0, value, GFP_NOWAIT);
    }

    pub(crate) fn cluster(slots: Slots<'_>, device: &SwapDevice) {
        slots.clear(|_| drop(device.add_folio(GFP_NOWAIT)));
    }
}

// Memory unsafety, not excluded, in kernels without CONFIG_SMP: there a spin lock doesn't exclude code that runs
// in its own section. That is so for the kernel crate's SpinLock, too. CONFIG_DEBUG_SPINLOCK reports it. With SMP
// this deadlocks. An entry is freed that a walk is looking at.
pub mod locks_of_one_cpu {
    use super::*;

    pub(crate) fn entry(slots: Slots<'_>, nid: NumaNode, look: impl Fn(&Entry)) {
        let mut slots = Some(slots);
        lru::walk(nid, None, &mut 1, |visit| {
            let seen = visit.entry();
            if let Some(slots) = slots.take() {
                slots.clear(|_| ());
            }
            look(seen);
            visit.rotate()
        });
    }
}

// A folio that was added is dropped unread, on any path: it leaves the swap cache again, so that
// other tasks find a slot without a folio, and not an unreadable folio. Tests in the kernel cover
// that (tests/kunit/swap_cache.c, tests/vm/nomem-writeback.sh).
pub mod new_folio_dropped {
    use super::*;

    pub(crate) fn give_up(device: &SwapDevice) -> Result {
        match device.add_folio(GFP_KERNEL) {
            Ok(folio) => {
                drop(folio);
                Ok(())
            }
            Err(EEXIST) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

// Memory unsafety by the kernel crate's bitfield!, which implements Zeroable for any storage: a null reference, through
// which any memory can be written. scripts/check.py rejects the macro in the policy.
pub mod null_by_bitfield {
    use super::*;
    use core::{
        cell::Cell,
        fmt::{self, LowerHex},
    };

    #[derive(PartialEq, Eq)]
    pub struct Memory([Cell<u8>; 0x7fff_ffff_ffff]);

    impl LowerHex for Memory {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            Ok(())
        }
    }

    kernel::bitfield! {
        pub(crate) struct Null(&'static Memory) {}
    }

    pub(crate) fn poke(address: usize, byte: u8) {
        let null: Null = pin_init::zeroed();
        null.into_raw().0[address].set(byte);
    }
}

// The parameters' lock is taken twice: the task waits for itself, for ever. There never are two
// witnesses.
pub mod parameters_locked_twice {
    use super::*;

    pub(crate) fn twice() -> usize {
        let len = |lock: &mut ParamLock| lock.compressor().count_bytes();
        ParamLock::with(|outer| ParamLock::with(len) + len(outer))
    }
}

// A deadlock, not excluded: code sleeps under a spin lock, of a list or of a cluster. What spins for it on this CPU
// never gets it. Types don't say which locks are held; might_sleep() reports it.
pub mod sleep_in_atomic {
    use super::*;

    pub(crate) fn walk(nid: NumaNode, mutex: Pin<&Mutex<u32>>) {
        lru::walk(nid, None, &mut 1, |visit| {
            drop(mutex.lock());
            visit.rotate()
        });
    }

    pub(crate) fn free(slots: Slots<'_>, mutex: Pin<&Mutex<u32>>) {
        slots.clear(|_| drop(mutex.lock()));
    }
}

// A store leaves a page out, and says that it has not: it fails, with EINVAL, and all slots are cleared. C writes the
// folio to the device.
pub mod store_incomplete {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> Result<usize> {
        store(folio, |store| {
            let _ = store.next_group(16);
            Ok(())
        })
    }
}

// Lost data, not excluded: a folio's slots get objects with any bytes, of other pages or of none. That a folio is stored
// says that each slot has an object or the zero mark; the policy compresses. Tests in the kernel
// compare every page.
pub mod store_of_another {
    use super::*;

    pub(crate) fn attack(
        group: &mut Group<'_, '_>,
        pool: PoolRef,
        made_of_another: &[u8],
    ) -> Result {
        let swap = group.pages().next().ok_or(EINVAL)?.swap;
        let object =
            Object::from_bytes(pool, made_of_another, swap, GFP_KERNEL, NumaNode::NO_NODE)?;
        group.push(object);
        Ok(())
    }
}

// Any bits name a slot: a device is got by a slot's name only if it is in use and has that slot. An object gets only
// into the slot of the group's next page; one for any other slot is dropped, with a warning.
pub mod slot_of_any_bits {
    use super::*;

    pub(crate) fn device(bits: u64) -> Option<SwapDevice> {
        SwapDevice::get(SwapEntry::unpack(bits))
    }

    pub(crate) fn object(pool: PoolRef, group: &mut Group<'_, '_>, bits: u64) -> Result {
        let slot = SwapEntry::unpack(bits);
        let object = Object::from_bytes(pool, &[7], slot, GFP_KERNEL, NumaNode::NO_NODE)?;
        group.push(object);
        Ok(())
    }
}

// Memory unsafety by rustc's bug 57893: a trait object's own associated type is taken for that of a blanket
// implementation. Any type can be made of any other. scripts/check.py rejects the usual shape in the policy.
pub mod transmuted {
    use super::*;

    pub trait Object<U> {
        type Output;
    }

    impl<T: ?Sized, U> Object<U> for T {
        type Output = U;
    }

    fn same<T: ?Sized, U>(value: <T as Object<U>>::Output) -> U {
        value
    }

    pub(crate) fn witness<'a>(address: usize) -> &'a Folio {
        same::<dyn Object<&'a Folio, Output = usize>, &'a Folio>(address)
    }
}
