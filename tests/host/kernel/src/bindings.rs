// SPDX-License-Identifier: GPL-2.0

//! The C functions that the project calls, simulated, with C's names, types and contracts.
//!
//! Where C says "the caller must", the simulation checks that. [`sim::Promise`] lists what C
//! guarantees in return; each guarantee is implemented in one place, at a [`sim::keeps`].

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    missing_docs
)]

use crate::{
    ffi::*,
    page::PAGE_SIZE,
    sim::{self, keeps, world, Lock, Promise, Shadow, Word},
    sync::atomic::{
        ordering::{Full, Relaxed},
        Atomic,
    },
};
use core::{
    alloc::Layout,
    cell::{Cell, OnceCell, RefCell, UnsafeCell},
};
use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
    sync::atomic::Ordering,
};

/// The number of objects on the list, read without its lock.
struct NrItems(Atomic<usize>);

impl Default for NrItems {
    fn default() -> Self {
        Self(Atomic::new(0))
    }
}

/// The state of the simulated C.
#[derive(Default)]
pub struct State {
    looks: [Cell<u32>; sim::NR_CPUS],
    pub work: RefCell<Vec<(usize, Box<dyn FnOnce()>)>>,
    frames: OnceCell<Vec<page>>,
    devices: [Cell<Option<*mut swap_info_struct>>; MAX_SWAPFILES as usize],
    list: OnceCell<Box<list_lru_one>>,
    items: RefCell<VecDeque<usize>>,
    nr_items: NrItems,
    objects: RefCell<BTreeMap<usize, ZsObject>>,
    handles: Cell<usize>,
    faults: [Cell<u32>; 5],
    meanwhile: RefCell<Option<Box<dyn FnOnce()>>>,
    pub shrinkers: RefCell<Vec<*mut shrinker>>,
    lruvec: OnceCell<Box<lruvec>>,
    pub total_ram: Cell<usize>,
    io: RefCell<Vec<(usize, *mut folio)>>,
    pub accelerator: Accelerator,
}

// --- Failures -------------------------------------------------------------------------------------

/// Operations that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    Memory,
    Folio,
    Object,
    Compress,
    Decompress,
}

/// Makes only the `nth` operation from now on fail; 0 for none.
pub fn fail(what: Fault, nth: u32) {
    world().c.faults[what as usize].set(nth);
}

/// The same; while the operation waits, and then fails, another task runs `f`.
pub fn fail_while(what: Fault, nth: u32, f: impl FnOnce() + 'static) {
    fail(what, nth);
    *world().c.meanwhile.borrow_mut() = Some(Box::new(f));
}

pub fn fails(what: Fault) -> bool {
    let nth = &world().c.faults[what as usize];
    match nth.get() {
        0 => false,
        n => {
            nth.set(n - 1);
            if n > 1 {
                return false;
            }
            let meanwhile = world().c.meanwhile.take();
            if let Some(f) = meanwhile {
                f();
            }
            true
        }
    }
}

// --- Constants and plain types ---------------------------------------------------------------------

pub type gfp_t = u32;
pub const GFP_KERNEL: gfp_t = 1;
pub const __GFP_NOMEMALLOC: gfp_t = 0x20;
pub const __GFP_IO: gfp_t = 0x40;
pub const __GFP_FS: gfp_t = 0x80;
pub const __GFP_DIRECT_RECLAIM: gfp_t = 0x400;
pub const __GFP_ACCOUNT: gfp_t = 0x40_0000;
pub const MAX_ERRNO: u32 = 4095;
pub const MAX_SWAPFILES: u32 = 3;
pub const NO_INTERLEAVE_INDEX: i32 = -1;
pub const SWAP_CLUSTER_MAX: u32 = 32;
pub const SWAP_RA_ORDER_CEILING: u32 = 5;
/// Small, so that all orders can be tried.
pub const SWAPFILE_CLUSTER_SLOTS: usize = 4;
pub const SWAP_TABLE_PFN_BITS: usize = 40;
pub const SWAP_TABLE_NULL: usize = 0;
pub const SWAP_TABLE_MARK_BITS: usize = 2;
pub const SWAP_TABLE_MARK_MASK: usize = 0b11;
pub const SWAP_TABLE_FOLIO_MARK: usize = 0b10;
pub const SWAP_TABLE_SHADOW_MARK: usize = 0b1;
pub const SWAP_TABLE_NOT_BAD: usize = 0b111;
pub const SWAP_TABLE_HAS_ZERO: usize = 1;
pub const SWAP_TABLE_ZERO: usize = 1 << 59;
pub const SWAP_TABLE_NOT_FLAGS: usize = usize::MAX >> 5;
pub const SWAP_TABLE_FLAGS_SHIFT: usize = 59;
pub const SWAP_TABLE_COUNT_SHIFT: usize = 60;
pub const CONFIG_ZSWAP_COMPRESSOR_DEFAULT: &[u8; 4] = b"lzo\0";
pub const PERCPU_REF_INIT_DEAD: u32 = 2;
pub const SHRINKER_NUMA_AWARE: u32 = 1;
pub const SHRINKER_MEMCG_AWARE: u32 = 2;
pub const DEFAULT_SEEKS: u32 = 2;
pub const mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK: u32 = 0;
pub const mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK_CHARGE: u32 = 1;
pub type vm_event_item = u32;
pub const vm_event_item_SWAP_RA: u32 = 0;
pub const vm_event_item_SWAP_RA_HIT: u32 = 1;
pub const vm_event_item_ZSWPIN: u32 = 2;
pub const vm_event_item_ZSWPOUT: u32 = 3;
pub const vm_event_item_ZSWPWB: u32 = 4;
pub const vm_event_item_SWPOUT_ZERO: u32 = 5;
pub const vm_event_item_SWPIN_ZERO: u32 = 6;
pub const SWP_WRITEOK: u32 = 2;
pub const SWP_SYNCHRONOUS_IO: u32 = 0x1000;

pub struct mempolicy {
    _p: (),
}
pub struct mem_cgroup {
    _p: (),
}
pub struct obj_cgroup {
    _p: (),
}
pub struct mm_struct {
    _p: (),
}
pub struct vm_fault {
    pub __bindgen_anon_1: vm_fault__bindgen_ty_1,
}
pub struct vm_fault__bindgen_ty_1 {
    pub vma: *mut vm_area_struct,
    pub address: c_ulong,
}
pub struct vm_area_struct {
    pub start: usize,
    pub end: usize,
    pub swap_readahead_info: atomic_long_t,
    pub vm_ops: *const c_void,
}
pub type atomic_long_t = isize;
pub struct work_struct {
    _p: (),
}
pub struct folio {
    _p: (),
}

pub static mut page_cluster: c_int = 0;
pub static mut enable_vma_readahead: bool = true;

unsafe fn word(address: *const c_void, followed: bool) -> Rc<Word> {
    Word::at(address as usize, followed, || 0)
}

// --- Static keys, and definitions of what the kernel declares --------------------------------------

#[repr(C)]
pub struct static_key {
    _key: u32,
}
#[repr(C)]
pub struct static_key_false {
    pub key: static_key,
}

impl static_key_false {
    pub const fn new() -> Self {
        let key = static_key { _key: 0 };
        Self { key }
    }
}

pub unsafe fn static_key_enable(key: *mut static_key) {
    sim::value(key as usize, || ());
}

pub unsafe fn static_key_count(key: *mut static_key) -> c_int {
    sim::try_value::<()>(key as usize).is_some() as c_int
}

// --- Entries, clusters and devices -----------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct swp_entry_t {
    pub val: usize,
}

pub const SWP_TYPE_SHIFT: u32 = 58;

pub unsafe fn swp_entry(device: c_ulong, offset: usize) -> swp_entry_t {
    let val = device << SWP_TYPE_SHIFT | offset;
    swp_entry_t { val }
}
pub unsafe fn swp_type(entry: swp_entry_t) -> c_uint {
    (entry.val >> SWP_TYPE_SHIFT) as c_uint
}
pub unsafe fn swp_offset(entry: swp_entry_t) -> usize {
    entry.val & ((1 << SWP_TYPE_SHIFT) - 1)
}
pub unsafe fn swp_cluster_offset(entry: swp_entry_t) -> c_uint {
    (swp_offset(entry) % SWAPFILE_CLUSTER_SLOTS) as c_uint
}

pub struct swap_info_struct {
    pub device: usize,
    pub flags: c_ulong,
    pub max: c_uint,
    /// The device's reference count; the top bit is set once no more references are given out.
    pub users: Atomic<usize>,
    /// Slots in use.
    pub inuse: Atomic<usize>,
    pub writable: Cell<bool>,
    pub clusters: Vec<swap_cluster_info>,
    pub blocks: Vec<Block>,
    /// Read by users of the device, and written when it is freed, so that loom detects a conflict.
    memory: Rc<Shadow>,
    gone: Cell<bool>,
}

pub const DEAD: usize = 1 << 63;

