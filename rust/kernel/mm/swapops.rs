// SPDX-License-Identifier: GPL-2.0

//! Swap entries: the names of swap slots.
//!
//! C header: [`include/linux/swapops.h`](srctree/include/linux/swapops.h)

use crate::bindings;

/// A swap entry: the device and offset that name a slot. Mirrors `swp_entry_t`.
///
/// Only a name: the slot may be free, reused, or gone. The device may have been swapped off, and
/// another one be active under the same number.
///
/// # Invariants
///
/// The device's number is below `MAX_SWAPFILES`: the entry names, or once named, a slot of a device
/// that was active under that number.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct SwapEntry(bindings::swp_entry_t);

impl SwapEntry {
    /// # Safety
    ///
    /// `raw` must meet the type's invariant.
    #[inline]
    pub unsafe fn from_raw(raw: bindings::swp_entry_t) -> Self {
        // INVARIANT: By the requirement.
        Self(raw)
    }

    #[inline]
    pub(super) fn as_raw(self) -> bindings::swp_entry_t {
        self.0
    }

    /// The number of the device. Mirrors `swp_type()`.
    #[inline]
    pub fn device(self) -> usize {
        // SAFETY: Arithmetic on the value.
        (unsafe { bindings::swp_type(self.0) }) as usize
    }

    /// The offset of the slot on its device, in pages. Mirrors `swp_offset()`.
    #[inline]
    pub fn offset(self) -> usize {
        // SAFETY: Arithmetic on the value.
        unsafe { bindings::swp_offset(self.0) }
    }

    /// The entry of the slot `n` slots after this one: the offset is in the low bits.
    ///
    /// For the slots of one folio, which are on one device.
    #[inline]
    pub(super) fn after(self, n: usize) -> Self {
        // INVARIANT: The device is the same.
        Self(bindings::swp_entry_t {
            val: self.0.val.wrapping_add(n),
        })
    }
}

impl PartialEq for SwapEntry {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0.val == other.0.val
    }
}

impl Eq for SwapEntry {}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_swapops)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_device_and_an_offset() {
        let last = bindings::MAX_SWAPFILES as usize - 1;
        for (device, offset) in [(0, 0), (1, 1), (3, 123_456), (last, 1 << 30)] {
            // SAFETY: Arithmetic on the values.
            let entry = SwapEntry(unsafe { bindings::swp_entry(device, offset) });
            assert_eq!(entry.device(), device);
            assert_eq!(entry.offset(), offset);
            assert_eq!(entry.after(5).device(), device);
            assert_eq!(entry.after(5).offset(), offset + 5);
            assert!(entry == entry.after(0));
            assert!(entry != entry.after(1));
        }
    }
}
