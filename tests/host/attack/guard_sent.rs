// SPDX-License-Identifier: GPL-2.0-or-later
// A lock that one task holds is released, or relied on, by another.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{CachedFolio, FolioPage},
        list_lru::{Item, Next, Unlocked, Visit},
        mempolicy::VmaPolicy,
        swap::{NewFolio, NotStored, UnreadFolio},
        swap_cache::{Charged, Entered, FreshFolio, Pinned, Splittable},
        swap_slots::{FilledSlots, FreedSlots, Occupied, Slots},
        zsmalloc::{HasPool, View},
    },
    module_param::runtime::ParamLock,
    prelude::*,
    sync::{generations::Ref, lock::mutex::MutexGuard, rcu, Mutex},
};

pub struct Owned;

kernel::impl_kept! {
    impl Kept for Owned { owned: KBox<Owned>, name: c"attack" }
}

fn sent<T: Send>() {}

pub fn attack<I: Item, P: HasPool>() {
    sent::<(Ref<P>, Mutex<Owned>)>();
    #[cfg(attack)]
    {
        sent::<CachedFolio<'_>>(); //~[attack] E0277
                                   //~[attack]^ E0277
        sent::<UnreadFolio<'_>>(); //~[attack] E0277
                                   //~[attack]^ E0277
        sent::<NewFolio>(); //~[attack] E0277
                            //~[attack]^ E0277
        sent::<FolioPage<'_>>(); //~[attack] E0277
        sent::<Slots<'_, '_, Owned>>(); //~[attack] E0277
                                        //~[attack]^ E0277
        sent::<Occupied<'_, Owned>>(); //~[attack] E0277
                                       //~[attack]^ E0277
        sent::<NotStored<'_, Owned>>(); //~[attack] E0277
                                        //~[attack]^ E0277
        sent::<FreedSlots<'_, Owned>>(); //~[attack] E0277
        sent::<FilledSlots<'_, Owned>>(); //~[attack] E0277
                                          //~[attack]^ E0277
        sent::<Pinned<'_, '_>>(); //~[attack] E0277
                                  //~[attack]^ E0277
                                  //~[attack]^^ E0277
        sent::<FreshFolio>(); //~[attack] E0277
        sent::<Entered<'_>>(); //~[attack] E0277
                               //~[attack]^ E0277
                               //~[attack]^^ E0277
        sent::<Charged<'_>>(); //~[attack] E0277
                               //~[attack]^ E0277
                               //~[attack]^^ E0277
        sent::<Splittable<'_>>(); //~[attack] E0277
                                  //~[attack]^ E0277
                                  //~[attack]^^ E0277
        sent::<Visit<'_, I>>(); //~[attack] E0277
                                //~[attack]^ E0277
                                //~[attack]^^ E0277
        sent::<Next<'_>>(); //~[attack] E0277
        sent::<Unlocked<'_>>(); //~[attack] E0277
        sent::<View<'_, P>>(); //~[attack] E0277
        sent::<VmaPolicy<'_>>(); //~[attack] E0277
                                 //~[attack]^ E0277
                                 //~[attack]^^ E0277
        sent::<ParamLock>(); //~[attack] E0277
        sent::<rcu::Guard>(); //~[attack] E0277
        sent::<MutexGuard<'_, Owned>>(); //~[attack] E0277
    }
}

#[cfg(control)]
pub type Imported<'a, I, P> = (
    (
        CachedFolio<'a>,
        UnreadFolio<'a>,
        NewFolio,
        FolioPage<'a>,
        Slots<'a, 'a, Owned>,
        rcu::Guard,
    ),
    (
        Occupied<'a, Owned>,
        NotStored<'a, Owned>,
        FreedSlots<'a, Owned>,
        FilledSlots<'a, Owned>,
        Pinned<'a, 'a>,
        FreshFolio,
    ),
    (
        Entered<'a>,
        Charged<'a>,
        Splittable<'a>,
        Visit<'a, I>,
        Next<'a>,
        Unlocked<'a>,
        ParamLock,
    ),
    (View<'a, P>, VmaPolicy<'a>, MutexGuard<'a, Owned>),
);
