// SPDX-License-Identifier: GPL-2.0-or-later

//! Two or three threads on one or two slots: every order of their steps, with the number of
//! preemptions in the table, or in `LOOM_MAX_PREEMPTIONS`.
//!
//! The invariants: a process reads what it has written last, whichever path the page took; there is
//! no double free, use after free, or unordered access by two threads; and nothing is left at the
//! end.

use super::{large::*, leaves::*, requests::*};
use kernel::{
    bindings,
    c::{self, Content, Faulted, Page},
    sim::{self, together, Promise, Run, PROMISES},
};
use models::{
    boot,
    leaves::{as_it_is::Numbers, Index},
    nothing_is_left, shut_down, Device,
};
use std::{process::Command, time::Instant};

static A: Page = Page::new();
static B: Page = Page::new();
static C: Page = Page::new();

/// Page `A` in slot 1, stored in zswap, without its second chance: the shrinker will write it back.
fn old_page(version: u16) -> Device {
    let device = boot();
    A.create(Content::new(0, version));
    assert!(A.reclaim(device.slot(1)));
    assert_eq!(c::shrink(1), 0, "a new entry has a second chance");
    device
}

/// Faults until the page is there, like a process.
fn fault(page: &Page, to_write: bool) {
    while page.fault(to_write) != Faulted::Done {
        sim::relax();
    }
    page.check();
}

/// A load during writeback of the page.
fn load_and_writeback() {
    let device = old_page(2);
    together(vec![
        Box::new(|| fault(&A, true)),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A]);
}

/// The same with a page that is stored uncompressed.
fn load_and_writeback_raw() {
    let device = old_page(1);
    together(vec![
        Box::new(|| fault(&A, false)),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A]);
}

/// The slot is freed during writeback of its page.
fn free_and_writeback() {
    let device = old_page(2);
    together(vec![Box::new(|| A.unmap()), Box::new(|| _ = c::shrink(1))]);
    shut_down(device, &[]);
}

/// Page `A` in slot 1, stored in zswap, with its second chance: the shrinker will take that away, which
/// changes the entry's tag.
fn new_page() -> Device {
    let device = boot();
    A.create(Content::new(0, 2));
    assert!(A.reclaim(device.slot(1)));
    device
}

/// The slot is freed while the entry's second chance is taken away.
fn free_and_second_chance() {
    let device = new_page();
    together(vec![Box::new(|| A.unmap()), Box::new(|| _ = c::shrink(1))]);
    shut_down(device, &[]);
}

/// A load meanwhile.
fn load_and_second_chance() {
    let device = new_page();
    together(vec![
        Box::new(|| fault(&A, true)),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A]);
}

/// The slot is freed, and reused for another page, during writeback.
fn reuse_and_writeback() {
    let device = old_page(2);
    B.create(Content::new(1, 4));
    together(vec![
        Box::new(move || {
            A.unmap();
            B.reclaim(device.slot(1));
        }),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&B]);
}

/// One process loads the page, another one that shares it exits.
fn load_and_free() {
    let device = old_page(2);
    A.fork(&B);
    together(vec![Box::new(|| fault(&A, true)), Box::new(|| B.unmap())]);
    shut_down(device, &[&A]);
}

/// Two threads swap in the same slot: one adds the folio, and the other finds it.
fn two_loads() {
    let device = old_page(2);
    A.fork(&B);
    together(vec![
        Box::new(|| fault(&A, true)),
        Box::new(|| fault(&B, false)),
    ]);
    shut_down(device, &[&A, &B]);
}

/// Two threads swap in the same slot during writeback.
fn two_loads_and_writeback() {
    let device = old_page(2);
    A.fork(&B);
    together(vec![
        Box::new(|| fault(&A, true)),
        Box::new(|| fault(&B, true)),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A, &B]);
}

/// A lookup, as in readahead, while the slot's folio leaves and its memory is reused for another
/// slot's page.
fn lookup_and_reuse() {
    let device = old_page(2);
    together(vec![
        // SAFETY: The device exists to the end of the model.
        Box::new(move || unsafe {
            let folio = bindings::swap_cache_get_folio(device.slot(1));
            if !folio.is_null() {
                c::folio_lock(folio);
                let page = bindings::head(folio);
                let same = page.swapcache.get() && page.swap.get() == device.slot(1).val;
                if same && page.uptodate.get() {
                    let bytes = bindings::page_bytes(folio.cast());
                    assert_eq!(bytes, Content::new(0, 2).to_bytes());
                }
                bindings::folio_unlock(folio);
                bindings::folio_put(folio);
            }
        }),
        Box::new(move || {
            fault(&A, true);
            A.unmap();
            B.create(Content::new(1, 4));
            B.reclaim(device.slot(2));
        }),
    ]);
    shut_down(device, &[&B]);
}

