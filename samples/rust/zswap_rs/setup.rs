// SPDX-License-Identifier: GPL-2.0-or-later

//! Getting ready, which happens once: at boot if zswap is enabled then, else when it is first
//! enabled. It costs memory, so that those who never enable it don't pay.

use super::{
    compress::Contexts,
    entry::{
        Entry,
        LRU, //
    },
    exports::glue,
    limits::{
        Fullness,
        Limits, //
    },
    params::{
        self,
        COMPRESSOR,
        ENABLED, //
    },
    pool::Pool,
    shrink::{
        LimitWork,
        Pressure, //
    },
    stats, //
};
use kernel::{
    cpuhotplug,
    crypto::acompress::Algorithm,
    mm::{
        memcontrol::Cursor,
        totalram_pages, //
    },
    module_param::runtime::{
        ParamLock,
        ParamLocked, //
    },
    new_spinlock,
    prelude::*,
    ratelimit::RateLimit,
    shrinker::Shrinker,
    slab,
    str::{
        BStr,
        CStr, //
    },
    sync::{
        atomic::{
            ordering::Relaxed,
            Atomic, //
        },
        generations::{
            Detached,
            Generations, //
        },
        Arc,
        SetOnce,
        SpinLock, //
    },
    workqueue::ReclaimQueue,
};

/// How far zswap has got.
#[derive(Clone, Copy)]
pub(crate) enum State {
    /// Nobody has enabled it.
    Uninit,
    /// It is ready; pages can be stored if it has had a pool.
    Ready {
        /// Whether there is a current pool.
        has_pool: bool,
    },
    /// It could not be made ready, and won't be.
    Failed,
}

/// How far zswap has got.
pub(crate) static STATE: ParamLocked<State> = ParamLocked::new(State::Uninit);

/// All that zswap needs to work. Never freed.
#[pin_data]
pub(crate) struct Zswap {
    entry_cache: slab::Cache<Entry>,
    contexts_state: cpuhotplug::State<Contexts>,
    #[pin]
    pools: Generations<Pool>,
    was_full: Atomic<bool>,
    shrink_queue: ReclaimQueue,
    limit_work: Arc<LimitWork>,
    #[pin]
    shrink_cursor: SpinLock<Cursor>,
    #[pin]
    complaints: RateLimit,
}

static ZSWAP: SetOnce<Pin<KBox<Zswap>>> = SetOnce::new();

/// All that zswap needs to work, once there is.
#[inline]
pub(crate) fn zswap() -> Option<&'static Zswap> {
    ZSWAP.as_ref().map(|zswap| &**zswap)
}

impl Zswap {
    fn new() -> Result<Pin<KBox<Self>>> {
        let entry_cache = slab::Cache::new(c"zswap_entry")
            .inspect_err(|_| pr_err!("entry cache creation failed\n"))?;
        let contexts_state = kernel::builtin_cpu_state!(c"mm/zswap_pool:prepare")?;
        let shrink_queue = ReclaimQueue::new(c"zswap-shrink", 1)?;
        let limit_work = LimitWork::new()?;
        let zswap = KBox::pin_init(
            pin_init!(Self {
                entry_cache,
                contexts_state,
                pools <- kernel::builtin_generations!(),
                was_full: Atomic::new(false),
                shrink_queue,
                limit_work,
                shrink_cursor <- new_spinlock!(Cursor::new(), "zswap_shrink_lock"),
                complaints <- RateLimit::new(),
            }),
            GFP_KERNEL,
        )?;
        // Last, as these can't be taken back.
        let shrinker = Shrinker::new::<Pressure>(c"mm-zswap")?;
        LRU.init(&shrinker)?;
        kernel::register_builtin_shrinker!(shrinker);
        Ok(zswap)
    }

    /// Memory for entries.
    pub(crate) fn entry_cache(&self) -> &slab::Cache<Entry> {
        &self.entry_cache
    }

    /// What makes compressors for CPUs that come up.
    pub(crate) fn contexts_state(&self) -> &cpuhotplug::State<Contexts> {
        &self.contexts_state
    }

