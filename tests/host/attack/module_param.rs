// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters that are set at run time.
//@[control] check-pass
//@[parameter_for_all] error-in-other-file: could not evaluate static initializer
//@[parameter_for_all] error-in-other-file: could not evaluate static initializer
//@[parameter_too_long] error-in-other-file: could not evaluate static initializer
#![forbid(unsafe_code)]
use kernel::{
    error::Result,
    module_param::runtime::{AtBoot, ParamLock, ParamLocked, Text, UintParam},
    prelude::*,
    str::CStr,
    types::NotThreadSafe,
};

// sysfs frees a parameter's old text during a read without kernel_param_lock().
#[cfg(any(control, parameter_unlocked))]
pub mod parameter_unlocked {
    use super::*;

    static TEXT: Text = Text::new(c"lzo");
    static DATA: ParamLocked<u32> = ParamLocked::new(0);

    pub fn attack() -> usize {
        #[cfg(parameter_unlocked)]
        let _ = (TEXT.get(), DATA.get()); //~[parameter_unlocked] E0061
                                          //~[parameter_unlocked]^ E0061
        ParamLock::with(|lock| TEXT.get(lock).len() + *DATA.get(lock) as usize)
    }
}

// The text is read after the lock was released.
#[cfg(any(control, parameter_past_lock))]
pub mod parameter_past_lock {
    use super::*;

    static TEXT: Text = Text::new(c"lzo");

    pub fn attack() -> bool {
        let text = ParamLock::with(|lock| {
            #[cfg(parameter_past_lock)]
            return TEXT.get(lock); //~[parameter_past_lock] ERROR: lifetime may not live long enough
            #[cfg(control)]
            TEXT.get(lock).len()
        });
        core::mem::size_of_val(&text) > 0
    }
}

// The text is set while it is still borrowed.
#[cfg(any(control, parameter_while_read))]
pub mod parameter_while_read {
    use super::*;

    static TEXT: Text = Text::new(c"lzo");

    pub fn attack(lock: &mut ParamLock) -> Result<usize> {
        let text = TEXT.get(lock);
        #[cfg(control)]
        let len = text.len();
        TEXT.set(lock, b"lz4")?; //~[parameter_while_read] E0502
        #[cfg(parameter_while_read)]
        let len = text.len();
        Ok(len)
    }
}

// A caller forges the proof that it holds the lock.
#[cfg(any(control, parameter_lock_made_up))]
pub mod parameter_lock_made_up {
    use super::*;

    pub fn attack(f: fn(&mut ParamLock)) {
        #[cfg(parameter_lock_made_up)]
        f(&mut ParamLock(NotThreadSafe)); //~[parameter_lock_made_up] E0423
        let _ = NotThreadSafe;
        ParamLock::with(f);
    }
}

// A parameter that all users may write, and one that others may read, but not the group
// (VERIFY_OCTAL_PERMISSIONS(), also a build-time check in C).
#[cfg(any(control, parameter_for_all))]
pub mod parameter_for_all {
    use super::*;

    static PERCENT: UintParam = UintParam::new(20);

    #[cfg(parameter_for_all)]
    kernel::builtin_param!("attack.percent", PERCENT: UintParam, 0o666);
    #[cfg(parameter_for_all)]
    kernel::builtin_param!("attack.of_others", PERCENT: UintParam, 0o604);
    #[cfg(control)]
    kernel::builtin_param!("attack.percent", PERCENT: UintParam, 0o644);
}

// A parameter whose module name is too long for C, which copies it for sysfs
// (__module_param_call(), also a build-time check in C). A name one letter shorter fits.
#[cfg(any(control, parameter_too_long))]
pub mod parameter_too_long {
    use super::*;

    static PERCENT: UintParam = UintParam::new(20);

    #[cfg(parameter_too_long)]
    kernel::builtin_param!(
        "a_name_of_fifty_six_letters_which_is_one_more_than_there.percent",
        PERCENT: UintParam,
        0o644
    );
    #[cfg(control)]
    kernel::builtin_param!(
        "name_of_fifty_five_letters_which_is_the_most_that_there.percent",
        PERCENT: UintParam,
        0o644
    );
}

// The kernel's command line calls a policy's own code, before allocators and workqueues work.
#[cfg(any(control, parameter_at_boot))]
pub mod parameter_at_boot {
    use super::*;

    pub struct Eager;

    #[cfg(parameter_at_boot)]
    impl AtBoot for Eager {
        //~[parameter_at_boot]^ E0200
        fn set_at_boot(&self, _: &mut ParamLock, _: &CStr, word: &CStr) -> Result {
            drop(KVec::with_capacity(word.count_bytes(), GFP_KERNEL)? as KVec<u8>);
            Ok(())
        }
    }

    pub fn attack<T: AtBoot>(value: &T, lock: &mut ParamLock, name: &CStr, word: &CStr) -> Result {
        value.set_at_boot(lock, name, word)
    }
}
