// SPDX-License-Identifier: GPL-2.0

//! The C callers of the project: the steps of mm/swapfile.c, mm/page_io.c, mm/vmscan.c and
//! mm/memory.c on a swapped page, as far as they concern the project's code.
//!
//! They are `unsafe` like those in C: the caller that passes a slot must keep its device, the
//! caller that passes a folio must have a reference.

use crate::{
    bindings::*,
    error::from_err_ptr,
    ffi::c_void,
    page::PAGE_SIZE,
    sim::{self, keeps, relax, world, Lock, Promise, Word},
    sync::atomic::{
        ordering::{Acquire, Full, Relaxed, Release},
        Atomic,
    },
};
use core::{
    cell::{Cell, RefCell},
    ptr::null_mut,
};
use std::{rc::Rc, sync::atomic::Ordering};

/// A page's contents: a version of a page. Version 0 is all zeroes; odd versions are
/// incompressible.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Content {
    pub page: u16,
    pub version: u16,
}

impl Content {
    pub fn new(page: u16, version: u16) -> Self {
        Self { page, version }
    }

    pub fn to_bytes(self) -> [u8; PAGE_SIZE] {
        let mut bytes = [0; PAGE_SIZE];
        if self.version != 0 {
            bytes[..2].copy_from_slice(&self.version.to_le_bytes());
            bytes[2..4].copy_from_slice(&(self.page + 1).to_le_bytes());
            bytes[PAGE_SIZE - 1] = (self.version % 2) as u8;
        }
        bytes
    }
}

// --- Devices --------------------------------------------------------------------------------------

/// `swapon()`: slot 0 is the header.
pub fn swapon(device: usize, slots: usize) -> *mut swap_info_struct {
    // SAFETY: The number isn't in use, and there is no such device before `create`.
    unsafe { assert_eq!(zswap_swapon(device as i32, slots), 0) };
    swap_info_struct::create(device, slots)
}

/// `swapoff()`, with `unuse` for the part of `try_to_unuse()` that looks for pages in processes.
pub fn swapoff(si: *mut swap_info_struct, unuse: impl Fn()) {
    // SAFETY: `si` is from `swapon`, and the world keeps it. A folio from a lookup has a reference,
    // and is locked where required.
    unsafe {
        (*si).writable.set(false);
        if keeps(Promise::SwapoffFrees) {
            let mut rounds = 0;
            while (*si).inuse.load(Acquire) > 0 {
                rounds += 1;
                assert!(rounds < 100, "swapoff finds no user of the slots");
                unuse();
                for at in 0..(*si).max as usize {
                    let folio = swap_cache_get_folio(swp_entry((*si).device, at));
                    if !folio.is_null() {
                        folio_lock(folio);
                        folio_wait_writeback(folio);
                        folio_free_swap(folio);
                        folio_unlock(folio);
                        folio_put(folio);
                    }
                }
                if (*si).inuse.load(Acquire) > 0 {
                    relax();
                }
            }
        }
        // percpu_ref_kill(), synchronize_rcu(), which waits for all spin locks, wait_for_completion()
        (*si).users.fetch_add(DEAD, Full);
        for ci in &(*si).clusters {
            let ci = core::ptr::from_ref(ci).cast_mut();
            swap_cluster_spin_lock(ci);
            swap_cluster_unlock(ci);
        }
        while keeps(Promise::SwapoffWaits) && (*si).users.load(Acquire) != DEAD {
            relax();
        }
        zswap_swapoff((*si).device as i32);
        (*si).destroy();
    }
}

// --- Slots -----------------------------------------------------------------------------------------

unsafe fn word_of(entry: swp_entry_t) -> &'static Atomic<usize> {
    let ci = swap_entry_to_cluster(entry);
    &swap_cluster_words(ci)[swp_cluster_offset(entry) as usize]
}

