// SPDX-License-Identifier: GPL-2.0-or-later
// A swap device, its slots, and slots of it that are being freed.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    bindings,
    error::Result,
    mm::{
        swap::SwapDevice,
        swap_cache::{FreshFolio, Slot},
        swap_slots::{FilledSlots, FreedSlots},
        swapops::SwapEntry,
    },
};

include!("note.in");

// The slot is used after put_swap_device(): swapoff may have freed the clusters by
// then (docs/races.md: 33, 35, 42).
#[cfg(any(control, slot_past_device))]
pub mod slot_past_device {
    use super::*;

    pub fn attack(device: SwapDevice) -> Option<u8> {
        let slot = device.slot();
        #[cfg(slot_past_device)]
        drop(device); //~[slot_past_device] E0505
        slot.word().count()
    }
}

// A folio is being added to the swap cache for a device that may be gone.
#[cfg(any(control, adding_past_device))]
pub mod adding_past_device {
    use super::*;

    pub fn attack(device: SwapDevice, fresh: FreshFolio) -> Result<bool> {
        let entered = device.slot().add_folio(fresh)?;
        #[cfg(adding_past_device)]
        drop(device); //~[adding_past_device] E0505
        drop(entered);
        Ok(true)
    }
}

// A slot beyond the device's end, or of another device: only Slot::at() makes slots.
#[cfg(any(control, slot_past_end))]
pub mod slot_past_end {
    use super::*;

    pub fn attack(slot: Slot<'_>) -> Option<Slot<'_>> {
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

    pub fn attack(entry: SwapEntry, freed: FreedSlots<'_, Note>) -> Option<SwapDevice> {
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
    type Kept<'b> = Option<bool>;
    #[cfg(freed_kept)]
    type Kept<'b> = Option<FilledSlots<'b, Note>>;

    #[allow(unsafe_code)]
    pub fn attack(entry: bindings::swp_entry_t) {
        let mut kept = None;
        // SAFETY: Stands for zswap_invalidate_range(), called with the cluster locked and its entries cleared.
        unsafe {
            FreedSlots::<Note>::with_raw(entry, 8, |slots| {
                #[cfg(control)]
                let slots = slots.have_nothing();
                kept = Some(slots); //~[freed_kept] E0521
            })
        };
        let filled = |slots: FreedSlots<'_, Note>| {
            let filled = slots.filled();
            #[cfg(control)]
            let filled = filled.map(|filled| filled.take_each(drop));
            filled //~[freed_kept] ERROR: lifetime may not live long enough
        };
        // SAFETY: The same call: the lock is held until it returns.
        let _ = unsafe { FreedSlots::<Note>::with_raw(entry, 8, filled) };
    }
}

// What was kept for freed slots is freed twice: by a view of them that was made before the slots
// were emptied.
#[cfg(any(control, freed_twice))]
pub mod freed_twice {
    use super::*;

    pub fn attack(slots: FreedSlots<'_, Note>) {
        let Some(filled) = slots.filled() else { return };
        #[cfg(freed_twice)]
        let again = slots.filled(); //~[freed_twice] E0382
        filled.take_each(drop);
        #[cfg(freed_twice)]
        filled.take_each(drop); //~[freed_twice] E0382
    }

    pub fn and(filled: FilledSlots<'_, Note>, again: FilledSlots<'_, Note>) {
        #[cfg(freed_twice)]
        filled.take_each(|_| filled.take_each(drop)); //~[freed_twice] E0507
                                                      //~[freed_twice]^ E0382
        again.take_each(drop);
    }
}
