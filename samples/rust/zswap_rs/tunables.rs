// SPDX-License-Identifier: GPL-2.0-or-later

//! Tunables: the values of zswap's parameters. [`params`](super::params) sets them.

use kernel::{
    bindings::CONFIG_ZSWAP_COMPRESSOR_DEFAULT,
    module_param::runtime::{
        Switch,
        Text,
        UintParam, //
    },
    prelude::*, //
};

/// Whether pages are stored: C's `zswap_enabled`.
pub(crate) static ENABLED: Switch = Switch::new(cfg!(CONFIG_ZSWAP_DEFAULT_ON));

/// The compressor that is used if no available compressor is requested.
pub(crate) const COMPRESSOR_DEFAULT: &CStr =
    match CStr::from_bytes_with_nul(CONFIG_ZSWAP_COMPRESSOR_DEFAULT) {
        Ok(name) => name,
        Err(_) => panic!("CONFIG_ZSWAP_COMPRESSOR_DEFAULT is a string"),
    };

/// The compressor's name: C's `zswap_compressor`.
pub(crate) static COMPRESSOR: Text = Text::new(COMPRESSOR_DEFAULT);

/// The share of total memory that the pools may use, in percent: C's `zswap_max_pool_percent`.
pub(crate) static MAX_POOL_PERCENT: UintParam = UintParam::new(20);

/// The share of that limit, in percent, to which the pools must shrink before stores are accepted again
/// after the limit was hit: C's `zswap_accept_thr_percent`.
pub(crate) static ACCEPT_THRESHOLD_PERCENT: UintParam = UintParam::new(90);

/// Whether memory pressure writes entries back to the swap device: C's `zswap_shrinker_enabled`.
pub(crate) static SHRINKER_ENABLED: Switch = Switch::new(cfg!(CONFIG_ZSWAP_SHRINKER_DEFAULT_ON));

/// Whether pages of a folio that follow incompressible pages are stored uncompressed without a try: see
/// [`runs`](super::runs). C has no counterpart.
pub(crate) static SKIP_INCOMPRESSIBLE: Switch = Switch::new(false);

/// Whether a large folio may be swapped in as a whole. C has no counterpart.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) static LARGE_SWAPIN: Switch = Switch::new(true);