/// `folio_alloc_swap()` for slots that the allocator has chosen: those of a large folio are aligned.
/// Returns whether they were free.
pub unsafe fn alloc_slot(folio: *mut folio, entry: swp_entry_t) -> bool {
    let val = entry.val & !(folio_nr_pages(folio) as usize - 1);
    let entry = swp_entry_t { val };
    if swp_offset(entry) == 0 {
        return false;
    }
    let si = get_swap_device(entry);
    if si.is_null() {
        return false;
    }
    let ci = swap_entry_to_cluster(entry);
    swap_cluster_spin_lock(ci);
    let nr = folio_nr_pages(folio) as usize;
    let at = swp_cluster_offset(entry) as usize;
    let free = (*si).writable.get()
        && swap_cluster_words(ci)[at..at + nr]
            .iter()
            .all(|word| word.load(Relaxed) == 0);
    if free {
        (*ci).count.set((*ci).count.get() + nr);
        __swap_cache_add_folio(ci, folio, entry);
        (*si).inuse.fetch_add(nr, Relaxed);
    }
    swap_cluster_unlock(ci);
    put_swap_device(si);
    free
}

/// `folio_dup_swap()` for a page: a process refers to the slot from now on.
pub unsafe fn dup_slot(entry: swp_entry_t) {
    let ci = swap_entry_to_cluster(entry);
    swap_cluster_spin_lock(ci);
    let word = word_of(entry);
    word.store(word.load(Relaxed) + words::ONE, Relaxed);
    swap_cluster_unlock(ci);
}

/// `swap_put_entries_cluster()`: a process no longer refers to these slots. Those that are free then, and
/// are neighbours, are freed together.
pub unsafe fn put_slots(first: swp_entry_t, nr: u32) {
    let ci = swap_entry_to_cluster(first);
    swap_cluster_spin_lock(ci);
    let at = swp_cluster_offset(first);
    let mut freed = 0;
    for i in 0..nr {
        let word = &swap_cluster_words(ci)[(at + i) as usize];
        let old = word.load(Relaxed);
        assert!(words::count(old) > 0, "a slot without users is put");
        let cached = words::is_folio(old) && keeps(Promise::CachedStays);
        let last = words::count(old) == 1 && !cached;
        if last {
            freed += 1;
        } else {
            word.store(old - words::ONE, Relaxed);
        }
        if freed > 0 && (!last || i + 1 == nr) {
            let end = at + i + u32::from(last);
            __swap_cluster_free_entries(swap_entry_to_info(first), ci, end - freed, freed);
            freed = 0;
        }
    }
    swap_cluster_unlock(ci);
}

/// `swap_put_entries_direct()`
unsafe fn put_slots_of_process(first: swp_entry_t, nr: u32) {
    let si = get_swap_device(first);
    assert!(!si.is_null(), "a slot in use has a device");
    put_slots(first, nr);
    for val in first.val..first.val + nr as usize {
        reclaim_swap(swp_entry_t { val });
    }
    put_swap_device(si);
}

/// The slot's count, read under the cluster's lock. `swap_entry_swapped()`
unsafe fn count_of(entry: swp_entry_t) -> usize {
    let ci = swap_entry_to_cluster(entry);
    swap_cluster_spin_lock(ci);
    let word = swap_table_get(ci, swp_cluster_offset(entry));
    swap_cluster_unlock(ci);
    words::count(word)
}

/// The slots of a folio in the swap cache.
unsafe fn slots_of(folio: *mut folio) -> Vec<swp_entry_t> {
    let first = folio_swap(folio).val;
    let nr = folio_nr_pages(folio) as usize;
    (first..first + nr).map(|val| swp_entry_t { val }).collect()
}

// --- Folios ----------------------------------------------------------------------------------------

pub unsafe fn folio_lock(folio: *mut folio) {
    folio_lock_of(folio).lock();
}

pub unsafe fn folio_trylock(folio: *mut folio) -> bool {
    folio_lock_of(folio).try_lock()
}

pub unsafe fn folio_wait_writeback(folio: *mut folio) {
    while head(folio).writeback.load(Acquire) {
        relax();
    }
}

/// `folio_free_swap()`: removes a locked folio from the swap cache, if its slots have no other
/// user.
pub unsafe fn folio_free_swap(folio: *mut folio) -> bool {
    let page = head(folio);
    if !page.swapcache.get() || page.writeback.load(Acquire) {
        return false;
    }
    if slots_of(folio).into_iter().any(|entry| count_of(entry) > 0) {
        return false;
    }
    swap_cache_del_folio(folio);
    page.dirty.set(true);
    true
}

