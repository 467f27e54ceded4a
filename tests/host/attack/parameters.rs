// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters that are set at run time.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{prelude::*, sync::atomic::Relaxed, types::NotThreadSafe};
use zswap_core::glue::{self, ParamLock};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// sysfs frees a parameter's old text during a read without kernel_param_lock().
#[cfg(any(control, parameter_unlocked))]
pub mod parameter_unlocked {
    use super::*;

    pub fn attack() -> usize {
        #[cfg(parameter_unlocked)]
        let _ = glue::zswap_compressor.load(Relaxed); //~[parameter_unlocked] E0603
        let _ = glue::zswap_enabled.load(Relaxed);
        ParamLock::with(|lock| lock.compressor().count_bytes())
    }
}

// The text is read after the lock was released.
#[cfg(any(control, parameter_past_lock))]
pub mod parameter_past_lock {
    use super::*;

    pub fn attack() -> bool {
        let text = ParamLock::with(|lock| {
            #[cfg(parameter_past_lock)]
            return lock.compressor(); //~[parameter_past_lock] ERROR: lifetime may not live long enough
            #[cfg(control)]
            lock.compressor().count_bytes()
        });
        core::mem::size_of_val(&text) > 0
    }
}

// The text is set while it is still borrowed.
#[cfg(any(control, parameter_while_read))]
pub mod parameter_while_read {
    use super::*;

    pub(crate) fn attack(lock: &mut ParamLock) -> Result<usize> {
        let text = lock.compressor();
        #[cfg(control)]
        let len = text.count_bytes();
        lock.set_compressor(c"lz4")?; //~[parameter_while_read] E0502
        #[cfg(parameter_while_read)]
        let len = text.count_bytes();
        Ok(len)
    }
}

// A caller forges the witness of the lock.
#[cfg(any(control, parameter_lock_made_up))]
pub mod parameter_lock_made_up {
    use super::*;

    pub(crate) fn attack(f: fn(&mut ParamLock)) {
        #[cfg(parameter_lock_made_up)]
        f(&mut ParamLock(NotThreadSafe)); //~[parameter_lock_made_up] E0423
        let _ = NotThreadSafe;
        ParamLock::with(f);
    }
}
