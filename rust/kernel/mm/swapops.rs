// SPDX-License-Identifier: GPL-2.0

//! Swap entries: the names of swap slots.
//!
//! C header: [`include/linux/swapops.h`](srctree/include/linux/swapops.h)

use crate::bindings;

/// A swap entry: the device and offset that name a slot. Mirrors `swp_entry_t`.
///
/// Only a name: the slot may be free or reused. The device may have been swapped off, and another
/// device may be active under the same number.
///
/// # Invariants
///
/// The device's number is below `MAX_SWAPFILES`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SwapEntry(usize);

const MAX_DEVICE: usize = bindings::MAX_SWAPFILES as usize - 1;

const DEVICE_BITS: u32 = usize::BITS - MAX_DEVICE.leading_zeros();

/// The bits of a `swp_entry_t` that are the offset; those above are the device's number. Mirrors
/// `SWP_OFFSET_MASK`.
pub(super) const OFFSET_MASK: usize = (1 << bindings::SWP_TYPE_SHIFT) - 1;

impl SwapEntry {
    /// Bits of an offset. The header of a swap device has 32 (`last_page` of `union swap_header`).
    pub const OFFSET_BITS: u32 = u32::BITS;

    /// Bits of a packed entry: see [`SwapEntry::pack`].
    pub const BITS: u32 = DEVICE_BITS + Self::OFFSET_BITS;

    /// The swap entry of a C caller.
    ///
    /// # Safety
    ///
    /// `raw` must meet the type's invariant.
    #[inline]
    pub unsafe fn from_raw(raw: bindings::swp_entry_t) -> Self {
        // INVARIANT: The caller guarantees that the device's number is below `MAX_SWAPFILES`.
        Self(raw.val)
    }

    /// The entry of the slot at `offset` of a device; `None` for a number that no device can have.
    /// Mirrors `swp_entry()`.
    #[inline]
    pub fn new(device: usize, offset: usize) -> Option<Self> {
        // INVARIANT: The device's number is below `MAX_SWAPFILES`, as checked here.
        (device <= MAX_DEVICE).then_some(Self(
            device << bindings::SWP_TYPE_SHIFT | offset & OFFSET_MASK,
        ))
    }

    /// The entry, for C.
    #[inline]
    pub fn as_raw(self) -> bindings::swp_entry_t {
        bindings::swp_entry_t { val: self.0 }
    }

    /// The number of the device. Mirrors `swp_type()`.
    #[inline]
    pub fn device(self) -> usize {
        self.0 >> bindings::SWP_TYPE_SHIFT
    }

    /// The offset of the slot on its device, in pages. Mirrors `swp_offset()`.
    #[inline]
    pub fn offset(self) -> usize {
        self.0 & OFFSET_MASK
    }

    /// The entry in [`SwapEntry::BITS`] bits: the device's number in the lowest, the offset above
    /// it.
    ///
    /// Truncates an offset of more than [`SwapEntry::OFFSET_BITS`] bits. zswap refuses devices that
    /// are so large.
    #[inline]
    pub fn pack(self) -> u64 {
        let offset = self.offset() as u64 & ((1 << Self::OFFSET_BITS) - 1);
        offset << DEVICE_BITS | self.device() as u64
    }

    /// The entry of which [`SwapEntry::pack`] has made the low [`SwapEntry::BITS`] bits of `bits`.
    /// Any other bits give an arbitrary entry.
    #[inline]
    pub fn unpack(bits: u64) -> Self {
        let device = (bits as usize & ((1 << DEVICE_BITS) - 1)).min(MAX_DEVICE);
        let offset = Self::unpack_offset(bits);
        // INVARIANT: The device's number is below `MAX_SWAPFILES`.
        Self(device << bindings::SWP_TYPE_SHIFT | offset)
    }

    /// The offset of the entry that [`SwapEntry::unpack`] returns.
    #[inline]
    pub fn unpack_offset(bits: u64) -> usize {
        (bits >> DEVICE_BITS & ((1 << Self::OFFSET_BITS) - 1)) as usize
    }

    /// The distance from `first` to this slot, in slots. For a slot of another device, or before
    /// `first`, the result is larger than any device.
    #[inline]
    pub fn since(self, first: Self) -> usize {
        self.0.wrapping_sub(first.0)
    }

    /// The entry of the first of the `nr` aligned slots, a power of two, that contain this one.
    #[inline]
    pub fn align_down(self, nr: usize) -> Self {
        // INVARIANT: The device's number doesn't become larger.
        Self(self.0 & nr.wrapping_neg())
    }

    /// The entry of the slot `n` slots after this one: the offset is in the low bits.
    ///
    /// # Safety
    ///
    /// The device must have such a slot, as it has for the slots of one folio.
    #[inline]
    pub unsafe fn after(self, n: usize) -> Self {
        // INVARIANT: The device is that of `self`: the caller guarantees that it has this offset.
        Self(self.0.wrapping_add(n))
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_swapops)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn an_entry_is_a_device_and_an_offset() -> Result {
        let last = bindings::MAX_SWAPFILES as usize - 1;
        assert!(SwapEntry::new(last + 1, 0).is_none());
        for (device, offset) in [(0, 0), (1, 1), (3, 123_456), (last, 1 << 30)] {
            let entry = SwapEntry::new(device, offset).ok_or(EINVAL)?;
            assert_eq!(entry.device(), device);
            assert_eq!(entry.offset(), offset);
            // SAFETY: Arithmetic on the value; the sum fits into the bits of an offset.
            let [same, next, fifth] = [0, 1, 5].map(|n| unsafe { entry.after(n) });
            assert_eq!(fifth.device(), device);
            assert_eq!(fifth.offset(), offset + 5);
            assert!(entry == same);
            assert!(entry != next);
            assert!(SwapEntry::unpack(entry.pack()) == entry);
            // The bits above are ignored.
            assert!(SwapEntry::unpack(entry.pack() | u64::MAX << SwapEntry::BITS) == entry);
        }
        let most = (1 << SwapEntry::OFFSET_BITS) - 1;
        let largest = SwapEntry::new(last, most).ok_or(EINVAL)?;
        assert!(SwapEntry::unpack(largest.pack()) == largest);
        assert_eq!(SwapEntry::unpack(u64::MAX).device(), last);
        Ok(())
    }
}