/// `swap_writeout()`: passes the contents of a locked folio in the swap cache to zswap or the
/// device, and unlocks it.
pub unsafe fn swap_writeout(folio: *mut folio) {
    if folio_free_swap(folio) {
        folio_unlock(folio);
        return;
    }
    let nr = folio_nr_pages(folio) as usize;
    let is_zero = (0..nr).all(|i| page_bytes(folio_page(folio, i)) == [0; PAGE_SIZE]);
    if is_zero || keeps(Promise::ZeroUnmarked) {
        let ci = swap_entry_to_cluster(folio_swap(folio));
        let locked = keeps(Promise::ZeroMark);
        if locked {
            swap_cluster_spin_lock(ci);
        }
        for entry in slots_of(folio) {
            let word = &(*ci).table[swp_cluster_offset(entry) as usize];
            let old = word.load(Relaxed);
            let mark = if is_zero { words::ZERO } else { 0 };
            word.store(old & !words::ZERO | mark, Relaxed);
        }
        if locked {
            swap_cluster_unlock(ci);
        }
    }
    if is_zero || zswap_store(folio) {
        folio_unlock(folio);
        return;
    }
    let mut ctx = swap_io_ctx {
        sio: null_mut(),
        sis: null_mut(),
    };
    __swap_writepage(&mut ctx, folio);
    complete_io();
}

/// `__remove_mapping()`: removes a locked, clean folio without other references from the swap
/// cache, and frees it. Returns whether it could.
pub unsafe fn remove_mapping(folio: *mut folio) -> bool {
    let page = head(folio);
    if !page.swapcache.get() {
        return false;
    }
    if page.writeback.load(Acquire) && keeps(Promise::WritebackStays) {
        return false;
    }
    let entry = folio_swap(folio);
    let nr = folio_nr_pages(folio) as usize;
    let ci = swap_entry_to_cluster(entry);
    swap_cluster_spin_lock(ci);
    let frozen = page.refs.cmpxchg(1 + nr, 0, Full).is_ok();
    if !frozen && keeps(Promise::FreezeCount) {
        swap_cluster_unlock(ci);
        return false;
    }
    if page.dirty.get() {
        page.refs.store(1 + nr, Release);
        swap_cluster_unlock(ci);
        return false;
    }
    __swap_cache_del_folio(ci, folio, entry, null_mut(), true);
    swap_cluster_unlock(ci);
    folio_lock_of(folio).unlock();
    folio_free(folio);
    true
}

// --- Pages of processes ----------------------------------------------------------------------------

/// A page table entry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pte {
    /// Nothing.
    None,
    /// A folio, with a reference.
    Mapped(*mut folio),
    /// A slot, with a count.
    Swapped(swp_entry_t),
}

/// A page of a process, and its last written contents. A `static` of the model: its state in an
/// execution is looked up by its address.
pub struct Page(u8);

struct PageState {
    pte: Cell<Pte>,
    /// Where it is in the folio that is mapped.
    index: Cell<usize>,
    content: Cell<Content>,
    lock: Rc<Lock>,
    /// The pages around it in the page table, itself included.
    table: Cell<&'static [&'static Page]>,
}

impl PageState {
    /// The frame that is mapped.
    unsafe fn frame(&self, folio: *mut folio) -> *mut page {
        folio_page(folio, self.index.get())
    }
}

/// The result of a fault.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Faulted {
    /// The page is mapped.
    Done,
    /// A race was lost: the process would fault again.
    Again,
    /// The page can't be read: the process would be killed.
    Error,
}

impl Page {
    pub const fn new() -> Self {
        Self(0)
    }

    fn state(&self) -> Rc<PageState> {
        let at = core::ptr::from_ref(self) as usize;
        sim::value(at, || PageState {
            pte: Cell::new(Pte::None),
            index: Cell::new(0),
            content: Cell::new(Content::new(0, 0)),
            lock: Lock::at(at, None),
            table: Cell::new(&[]),
        })
    }

    /// A word that is read before lockless accesses to the page table, and written when a slot
    /// leaves it: loom explores only orders of accesses that it sees.
    fn seen(&self) -> Rc<Word> {
        Word::at(core::ptr::from_ref(self) as usize, true, || 0)
    }

