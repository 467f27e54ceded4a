// SPDX-License-Identifier: GPL-2.0-or-later
// Lists for each node and cgroup, whose objects their user keeps.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::{flags::GFP_KERNEL, NumaNode},
    bindings::{list_head, lru_status},
    mm::list_lru::{ListLru, LockedList},
    prelude::*,
    shrinker::Shrinker,
};

// Any memory is put on a list; an object is taken off a list that it isn't on, or twice; a walk says that it removed
// an object, which is still on its list: what knows nothing of the objects is `unsafe`.
#[cfg(any(control, links_by_hand))]
pub mod links_by_hand {
    use super::*;

    pub fn attack(lists: &ListLru, nid: NumaNode, links: *mut list_head) -> usize {
        #[cfg(links_by_hand)]
        drop(lists.lock(nid, None)); //~[links_by_hand] E0133
        #[cfg(links_by_hand)]
        lists.walk(nid, None, &mut 9, |_, _| lru_status::LRU_REMOVED); //~[links_by_hand] E0133
        let _ = links;
        lists.count(nid, None)
    }

    pub fn locked(mut list: LockedList<'_>, one: *mut list_head) {
        #[cfg(links_by_hand)]
        list.add(one); //~[links_by_hand] E0133
        #[cfg(links_by_hand)]
        list.del(one); //~[links_by_hand] E0133
        drop(list);
    }
}

// A list is used after its lock was dropped, or unlocked twice.
#[cfg(any(control, list_past_lock))]
pub mod list_past_lock {
    use super::*;

    pub fn attack(list: LockedList<'_>) {
        #[cfg(list_past_lock)]
        drop(list);
        drop(list); //~[list_past_lock] E0382
    }
}

// The lists are used by C after they are gone: they are initialised only where they stay.
#[cfg(any(control, lists_that_go))]
pub mod lists_that_go {
    use super::*;

    static LISTS: ListLru = ListLru::new();

    pub fn attack(shrinker: &Shrinker) -> Result {
        #[cfg(lists_that_go)]
        let lists = &ListLru::new(); //~[lists_that_go] E0716
        #[cfg(control)]
        let lists = &LISTS;
        lists.prepare(None, GFP_KERNEL)?;
        lists.init(shrinker)
    }
}

// A list is unlocked by another task.
#[cfg(any(control, locked_list_sent))]
pub mod locked_list_sent {
    use super::*;

    #[cfg(locked_list_sent)]
    fn take<T: Send>(_: T) {}
    #[cfg(control)]
    fn take<T>(_: T) {}

    pub fn attack(list: LockedList<'_>) {
        take(list); //~[locked_list_sent] E0277
                    //~[locked_list_sent]^ E0277
                    //~[locked_list_sent]^^ E0277
    }
}
