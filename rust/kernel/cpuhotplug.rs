// SPDX-License-Identifier: GPL-2.0

//! Callbacks for CPUs that come up.
//!
//! C header: [`include/linux/cpuhotplug.h`](srctree/include/linux/cpuhotplug.h)

use crate::{
    bindings,
    cpu::CpuId,
    error::{
        from_result,
        to_result, //
    },
    prelude::*,
    types::Opaque, //
};
use core::{
    marker::PhantomData,
    ops::Deref, //
};

/// The position of a state in the order in which a CPU passes through the states before it runs.
/// Mirrors `enum cpuhp_state`.
#[derive(Clone, Copy)]
pub enum StateSlot {
    /// A dynamically allocated state: `CPUHP_BP_PREPARE_DYN`. Such states are ordered by
    /// registration.
    PrepareDyn,
    /// `CPUHP_MM_ZSWP_POOL_PREPARE`
    MmZswapPoolPrepare,
}

impl StateSlot {
    const fn as_raw(self) -> bindings::cpuhp_state {
        match self {
            Self::PrepareDyn => bindings::cpuhp_state_CPUHP_BP_PREPARE_DYN,
            Self::MmZswapPoolPrepare => bindings::cpuhp_state_CPUHP_MM_ZSWP_POOL_PREPARE,
        }
    }
}

/// Something that must be prepared for each CPU before that CPU runs.
// One implementor: zswap's compressors. Every multi-instance state of C (`cpuhp_setup_state_multi()`)
// would be another.
pub trait Prepare: Send + Sync + 'static {
    /// Called for each CPU that is brought up, and for each CPU that is up when the instance is
    /// created.
    ///
    /// Runs in a task that may sleep, with `cpu_hotplug_lock` held. On error the CPU isn't brought
    /// up, or the instance isn't created. May be called again for the same CPU.
    ///
    /// Creating or dropping an [`Instance`] here deadlocks: both take `cpu_hotplug_lock`.
    fn prepare(&self, cpu: CpuId) -> Result;
}

/// A registered state. Instances of `T` can be created for it as long as this value lives.
///
/// Invariant in `T`: the callback for instances was chosen when the state was registered, and a
/// subtype could have another one.
///
/// # Invariants
///
/// The multi-instance state `state` is registered with [`prepare_callback::<T>`], and owned by this
/// value.
pub struct State<T: Prepare> {
    state: bindings::cpuhp_state,
    _p: PhantomData<fn(T) -> T>,
}

impl<T: Prepare> State<T> {
    /// Registers the state at a position in the order of states. For [`builtin_cpu_state!`].
    ///
    /// [`builtin_cpu_state!`]: crate::builtin_cpu_state
    ///
    /// # Safety
    ///
    /// The callback's code and `name` must never be unloaded: they must be built in. (An instance
    /// requires a state that lives forever, so the callback can't be unregistered.)
    #[doc(hidden)]
    pub unsafe fn new(slot: StateSlot, name: &'static CStr) -> Result<Self> {
        // C's prototype is for callbacks without an instance; for a multi-instance state the core
        // casts the callback back (`cpuhp_setup_state_multi()` casts it through `void *` as well).
        //
        // SAFETY: Function pointers have the same size, and the core calls it with the right type,
        // see above.
        let callback = unsafe {
            core::mem::transmute::<
                unsafe extern "C" fn(c_uint, *mut bindings::hlist_node) -> c_int,
                unsafe extern "C" fn(c_uint) -> c_int,
            >(prepare_callback::<T>)
        };
        // SAFETY: The caller guarantees that `name` and the callback are never unloaded.
        // `multi_instance` is true, so the callback is called only for instances.
        let ret = unsafe {
            bindings::__cpuhp_setup_state(
                slot.as_raw(),
                name.as_char_ptr(),
                false,
                Some(callback),
                None,
                true,
            )
        };
        to_result(ret)?;
        // INVARIANT: The state was free and is now registered with `prepare_callback::<T>`. For a
        // dynamic state, C returns its number.
        Ok(Self {
            state: match slot {
                StateSlot::PrepareDyn => ret as bindings::cpuhp_state,
                slot => slot.as_raw(),
            },
            _p: PhantomData,
        })
    }
}

/// Registers a [`State`](kernel::cpuhotplug::State) of built-in code, at the given
/// [`StateSlot`](kernel::cpuhotplug::StateSlot) and with the given name. May sleep.
///
/// Fails with `EBUSY` if the state is registered already, and with `ENOSPC` if no dynamic state is
/// left.
///
/// Mirrors `cpuhp_setup_state_multi()`.
// One user: zswap's setup. A macro, since only the caller's crate knows whether it is a module.
#[macro_export]
macro_rules! builtin_cpu_state {
    ($slot:expr, $name:expr) => {{
        #[cfg(MODULE)]
        ::core::compile_error!("builtin_cpu_state! is for built-in code");
        let (slot, name): (_, &'static $crate::str::CStr) = ($slot, $name);
        // SAFETY: This is built in, as just checked, and so are the name and the callback.
        unsafe { $crate::cpuhotplug::State::new(slot, name) }
    }};
}

impl<T: Prepare> Drop for State<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the state is owned by this value. It has no instances: an
        // instance borrows its state forever, and a state that is borrowed forever isn't dropped.
        unsafe { bindings::__cpuhp_remove_state(self.state, false) };
    }
}

