// SPDX-License-Identifier: GPL-2.0

//! Parameters of built-in code, readable and writable at run time through
//! `/sys/module/<name>/parameters`, and settable on the kernel's command line.
//!
//! Unlike the parameters of `module!`, they have modes, can be read back, and can be set more than
//! once. All are read and written under one lock (`param_lock`, taken by
//! `kernel_param_lock(NULL)`).
//! [`ParamLock`] is the witness for it, and [`ParamLocked`] is data that it protects.
//!
//! C header: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h)

use crate::{
    bindings,
    error::{
        from_result,
        to_result, //
    },
    page::PAGE_SIZE,
    prelude::*,
    print::{
        call_printk,
        format_strings, //
    },
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
    types::NotThreadSafe, //
};
use core::cell::UnsafeCell;

#[doc(hidden)]
pub use super::KernelParam;

/// A witness that the lock of built-in code's parameters (`param_lock`) is held. At most one exists
/// at a time.
///
/// The lock is a mutex, and C calls the callbacks of [`Custom`] with it held. Calling
/// [`ParamLock::with`] with the lock held compiles, and deadlocks: types don't prevent taking a
/// lock twice.
///
/// # Invariants
///
/// `kernel_param_lock(NULL)` is held by this task, and this is its only witness.
///
/// # Examples
///
/// ```
/// use kernel::module_param::runtime::{ParamLock, Text};
///
/// static COMPRESSOR: Text = Text::new(c"lzo");
///
/// ParamLock::with(|lock| -> Result {
///     assert_eq!(COMPRESSOR.get(lock), b"lzo");
///     COMPRESSOR.set(lock, b"zstd")?;
///     assert_eq!(COMPRESSOR.get(lock), b"zstd");
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub struct ParamLock(NotThreadSafe);

impl ParamLock {
    /// Calls `f` with the lock held. May sleep. Deadlocks if this task holds the lock already, as
    /// in `f` and in the callbacks of [`Custom`].
    ///
    /// Mirrors `kernel_param_lock()` and `kernel_param_unlock()`.
    pub fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // SAFETY: No requirement; null stands for built-in code.
        unsafe { bindings::kernel_param_lock(core::ptr::null_mut()) };
        // INVARIANT: The lock was just taken. It is a mutex, so no other witness exists.
        let ret = f(&mut Self(NotThreadSafe));
        // SAFETY: This task has taken the lock above, and holds it until here.
        unsafe { bindings::kernel_param_unlock(core::ptr::null_mut()) };
        ret
    }
}

/// Data that the lock of built-in code's parameters (`param_lock`) protects. Meant for a `static`.
pub struct ParamLocked<T>(UnsafeCell<T>);

// SAFETY: Access requires the witness for `param_lock`, of which at most one exists.
unsafe impl<T: Send> Sync for ParamLocked<T> {}

impl<T> ParamLocked<T> {
    /// Wraps `value`.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Returns the value.
    pub fn get<'a>(&'a self, _lock: &'a ParamLock) -> &'a T {
        // SAFETY: The lock is held, and not lent exclusively, for `'a`.
        unsafe { &*self.0.get() }
    }

    /// Changes the value to `value`, and returns the old one.
    pub fn replace(&self, lock: &mut ParamLock, value: T) -> T {
        self.with_mut(lock, |it| core::mem::replace(it, value))
    }

    fn with_mut<R>(&self, _lock: &mut ParamLock, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: The lock is held, and its witness is borrowed exclusively: no reference from
        // `get` is left. `f` can't get another `ParamLock`: taking the lock again would deadlock.
        f(unsafe { &mut *self.0.get() })
    }
}

fn system_state() -> bindings::system_states {
    // SAFETY: `system_state` is a C static of one word, which C writes during boot and shutdown.
    unsafe { core::ptr::read_volatile(&raw const bindings::system_state) }
}

/// Whether user space may be running.
///
/// Mirrors `system_state == SYSTEM_RUNNING`.
pub fn system_is_running() -> bool {
    system_state() == bindings::system_states_SYSTEM_RUNNING
}

/// Whether `start_kernel()` may still be parsing the kernel's command line (`parse_args()`).
///
/// Allocators and workqueues don't work then.
fn is_booting() -> bool {
    system_state() == bindings::system_states_SYSTEM_BOOTING
}

