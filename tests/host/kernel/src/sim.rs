// SPDX-License-Identifier: GPL-2.0

//! The machine that the simulated kernel runs on: threads, locks, atomic words, and memory, all
//! under the control of a checker.
//!
//! | backend   | explores                                                                  |
//! |-----------|---------------------------------------------------------------------------|
//! | `Loom`    | every order of steps up to a bound, and every value that C11 allows to be read |
//! | `Shuttle` | a given number of random orders, sequentially consistent                  |
//! | `Plain`   | one thread                                                                |
//!
//! The backend is chosen at run time: one build serves all. All three run the threads of a model as
//! coroutines of one host thread, so state here may be in a `thread_local`.
//!
//! The kernel's `static`s can't have loom's types, which aren't const, and must be fresh in every
//! execution. So a stateful object is only a name here: its *address* in the kernel's memory, by
//! which its state is looked up in the [`World`] of the execution.

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

/// The scheduler of a model's steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backend {
    Loom,
    Shuttle,
    Plain,
}

/// The guarantees of the simulated C that models rely on: weakening one must make a model fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Promise {
    /// `folio_lock()`: one task holds a folio's lock.
    FolioLock,
    /// `swap_cluster_lock()`: one task holds a cluster's lock.
    ClusterLock,
    /// `xa_lock`: one task changes an array.
    ArrayLock,
    /// `list_lru`: one task holds a list's lock.
    ListLock,
    /// `folio_try_get()` takes no reference to a folio that has none.
    TryGet,
    /// A slot that has a folio in the swap cache isn't freed.
    CachedStays,
    /// `zswap_invalidate_range()` is called with the cluster locked.
    InvalidateLocked,
    /// `zswap_invalidate_range()` is called for every slot that is freed.
    InvalidateCalled,
    /// swapoff frees all slots before it continues.
    SwapoffFrees,
    /// swapoff waits for references to the device.
    SwapoffWaits,
    /// `get_swap_device()` fails for a device that is being swapped off.
    DyingRefused,
    /// A folio under writeback stays in the swap cache until the device has it.
    WritebackStays,
    /// Reclaim leaves a folio with another reference in the swap cache.
    FreezeCount,
    /// Reclaim writes a dirty folio before it frees it.
    DirtyStays,
    /// A fault rechecks that the folio it has locked still is the slot's.
    Recheck,
    /// A large folio is mapped for the first time only where the page table refers to all its slots.
    WholeFits,
    /// `zswap_folio_mapped()` is called before the folio is unlocked that is mapped for the first time.
    MappedLocked,
    /// The zero mark of a slot is changed with its cluster locked.
    ZeroMark,
    /// The zero mark is cleared when the slot's page is swapped out with other contents.
    ZeroUnmarked,
    /// `crypto_req_done()` ignores the notification that a request has left the backlog.
    NewsIgnored,
    /// `crypto_req_done()` stores the result before it wakes the waiter.
    ResultFirst,
    /// `crypto_wait_req()` waits for a request in flight.
    WaitReq,
    /// The waiter sees all writes before `complete()`: both take a lock.
    CompletionLock,
    /// A request is completed once.
    CompletedOnce,
    /// A driver leaves a request alone once it has completed it.
    CompletedLast,
}

/// All guarantees that can be weakened.
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
    Promise::WholeFits,
    Promise::MappedLocked,
    Promise::ZeroMark,
    Promise::ZeroUnmarked,
    Promise::NewsIgnored,
    Promise::ResultFirst,
    Promise::WaitReq,
    Promise::CompletionLock,
    Promise::CompletedOnce,
    Promise::CompletedLast,
];

/// Returns whether a guarantee holds: not if it is weakened. Marks the model as relying on it.
pub fn keeps(promise: Promise) -> bool {
    world().broken != Some(promise)
}

// --- The world of an execution --------------------------------------------------------------------

