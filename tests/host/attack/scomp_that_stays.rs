// SPDX-License-Identifier: GPL-2.0-or-later
// A module is unloaded, and its compression algorithm stays registered: the registration is
// forgotten, kept in a static, or done by an initialisation that fails later.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    crypto::scompress::{Algorithm, Registration},
    prelude::*,
    sync::SetOnce,
};

pub fn forgotten<A: Algorithm>(_module: &'static ThisModule) -> Result {
    #[cfg(attack)]
    core::mem::forget(Registration::<A>::new(_module)?); //~[attack] E0133
    Ok(())
}

pub fn kept<A: Algorithm>(
    _place: &'static SetOnce<Registration<A>>,
    _module: &'static ThisModule,
) -> Result {
    #[cfg(attack)]
    _place.populate(Registration::new(_module)?); //~[attack] E0133
    Ok(())
}

pub fn then_failed<A: Algorithm>(_module: &'static ThisModule) -> Result<Registration<A>> {
    #[cfg(attack)]
    let _registered = Registration::<A>::new(_module)?; //~[attack] E0133
    Err(ENODEV)
}