/// A parameter's value, which C can read and write.
///
/// # Safety
///
/// The callbacks in `OPS` must treat their `arg` as a pointer to a shared `Self`.
pub unsafe trait Value: Sync + 'static {
    /// The callbacks by which C sets and shows the value.
    #[doc(hidden)]
    const OPS: bindings::kernel_param_ops;
}

/// A switch, shown as `Y` or `N`. Set and shown by C's `param_ops_bool`.
pub struct Switch(Atomic<bool>);

impl Switch {
    /// Creates a switch that is initially `on` or off.
    pub const fn new(on: bool) -> Self {
        Self(Atomic::new(on))
    }

    /// Whether the switch is on. Any context.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Turns the switch off. Requires the lock, so that it doesn't race with a write through sysfs.
    pub fn turn_off(&self, _lock: &mut ParamLock) {
        self.0.store(false, Relaxed);
    }

    /// Sets the switch from a string, with the errors of `param_set_bool()`.
    pub fn parse(&self, _lock: &mut ParamLock, word: &CStr) -> Result {
        let kp = bindings::kernel_param {
            __bindgen_anon_1: bindings::kernel_param__bindgen_ty_1 {
                arg: self.0.as_ptr().cast(),
            },
            ..pin_init::zeroed()
        };
        // SAFETY: `word` is a string, and `arg` a `bool` that C writes in one access.
        to_result(unsafe { bindings::param_set_bool(word.as_char_ptr(), &kp) })
    }
}

// SAFETY: `arg` is an `Atomic<bool>`, which has the layout of the `bool` that C expects, and C
// reads and writes it in one access.
unsafe impl Value for Switch {
    const OPS: bindings::kernel_param_ops = bindings::kernel_param_ops {
        flags: bindings::KERNEL_PARAM_OPS_FL_NOARG,
        set: Some(bindings::param_set_bool),
        get: Some(bindings::param_get_bool),
        free: None,
    };
}

/// A number. Set and shown by C's `param_ops_uint`.
pub struct UintParam(Atomic<u32>);

impl UintParam {
    /// Creates a number that is initially `value`.
    pub const fn new(value: u32) -> Self {
        Self(Atomic::new(value))
    }

    /// The number: any 32-bit value. Any context.
    #[inline]
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

// SAFETY: `arg` is an `Atomic<u32>`, which has the layout of the `unsigned int` that C expects, and
// C reads and writes it in one access.
unsafe impl Value for UintParam {
    const OPS: bindings::kernel_param_ops = bindings::kernel_param_ops {
        flags: 0,
        set: Some(bindings::param_set_uint),
        get: Some(bindings::param_get_uint),
        free: None,
    };
}

/// The maximum length of a text, in bytes, as in `param_set_charp()`.
const TEXT_MAX: usize = 1024;

/// A text of up to 1024 bytes. Setting it allocates no memory, so the command line can set it
/// before allocators work.
pub struct Text {
    default: &'static CStr,
    set: ParamLocked<TextSet>,
}

struct TextSet {
    bytes: [u8; TEXT_MAX],
    // `None` for the default.
    len: Option<usize>,
}

impl Text {
    /// Creates a text that is initially `default`.
    pub const fn new(default: &'static CStr) -> Self {
        Self {
            default,
            set: ParamLocked::new(TextSet {
                bytes: [0; TEXT_MAX],
                len: None,
            }),
        }
    }

    /// The text.
    pub fn get<'a>(&'a self, lock: &'a ParamLock) -> &'a [u8] {
        let set = self.set.get(lock);
        match set.len {
            Some(len) => set.bytes.get(..len).unwrap_or_default(),
            None => self.default.to_bytes(),
        }
    }

    /// Sets the text. Fails with `ENOSPC` if it is too long, as `param_set_charp()` does.
    pub fn set(&self, lock: &mut ParamLock, text: &[u8]) -> Result {
        self.set.with_mut(lock, |set| {
            set.bytes
                .get_mut(..text.len())
                .ok_or(ENOSPC)?
                .copy_from_slice(text);
            set.len = Some(text.len());
            Ok(())
        })
    }
}

/// A value that can be set from the kernel's command line.
///
/// # Safety
///
/// `set_at_boot()` runs in `parse_args()`: with interrupts off, and before allocators, RCU and workqueues
/// work. It must use none of these.
pub unsafe trait AtBoot: Sync + 'static {
    /// Sets the value of the parameter `name` to `word`, exactly as written.
    fn set_at_boot(&self, lock: &mut ParamLock, name: &CStr, word: &CStr) -> Result;
}