pub struct swap_cluster_info {
    pub count: Cell<usize>,
    /// Exists even while C has no table, since no slot is in use: RCU waits for lockless readers,
    /// which find zeroes.
    pub table: Box<Table>,
}

pub type Table = [Atomic<usize>; SWAPFILE_CLUSTER_SLOTS];

/// The contents of the device.
pub struct Block {
    bytes: Cell<[u8; PAGE_SIZE]>,
    memory: Rc<Shadow>,
}

impl Block {
    fn new() -> Self {
        // Left there by another owner's page.
        let bytes = Cell::new([0xee; PAGE_SIZE]);
        let memory = Shadow::new();
        Self { bytes, memory }
    }
    pub fn read(&self) -> [u8; PAGE_SIZE] {
        self.memory.read();
        self.bytes.get()
    }
    pub fn write(&self, bytes: [u8; PAGE_SIZE]) {
        self.memory.write();
        self.bytes.set(bytes);
    }
}

impl swap_info_struct {
    /// A device that isn't active yet.
    pub fn create(device: usize, max: usize) -> *mut Self {
        let slots = |n: usize| n.div_ceil(SWAPFILE_CLUSTER_SLOTS);
        let si = Box::into_raw(Box::new(Self {
            device,
            flags: 0,
            max: max as c_uint,
            users: Atomic::new(0),
            inuse: Atomic::new(0),
            writable: Cell::new(true),
            clusters: (0..slots(max))
                .map(|_| swap_cluster_info {
                    count: Cell::new(0),
                    table: Box::new([const { Atomic::new(0) }; SWAPFILE_CLUSTER_SLOTS]),
                })
                .collect(),
            blocks: (0..max).map(|_| Block::new()).collect(),
            memory: Shadow::new(),
            gone: Cell::new(false),
        }));
        assert!(world().c.devices[device].replace(Some(si)).is_none());
        si
    }

    /// The device must not be accessed any more. (Its memory stays, so that an access is detected.)
    pub unsafe fn destroy(&self) {
        self.gone.set(true);
        self.memory.write();
    }

    fn used(&self) {
        assert!(!self.gone.get(), "a device is used that is swapped off");
        self.memory.read();
    }

    pub fn block(&self, entry: swp_entry_t) -> &Block {
        // SAFETY: Arithmetic on the value.
        &self.blocks[unsafe { swp_offset(entry) }]
    }
}

pub unsafe fn swap_entry_to_info(entry: swp_entry_t) -> *mut swap_info_struct {
    let si = world().c.devices[swp_type(entry) as usize].get();
    let si = si.expect("a slot has a device");
    (*si).used();
    si
}

pub unsafe fn get_swap_device(entry: swp_entry_t) -> *mut swap_info_struct {
    let Some(si) = world().c.devices[swp_type(entry) as usize].get() else {
        return core::ptr::null_mut();
    };
    let users = word((&raw const (*si).users).cast(), true);
    let refused = |users: u64| users & DEAD as u64 != 0 && keeps(Promise::DyingRefused);
    let got = users.update(Ordering::Acquire, |users| {
        (!refused(users)).then(|| users + 1)
    });
    if got.is_err() {
        return core::ptr::null_mut();
    }
    if swp_offset(entry) >= (*si).max as usize {
        put_swap_device(si);
        return core::ptr::null_mut();
    }
    si
}

pub unsafe fn put_swap_device(si: *mut swap_info_struct) {
    (*si).used();
    let users = (*si).users.fetch_sub(1, Full);
    assert!(users & !DEAD > 0, "a device is put more often than got");
}

pub unsafe fn swap_entry_to_cluster(entry: swp_entry_t) -> *mut swap_cluster_info {
    let si = &*swap_entry_to_info(entry);
    let at = swp_offset(entry) / SWAPFILE_CLUSTER_SLOTS;
    core::ptr::from_ref(&si.clusters[at]).cast_mut()
}

unsafe fn cluster_lock(ci: *mut swap_cluster_info) -> Rc<Lock> {
    Lock::at(ci as usize, Some(Promise::ClusterLock))
}

pub unsafe fn swap_cluster_spin_lock(ci: *mut swap_cluster_info) {
    cluster_lock(ci).lock();
}

pub unsafe fn swap_cluster_unlock(ci: *mut swap_cluster_info) {
    cluster_lock(ci).unlock();
}

pub unsafe fn swap_table_get(ci: *mut swap_cluster_info, at: c_uint) -> c_ulong {
    // A task that polls eventually sees the new value.
    let looks = &world().c.looks[sim::cpu()];
    looks.set(looks.get() + 1);
    if looks.get() % 4 == 0 {
        sim::relax();
    }
    (*ci).table[at as usize].load(Relaxed)
}

pub unsafe fn swap_cluster_table(ci: *mut swap_cluster_info) -> *mut Table {
    assert!(cluster_lock(ci).is_held());
    match (*ci).count.get() {
        0 => core::ptr::null_mut(),
        _ => core::ptr::from_ref::<Table>(&(*ci).table).cast_mut(),
    }
}

/// The swap table, for the allocator and for callers that know a slot in use.
pub unsafe fn swap_cluster_words(ci: *mut swap_cluster_info) -> &'static Table {
    assert!(cluster_lock(ci).is_held());
    &(*ci).table
}

pub unsafe fn swap_table_test_zero(_: *mut swap_cluster_info, _: c_uint) -> bool {
    unreachable!("the mark is in the table")
}

pub unsafe fn swap_cgroup_get(_: *mut swap_cluster_info, _: c_uint) -> c_ushort {
    0
}

pub unsafe fn swap_slots_in_zswap(first: swp_entry_t, nr: c_uint, zeroes: c_ulong) -> c_uint {
    let lock = cluster_lock(swap_entry_to_cluster(first));
    assert!(lock.is_held(), "zswap is asked without the cluster's lock");
    zswap_holds(first, nr, zeroes)
}

pub unsafe fn swap_has_rotating_device() -> bool {
    false
}

/// C's decoding of a swap-table entry.
pub mod words {
    pub const ZERO: usize = 1 << 59;
    pub const ONE: usize = 1 << 60;

    pub fn is_folio(word: usize) -> bool {
        word & 3 == 2
    }
    pub fn is_shadow(word: usize) -> bool {
        word & 1 == 1
    }
    pub fn count(word: usize) -> usize {
        word >> 60
    }
    pub fn pfn(word: usize) -> usize {
        (word & (ZERO - 1)) >> 2
    }
}

pub unsafe fn __swap_cluster_free_entries(
    si: *mut swap_info_struct,
    ci: *mut swap_cluster_info,
    start: c_uint,
    nr: c_uint,
) {
    let lock = cluster_lock(ci);
    assert!(lock.is_held(), "slots are freed without the cluster's lock");
    let first = core::ptr::from_ref(&(&(*si).clusters)[0]);
    let offset = (ci.cast_const().offset_from(first) as usize) * SWAPFILE_CLUSTER_SLOTS;
    let slots = start as usize..(start + nr) as usize;
    for at in slots.clone() {
        let table = &(*ci).table;
        let old = table[at].load(Relaxed);
        let bad = !words::is_shadow(old) || words::count(old) > 1;
        assert!(
            !bad || !keeps(Promise::CachedStays),
            "a slot in use is freed"
        );
        table[at].store(0, Relaxed);
    }
    (*ci).count.set((*ci).count.get() - nr as usize);
    if keeps(Promise::InvalidateCalled) {
        if !keeps(Promise::InvalidateLocked) {
            lock.unlock();
        }
        zswap_invalidate_range(swp_entry((*si).device, offset + slots.start), nr);
        if !keeps(Promise::InvalidateLocked) {
            lock.lock();
        }
    }
    (*si).inuse.fetch_sub(nr as usize, Full);
}

// --- Folios ----------------------------------------------------------------------------------------

const NR_FRAMES: usize = 16;

/// A page frame; a folio's first one stands for the folio.
pub struct page {
    pub pfn: usize,
    pub refs: Atomic<usize>,
    pub writeback: Atomic<bool>,
    pub free: Cell<bool>,
    pub order: Cell<u32>,
    pub swapcache: Cell<bool>,
    pub uptodate: Cell<bool>,
    pub dirty: Cell<bool>,
    /// Whether it was ever mapped.
    pub anon: Cell<bool>,
    pub readahead: Cell<bool>,
    pub swap: Cell<usize>,
    /// The slots of the folio in the swap cache since it was allocated.
    had: RefCell<Vec<usize>>,
    bytes: UnsafeCell<[u8; PAGE_SIZE]>,
    memory: RefCell<Rc<Shadow>>,
}

