// SPDX-License-Identifier: GPL-2.0-or-later

//! Parameters: `/sys/module/zswap/parameters`, and `zswap.*` on the command line.
//! [`tunables`](super::tunables) holds their values.

#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::tunables::LARGE_SWAPIN;
use super::{
    setup::{
        setup,
        State,
        STATE, //
    },
    state::zswap,
    tunables::{
        ACCEPT_THRESHOLD_PERCENT,
        COMPRESSOR,
        ENABLED,
        MAX_POOL_PERCENT,
        SHRINKER_ENABLED,
        SKIP_INCOMPRESSIBLE, //
    },
};
use kernel::{
    builtin_param,
    crypto::acompress::Algorithm,
    module_param::runtime::{
        strip,
        system_is_running,
        Custom,
        CustomValue,
        ParamLock,
        Switch,
        Text,
        UintParam, //
    },
    prelude::*,
    race_point,
    str::BStr, //
};

static ENABLED_PARAM: CustomValue<Enabled> = CustomValue::new(&ENABLED);
static COMPRESSOR_PARAM: CustomValue<Compressor> = CustomValue::new(&COMPRESSOR);

builtin_param!("zswap.enabled", ENABLED_PARAM: CustomValue<Enabled>, 0o644);
builtin_param!("zswap.compressor", COMPRESSOR_PARAM: CustomValue<Compressor>, 0o644);
builtin_param!("zswap.max_pool_percent", MAX_POOL_PERCENT: UintParam, 0o644);
builtin_param!("zswap.accept_threshold_percent", ACCEPT_THRESHOLD_PERCENT: UintParam, 0o644);
builtin_param!("zswap.shrinker_enabled", SHRINKER_ENABLED: Switch, 0o644);
builtin_param!("zswap.skip_incompressible", SKIP_INCOMPRESSIBLE: Switch, 0o644);
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
builtin_param!("zswap.large_swapin", LARGE_SWAPIN: Switch, 0o644);

struct Enabled;

impl Custom for Enabled {
    /// On the command line, only the value is stored: the initcall will set zswap up.
    type AtBoot = Switch;

    /// Mirrors `zswap_enabled_param_set()`.
    fn set(lock: &mut ParamLock, word: &CStr) -> Result {
        // Written by a usermode helper during initcalls: as on the command line.
        if !system_is_running() {
            return ENABLED.parse(lock, word);
        }
        if let State::Uninit = STATE.get(lock) {
            setup(lock).map_err(|_| ENODEV)?;
        }
        match STATE.get(lock) {
            State::Ready { has_pool: true } => ENABLED.parse(lock, word),
            State::Ready { has_pool: false } => {
                pr_err!("can't enable, no pool configured\n");
                Err(ENODEV)
            }
            State::Uninit | State::Failed => {
                pr_err!("can't enable, initialization failed\n");
                Err(ENODEV)
            }
        }
    }

    fn show(_lock: &ParamLock) -> &[u8] {
        if ENABLED.is_on() {
            b"Y"
        } else {
            b"N"
        }
    }
}

struct Compressor;

impl Custom for Compressor {
    /// On the command line, only the name is stored: `setup` will use this compressor, or the default
    /// if it isn't available.
    type AtBoot = Text;

    /// Mirrors `zswap_compressor_param_set()`.
    fn set(lock: &mut ParamLock, word: &CStr) -> Result {
        let name = strip(word);
        match STATE.get(lock) {
            // As on the command line: `setup` will use it.
            State::Uninit => COMPRESSOR
                .set(lock, name)
                .inspect_err(|_| pr_err!("zswap.compressor: string parameter too long\n")),
            State::Ready { has_pool: true } if name == COMPRESSOR.get(lock) => Ok(()),
            State::Ready { .. } => switch_to(lock, name),
            State::Failed => {
                pr_err!("can't set param, initialization failed\n");
                Err(ENODEV)
            }
        }
    }

    fn show(lock: &ParamLock) -> &[u8] {
        COMPRESSOR.get(lock)
    }
}

/// Makes a pool with the compressor `name` current: a retired pool that still has references, or a new
/// pool.
///
/// Mirrors `zswap_compressor_param_set()`, from the choice of a pool on.
fn switch_to(lock: &mut ParamLock, name: &[u8]) -> Result {
    let zswap = zswap().ok_or(ENODEV)?;
    let Some(algorithm) = Algorithm::new(name).filter(|algorithm| algorithm.is_available()) else {
        pr_err!("compressor {} not available\n", BStr::from_bytes(name));
        return Err(ENOENT);
    };

    let pool = match zswap.pools().take_retired(&algorithm) {
        Some(pool) => {
            pr_debug!("using existing pool {}\n", pool.algorithm());
            pool
        }
        None => zswap.create_pool(algorithm).map_err(|_| EINVAL)?,
    };
    race_point!("switch:before_make_current");
    // If this fails, dropping the pool retires it.
    COMPRESSOR.set(lock, name)?;
    zswap.leaves().open();
    pool.make_current();
    STATE.replace(lock, State::Ready { has_pool: true });
    Ok(())
}