// SAFETY: `param_set_bool()` parses the word and writes a `bool`.
unsafe impl AtBoot for Switch {
    /// Fails like [`Switch::parse`].
    fn set_at_boot(&self, lock: &mut ParamLock, _name: &CStr, word: &CStr) -> Result {
        self.parse(lock, word)
    }
}

// SAFETY: The word is copied into the `Text` itself. `printk()` works: `parse_args()` calls it as well.
unsafe impl AtBoot for Text {
    /// Strips white space, then sets the text as `param_set_charp()` does. Fails with `ENOSPC` if
    /// it is too long, and prints an error.
    fn set_at_boot(&self, lock: &mut ParamLock, name: &CStr, word: &CStr) -> Result {
        self.set(lock, strip(word)).inspect_err(|_| {
            call_printk(
                &format_strings::ERR,
                name,
                fmt!("string parameter too long\n"),
            )
        })
    }
}

/// The callbacks of a custom parameter.
///
/// They run in a task that may sleep, after boot, with `param_lock` held: see [`ParamLock`]. During
/// boot neither runs: the command line sets the [`AtBoot`] value of the [`CustomValue`] instead,
/// which an initcall can read.
pub trait Custom: Sync + 'static {
    /// The type of the value that the command line sets.
    type AtBoot: AtBoot;

    /// Sets the parameter to `word`, exactly as written: possibly with a newline at the end.
    fn set(lock: &mut ParamLock, word: &CStr) -> Result;

    /// Returns the text to show. The caller truncates it to a page, and appends a newline.
    fn show(lock: &ParamLock) -> &[u8];
}

/// The [`Value`] of a [`Custom`] parameter.
pub struct CustomValue<P: Custom> {
    at_boot: &'static P::AtBoot,
    _p: core::marker::PhantomData<P>,
}

impl<P: Custom> CustomValue<P> {
    /// Creates the value. The kernel's command line sets `at_boot`.
    pub const fn new(at_boot: &'static P::AtBoot) -> Self {
        Self {
            at_boot,
            _p: core::marker::PhantomData,
        }
    }

    fn set(&self, booting: bool, lock: &mut ParamLock, name: &CStr, word: &CStr) -> Result {
        if booting {
            self.at_boot.set_at_boot(lock, name, word)
        } else {
            P::set(lock, word)
        }
    }
}

/// # Safety
///
/// Only for the parameter code of C. It must hold `param_lock`, and pass a string or null, and the
/// entry of a parameter whose value is a `CustomValue<P>`.
unsafe extern "C" fn set_custom<P: Custom>(
    word: *const c_char,
    kp: *const bindings::kernel_param,
) -> c_int {
    if word.is_null() {
        return EINVAL.to_errno();
    }
    // SAFETY: The caller guarantees that `word` is a string if it isn't null, as was just checked.
    let word = unsafe { CStr::from_char_ptr(word) };
    // SAFETY: The caller guarantees that `kp` is an entry for a `CustomValue<P>`: `entry` has made
    // it of a name and of a `&'static CustomValue<P>`.
    let (name, value) = unsafe {
        (
            CStr::from_char_ptr((*kp).name),
            &*(*kp).__bindgen_anon_1.arg.cast::<CustomValue<P>>(),
        )
    };
    // INVARIANT: The caller holds the lock. No other witness is created during this call.
    let mut lock = ParamLock(NotThreadSafe);
    from_result(|| value.set(is_booting(), &mut lock, name, word).map(|()| 0))
}

/// # Safety
///
/// Only for the parameter code of C. It must hold `param_lock`, and pass a `buf` of `PAGE_SIZE`
/// bytes.
unsafe extern "C" fn show_custom<P: Custom>(
    buf: *mut c_char,
    _kp: *const bindings::kernel_param,
) -> c_int {
    // INVARIANT: The caller holds the lock. No other witness is created during this call.
    let lock = ParamLock(NotThreadSafe);
    let text = P::show(&lock);
    let len = text.len().min(PAGE_SIZE - 2);
    // SAFETY: The caller guarantees that `buf` has `PAGE_SIZE` bytes: room for `len` bytes, a
    // newline and a zero.
    unsafe {
        core::ptr::copy_nonoverlapping(text.as_ptr(), buf.cast(), len);
        buf.add(len).cast::<[u8; 2]>().write(*b"\n\0");
    }
    (len + 1) as c_int
}