/// A hash of addresses, which are as good as random.
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
    /// Whether there is more than one thread: before and after, there is nothing to explore.
    concurrent: Cell<bool>,
    words: ByAddress<Rc<Word>>,
    /// In the order of first use, which is the same in every execution.
    word_order: RefCell<Vec<Rc<Word>>>,
    /// For words that are first used by one of several threads.
    later_words: RefCell<Vec<loom::sync::atomic::AtomicU64>>,
    locks: ByAddress<Rc<Lock>>,
    shadows: ByAddress<Rc<Shadow>>,
    values: ByAddress<Rc<dyn Any>>,
    memory: ByAddress<(Layout, &'static str)>,
    spare: RefCell<HashMap<Layout, Vec<usize>>>,
    /// The state of the simulated C.
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
    // SAFETY: A leaked box until `leave`, after which no model runs.
    unsafe { WORLD.get().as_ref() }
}

fn enter(backend: Backend, broken: Option<Promise>) {
    let world = Box::new(World {
        backend,
        broken,
        concurrent: Cell::new(false),
        words: Default::default(),
        word_order: Default::default(),
        later_words: Default::default(),
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
    // SAFETY: From `enter`, and not used any more.
    let world = unsafe { Box::from_raw(world) };
    for (&address, &(layout, _)) in world.memory.borrow().iter() {
        // SAFETY: Allocated with this layout, and not freed.
        unsafe { std::alloc::dealloc(address as *mut u8, layout) };
    }
    for (layout, spare) in world.spare.borrow().iter() {
        for &address in spare {
            // SAFETY: Allocated with this layout, and not freed.
            unsafe { std::alloc::dealloc(address as *mut u8, *layout) };
        }
    }
}

/// How a model is run, and which guarantee is broken meanwhile.
#[derive(Clone, Copy)]
pub struct Run {
    pub broken: Option<Promise>,
    /// Loom: the number of preemptions.
    pub preemptions: usize,
    /// Shuttle: the number of random orders.
    pub schedules: usize,
}

impl Run {
    /// Explores every order of steps with up to `preemptions` preemptions. Returns the number of
    /// executions.
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

/// Runs these concurrently, and returns when all have ended.
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
    // loom requires shared objects to be created before the threads.
    crate::bindings::prepare();
    world.concurrent.set(true);
    let words = world.word_order.borrow();
    words.iter().for_each(|word| word.share(world.backend));
    if world.backend == Backend::Loom {
        let word = || loom::sync::atomic::AtomicU64::new(0);
        let words = core::iter::repeat_with(word).take(LATER_WORDS);
        world.later_words.borrow_mut().extend(words);
    }
}

/// Enough for any model: a leaf of the index has 65 words, which are all read when it is dropped.
const LATER_WORDS: usize = 256;

/// The current CPU: each thread has its own.
pub fn cpu() -> usize {
    match world().backend {
        _ if !world().concurrent.get() => 0,
        Backend::Loom => LOOM_CPU.with(Cell::get),
        Backend::Shuttle => SHUTTLE_CPU.with(Cell::get),
        Backend::Plain => 0,
    }
}

/// A number below `n`, chosen by the schedule.
pub fn random(n: usize) -> usize {
    use shuttle::rand::Rng;
    shuttle::rand::thread_rng().gen_range(0..n)
}

/// Close to loom's limit of threads.
pub const NR_CPUS: usize = 4;

/// Lets other threads run.
pub fn relax() {
    match world().backend {
        _ if !world().concurrent.get() => {}
        Backend::Loom => loom::thread::yield_now(),
        Backend::Shuttle => shuttle::thread::yield_now(),
        Backend::Plain => panic!("waits forever"),
    }
}

// --- Atomic words -------------------------------------------------------------------------------

/// An atomic word.
pub struct Word {
    /// What was in memory, where that isn't changed.
    initial: Cell<Option<u64>>,
    /// While there is one thread.
    plain: Cell<u64>,
    /// What is to be added to the shared value. To loom, the thread that creates an atomic has written it.
    /// But the thread that is the first to use a word hasn't: its initial value was in memory. So it takes
    /// an atomic that is older than the threads, and is 0.
    base: Cell<u64>,
    shared: core::cell::OnceCell<Shared>,
    followed: bool,
}

enum Shared {
    Loom(loom::sync::atomic::AtomicU64),
    Shuttle(shuttle::sync::atomic::AtomicU64),
}

impl Word {
    /// The word at an address. Its initial value is the one in memory.
    ///
    /// Words that aren't `followed` change in one indivisible step: the code doesn't depend on the
    /// order of counters, and exploring all their orders would take forever.
    pub fn at(address: usize, followed: bool, initial: impl FnOnce() -> u64) -> Rc<Self> {
        let world = world();
        let mut words = world.words.borrow_mut();
        let word = words.entry(address).or_insert_with(|| {
            let word = Rc::new(Self {
                initial: Cell::new(None),
                plain: Cell::new(initial()),
                base: Cell::new(0),
                shared: core::cell::OnceCell::new(),
                followed,
            });
            world.word_order.borrow_mut().push(word.clone());
            word
        });
        if followed && world.concurrent.get() {
            word.share_later(world);
        }
        word.clone()
    }

    /// The word at an address where memory keeps its initial value. If that isn't what it was, another
    /// word was moved there, and the one before was moved away.
    pub fn in_memory(address: usize, followed: bool, initial: u64) -> Rc<Self> {
        let before = world().words.borrow().get(&address).cloned();
        if before
            .and_then(|word| word.initial.get())
            .is_some_and(|before| before != initial)
        {
            Self::forget(address);
        }
        let word = Self::at(address, followed, || initial);
        word.initial.set(Some(initial));
        word
    }

    /// Forgets the word at an address.
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

    /// The same, by one of several threads.
    fn share_later(&self, world: &World) {
        if self.shared.get().is_none() && world.backend == Backend::Loom {
            let word = world.later_words.borrow_mut().pop();
            self.base.set(self.plain.get());
            let _ = self
                .shared
                .set(Shared::Loom(word.expect("there are enough words")));
        }
        self.share(world.backend);
    }

    pub fn load(&self, order: Ordering) -> u64 {
        let base = self.base.get();
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.load(order).wrapping_add(base),
            Some(Shared::Shuttle(word)) => word.load(order),
            None => self.plain.get(),
        }
    }

    pub fn store(&self, value: u64, order: Ordering) {
        let base = self.base.get();
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.store(value.wrapping_sub(base), order),
            Some(Shared::Shuttle(word)) => word.store(value, order),
            None => self.plain.set(value),
        }
    }

    pub fn swap(&self, value: u64, order: Ordering) -> u64 {
        let base = self.base.get();
        match self.shared.get() {
            Some(Shared::Loom(word)) => {
                let old = word.swap(value.wrapping_sub(base), order);
                old.wrapping_add(base)
            }
            Some(Shared::Shuttle(word)) => word.swap(value, order),
            None => self.plain.replace(value),
        }
    }

    pub fn add(&self, value: u64, order: Ordering) -> u64 {
        match self.shared.get() {
            Some(Shared::Loom(word)) => word.fetch_add(value, order).wrapping_add(self.base.get()),
            Some(Shared::Shuttle(word)) => word.fetch_add(value, order),
            None => self.plain.replace(self.plain.get().wrapping_add(value)),
        }
    }

    pub fn cmpxchg(&self, old: u64, new: u64, order: Ordering) -> Result<u64, u64> {
        let failed = match order {
            Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => Ordering::Acquire,
            _ => Ordering::Relaxed,
        };
        let base = self.base.get();
        match self.shared.get() {
            Some(Shared::Loom(word)) => {
                let [from, to] = [old, new].map(|value| value.wrapping_sub(base));
                let ret = word.compare_exchange(from, to, order, failed);
                ret.map(|old| old.wrapping_add(base))
                    .map_err(|now| now.wrapping_add(base))
            }
            Some(Shared::Shuttle(word)) => word.compare_exchange(old, new, order, failed),
            None if self.plain.get() == old => Ok(self.plain.replace(new)),
            None => Err(self.plain.get()),
        }
    }

    /// Changes the word by `f`, unless `f` declines. Returns the old value.
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
    /// The lock at an address, initially free, with the given guarantee of exclusion.
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

    /// Forgets the lock at an address.
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
        // SAFETY: The world keeps it, and its guards are dropped before: the holder is stored in
        // it.
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

    /// Releases the lock until a `wake`, and retakes it. Polling instead would be a different order
    /// each time.
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
            _ => panic!("waits forever"),
        };
        assert!(!self.held.replace(true), "a lock is taken twice");
        *self.guard.borrow_mut() = Some(guard);
    }

    /// Wakes the waiters, if there are threads at all. The lock is held.
    pub fn wake(&self) {
        if self.is_broken() || !world().concurrent.get() {
            return;
        }
        match self.waiters() {
            Waiters::Loom(waiters) => waiters.notify_all(),
            Waiters::Shuttle(waiters) => waiters.notify_all(),
        }
    }

    /// Whether the lock is held. (For checks: true of a lock without exclusion.)
    pub fn is_held(&self) -> bool {
        self.held.get() || self.is_broken()
    }
}

