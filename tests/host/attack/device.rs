// SPDX-License-Identifier: GPL-2.0-or-later
// A swap device, its slots, and slots of it that are being freed.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    bindings,
    mm::{
        call::Call, fault::AllocContext, swap_add::NewFolio, swap_cache::SwapDevice,
        swap_cluster::Slot, swap_table::SwapTableEntry, swapops::SwapEntry,
    },
    prelude::*,
};
use zswap_core::{entry::Entry, slots::Slots};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// The slot is used after put_swap_device(): swapoff may have freed the clusters by
// then (docs/races.md: 33, 35, 42).
#[cfg(any(control, slot_past_device))]
pub mod slot_past_device {
    use super::*;

    pub(crate) fn attack(device: SwapDevice) -> SwapTableEntry {
        let slot = device.slot();
        #[cfg(slot_past_device)]
        drop(device); //~[slot_past_device] E0505
        slot.table_entry()
    }
}

// A folio is added to the swap cache for a device that may be gone.
#[cfg(any(control, adding_past_device))]
pub mod adding_past_device {
    use super::*;

    pub(crate) fn attack(device: SwapDevice, context: &AllocContext<'_>) -> Result<NewFolio> {
        let slot = device.slot();
        #[cfg(adding_past_device)]
        drop(device); //~[adding_past_device] E0505
        slot.add_folio(0, context)
    }
}

// A slot beyond the device's end, or of another device: only Slot::at() makes slots.
#[cfg(any(control, slot_past_end))]
pub mod slot_past_end {
    use super::*;

    pub(crate) fn attack(slot: Slot<'_>) -> Option<Slot<'_>> {
        #[cfg(slot_past_end)]
        return Some(Slot {
            entry: SwapEntry::new(0, usize::MAX)?, //~[slot_past_end] E0451
            ..slot                                 //~[slot_past_end] E0451
                                                   //~[slot_past_end]^ E0451
        });
        slot.at(usize::MAX)
    }
}

// Struct literals forge a reference to a device, and more slots than those that are being freed.
#[cfg(any(control, device_of_its_fields))]
pub mod device_of_its_fields {
    use super::*;

    pub(crate) fn attack(entry: SwapEntry, freed: Slots<'_>) -> Option<SwapDevice> {
        #[cfg(device_of_its_fields)]
        let freed = Slots {
            offsets: 0..512, //~[device_of_its_fields] E0451
            ..freed          //~[device_of_its_fields] E0451
                             //~[device_of_its_fields]^ E0451
        };
        #[cfg(device_of_its_fields)]
        let device = SwapDevice {
            entry,                     //~[device_of_its_fields] E0451
            ..SwapDevice::get(entry)?  //~[device_of_its_fields] E0451
        };
        freed.clear(|_| ());
        SwapDevice::get(entry)
    }
}

// The slots that were freed are emptied later, without the cluster's lock, when they have a new
// user's page.
#[cfg(any(control, freed_kept))]
pub mod freed_kept {
    use super::*;

    #[cfg(control)]
    fn policy(slots: Slots<'_>) -> bool {
        slots.are_filled()
    }
    #[cfg(freed_kept)]
    fn policy(slots: Slots<'_>) -> Slots<'_> {
        slots
    }

    #[allow(unsafe_code)]
    pub(crate) fn exports(entry: bindings::swp_entry_t) {
        let kept;
        {
            let call = Call::new();
            // SAFETY: Stands for zswap_invalidate_range(), which is called with the cluster locked and its swap-table
            // entries cleared.
            let slots = unsafe { Slots::freed(entry, 8, &call) }; //~[freed_kept] E0597
            kept = policy(slots);
        }
        let _kept = kept;
    }
}

// What was kept for freed slots is freed twice: by a view of them that was made before the slots
// were emptied.
#[cfg(any(control, freed_twice))]
pub mod freed_twice {
    use super::*;

    #[cfg(freed_twice)]
    pub(crate) fn copied(slots: Slots<'_>) {
        drop(slots.clone()); //~[freed_twice] E0599
    }

    pub(crate) fn attack(slots: Slots<'_>) {
        slots.clear(|_| ());
        #[cfg(freed_twice)]
        slots.clear(|_| ()); //~[freed_twice] E0382
    }

    pub(crate) fn and(slots: Slots<'_>, again: Slots<'_>) {
        #[cfg(freed_twice)]
        slots.clear(|_| again.clear(|_| ())); //~[freed_twice] E0507
        #[cfg(control)]
        slots.clear(|entry| drop(entry.swap()));
        #[cfg(control)]
        again.clear(|_| ());
    }
}

// An entry that is being freed is kept.
#[cfg(any(control, freed_entry_kept))]
pub mod freed_entry_kept {
    use super::*;

    pub(crate) fn attack(slots: Slots<'_>, is: fn(&Entry) -> bool) -> bool {
        let kept = core::cell::Cell::new(None);
        slots.clear(|entry| {
            #[cfg(freed_entry_kept)]
            kept.set(Some(entry)); //~[freed_entry_kept] E0521
            #[cfg(control)]
            kept.set(Some(is(entry)));
        });
        #[cfg(freed_entry_kept)]
        let kept = kept.take().map(is);
        #[cfg(control)]
        let kept = kept.take();
        kept.unwrap_or(false)
    }
}