// SAFETY: `set_custom` treats `arg` as a pointer to a shared `CustomValue<P>`, and `show_custom` doesn't
// use it.
unsafe impl<P: Custom> Value for CustomValue<P> {
    const OPS: bindings::kernel_param_ops = bindings::kernel_param_ops {
        flags: 0,
        set: Some(set_custom::<P>),
        get: Some(show_custom::<P>),
        free: None,
    };
}

/// Strips white space from both ends of a word. Mirrors `strstrip()`.
pub fn strip(word: &CStr) -> &[u8] {
    // As in isspace().
    let is_space = |byte: &u8| matches!(byte, 9..=13 | b' ' | 0xa0);
    let mut word = word.to_bytes();
    while let [first, rest @ ..] = word {
        if !is_space(first) {
            break;
        }
        word = rest;
    }
    while let [rest @ .., last] = word {
        if !is_space(last) {
            break;
        }
        word = rest;
    }
    word
}

struct Ops<V>(core::marker::PhantomData<V>);

impl<V: Value> Ops<V> {
    const OPS: &'static bindings::kernel_param_ops = &V::OPS;
}

/// `__MODULE_NAME_LEN`, which includes the dot after the name.
const MODULE_NAME_MAX: usize = 64 - size_of::<usize>();

/// Creates the entry of a parameter in the `__param` section. Mirrors `__module_param_call()`.
#[doc(hidden)]
pub const fn entry<V: Value>(name: &'static CStr, value: &'static V, mode: u16) -> KernelParam {
    // As checked by `VERIFY_OCTAL_PERMISSIONS()`: read and write permission may not widen from user
    // to group to other, and other may not write.
    let (user, group, other) = (mode >> 6, mode >> 3 & 7, mode & 7);
    assert!(user <= 7);
    assert!(user & 4 >= group & 4 && group & 4 >= other & 4);
    assert!(user & 2 >= group & 2 && other & 2 == 0);
    // As checked by `__module_param_call()`: C copies the module's name to a buffer of this length.
    let (bytes, mut at) = (name.to_bytes(), 0);
    while at < bytes.len() && bytes[at] != b'.' {
        at += 1;
    }
    assert!(at == bytes.len() || at < MODULE_NAME_MAX);
    KernelParam::new(bindings::kernel_param {
        name: crate::str::as_char_ptr_in_const_context(name),
        mod_: core::ptr::null_mut(),
        ops: Ops::<V>::OPS,
        perm: mode,
        level: -1,
        flags: 0,
        __bindgen_anon_1: bindings::kernel_param__bindgen_ty_1 {
            arg: core::ptr::from_ref(value).cast_mut().cast::<c_void>(),
        },
    })
}

/// Declares a parameter of built-in code.
///
/// Takes its full name, its value (a `static` whose type is a
/// [`Value`](kernel::module_param::runtime::Value)) and its mode in sysfs. Fails to compile with an
/// invalid mode, or with a module name that is too long. Mirrors `module_param_cb()`.
///
/// # Examples
///
/// ```
/// use kernel::module_param::runtime::UintParam;
///
/// static PERCENT: UintParam = UintParam::new(20);
///
/// // Read and written in /sys/module/rust_doctests/parameters/percent.
/// kernel::builtin_param!("rust_doctests.percent", PERCENT: UintParam, 0o644);
///
/// assert_eq!(PERCENT.get(), 20);
/// ```
#[macro_export]
macro_rules! builtin_param {
    ($name:literal, $value:ident: $type:ty, $mode:literal) => {
        // The parameters of a module have another lock.
        #[cfg(MODULE)]
        ::core::compile_error!("builtin_param! is for built-in code");

        const _: () = {
            // `$value` is resolved in this scope, so the name must differ from that of any `static`
            // of a caller.
            #[link_section = "__param"]
            #[used(compiler)]
            static __BUILTIN_PARAM: $crate::module_param::runtime::KernelParam =
                $crate::module_param::runtime::entry::<$type>(
                    $crate::c_str!($name),
                    &$value,
                    $mode,
                );
        };
    };
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_module_param_runtime)]
mod tests {
    use super::*;

