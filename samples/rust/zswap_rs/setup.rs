// SPDX-License-Identifier: GPL-2.0-or-later

//! Setup, and the parameters that need it: `enabled` and `compressor`.
//!
//! zswap is set up once: at boot if it is enabled by then, otherwise when it is first enabled. A system that never enables
//! zswap does not allocate its memory.

use super::{
    shrink::ZswapShrinker,
    state::Zswap,
    zswap_core::{
        glue::{
            zswap_debugfs_init,
            zswap_enabled,
            ParamLock, //
        },
        lru,
        pool::Pool,
        pool_table::POOLS, //
    },
};
use kernel::{
    bindings::CONFIG_ZSWAP_COMPRESSOR_DEFAULT,
    crypto::acompress::Algorithm,
    prelude::*,
    race_point,
    shrinker::Shrinker,
    str::BStr,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// The compressor that is used if no available compressor is requested.
const COMPRESSOR_DEFAULT: &CStr = match CStr::from_bytes_with_nul(CONFIG_ZSWAP_COMPRESSOR_DEFAULT) {
    Ok(name) => name,
    Err(_) => panic!("CONFIG_ZSWAP_COMPRESSOR_DEFAULT is a string"),
};

/// Whether setup has succeeded, if only without a pool. Set under `param_lock`, as `FAILED`. Mirrors
/// `enum zswap_init_type`.
static READY: Atomic<bool> = Atomic::new(false);

/// Whether setup has failed. It isn't retried.
static FAILED: Atomic<bool> = Atomic::new(false);

/// Whether a current pool exists: C's `zswap_has_pool`.
fn has_pool() -> bool {
    POOLS.current().is_some()
}

/// Everything that zswap needs, before it is enabled.
struct Created {
    /// The compressor to use, or `None` if not even the default is available.
    algorithm: Option<Algorithm>,
    /// The pool that will be current, or `None` if it could not be created.
    pool: Option<Pool>,
}

/// Creates and publishes everything that zswap needs except a pool. On failure, frees what it has created, except the
/// workqueue.
fn create_state() -> Result {
    let zswap = Zswap::new()?;
    // The shrinker and its lists can't be freed, so they are created last.
    let shrinker = Shrinker::new::<ZswapShrinker>(c"mm-zswap")?;
    lru::init(&shrinker)?;
    kernel::register_builtin_shrinker!(shrinker);
    Zswap::publish(zswap);
    Ok(())
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
    create_state()?;
    let algorithm = choose(name);
    let pool = algorithm
        .clone()
        .and_then(|algorithm| Pool::new(algorithm).ok());
    Ok(Created { algorithm, pool })
}

/// Ends setup with what [`create`] returned: makes the pool current, if there is one, or disables zswap.
fn finish(lock: &mut ParamLock, created: Result<Created>) -> Result {
    let Ok(created) = created else {
        FAILED.store(true, Relaxed);
        zswap_enabled.store(false, Relaxed);
        return Err(ENOMEM);
    };

    // Empty without a compressor: C's `ZSWAP_PARAM_UNSET`. Without memory for it the requested name stays.
    let name = created.algorithm.as_ref().map(Algorithm::as_c_str);
    let _ = lock.set_compressor(name.unwrap_or_default());
    match created.pool.and_then(|pool| POOLS.create(lock, pool).ok()) {
        Some(pool) => {
            pr_info!("loaded using pool {}\n", pool.algorithm());
            pool.make_current(lock);
        }
        None => {
            pr_err!("pool creation failed\n");
            zswap_enabled.store(false, Relaxed);
        }
    }

    zswap_debugfs_init();
    READY.store(true, Relaxed);
    Ok(())
}

/// Sets zswap up when it is first enabled. May sleep. Fails with `ENOMEM`; zswap is then disabled and can't be
/// enabled.
///
/// Like C's, this loads the compressor's module with `param_lock` held: a `modprobe` that accesses parameters of
/// built-in code would never return. [`init`] does without.
///
/// Mirrors `zswap_setup()`.
fn setup(lock: &mut ParamLock) -> Result {
    let created = create(lock.compressor().to_bytes());
    finish(lock, created)
}

/// The initcall: sets zswap up if it is enabled. Mirrors `zswap_init()`.
pub(crate) fn init() -> Result {
    pr_info!("Rust implementation\n");
    if !zswap_enabled.load(Relaxed) {
        return Ok(());
    }
    // `modprobe` may need param_lock, which therefore isn't held while the compressor's module is loaded. If `modprobe`
    // writes another name meanwhile, the pool's compressor replaces it. No other task can set zswap up before user space
    // runs: see `zswap_enabled_param_set()` in glue.c.
    let mut name = KVec::new();
    let copied =
        ParamLock::with(|lock| name.extend_from_slice(lock.compressor().to_bytes(), GFP_KERNEL));
    let created = copied.map_err(Error::from).and_then(|()| create(&name));
    ParamLock::with(|lock| finish(lock, created))
}

/// Sets zswap up, unless that was done. Fails with `ENODEV` if zswap can't be enabled.
///
/// Mirrors `zswap_enabled_param_set()`.
pub(crate) fn prepare(lock: &mut ParamLock) -> Result {
    if FAILED.load(Relaxed) {
        pr_err!("can't enable, initialization failed\n");
        return Err(ENODEV);
    }
    if !READY.load(Relaxed) {
        setup(lock).map_err(|_| ENODEV)?;
    }
    if !has_pool() {
        pr_err!("can't enable, no pool configured\n");
        return Err(ENODEV);
    }
    Ok(())
}

/// Makes a pool with the compressor `name` current: a retired pool that still has references, or a new
/// pool. Before setup, only stores the name.
///
/// Mirrors `zswap_compressor_param_set()`.
pub(crate) fn set_compressor(lock: &mut ParamLock, name: &CStr) -> Result {
    if FAILED.load(Relaxed) {
        pr_err!("can't set param, initialization failed\n");
        return Err(ENODEV);
    }
    if !READY.load(Relaxed) {
        return lock.set_compressor(name);
    }
    if has_pool() && name == lock.compressor() {
        return Ok(());
    }
    let algorithm = Algorithm::new(name.to_bytes()).filter(Algorithm::is_available);
    let Some(algorithm) = algorithm else {
        pr_err!(
            "compressor {} not available\n",
            BStr::from_bytes(name.to_bytes())
        );
        return Err(ENOENT);
    };

    let pool = match POOLS.find(&algorithm) {
        Some(pool) => {
            pr_debug!("using existing pool {}\n", pool.algorithm());
            pool
        }
        None => Pool::new(algorithm)
            .and_then(|pool| POOLS.create(lock, pool))
            .map_err(|_| EINVAL)?,
    };
    race_point!("switch:before_make_current");
    // If this fails, the pool stays retired.
    lock.set_compressor(name)?;
    pool.make_current(lock);
    Ok(())
}