    /// The pools.
    pub(crate) fn pools(&self) -> &Generations<Pool> {
        &self.pools
    }

    /// Where writing back is done for stores that were refused.
    pub(crate) fn shrink_queue(&self) -> &ReclaimQueue {
        &self.shrink_queue
    }

    /// What is done there.
    pub(crate) fn limit_work(&self) -> Arc<LimitWork> {
        self.limit_work.clone()
    }

    /// How far that has got with the round over all cgroups.
    pub(crate) fn shrink_cursor(&self) -> &SpinLock<Cursor> {
        &self.shrink_cursor
    }

    fn limits() -> Limits {
        Limits {
            max_pool_percent: params::MAX_POOL_PERCENT.get(),
            accept_threshold_percent: params::ACCEPT_THRESHOLD_PERCENT.get(),
        }
    }

    /// The pages that the pools should shrink to after the limit was hit.
    pub(crate) fn accept_pages(&self) -> usize {
        Self::limits().accept_pages(totalram_pages())
    }

    /// Whether pages were refused for the limit when that was last looked at.
    pub(crate) fn was_full(&self) -> bool {
        self.was_full.load(Relaxed)
    }

    /// Whether the pools take so much memory that pages must be refused.
    pub(crate) fn is_full(&self) -> bool {
        let limits = Self::limits();
        let was_full = self.was_full();
        let fullness = limits.check(was_full, self.total_pages(), totalram_pages());
        if fullness == Fullness::Hit {
            stats::PoolLimitHit::hit();
        }
        let is_full = fullness != Fullness::Accepting;
        if is_full != was_full {
            self.was_full.store(is_full, Relaxed);
        }
        is_full
    }

    /// Whether `function` may print one more message about data that can't be had.
    pub(crate) fn may_complain(&self, function: &CStr) -> bool {
        self.complaints.allows(function)
    }

    /// Creates a pool for the compressor that was asked for, or else for the default one.
    fn create_first_pool(&'static self, lock: &mut ParamLock) -> Option<Detached<Pool>> {
        let available = |name: &[u8]| Algorithm::new(name).filter(Algorithm::is_available);
        let default = params::COMPRESSOR_DEFAULT;

        let mut algorithm = available(COMPRESSOR.get(lock));
        if algorithm.is_none() && COMPRESSOR.get(lock) != default.to_bytes() {
            let name = BStr::from_bytes(COMPRESSOR.get(lock));
            pr_err!(
                "compressor {name} not available, using default {default}\n",
                default = BStr::from_bytes(default.to_bytes())
            );
            COMPRESSOR.reset(lock);
            algorithm = available(default.to_bytes());
        }
        // The default should be there. A Kconfig bug?
        if kernel::warn_on_once!(algorithm.is_none()) {
            let _ = COMPRESSOR.set(lock, b"");
        }
        self.create_pool(algorithm?).ok()
    }
}

/// Gets ready. May sleep. On failure zswap is off, and stays so.
pub(crate) fn setup(lock: &mut ParamLock) -> Result {
    let ready = Zswap::new().and_then(|zswap| {
        ZSWAP.populate(zswap);
        super::setup::zswap().ok_or(ENOMEM)
    });
    let Ok(zswap) = ready else {
        STATE.replace(lock, State::Failed);
        ENABLED.turn_off(lock);
        return Err(ENOMEM);
    };

    let pool = zswap.create_first_pool(lock);
    let has_pool = pool.is_some();
    match pool {
        Some(pool) => {
            glue::set_ever_enabled();
            pr_info!("loaded using pool {}\n", pool.algorithm());
            pool.make_current();
        }
        None => {
            pr_err!("pool creation failed\n");
            ENABLED.turn_off(lock);
        }
    }

    if stats::make_files().is_err() {
        pr_warn!("debugfs initialization failed\n");
    }
    STATE.replace(lock, State::Ready { has_pool });
    Ok(())
}

/// The initcall.
pub(crate) fn init() {
    pr_info!("Rust implementation\n");
    if ENABLED.is_on() {
        // Whoever enables it later is told what has failed here.
        let _ = ParamLock::with(setup);
    }
}
