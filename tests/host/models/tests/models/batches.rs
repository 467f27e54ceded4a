// SPDX-License-Identifier: GPL-2.0-or-later

//! Batches of objects for the slots of a large folio, without zswap, by one task.
//!
//! A position of a batch is a slot of the folio. A slot without an object must have the zero mark, or its
//! page is lost: neither a batch that was published before nor one that leaves a page out may be published.

use kernel::{
    alloc::NumaNode,
    bindings::{self, folio, words, SWAPFILE_CLUSTER_SLOTS},
    c,
    error::{code::EINVAL, Result},
    impl_kept, impl_list_lru_item,
    mm::{
        folio::CachedFolio,
        list_lru::{Batch, Links, ListLru},
        memalloc,
        memcontrol::{ZswapCharged, ZswapObject},
        swap_slots::{DeadDevice, FreedSlots, Indices, Leaves},
    },
    page::PAGE_SIZE,
    prelude::*,
    shrinker::{Request, Scanned, Shrink, Shrinker},
    sim::{self, Run},
    slab::{Cache, Object},
    static_lock_class,
    sync::SetOnce,
    workqueue,
};
use std::ops::Range;

/// A device that zswap doesn't know.
const DEVICE: usize = 1;

/// The first slot of the folio, which has a cluster's slots.
const FIRST: usize = SWAPFILE_CLUSTER_SLOTS;

const NR: usize = SWAPFILE_CLUSTER_SLOTS;

struct Bytes;

// SAFETY: It is a constant.
unsafe impl ZswapObject for Bytes {
    fn bytes(&self) -> usize {
        PAGE_SIZE / 2
    }
}

struct Entry {
    links: Links,
    object: ZswapCharged<Bytes>,
    number: u32,
}

static LRU: ListLru<Entry> = ListLru::new();
static CACHE: SetOnce<Cache<Entry>> = SetOnce::new();
static LEAVES: SetOnce<Leaves<Entry>> = SetOnce::new();

impl_list_lru_item! {
    impl Item for Entry { links: self.links, charged: self.object: ZswapCharged<Bytes>, lru: LRU }
}

impl_kept! {
    impl Kept for Entry { owned: Object<Entry>, name: c"batches" }
}

struct Pressure;

impl Shrink for Pressure {
    fn count(_: &Request<'_>) -> usize {
        0
    }

    fn scan(_: &Request<'_>, _: &mut usize) -> Scanned {
        Scanned::Refused
    }
}

fn object(number: u32) -> Object<Entry> {
    let cache = CACHE.as_ref().unwrap();
    let vacant = cache.alloc(GFP_KERNEL, NumaNode::NO_NODE).unwrap();
    vacant.write(Entry {
        links: Links::new(),
        object: ZswapCharged::new(Bytes),
        number,
    })
}

/// A batch with an object for each page of the folio that `numbers` has a number for.
fn batch(numbers: [Option<u32>; NR]) -> Batch<Entry> {
    let mut batch = Batch::new();
    for (index, number) in numbers.into_iter().enumerate() {
        if let Some(number) = number {
            batch.skip_to(index);
            batch.push(object(number));
        }
    }
    batch.skip_to(NR);
    batch
}

/// Charges what is in a batch, and publishes it. The proof is good for no longer than this.
fn publish(folio: Locked, batch: &mut Batch<Entry>) -> Result<usize> {
    let lists = ListLru::prepare(None, GFP_KERNEL).unwrap();
    let charged = memalloc::scope(move |scope| batch.charge(&lists, scope));
    let leaves = LEAVES.as_ref().unwrap();
    folio.with(
        |folio| match folio.slots::<Entry>().publish(charged, leaves, GFP_KERNEL) {
            Ok((nr, _published)) => Ok(nr),
            Err((unpublished, error)) => {
                assert_eq!(unpublished.slots().len(), NR, "the slots are given back");
                Err(error)
            }
        },
    )
}

/// The folio, which is locked by us, and in the swap cache.
#[derive(Clone, Copy)]
struct Locked(*mut folio);