/// The same, by a caller that relies on the result, while the folio and its slot are freed and its
/// memory is reused for a page without a slot.
fn mincore_and_reuse() {
    let device = old_page(2);
    together(vec![
        // SAFETY: The device exists to the end of the model.
        Box::new(move || unsafe { _ = c::mincore(device.slot(1)) }),
        Box::new(|| {
            fault(&A, true);
            A.unmap();
            B.create(Content::new(1, 4));
        }),
    ]);
    shut_down(device, &[&B]);
}

/// The same, while reclaim frees the folio, and the page is swapped in again to another one.
fn mincore_and_reclaim() {
    let device = old_page(2);
    swap_in(device);
    together(vec![
        // SAFETY: The device exists to the end of the model.
        Box::new(move || unsafe { _ = c::mincore(device.slot(1)) }),
        Box::new(move || {
            // SAFETY: The device exists to the end of the model.
            unsafe { c::reclaim_cached(device.slot(1)) };
            B.create(Content::new(1, 4));
            swap_in(device);
        }),
    ]);
    shut_down(device, &[&A, &B]);
}

/// A page is swapped out while a fault swaps it in, writes to it, and it is swapped out again:
/// there may be an older entry for its slot. All of that while the shrinker runs.
fn store_again(second: u16) {
    let device = boot();
    A.create(Content::new(0, 2));
    together(vec![
        Box::new(move || _ = A.reclaim(device.slot(1))),
        Box::new(move || {
            fault(&A, false);
            A.write(Content::new(0, second));
            A.reclaim(device.slot(1));
        }),
        Box::new(|| {
            c::shrink(1);
            c::shrink(1);
        }),
    ]);
    shut_down(device, &[&A]);
}

fn store_again_other() {
    store_again(4);
}

fn store_again_zero() {
    store_again(0);
}

/// A page is zero when it is swapped out, and not zero the next time.
fn store_after_zero() {
    let device = boot();
    A.create(Content::new(0, 0));
    assert!(A.reclaim(device.slot(1)));
    together(vec![
        Box::new(move || {
            fault(&A, false);
            A.write(Content::new(0, 4));
            A.reclaim(device.slot(1));
            c::shrink(1);
        }),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A]);
}

/// The page of one process is swapped out again, another process that shares it exits: both change
/// the slot's swap-table entry.
fn store_shared() {
    let device = old_page(2);
    A.fork(&B);
    together(vec![
        Box::new(move || {
            fault(&A, false);
            A.reclaim(device.slot(1));
        }),
        Box::new(|| B.unmap()),
    ]);
    shut_down(device, &[&A]);
}

/// A slot is freed, and reused for another page as soon as it is free.
fn free_and_reuse() {
    let device = old_page(2);
    B.create(Content::new(1, 4));
    together(vec![
        Box::new(|| A.unmap()),
        Box::new(move || _ = B.reclaim(device.slot(1))),
    ]);
    shut_down(device, &[&B]);
}

/// A task that has looked up a slot swaps it in; meanwhile its page is mapped and unmapped, and
/// another page is swapped out to the same slot: the page table entry is the same as before.
fn same_slot_again() {
    let device = old_page(2);
    together(vec![
        Box::new(|| _ = A.fault(false)),
        Box::new(move || {
            fault(&A, true);
            A.unmap();
            A.create(Content::new(0, 4));
            A.reclaim(device.slot(1));
        }),
    ]);
    shut_down(device, &[&A]);
}

/// Swaps in the page of slot 1, without a fault.
fn swap_in(device: Device) {
    let none = core::ptr::null_mut::<u8>();
    // SAFETY: The device exists to the end of the model, and the slot is in use.
    unsafe {
        let folio = bindings::swapin_sync(device.slot(1), 0, 1, none.cast(), none.cast(), 0);
        bindings::folio_put(folio);
    }
}

/// Readahead of a page during its writeback, while reclaim tries to free its folio.
fn read_ahead() {
    let device = old_page(2);
    together(vec![
        Box::new(move || {
            swap_in(device);
            // SAFETY: The device exists to the end of the model, and the slot is in use.
            unsafe { c::reclaim_cached(device.slot(1)) };
        }),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A]);
}

/// A page is written back, and reclaim frees its folio: a load finds it on the device.
fn reclaim_and_writeback() {
    let device = old_page(2);
    together(vec![
        Box::new(move || {
            // SAFETY: The device exists to the end of the model.
            unsafe { c::reclaim_cached(device.slot(1)) };
            fault(&A, true);
        }),
        Box::new(|| _ = c::shrink(1)),
    ]);
    shut_down(device, &[&A]);
}

/// swapoff during writeback of a page.
fn swapoff_and_writeback() {
    let device = old_page(2);
    together(vec![
        Box::new(move || device.off(&[&A])),
        Box::new(|| _ = c::shrink(1)),
    ]);
    assert!(A.check());
    A.unmap();
    nothing_is_left();
}