    /// Makes these pages neighbours, in this order, in one page table.
    pub fn adjoin(pages: &'static [&'static Self]) {
        for page in pages {
            page.state().table.set(pages);
        }
    }

    /// Runs `f` with the page table locked: a page's own lock, and those of its neighbours.
    fn with_table<R>(&self, f: impl FnOnce(&'static [&'static Self]) -> R) -> R {
        let state = self.state();
        let table = state.table.get();
        assert!(!table.is_empty(), "only neighbours have large folios");
        table.iter().for_each(|page| page.state().lock.lock());
        let ret = f(table);
        table.iter().for_each(|page| page.state().lock.unlock());
        ret
    }

    /// The pages of a locked table around this one that refer to the `nr` slots from `first` on, of
    /// which this one refers to `entry`; none unless all do. `swap_pte_batch()`
    fn swapped_to<'a>(
        &self,
        table: &'a [&'static Self],
        entry: swp_entry_t,
        first: swp_entry_t,
        nr: usize,
    ) -> Option<&'a [&'static Self]> {
        let here = table.iter().position(|page| core::ptr::eq(*page, self))?;
        let start = here.checked_sub(entry.val - first.val)?;
        let pages = table.get(start..start + nr)?;
        let refers = |(i, page): (usize, &&'static Self)| {
            let val = first.val + i;
            page.pte() == Pte::Swapped(swp_entry_t { val }) || !keeps(Promise::WholeFits)
        };
        pages.iter().enumerate().all(refers).then_some(pages)
    }

    /// The page table entry.
    pub fn pte(&self) -> Pte {
        self.state().pte.get()
    }

    /// The first access: a new folio, with contents.
    pub fn create(&self, content: Content) {
        fail(Fault::Folio, 0);
        // SAFETY: The folio is new, and ours alone until it is in the page table.
        unsafe {
            let folio = folio_alloc(0);
            assert!(!folio.is_null());
            head(folio).uptodate.set(true);
            head(folio).dirty.set(true);
            head(folio).anon.set(true);
            set_page_bytes(folio.cast(), content.to_bytes());
            let state = self.state();
            state.index.set(0);
            self.seen(); // created before there are threads
            state.content.set(content);
            assert_eq!(state.pte.replace(Pte::Mapped(folio)), Pte::None);
        }
    }

    /// The process writes, if the page is mapped: a store to memory, modelled under the page
    /// table's lock.
    pub fn write(&self, content: Content) -> bool {
        let state = self.state();
        state.lock.lock();
        let mapped = match state.pte.get() {
            // A page under writeback must not change.
            // SAFETY: The page table has a reference, and is locked.
            Pte::Mapped(folio) if unsafe { !head(folio).writeback.load(Acquire) } => {
                // SAFETY: The page table has a reference, and is locked.
                unsafe {
                    set_page_bytes(state.frame(folio), content.to_bytes());
                    head(folio).dirty.set(true);
                }
                state.content.set(content);
                true
            }
            _ => false,
        };
        state.lock.unlock();
        mapped
    }

    /// The process reads, if the page is mapped, and must find what it has written.
    pub fn check(&self) -> bool {
        let state = self.state();
        state.lock.lock();
        let mapped = matches!(state.pte.get(), Pte::Mapped(_));
        if let Pte::Mapped(folio) = state.pte.get() {
            // SAFETY: The page table has a reference, and is locked.
            let bytes = unsafe { page_bytes(state.frame(folio)) };
            assert_eq!(
                bytes,
                state.content.get().to_bytes(),
                "a process reads what it hasn't written"
            );
        }
        state.lock.unlock();
        mapped
    }

    /// The contents, if the page is mapped.
    pub fn bytes(&self) -> Option<[u8; PAGE_SIZE]> {
        let state = self.state();
        match state.pte.get() {
            // SAFETY: The page table has a reference.
            Pte::Mapped(folio) => Some(unsafe { page_bytes(state.frame(folio)) }),
            _ => None,
        }
    }

    /// Reclaim: `shrink_folio_list()` for this page, to slot `entry` if it has none. Returns
    /// whether the folio was freed.
    pub fn reclaim(&self, entry: swp_entry_t) -> bool {
        let state = self.state();
        // SAFETY: The reference is taken under the lock of the page table, which has one, and the
        // folio is locked before it is used.
        unsafe {
            // Isolated from a list that has a reference.
            state.lock.lock();
            let folio = match state.pte.get() {
                Pte::Mapped(folio) => folio,
                _ => {
                    state.lock.unlock();
                    return false;
                }
            };
            folio_get(folio);
            state.lock.unlock();
            let gone = self.reclaim_folio(folio, entry);
            if !gone {
                folio_put(folio);
            }
            gone
        }
    }

    unsafe fn reclaim_folio(&self, folio: *mut folio, entry: swp_entry_t) -> bool {
        let state = self.state();
        if !folio_trylock(folio) {
            return false;
        }
        let page = head(folio);
        if page.writeback.load(Acquire) || (!page.swapcache.get() && !alloc_slot(folio, entry)) {
            folio_unlock(folio);
            return false;
        }
        // try_to_unmap()
        let unmap = |page: &Self| {
            let state = page.state();
            if state.pte.get() == Pte::Mapped(folio) {
                let val = folio_swap(folio).val + state.index.get();
                let entry = swp_entry_t { val };
                dup_slot(entry);
                state.pte.set(Pte::Swapped(entry));
                folio_put(folio);
            }
        };
        if folio_test_large(folio) {
            self.with_table(|table| table.iter().for_each(|page| unmap(page)));
        } else {
            state.lock.lock();
            unmap(self);
            state.lock.unlock();
        }
        if page.dirty.replace(false) && keeps(Promise::DirtyStays) {
            // pageout(), which unlocks; the slot may have another owner now.
            swap_writeout(folio);
            if !folio_trylock(folio) {
                return false;
            }
        }
        let gone = remove_mapping(folio);
        if !gone {
            folio_unlock(folio);
        }
        gone
    }

    /// `fork()`: the child refers to the same folio or slot. Only for a swapped page here.
    pub fn fork(&self, child: &Self) {
        let Pte::Swapped(entry) = self.pte() else {
            panic!("a page is swapped");
        };
        // SAFETY: The page table refers to the slot, which is therefore in use.
        unsafe { dup_slot(entry) };
        child.state().content.set(self.state().content.get());
        child.state().pte.set(Pte::Swapped(entry));
    }

    /// A fault: `do_swap_page()`. A write fault frees the slot, if it has no other user.
    pub fn fault(&self, to_write: bool) -> Faulted {
        self.fault_of(to_write, 0)
    }

    /// The same, where a folio of `2^order` pages is swapped in if they are swapped to slots in a row.
    pub fn fault_of(&self, to_write: bool, order: u32) -> Faulted {
        let state = self.state();
        self.seen().load(Ordering::Relaxed);
        let entry = match state.pte.get() {
            Pte::Swapped(entry) => entry,
            _ => return Faulted::Done,
        };
        // SAFETY: The entry was in the page table; its device is looked up, and put afterwards.
        unsafe {
            let si = get_swap_device(entry);
            if si.is_null() {
                return Faulted::Again;
            }
            let ret = self.fault_in(entry, to_write, order);
            put_swap_device(si);
            ret
        }
    }

    /// `thp_swapin_suitable_orders()`
    fn orders(&self, entry: swp_entry_t, order: u32) -> usize {
        if order == 0 {
            return 1;
        }
        let nr = 1 << order;
        let val = entry.val & !(nr - 1);
        let first = swp_entry_t { val };
        let all = self.with_table(|table| self.swapped_to(table, entry, first, nr).is_some());
        1 | usize::from(all) << order
    }

    unsafe fn fault_in(&self, entry: swp_entry_t, to_write: bool, order: u32) -> Faulted {
        let mut folio = swap_cache_get_folio(entry);
        if folio.is_null() {
            let orders = self.orders(entry, order);
            let (vmf, mpol) = (null_mut(), null_mut());
            folio = match from_err_ptr(swapin_sync(entry, GFP_KERNEL, orders, vmf, mpol, 0)) {
                Ok(folio) => folio,
                // Out of memory if the page table still has the entry.
                Err(_) => return Faulted::Again,
            };
        }
        folio_lock(folio);
        let ret = match folio_test_large(folio) {
            false => self.map(folio, entry, to_write),
            true => self.map_large(folio, entry, to_write),
        };
        folio_unlock(folio);
        if folio_test_large(folio) && ret == Faulted::Done && !keeps(Promise::MappedLocked) {
            zswap_folio_mapped(folio);
        }
        folio_put(folio);
        ret
    }

    /// The same for a large folio: all its pages at once, or one if it was mapped before. Otherwise it
    /// leaves the swap cache, and must be clean: what is stored for its slots is the newest copy.
    unsafe fn map_large(&self, folio: *mut folio, entry: swp_entry_t, to_write: bool) -> Faulted {
        let page = head(folio);
        if !page.swapcache.get() || !slots_of(folio).contains(&entry) {
            return Faulted::Again;
        }
        folio_wait_writeback(folio);
        let (first, nr) = (folio_swap(folio), folio_nr_pages(folio) as usize);
        let ret = self.with_table(|table| {
            if self.pte() != Pte::Swapped(entry) {
                return Faulted::Again;
            }
            if !page.uptodate.get() {
                return Faulted::Error;
            }
            let set = |pages: &[&Self], at: usize| {
                for (i, page) in pages.iter().enumerate() {
                    let state = page.state();
                    folio_get(folio);
                    state.index.set(at + i);
                    state.pte.set(Pte::Mapped(folio));
                }
            };
            match self.swapped_to(table, entry, first, nr) {
                Some(pages) => {
                    set(pages, 0);
                    put_slots(first, nr as u32);
                    let is_first = !page.anon.replace(true);
                    if is_first && keeps(Promise::MappedLocked) {
                        zswap_folio_mapped(folio);
                    }
                }
                None if page.anon.get() => {
                    set(&[self], entry.val - first.val);
                    put_slots(entry, 1);
                }
                None => {
                    assert!(!page.dirty.get(), "what nobody has mapped is dirty");
                    swap_cache_del_folio(folio);
                    return Faulted::Again;
                }
            }
            Faulted::Done
        });
        if ret != Faulted::Done || to_write {
            folio_free_swap(folio);
        }
        assert!(self.check() || self.pte() != Pte::Mapped(folio));
        ret
    }

    unsafe fn map(&self, folio: *mut folio, entry: swp_entry_t, to_write: bool) -> Faulted {
        let state = self.state();
        let page = head(folio);
        // folio_matches_swap_entry()
        if (!page.swapcache.get() || folio_swap(folio) != entry) && keeps(Promise::Recheck) {
            return Faulted::Again;
        }
        folio_wait_writeback(folio);
        state.lock.lock();
        let same = state.pte.get() == Pte::Swapped(entry);
        if same && page.uptodate.get() {
            folio_get(folio);
            page.anon.set(true);
            state.index.set(0);
            state.pte.set(Pte::Mapped(folio));
        }
        state.lock.unlock();
        match (same, page.uptodate.get()) {
            (false, _) => return Faulted::Again,
            (true, false) => return Faulted::Error,
            _ => {}
        }
        put_slots(entry, 1);
        if to_write {
            folio_free_swap(folio);
        }
        assert!(self.check() || self.pte() != Pte::Mapped(folio));
        Faulted::Done
    }

    /// Takes the entry out of the page table.
    fn zap(&self) -> Pte {
        let state = self.state();
        state.lock.lock();
        let pte = state.pte.replace(Pte::None);
        self.seen().store(1, Ordering::Relaxed);
        state.lock.unlock();
        pte
    }

    /// The process unmaps pages that are swapped, to slots one after the other, at once.
    pub fn unmap_swapped(pages: &[&Self]) {
        let entries: Vec<_> = pages.iter().map(|page| page.zap()).collect();
        let Pte::Swapped(first) = entries[0] else {
            panic!("a page is swapped");
        };
        for (i, entry) in entries.iter().enumerate() {
            let val = first.val + i;
            assert_eq!(*entry, Pte::Swapped(swp_entry_t { val }));
        }
        // SAFETY: The page table's slot counts are ours now.
        unsafe { put_slots_of_process(first, pages.len() as u32) };
    }

    /// The process unmaps: `zap_pte_range()`.
    pub fn unmap(&self) {
        // SAFETY: The page table's reference or slot count is ours now.
        unsafe {
            match self.zap() {
                Pte::None => {}
                Pte::Mapped(folio) => {
                    // free_swap_cache(), which only tries.
                    if folio_trylock(folio) {
                        folio_free_swap(folio);
                        folio_unlock(folio);
                    }
                    folio_put(folio);
                }
                Pte::Swapped(entry) => put_slots_of_process(entry, 1),
            }
        }
    }
}

