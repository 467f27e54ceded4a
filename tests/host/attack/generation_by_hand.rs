// SPDX-License-Identifier: GPL-2.0-or-later
// An object says itself where its type's numbers are, and says something else each time: a number
// leads to no object, or to another. Or it says which pool it has: one to make its objects in, and
// another to free them in.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::zsmalloc::{HasPool, Pool},
    sync::{
        atomic::{ordering::Relaxed, Atomic},
        generations::{Generation, Numbers},
    },
};

pub struct Owner {
    one: Pool,
    other: Pool,
}

#[cfg(control)]
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.one } }

#[cfg(attack)]
static CALLS: Atomic<usize> = Atomic::new(0);
#[cfg(attack)]
static NUMBERS: [Numbers<Owner>; 2] = [const { Numbers::new() }; 2];

#[cfg(attack)]
impl Generation for Owner {
    //~[attack]^ E0200
    fn numbers() -> &'static Numbers<Self> {
        &NUMBERS[CALLS.fetch_add(1, Relaxed) % 2]
    }
}

#[cfg(attack)]
impl HasPool for Owner {
    //~[attack]^ E0200
    fn zs_pool(&self) -> &Pool {
        if self.one.total_pages() == 0 {
            &self.one
        } else {
            &self.other
        }
    }
}

pub fn pages<P: HasPool>(owner: &P) -> usize {
    owner.zs_pool().total_pages()
}

pub fn attack(owner: &Owner) -> usize {
    pages(owner)
}
