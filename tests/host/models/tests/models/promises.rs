// SPDX-License-Identifier: GPL-2.0-or-later

//! What the models take for granted of C: without it, a model fails.

use super::every_order::try_alone;
use kernel::sim::{Promise, PROMISES};

macro_rules! promises {
    ($($test:ident: $promise:ident, $model:ident;)*) => {
        /// Those that a model is known for.
        const SHOWN: &[Promise] = &[$(Promise::$promise),*];

        $(#[test]
        fn $test() {
            let (passed, _) = try_alone(stringify!($model), Some(Promise::$promise));
            assert!(!passed, "nothing fails without it: {:?}", Promise::$promise);
        })*
    };
}

promises! {
    one_has_a_folios_lock: FolioLock, two_loads;
    one_has_a_clusters_lock: ClusterLock, load_and_free;
    one_has_an_arrays_lock: ArrayLock, neighbours;
    one_has_a_lists_lock: ListLock, load_and_writeback;
    no_reference_where_there_is_none: TryGet, store_again_other;
    a_slot_with_a_folio_is_not_freed: CachedStays, load_and_free;
    a_slot_is_invalidated_under_the_lock: InvalidateLocked, free_and_reuse;
    a_slot_that_is_freed_is_invalidated: InvalidateCalled, free_and_writeback;
    swapoff_frees_all_slots: SwapoffFrees, swapoff_and_writeback;
    swapoff_waits: SwapoffWaits, swapoff_and_free;
    a_dying_device_is_not_looked_up: DyingRefused, too_late_to_look;
    a_dying_device_is_not_loaded_from: DyingRefused, too_late_to_load;
    a_dying_device_is_not_written_to: DyingRefused, too_late_to_write_back;
    a_folio_that_is_written_stays: WritebackStays, reclaim_and_writeback;
    a_folio_that_is_referred_to_stays: FreezeCount, lookup_and_reuse;
    a_dirty_folio_is_written: DirtyStays, read_ahead;
    a_fault_looks_again: Recheck, same_slot_again;
    a_mark_is_changed_under_the_lock: ZeroMark, store_shared;
    a_mark_goes: ZeroUnmarked, store_after_zero;
}

#[test]
fn each_has_a_model() {
    for promise in PROMISES {
        assert!(SHOWN.contains(promise), "{promise:?}");
    }
}
