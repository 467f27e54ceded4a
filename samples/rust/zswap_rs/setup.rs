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

/// Everything that zswap needs, before it is enabled.
struct Created {
    zswap: &'static Zswap,
    /// The compressor to use, or `None` if not even the default is available.
    algorithm: Option<Algorithm>,
    /// The pool that will be current, or `None` if it could not be created.
    pool: Option<NewPool>,
}

/// Creates and publishes everything that zswap needs except a pool. On failure, frees what it has created.
fn create_state() -> Result<&'static Zswap> {
    let zswap = Zswap::new()?;
    let worker = ShrinkWorker::new()?;
    // The shrinker and its lists can't be freed, so they are created last.
    let shrinker = Shrinker::new::<ZswapShrinker>(c"mm-zswap")?;
    lru::init(&shrinker)?;
    kernel::register_builtin_shrinker!(shrinker);
    ShrinkWorker::publish(worker);
    Zswap::publish(zswap)
}

/// Selects the compressor `name`, or the default one if that is not available. May load a module, and waits for
/// `modprobe`.
///
/// Mirrors `__zswap_pool_create_fallback()`, up to the creation of the pool.
fn choose(name: &[u8]) -> Option<Algorithm> {
    let available = |name: &[u8]| Algorithm::new(name).filter(Algorithm::is_available);
    let default = COMPRESSOR_DEFAULT.to_bytes();

    let mut algorithm = available(name);
    if algorithm.is_none() && name != default {
        pr_err!(
            "compressor {name} not available, using default {default}\n",
            name = BStr::from_bytes(name),
            default = BStr::from_bytes(default)
        );
        algorithm = available(default);
    }
    // Kconfig selects the default, so it should be available.
    kernel::warn_on_once!(algorithm.is_none());
    algorithm
}

/// Creates everything that zswap needs, with a pool for the compressor `name` if possible. May load a module, and
/// waits for `modprobe`.
fn create(name: &[u8]) -> Result<Created> {
    let zswap = create_state()?;
    let algorithm = choose(name);
    let pool = algorithm
        .clone()
        .and_then(|algorithm| zswap.create_pool(algorithm).ok());
    Ok(Created {
        zswap,
        algorithm,
        pool,
    })
}

/// Ends setup with what [`create`] returned: makes the pool current, if there is one, or disables zswap.
fn finish(lock: &mut ParamLock, created: Result<Created>) -> Result {
    let Ok(created) = created else {
        STATE.replace(lock, State::Failed);
        ENABLED.turn_off(lock);
        return Err(ENOMEM);
    };

    // Empty without a compressor: C's `ZSWAP_PARAM_UNSET`. The name of an algorithm is never too long for a parameter.
    let name = created.algorithm.as_ref().map(Algorithm::as_bytes);
    let _ = COMPRESSOR.set(lock, name.unwrap_or_default());
    let has_pool = created.pool.is_some();
    match created.pool {
        Some(pool) => {
            created.zswap.leaves().open();
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

/// Sets zswap up when it is first enabled. May sleep. Fails with `ENOMEM`; zswap is then disabled and can't be
/// enabled.
///
/// Like C's, this loads the compressor's module with `param_lock` held: a `modprobe` that accesses parameters of
/// built-in code would never return. [`init`] does without.
///
/// Mirrors `zswap_setup()`.
pub(crate) fn setup(lock: &mut ParamLock) -> Result {
    let created = create(COMPRESSOR.get(lock));
    finish(lock, created)
}

/// The initcall: sets zswap up if it is enabled. Mirrors `zswap_init()`.
pub(crate) fn init() -> Result {
    pr_info!("Rust implementation\n");
    if !ENABLED.is_on() {
        return Ok(());
    }
    // `modprobe` may need param_lock, which therefore isn't held while the compressor's module is loaded. If `modprobe`
    // writes another name meanwhile, the pool's compressor replaces it. No other task can set zswap up before
    // `system_is_running()`.
    let mut name = KVec::new();
    let copied = ParamLock::with(|lock| name.extend_from_slice(COMPRESSOR.get(lock), GFP_KERNEL));
    let created = copied.map_err(Error::from).and_then(|()| create(&name));
    ParamLock::with(|lock| finish(lock, created))
}
