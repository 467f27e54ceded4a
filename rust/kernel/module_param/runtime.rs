// SPDX-License-Identifier: GPL-2.0

//! Parameters of built-in code that can be read and written at run time, through
//! `/sys/module/<name>/parameters` or the kernel's command line.
//!
//! Unlike those of `module!`, they have modes, can be read back, and can be set more than once.
//! All are read and written under one lock, `kernel_param_lock(NULL)`: [`ParamLock`] is evidence of
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

/// Evidence that the lock of built-in code's parameters is held. There is one at a time.
///
/// # Invariants
///
/// `kernel_param_lock(NULL)` is held by this task, and this is the only evidence of that.
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
    /// Calls `f` with the lock held. Sleeps until it is free. Parameters' own code has it already.
    ///
    /// Mirrors `kernel_param_lock()`.
    pub fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // SAFETY: Null stands for built-in code.
        unsafe { bindings::kernel_param_lock(core::ptr::null_mut()) };
        // INVARIANT: Just taken. It is a mutex, so that there is no other.
        let ret = f(&mut Self(NotThreadSafe));
        // SAFETY: Taken above.
        unsafe { bindings::kernel_param_unlock(core::ptr::null_mut()) };
        ret
    }
}

/// Data that the lock of built-in code's parameters protects. To be a `static`.
pub struct ParamLocked<T>(UnsafeCell<T>);

// SAFETY: Access needs the evidence for a lock that there is once in the kernel.
unsafe impl<T: Send> Sync for ParamLocked<T> {}

impl<T> ParamLocked<T> {
    /// Wraps `value`.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Looks at the value.
    pub fn get<'a>(&'a self, _lock: &'a ParamLock) -> &'a T {
        // SAFETY: The lock is held, and not lent exclusively, for `'a`.
        unsafe { &*self.0.get() }
    }

    /// Changes the value to `value`, and returns what it was.
    pub fn replace(&self, _lock: &mut ParamLock, value: T) -> T {
        // SAFETY: The lock is held, and lent to us exclusively: no reference from `get` is left.
        unsafe { core::mem::replace(&mut *self.0.get(), value) }
    }

    fn with_mut<R>(&self, _lock: &mut ParamLock, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: As in `replace`. `f` can't get at another `ParamLock`: taking it again would be
        // a deadlock.
        f(unsafe { &mut *self.0.get() })
    }
}

/// Whether user space may be running: parameters that are set before come from the command line.
///
/// Mirrors `system_state == SYSTEM_RUNNING`.
pub fn system_is_running() -> bool {
    // SAFETY: It is a plain word that C writes while booting and shutting down.
    let state = unsafe { core::ptr::read_volatile(&raw const bindings::system_state) };
    state == bindings::system_states_SYSTEM_RUNNING
}

/// A parameter's value, which C can read and write.
///
/// # Safety
///
/// The callbacks in `OPS` must treat what they get as `arg` as a pointer to a shared `Self`.
pub unsafe trait Value: Sync + 'static {
    /// How C sets and shows it.
    #[doc(hidden)]
    const OPS: bindings::kernel_param_ops;
}

/// A switch, shown as `Y` or `N`. Set and shown by C's own `param_ops_bool`.
pub struct Switch(Atomic<bool>);

impl Switch {
    /// A switch that is `on` or not until it is set.
    pub const fn new(on: bool) -> Self {
        Self(Atomic::new(on))
    }

    /// Whether it is on. Any context.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Switches it off.
    pub fn turn_off(&self, _lock: &mut ParamLock) {
        self.0.store(false, Relaxed);
    }

    /// Sets it from a word, with the errors of `param_set_bool()`.
    pub fn parse(&self, _lock: &mut ParamLock, word: &CStr) -> Result {
        let kp = bindings::kernel_param {
            __bindgen_anon_1: bindings::kernel_param__bindgen_ty_1 {
                arg: self.0.as_ptr().cast(),
            },
            ..pin_init::zeroed()
        };
        // SAFETY: `word` is a string, `arg` a `bool` that C writes as one word.
        to_result(unsafe { bindings::param_set_bool(word.as_char_ptr(), &kp) })
    }
}

