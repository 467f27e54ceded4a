// SPDX-License-Identifier: GPL-2.0-or-later
// A new folio for a slot: read, or filled and written back.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::mm::{
    folio::{CachedFolio, FolioRef},
    swap_add::NewFolio,
    swap_cache::{Reads, SwapDevice},
};
use zswap_core::{
    free::StoredEntry,
    writeback::{write, WrittenBack},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

// The I/O owns the folio and unlocks it; the policy reads or deletes it once more.
#[cfg(any(control, new_folio_after_read))]
pub mod new_folio_after_read {
    use super::*;

    pub(crate) fn attack(folio: NewFolio, reads: &mut Reads) -> FolioRef {
        let read = folio.read(reads);
        #[cfg(new_folio_after_read)]
        drop(folio); //~[new_folio_after_read] E0382
        read
    }
}

// A folio that was submitted for writing is no longer ours: the
// lock is dropped when the I/O starts.
#[cfg(any(control, new_folio_after_write))]
pub mod new_folio_after_write {
    use super::*;

    pub(crate) fn attack(folio: NewFolio, from: &Object) -> Result {
        let written = write(folio, |_, contents| fill(from, contents));
        #[cfg(new_folio_after_write)]
        drop(folio); //~[new_folio_after_write] E0382
        written.map(drop)
    }
}

// A folio that another task has added, and will read, is used as our own.
#[cfg(any(control, new_folio_of_a_pointer))]
pub mod new_folio_of_a_pointer {
    use super::*;

    pub(crate) fn attack(device: &SwapDevice) -> Option<NewFolio> {
        #[cfg(new_folio_of_a_pointer)]
        return Some(NewFolio::from_raw(core::ptr::null_mut())); //~[new_folio_of_a_pointer] E0624
        device.add_folio(kernel::alloc::flags::GFP_KERNEL).ok()
    }
}

// The filled folio isn't the one that is written: stale memory goes to the
// device.
#[cfg(any(control, write_other_contents))]
pub mod write_other_contents {
    use super::*;

    pub(crate) fn attack(one: NewFolio, two: NewFolio, from: &Object) -> Result {
        let written = write(one, |_, first| {
            #[cfg(write_other_contents)]
            let _ = write(two, |_, _| fill(from, first)); //~[write_other_contents] ERROR: lifetime may not live long enough
                                                          //~[write_other_contents]^ ERROR: lifetime may not live long enough
            #[cfg(write_other_contents)]
            return Err(EINVAL);
            #[cfg(control)]
            fill(from, first)
        });
        written.map(drop)
    }
}

// The emptied slot isn't the one that is written: its old entry stays, and its writeback will
// overwrite newer data. The policy can't choose the entry that is taken.
#[cfg(any(control, write_other_taken))]
pub mod write_other_taken {
    use super::*;

    pub(crate) fn attack(folio: NewFolio, other: StoredEntry, from: &Object) -> Result {
        let written = write(folio, |_, contents| {
            let filled = fill(from, contents)?;
            #[cfg(write_other_taken)]
            return Ok((filled, other)); //~[write_other_taken] E0308
            #[cfg(control)]
            Ok(filled)
        });
        drop(other);
        written.map(drop)
    }
}

// The entry with the newest contents of its page is dropped, and the new folio with it: the page is
// lost. Or the slot's page is all zeroes, without a call of zswap: the entry is stale, and its writeback brings the old
// page back (docs/upstream). The zeromap bit decides, and not the policy.
#[cfg(any(control, healthy_slot_emptied))]
pub mod healthy_slot_emptied {
    use super::*;

    pub(crate) fn attack(folio: NewFolio, from: &Object) -> Result {
        let written = write(folio, |_, contents| {
            #[cfg(healthy_slot_emptied)]
            return Ok(WrittenBack::Stale); //~[healthy_slot_emptied] E0308
            #[cfg(control)]
            fill(from, contents)
        });
        written.map(drop)
    }

    // By itself.
    #[cfg(healthy_slot_emptied)]
    pub(crate) fn zero_mark_ignored(mut folio: NewFolio, from: &Object) {
        drop(folio.split().1.single().map(|page| fill(from, page))); //~[healthy_slot_emptied] E0133
        bindings::__swap_writepage(core::ptr::null_mut(), folio.into_c_locked());
        //~[healthy_slot_emptied]^ E0133
    }
}
