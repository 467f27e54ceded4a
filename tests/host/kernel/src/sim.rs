// SPDX-License-Identifier: GPL-2.0

//! The machine that the simulated kernel runs on: threads, locks, words that are accessed atomically,
//! and memory, all under the control of a checker.
//!
//! | backend   | what it does                                                              |
//! |-----------|---------------------------------------------------------------------------|
//! | `Loom`    | every order of steps up to a bound, and every value that C11 lets be read |
//! | `Shuttle` | random orders, as many as one asks for, in sequential consistency         |
//! | `Plain`   | one thread                                                                |
//!
//! The backend is chosen when a model is run, not when it is built: one build serves all. All three run
//! the threads of a model as coroutines of one thread of the host, which is why what is here may be in
//! a `thread_local`.
//!
//! What the kernel has in `static`s can't be loom's types, which aren't const, and must be as new in
//! every execution. So everything that has a state is a name here: the *address* of the thing in the
//! kernel's memory, for which the state is looked up in the [`World`] of the execution.

use core::cell::{Cell, RefCell};
use std::{
    alloc::Layout,
    any::Any,
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    rc::Rc,
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc,
    },
};

/// Who decides what comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backend {
    Loom,
    Shuttle,
    Plain,
}

/// What the simulated C promises, and what a model must not do without: to weaken it must make a
/// model fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Promise {
    /// `folio_lock()`: one task has a folio's lock.
    FolioLock,
    /// `swap_cluster_lock()`: one task has a cluster's lock.
    ClusterLock,
    /// `xa_lock`: one task changes an array.
    ArrayLock,
    /// `list_lru`: one task has a list's lock.
    ListLock,
    /// `folio_try_get()` gets no reference to a folio that has none.
    TryGet,
    /// A slot that has a folio in the swap cache isn't freed.
    CachedStays,
    /// `zswap_invalidate()` is called with the cluster locked.
    InvalidateLocked,
    /// `zswap_invalidate()` is called for every slot that is freed.
    InvalidateCalled,
    /// swapoff frees all slots before it goes on.
    SwapoffFrees,
    /// swapoff waits for those who have got the device.
    SwapoffWaits,
    /// `get_swap_device()` gets no device that is being swapped off.
    DyingRefused,
    /// A folio that is being written stays in the swap cache until the device has it.
    WritebackStays,
    /// Reclaim leaves a folio in the swap cache that somebody has a reference to.
    FreezeCount,
    /// Reclaim writes a dirty folio before it lets it go.
    DirtyStays,
    /// A fault looks whether the folio it has locked is still that of the slot.
    Recheck,
    /// The zero mark of a slot is changed with its cluster locked.
    ZeroMark,
    /// The zero mark goes when the slot's page is swapped out with other content.
    ZeroUnmarked,
    /// `crypto_req_done()` makes nothing of the news that a request has left the backlog.
    NewsIgnored,
    /// `crypto_req_done()` stores the result before it wakes who waits for it.
    ResultFirst,
    /// `crypto_wait_req()` waits for a request that is under way.
    WaitReq,
    /// What was done before `complete()` is seen by who has waited: both take a lock.
    CompletionLock,
    /// A request is completed once.
    CompletedOnce,
    /// A driver leaves a request alone once it has completed it.
    CompletedLast,
}

/// Everything that can be weakened.
pub const PROMISES: &[Promise] = &[
    Promise::FolioLock,
    Promise::ClusterLock,
    Promise::ArrayLock,
    Promise::ListLock,
    Promise::TryGet,
    Promise::CachedStays,
    Promise::InvalidateLocked,
    Promise::InvalidateCalled,
    Promise::SwapoffFrees,
    Promise::SwapoffWaits,
    Promise::DyingRefused,
    Promise::WritebackStays,
    Promise::FreezeCount,
    Promise::DirtyStays,
    Promise::Recheck,
    Promise::ZeroMark,
    Promise::ZeroUnmarked,
    Promise::NewsIgnored,
    Promise::ResultFirst,
    Promise::WaitReq,
    Promise::CompletionLock,
    Promise::CompletedOnce,
    Promise::CompletedLast,
];