fn frames() -> &'static [page] {
    let frames = world().c.frames.get_or_init(|| {
        let frame = |pfn| page {
            pfn: pfn + 1,
            refs: Atomic::new(0),
            writeback: Atomic::new(false),
            free: Cell::new(true),
            order: Cell::new(0),
            swapcache: Cell::new(false),
            uptodate: Cell::new(false),
            dirty: Cell::new(false),
            anon: Cell::new(false),
            readahead: Cell::new(false),
            swap: Cell::new(0),
            had: RefCell::new(Vec::new()),
            bytes: UnsafeCell::new([0; PAGE_SIZE]),
            memory: RefCell::new(Shadow::new()),
        };
        (0..NR_FRAMES).map(frame).collect()
    });
    frames
}

/// The allocated frames: those of folios with a reference.
pub fn frames_in_use() -> usize {
    frames().iter().filter(|frame| !frame.free.get()).count()
}

/// The folio, as C sees it.
pub unsafe fn head(folio: *const folio) -> &'static page {
    &*folio.cast()
}

/// Allocates memory for a folio: that which was freed last.
pub unsafe fn folio_alloc(order: u32) -> *mut folio {
    if fails(Fault::Folio) {
        return core::ptr::null_mut();
    }
    let nr = 1 << order;
    let run = frames()
        .chunks(nr)
        .find(|run| run.len() == nr && run.iter().all(|frame| frame.free.get()))
        .expect("there are enough frames");
    for frame in run {
        frame.free.set(false);
        frame.memory.replace(Shadow::new());
        frame.bytes.get().write([0xaa; PAGE_SIZE]);
    }
    let first = &run[0];
    first.order.set(order);
    first.uptodate.set(false);
    first.dirty.set(false);
    first.anon.set(false);
    first.readahead.set(false);
    first.had.borrow_mut().clear();
    // The allocator's lock orders accesses: a task that finds the folio by this count sees earlier
    // writes to the memory.
    let refs = first.refs.fetch_add(1, Full);
    assert_eq!(refs, 0, "a free frame has references");
    core::ptr::from_ref(first).cast_mut().cast()
}

/// The last reference was put.
pub unsafe fn folio_free(folio: *mut folio) {
    let page = head(folio);
    assert!(!page.swapcache.get(), "a folio is freed in the swap cache");
    let locked = folio_lock_of(folio).is_held() && keeps(Promise::FolioLock);
    assert!(!locked, "a folio is freed while it is locked");
    for frame in &frames()[page.pfn - 1..][..1 << page.order.get()] {
        assert!(!frame.free.replace(true), "a folio is freed twice");
        frame.memory.borrow().write();
    }
}

pub unsafe fn folio_lock_of(folio: *mut folio) -> Rc<Lock> {
    Lock::at(folio as usize, Some(Promise::FolioLock))
}

/// A caller that uses a folio must have a reference.
unsafe fn alive(folio: *const folio) -> &'static page {
    let page = head(folio);
    assert!(!page.free.get(), "a folio is used that was freed");
    page
}

pub unsafe fn folio_unlock(folio: *mut folio) {
    alive(folio);
    folio_lock_of(folio).unlock();
}

pub unsafe fn folio_get(folio: *mut folio) {
    assert!(alive(folio).refs.fetch_add(1, Relaxed) > 0);
}

pub unsafe fn folio_try_get(folio: *mut folio) -> bool {
    let refs = word((&raw const (*head(folio)).refs).cast(), true);
    let may = |refs: u64| refs > 0 || !keeps(Promise::TryGet);
    let got = refs.update(Ordering::AcqRel, |refs| may(refs).then(|| refs + 1));
    if got.is_err() {
        sim::relax();
    }
    got.is_ok()
}

pub unsafe fn folio_put(folio: *mut folio) {
    folio_put_refs(folio, 1);
}

pub unsafe fn folio_put_refs(folio: *mut folio, nr: c_int) {
    let old = alive(folio).refs.fetch_sub(nr as usize, Full);
    assert!(old >= nr as usize, "a folio is put more often than got");
    if old == nr as usize {
        folio_free(folio);
    }
}

pub unsafe fn folio_ref_add(folio: *mut folio, nr: c_int) {
    alive(folio).refs.fetch_add(nr as usize, Relaxed);
}

pub unsafe fn folio_ref_sub(folio: *mut folio, nr: c_int) {
    let old = alive(folio).refs.fetch_sub(nr as usize, Full);
    assert!(old > nr as usize, "the last reference is only taken off");
}

pub unsafe fn folio_nr_pages(folio: *const folio) -> c_long {
    1 << alive(folio).order.get()
}

pub unsafe fn folio_test_large(folio: *const folio) -> bool {
    head(folio).order.get() > 0
}

pub unsafe fn folio_page(folio: *mut folio, index: usize) -> *mut page {
    let page = alive(folio);
    assert!(index < 1 << page.order.get());
    core::ptr::from_ref(&frames()[page.pfn - 1 + index]).cast_mut()
}

pub unsafe fn folio_pfn(folio: *const folio) -> c_ulong {
    head(folio).pfn
}

pub unsafe fn pfn_folio(pfn: c_ulong) -> *mut folio {
    core::ptr::from_ref(&frames()[pfn - 1]).cast_mut().cast()
}

pub unsafe fn folio_test_locked(folio: *const folio) -> bool {
    folio_lock_of(folio.cast_mut()).is_held()
}

pub unsafe fn folio_test_swapcache(folio: *const folio) -> bool {
    alive(folio).swapcache.get()
}

// A warning in the kernel fails the model.
pub unsafe fn folio_check_cached(folio: *mut folio) {
    let cached = folio_test_locked(folio) && folio_test_swapcache(folio);
    assert!(cached, "a folio is passed that isn't locked and cached");
}
pub unsafe fn folio_check_add(folio: *mut folio) {
    assert!(folio_test_locked(folio) && !folio_test_swapcache(folio));
}
pub unsafe fn folio_check_delete(
    folio: *mut folio,
    entry: swp_entry_t,
    ci: *mut swap_cluster_info,
) {
    assert!(swap_entry_to_cluster(entry) == ci);
    let written = alive(folio).writeback.load(Relaxed);
    assert!(!written, "a folio under writeback is deleted");
}
pub unsafe fn folio_check_replace(new: *mut folio) {
    assert!(folio_test_swapcache(new) && folio_test_locked(new) && folio_swap(new).val != 0);
}

pub unsafe fn folio_mark_uptodate(folio: *mut folio) {
    assert!(folio_test_locked(folio));
    alive(folio).uptodate.set(true);
}

pub unsafe fn folio_mark_dirty(folio: *mut folio) {
    alive(folio).dirty.set(true);
}

pub unsafe fn folio_set_reclaim(folio: *mut folio) {
    alive(folio);
}

pub unsafe fn folio_set_readahead(folio: *mut folio) {
    alive(folio).readahead.set(true);
}

pub unsafe fn folio_test_clear_readahead(folio: *mut folio) -> bool {
    alive(folio).readahead.replace(false)
}

pub unsafe fn folio_swap(folio: *const folio) -> swp_entry_t {
    let val = alive(folio).swap.get();
    swp_entry_t { val }
}

pub unsafe fn folio_swap_is_zero(folio: *const folio, n: usize) -> bool {
    assert!(folio_test_locked(folio));
    let entry = folio_swap(folio);
    let at = swp_cluster_offset(entry) + n as c_uint;
    swap_table_get(swap_entry_to_cluster(entry), at) & words::ZERO != 0
}

pub unsafe fn folio_swap_set_zero(folio: *mut folio, n: usize, bits: usize) {
    assert!(folio_test_locked(folio));
    let entry = folio_swap(folio);
    let ci = swap_entry_to_cluster(entry);
    swap_cluster_spin_lock(ci);
    for bit in (0..usize::BITS as usize).filter(|bit| bits >> bit & 1 != 0) {
        let word = &(*ci).table[swp_cluster_offset(entry) as usize + n + bit];
        word.store(word.load(Relaxed) | words::ZERO, Relaxed);
    }
    swap_cluster_unlock(ci);
}

pub unsafe fn page_is_zero_filled(page: *const page) -> bool {
    page_bytes(page.cast_mut()) == [0; PAGE_SIZE]
}

pub unsafe fn folio_init_swapin(folio: *mut folio) {
    assert!(
        folio_lock_of(folio).try_lock(),
        "a new folio is locked by another"
    );
}

pub unsafe fn folio_enter_swapcache(folio: *mut folio, entry: swp_entry_t) {
    let page = alive(folio);
    assert!(
        !page.swapcache.replace(true),
        "a folio enters the swap cache twice"
    );
    page.swap.set(entry.val);
    let nr = 1usize << page.order.get();
    page.had.borrow_mut().extend(entry.val..entry.val + nr);
}

/// Whether the folio, since its current allocation, was ever in the swap cache for the slot. Takes
/// the lock, since adding a folio writes the slot's swap-table entry first.
pub unsafe fn folio_has_had(folio: *const folio, entry: swp_entry_t) -> bool {
    assert!(folio_test_locked(folio));
    alive(folio).had.borrow().contains(&entry.val)
}

pub unsafe fn folio_leave_swapcache(folio: *mut folio) {
    let page = alive(folio);
    assert!(
        page.swapcache.replace(false),
        "a folio leaves the swap cache twice"
    );
    page.swap.set(0);
}