/// swapoff during a load.
fn swapoff_and_load() {
    let device = old_page(2);
    together(vec![
        Box::new(move || device.off(&[&A])),
        Box::new(|| fault(&A, true)),
    ]);
    assert!(A.check());
    A.unmap();
    nothing_is_left();
}

/// swapoff while the last slot of the device is freed.
fn swapoff_and_free() {
    let device = old_page(2);
    together(vec![
        Box::new(move || device.off(&[])),
        Box::new(|| A.unmap()),
        Box::new(|| _ = c::shrink(1)),
    ]);
    nothing_is_left();
}

/// The last page of a device is freed, and then the device, while another task acts on the slot's
/// old entry without any reference.
fn too_late(late: fn(Device)) {
    let device = old_page(2);
    together(vec![
        Box::new(move || {
            A.unmap();
            device.off(&[]);
        }),
        Box::new(move || late(device)),
    ]);
    nothing_is_left();
}

fn too_late_to_look() {
    // SAFETY: The callee checks whether the device still exists.
    too_late(|device| unsafe { _ = c::mincore(device.slot(1)) });
}

fn too_late_to_load() {
    too_late(|_| _ = A.fault(true));
}

fn too_late_to_write_back() {
    too_late(|_| _ = c::shrink(1));
}

/// Two slots of one tree: one is stored to, the other freed, and the shrinker walks.
fn neighbours() {
    let device = old_page(2);
    B.create(Content::new(1, 4));
    together(vec![
        Box::new(move || _ = B.reclaim(device.slot(2))),
        Box::new(|| A.unmap()),
        Box::new(|| _ = c::shrink(2)),
    ]);
    shut_down(device, &[&B]);
}

/// Two slots of one leaf, in different clusters: the last one that is filled is freed, and the other stored
/// to. The leaf goes, or it is joined.
fn free_and_store() {
    let device = old_page(2);
    B.create(Content::new(1, 4));
    together(vec![
        Box::new(|| A.unmap()),
        Box::new(move || _ = B.reclaim(device.slot(5))),
    ]);
    shut_down(device, &[&B]);
}

/// Two slots of one leaf that isn't there are stored to at once: both tasks insert it.
fn two_stores() {
    let device = boot();
    A.create(Content::new(0, 2));
    B.create(Content::new(1, 4));
    together(vec![
        Box::new(move || _ = A.reclaim(device.slot(1))),
        Box::new(move || _ = B.reclaim(device.slot(5))),
    ]);
    shut_down(device, &[&A, &B]);
}

/// Slots that follow one another are freed together, while another one of their leaf is stored to.
fn free_range_and_store() {
    let device = old_page(2);
    B.create(Content::new(1, 4));
    assert!(B.reclaim(device.slot(2)));
    C.create(Content::new(2, 6));
    together(vec![
        Box::new(|| Page::unmap_swapped(&[&A, &B])),
        Box::new(move || _ = C.reclaim(device.slot(5))),
    ]);
    shut_down(device, &[&C]);
}

/// A page is loaded from the device, and its slot freed, where a leaf is that goes: the last slot of it that
/// is filled is freed.
fn free_and_load_from_device() {
    let device = boot();
    B.create(Content::new(1, 4));
    assert!(B.reclaim(device.slot(5)));
    c::shrink(1);
    assert_eq!(c::shrink(1), 1);
    // SAFETY: The device exists to the end of the model.
    assert!(unsafe { c::reclaim_cached(device.slot(5)) });
    A.create(Content::new(0, 2));
    assert!(A.reclaim(device.slot(1)));
    together(vec![Box::new(|| A.unmap()), Box::new(|| fault(&B, true))]);
    shut_down(device, &[&B]);
}

/// A device's trees are used as soon as they are visible: by a folio of that device, with nothing
/// but the pointer to the trees to order the two.
fn publication() {
    // No device has the number of this one.
    let folio = owner(2);
    let look = move || assert_eq!(Numbers::number(folio), None);
    look();
    together(vec![Box::new(Numbers::attach), Box::new(look)]);
    Numbers::detach();
}

/// A model, with its number of preemptions.
pub struct Model {
    pub name: &'static str,
    pub run: fn(),
    pub preemptions: usize,
}

