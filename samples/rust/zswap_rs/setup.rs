// SPDX-License-Identifier: GPL-2.0-or-later

//! One-time setup: at boot if zswap is enabled by then, otherwise when it is first enabled. A system
//! that never enables zswap does not allocate its memory.

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

/// The state of setup. Mirrors `enum zswap_init_type`.
#[derive(Clone, Copy)]
pub(crate) enum State {
    /// zswap was never enabled.
    Uninit,
    /// zswap is set up; stores work if there is a pool.
    Ready {
        /// Whether a current pool exists: C's `zswap_has_pool`.
        has_pool: bool,
    },
    /// Setup has failed, and isn't retried.
    Failed,
}

/// The state of setup: C's `zswap_init_state`.
pub(crate) static STATE: ParamLocked<State> = ParamLocked::new(State::Uninit);

/// Creates and publishes everything that zswap needs except a pool. On failure, frees what it has created.
fn create() -> Result<&'static Zswap> {
    let zswap = Zswap::new()?;
    let worker = ShrinkWorker::new()?;
    // The shrinker and its lists can't be freed, so they are created last.
    let shrinker = Shrinker::new::<ZswapShrinker>(c"mm-zswap")?;
    lru::init(&shrinker)?;
    kernel::register_builtin_shrinker!(shrinker);
    ShrinkWorker::publish(worker);
    Zswap::publish(zswap)
}

/// Creates a pool with the requested compressor, or with the default one if that is not available.
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
    // Kconfig selects the default, so it should be available.
    if kernel::warn_on_once!(algorithm.is_none()) {
        let _ = COMPRESSOR.set(lock, b"");
    }
    zswap.create_pool(algorithm?).ok()
}

/// Sets zswap up. May sleep. Fails with `ENOMEM`; zswap is then disabled and can't be enabled.
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
