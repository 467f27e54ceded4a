// SPDX-License-Identifier: GPL-2.0-or-later

//! Large folios that are swapped in as a whole, while others work on one of their slots.

use kernel::{
    bindings,
    c::{self, Content, Faulted, Page},
    sim::{self, together},
};
use models::{boot, shut_down, Device};

static PAGES: [Page; 4] = [const { Page::new() }; 4];
static TWO: [&Page; 2] = [&PAGES[0], &PAGES[1]];
static FOUR: [&Page; 4] = [&PAGES[0], &PAGES[1], &PAGES[2], &PAGES[3]];
static OTHER: Page = Page::new();
static ALONE: [&Page; 1] = [&OTHER];

/// The first slot of the second cluster.
const FIRST: usize = bindings::SWAPFILE_CLUSTER_SLOTS;

/// Neighbours, in slots that follow one another, stored in zswap without their second chance.
fn old_pages(pages: &'static [&'static Page]) -> Device {
    let device = boot();
    Page::adjoin(pages);
    for (i, page) in pages.iter().enumerate() {
        page.create(Content::new(i as u16, 2));
        assert!(page.reclaim(device.slot(FIRST + i)));
    }
    assert_eq!(c::shrink(pages.len()), 0);
    device
}

/// Faults until the page is there, with its neighbours if they are all in zswap.
fn fault_whole(page: &Page, to_write: bool, order: u32) {
    while page.fault_of(to_write, order) != Faulted::Done {
        sim::relax();
    }
    page.check();
}

/// The slot's folio leaves the swap cache, if nothing uses it.
fn reclaim(device: Device, slot: usize) {
    // SAFETY: The device exists to the end of the model.
    unsafe { _ = c::reclaim_listed(device.slot(slot)) };
}

/// One of the pages is written back, and then only on the device.
pub fn large_and_writeback() {
    let device = old_pages(&TWO);
    together(vec![
        Box::new(|| fault_whole(&PAGES[1], false, 1)),
        Box::new(move || {
            c::shrink(1);
            reclaim(device, FIRST);
        }),
    ]);
    shut_down(device, &TWO);
}

/// One of the pages is swapped in by itself.
pub fn large_and_fault() {
    let device = old_pages(&TWO);
    together(vec![
        Box::new(|| fault_whole(&PAGES[0], true, 1)),
        Box::new(|| fault_whole(&PAGES[1], false, 0)),
    ]);
    shut_down(device, &TWO);
}

/// One of the slots is freed, and another page is swapped out to it: the folio is loaded with a page
/// that isn't the process's, and must not be mapped.
pub fn large_and_free() {
    let device = old_pages(&TWO);
    Page::adjoin(&ALONE);
    OTHER.create(Content::new(4, 4));
    together(vec![
        Box::new(|| fault_whole(&PAGES[0], false, 1)),
        Box::new(move || {
            PAGES[1].unmap();
            OTHER.reclaim(device.slot(FIRST + 1));
        }),
    ]);
    shut_down(device, &[&PAGES[0], &OTHER]);
}

/// Two faults swap in the same folio.
pub fn two_large() {
    let device = old_pages(&TWO);
    together(vec![
        Box::new(|| fault_whole(&PAGES[0], true, 1)),
        Box::new(|| fault_whole(&PAGES[1], false, 1)),
    ]);
    shut_down(device, &TWO);
}

/// One of the pages is zeroed and swapped out: its slot has the zero mark, and a stale entry.
pub fn large_and_zeroed() {
    let device = old_pages(&TWO);
    let page = &PAGES[1];
    // Stored while another task has a reference: the folio stays in the swap cache.
    fault_whole(page, false, 0);
    let c::Pte::Mapped(folio) = page.pte() else {
        panic!("a page is mapped");
    };
    // SAFETY: The page table has a reference.
    unsafe { bindings::folio_get(folio) };
    assert!(!page.reclaim(device.slot(FIRST + 1)));
    // SAFETY: Just taken.
    unsafe { bindings::folio_put(folio) };
    fault_whole(page, false, 0);
    assert!(page.write(Content::new(1, 0)));
    together(vec![
        Box::new(|| fault_whole(&PAGES[0], false, 1)),
        Box::new(move || _ = page.reclaim(device.slot(FIRST + 1))),
    ]);
    shut_down(device, &TWO);
}

/// The folio is loaded and not mapped, and reclaim drops it: what is stored is still there, to be
/// loaded again or written back.
pub fn large_then_reclaim() {
    let device = old_pages(&TWO);
    together(vec![
        Box::new(move || {
            let none = core::ptr::null_mut::<u8>();
            // SAFETY: The device exists to the end of the model, and the slot is in use.
            unsafe {
                let slot = device.slot(FIRST);
                let folio = bindings::swapin_sync(slot, 0, 0b11, none.cast(), none.cast(), 0);
                bindings::folio_put(folio);
            }
            fault_whole(&PAGES[0], true, 1);
        }),
        Box::new(move || {
            reclaim(device, FIRST + 1);
            c::shrink(1);
        }),
    ]);
    shut_down(device, &TWO);
}

/// As soon as the folio is mapped, it is swapped out, and a page of it is written to.
pub fn large_and_store() {
    let device = old_pages(&TWO);
    together(vec![
        Box::new(|| {
            fault_whole(&PAGES[0], false, 1);
            PAGES[0].write(Content::new(0, 4));
        }),
        Box::new(move || {
            fault_whole(&PAGES[1], false, 1);
            PAGES[1].reclaim(device.slot(FIRST));
        }),
    ]);
    shut_down(device, &TWO);
}

/// A folio of four pages: all of a cluster.
pub fn large_of_four() {
    let device = old_pages(&FOUR);
    together(vec![
        Box::new(|| fault_whole(&PAGES[2], false, 2)),
        Box::new(|| PAGES[1].unmap()),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&PAGES[0], &PAGES[2], &PAGES[3]]);
}
