// SPDX-License-Identifier: GPL-2.0-or-later

//! What an entry keeps in its object's tag: a slot and two flags, each on its own.

use policy::api::{
    new_tag, said_by_tag, without_count, without_second_chance, MAX_DEVICES, TAG_BITS,
};
use proptest::prelude::*;

/// Offsets of slots: a device has at most 2^32 slots.
fn offsets() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..=1000usize,
        0..1usize << 32,
        (1usize << 32) - 1000..1 << 32
    ]
}

/// The bits that an object keeps of a tag.
fn kept(bits: u64) -> u64 {
    bits & ((1 << TAG_BITS) - 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn a_new_tag_says_what_it_was_made_of(device in 0..MAX_DEVICES, offset in offsets()) {
        let tag = new_tag(device, offset);
        prop_assert_eq!(kept(tag), tag, "an object has no room for it");
        prop_assert_eq!(said_by_tag(tag), (device, offset, true, true));
    }

    #[test]
    fn changing_one_leaves_the_others(bits in any::<u64>()) {
        let (device, offset, referenced, counted) = said_by_tag(bits);
        let no_second_chance = without_second_chance(bits);
        prop_assert_eq!(said_by_tag(no_second_chance), (device, offset, false, counted));
        let no_count = without_count(bits);
        prop_assert_eq!(said_by_tag(no_count), (device, offset, referenced, false));
        let neither = without_count(no_second_chance);
        prop_assert_eq!(said_by_tag(neither), (device, offset, false, false));
        prop_assert_eq!(neither, without_second_chance(no_count));
    }

    /// Whatever an object's user puts into its tag.
    #[test]
    fn any_bits_name_a_slot_that_there_can_be(bits in any::<u64>()) {
        let (device, offset, ..) = said_by_tag(bits);
        prop_assert!(device < MAX_DEVICES);
        prop_assert!(offset < 1 << 32);
        prop_assert_eq!(said_by_tag(kept(bits)), said_by_tag(bits));
    }
}

#[test]
fn each_device_has_a_first_and_a_last_slot() {
    for device in 0..MAX_DEVICES {
        for offset in [0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1] {
            let tag = new_tag(device, offset);
            assert_eq!(said_by_tag(tag), (device, offset, true, true));
        }
    }
}
