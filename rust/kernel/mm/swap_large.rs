// SPDX-License-Identifier: GPL-2.0

//! Large folios that are swapped in from zswap: the facts for the choice of their orders.
//!
//! All are hints, which may change at any time. Whether zswap has all pages of a folio is decided
//! when the folio is added to the swap cache.
//!
//! C header: `mm/swap.h`

use crate::{
    bindings,
    mm::{
        swap_cluster::Slot,
        swap_table::SwapTableEntry, //
    },
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// Whether zswap was never enabled, and so has no page. Mirrors `zswap_never_enabled()`.
#[inline]
pub fn zswap_never_enabled() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::zswap_never_enabled() }
}

/// Whether zswap's parameter `large_swapin` is on.
#[inline]
pub fn zswap_large_swapin_enabled() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::zswap_large_swapin_enabled() }
}

// SAFETY: tests/kunit/swap_cache.c defines it as a `bool`, which C accesses as a whole.
unsafe extern "C" {
    safe static swap_cache_admit_all_large: Atomic<bool>;
}

/// For tests: whether every block in zswap is admitted whose PTEs are exclusive and which the
/// settings of transparent huge pages allow, whether its neighbours were accessed or not. Thus the
/// policy hides no bug of the mechanism.
#[inline]
pub fn admits_all() -> bool {
    cfg!(CONFIG_SWAP_CACHE_KUNIT_TEST) && swap_cache_admit_all_large.load(Relaxed)
}

impl Slot<'_> {
    /// The flags of the device (`si->flags`).
    #[inline]
    fn device_flags(self) -> c_ulong {
        // SAFETY: By the type invariant the device exists, and with it its `swap_info_struct`.
        let flags = unsafe { &raw mut (*bindings::swap_entry_to_info(self.as_raw())).flags };
        // SAFETY: The device exists while `self` does. C writes the flags with single stores, under
        // a lock, and reads them without it, too.
        unsafe { Atomic::from_ptr(flags) }.load(Relaxed)
    }

    /// Whether the device is as fast as memory, so that swap-in bypasses readahead. Mirrors
    /// `SWP_SYNCHRONOUS_IO`.
    #[inline]
    pub fn is_synchronous(self) -> bool {
        self.device_flags() & bindings::SWP_SYNCHRONOUS_IO as c_ulong != 0
    }

    /// Whether slots of the device are allocated. Not so once `swapoff()` has begun. Mirrors
    /// `SWP_WRITEOK`.
    #[inline]
    pub fn is_writable(self) -> bool {
        self.device_flags() & bindings::SWP_WRITEOK as c_ulong != 0
    }

    /// Whether the zeromap bit of the slot seems to be set. Also false where the swap-table entry
    /// has no room for the bit.
    #[inline]
    pub fn seems_zero(self) -> bool {
        match self.table_entry() {
            SwapTableEntry::Shadow(_, flags) | SwapTableEntry::Folio(_, flags) => flags.is_zero(),
            _ => false,
        }
    }

    /// Whether zswap seems to have the page of the slot. Doesn't sleep.
    #[inline]
    pub fn seems_in_zswap(self) -> bool {
        // SAFETY: By the type invariant the device isn't swapped off, and the slot lies within it.
        unsafe { bindings::zswap_seems_to_hold(self.as_raw()) }
    }
}