pub unsafe fn folio_count_swapcache(_: *mut folio, _: c_long) {}
pub unsafe fn folio_add_lru(folio: *mut folio) {
    alive(folio);
}
pub unsafe fn folio_prepare_split(_: *mut folio) -> c_int {
    if fails(Fault::Memory) {
        return -12;
    }
    0
}
pub unsafe fn memcg1_swapin(_: *mut folio) {}
pub unsafe fn memcg1_swapout(_: *mut folio, _: *mut swap_cluster_info) {}
pub unsafe fn workingset_refault(_: *mut folio, _: *mut c_void) {}
pub unsafe fn count_mthp_stat(_: c_int, _: u32) {}
pub unsafe fn swapin_charge_folio(_: *mut folio, _: c_ushort, _: *mut vm_fault, _: gfp_t) -> c_int {
    if fails(Fault::Memory) {
        return -12;
    }
    0
}

pub unsafe fn swapin_alloc_folio(
    _: *mut gfp_t,
    order: c_uint,
    _: *mut vm_fault,
    _: *mut mempolicy,
    _: c_ulong,
) -> *mut folio {
    folio_alloc(order)
}

pub unsafe fn page_to_nid(_: *const page) -> c_int {
    0
}
pub unsafe fn kmap_local_page(page: *mut page) -> *mut c_void {
    (*page).memory.borrow().read();
    (*page).bytes.get().cast()
}
pub unsafe fn kunmap_local(_: *const c_void) {}
pub unsafe fn flush_dcache_page(page: *mut page) {
    (*page).memory.borrow().write();
}
pub unsafe fn clear_highpage(page: *mut page) {
    set_page_bytes(page, [0; PAGE_SIZE]);
}
pub unsafe fn totalram_pages() -> c_ulong {
    match world().c.total_ram.get() {
        0 => 1 << 20,
        pages => pages,
    }
}

/// Reads a page's contents.
pub unsafe fn page_bytes(page: *const page) -> [u8; PAGE_SIZE] {
    (*page).memory.borrow().read();
    *(*page).bytes.get()
}

/// Writes a page's contents.
pub unsafe fn set_page_bytes(page: *const page, bytes: [u8; PAGE_SIZE]) {
    (*page).memory.borrow().write();
    *(*page).bytes.get() = bytes;
}

// --- I/O -------------------------------------------------------------------------------------------

#[derive(Clone, Copy, pin_init::Zeroable)]
pub struct swap_io_ctx {
    pub sio: *mut c_void,
    pub sis: *mut swap_info_struct,
}

pub unsafe fn swap_read_folio(_: *mut swap_io_ctx, folio: *mut folio) {
    let page = alive(folio);
    assert!(folio_test_locked(folio), "a folio is read without its lock");
    assert!(
        page.swapcache.get(),
        "a folio is read that isn't in the swap cache"
    );
    assert!(!page.uptodate.get(), "a folio is read that has its content");
    let nr = 1usize << page.order.get();
    let zeroes = (0..nr).filter(|&i| folio_swap_is_zero(folio, i)).count();
    assert!(
        zeroes == 0 || zeroes == nr,
        "a folio is read of which only a part is zero"
    );
    if zeroes > 0 {
        for i in 0..nr {
            set_page_bytes(folio_page(folio, i), [0; PAGE_SIZE]);
        }
        page.uptodate.set(true);
        folio_unlock(folio);
        return;
    }
    if zswap_load(folio) != crate::error::code::ENOENT.to_errno() {
        return;
    }
    zswap_folio_swapin(folio);
    let first = folio_swap(folio);
    for i in 0..nr {
        let val = first.val + i;
        let entry = swp_entry_t { val };
        let bytes = (*swap_entry_to_info(entry)).block(entry).read();
        set_page_bytes(folio_page(folio, i), bytes);
    }
    page.uptodate.set(true);
    folio_unlock(folio);
}

pub unsafe fn swap_fill_from_zswap(folio: *mut folio) -> c_int {
    let page = alive(folio);
    assert!(
        folio_test_locked(folio) && page.swapcache.get() && !page.uptodate.get(),
        "a folio is filled that wasn't just added"
    );
    let ret = zswap_fill(folio);
    assert_eq!(page.uptodate.get(), ret == 0);
    ret
}

pub unsafe fn __swap_writepage(_: *mut swap_io_ctx, folio: *mut folio) {
    let page = alive(folio);
    assert!(
        page.swapcache.get(),
        "a folio is written that isn't in the swap cache"
    );
    assert!(
        page.uptodate.get(),
        "a folio is written that has no content"
    );
    page.writeback.store(true, Relaxed);
    folio_unlock(folio);
    world().c.io.borrow_mut().push((sim::cpu(), folio));
}

/// Completes the I/O that this CPU has submitted.
pub unsafe fn complete_io() {
    let mine = |io: &(usize, *mut folio)| io.0 == sim::cpu();
    loop {
        let mut io = world().c.io.borrow_mut();
        let Some(at) = io.iter().position(mine) else {
            return;
        };
        let (_, folio) = io.remove(at);
        drop(io);
        let page = alive(folio);
        assert!(page.writeback.load(Relaxed));
        let swapcache = page.swapcache.get();
        assert!(
            swapcache,
            "a folio leaves the swap cache while it is written"
        );
        let first = folio_swap(folio);
        for i in 0..1 << page.order.get() {
            let val = first.val + i;
            let entry = swp_entry_t { val };
            let bytes = page_bytes(folio_page(folio, i));
            (*swap_entry_to_info(entry)).block(entry).write(bytes);
        }
        page.writeback
            .store(false, crate::sync::atomic::ordering::Release);
    }
}

pub unsafe fn swap_read_submit(_: *mut swap_io_ctx) {}
pub unsafe fn swap_write_submit(_: *mut swap_io_ctx) {}
pub unsafe fn swap_vma_read_around(
    _: swp_entry_t,
    _: gfp_t,
    _: *mut vm_fault,
    _: c_ulong,
    _: c_ulong,
) -> *mut folio {
    unreachable!("there is no page table here")
}
pub unsafe fn current_task_policy() -> *mut mempolicy {
    core::ptr::null_mut()
}
pub unsafe fn get_vma_policy(
    _: *mut vm_area_struct,
    _: c_ulong,
    _: c_int,
    _: *mut c_ulong,
) -> *mut mempolicy {
    core::ptr::null_mut()
}
pub unsafe fn mpol_cond_put(_: *mut mempolicy) {}
pub unsafe fn page_table_span() -> usize {
    1 << 8
}
pub unsafe fn vmf_pte_is_exclusive(_: *const vm_fault) -> bool {
    unreachable!("there is no page table here")
}
pub unsafe fn vmf_allowable_orders(_: *mut vm_fault, _: c_ulong) -> c_ulong {
    0
}
pub unsafe fn vmf_has_young_beside(_: *mut vm_fault, _: c_uint) -> bool {
    unreachable!("there is no page table here")
}
pub unsafe fn vmf_has_young(_: *mut vm_fault, _: c_ulong, _: c_uint, _: c_uint) -> bool {
    unreachable!("there is no page table here")
}
pub unsafe fn pte_young_is_exact() -> bool {
    true
}
pub unsafe fn vmf_memcg_room(_: *mut vm_fault) -> c_ulong {
    c_ulong::MAX
}
pub const VM_SEQ_READ: c_ulong = 0x8000;
pub const VM_RAND_READ: c_ulong = 0x1_0000;

// --- Functions that Rust defines for C -------------------------------------------------------------

extern "C-unwind" {
    pub fn zswap_store(folio: *mut folio) -> bool;
    pub fn zswap_load(folio: *mut folio) -> c_int;
    pub fn zswap_holds(first: swp_entry_t, nr: c_uint, zeroes: c_ulong) -> c_uint;
    pub fn zswap_fill(folio: *mut folio) -> c_int;
    pub fn zswap_folio_mapped(folio: *mut folio) -> bool;
    pub fn zswap_seems_to_hold(entry: swp_entry_t) -> bool;
    pub fn zswap_never_enabled() -> bool;
    pub fn zswap_large_swapin_enabled() -> bool;
    pub fn zswap_invalidate_range(entry: swp_entry_t, nr: c_uint);
    pub fn zswap_swapon(device: c_int, nr_pages: c_ulong) -> c_int;
    pub fn zswap_swapoff(device: c_int);
    pub fn zswap_folio_swapin(folio: *mut folio);
    pub fn zswap_total_pages() -> c_ulong;
    pub fn swap_cache_get_folio(entry: swp_entry_t) -> *mut folio;
    pub fn __swap_cache_add_folio(
        ci: *mut swap_cluster_info,
        folio: *mut folio,
        entry: swp_entry_t,
    );
    pub fn __swap_cache_del_folio(
        ci: *mut swap_cluster_info,
        folio: *mut folio,
        entry: swp_entry_t,
        shadow: *mut c_void,
        swapout: bool,
    );
    pub fn swap_cache_del_folio(folio: *mut folio);
    pub fn swap_cache_alloc_folio(
        entry: swp_entry_t,
        gfp: gfp_t,
        orders: c_ulong,
        vmf: *mut vm_fault,
        mpol: *mut mempolicy,
        ilx: c_ulong,
    ) -> *mut folio;
    pub fn swapin_sync(
        entry: swp_entry_t,
        gfp: gfp_t,
        orders: c_ulong,
        vmf: *mut vm_fault,
        mpol: *mut mempolicy,
        ilx: c_ulong,
    ) -> *mut folio;
}

