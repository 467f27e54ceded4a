// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters' lock is taken twice: the task waits for itself, for ever. There never are two
// witnesses.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::module_param::runtime::{ParamLock, Text};

static TEXT: Text = Text::new(c"lzo");

pub fn twice() -> usize {
    ParamLock::with(|outer| ParamLock::with(|inner| TEXT.get(inner).len()) + TEXT.get(outer).len())
}
