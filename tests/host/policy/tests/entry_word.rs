// SPDX-License-Identifier: GPL-2.0-or-later

//! The word of an entry: a pool, a length, a slot and a flag, each on its own.

use policy::api::{new_word, parts, without_referenced, Parts, MAX_DEVICES, PAGE_SIZE};
use proptest::prelude::*;

/// Offsets of slots: a device has at most 2^32 slots.
fn offsets() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..=1000usize,
        0..1usize << 32,
        (1usize << 32) - 1000..1 << 32
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn a_new_word_has_the_parts_that_it_was_made_of(
        pool_id in any::<u8>(), len in 1..=PAGE_SIZE, device in 0..MAX_DEVICES, offset in offsets(),
    ) {
        let parts = parts(new_word(pool_id, len, device, offset));
        let expected = Parts { pool_id, len, device, offset, referenced: true };
        prop_assert_eq!(parts, expected);
    }

    #[test]
    fn clearing_the_flag_leaves_the_others(bits in any::<u64>()) {
        let all = parts(bits);
        let not_referenced = without_referenced(bits);
        prop_assert_eq!(parts(not_referenced), Parts { referenced: false, ..all });
        prop_assert_eq!(without_referenced(not_referenced), not_referenced);
        prop_assert_eq!((bits ^ not_referenced).count_ones(), u32::from(all.referenced));
    }

    /// Any bits: also those that no entry has.
    #[test]
    fn any_bits_name_a_possible_slot_and_length(bits in any::<u64>()) {
        let parts = parts(bits);
        prop_assert!(parts.device < MAX_DEVICES);
        prop_assert!(parts.offset < 1 << 32);
        prop_assert!((1..=1 << 16).contains(&parts.len));
    }
}

#[test]
fn each_part_has_a_first_and_a_last_value() {
    for device in 0..MAX_DEVICES {
        for offset in [0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1] {
            for (pool_id, len) in [(0, 1), (0, PAGE_SIZE), (u8::MAX, 1), (u8::MAX, PAGE_SIZE)] {
                let parts = parts(new_word(pool_id, len, device, offset));
                let expected = Parts {
                    pool_id,
                    len,
                    device,
                    offset,
                    referenced: true,
                };
                assert_eq!(parts, expected);
            }
        }
    }
}
