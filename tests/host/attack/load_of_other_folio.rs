// SPDX-License-Identifier: GPL-2.0-or-later
// One folio's result is returned for another one, which is still locked.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, 'b, P: HasPool>(
    one: UnreadFolio<'a>,
    other: Load<'b, Note>,
    from: &Stored<P>,
) -> Load<'a, Note> {
    let _ = from;
    #[cfg(attack)]
    core::mem::forget(one);
    #[cfg(attack)]
    return other; //~[attack] ERROR: lifetime may not live long enough
                  //~[attack]^ ERROR: lifetime may not live long enough
    #[cfg(control)]
    let _ = other;
    #[cfg(control)]
    one.load_exclusively::<Note>(|_, contents| fill(from, contents))
}
