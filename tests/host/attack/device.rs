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
use zswap_core::slots::{FilledSlots, FreedSlots};

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
            entry: usize::MAX, //~[slot_past_end] E0451
            ..slot             //~[slot_past_end] E0451
                               //~[slot_past_end]^ E0451
        });
        slot.at(usize::MAX)
    }
}

// Struct literals forge a reference to a device, and slots that are being freed.
#[cfg(any(control, device_of_its_fields))]
pub mod device_of_its_fields {
    use super::*;

    pub(crate) fn attack(entry: SwapEntry, freed: FreedSlots<'_>) -> Option<SwapDevice> {
        #[cfg(device_of_its_fields)]
        let freed = FreedSlots { nr: 512, ..freed }; //~[device_of_its_fields] E0451
                                                     //~[device_of_its_fields]^ E0451
                                                     //~[device_of_its_fields]^^ E0451
                                                     //~[device_of_its_fields]^^^ E0451
        #[cfg(device_of_its_fields)]
        let device = SwapDevice {
            entry,                     //~[device_of_its_fields] E0451
            ..SwapDevice::get(entry)?  //~[device_of_its_fields] E0451
        };
        drop(freed.filled());
        SwapDevice::get(entry)
    }
}

// The slots that were freed are emptied later, without the cluster's lock, when they have a new
// user's page.
#[cfg(any(control, freed_kept))]
pub mod freed_kept {
    use super::*;

    #[cfg(control)]
    fn policy(slots: FreedSlots<'_>) -> bool {
        slots.have_nothing()
    }
    #[cfg(freed_kept)]
    fn policy(slots: FreedSlots<'_>) -> Option<FilledSlots<'_>> {
        slots.filled()
    }

    #[allow(unsafe_code)]
    pub(crate) fn exports(entry: bindings::swp_entry_t) {
        let kept;
        {
            let call = Call::new();
            // SAFETY: Stands for zswap_invalidate_range(), which is called with the cluster locked and its swap-table
            // entries cleared.
            let slots = unsafe { FreedSlots::from_raw(entry, 8, &call) }; //~[freed_kept] E0597
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

    pub(crate) fn attack(slots: FreedSlots<'_>) {
        let Some(filled) = slots.filled() else { return };
        #[cfg(freed_twice)]
        let again = slots.filled(); //~[freed_twice] E0382
        filled.free_each(|_| ());
        #[cfg(freed_twice)]
        filled.free_each(|_| ()); //~[freed_twice] E0382
    }

    pub(crate) fn and(filled: FilledSlots<'_>, again: FilledSlots<'_>) {
        #[cfg(freed_twice)]
        filled.free_each(|_| again.free_each(|_| ())); //~[freed_twice] E0507
        #[cfg(control)]
        filled.free_each(|entry| drop(entry.swap()));
        #[cfg(control)]
        again.free_each(|_| ());
    }
}

// An entry that is being freed is kept.
#[cfg(any(control, freed_entry_kept))]
pub mod freed_entry_kept {
    use super::*;

    pub(crate) fn attack(filled: FilledSlots<'_>) {
        let kept = core::cell::Cell::new(None);
        filled.free_each(|entry| {
            #[cfg(freed_entry_kept)]
            kept.set(Some(entry)); //~[freed_entry_kept] E0521
            #[cfg(control)]
            kept.set(Some(entry.swap()));
        });
        let _ = kept.take();
    }
}