/// Says that a promise is kept, which the model hangs on; or not, if it is weakened.
pub fn keeps(promise: Promise) -> bool {
    world().broken != Some(promise)
}

// --- The world of an execution --------------------------------------------------------------------

/// Addresses are as good as random.
#[derive(Default)]
pub struct Address(u64);

impl Hasher for Address {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses are hashed")
    }
    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(26);
    }
}

type ByAddress<T> = RefCell<HashMap<usize, T, BuildHasherDefault<Address>>>;

/// All state of one execution.
pub struct World {
    pub backend: Backend,
    broken: Option<Promise>,
    /// Whether there is more than one thread: before and after, nothing need be explored.
    concurrent: Cell<bool>,
    words: ByAddress<Rc<Word>>,
    /// In the order in which they were first used, which is the same in every execution.
    word_order: RefCell<Vec<Rc<Word>>>,
    locks: ByAddress<Rc<Lock>>,
    shadows: ByAddress<Rc<Shadow>>,
    values: ByAddress<Rc<dyn Any>>,
    memory: ByAddress<(Layout, &'static str)>,
    spare: RefCell<HashMap<Layout, Vec<usize>>>,
    /// What the simulated C keeps.
    pub c: crate::bindings::State,
}

thread_local! {
    static WORLD: Cell<*const World> = const { Cell::new(core::ptr::null()) };
}

/// The world of this execution.
pub fn world() -> &'static World {
    try_world().expect("the simulated kernel is running")
}

fn try_world() -> Option<&'static World> {
    // SAFETY: It is a leaked box until `leave`, after which no model runs.
    unsafe { WORLD.get().as_ref() }
}

fn enter(backend: Backend, broken: Option<Promise>) {
    let world = Box::new(World {
        backend,
        broken,
        concurrent: Cell::new(false),
        words: Default::default(),
        word_order: Default::default(),
        locks: Default::default(),
        shadows: Default::default(),
        values: Default::default(),
        memory: Default::default(),
        spare: Default::default(),
        c: Default::default(),
    });
    WORLD.set(Box::into_raw(world));
}

fn leave() {
    let world = WORLD.replace(core::ptr::null()).cast_mut();
    // SAFETY: From `enter`, and nobody uses it any more.
    let world = unsafe { Box::from_raw(world) };
    for (&address, &(layout, _)) in world.memory.borrow().iter() {
        // SAFETY: Allocated with this layout, and not freed.
        unsafe { std::alloc::dealloc(address as *mut u8, layout) };
    }
    for (layout, spare) in world.spare.borrow().iter() {
        for &address in spare {
            // SAFETY: As above.
            unsafe { std::alloc::dealloc(address as *mut u8, *layout) };
        }
    }
}

/// How a model is run, and what is broken on purpose meanwhile.
#[derive(Clone, Copy)]
pub struct Run {
    pub broken: Option<Promise>,
    /// Loom: how often a thread that could go on is stopped for another.
    pub preemptions: usize,
    /// Shuttle: how many random orders.
    pub schedules: usize,
}

impl Run {
    /// Every order of steps with up to `preemptions` preemptions. Returns how many executions those
    /// were.
    pub fn loom(self, model: impl Fn() + Send + Sync + 'static) -> usize {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = count.clone();
        let mut builder = loom::model::Builder::new();
        builder.max_branches = 100_000;
        builder.preemption_bound = Some(self.preemptions);
        builder.check(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            enter(Backend::Loom, self.broken);
            model();
            leave();
        });
        count.load(Ordering::Relaxed)
    }

    /// Random orders of steps.
    pub fn shuttle(self, model: impl Fn() + Send + Sync + 'static) {
        let run = move || {
            enter(Backend::Shuttle, self.broken);
            model();
            leave();
        };
        shuttle::check_random(run, self.schedules);
    }

    /// One thread.
    pub fn plain<R>(self, model: impl FnOnce() -> R) -> R {
        enter(Backend::Plain, self.broken);
        let ret = model();
        leave();
        ret
    }
}

// --- Threads ------------------------------------------------------------------------------------

