// SPDX-License-Identifier: GPL-2.0-or-later

//! What zswap's `glue.c` defines, simulated: parameters, counters, the static key, the workqueue. There is no debugfs.

#![allow(non_upper_case_globals)]

use crate::{
    bindings,
    ffi::*,
    sim,
    str::{CStr, CStrExt},
    sync::atomic::{ordering::Relaxed, Atomic},
    workqueue,
};
use core::{cell::RefCell, ptr::null_mut};
use std::ffi::CString;

macro_rules! variables {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(#[no_mangle]
        pub static $name: Atomic<$type> = Atomic::new($value);)*
    };
}

variables! {
    zswap_stored_pages: isize = 0;
    zswap_stored_incompressible_pages: isize = 0;
    zswap_pool_limit_hit: u64 = 0;
    zswap_written_back_pages: u64 = 0;
    zswap_reject_reclaim_fail: u64 = 0;
    zswap_reject_compress_fail: u64 = 0;
    zswap_reject_compress_poor: u64 = 0;
    zswap_decompress_fail: u64 = 0;
    zswap_reject_alloc_fail: u64 = 0;
    zswap_reject_kmemcache_fail: u64 = 0;
    zswap_large_loads: u64 = 0;
    zswap_large_load_fail: u64 = 0;
    zswap_enabled: bool = false;
    zswap_compressor: *mut c_char = c"lzo".as_ptr().cast_mut().cast();
    zswap_max_pool_percent: u32 = 20;
    zswap_accept_thr_percent: u32 = 90;
    zswap_shrinker_enabled: bool = false;
    zswap_skip_incompressible: bool = false;
    zswap_large_swapin: bool = true;
}

#[no_mangle]
static zswap_ever_enabled: bindings::static_key_false = bindings::static_key_false::new();

extern "C" {
    fn zswap_rs_prepare() -> c_int;
    fn zswap_rs_set_compressor(name: *const c_char) -> c_int;
    fn zswap_rs_shrink(work: *mut bindings::work_struct);
}

/// Parameters of zswap.
#[derive(Clone, Copy, Debug)]
pub enum Param {
    Enabled,
    Compressor,
    MaxPoolPercent,
    ShrinkerEnabled,
}

/// Writes a parameter, like root in sysfs.
pub fn set(param: Param, word: &CStr) {
    let text = word.to_str().unwrap();
    // SAFETY: These functions have the lock.
    unsafe {
        bindings::kernel_param_lock(null_mut());
        match param {
            Param::Enabled => {
                assert_eq!(zswap_rs_prepare(), 0);
                zswap_enabled.store(text == "Y", Relaxed);
            }
            Param::Compressor => assert_eq!(zswap_rs_set_compressor(word.as_char_ptr()), 0),
            Param::MaxPoolPercent => zswap_max_pool_percent.store(text.parse().unwrap(), Relaxed),
            Param::ShrinkerEnabled => zswap_shrinker_enabled.store(text == "Y", Relaxed),
        }
        bindings::kernel_param_unlock(null_mut());
    }
}

#[no_mangle]
unsafe extern "C" fn zswap_set_compressor(name: *const c_char) -> c_int {
    let name = CStr::from_char_ptr(name).to_owned();
    zswap_compressor.store(name.as_ptr().cast_mut().cast(), Relaxed);
    // The world keeps the name, and frees the old one.
    static OWNER: u8 = 0;
    sim::value(&raw const OWNER as usize, || {
        RefCell::new(CString::default())
    })
    .replace(name);
    0
}

#[no_mangle]
extern "C" fn zswap_set_ever_enabled() {
    // SAFETY: The key is a static.
    unsafe { bindings::static_key_enable((&raw const zswap_ever_enabled).cast_mut().cast()) };
}

#[no_mangle]
extern "C" fn zswap_alloc_shrink_wq() -> c_int {
    0
}

#[no_mangle]
extern "C" fn zswap_queue_shrink_work() {
    // SAFETY: The worker ignores its argument.
    let run = || unsafe { zswap_rs_shrink(null_mut()) };
    workqueue::queue(zswap_rs_shrink as *const () as usize, Box::new(run));
}

#[no_mangle]
extern "C" fn zswap_may_report() -> bool {
    true
}

#[no_mangle]
extern "C" fn zswap_debugfs_init() {}
