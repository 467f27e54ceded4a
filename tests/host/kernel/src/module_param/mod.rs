// SPDX-License-Identifier: GPL-2.0

//! Parameters, replaced at their API.

pub mod runtime {
    use crate::{
        error::{
            code::{EINVAL, ENOSPC},
            Result,
        },
        sim::{self, Lock},
        str::CStr,
        sync::atomic::{ordering::Relaxed, Atomic},
    };
    use core::{cell::RefCell, marker::PhantomData};
    use std::rc::Rc;

    pub struct ParamLock(());

    static LOCK: u8 = 0;

    impl ParamLock {
        pub fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
            let lock = Lock::at(&raw const LOCK as usize, None);
            lock.lock();
            let ret = f(&mut Self(()));
            lock.unlock();
            ret
        }
    }

    /// Memory has the initial value of each execution.
    pub struct ParamLocked<T>(T);

    // SAFETY: `get` lends the value as long as a `ParamLock` is lent, and `replace` changes it with
    // one that is lent mutably. There is one at a time: `with` creates it, under the lock. So a
    // value moves between tasks, which `Send` allows, and two tasks never access it concurrently.
    unsafe impl<T: Send> Sync for ParamLocked<T> {}

    impl<T: Copy + 'static> ParamLocked<T> {
        pub const fn new(value: T) -> Self {
            Self(value)
        }
        fn value(&self) -> Rc<RefCell<T>> {
            sim::value(core::ptr::from_ref(self) as usize, || RefCell::new(self.0))
        }
        pub fn get<'a>(&'a self, _: &'a ParamLock) -> &'a T {
            // SAFETY: The world keeps it, and only `replace` changes it, which requires the lock
            // mutably: not while it is lent for this borrow.
            unsafe { &*self.value().as_ptr() }
        }
        pub fn replace(&self, _: &mut ParamLock, value: T) -> T {
            self.value().replace(value)
        }
    }

    pub fn system_is_running() -> bool {
        true
    }

    pub trait Value: Sync + 'static {
        /// Like a write to the parameter's file.
        fn write(&self, word: &CStr) -> Result;
    }

    pub struct Switch(Atomic<bool>);

    impl Value for Switch {
        fn write(&self, word: &CStr) -> Result {
            ParamLock::with(|lock| self.parse(lock, word))
        }
    }

    impl Switch {
        pub const fn new(on: bool) -> Self {
            Self(Atomic::new(on))
        }
        pub fn is_on(&self) -> bool {
            self.0.load(Relaxed)
        }
        pub fn turn_off(&self, _: &mut ParamLock) {
            self.0.store(false, Relaxed);
        }
        pub fn parse(&self, _: &mut ParamLock, word: &CStr) -> Result {
            let on = match word.to_bytes() {
                b"Y" => true,
                b"N" => false,
                _ => return Err(EINVAL),
            };
            self.0.store(on, Relaxed);
            Ok(())
        }
    }

    pub struct UintParam(Atomic<u32>);

    impl Value for UintParam {
        fn write(&self, word: &CStr) -> Result {
            let value = word.to_str().ok().and_then(|word| word.parse().ok());
            let value = value.ok_or(EINVAL)?;
            ParamLock::with(|_| self.0.store(value, Relaxed));
            Ok(())
        }
    }

    impl UintParam {
        pub const fn new(value: u32) -> Self {
            Self(Atomic::new(value))
        }
        pub fn get(&self) -> u32 {
            self.0.load(Relaxed)
        }
    }

    pub struct Text(&'static CStr);

    impl Text {
        pub const fn new(default: &'static CStr) -> Self {
            Self(default)
        }
        fn value(&self) -> Rc<RefCell<Vec<u8>>> {
            let default = || RefCell::new(self.0.to_bytes().to_vec());
            sim::value(core::ptr::from_ref(self) as usize, default)
        }
        pub fn get<'a>(&'a self, _: &'a ParamLock) -> &'a [u8] {
            // SAFETY: The world keeps it, and only `set` changes it, which requires the lock
            // mutably: not while it is lent for this borrow.
            unsafe { &*self.value().as_ptr() }
        }
        pub fn set(&self, _: &mut ParamLock, text: &[u8]) -> Result {
            if text.len() > 1024 {
                return Err(ENOSPC);
            }
            self.value().replace(text.to_vec());
            Ok(())
        }
    }

    /// Values are only written at run time here.
    pub trait AtBoot: Sync + 'static {}

    impl AtBoot for Switch {}

    impl AtBoot for Text {}

    pub trait Custom: Sync + 'static {
        type AtBoot: AtBoot;
        fn set(lock: &mut ParamLock, word: &CStr) -> Result;
        fn show(lock: &ParamLock) -> &[u8];
    }

    pub struct CustomValue<P: Custom>(PhantomData<P>);

    impl<P: Custom> Value for CustomValue<P> {
        fn write(&self, word: &CStr) -> Result {
            ParamLock::with(|lock| P::set(lock, word))
        }
    }

    impl<P: Custom> CustomValue<P> {
        pub const fn new(_: &'static P::AtBoot) -> Self {
            Self(PhantomData)
        }
    }

    pub fn strip(word: &CStr) -> &[u8] {
        word.to_bytes().trim_ascii()
    }
}