/// A thread of a model.
pub enum Thread {
    Loom(loom::thread::JoinHandle<()>),
    Shuttle(shuttle::thread::JoinHandle<()>),
    Plain,
}

loom::thread_local! {
    static LOOM_CPU: Cell<usize> = Cell::new(0);
}
shuttle::thread_local! {
    static SHUTTLE_CPU: Cell<usize> = Cell::new(0);
}

/// Starts a thread, on a CPU of its own.
fn spawn(cpu: usize, f: impl FnOnce() + Send + 'static) -> Thread {
    match world().backend {
        Backend::Loom => Thread::Loom(loom::thread::spawn(move || {
            LOOM_CPU.with(|here| here.set(cpu));
            f()
        })),
        Backend::Shuttle => Thread::Shuttle(shuttle::thread::spawn(move || {
            SHUTTLE_CPU.with(|here| here.set(cpu));
            f()
        })),
        Backend::Plain => {
            f();
            Thread::Plain
        }
    }
}

impl Thread {
    /// Waits for its end.
    pub fn join(self) {
        match self {
            Self::Loom(handle) => handle.join().unwrap(),
            Self::Shuttle(handle) => handle.join().unwrap(),
            Self::Plain => {}
        }
    }
}

/// Runs these at the same time, and comes back when all are over.
pub fn together(threads: Vec<Box<dyn FnOnce() + Send>>) {
    start();
    let cpus = threads.into_iter().enumerate();
    let handles: Vec<_> = cpus.map(|(cpu, thread)| spawn(cpu, thread)).collect();
    handles.into_iter().for_each(Thread::join);
    world().concurrent.set(false);
}

/// From here on there are several threads.
fn start() {
    let world = world();
    if world.backend == Backend::Plain {
        return;
    }
    // loom wants what threads share to be made before them.
    crate::bindings::prepare();
    world.concurrent.set(true);
    let words = world.word_order.borrow();
    words.iter().for_each(|word| word.share(world.backend));
}

/// Which CPU this runs on: each thread has its own.
pub fn cpu() -> usize {
    match world().backend {
        _ if !world().concurrent.get() => 0,
        Backend::Loom => LOOM_CPU.with(Cell::get),
        Backend::Shuttle => SHUTTLE_CPU.with(Cell::get),
        Backend::Plain => 0,
    }
}

/// A number below `n`, as the schedule has it.
pub fn random(n: usize) -> usize {
    use shuttle::rand::Rng;
    shuttle::rand::thread_rng().gen_range(0..n)
}

/// As many as loom has threads for, nearly.
pub const NR_CPUS: usize = 4;

/// Lets others run.
pub fn relax() {
    match world().backend {
        _ if !world().concurrent.get() => {}
        Backend::Loom => loom::thread::yield_now(),
        Backend::Shuttle => shuttle::thread::yield_now(),
        Backend::Plain => panic!("waits for ever"),
    }
}

// --- Words --------------------------------------------------------------------------------------

/// A word that is accessed atomically.
pub struct Word {
    /// While there is one thread.
    plain: Cell<u64>,
    shared: core::cell::OnceCell<Shared>,
    followed: bool,
}

enum Shared {
    Loom(loom::sync::atomic::AtomicU64),
    Shuttle(shuttle::sync::atomic::AtomicU64),
}

impl Word {
    /// The word at an address. The value that it has there is that with which it begins.
    ///
    /// Those that aren't `followed` are changed in one step that no other gets between: nothing hangs
    /// on counters, and to try all orders of theirs would take for ever.
    pub fn at(address: usize, followed: bool, initial: impl FnOnce() -> u64) -> Rc<Self> {
        let world = world();
        let mut words = world.words.borrow_mut();
        let word = words.entry(address).or_insert_with(|| {
            let word = Rc::new(Self {
                plain: Cell::new(initial()),
                shared: core::cell::OnceCell::new(),
                followed,
            });
            world.word_order.borrow_mut().push(word.clone());
            word
        });
        if followed && world.concurrent.get() {
            word.share(world.backend);
        }
        word.clone()
    }

    /// The word that was at an address is no more.
    pub fn forget(address: usize) {
        if let Some(world) = try_world() {
            world.words.borrow_mut().remove(&address);
        }
    }