macro_rules! models {
    (
        $($name:ident: $preemptions:literal,)*;
        $($mistake:ident: $fails:expr,)*
    ) => {
        /// All of them.
        pub const MODELS: &[Model] = &[
            $(Model { name: stringify!($name), run: super::every_order::$name, preemptions: $preemptions },)*
            $(Model { name: stringify!($mistake), run: super::every_order::$mistake, preemptions: 2 },)*
        ];

        mod run {
            use super::*;

            $(#[test]
            fn $name() {
                if std::env::var_os("MODEL").is_some() {
                    return super::alone();
                }
                let (passed, said) = super::try_alone(stringify!($name), None);
                print!("{said}");
                assert!(passed && said.contains(" executions, "));
            })*

            $(#[test]
            fn $mistake() {
                if std::env::var_os("MODEL").is_some() {
                    return super::alone();
                }
                let (passed, said) = super::try_alone(stringify!($mistake), None);
                assert!(!passed, "the mistake isn't found");
                assert!(said.contains($fails), "this fails instead of \"{}\": {said}", $fails);
            })*
        }
    };
}

models! {
    load_and_writeback: 3,
    load_and_writeback_raw: 3,
    free_and_writeback: 3,
    free_and_second_chance: 3,
    load_and_second_chance: 3,
    reuse_and_writeback: 3,
    load_and_free: 2,
    two_loads: 2,
    two_loads_and_writeback: 1,
    lookup_and_reuse: 3,
    mincore_and_reuse: 2,
    mincore_and_reclaim: 3,
    store_again_other: 1,
    store_again_zero: 1,
    store_after_zero: 1,
    store_shared: 2,
    free_and_reuse: 2,
    same_slot_again: 1,
    read_ahead: 2,
    reclaim_and_writeback: 2,
    swapoff_and_writeback: 3,
    swapoff_and_load: 2,
    swapoff_and_free: 1,
    too_late_to_look: 3,
    too_late_to_load: 3,
    too_late_to_write_back: 3,
    neighbours: 1,
    free_and_store: 3,
    two_stores: 3,
    free_range_and_store: 3,
    free_and_load_from_device: 3,
    publication: 3,
    large_and_writeback: 3,
    large_and_fault: 2,
    large_and_free: 2,
    two_large: 2,
    large_and_zeroed: 4,
    large_then_reclaim: 3,
    large_and_store: 2,
    large_of_four: 1,
    leaf_filled_by_two: 4,
    leaf_filled_without_memory: 0,
    leaf_left_and_joined: 4,
    leaf_left_and_joined_by_two: 3,
    leaf_left_and_looked_at: 4,
    leaf_left_by_two: 4,
    two_requests: 3,
    backlog: 2,
    requests_again: 2,
    request_reused: 2,
    unwanted: 2,
    one_request: 3,
    two_expanded: 3,
    expanded_with_reused: 2,
    expanded_unwanted: 2,
    ;
    // Seeded bugs, and what fails.
    mistake_gets_what_is_removed: LOST,
    mistake_put_unseen: LOST,
    mistake_frees_at_once: GONE,
    mistake_puts_what_it_has_not: LOST,
    mistake_returns_early: RACE,
    mistake_does_not_wait: "what is compressed is the page",
    mistake_transform_goes_first: "a transform goes with requests",
    mistake_no_backlog: "a page is compressed",
    mistake_does_not_wait_for_pages: "the page is what was compressed",
    mistake_returns_before_pages: RACE,
}

/// loom's message for unordered accesses.
pub const RACE: &str = "Causality violation: Concurrent";

/// Tries all orders of a model's steps, with a guarantee of C broken if one is given. In a separate
/// process, since a failing model may crash. Returns whether it has passed, and the output.
pub fn try_alone(name: &str, broken: Option<Promise>) -> (bool, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("every_order::run::{name}"),
            "--nocapture",
        ])
        .env("MODEL", name)
        .env(
            "BROKEN",
            broken.map_or(String::new(), |promise| format!("{promise:?}")),
        )
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|out| String::from_utf8_lossy(&out).into_owned());
    let own = |line: &&str| {
        !line.is_empty()
            && !["thread ", "running", "note:", "stack", "test "]
                .iter()
                .any(|it| line.starts_with(it))
    };
    let said = said.concat();
    let said: String = said
        .lines()
        .filter(own)
        .map(|line| format!("{line}\n"))
        .collect();
    (output.status.success(), said)
}

/// In that process: the model `MODEL` without the guarantee `BROKEN`.
fn alone() {
    let (name, broken) = ["MODEL", "BROKEN"]
        .map(|name| std::env::var(name).unwrap())
        .into();
    let broken = PROMISES
        .iter()
        .copied()
        .find(|promise| format!("{promise:?}") == broken);
    let model = MODELS.iter().find(|model| model.name == name).unwrap();
    let preemptions = std::env::var("LOOM_MAX_PREEMPTIONS").ok();
    let preemptions = preemptions.map_or(model.preemptions, |n| n.parse().unwrap());
    let run = Run {
        broken,
        preemptions,
        schedules: 0,
    };
    let start = Instant::now();
    let executions = run.loom(model.run);
    println!(
        "  {name}: {executions} executions, with up to {preemptions} preemptions, in {:.1} s",
        start.elapsed().as_secs_f64()
    );
}