impl Locked {
    /// Lends the lock.
    fn with<R>(self, f: impl for<'f> FnOnce(&'f mut CachedFolio<'f>) -> R) -> R {
        // SAFETY: The folio stays locked and in the swap cache. No other task uses its slots: no model calls
        // this from within itself.
        unsafe { CachedFolio::with_raw(self.0, f) }
    }

    /// As [`Slots::mark_zeroes`](kernel::mm::swap_slots::Slots::mark_zeroes).
    fn mark_zeroes(self, indices: Range<usize>) -> Indices {
        self.with(|folio| folio.slots::<Entry>().mark_zeroes(indices))
    }
}

/// The numbers of the objects that the folio's slots have. As many objects are on lists.
fn kept(folio: Locked) -> [Option<u32>; NR] {
    let kept = folio.with(|folio| {
        core::array::from_fn(|index| {
            let slot = folio.slots::<Entry>().occupied(index)?;
            let number = slot.get().number;
            Some(number)
        })
    });
    let nr = kept.iter().flatten().count();
    let listed = ListLru::<Entry>::count(NumaNode::new(0).unwrap(), None);
    assert_eq!(listed, nr, "what slots have is on lists, and nothing else");
    kept
}

/// The slots of the folio that have the zero mark.
fn marked() -> [bool; NR] {
    core::array::from_fn(|index| {
        // SAFETY: The device has the slots, and isn't destroyed.
        let word = unsafe {
            let entry = bindings::swp_entry(DEVICE, FIRST + index);
            let ci = bindings::swap_entry_to_cluster(entry);
            bindings::swap_table_get(ci, bindings::swp_cluster_offset(entry))
        };
        word & words::ZERO != 0
    })
}

/// Runs `f` with a folio of `NR` pages, none of which is all zeroes, in the swap cache. Nothing is left of
/// the objects after that.
fn with_folio(f: impl FnOnce(Locked)) {
    let plain = Run {
        broken: None,
        preemptions: 0,
        schedules: 0,
    };
    plain.plain(|| {
        let shrinker = Shrinker::new::<Pressure>(c"batches").unwrap();
        LRU.init(&shrinker).unwrap();
        core::mem::forget(shrinker);
        CACHE.populate(Cache::new(c"batches").unwrap());
        LEAVES.populate(Leaves::new(c"batches").unwrap());
        LEAVES.as_ref().unwrap().open();

        // SAFETY: As swapon does it: the device isn't in use before it is created.
        let attached = unsafe {
            DeadDevice::attach_raw::<Entry>(DEVICE as i32, FIRST + NR, |device| {
                device.attach(static_lock_class!())
            })
        };
        attached.unwrap();
        bindings::swap_info_struct::create(DEVICE, FIRST + NR);

        // SAFETY: The folio is new, and stays locked and in the swap cache. Its slots are nobody else's.
        unsafe {
            let entry = bindings::swp_entry(DEVICE, FIRST);
            let folio = bindings::folio_alloc(NR.ilog2());
            c::folio_lock(folio);
            bindings::folio_enter_swapcache(folio, entry);
            f(Locked(folio));
            FreedSlots::<Entry>::with_raw(entry, NR, |slots| {
                if let Some(filled) = slots.filled() {
                    filled.take_listed(drop);
                }
            });
        }
        // SAFETY: The folio's task has the slots, and doesn't use them any more.
        let empty = unsafe {
            DeadDevice::with_raw(DEVICE as i32, |mut device| Ok(device.detach::<Entry>()))
        };
        assert!(empty.unwrap(), "a leaf is left in its tree");
        while workqueue::run() {}
        assert_eq!(sim::allocated("slab"), 0, "objects or leaves are left");
        assert_eq!(sim::locks_held(), 1, "locks are left, besides the folio's");
    });
}

/// Writes zeroes to a page of the folio.
///
/// # Safety
///
/// The folio must be alive, and have such a page.
unsafe fn clear_page(folio: *mut folio, index: usize) {
    // SAFETY: By the requirement.
    unsafe { bindings::set_page_bytes(bindings::folio_page(folio, index), [0; PAGE_SIZE]) }
}