    fn share(&self, backend: Backend) {
        if self.followed && self.shared.get().is_none() {
            let value = self.plain.get();
            let _ = self.shared.set(match backend {
                Backend::Loom => Shared::Loom(loom::sync::atomic::AtomicU64::new(value)),
                Backend::Shuttle => Shared::Shuttle(shuttle::sync::atomic::AtomicU64::new(value)),
                Backend::Plain => return,
            });
        }
    }

    pub fn load(&self, order: Ordering) -> u64 {
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.load(order),
            Some(Shared::Shuttle(word)) => word.load(order),
            None => self.plain.get(),
        }
    }

    pub fn store(&self, value: u64, order: Ordering) {
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.store(value, order),
            Some(Shared::Shuttle(word)) => word.store(value, order),
            None => self.plain.set(value),
        }
    }

    pub fn swap(&self, value: u64, order: Ordering) -> u64 {
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.swap(value, order),
            Some(Shared::Shuttle(word)) => word.swap(value, order),
            None => self.plain.replace(value),
        }
    }

    pub fn add(&self, value: u64, order: Ordering) -> u64 {
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.fetch_add(value, order),
            Some(Shared::Shuttle(word)) => word.fetch_add(value, order),
            None => self.plain.replace(self.plain.get().wrapping_add(value)),
        }
    }

    pub fn cmpxchg(&self, old: u64, new: u64, order: Ordering) -> Result<u64, u64> {
        let failed = match order {
            Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => Ordering::Acquire,
            _ => Ordering::Relaxed,
        };
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.compare_exchange(old, new, order, failed),
            Some(Shared::Shuttle(word)) => word.compare_exchange(old, new, order, failed),
            None if self.plain.get() == old => Ok(self.plain.replace(new)),
            None => Err(self.plain.get()),
        }
    }

    /// Changes the word by `f`, unless that says no. Returns what it was.
    pub fn update(&self, order: Ordering, f: impl Fn(u64) -> Option<u64>) -> Result<u64, u64> {
        let mut old = self.load(Ordering::Relaxed);
        loop {
            let Some(new) = f(old) else { return Err(old) };
            match self.cmpxchg(old, new, order) {
                Ok(old) => return Ok(old),
                Err(now) => old = now,
            }
        }
    }
}

// --- Locks --------------------------------------------------------------------------------------

/// A lock of any kind.
pub struct Lock {
    lock: core::cell::OnceCell<LockKind>,
    waiters: core::cell::OnceCell<Waiters>,
    guard: RefCell<Option<Guard>>,
    held: Cell<bool>,
    promise: Option<Promise>,
}

enum LockKind {
    Loom(loom::sync::Mutex<()>),
    Shuttle(shuttle::sync::Mutex<()>),
}

enum Waiters {
    Loom(loom::sync::Condvar),
    Shuttle(shuttle::sync::Condvar),
}