/// The held locks: there must be none at the end.
pub fn locks_held() -> usize {
    let locks = world().locks.borrow();
    locks.values().filter(|lock| lock.held.get()).count()
}

// --- Memory -------------------------------------------------------------------------------------

/// Stands for memory with non-atomic accesses: two unordered accesses of which one is a write are
/// an error.
pub struct Shadow(core::cell::OnceCell<loom::cell::UnsafeCell<()>>);

impl Shadow {
    /// Memory that only the creator has written yet.
    pub fn new() -> Rc<Self> {
        let shadow = Self(core::cell::OnceCell::new());
        shadow.cell();
        Rc::new(shadow)
    }

    /// The memory at an address, if it is tracked.
    pub fn at(address: usize) -> Option<Rc<Self>> {
        world().shadows.borrow().get(&address).cloned()
    }

    /// The memory that contains an address, if it is tracked.
    pub fn around(address: usize) -> Option<Rc<Self>> {
        let memory = world().memory.borrow();
        let start = memory
            .iter()
            .find(|(start, (layout, _))| (**start..**start + layout.size()).contains(&address))
            .map(|(start, _)| *start);
        drop(memory);
        Self::at(start?)
    }

    /// The memory at an address; must exist.
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

/// The pattern in freed memory: not a valid pointer.
const POISON: u8 = 0x6b;

/// Allocates memory of a counted kind. Never fails.
pub fn alloc(layout: Layout, kind: &'static str) -> *mut u8 {
    let world = world();
    let layout = Layout::from_size_align(layout.size().max(16), layout.align().max(16)).unwrap();
    // Last in, first out, like slab: memory that was just freed is reused.
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
    // A task that still accesses it hasn't been waited for.
    let shadow = world.shadows.borrow_mut().remove(&address);
    if let Some(shadow) = shadow {
        shadow.write();
    }
    // Its owner may have moved what was in it, or not have dropped it.
    (address..address + layout.size())
        .step_by(8)
        .for_each(Word::forget);
    // SAFETY: It was allocated with this size, and has no owner now.
    unsafe { ptr.write_bytes(POISON, layout.size()) };
    world
        .spare
        .borrow_mut()
        .entry(layout)
        .or_default()
        .push(address);
}

/// Whether an address is that of allocated memory of this kind.
pub fn is_allocated(address: usize, kind: &str) -> bool {
    let memory = world().memory.borrow();
    memory.get(&address).is_some_and(|(_, is)| *is == kind)
}

/// The number of allocations of a kind.
pub fn allocated(kind: &str) -> usize {
    let memory = world().memory.borrow();
    memory.values().filter(|(_, is)| *is == kind).count()
}

/// The value of the object at an address in this execution, created at the first use.
pub fn value<T: 'static>(address: usize, make: impl FnOnce() -> T) -> Rc<T> {
    if let Some(value) = try_value(address) {
        return value;
    }
    let value = Rc::new(make());
    world().values.borrow_mut().insert(address, value.clone());
    value
}

/// The same, if it was created.
pub fn try_value<T: 'static>(address: usize) -> Option<Rc<T>> {
    let values = world().values.borrow();
    let value = values.get(&address)?.clone();
    Some(value.downcast().expect("an address has one type"))
}

/// Forgets that value.
pub fn forget_value(address: usize) {
    if let Some(world) = try_world() {
        let value = world.values.borrow_mut().remove(&address);
        drop(value);
    }
}
