// SPDX-License-Identifier: GPL-2.0-or-later

//! The orders of large swap-ins, against a model that computes every rule on its own.

use policy::api::{
    clip, largest_fit, orders, orders_of_file, room_for, AccessPattern, Asked, Facts, PAGE_SIZE,
    TABLE_SPAN,
};
use proptest::prelude::*;
use std::iter;

const PAGES: usize = TABLE_SPAN / PAGE_SIZE;
const BASE: usize = 5 * TABLE_SPAN;
/// What `thp_vma_allowable_orders()` returns if all sizes are enabled: never orders 0 and 1.
const ANON: usize = (PAGES - 1) & !3;
/// 64 KiB.
const MAX: u32 = 4;

/// A fault at this page of a page table, all of whose pages are one VMA, in zswap, and were accessed.
fn fault_at(page: usize) -> Facts {
    Facts {
        never_enabled: false,
        enabled: true,
        synchronous: true,
        writable: true,
        zero: false,
        in_zswap: true,
        offset: BASE / PAGE_SIZE + page,
        address: BASE + page * PAGE_SIZE,
        vma: BASE..BASE + TABLE_SPAN,
        exclusive: true,
        anonymous: true,
        allowable: ANON,
        pattern: AccessPattern::Normal,
        exact: true,
        young: [true; PAGES],
        room: usize::MAX,
    }
}

/// `thp_swap_suitable_orders()` and `thp_vma_suitable_orders()`, for one order.
fn c_suits(facts: &Facts, order: u32) -> bool {
    let nr = 1 << order;
    let addr = facts.address & !(nr * PAGE_SIZE - 1);
    (facts.address / PAGE_SIZE) % nr == facts.offset % nr
        && addr >= facts.vma.start
        && addr + nr * PAGE_SIZE <= facts.vma.end
}

/// The orders with which C calls.
fn suitable(facts: &Facts) -> usize {
    (0..usize::BITS)
        .map(|order| 1 << order & facts.allowable)
        .filter(|&bit| bit != 0 && c_suits(facts, bit.ilog2()))
        .sum()
}

fn chosen(facts: &Facts) -> usize {
    orders(facts, suitable(facts)).0
}

/// Whether a page next to the block was accessed, and a neighbour of the block is within the VMA and the
/// page table, and three quarters of it were accessed. The one behind it counts only if the cgroup has
/// much room.
fn is_beside_used(facts: &Facts, order: u32) -> bool {
    let nr = 1i64 << order;
    let here = (facts.address / PAGE_SIZE) as i64 & !(nr - 1);
    let table = (facts.address & !(TABLE_SPAN - 1)) / PAGE_SIZE;
    let has_room = facts.room >= 64.max(2 << order);
    let behind = has_room.then_some(here + nr);
    let young = |page: i64| {
        usize::try_from(page - table as i64).is_ok_and(|at| at < PAGES && facts.young[at])
    };
    if !young(here - 1) && !young(here + nr) {
        return false;
    }
    iter::once(here - nr).chain(behind).any(|block| {
        let pages: Vec<i64> = (block..block + nr).collect();
        let in_vma = |page: i64| {
            page >= (facts.vma.start / PAGE_SIZE) as i64
                && page < (facts.vma.end / PAGE_SIZE) as i64
        };
        let in_table =
            |page: i64| (page - table as i64) >= 0 && page - (table as i64) < PAGES as i64;
        pages.iter().all(|&page| in_vma(page) && in_table(page))
            && 4 * pages.iter().filter(|&&page| young(page)).count() >= 3 * nr as usize
    })
}