#[test]
fn a_batch_is_published_once() {
    with_folio(|folio| {
        let all = [Some(10), Some(11), Some(12), Some(13)];
        let mut batch = batch(all);
        assert_eq!(publish(folio, &mut batch), Ok(NR));
        assert_eq!(kept(folio), all);
        // It has as many positions as before, of which none has an object.
        assert_eq!(publish(folio, &mut batch), Err(EINVAL));
        assert_eq!(kept(folio), all);
        // A new object comes after those positions: it doesn't make the batch whole.
        batch.push(object(14));
        assert_eq!(publish(folio, &mut batch), Err(EINVAL));
        drop(batch);
        assert_eq!(kept(folio), all);
    });
}

#[test]
fn no_page_is_lost() {
    with_folio(|folio| {
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 1) };
        let others = folio.mark_zeroes(0..NR);
        assert_eq!(others.len(), 3);
        assert!(others.eq([0, 2, 3]));
        assert_eq!(marked(), [false, true, false, false]);
        // A slot without a mark gets no object: the first one, the third, the last, all of them.
        for wrong in [
            [None, Some(1), Some(2), Some(3)],
            [Some(0), None, None, Some(3)],
            [Some(0), None, Some(2), None],
            [None; NR],
        ] {
            let mut batch = batch(wrong);
            assert_eq!(publish(folio, &mut batch), Err(EINVAL), "{wrong:?}");
            drop(batch);
            assert_eq!(kept(folio), [None; NR], "{wrong:?}");
        }
        // Neither is a batch for a smaller or a larger folio the right one.
        for nr in [NR - 1, NR + 1] {
            let mut batch = Batch::new();
            (0..nr).for_each(|index| batch.push(object(index as u32)));
            assert_eq!(publish(folio, &mut batch), Err(EINVAL), "{nr} pages");
            drop(batch);
            assert_eq!(kept(folio), [None; NR], "{nr} pages");
        }
        let right = [Some(0), None, Some(2), Some(3)];
        assert_eq!(publish(folio, &mut batch(right)), Ok(3));
        assert_eq!(kept(folio), right);
        assert_eq!(marked(), [false, true, false, false]);
    });
}

#[test]
fn a_mark_ends_what_was_kept() {
    with_folio(|folio| {
        let leaves = LEAVES.as_ref().unwrap();
        let all = [Some(10), Some(11), Some(12), Some(13)];
        assert_eq!(publish(folio, &mut batch(all)), Ok(NR));
        // What is replaced isn't on a list.
        folio.with(|folio| {
            let mut slots = folio.slots::<Entry>();
            let (new, old) = slots.replace(1, object(21), leaves, GFP_KERNEL).unwrap();
            assert_eq!((new.number, old.unwrap().borrow().number), (21, 11));
        });
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 1) };
        // Only what is asked for is marked.
        assert!(folio.mark_zeroes(2..NR).eq([2, 3]));
        assert_eq!(marked(), [false; NR]);
        let entries = sim::allocated("slab");
        assert!(folio.mark_zeroes(0..NR).eq([0, 2, 3]));
        assert_eq!(marked(), [false, true, false, false]);
        assert_eq!(kept(folio), [Some(10), None, Some(12), Some(13)]);
        assert_eq!(sim::allocated("slab"), entries - 1, "it is freed");
        // What is on a list leaves it, too.
        // SAFETY: It is the folio.
        unsafe { clear_page(folio.0, 3) };
        assert!(folio.mark_zeroes(3..NR).eq([]));
        assert_eq!(marked(), [false, true, false, true]);
        assert_eq!(kept(folio), [Some(10), None, Some(12), None]);
    });
}

#[test]
fn a_folio_of_marks_is_published() {
    with_folio(|folio| {
        // SAFETY: It is the folio.
        (0..NR).for_each(|index| unsafe { clear_page(folio.0, index) });
        assert!(folio.mark_zeroes(0..NR).eq([]));
        assert_eq!(publish(folio, &mut batch([None; NR])), Ok(0));
        assert_eq!(kept(folio), [None; NR]);
        assert_eq!(marked(), [true; NR]);
    });
}
