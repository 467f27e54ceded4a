// SPDX-License-Identifier: GPL-2.0-or-later

//! All operations concurrently, in random orders: three processes with a page each, the shrinker,
//! reclaim, readahead, and changing parameters. `SCHEDULES` is the number of orders.

use kernel::{
    bindings,
    c::{self, Content, Page, Pte},
    sim::{random, relax, together, Run},
};
use models::{boot, set, shut_down, Device, Param, SLOTS};

static PAGES: [Page; 3] = [const { Page::new() }; 3];

/// The first two are neighbours.
static TABLES: [&[&Page]; 2] = [&[&PAGES[0], &PAGES[1]], &[&PAGES[2]]];

fn slot(device: Device) -> bindings::swp_entry_t {
    device.slot(1 + random(SLOTS - 1))
}

/// A process's operations on its page, and operations of others on it.
fn process(device: Device, number: usize) {
    let page = &PAGES[number];
    for version in 1..6 {
        let content = Content::new(number as u16, if random(3) == 0 { 0 } else { version });
        if page.pte() == Pte::None {
            page.create(content);
        }
        // Often where neighbours can be swapped in as a whole.
        page.reclaim([slot(device), device.slot(4 + number)][random(2)]);
        page.fault_of(random(2) == 0, random(2) as u32);
        if !page.check() {
            continue;
        }
        page.write(content);
        if random(4) == 0 {
            page.unmap();
        }
    }
    if page.pte() == Pte::None {
        page.create(Content::new(number as u16, 7));
    }
}

/// Memory pressure.
fn pressure(device: Device) {
    for _ in 0..6 {
        match random(4) {
            0 => _ = c::shrink(4),
            // SAFETY: The device exists to the end.
            1 => unsafe { _ = c::reclaim_cached(slot(device)) },
            2 => read_ahead(slot(device)),
            _ => set(Param::MaxPoolPercent, [c"0", c"20"][random(2)]),
        }
        relax();
    }
}

/// Readahead: swaps in a page without a fault, at random.
fn read_ahead(slot: bindings::swp_entry_t) {
    let none = core::ptr::null_mut::<u8>();
    // SAFETY: The device exists to the end; the fault and the policy are null.
    unsafe {
        let folio = bindings::swapin_sync(slot, 0, 1, none.cast(), none.cast(), 0);
        if let Ok(folio) = kernel::error::from_err_ptr(folio) {
            bindings::folio_put(folio);
        }
    }
}

#[test]
fn all_at_once() {
    let schedules = std::env::var("SCHEDULES").map_or(500, |n| n.parse().unwrap());
    let run = Run {
        broken: None,
        preemptions: 0,
        schedules,
    };
    run.shuttle(|| {
        let device = boot();
        TABLES.into_iter().for_each(Page::adjoin);
        together(vec![
            Box::new(move || process(device, 0)),
            Box::new(move || process(device, 1)),
            Box::new(move || process(device, 2)),
            Box::new(move || pressure(device)),
        ]);
        shut_down(device, &[&PAGES[0], &PAGES[1], &PAGES[2]]);
    });
    println!("  {schedules} random schedules");
}