extern "C" {
    pub fn zswap_rs_init() -> c_int;
}

// --- The lock of parameters ------------------------------------------------------------------------

static PARAM_LOCK: u8 = 0;

fn param_lock() -> Rc<Lock> {
    Lock::at(&raw const PARAM_LOCK as usize, None)
}
pub unsafe fn kernel_param_lock(_: *mut c_void) {
    param_lock().lock();
}
pub unsafe fn kernel_param_unlock(_: *mut c_void) {
    param_lock().unlock();
}

pub const MAX_RECLAIM_RETRIES: u32 = 16;

// --- list_lru --------------------------------------------------------------------------------------

#[repr(C)]
pub struct list_head {
    pub next: *mut list_head,
    pub prev: *mut list_head,
}
#[repr(C)]
pub struct list_lru {
    id: usize,
}
#[repr(transparent)]
pub struct spinlock_t(u8);
pub struct list_lru_one {
    pub list: list_head,
    pub lock: spinlock_t,
}
pub type list_lru_walk_cb =
    unsafe extern "C" fn(*mut list_head, *mut list_lru_one, *mut c_void) -> lru_status;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum lru_status {
    LRU_ROTATE,
    LRU_SKIP,
    LRU_RETRY,
    LRU_STOP,
}

fn the_list() -> *mut list_lru_one {
    let one = world().c.list.get_or_init(|| {
        Box::new(list_lru_one {
            list: list_head {
                next: core::ptr::null_mut(),
                prev: core::ptr::null_mut(),
            },
            lock: spinlock_t(0),
        })
    });
    core::ptr::from_ref::<list_lru_one>(one).cast_mut()
}

fn list_lock() -> Rc<Lock> {
    // SAFETY: The world keeps the list in a box.
    let lock = unsafe { &raw const (*the_list()).lock };
    Lock::at(lock as usize, Some(Promise::ListLock))
}

pub unsafe fn INIT_LIST_HEAD(list: *mut list_head) {
    (*list).next = list;
    (*list).prev = list;
}

/// Records a read of the object that has these links.
fn look_at(links: *mut list_head) {
    let inside = |address: &usize| sim::is_allocated(*address, "slab");
    let object = (0..8).map(|i| links as usize - 8 * i).find(inside);
    let object = object.expect("an object is on a list that was freed");
    Shadow::at(object).unwrap().read();
}

pub unsafe fn list_lru_init_memcg(_: *mut list_lru, _: *mut shrinker) -> c_int {
    0
}
pub unsafe fn list_lru_alloc_memcg(_: *mut mem_cgroup, _: *mut list_lru, _: gfp_t) -> c_int {
    0
}

pub unsafe fn list_lru_lock(
    _: *mut list_lru,
    _: c_int,
    _: *mut *mut mem_cgroup,
) -> *mut list_lru_one {
    list_lock().lock();
    the_list()
}

pub unsafe fn __list_lru_add(
    _: *mut list_lru,
    _: *mut list_lru_one,
    links: *mut list_head,
    _: c_int,
    _: *mut mem_cgroup,
) -> bool {
    look_at(links);
    assert_eq!(
        (*links).next,
        links,
        "an object is added that is on no list"
    );
    world().c.items.borrow_mut().push_back(links as usize);
    world().c.nr_items.0.fetch_add(1, Relaxed);
    true
}

pub unsafe fn __list_lru_del(
    _: *mut list_lru,
    _: *mut list_lru_one,
    links: *mut list_head,
    _: c_int,
) -> bool {
    look_at(links);
    let mut items = world().c.items.borrow_mut();
    let at = items.iter().position(|item| *item == links as usize);
    items.remove(at.expect("an object is on the list that it says it is on"));
    drop(items);
    world().c.nr_items.0.fetch_sub(1, Relaxed);
    true
}

pub unsafe fn list_lru_unlock(_: *mut list_lru_one) {
    list_lock().unlock();
}

pub unsafe fn list_lru_count_one(_: *mut list_lru, _: c_int, _: *mut mem_cgroup) -> c_ulong {
    world().c.nr_items.0.load(Relaxed)
}

pub unsafe fn list_move_tail(links: *mut list_head, _: *mut list_head) {
    assert!(list_lock().is_held());
    let mut items = world().c.items.borrow_mut();
    let at = items.iter().position(|item| *item == links as usize);
    items.remove(at.expect("an object is moved that is on the list"));
    items.push_back(links as usize);
}

pub unsafe fn spin_unlock(_: *mut spinlock_t) {
    list_lock().unlock();
}

pub unsafe fn list_lru_walk_one(
    _: *mut list_lru,
    _: c_int,
    _: *mut mem_cgroup,
    isolate: Option<list_lru_walk_cb>,
    arg: *mut c_void,
    nr_to_walk: *mut c_ulong,
) -> c_ulong {
    let lock = list_lock();
    'restart: loop {
        lock.lock();
        let items: Vec<usize> = world().c.items.borrow().iter().copied().collect();
        for links in items {
            if *nr_to_walk == 0 {
                break;
            }
            *nr_to_walk -= 1;
            look_at(links as *mut list_head);
            match isolate.unwrap()(links as *mut list_head, the_list(), arg) {
                lru_status::LRU_ROTATE => list_move_tail(links as *mut _, core::ptr::null_mut()),
                lru_status::LRU_SKIP => {}
                lru_status::LRU_RETRY => continue 'restart,
                lru_status::LRU_STOP => return 0,
            }
        }
        lock.unlock();
        return 0;
    }
}

pub unsafe fn max_node_ids() -> c_uint {
    1
}
pub unsafe fn next_memory_node(node: c_int) -> c_int {
    if node < 0 {
        0
    } else {
        -1
    }
}
pub const KMALLOC_MAX_SIZE: u32 = 1 << 22;
pub unsafe fn memalloc_noreclaim_save() -> c_uint {
    0
}
pub unsafe fn memalloc_noreclaim_restore(_: c_uint) {}

#[repr(C)]
pub struct shrink_control {
    pub gfp_mask: gfp_t,
    pub nid: c_int,
    pub nr_to_scan: c_ulong,
    pub nr_scanned: c_ulong,
    pub memcg: *mut mem_cgroup,
}
#[derive(Default)]
pub struct shrinker {
    pub count_objects: Option<unsafe extern "C" fn(*mut shrinker, *mut shrink_control) -> c_ulong>,
    pub scan_objects: Option<unsafe extern "C" fn(*mut shrinker, *mut shrink_control) -> c_ulong>,
    pub batch: c_long,
    pub seeks: c_int,
}
pub unsafe fn shrinker_alloc(_: c_uint, _: *const c_char, _: *const c_char) -> *mut shrinker {
    let shrinker = sim::alloc(Layout::new::<shrinker>(), "shrinker").cast::<shrinker>();
    shrinker.write(Default::default());
    shrinker
}
pub unsafe fn shrinker_register(shrinker: *mut shrinker) {
    world().c.shrinkers.borrow_mut().push(shrinker);
}
pub unsafe fn shrinker_free(shrinker: *mut shrinker) {
    sim::free(shrinker.cast());
}

// --- Slab and zsmalloc -----------------------------------------------------------------------------