enum Guard {
    Loom(loom::sync::MutexGuard<'static, ()>),
    Shuttle(shuttle::sync::MutexGuard<'static, ()>),
}

impl Lock {
    /// The lock at an address, free at first, which excludes as was promised.
    pub fn at(address: usize, promise: Option<Promise>) -> Rc<Self> {
        let mut locks = world().locks.borrow_mut();
        let lock = locks.entry(address).or_insert_with(|| {
            Rc::new(Self {
                lock: core::cell::OnceCell::new(),
                waiters: core::cell::OnceCell::new(),
                guard: RefCell::new(None),
                held: Cell::new(false),
                promise,
            })
        });
        lock.clone()
    }

    /// The lock that was at an address is no more.
    pub fn forget(address: usize) {
        if let Some(world) = try_world() {
            let lock = world.locks.borrow_mut().remove(&address);
            assert!(
                lock.is_none_or(|lock| !lock.held.get()),
                "a lock that is held was freed"
            );
        }
    }

    fn is_broken(&self) -> bool {
        self.promise.is_some_and(|promise| !keeps(promise))
    }

    fn kind(&self) -> Option<&'static LockKind> {
        let world = world();
        if !world.concurrent.get() {
            return None;
        }
        let kind = self.lock.get_or_init(|| match world.backend {
            Backend::Loom => LockKind::Loom(loom::sync::Mutex::new(())),
            Backend::Shuttle => LockKind::Shuttle(shuttle::sync::Mutex::new(())),
            Backend::Plain => unreachable!("there is one thread"),
        });
        // SAFETY: The world keeps it, and its guards go before it does: who holds it is in it.
        Some(unsafe { &*core::ptr::from_ref(kind) })
    }

    pub fn lock(&self) {
        if self.is_broken() {
            return;
        }
        let guard = self.kind().map(|kind| match kind {
            LockKind::Loom(lock) => Guard::Loom(lock.lock().unwrap()),
            LockKind::Shuttle(lock) => Guard::Shuttle(lock.lock().unwrap()),
        });
        assert!(!self.held.replace(true), "a lock is taken twice");
        *self.guard.borrow_mut() = guard;
    }

    pub fn try_lock(&self) -> bool {
        if self.is_broken() {
            return true;
        }
        let guard = match self.kind() {
            None if self.held.get() => return false,
            None => None,
            Some(LockKind::Loom(lock)) => match lock.try_lock() {
                Ok(guard) => Some(Guard::Loom(guard)),
                Err(_) => return false,
            },
            Some(LockKind::Shuttle(lock)) => match lock.try_lock() {
                Ok(guard) => Some(Guard::Shuttle(guard)),
                Err(_) => return false,
            },
        };
        assert!(!self.held.replace(true), "a lock is taken twice");
        *self.guard.borrow_mut() = guard;
        true
    }

    pub fn unlock(&self) {
        if self.is_broken() {
            return;
        }
        assert!(
            self.held.replace(false),
            "a lock is released that isn't held"
        );
        let guard = self.guard.borrow_mut().take();
        drop(guard);
    }

    fn waiters(&self) -> &Waiters {
        self.waiters.get_or_init(|| match world().backend {
            Backend::Shuttle => Waiters::Shuttle(shuttle::sync::Condvar::new()),
            _ => Waiters::Loom(loom::sync::Condvar::new()),
        })
    }

    /// Releases it until there is a `wake`, and takes it again. To look again and again instead would
    /// be another order each time.
    pub fn wait(&self) {
        if self.is_broken() {
            return relax();
        }
        let guard = self.guard.borrow_mut().take();
        self.held.set(false);
        let guard = match (guard, self.waiters()) {
            (Some(Guard::Loom(guard)), Waiters::Loom(waiters)) => {
                Guard::Loom(waiters.wait(guard).unwrap())
            }
            (Some(Guard::Shuttle(guard)), Waiters::Shuttle(waiters)) => {
                Guard::Shuttle(waiters.wait(guard).unwrap())
            }
            _ => panic!("waits for ever"),
        };
        assert!(!self.held.replace(true), "a lock is taken twice");
        *self.guard.borrow_mut() = Some(guard);
    }

    /// Wakes those who wait, if there are threads at all. The lock is held.
    pub fn wake(&self) {
        if self.is_broken() || !world().concurrent.get() {
            return;
        }
        match self.waiters() {
            Waiters::Loom(waiters) => waiters.notify_all(),
            Waiters::Shuttle(waiters) => waiters.notify_all(),
        }
    }

    /// Whether somebody holds it. (For checks: says nothing of a lock that doesn't lock.)
    pub fn is_held(&self) -> bool {
        self.held.get() || self.is_broken()
    }
}

/// The locks that are held: there should be none at the end.
pub fn locks_held() -> usize {
    let locks = world().locks.borrow();
    locks.values().filter(|lock| lock.held.get()).count()
}

// --- Memory -------------------------------------------------------------------------------------

/// Stands for memory that is accessed without being atomic: two accesses of which one writes, and
/// which nothing orders, are an error.
pub struct Shadow(core::cell::OnceCell<loom::cell::UnsafeCell<()>>);

impl Shadow {
    /// Memory that nobody has written yet but who makes this.
    pub fn new() -> Rc<Self> {
        let shadow = Self(core::cell::OnceCell::new());
        shadow.cell();
        Rc::new(shadow)
    }

