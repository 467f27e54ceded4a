// SPDX-License-Identifier: GPL-2.0-or-later
// A parameter whose module name is too long for C, which copies it for sysfs
// (__module_param_call(), also a build-time check in C). A name one letter shorter fits.
//@revisions: control attack
//@[control] check-pass
//@[attack] error-in-other-file: could not evaluate static initializer
#![forbid(unsafe_code)]
use kernel::module_param::runtime::Number;

static PERCENT: Number = Number::new(20);

#[cfg(attack)]
kernel::builtin_param!(
    "a_name_of_fifty_six_letters_which_is_one_more_than_there.percent",
    PERCENT: Number,
    0o644
);
#[cfg(control)]
kernel::builtin_param!(
    "name_of_fifty_five_letters_which_is_the_most_that_there.percent",
    PERCENT: Number,
    0o644
);