pub struct kmem_cache {
    size: usize,
    align: usize,
}
#[repr(C)]
#[derive(pin_init::Zeroable)]
pub struct kmem_cache_args {
    pub align: c_uint,
    pub useroffset: c_uint,
}
pub unsafe fn __kmem_cache_create_args(
    _: *const c_char,
    size: c_uint,
    args: *mut kmem_cache_args,
    _: c_uint,
) -> *mut kmem_cache {
    let cache = sim::alloc(Layout::new::<kmem_cache>(), "kmem_cache").cast::<kmem_cache>();
    let size = size as usize;
    let align = (*args).align as usize;
    cache.write(kmem_cache { size, align });
    cache
}
pub unsafe fn kmem_cache_destroy(cache: *mut kmem_cache) {
    sim::free(cache.cast());
}
pub unsafe fn kmem_cache_alloc_node(cache: *mut kmem_cache, _: gfp_t, _: c_int) -> *mut c_void {
    if fails(Fault::Memory) {
        return core::ptr::null_mut();
    }
    let layout = Layout::from_size_align((*cache).size, (*cache).align).unwrap();
    sim::alloc(layout, "slab").cast()
}
pub unsafe fn kmem_cache_alloc_bulk(
    cache: *mut kmem_cache,
    gfp: gfp_t,
    nr: usize,
    objects: *mut *mut c_void,
) -> bool {
    for i in 0..nr {
        let ptr = kmem_cache_alloc_node(cache, gfp, 0);
        if ptr.is_null() {
            (0..i).for_each(|i| kfree(*objects.add(i)));
            return false;
        }
        *objects.add(i) = ptr;
    }
    true
}
pub unsafe fn numa_mem_id() -> c_int {
    0
}
#[repr(C)]
pub struct callback_head {
    next: *mut callback_head,
    func: Option<unsafe extern "C" fn(*mut callback_head)>,
}
/// Calls it when a model has joined its threads: a grace period is over then.
pub unsafe fn call_rcu(
    head: *mut callback_head,
    func: Option<unsafe extern "C" fn(*mut callback_head)>,
) {
    let address = head as usize;
    let mut queue = world().c.work.borrow_mut();
    assert!(
        queue.iter().all(|(queued, _)| *queued != address),
        "an object is freed twice"
    );
    let run = move || func.unwrap()(address as *mut callback_head);
    queue.push((address, Box::new(run)));
}
pub unsafe fn kfree(ptr: *const c_void) {
    assert!(
        sim::is_allocated(ptr as usize, "slab"),
        "an object is freed twice"
    );
    sim::free(ptr.cast_mut().cast());
}
pub unsafe fn virt_to_page(_: *const c_void) -> *mut page {
    core::ptr::null_mut()
}

pub struct zs_pool {
    _room: usize,
}
struct ZsObject {
    pool: usize,
    bytes: Vec<u8>,
    memory: Rc<Shadow>,
    readers: Cell<usize>,
}
pub struct scatterlist {
    listed: Listed,
    pub length: c_uint,
}
#[derive(Clone, Copy)]
enum Listed {
    Nothing,
    Object(usize),
    Page(*mut page),
    Memory(*mut u8),
}

/// The allocated objects.
pub fn zs_objects() -> usize {
    world().c.objects.borrow().len()
}

unsafe fn zs_object<R>(
    pool: *mut zs_pool,
    handle: c_ulong,
    f: impl FnOnce(&mut ZsObject) -> R,
) -> R {
    let mut objects = world().c.objects.borrow_mut();
    let object = objects
        .get_mut(&handle)
        .expect("an object is used that was freed");
    assert_eq!(object.pool, pool as usize, "an object is another pool's");
    f(object)
}

