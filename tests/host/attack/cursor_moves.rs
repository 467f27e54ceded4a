// SPDX-License-Identifier: GPL-2.0-or-later
// The cursor advances, which puts the cgroup that it was at, and the worker goes on using
// that cgroup (docs/races.md: 14).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::memcontrol::Cursor;

pub fn attack(cursor: &mut Cursor) -> bool {
    #[cfg(control)]
    cursor.advance();
    let group = cursor.get();
    #[cfg(attack)]
    cursor.advance(); //~[attack] E0502
    group.is_some_and(|group| group.is_online())
}
