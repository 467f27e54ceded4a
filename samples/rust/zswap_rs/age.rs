// SPDX-License-Identifier: GPL-2.0-or-later

//! How old a page must be to go to the swap device: arithmetic, and nothing else.
//!
//! Three things keep the shrinker from writing back what will soon be wanted:
//!
//! 1. *A second chance.* Each entry is marked when it is stored. The shrinker takes the mark from
//!    the entries that it comes to, and writes back those that have none. In a pool full of new
//!    entries it so finds little to do, in one full of old ones a lot.
//! 2. *Swapins from the device.* A page that had to come from the device was written back too soon.
//!    As many entries as there were such pages are spared.
//! 3. *The compression ratio.* The better pages compress, the less there is to gain by writing one
//!    back: the number of entries on offer is scaled down by the ratio.

/// Spares as many of `freeable` entries as there were `swapins` from the device.
///
/// Returns how many are left, and how many swapins weren't made up for by entries.
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
/// Mirrors `mult_frac()`, and wraps as it does; with nothing stored there is nothing to offer.
pub(crate) fn scale(freeable: usize, backing: usize, stored: usize) -> usize {
    let (Some(whole), Some(rest)) = (freeable.checked_div(stored), freeable.checked_rem(stored))
    else {
        return 0;
    };
    whole
        .wrapping_mul(backing)
        .wrapping_add(rest.wrapping_mul(backing) / stored)
}
