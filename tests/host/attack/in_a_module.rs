// SPDX-License-Identifier: GPL-2.0-or-later
// Callbacks that C never drops are unloaded with the module: shrinkers, debugfs files, lists,
// parameters and CPU states that are never unregistered are for built-in code.
//@revisions: control attack
//@[control] check-pass
//@[attack] compile-flags: --cfg MODULE
#![forbid(unsafe_code)]
use kernel::{
    cpuhotplug::{Prepare, State},
    mm::{
        list_lru::{Links, ListLru},
        memcontrol::ZswapCharged,
        zsmalloc::{Object, Pool},
    },
    module_param::runtime::Number,
    prelude::*,
    shrinker::Shrinker,
    sync::generations::Generations,
};

pub struct Owner {
    zs: Pool,
}
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

pub struct Item {
    lru: Links,
    object: ZswapCharged<Object<Owner>>,
}
static LRU: ListLru<Item> = ListLru::new();
kernel::impl_list_lru_item! {
//~[attack]^ ERROR: impl_list_lru_item! is for built-in code
    impl Item for Item {
        links: self.lru, charged: self.object: ZswapCharged<Object<Owner>>, lru: LRU
    }
}

static PERCENT: Number = Number::new(20);
kernel::builtin_param!("attack.percent", PERCENT: Number, 0o644); //~[attack] ERROR: builtin_param! is for built-in code

pub fn state<T: Prepare>() -> Result<State<T>> {
    kernel::builtin_cpu_state!(c"attack") //~[attack] ERROR: builtin_cpu_state! is for built-in code
}

pub fn list<T: Send + Sync + 'static>() -> impl PinInit<Generations<T>> {
    kernel::builtin_generations!() //~[attack] ERROR: builtin_generations! is for built-in code
}

pub fn attack(shrinker: Shrinker) -> Result {
    kernel::register_builtin_shrinker!(shrinker); //~[attack] ERROR: register_builtin_shrinker! is for built-in code
    kernel::static_debugfs_dir!(c"attack").map(drop) //~[attack] ERROR: static_debugfs_dir! is for built-in code
}