/// A `T` whose [`Prepare::prepare`] is called for each CPU.
///
/// The `T` lies in a separate allocation, and not in the `Instance`. An initialiser for memory of
/// the caller would have to rely on the caller to drop the value before freeing the memory. Safe
/// code need not do that: `MaybeUninit<T>` can be pinned as well, by [`pin_init::Wrapper`], and
/// drops nothing.
///
/// Invariant in `T`, like its [`State`].
///
/// # Examples
///
/// ```
/// use kernel::{
///     cpu::CpuId,
///     cpuhotplug::{Instance, Prepare, State, StateSlot},
/// };
///
/// struct Buffers;
///
/// impl Prepare for Buffers {
///     fn prepare(&self, cpu: CpuId) -> Result {
///         pr_info!("CPU {} comes up\n", cpu.as_u32());
///         Ok(())
///     }
/// }
///
/// // Once: the state lives forever, as its instances require.
/// fn new() -> Result<Instance<Buffers>> {
///     let state: State<Buffers> =
///         kernel::builtin_cpu_state!(StateSlot::PrepareDyn, c"mm/buffers:prepare")?;
///     let state = KBox::leak(KBox::new(state, GFP_KERNEL)?);
///     Instance::new(state, Buffers)
/// }
/// assert!(new().is_ok());
/// # Ok::<(), Error>(())
/// ```
///
/// # Invariants
///
/// The node of `registered` is on the list of instances of `state`.
pub struct Instance<T: Prepare> {
    registered: Pin<KBox<Registered<T>>>,
    state: &'static State<T>,
}

/// The memory of an [`Instance`].
#[repr(C)]
struct Registered<T> {
    node: Opaque<bindings::hlist_node>,
    inner: T,
}

// SAFETY: `node` is on a list that has its own lock.
unsafe impl<T: Send> Send for Registered<T> {}
// SAFETY: A shared reference gives `&T`; only C uses the node, under the lock of its list.
unsafe impl<T: Sync> Sync for Registered<T> {}

impl<T> Registered<T> {
    /// The node. The pointer's provenance covers the whole `Registered<T>`.
    fn node(&self) -> *mut bindings::hlist_node {
        Opaque::cast_into(core::ptr::from_ref(self).cast())
    }
}

impl<T: Prepare> Instance<T> {
    /// Creates an instance of `state`: prepares `inner` for each CPU that is up. May sleep.
    ///
    /// Fails with `ENOMEM`, and with the errors of [`Prepare::prepare`].
    ///
    /// Takes `cpu_hotplug_lock` and `cpuhp_state_mutex`, as dropping the instance does.
    /// [`Prepare::prepare`] must do neither.
    ///
    /// Mirrors `cpuhp_state_add_instance()`.
    pub fn new(state: &'static State<T>, inner: T) -> Result<Self> {
        // An `hlist_node` that is on no list is zeroed.
        let node = Opaque::zeroed();
        let registered = KBox::pin(Registered { node, inner }, GFP_KERNEL)?;
        let node = registered.node();
        // SAFETY: By the invariant of `State` the state is registered with `prepare_callback::<T>`,
        // which requires a `Registered<T>` around the node. The `Registered<T>` is pinned. Its
        // memory is freed after `drop` below has removed the node from the list, or here, if C has
        // failed and not added it.
        to_result(unsafe { bindings::__cpuhp_state_add_instance(state.state, node, true) })?;
        // INVARIANT: Just added.
        Ok(Self { registered, state })
    }
}

impl<T: Prepare> Deref for Instance<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.registered.inner
    }
}

impl<T: Prepare> Drop for Instance<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the node is on the list of instances. No teardown is
        // registered. Once this returns, no callback runs or will run for the node: C takes
        // `cpu_hotplug_lock` for reading here, and for writing when it brings up a CPU.
        unsafe {
            bindings::__cpuhp_state_remove_instance(self.state.state, self.registered.node(), true);
        }
    }
}

/// # Safety
///
/// Only for the hotplug core. `node` must be the node of a live `Registered<T>`.
unsafe extern "C" fn prepare_callback<T: Prepare>(
    cpu: c_uint,
    node: *mut bindings::hlist_node,
) -> c_int {
    // SAFETY: `node` is the first field of a `Registered<T>`, which is `repr(C)`. Its `inner` was
    // initialised before the node was added, and lives until after the node has been removed.
    let inner = unsafe { &(*node.cast::<Registered<T>>()).inner };
    from_result(|| {
        inner.prepare(CpuId::from_u32(cpu).ok_or(EINVAL)?)?;
        Ok(0)
    })
}