// SAFETY: `arg` is an `Atomic<bool>`, which is laid out as the `bool` that C expects, and C reads
// and writes it as one word.
unsafe impl Value for Switch {
    const OPS: bindings::kernel_param_ops = bindings::kernel_param_ops {
        flags: bindings::KERNEL_PARAM_OPS_FL_NOARG,
        set: Some(bindings::param_set_bool),
        get: Some(bindings::param_get_bool),
        free: None,
    };
}

/// A number. Set and shown by C's own `param_ops_uint`.
pub struct Number(Atomic<u32>);

impl Number {
    /// A number that is `value` until it is set.
    pub const fn new(value: u32) -> Self {
        Self(Atomic::new(value))
    }

    /// The number: any that 32 bits hold. Any context.
    #[inline]
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

// SAFETY: `arg` is an `Atomic<u32>`, which is laid out as the `unsigned int` that C expects, and C
// reads and writes it as one word.
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

/// A text of up to 1024 bytes. Needs no memory to be set, so that it works before there is any.
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
    /// A text that is `default` until it is set.
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

    /// Sets it. Fails with `ENOSPC` if it is too long, as `param_set_charp()` does.
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

    /// Goes back to the default.
    pub fn reset(&self, lock: &mut ParamLock) {
        self.set.with_mut(lock, |set| set.len = None);
    }
}

/// A parameter that is set by code of its own.
pub trait Custom: Sync + 'static {
    /// Called to set it to `word`, as it was written: with a newline at its end, perhaps.
    ///
    /// Runs in a task that may sleep; at boot, before there is memory to allocate.
    fn set(lock: &mut ParamLock, word: &CStr) -> Result;

    /// Called to show it. A newline is added, and what doesn't fit into a page is cut off.
    fn show(lock: &ParamLock) -> &[u8];
}

/// The [`Value`] of a [`Custom`] parameter.
pub struct CustomValue<P: Custom>(core::marker::PhantomData<P>);

impl<P: Custom> CustomValue<P> {
    /// There is nothing in it.
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
    // INVARIANT: By the requirement; C has no other code that makes one meanwhile.
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
    // INVARIANT: By the requirement; C has no other code that makes one meanwhile.
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

// SAFETY: `arg` isn't looked at.
unsafe impl<P: Custom> Value for CustomValue<P> {
    const OPS: bindings::kernel_param_ops = bindings::kernel_param_ops {
        flags: 0,
        set: Some(set_custom::<P>),
        get: Some(show_custom::<P>),
        free: None,
    };
}

/// A word without the white space around it. Mirrors `strstrip()`.
pub fn strip(word: &CStr) -> &[u8] {
    // As isspace() has it.
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

/// `__MODULE_NAME_LEN`, which counts the dot that comes after the name.
const MODULE_NAME_MAX: usize = 64 - size_of::<usize>();

/// Makes a parameter's entry for C.
#[doc(hidden)]
pub const fn entry<V: Value>(name: &'static CStr, value: &'static V, mode: u16) -> KernelParam {
    // What `VERIFY_OCTAL_PERMISSIONS()` checks: who is less near may read, and write, no more than
    // who is nearer, and others mayn't write.
    let (user, group, other) = (mode >> 6, mode >> 3 & 7, mode & 7);
    assert!(user <= 7);
    assert!(user & 4 >= group & 4 && group & 4 >= other & 4);
    assert!(user & 2 >= group & 2 && other & 2 == 0);
    // What `__module_param_call()` checks: C copies the module's name to a buffer of this length.
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
        // A module's parameters have a lock of their own.
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
    fn a_text_is_set_and_reset() -> Result {
        static TEXT: Text = Text::new(c"default");
        ParamLock::with(|lock| {
            assert_eq!(TEXT.get(lock), b"default");
            TEXT.set(lock, b"")?;
            assert_eq!(TEXT.get(lock), b"");
            TEXT.set(lock, &[b'x'; TEXT_MAX])?;
            assert_eq!(TEXT.get(lock).len(), TEXT_MAX);
            // Too long: as it was.
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
    fn a_switch_takes_what_c_takes() -> Result {
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
