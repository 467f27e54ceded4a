// SPDX-License-Identifier: GPL-2.0-or-later
// A type's objects are numbered twice: a number leads to one object or another, as it was made by
// one code or another. Or a pool's owner is numbered once more than its macro does.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::zsmalloc::Pool;

pub struct Config(u32);
kernel::impl_generation! { impl Generation for Config } //~[attack] E0119
#[cfg(attack)]
kernel::impl_generation! { impl Generation for Config }

pub struct Owner {
    zs: Pool,
}
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } } //~[attack] E0119
#[cfg(attack)]
kernel::impl_generation! { impl Generation for Owner }
