// SPDX-License-Identifier: GPL-2.0-or-later
// A generation is added to a list that is coerced to another type: the list's owner would call,
// with a reference to a local, code that needs a 'static one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    prelude::*,
    sync::{generations::Generations, SetOnce},
};

#[cfg(control)]
type Callback = Any;
#[cfg(attack)]
type Callback = fn(&'static u8);
type Any = for<'a> fn(&'a u8);

pub struct Config<F> {
    call: F,
}
kernel::impl_generation! { impl Generation for Config<Callback> }
static KEPT: SetOnce<&'static u8> = SetOnce::new();

#[cfg(control)]
fn keep(_: &u8) {}
#[cfg(attack)]
fn keep(forever: &'static u8) {
    KEPT.populate(forever);
}

fn configure(list: &'static Generations<Config<Callback>>) -> Result {
    let config = init!(Config { call: keep as Callback }? Error);
    list.create(config)?.make_current();
    Ok(())
}

pub fn attack(list: &'static Generations<Config<Any>>) -> Result<bool> {
    configure(list)?; //~[attack] E0308
    let local = 7;
    if let Some(config) = list.current() {
        (config.call)(&local);
    }
    Ok(KEPT.as_ref().is_some())
}
