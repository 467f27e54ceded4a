// SPDX-License-Identifier: GPL-2.0-or-later

//! Setup, done once: at boot if zswap is enabled then, else when it is first enabled. Setup
//! allocates memory, so a system that never enables zswap doesn't pay for it.

use super::{
    debugfs,
    shrink::{
        ShrinkWorker, //
        ZswapShrinker,
    },
    state::Zswap,
    tunables::{
        COMPRESSOR,
        COMPRESSOR_DEFAULT,
        ENABLED, //
    },
    zswap_core::{
        lru,
        pool_list::NewPool, //
    },
};
use kernel::{
    crypto::acompress::Algorithm,
    module_param::runtime::{
        ParamLock,
        ParamLocked, //
    },
    prelude::*,
    shrinker::Shrinker,
    str::BStr, //
};

/// How far setup has got. Mirrors `enum zswap_init_type`.
#[derive(Clone, Copy)]
pub(crate) enum State {
    /// zswap was never enabled.
    Uninit,
    /// zswap is set up; stores work if there is a pool.
    Ready {
        /// Whether there is a current pool: C's `zswap_has_pool`.
        has_pool: bool,
    },
    /// Setup has failed, and isn't retried.
    Failed,
}

/// How far setup has got: C's `zswap_init_state`.
pub(crate) static STATE: ParamLocked<State> = ParamLocked::new(State::Uninit);

/// Creates and publishes all that zswap needs except a pool. On failure, drops what it has created.
fn create() -> Result<&'static Zswap> {
    let zswap = Zswap::new()?;
    let worker = ShrinkWorker::new()?;
    // The shrinker and its lists can't be undone, so they come last.
    let shrinker = Shrinker::new::<ZswapShrinker>(c"mm-zswap")?;
    lru::init(&shrinker)?;
    kernel::register_builtin_shrinker!(shrinker);
    ShrinkWorker::publish(worker);
    Zswap::publish(zswap)
}

/// Creates a pool for the requested compressor, or else for the default one.
///
/// Mirrors `__zswap_pool_create_fallback()`.
fn create_fallback(zswap: &'static Zswap, lock: &mut ParamLock) -> Option<NewPool> {
    let available = |name: &[u8]| Algorithm::new(name).filter(Algorithm::is_available);
    let default = COMPRESSOR_DEFAULT.to_bytes();

    let mut algorithm = available(COMPRESSOR.get(lock));
    if algorithm.is_none() && COMPRESSOR.get(lock) != default {
        let name = BStr::from_bytes(COMPRESSOR.get(lock));
        pr_err!(
            "compressor {name} not available, using default {default}\n",
            default = BStr::from_bytes(default)
        );
        COMPRESSOR.reset(lock);
        algorithm = available(default);
    }
    // The default should be available. A Kconfig bug?
    if kernel::warn_on_once!(algorithm.is_none()) {
        let _ = COMPRESSOR.set(lock, b"");
    }
    zswap.create_pool(algorithm?).ok()
}

/// Sets zswap up. May sleep. On failure returns `ENOMEM`; zswap is off and stays off.
///
/// Mirrors `zswap_setup()`.
pub(crate) fn setup(lock: &mut ParamLock) -> Result {
    let Ok(zswap) = create() else {
        STATE.replace(lock, State::Failed);
        ENABLED.turn_off(lock);
        return Err(ENOMEM);
    };

    let pool = create_fallback(zswap, lock);
    let has_pool = pool.is_some();
    match pool {
        Some(pool) => {
            zswap.leaves().open();
            pr_info!("loaded using pool {}\n", pool.algorithm());
            pool.make_current();
        }
        None => {
            pr_err!("pool creation failed\n");
            ENABLED.turn_off(lock);
        }
    }

    if debugfs::init().is_err() {
        pr_warn!("debugfs initialization failed\n");
    }
    STATE.replace(lock, State::Ready { has_pool });
    Ok(())
}

/// The initcall: sets zswap up if it is enabled. Mirrors `zswap_init()`.
pub(crate) fn init() -> Result {
    pr_info!("Rust implementation\n");
    if !ENABLED.is_on() {
        return Ok(());
    }
    ParamLock::with(setup)
}