fn model(facts: &Facts) -> usize {
    let device = if facts.synchronous {
        suitable(facts)
    } else {
        0
    };
    if facts.never_enabled {
        return device;
    }
    if !facts.writable
        || !facts.exclusive
        || !facts.anonymous
        || facts.pattern == AccessPattern::Random
    {
        return 0;
    }
    let fit: Vec<u32> = (1..=MAX)
        .filter(|&order| c_suits(facts, order) && facts.allowable >> order & 1 == 1)
        .filter(|&order| facts.room >= 1 << order)
        .collect();
    if !facts.zero && !facts.in_zswap && !facts.synchronous {
        return 0;
    }
    let Some(&largest) = fit.iter().rev().find(|&&order| {
        facts.pattern == AccessPattern::Sequential || facts.exact && is_beside_used(facts, order)
    }) else {
        return 0;
    };
    fit.iter()
        .filter(|&&order| order <= largest)
        .map(|order| 1 << order)
        .sum()
}

prop_compose! {
    fn any_facts()(
        switches: [bool; 9], page in 0..PAGES, shift in prop_oneof![Just(0usize), 0usize..64],
        before in 0..PAGES, after in 1..PAGES, allowable in prop_oneof![Just(ANON), 0..PAGES],
        pattern in 0..8, inexact in 0..4, density in 0.3f64..1.0,
        seeds in proptest::collection::vec(0f64..1.0, PAGES),
        room in prop_oneof![Just(usize::MAX), 0usize..100],
    ) -> Facts {
        let [never, enabled, off_too, synchronous, writable, zero, in_zswap, shared, file] = switches;
        let mut facts = fault_at(page);
        // Most of the facts are so that the later rules are reached.
        facts.never_enabled = never && off_too && !enabled;
        facts.enabled = enabled || off_too;
        facts.synchronous = synchronous;
        facts.writable = writable || enabled;
        facts.zero = zero;
        facts.in_zswap = in_zswap || off_too;
        facts.exclusive = !(shared && never);
        facts.anonymous = !(file && shared);
        facts.offset += shift;
        facts.vma = facts.address - before * PAGE_SIZE..facts.address + after * PAGE_SIZE;
        facts.allowable = allowable & !3;
        facts.pattern = match pattern {
            0 => AccessPattern::Random,
            1 => AccessPattern::Sequential,
            _ => AccessPattern::Normal,
        };
        facts.exact = inexact != 0;
        for (young, seed) in facts.young.iter_mut().zip(seeds) {
            *young = seed < density;
        }
        facts.room = room;
        facts
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn orders_match_the_model(facts in any_facts()) {
        prop_assert_eq!(chosen(&facts), model(&facts));
    }

    /// Each fact is asked for in the order of cost, and no order is above 64 KiB.
    #[test]
    fn facts_are_asked_for_in_the_order_of_cost(facts in any_facts()) {
        let (orders, asked) = orders(&facts, suitable(&facts));
        // Each order that is tried asks for its neighbours.
        let mut first = Vec::new();
        for it in &asked {
            if !first.contains(it) {
                first.push(*it);
            }
        }
        prop_assert!(first.is_sorted());
        let times = |fact| asked.iter().filter(|it| **it == fact).count();
        prop_assert!(times(Asked::Beside) < MAX as usize && times(Asked::Room) <= 1);
        prop_assert!(times(Asked::Young) <= 2 * (MAX as usize - 1));
        prop_assert!(orders < 2 << MAX || facts.never_enabled);
        prop_assert!(times(Asked::Zswap) == 0 || !facts.synchronous);
    }

    /// More pages in use, or more room, admit no fewer orders.
    #[test]
    fn more_use_and_room_admit_no_less(facts in any_facts(), more in 0..PAGES, room in 0usize..200) {
        let mut other = facts.clone();
        other.young[more] = true;
        prop_assert_eq!(chosen(&other) & chosen(&facts), chosen(&facts));
        let less = facts.room.min(room);
        let poorer = Facts { room: less, ..facts.clone() };
        prop_assert_eq!(chosen(&poorer) & chosen(&facts), chosen(&poorer));
    }

    #[test]
    fn what_fits_matches_c(
        page in 0..PAGES, shift in prop_oneof![Just(0usize), 0usize..64], before in 0..40usize, after in 1..40usize,
    ) {
        let mut facts = fault_at(page);
        facts.offset += shift;
        facts.vma = facts.address - before * PAGE_SIZE..facts.address + after * PAGE_SIZE;
        let largest = (1..=MAX).rev().find(|&order| c_suits(&facts, order)).unwrap_or(0);
        prop_assert_eq!(largest_fit(facts.address, facts.offset, &facts.vma), largest);
        prop_assert!((1..=largest).all(|order| c_suits(&facts, order)));
    }
}

proptest! {
    /// A window has the fault's page, and stays in its 64 KiB if these could come as a whole now.
    #[test]
    fn windows_stay_within_the_block(facts in any_facts(), before in 0..40usize, after in 1..40usize) {
        let window = facts.address - before * PAGE_SIZE..facts.address + after * PAGE_SIZE;
        let block = facts.address & !0xffff;
        let whole = !facts.never_enabled && facts.enabled && (facts.zero || facts.in_zswap)
            && facts.anonymous && facts.allowable >> MAX & 1 == 1 && c_suits(&facts, MAX)
            && facts.room >= 16
            && facts.exclusive
            && match facts.pattern {
                AccessPattern::Random => false,
                AccessPattern::Sequential => true,
                AccessPattern::Normal => facts.exact,
            };
        let expected = if whole {
            window.start.max(block)..window.end.min(block + 0x1_0000)
        } else {
            window.clone()
        };
        prop_assert!(expected.contains(&facts.address));
        prop_assert_eq!(clip(&facts, window), expected);
    }
}

#[test]
fn a_block_needs_three_quarters_of_a_neighbour() {
    for (order, enough) in [(2, 3), (3, 6), (4, 12)] {
        let nr = 1usize << order;
        for young in 0..=nr {
            for side in [-1, 1] {
                let mut facts = fault_at(128);
                facts.allowable = 1 << order;
                facts.young = [false; PAGES];
                let neighbour = (128 + side * nr as i64) as usize;
                // From the nearest on: that one must be among them.
                let mut at: Vec<usize> = (neighbour..neighbour + nr).collect();
                if side < 0 {
                    at.reverse();
                }
                at.iter()
                    .take(young)
                    .for_each(|&page| facts.young[page] = true);
                let expected = if young >= enough { 1 << order } else { 0 };
                assert_eq!(chosen(&facts), expected, "order {order}, {young} young");
            }
        }
    }
}

#[test]
fn a_page_next_to_the_block_must_have_been_accessed() {
    let mut facts = fault_at(128);
    facts.young[127] = false;
    facts.young[144] = false;
    facts.allowable = 1 << 4;
    assert_eq!(
        orders(&facts, 1 << 4),
        (0, vec![Asked::Exclusive, Asked::Beside])
    );
    // Of another block than the one in use.
    facts.young[144] = true;
    assert_eq!(chosen(&facts), 1 << 4);
}

#[test]
fn pages_further_away_and_the_block_itself_do_not_count() {
    let mut facts = fault_at(128);
    for page in 128 - 16..128 + 32 {
        facts.young[page] = (128..144).contains(&page);
    }
    facts.allowable = 1 << 4;
    assert_eq!(chosen(&facts), 0);
}

#[test]
fn smaller_orders_stay_below_the_largest_in_use() {
    let mut facts = fault_at(128);
    facts.young = [false; PAGES];
    assert_eq!(chosen(&facts), 0);
    (124..128).for_each(|page| facts.young[page] = true);
    assert_eq!(chosen(&facts), 0b100);
    (120..124).for_each(|page| facts.young[page] = true);
    assert_eq!(chosen(&facts), 0b1100);
    (112..120).for_each(|page| facts.young[page] = true);
    assert_eq!(chosen(&facts), 0b1_1100);
}

#[test]
fn only_the_page_table_and_the_vma_are_looked_at() {
    // At both ends of the page table one neighbour is left; with a VMA of one block, none.
    for page in [0, PAGES - 1] {
        let mut facts = fault_at(page);
        facts.vma = 0..usize::MAX & !(PAGE_SIZE - 1);
        assert_eq!(chosen(&facts), 0b1_1100);
        facts.allowable = 1 << 4;
        let block = facts.address & !0xffff;
        facts.vma = block..block + (16 * PAGE_SIZE);
        assert_eq!(chosen(&facts), 0);
    }
}

/// A fault whose block has only one neighbour in use.
fn beside(before: bool) -> Facts {
    let mut facts = fault_at(128);
    facts.young = [false; PAGES];
    let used = if before { 112..128 } else { 144..160 };
    used.for_each(|page| facts.young[page] = true);
    facts.allowable = 1 << 4 | 1 << 2;
    facts
}

#[test]
fn room_is_twice_the_folio_and_a_batch_at_least() {
    assert_eq!([1, 4, 5, 6, 9].map(room_for), [64, 64, 64, 128, 1024]);
    for (room, expected) in [(63, 0), (64, 0b1_0100)] {
        let facts = Facts {
            room,
            ..beside(false)
        };
        assert_eq!(chosen(&facts), expected);
    }
}

#[test]
fn a_stream_needs_room_for_the_folio_alone() {
    for pattern in [AccessPattern::Normal, AccessPattern::Sequential] {
        for (room, expected) in [(3, 0), (4, 0b100), (15, 0b100), (16, 0b1_0100)] {
            let facts = Facts {
                room,
                pattern,
                ..beside(true)
            };
            assert_eq!(chosen(&facts), expected);
        }
    }
}

#[test]
fn announced_patterns_decide_alone() {
    let unused = Facts {
        young: [false; PAGES],
        ..fault_at(128)
    };
    for (pattern, exact, used, expected) in [
        (AccessPattern::Normal, true, false, 0),
        (AccessPattern::Normal, true, true, 0b1_1100),
        (AccessPattern::Normal, false, true, 0),
        (AccessPattern::Random, true, true, 0),
        (AccessPattern::Sequential, true, false, 0b1_1100),
        (AccessPattern::Sequential, false, false, 0b1_1100),
    ] {
        let young = [used; PAGES];
        let facts = Facts {
            pattern,
            exact,
            young,
            ..unused.clone()
        };
        assert_eq!(chosen(&facts), expected, "{pattern:?} {exact} {used}");
    }
}

#[test]
fn pages_on_the_device_need_a_fast_one_and_a_hint() {
    let on_device = Facts {
        in_zswap: false,
        ..fault_at(128)
    };
    assert_eq!(chosen(&on_device), 0b1_1100);
    for refused in [
        Facts {
            synchronous: false,
            ..on_device.clone()
        },
        // KSM may have merged it.
        Facts {
            exclusive: false,
            ..on_device.clone()
        },
        Facts {
            young: [false; PAGES],
            ..on_device.clone()
        },
        Facts {
            room: 3,
            ..on_device.clone()
        },
    ] {
        assert_eq!(chosen(&refused), 0);
    }
    // Pages in zswap don't depend on the device.
    for synchronous in [false, true] {
        assert_eq!(
            chosen(&Facts {
                synchronous,
                ..fault_at(128)
            }),
            0b1_1100
        );
    }
    // Never enabled: nothing else is asked.
    let never = Facts {
        never_enabled: true,
        enabled: false,
        writable: false,
        ..fault_at(3)
    };
    assert_eq!(orders(&never, ANON), (ANON, vec![]));
    let seeking = Facts {
        synchronous: false,
        ..never
    };
    assert_eq!(orders(&seeking, ANON), (0, vec![]));
}

#[test]
fn swapped_off_shared_and_files_are_refused() {
    for too_large in [0, ANON & !((2 << MAX) - 1)] {
        assert_eq!(orders(&fault_at(128), too_large), (0, vec![]));
    }
    let swapped_off = Facts {
        writable: false,
        ..fault_at(128)
    };
    assert_eq!(orders(&swapped_off, ANON), (0, vec![]));
    for (exclusive, anonymous) in [(false, true), (true, false)] {
        let refused = Facts {
            exclusive,
            anonymous,
            ..fault_at(128)
        };
        assert_eq!(orders(&refused, ANON), (0, vec![Asked::Exclusive]));
    }
}

/// The rules for shared memory, each on its own.
fn model_of_file(facts: &Facts, fault: bool, sequential: bool) -> usize {
    let in_zswap = facts.zero || facts.in_zswap;
    let refused = !facts.never_enabled && !facts.enabled;
    if facts.never_enabled || !refused && !in_zswap {
        return if facts.synchronous { usize::MAX } else { 0 };
    }
    let likely = sequential || !facts.writable;
    let hint = match facts.pattern {
        AccessPattern::Random => !fault && likely,
        AccessPattern::Sequential => fault || likely,
        AccessPattern::Normal => likely,
    };
    let announced = facts.pattern == AccessPattern::Sequential;
    let has_room = facts.room >= if fault && announced { 16 } else { 64 };
    // Swapoff reads all pages anyhow.
    let swapped_off = !facts.writable && !(fault && announced);
    if refused || !hint || !has_room && !swapped_off {
        0
    } else {
        0b1_1110
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn orders_of_files_match_the_model(facts in any_facts(), fault: bool, sequential: bool) {
        let (orders, asked) = orders_of_file(&facts, fault, sequential);
        prop_assert_eq!(orders, model_of_file(&facts, fault, sequential));
        prop_assert!(asked.iter().rev().is_sorted());
        prop_assert!(asked.iter().all(|it| [Asked::Zswap, Asked::Room].contains(it)));
    }
}

#[test]
fn files_need_a_hint() {
    let file = fault_at(3);
    for (pattern, fault, sequential, expected) in [
        (AccessPattern::Normal, true, false, 0),
        (AccessPattern::Normal, true, true, 0b1_1110),
        (AccessPattern::Random, true, true, 0),
        (AccessPattern::Sequential, true, false, 0b1_1110),
        (AccessPattern::Random, false, false, 0),
        (AccessPattern::Sequential, false, false, 0),
        (AccessPattern::Normal, false, true, 0b1_1110),
    ] {
        let facts = Facts {
            pattern,
            ..file.clone()
        };
        assert_eq!(
            orders_of_file(&facts, fault, sequential).0,
            expected,
            "{pattern:?} {fault} {sequential}"
        );
    }
}

#[test]
fn files_keep_to_the_switch_the_room_and_the_device() {
    let file = fault_at(3);
    let off = Facts {
        enabled: false,
        ..file.clone()
    };
    assert_eq!(orders_of_file(&off, true, true), (0, vec![]));
    let full = Facts {
        room: 63,
        ..file.clone()
    };
    assert_eq!(orders_of_file(&full, true, true).0, 0);
    assert_eq!(orders_of_file(&full, false, true).0, 0);
    // Swapoff reads all pages anyhow; the settings of anonymous memory don't matter.
    let swapped_off = Facts {
        writable: false,
        allowable: 0,
        exclusive: false,
        ..file.clone()
    };
    assert_eq!(orders_of_file(&swapped_off, false, false).0, 0b1_1110);
    for synchronous in [false, true] {
        let all = if synchronous { usize::MAX } else { 0 };
        let on_device = Facts {
            in_zswap: false,
            synchronous,
            ..file.clone()
        };
        assert_eq!(orders_of_file(&on_device, true, false).0, all);
        let never = Facts {
            never_enabled: true,
            ..file.clone()
        };
        let never = Facts {
            synchronous,
            ..never
        };
        assert_eq!(orders_of_file(&never, true, false), (all, vec![]));
    }
}
