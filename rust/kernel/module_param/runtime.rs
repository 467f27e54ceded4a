// SPDX-License-Identifier: GPL-2.0

//! Parameters of built-in code, readable and writable at run time through
//! `/sys/module/<name>/parameters`, and settable on the kernel's command line.
//!
//! Unlike those of `module!`, they have modes, can be read back, and can be set more than once. All
//! are read and written under one lock, `kernel_param_lock(NULL)`: [`ParamLock`] is the witness for
//! it, and [`ParamLocked`] is data that it protects.
//!
//! C header: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h)

use crate::{
    bindings,
    error::{
        code::{
            EINVAL,
            ENOSPC, //
        },
        from_result,
        to_result,
        Result, //
    },
    ffi::{
        c_char,
        c_int,
        c_void, //
    },
    page::PAGE_SIZE,
    prelude::*,
    str::CStr,
    sync::atomic::{
        ordering::Relaxed,
        Atomic, //
    },
    types::NotThreadSafe,
};
use core::cell::UnsafeCell;

#[doc(hidden)]
pub use super::KernelParam;

/// A witness that the lock of built-in code's parameters is held. At most one exists at a time.
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
///     COMPRESSOR.set(lock, b"zstd")?;
///     assert_eq!(COMPRESSOR.get(lock), b"zstd");
///
///     COMPRESSOR.reset(lock);
///     assert_eq!(COMPRESSOR.get(lock), b"lzo");
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub struct ParamLock(NotThreadSafe);

impl ParamLock {
    /// Calls `f` with the lock held. Sleeps until the lock is free. Parameter callbacks hold it
    /// already.
    ///
    /// Mirrors `kernel_param_lock()`.
    pub fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // SAFETY: Null stands for built-in code.
        unsafe { bindings::kernel_param_lock(core::ptr::null_mut()) };
        // INVARIANT: Just taken. It is a mutex, so there is no other witness.
        let ret = f(&mut Self(NotThreadSafe));
        // SAFETY: Taken above.
        unsafe { bindings::kernel_param_unlock(core::ptr::null_mut()) };
        ret
    }
}

/// Data that the lock of built-in code's parameters protects. Meant for a `static`.
pub struct ParamLocked<T>(UnsafeCell<T>);

// SAFETY: Access requires the witness for a lock of which the kernel has one.
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
    pub fn replace(&self, _lock: &mut ParamLock, value: T) -> T {
        // SAFETY: The lock is held, and lent to us exclusively: no reference from `get` is left.
        unsafe { core::mem::replace(&mut *self.0.get(), value) }
    }

    fn with_mut<R>(&self, _lock: &mut ParamLock, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: As in `replace`. `f` can't get another `ParamLock`: taking the lock again would
        // deadlock.
        f(unsafe { &mut *self.0.get() })
    }
}

/// Whether user space may be running: before that, parameters are set from the command line.
///
/// Mirrors `system_state == SYSTEM_RUNNING`.
pub fn system_is_running() -> bool {
    // SAFETY: It is a plain word, which C writes during boot and shutdown.
    let state = unsafe { core::ptr::read_volatile(&raw const bindings::system_state) };
    state == bindings::system_states_SYSTEM_RUNNING
}

/// A parameter's value, which C can read and write.
///
/// # Safety
///
/// The callbacks in `OPS` must treat their `arg` as a pointer to a shared `Self`.
pub unsafe trait Value: Sync + 'static {
    /// The callbacks by which C sets and shows it.
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

    /// Turns the switch off.
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
pub struct Number(Atomic<u32>);

impl Number {
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
unsafe impl Value for Number {
    const OPS: bindings::kernel_param_ops = bindings::kernel_param_ops {
        flags: 0,
        set: Some(bindings::param_set_uint),
        get: Some(bindings::param_get_uint),
        free: None,
    };
}

/// The longest text of a parameter, as in `param_set_charp()`.
const TEXT_MAX: usize = 1024;

/// A text of up to 1024 bytes. Setting it allocates no memory, so it works before allocators do.
pub struct Text {
    default: &'static CStr,
    set: ParamLocked<TextSet>,
}

struct TextSet {
    bytes: [u8; TEXT_MAX],
    // `None` while it is the default.
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

    /// Resets the text to the default.
    pub fn reset(&self, lock: &mut ParamLock) {
        self.set.with_mut(lock, |set| set.len = None);
    }
}

/// A parameter with its own callbacks.
pub trait Custom: Sync + 'static {
    /// Sets the parameter to `word`, exactly as written: possibly with a newline at the end.
    ///
    /// Runs in a task that may sleep; at boot, before allocators work.
    fn set(lock: &mut ParamLock, word: &CStr) -> Result;

    /// Shows the parameter. C's side appends a newline, and truncates the text to a page.
    fn show(lock: &ParamLock) -> &[u8];
}

/// The [`Value`] of a [`Custom`] parameter.
pub struct CustomValue<P: Custom>(core::marker::PhantomData<P>);

impl<P: Custom> CustomValue<P> {
    /// Creates the value, which is empty.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(core::marker::PhantomData)
    }
}

/// # Safety
///
/// Only for the parameter code of C, which holds `kernel_param_lock(NULL)` and passes a string.
unsafe extern "C" fn set_custom<P: Custom>(
    word: *const c_char,
    _kp: *const bindings::kernel_param,
) -> c_int {
    if word.is_null() {
        return EINVAL.to_errno();
    }
    // SAFETY: By the requirement.
    let word = unsafe { CStr::from_char_ptr(word) };
    // INVARIANT: By the requirement; no other witness is created during this call.
    let mut lock = ParamLock(NotThreadSafe);
    from_result(|| P::set(&mut lock, word).map(|()| 0))
}

/// # Safety
///
/// As for [`set_custom`], with a `buf` of `PAGE_SIZE` bytes.
unsafe extern "C" fn show_custom<P: Custom>(
    buf: *mut c_char,
    _kp: *const bindings::kernel_param,
) -> c_int {
    // INVARIANT: By the requirement; no other witness is created during this call.
    let lock = ParamLock(NotThreadSafe);
    let text = P::show(&lock);
    let len = text.len().min(PAGE_SIZE - 2);
    // SAFETY: By the requirement there is room for that much, a newline and a zero.
    unsafe {
        core::ptr::copy_nonoverlapping(text.as_ptr(), buf.cast(), len);
        buf.add(len).cast::<[u8; 2]>().write(*b"\n\0");
    }
    (len + 1) as c_int
}

// SAFETY: `arg` isn't used.
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

/// Creates a parameter's entry for C.
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
/// [`Value`](kernel::module_param::runtime::Value)) and its mode in sysfs. Mirrors
/// `module_param_cb()`.
///
/// # Examples
///
/// ```
/// use kernel::module_param::runtime::Number;
///
/// static PERCENT: Number = Number::new(20);
///
/// // Read and written in /sys/module/rust_doctests/parameters/percent.
/// kernel::builtin_param!("rust_doctests.percent", PERCENT: Number, 0o644);
///
/// assert_eq!(PERCENT.get(), 20);
/// ```
#[macro_export]
macro_rules! builtin_param {
    ($name:literal, $value:ident: $type:ty, $mode:literal) => {
        // A module's parameters have another lock.
        #[cfg(MODULE)]
        ::core::compile_error!("builtin_param! is for built-in code");

        const _: () = {
            #[link_section = "__param"]
            #[used(compiler)]
            static PARAM: $crate::module_param::runtime::KernelParam =
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
    fn text_is_set_and_reset() -> Result {
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
            TEXT.reset(lock);
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
