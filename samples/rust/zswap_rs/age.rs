// SPDX-License-Identifier: GPL-2.0-or-later

//! How many entries the shrinker may write back. Pure arithmetic.
//!
//! Three heuristics prevent the shrinker from writing back pages that will be needed soon:
//!
//! 1. *A second chance.* A new entry has the `referenced` flag. The shrinker clears the flag of each
//!    entry that it visits, and writes back entries without it. It therefore finds few candidates in a
//!    pool of new entries, and many in a pool of old ones.
//! 2. *Swap-ins from the device.* A page that had to be read from the device was written back too
//!    soon. The shrinker spares one entry for each such page.
//! 3. *The compression ratio.* The better pages compress, the less memory a writeback frees. The
//!    number of freeable entries is scaled down by the ratio.

/// Spares one of `freeable` entries for each of the `swapins` from the device.
///
/// Returns the number of entries that remain freeable, and the number of swap-ins not offset by an
/// entry.
///
/// Mirrors `nr_freeable` and `nr_remain` in `zswap_shrinker_count()`.
pub(crate) fn spare(freeable: usize, swapins: usize) -> (usize, usize) {
    (
        freeable.saturating_sub(swapins),
        swapins.saturating_sub(freeable),
    )
}

/// Scales `freeable` entries by the compression ratio: `stored` pages use `backing` pages of memory.
///
/// Mirrors `mult_frac()`, and wraps as in C. Returns 0 if `stored` is 0.
pub(crate) fn scale(freeable: usize, backing: usize, stored: usize) -> usize {
    let (Some(whole), Some(rest)) = (freeable.checked_div(stored), freeable.checked_rem(stored))
    else {
        return 0;
    };
    whole
        .wrapping_mul(backing)
        .wrapping_add(rest.wrapping_mul(backing) / stored)
}
