// SPDX-License-Identifier: GPL-2.0-or-later

//! The guarantees of C that the models rely on: without each of them, a model fails.

use super::every_order::{try_alone, RACE};
use kernel::sim::{Promise, PROMISES};

macro_rules! promises {
    ($($test:ident: $promise:ident, $model:ident, $fails:expr;)*) => {
        /// Guarantees for which a model exists.
        const SHOWN: &[Promise] = &[$(Promise::$promise),*];

        $(#[test]
        fn $test() {
            let (passed, said) = try_alone(stringify!($model), Some(Promise::$promise));
            assert!(!passed, "nothing fails without it: {:?}", Promise::$promise);
            assert!(said.contains($fails), "this fails instead of \"{}\": {said}", $fails);
        })*
    };
}

const OTHER: &str = "a process reads what it hasn't written";
/// A device is freed while it still has entries.
const LEFT: &str = "slots::detach: !empty";
/// A folio leaves the swap cache for slots that have been freed.
const LEAVES: &str = "swap_cluster::bad_table_entry";
const GONE: &str = "a device is used that is swapped off";
const FREED: &str = "a folio is used that was freed";
const UNUSED: &str = "swapoff finds no user of the slots";

// The guarantee, the model, and what fails in it.
promises! {
    one_has_a_folios_lock: FolioLock, two_loads, RACE;
    one_has_a_clusters_lock: ClusterLock, load_and_free, LEAVES;
    one_has_an_arrays_lock: ArrayLock, neighbours, OTHER;
    one_has_a_lists_lock: ListLock, load_and_writeback, RACE;
    no_reference_where_there_is_none: TryGet, store_again_other, FREED;
    a_slot_with_a_folio_is_not_freed: CachedStays, load_and_free, LEAVES;
    a_slot_is_invalidated_under_the_lock: InvalidateLocked, free_and_reuse, OTHER;
    a_slot_that_is_freed_is_invalidated: InvalidateCalled, free_and_writeback, LEFT;
    swapoff_frees_all_slots: SwapoffFrees, swapoff_and_writeback, LEFT;
    swapoff_waits: SwapoffWaits, swapoff_and_free, RACE;
    a_dying_device_is_not_looked_up: DyingRefused, too_late_to_look, GONE;
    a_dying_device_is_not_loaded_from: DyingRefused, too_late_to_load, GONE;
    a_dying_device_is_not_written_to: DyingRefused, too_late_to_write_back, GONE;
    a_folio_that_is_written_stays: WritebackStays, reclaim_and_writeback, "a folio under writeback is deleted";
    a_folio_that_is_referred_to_stays: FreezeCount, lookup_and_reuse, "a free frame has references";
    a_dirty_folio_is_written: DirtyStays, read_ahead, "what was reclaimed is there to be written back";
    a_large_folio_fits: WholeFits, large_and_free, "a slot without users is put";
    a_mapped_folio_is_still_locked: MappedLocked, large_and_store, "a folio is passed that isn't locked and cached";
    a_fault_looks_again: Recheck, same_slot_again, OTHER;
    a_mark_is_changed_under_the_lock: ZeroMark, store_shared, UNUSED;
    a_mark_goes: ZeroUnmarked, store_after_zero, OTHER;
    news_is_no_result: NewsIgnored, backlog, RACE;
    a_result_is_there_before_it_is_said_to_be: ResultFirst, two_requests, RACE;
    a_request_is_waited_for: WaitReq, two_requests, "what is compressed is the page";
    a_completion_orders: CompletionLock, two_requests, RACE;
    a_request_is_completed_once: CompletedOnce, requests_again, RACE;
    a_request_that_is_complete_is_left_alone: CompletedLast, two_requests, RACE;
}

#[test]
fn each_has_a_model() {
    for promise in PROMISES {
        assert!(SHOWN.contains(promise), "{promise:?}");
    }
}