    /// The memory at an address, if it is known.
    pub fn at(address: usize) -> Option<Rc<Self>> {
        world().shadows.borrow().get(&address).cloned()
    }

    /// The memory that an address is in, if it is known.
    pub fn around(address: usize) -> Option<Rc<Self>> {
        let memory = world().memory.borrow();
        let start = memory
            .iter()
            .find(|(start, (layout, _))| (**start..**start + layout.size()).contains(&address))
            .map(|(start, _)| *start);
        drop(memory);
        Self::at(start?)
    }

    /// The memory at an address, which somebody relies on.
    pub fn live(address: usize) -> Rc<Self> {
        Self::at(address).expect("memory is used that was freed")
    }

    fn cell(&self) -> Option<&loom::cell::UnsafeCell<()>> {
        (world().backend == Backend::Loom)
            .then(|| self.0.get_or_init(|| loom::cell::UnsafeCell::new(())))
    }

    pub fn read(&self) {
        if let Some(cell) = self.cell() {
            cell.with(|_| ());
        }
    }

    pub fn write(&self) {
        if let Some(cell) = self.cell() {
            cell.with_mut(|_| ());
        }
    }
}

/// What freed memory is full of: no pointer that could be followed.
const POISON: u8 = 0x6b;

/// Allocates memory, of a kind that is counted. Never fails.
pub fn alloc(layout: Layout, kind: &'static str) -> *mut u8 {
    let world = world();
    let layout = Layout::from_size_align(layout.size().max(16), layout.align().max(16)).unwrap();
    // Last in, first out, as slab has it: what was freed just now is used again.
    let spare = world.spare.borrow_mut().get_mut(&layout).and_then(Vec::pop);
    let address = spare.unwrap_or_else(|| {
        // SAFETY: The size isn't 0.
        unsafe { std::alloc::alloc(layout) as usize }
    });
    let ptr = address as *mut u8;
    // SAFETY: Just allocated.
    unsafe { ptr.write_bytes(POISON, layout.size()) };
    world.memory.borrow_mut().insert(address, (layout, kind));
    world.shadows.borrow_mut().insert(address, Shadow::new());
    ptr
}

/// Frees it.
pub fn free(ptr: *mut u8) {
    let Some(world) = try_world() else { return };
    let address = ptr as usize;
    let Some((layout, _)) = world.memory.borrow_mut().remove(&address) else {
        panic!("memory is freed twice, or was never allocated");
    };
    // Whoever still looks at it hasn't been waited for.
    let shadow = world.shadows.borrow_mut().remove(&address);
    if let Some(shadow) = shadow {
        shadow.write();
    }
    // SAFETY: It was allocated with this size, and is nobody's now.
    unsafe { ptr.write_bytes(POISON, layout.size()) };
    world
        .spare
        .borrow_mut()
        .entry(layout)
        .or_default()
        .push(address);
}

/// Whether an address is that of memory which is allocated, as this kind.
pub fn is_allocated(address: usize, kind: &str) -> bool {
    let memory = world().memory.borrow();
    memory.get(&address).is_some_and(|(_, is)| *is == kind)
}

/// How many pieces of a kind there are.
pub fn allocated(kind: &str) -> usize {
    let memory = world().memory.borrow();
    memory.values().filter(|(_, is)| *is == kind).count()
}

/// The value that something at an address has in this execution: made at the first use.
pub fn value<T: 'static>(address: usize, make: impl FnOnce() -> T) -> Rc<T> {
    if let Some(value) = try_value(address) {
        return value;
    }
    let value = Rc::new(make());
    world().values.borrow_mut().insert(address, value.clone());
    value
}

/// The same, if it was made.
pub fn try_value<T: 'static>(address: usize) -> Option<Rc<T>> {
    let values = world().values.borrow();
    let value = values.get(&address)?.clone();
    Some(value.downcast().expect("an address has one type"))
}

/// It is no more.
pub fn forget_value(address: usize) {
    if let Some(world) = try_world() {
        let value = world.values.borrow_mut().remove(&address);
        drop(value);
    }
}