pub unsafe fn zs_create_pool(_: *const c_char) -> *mut zs_pool {
    sim::alloc(Layout::new::<zs_pool>(), "zs_pool").cast()
}
pub unsafe fn zs_destroy_pool(pool: *mut zs_pool) {
    let objects = world().c.objects.borrow();
    assert!(
        objects.values().all(|object| object.pool != pool as usize),
        "a pool goes with objects"
    );
    sim::free(pool.cast());
}
pub unsafe fn zs_malloc(pool: *mut zs_pool, len: usize, gfp: gfp_t, _: c_int) -> c_ulong {
    assert!(
        len < PAGE_SIZE || gfp & __GFP_NOMEMALLOC != 0,
        "an uncompressed page is stored in the memory reserves"
    );
    if fails(Fault::Object) {
        return -12isize as usize;
    }
    let handle = world().c.handles.get() + 8;
    world().c.handles.set(handle);
    let object = ZsObject {
        pool: pool as usize,
        bytes: vec![0x5a; len],
        memory: Shadow::new(),
        readers: Cell::new(0),
    };
    world().c.objects.borrow_mut().insert(handle, object);
    handle
}
pub unsafe fn zs_free(pool: *mut zs_pool, handle: c_ulong) {
    zs_object(pool, handle, |object| {
        assert_eq!(
            object.readers.get(),
            0,
            "an object is freed while it is read"
        );
        object.memory.write();
    });
    world().c.objects.borrow_mut().remove(&handle);
}
pub unsafe fn zs_obj_write(pool: *mut zs_pool, handle: c_ulong, src: *mut c_void, len: usize) {
    zs_object(pool, handle, |object| {
        object.memory.write();
        // The contents of a compressor's buffer.
        if let Some(memory) = Shadow::at(src as usize) {
            memory.read();
        }
        object
            .bytes
            .copy_from_slice(core::slice::from_raw_parts(src.cast(), len));
    });
}
pub unsafe fn zs_obj_read_sg_begin(
    pool: *mut zs_pool,
    handle: c_ulong,
    sg: *mut scatterlist,
    len: usize,
) {
    zs_object(pool, handle, |object| {
        assert_eq!(object.bytes.len(), len);
        object.memory.read();
        object.readers.set(object.readers.get() + 1);
    });
    (*sg).listed = Listed::Object(handle);
    (*sg).length = len as c_uint;
}
pub unsafe fn zs_obj_read_sg_end(pool: *mut zs_pool, handle: c_ulong) {
    zs_object(pool, handle, |object| {
        object.memory.read();
        object.readers.set(object.readers.get() - 1);
    });
}
pub unsafe fn zs_get_total_pages(pool: *mut zs_pool) -> c_ulong {
    let objects = world().c.objects.borrow();
    objects
        .values()
        .filter(|object| object.pool == pool as usize)
        .count()
}
/// Records an access to a scatterlist. One on the stack, which is waited for at once, isn't
/// tracked.
unsafe fn look_at_list(sg: *mut scatterlist, look: impl Fn(&Shadow)) {
    if let Some(memory) = Shadow::around(sg as usize) {
        look(&memory);
    }
}
pub unsafe fn sg_init_table(sg: *mut scatterlist, nr: c_uint) {
    assert_eq!(nr, 1);
    look_at_list(sg, Shadow::write);
    (*sg).listed = Listed::Nothing;
    (*sg).length = 0;
}
pub unsafe fn sg_set_page(sg: *mut scatterlist, page: *mut page, len: c_uint, offset: c_uint) {
    assert_eq!((len as usize, offset), (PAGE_SIZE, 0));
    look_at_list(sg, Shadow::write);
    (*sg).listed = Listed::Page(page);
    (*sg).length = len;
}
pub unsafe fn sg_init_one(sg: *mut scatterlist, memory: *const c_void, len: c_uint) {
    sg_init_table(sg, 1);
    (*sg).listed = Listed::Memory(memory.cast_mut().cast());
    (*sg).length = len;
}
pub unsafe fn sg_bytes(sg: *mut scatterlist, len: usize) -> Vec<u8> {
    match (*sg).listed {
        Listed::Object(handle) => {
            let objects = world().c.objects.borrow();
            let object = objects
                .get(&handle)
                .expect("an object is read that was freed");
            assert_eq!(object.bytes.len(), len);
            object.bytes.clone()
        }
        Listed::Page(page) => page_bytes(page).to_vec(),
        Listed::Memory(memory) => {
            Shadow::live(memory as usize).read();
            core::slice::from_raw_parts(memory, len).to_vec()
        }
        _ => unreachable!("nothing else is compressed or decompressed"),
    }
}
unsafe fn sg_write(sg: *mut scatterlist, bytes: &[u8]) {
    assert!(bytes.len() <= (*sg).length as usize);
    match (*sg).listed {
        Listed::Page(page) => set_page_bytes(page, bytes.try_into().unwrap()),
        Listed::Memory(memory) => {
            Shadow::live(memory as usize).write();
            memory.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        _ => unreachable!("nothing else is written to"),
    }
}
pub unsafe fn memcpy_from_sglist(dst: *mut c_void, sg: *mut scatterlist, _: c_uint, len: c_uint) {
    let bytes = sg_bytes(sg, len as usize);
    dst.cast::<u8>()
        .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
}

// --- Compressors -----------------------------------------------------------------------------------

/// A page whose last byte is 0 compresses to its first half and the compressor's name, which
/// decompression checks. `lz4` is asynchronous.
pub struct crypto_acomp {
    name: u8,
    requests: Cell<usize>,
}
pub type crypto_completion_t = Option<unsafe extern "C" fn(*mut c_void, c_int)>;
pub struct acomp_req {
    tfm: *mut crypto_acomp,
    flags: c_uint,
    complete: crypto_completion_t,
    data: *mut c_void,
    src: *mut scatterlist,
    dst: *mut scatterlist,
    slen: c_uint,
    pub dlen: c_uint,
}
pub struct crypto_wait {
    done: u64,
    err: c_int,
    /// Not kept in C.
    req: *mut acomp_req,
}
pub const CRYPTO_MAX_ALG_NAME: u32 = 128;
pub const CRYPTO_TFM_REQ_MAY_BACKLOG: u32 = 0x400;
const EINPROGRESS: c_int = 115;
const EBUSY: c_int = 16;
const ENOSPC: c_int = 28;
const EINVAL: c_int = 22;
const COMPRESSED: usize = PAGE_SIZE / 2 + 1;

pub unsafe fn crypto_has_acomp(name: *const c_char, _: c_uint, _: c_uint) -> c_int {
    let name = core::ffi::CStr::from_ptr(name.cast());
    matches!(name.to_bytes(), b"lzo" | b"lz4").into()
}
pub unsafe fn crypto_alloc_acomp_node(
    name: *const c_char,
    _: c_uint,
    _: c_uint,
    _: c_int,
) -> *mut crypto_acomp {
    use crate::error::code::{ENOENT, ENOMEM};
    if crypto_has_acomp(name, 0, 0) == 0 {
        return ENOENT.to_ptr();
    }
    if fails(Fault::Memory) {
        return ENOMEM.to_ptr();
    }
    let tfm = sim::alloc(Layout::new::<crypto_acomp>(), "acomp").cast::<crypto_acomp>();
    let (name, requests) = (*name.add(2), Cell::new(0));
    tfm.write(crypto_acomp { name, requests });
    tfm
}
pub unsafe fn crypto_free_acomp(tfm: *mut crypto_acomp) {
    assert_eq!((*tfm).requests.get(), 0, "a transform goes with requests");
    sim::free(tfm.cast());
}
pub unsafe fn acomp_is_async(tfm: *mut crypto_acomp) -> bool {
    (*tfm).name == b'4'
}
pub unsafe fn acomp_request_alloc(tfm: *mut crypto_acomp) -> *mut acomp_req {
    if fails(Fault::Memory) {
        return core::ptr::null_mut();
    }
    (*tfm).requests.set((*tfm).requests.get() + 1);
    let req = sim::alloc(Layout::new::<acomp_req>(), "acomp_req").cast::<acomp_req>();
    req.write_bytes(0, 1);
    (*req).tfm = tfm;
    req
}
pub unsafe fn acomp_request_free(req: *mut acomp_req) {
    let tfm = (*req).tfm;
    (*tfm).requests.set((*tfm).requests.get() - 1);
    let wait = (*req).data.cast::<crypto_wait>();
    Word::forget(&raw const (*wait).done as usize);
    Lock::forget(wait as usize);
    sim::free(req.cast());
}
pub unsafe fn acomp_request_set_callback(
    req: *mut acomp_req,
    flags: c_uint,
    complete: crypto_completion_t,
    data: *mut c_void,
) {
    (*req).flags = flags;
    (*req).complete = complete;
    (*req).data = data;
    let wait = data.cast::<crypto_wait>();
    (*wait).req = req;
    // Created before there are threads.
    completion(wait);
}
pub unsafe fn acomp_request_set_params(
    req: *mut acomp_req,
    src: *mut scatterlist,
    dst: *mut scatterlist,
    slen: c_uint,
    dlen: c_uint,
) {
    Shadow::live(req as usize).write();
    ((*req).src, (*req).dst) = (src, dst);
    ((*req).slen, (*req).dlen) = (slen, dlen);
}

unsafe fn squeeze(name: u8, src: &[u8]) -> Result<Vec<u8>, c_int> {
    if fails(Fault::Compress) {
        return Err(-EINVAL);
    }
    if src[PAGE_SIZE - 1] != 0 {
        return Err(-ENOSPC);
    }
    let mut bytes = src[..COMPRESSED].to_vec();
    bytes[COMPRESSED - 1] = name;
    Ok(bytes)
}
unsafe fn expand(name: u8, src: &[u8]) -> Result<Vec<u8>, c_int> {
    if fails(Fault::Decompress) {
        return Err(-EINVAL);
    }
    assert_eq!(
        src.len(),
        COMPRESSED,
        "what was compressed has another length"
    );
    assert_eq!(
        src[COMPRESSED - 1],
        name,
        "what was compressed by another compressor"
    );
    let mut bytes = vec![0; PAGE_SIZE];
    bytes[..COMPRESSED - 1].copy_from_slice(&src[..COMPRESSED - 1]);
    Ok(bytes)
}
type Work = unsafe fn(u8, &[u8]) -> Result<Vec<u8>, c_int>;

pub unsafe extern "C" fn crypto_acomp_compress(req: *mut acomp_req) -> c_int {
    submit(req, squeeze)
}
pub unsafe extern "C" fn crypto_acomp_decompress(req: *mut acomp_req) -> c_int {
    submit(req, expand)
}

/// The engine for asynchronous requests. Without one, the submitter processes a request itself,
/// which completes before its submission returns.
#[derive(Default)]
pub struct Accelerator {
    /// The capacity of the queue, without the backlog; 0 without an engine.
    room: Cell<usize>,
    /// The number of requests still to come.
    to_come: Cell<usize>,
    queue: RefCell<VecDeque<(*mut acomp_req, Work)>>,
}

impl Accelerator {
    fn lock(&self) -> Rc<Lock> {
        Lock::at(core::ptr::from_ref(self) as usize, None)
    }

    /// Starts an engine for that many requests.
    pub fn expect(&self, requests: usize, room: usize) {
        self.to_come.set(requests);
        self.room.set(room);
        self.lock();
    }

    /// Takes requests, until none are to come, and completes them. Requests taken by several
    /// threads complete in any order.
    pub fn work(&self) {
        let lock = self.lock();
        loop {
            lock.lock();
            while self.queue.borrow().is_empty() && self.to_come.get() > 0 {
                lock.wait();
            }
            let taken = self.queue.borrow_mut().pop_front();
            let queued = self.queue.borrow().get(self.room.get() - 1).copied();
            // SAFETY: A request in the queue was submitted, and isn't complete. Once taken, it is
            // ours alone.
            unsafe {
                // It leaves the backlog.
                if let Some((req, _)) = queued {
                    notify(req, -EINPROGRESS);
                }
                lock.unlock();
                match taken {
                    Some((req, work)) => finish(req, work),
                    None => return,
                }
            }
        }
    }
}

unsafe fn submit(req: *mut acomp_req, work: Work) -> c_int {
    Shadow::live(req as usize).read();
    if !acomp_is_async((*req).tfm) {
        return perform(req, work);
    }
    let accelerator = &world().c.accelerator;
    if accelerator.room.get() == 0 {
        finish(req, work);
        return -EINPROGRESS;
    }
    let lock = accelerator.lock();
    lock.lock();
    let full = accelerator.queue.borrow().len() >= accelerator.room.get();
    let refused = full && (*req).flags & CRYPTO_TFM_REQ_MAY_BACKLOG == 0;
    if !refused {
        accelerator.queue.borrow_mut().push_back((req, work));
        accelerator.to_come.set(accelerator.to_come.get() - 1);
        lock.wake();
    }
    lock.unlock();
    match full {
        _ if refused => -ENOSPC,
        true => -EBUSY,
        false => -EINPROGRESS,
    }
}

unsafe fn perform(req: *mut acomp_req, work: Work) -> c_int {
    Shadow::live((*req).tfm as usize).read();
    look_at_list((*req).src, Shadow::read);
    look_at_list((*req).dst, Shadow::read);
    let bytes = sg_bytes((*req).src, (*req).slen as usize);
    let (ret, made) = match work((*(*req).tfm).name, &bytes) {
        Ok(bytes) => {
            sg_write((*req).dst, &bytes);
            (0, bytes.len())
        }
        Err(errno) => (errno, 1),
    };
    Shadow::live(req as usize).write();
    (*req).dlen = made as c_uint;
    ret
}

unsafe fn notify(req: *mut acomp_req, err: c_int) {
    Shadow::live(req as usize).read();
    (*req).complete.unwrap()((*req).data, err);
}

unsafe fn finish(req: *mut acomp_req, work: Work) {
    let err = perform(req, work);
    notify(req, err);
    if !keeps(Promise::CompletedOnce) {
        notify(req, err);
    }
    if !keeps(Promise::CompletedLast) {
        Shadow::live(req as usize).read();
    }
}

/// `struct completion`: its lock, and `done`, which is changed only under the lock.
unsafe fn completion(wait: *mut crypto_wait) -> (Rc<Lock>, Rc<Word>) {
    let lock = Lock::at(wait as usize, Some(Promise::CompletionLock));
    let done = Word::at(&raw const (*wait).done as usize, true, || 0);
    (lock, done)
}
pub unsafe fn crypto_init_wait(wait: *mut crypto_wait) {
    (*wait).done = 0;
}
pub unsafe extern "C" fn crypto_req_done(data: *mut c_void, err: c_int) {
    if err == -EINPROGRESS && keeps(Promise::NewsIgnored) {
        return;
    }
    let wait = data.cast::<crypto_wait>();
    let store = || {
        Shadow::live(wait as usize).write();
        (*wait).err = err;
    };
    if keeps(Promise::ResultFirst) {
        store();
    }
    complete(wait);
    if !keeps(Promise::ResultFirst) {
        store();
    }
}
unsafe fn complete(wait: *mut crypto_wait) {
    let (lock, done) = completion(wait);
    lock.lock();
    done.store(done.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    // The waiter is on a list in it.
    Shadow::live(wait as usize).read();
    lock.wake();
    lock.unlock();
}
unsafe fn wait_for_completion(wait: *mut crypto_wait) {
    let (lock, done) = completion(wait);
    lock.lock();
    while done.load(Ordering::Relaxed) == 0 {
        lock.wait();
    }
    done.store(done.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    lock.unlock();
}
pub unsafe fn crypto_wait_req(mut err: c_int, wait: *mut crypto_wait) -> c_int {
    if matches!(-err, EINPROGRESS | EBUSY) {
        if keeps(Promise::WaitReq) {
            wait_for_completion(wait);
        }
        // reinit_completion()
        completion(wait).1.store(0, Ordering::Relaxed);
        Shadow::live(wait as usize).read();
        err = (*wait).err;
    }
    // The waiter reads the request next.
    Shadow::live((*wait).req as usize).read();
    err
}

// --- CPUs ------------------------------------------------------------------------------------------

pub unsafe fn cpu_possible(_: c_uint) -> bool {
    true
}
pub unsafe fn cpu_to_node(_: c_int) -> c_int {
    -1
}

// --- Per-CPU reference counts ----------------------------------------------------------------------

pub struct percpu_ref {
    _room: usize,
}
struct PercpuRef {
    count: Cell<usize>,
    dying: Cell<bool>,
    release: unsafe extern "C" fn(*mut percpu_ref),
}
unsafe fn percpu(r: *mut percpu_ref) -> Rc<PercpuRef> {
    sim::try_value(r as usize).expect("a reference is counted that isn't initialised")
}
pub unsafe fn percpu_ref_init(
    r: *mut percpu_ref,
    release: Option<unsafe extern "C" fn(*mut percpu_ref)>,
    flags: c_uint,
    _: gfp_t,
) -> c_int {
    assert_eq!(flags, PERCPU_REF_INIT_DEAD);
    sim::value(r as usize, || PercpuRef {
        count: Cell::new(0),
        dying: Cell::new(true),
        release: release.unwrap(),
    });
    0
}
pub unsafe fn percpu_ref_exit(r: *mut percpu_ref) {
    assert_eq!(percpu(r).count.get(), 0);
    sim::forget_value(r as usize);
}
pub unsafe fn percpu_ref_get(r: *mut percpu_ref) {
    let count = &percpu(r).count;
    count.set(count.get() + 1);
}
pub unsafe fn percpu_ref_tryget(r: *mut percpu_ref) -> bool {
    let count = &percpu(r).count;
    if count.get() > 0 {
        count.set(count.get() + 1);
    }
    count.get() > 0
}
pub unsafe fn percpu_ref_put(r: *mut percpu_ref) {
    let counted = percpu(r);
    counted.count.set(counted.count.get() - 1);
    if counted.count.get() == 0 {
        assert!(counted.dying.get(), "the initial reference is put");
        (counted.release)(r);
    }
}
pub unsafe fn percpu_ref_kill(r: *mut percpu_ref) {
    assert!(
        !percpu(r).dying.replace(true),
        "a reference is killed twice"
    );
    percpu_ref_put(r);
}
pub unsafe fn percpu_ref_resurrect(r: *mut percpu_ref) {
    assert!(percpu(r).dying.replace(false));
    percpu_ref_get(r);
}
pub unsafe fn percpu_ref_is_zero(r: *mut percpu_ref) -> bool {
    percpu(r).count.get() == 0
}

// --- Cgroups: there are none -----------------------------------------------------------------------

#[repr(C)]
pub struct lruvec {
    pub zswap_lruvec_state: zswap_lruvec_state,
}
#[repr(C)]
pub struct zswap_lruvec_state {
    pub nr_disk_swapins: atomic_long,
}
#[repr(C)]
pub struct atomic_long {
    pub counter: isize,
}
fn the_lruvec() -> *mut lruvec {
    let lruvec = world().c.lruvec.get_or_init(|| {
        let nr_disk_swapins = atomic_long { counter: 0 };
        let zswap_lruvec_state = zswap_lruvec_state { nr_disk_swapins };
        Box::new(lruvec { zswap_lruvec_state })
    });
    core::ptr::from_ref::<lruvec>(lruvec).cast_mut()
}
pub unsafe fn folio_lruvec(_: *mut folio) -> *mut lruvec {
    the_lruvec()
}
pub unsafe fn mem_cgroup_lruvec(_: *mut mem_cgroup, _: c_int) -> *mut lruvec {
    the_lruvec()
}
pub unsafe fn mem_cgroup_disabled() -> bool {
    true
}
pub unsafe fn mem_cgroup_get(_: *mut mem_cgroup) {}
pub unsafe fn mem_cgroup_put(_: *mut mem_cgroup) {}
pub unsafe fn mem_cgroup_id(_: *mut mem_cgroup) -> u64 {
    0
}
pub unsafe fn mem_cgroup_online(_: *mut mem_cgroup) -> bool {
    true
}
pub unsafe fn mem_cgroup_tryget_online(_: *mut mem_cgroup) -> bool {
    true
}
pub unsafe fn mem_cgroup_zswap_writeback_enabled(_: *mut mem_cgroup) -> bool {
    true
}
pub unsafe fn mem_cgroup_iter(
    _: *mut mem_cgroup,
    _: *mut mem_cgroup,
    _: *mut c_void,
) -> *mut mem_cgroup {
    core::ptr::null_mut()
}
pub unsafe fn folio_memcg(_: *mut folio) -> *mut mem_cgroup {
    core::ptr::null_mut()
}
pub unsafe fn get_obj_cgroup_from_folio(_: *mut folio) -> *mut obj_cgroup {
    core::ptr::null_mut()
}
pub unsafe fn get_mem_cgroup_from_objcg(_: *mut obj_cgroup) -> *mut mem_cgroup {
    core::ptr::null_mut()
}
pub unsafe fn obj_cgroup_memcg(_: *mut obj_cgroup) -> *mut mem_cgroup {
    core::ptr::null_mut()
}
pub unsafe fn obj_cgroup_get(_: *mut obj_cgroup) {}
pub unsafe fn obj_cgroup_put(_: *mut obj_cgroup) {}
pub unsafe fn obj_cgroup_may_zswap(_: *mut obj_cgroup) -> bool {
    true
}
pub unsafe fn obj_cgroup_get_many(_: *mut obj_cgroup, _: usize) {}
pub unsafe fn obj_cgroup_put_many(_: *mut obj_cgroup, _: usize) {}
pub unsafe fn obj_cgroup_is_root(_: *const obj_cgroup) -> bool {
    true
}
pub unsafe fn memcg_on_dfl() -> bool {
    true
}
pub unsafe fn obj_cgroup_charge(_: *mut obj_cgroup, _: gfp_t, _: usize) -> c_int {
    0
}
pub unsafe fn obj_cgroup_uncharge(_: *mut obj_cgroup, _: usize) {}
pub const memcg_stat_item_MEMCG_ZSWAP_B: c_uint = 0;
pub const memcg_stat_item_MEMCG_ZSWAPPED: c_uint = 1;
pub const memcg_stat_item_MEMCG_ZSWAP_INCOMP: c_uint = 2;
pub unsafe fn mod_memcg_state(_: *mut mem_cgroup, _: c_uint, _: c_int) {}
pub unsafe fn obj_cgroup_uncharge_zswap(_: *mut obj_cgroup, _: usize) {}
pub unsafe fn count_objcg_events(_: *mut obj_cgroup, _: u32, _: usize) {}
pub unsafe fn count_vm_events(_: u32, _: c_long) {}

/// Accesses once every word that C shares between threads.
pub fn prepare() {
    world().c.nr_items.0.load(Relaxed);
    for frame in frames() {
        frame.refs.load(Relaxed);
        frame.writeback.load(Relaxed);
    }
    for si in world().c.devices.iter().filter_map(Cell::get) {
        // SAFETY: The device exists.
        let si = unsafe { &*si };
        si.users.load(Relaxed);
        si.inuse.load(Relaxed);
        for word in si.clusters.iter().flat_map(|ci| ci.table.iter()) {
            word.load(Relaxed);
        }
    }
}

// --- Trace events: none is enabled -----------------------------------------------------------------

pub const zswap_outcome_ZSWAP_STORED: u32 = 0;
pub const zswap_outcome_ZSWAP_DISABLED: u32 = 1;
pub const zswap_outcome_ZSWAP_CGROUP_LIMIT: u32 = 2;
pub const zswap_outcome_ZSWAP_POOL_LIMIT: u32 = 3;
pub const zswap_outcome_ZSWAP_NO_POOL: u32 = 4;
pub const zswap_outcome_ZSWAP_NO_MEMORY: u32 = 5;
pub const zswap_outcome_ZSWAP_NO_ROOM: u32 = 6;
pub const zswap_outcome_ZSWAP_NO_COMPRESSOR: u32 = 7;
pub const zswap_outcome_ZSWAP_NOT_COMPRESSED: u32 = 8;