    #[test]
    fn text_is_set() -> Result {
        static TEXT: Text = Text::new(c"default");
        ParamLock::with(|lock| {
            assert_eq!(TEXT.get(lock), b"default");
            TEXT.set(lock, b"")?;
            assert_eq!(TEXT.get(lock), b"");
            TEXT.set(lock, &[b'x'; TEXT_MAX])?;
            assert_eq!(TEXT.get(lock).len(), TEXT_MAX);
            // Too long: the text is unchanged.
            assert_eq!(TEXT.set(lock, &[b'y'; TEXT_MAX + 1]), Err(ENOSPC));
            assert_eq!(TEXT.get(lock).first(), Some(&b'x'));
            TEXT.set(lock, b"default") // for the next run
        })
    }

    struct Probe;

    static PROBE_AT_BOOT: Text = Text::new(c"default");
    static PROBE_WAS_SET: ParamLocked<bool> = ParamLocked::new(false);
    // A name that the macro's own `static` must not have.
    static PARAM: CustomValue<Probe> = CustomValue::new(&PROBE_AT_BOOT);

    // Settable on the kernel's command line.
    crate::builtin_param!("rust_param_test.probe", PARAM: CustomValue<Probe>, 0o644);

    impl Custom for Probe {
        type AtBoot = Text;

        fn set(lock: &mut ParamLock, _word: &CStr) -> Result {
            PROBE_WAS_SET.replace(lock, true);
            Ok(())
        }

        fn show(lock: &ParamLock) -> &[u8] {
            if *PROBE_WAS_SET.get(lock) {
                b"set() was called"
            } else {
                PROBE_AT_BOOT.get(lock)
            }
        }
    }

    #[test]
    fn boot_calls_no_setter() -> Result {
        static AT_BOOT: Text = Text::new(c"default");
        static LATER: Text = Text::new(c"never");
        static VALUE: CustomValue<Words> = CustomValue::new(&AT_BOOT);
        static SWITCH: Switch = Switch::new(false);

        struct Words;

        impl Custom for Words {
            type AtBoot = Text;

            fn set(lock: &mut ParamLock, word: &CStr) -> Result {
                LATER.set(lock, word.to_bytes())
            }

            fn show(lock: &ParamLock) -> &[u8] {
                LATER.get(lock)
            }
        }

        ParamLock::with(|lock| {
            LATER.set(lock, b"never")?;
            VALUE.set(true, lock, c"rust_param_test.words", c" word\t")?;
            assert_eq!(AT_BOOT.get(lock), b"word");
            assert_eq!(LATER.get(lock), b"never");

            VALUE.set(false, lock, c"rust_param_test.words", c" later ")?;
            assert_eq!(AT_BOOT.get(lock), b"word");
            assert_eq!(LATER.get(lock), b" later ");

            SWITCH.set_at_boot(lock, c"rust_param_test.switch", c"Y")?;
            assert!(SWITCH.is_on());
            let refused = SWITCH.set_at_boot(lock, c"rust_param_test.switch", c"maybe");
            assert_eq!(refused, Err(EINVAL));
            assert!(SWITCH.is_on());
            Ok(())
        })
    }

    #[test]
    fn boot_refuses_a_long_text() -> Result {
        static TEXT: Text = Text::new(c"default");
        static LONG: [u8; TEXT_MAX + 2] = {
            let mut long = [b'x'; TEXT_MAX + 2];
            long[TEXT_MAX + 1] = 0;
            long
        };
        let long = CStr::from_bytes_with_nul(&LONG).map_err(|_| EINVAL)?;
        ParamLock::with(|lock| {
            let refused = TEXT.set_at_boot(lock, c"rust_param_test.text", long);
            assert_eq!(refused, Err(ENOSPC));
            assert_eq!(TEXT.get(lock), b"default");
            Ok(())
        })
    }

    #[test]
    fn words_are_stripped_as_in_c() {
        assert_eq!(strip(c" \t\x0blz4\n\xa0"), b"lz4");
        assert_eq!(strip(c"lz4"), b"lz4");
        assert_eq!(strip(c"a b"), b"a b");
        assert_eq!(strip(c" \n "), b"");
        assert_eq!(strip(c""), b"");
    }

    #[test]
    fn switch_parses_like_c() -> Result {
        static SWITCH: Switch = Switch::new(false);
        ParamLock::with(|lock| {
            for (word, on) in [(c"Y", true), (c"0", false), (c"on", true), (c"n", false)] {
                SWITCH.parse(lock, word)?;
                assert_eq!(SWITCH.is_on(), on);
            }
            assert_eq!(SWITCH.parse(lock, c"maybe"), Err(EINVAL));
            Ok(())
        })
    }
}
