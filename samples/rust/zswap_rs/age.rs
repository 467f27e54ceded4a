// SPDX-License-Identifier: GPL-2.0-or-later

//! How old an entry must be before it is written back. Pure arithmetic.
//!
//! Three heuristics keep the shrinker from writing back pages that will soon be needed:
//!
//! 1. *A second chance.* Each entry is marked when it is stored. The shrinker clears the mark of
//!    each entry that it visits, and writes back entries without one. So it finds little to write
//!    back in a pool of new entries, and a lot in a pool of old ones.
//! 2. *Swap-ins from the device.* A page that had to be read from the device was written back too
//!    soon. The shrinker spares one entry for each such page.
//! 3. *The compression ratio.* The better pages compress, the less memory a writeback frees: the
//!    number of freeable entries is scaled down by the ratio.

/// Spares one of `freeable` entries for each of the `swapins` from the device.
///
/// Returns how many entries remain freeable, and how many swap-ins have not been offset yet.
///
/// Mirrors `nr_freeable` and `nr_remain` in `zswap_shrinker_count()`.
pub(crate) fn spare(freeable: usize, swapins: usize) -> (usize, usize) {
    (
        freeable.saturating_sub(swapins),
        swapins.saturating_sub(freeable),
    )
}

/// Scales `freeable` entries by `backing` pages of memory taken by `stored` pages.
///
/// Mirrors `mult_frac()`, and wraps as it does. With nothing stored, nothing is freeable.
pub(crate) fn scale(freeable: usize, backing: usize, stored: usize) -> usize {
    let (Some(whole), Some(rest)) = (freeable.checked_div(stored), freeable.checked_rem(stored))
    else {
        return 0;
    };
    whole
        .wrapping_mul(backing)
        .wrapping_add(rest.wrapping_mul(backing) / stored)
}