/// Reclaim of an unmapped folio in the swap cache for a slot, as left by readahead or writeback.
/// Returns whether it was freed.
pub unsafe fn reclaim_cached(entry: swp_entry_t) -> bool {
    reclaim_unmapped(swap_cache_get_folio(entry))
}

/// The same, where the folio is found on the LRU: without a lookup in the swap cache.
pub unsafe fn reclaim_listed(entry: swp_entry_t) -> bool {
    let ci = swap_entry_to_cluster(entry);
    swap_cluster_spin_lock(ci);
    let word = word_of(entry).load(Relaxed);
    let mut folio = null_mut();
    if words::is_folio(word) {
        folio = pfn_folio(words::pfn(word));
        folio_get(folio);
    }
    swap_cluster_unlock(ci);
    reclaim_unmapped(folio)
}

unsafe fn reclaim_unmapped(folio: *mut folio) -> bool {
    if folio.is_null() {
        return false;
    }
    if folio_trylock(folio) {
        let page = head(folio);
        let mut locked = true;
        let idle = page.swapcache.get() && !page.writeback.load(Acquire);
        if idle && page.dirty.replace(false) && keeps(Promise::DirtyStays) {
            swap_writeout(folio);
            locked = folio_trylock(folio);
        }
        if locked {
            if remove_mapping(folio) {
                return true;
            }
            folio_unlock(folio);
        }
    }
    folio_put(folio);
    false
}

