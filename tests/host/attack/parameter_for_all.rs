// SPDX-License-Identifier: GPL-2.0-or-later
// A parameter that all users may write, and one that others may read, but not the group
// (VERIFY_OCTAL_PERMISSIONS(), also a build-time check in C).
//@revisions: control attack
//@[control] check-pass
//@[attack] error-in-other-file: could not evaluate static initializer
//@[attack] error-in-other-file: could not evaluate static initializer
#![forbid(unsafe_code)]
use kernel::module_param::runtime::Number;

static PERCENT: Number = Number::new(20);

#[cfg(attack)]
kernel::builtin_param!("attack.percent", PERCENT: Number, 0o666);
#[cfg(attack)]
kernel::builtin_param!("attack.of_others", PERCENT: Number, 0o604);
#[cfg(control)]
kernel::builtin_param!("attack.percent", PERCENT: Number, 0o644);
