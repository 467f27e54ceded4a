// SPDX-License-Identifier: GPL-2.0-or-later

//! Random sequences of operations on pages, one after the other, with failures. The reference is a
//! map: a page reads as it was last written. `PROPTEST_CASES` is the number of sequences.

use kernel::{
    bindings::{self, Fault},
    c::{self, Content, Faulted, Page, Pte},
    sim::Run,
    workqueue,
};
use models::{boot, set, shut_down, Param, SLOTS};
use proptest::prelude::*;
use std::collections::HashMap;

const NR: usize = 2;
static PAGES: [Page; NR] = [const { Page::new() }; NR];
static TABLE: [&Page; NR] = [&PAGES[0], &PAGES[1]];

#[derive(Clone, Debug)]
enum Op {
    Write(usize, u16),
    /// With or without another reference to the folio, which keeps it in the swap cache.
    SwapOut(usize, usize, bool),
    /// By itself, or with its neighbour.
    SwapIn(usize, bool, u32),
    Unmap(usize),
    Shrink(usize),
    ReadAhead(usize),
    Reclaim(usize),
    Enabled(bool),
    Limit(bool),
    Compressor(bool),
    Work,
    Fail(Fault, u32),
}

fn ops() -> impl Strategy<Value = Op> {
    let fault = prop::sample::select(vec![
        Fault::Memory,
        Fault::Folio,
        Fault::Object,
        Fault::Compress,
        Fault::Decompress,
    ]);
    prop_oneof![
        4 => (0..NR, 0..4u16).prop_map(|(page, version)| Op::Write(page, version)),
        6 => (0..NR, 1..2 * SLOTS, any::<bool>()).prop_map(|(page, slot, held)| {
            // Often where neighbours can be swapped in as a whole.
            Op::SwapOut(page, if slot < SLOTS { slot } else { 4 + page }, held)
        }),
        4 => (0..NR, any::<bool>(), 0..2u32).prop_map(|(page, write, order)| Op::SwapIn(page, write, order)),
        1 => (0..NR).prop_map(Op::Unmap),
        4 => (1..4usize).prop_map(Op::Shrink),
        1 => (1..SLOTS).prop_map(Op::ReadAhead),
        2 => (1..SLOTS).prop_map(Op::Reclaim),
        1 => any::<bool>().prop_map(Op::Enabled),
        1 => any::<bool>().prop_map(Op::Limit),
        1 => any::<bool>().prop_map(Op::Compressor),
        1 => Just(Op::Work),
        2 => (fault, 1..4u32).prop_map(|(what, nth)| Op::Fail(what, nth)),
    ]
}

/// Runs all operations, and compares mapped pages with what was written.
fn run(ops: &[Op]) {
    let device = boot();
    Page::adjoin(&TABLE);
    let mut written = HashMap::new();
    for op in ops {
        match *op {
            Op::Write(page, version) => {
                let content = Content::new(page as u16, version);
                match PAGES[page].pte() {
                    Pte::None => PAGES[page].create(content),
                    Pte::Mapped(_) => assert!(PAGES[page].write(content)),
                    Pte::Swapped(_) => continue,
                }
                written.insert(page, content);
            }
            Op::SwapOut(page, slot, held) => {
                let folio = match PAGES[page].pte() {
                    Pte::Mapped(folio) if held => Some(folio),
                    _ => None,
                };
                // SAFETY: It is mapped, which is a reference.
                folio.inspect(|folio| unsafe { bindings::folio_get(*folio) });
                PAGES[page].reclaim(device.slot(slot));
                // SAFETY: Just taken.
                folio.inspect(|folio| unsafe { bindings::folio_put(*folio) });
            }
            Op::SwapIn(page, write, order) => {
                // An I/O error persists as long as the folio that could not be read exists.
                if PAGES[page].fault_of(write, order) == Faulted::Error {
                    if let Pte::Swapped(entry) = PAGES[page].pte() {
                        // SAFETY: The device exists.
                        unsafe { c::reclaim_cached(entry) };
                    }
                }
            }
            Op::Unmap(page) => {
                PAGES[page].unmap();
                written.remove(&page);
            }
            Op::Shrink(nr) => _ = c::shrink(nr),
            Op::ReadAhead(slot) => {
                let none = core::ptr::null_mut::<u8>();
                let slot = device.slot(slot);
                // SAFETY: The device exists; the fault and the policy are null.
                unsafe {
                    let folio = bindings::swapin_sync(slot, 0, 1, none.cast(), none.cast(), 0);
                    if let Ok(folio) = kernel::error::from_err_ptr(folio) {
                        bindings::folio_put(folio);
                    }
                }
            }
            // SAFETY: The device exists.
            Op::Reclaim(slot) => unsafe { _ = c::reclaim_cached(device.slot(slot)) },
            Op::Enabled(on) => set(Param::Enabled, if on { c"Y" } else { c"N" }),
            Op::Limit(hit) => set(Param::MaxPoolPercent, if hit { c"0" } else { c"20" }),
            Op::Compressor(lz4) => {
                no_failures();
                set(Param::Compressor, if lz4 { c"lz4" } else { c"lzo" });
            }
            Op::Work => _ = workqueue::run(),
            Op::Fail(what, nth) => bindings::fail(what, nth),
        }
        for (page, content) in &written {
            if let Some(bytes) = PAGES[*page].bytes() {
                assert_eq!(bytes, content.to_bytes(), "page {page} after {op:?}");
            }
        }
    }
    no_failures();
    // Reading all pages reveals stale ones.
    shut_down(device, &PAGES.each_ref());
}

fn no_failures() {
    for what in [
        Fault::Memory,
        Fault::Folio,
        Fault::Object,
        Fault::Compress,
        Fault::Decompress,
    ] {
        bindings::fail(what, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(
            std::env::var("PROPTEST_CASES").map_or(2000, |n| n.parse().unwrap())
        )
    })]
    #[test]
    fn what_is_written_is_read(ops in prop::collection::vec(ops(), 1..80)) {
        let plain = Run { broken: None, preemptions: 0, schedules: 0 };
        plain.plain(|| run(&ops));
    }
}