/// `__try_to_reclaim_swap()`: an unreferenced folio leaves the swap cache.
pub unsafe fn reclaim_swap(entry: swp_entry_t) {
    let si = get_swap_device(entry);
    if si.is_null() {
        return;
    }
    let folio = swap_cache_get_folio(entry);
    if !folio.is_null() {
        if folio_trylock(folio) {
            if head(folio).swapcache.get() && folio_swap(folio) == entry {
                folio_free_swap(folio);
            }
            folio_unlock(folio);
        }
        folio_put(folio);
    }
    put_swap_device(si);
}

/// `mincore_swap()` for a page of shmem: whether it is in memory. Holds neither the mapping's nor
/// the folio's lock, and relies on the lookup's result without a recheck.
///
/// So the result must be a folio that the slot had during the call; with the reference it can't be
/// reused since.
///
/// # Safety
///
/// None: `entry` may be any value, even of a device that was freed.
pub unsafe fn mincore(entry: swp_entry_t) -> bool {
    let si = get_swap_device(entry);
    if si.is_null() {
        return false;
    }
    let folio = swap_cache_get_folio(entry);
    put_swap_device(si);
    if folio.is_null() {
        return false;
    }
    let present = head(folio).uptodate.get();
    folio_lock(folio);
    assert!(
        folio_has_had(folio, entry),
        "a folio is found that the slot has never had"
    );
    folio_unlock(folio);
    folio_put(folio);
    present
}

/// Memory pressure: the shrinkers scan `nr` objects.
pub fn shrink(nr: usize) -> usize {
    let mut sc = shrink_control {
        gfp_mask: GFP_KERNEL | __GFP_IO | __GFP_FS,
        nid: 0,
        nr_to_scan: nr,
        nr_scanned: nr,
        memcg: null_mut(),
    };
    let shrinkers = world().c.shrinkers.borrow().clone();
    let mut freed = 0;
    for shrinker in shrinkers {
        // SAFETY: The shrinker was registered, with both functions, and is never freed.
        unsafe {
            if (*shrinker).count_objects.unwrap()(shrinker, &mut sc) > 0 {
                match (*shrinker).scan_objects.unwrap()(shrinker, &mut sc) {
                    usize::MAX => {}
                    n => freed += n,
                }
            }
        }
    }
    // SAFETY: Submitted work stays alive until it has run.
    unsafe { complete_io() };
    freed
}
