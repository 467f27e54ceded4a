// SPDX-License-Identifier: GPL-2.0-or-later
// What is borrowed from a call of C, as exports.rs borrows it.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    bindings,
    mm::{
        call::Call,
        folio::{CachedFolio, Folio},
        swap_cache::Reads,
        swap_cluster::Slot,
    },
    sync::aref::ARef,
};

// A slot is kept where it lives for ever, and used when its device was swapped off.
#[cfg(any(control, slot_past_call))]
pub mod slot_past_call {
    use super::*;

    #[allow(unsafe_code)]
    pub fn attack(entry: bindings::swp_entry_t, keep: fn(Slot<'static>)) -> bool {
        let call = Call::new();
        // SAFETY: The caller keeps the device.
        let slot = unsafe { Slot::from_raw(entry, &call) }; //~[slot_past_call] E0597
        #[cfg(slot_past_call)]
        keep(slot);
        let _ = keep;
        slot.table_entry().count().is_some()
    }
}

// The folio of a caller is returned without a reference of its own.
#[cfg(any(control, folio_past_call))]
pub mod folio_past_call {
    use super::*;

    #[cfg(control)]
    type Found<'a> = ARef<Folio>;
    #[cfg(folio_past_call)]
    type Found<'a> = &'a Folio;

    #[allow(unsafe_code)]
    pub fn attack<'a>(folio: *mut bindings::folio) -> Found<'a> {
        let call = Call::new();
        // SAFETY: The caller has a reference.
        let folio = unsafe { Folio::from_raw(folio, &call) };
        #[cfg(folio_past_call)]
        return folio; //~[folio_past_call] E0515
        folio.into()
    }
}

// The call is made a constant, of which a reference lives for ever.
#[cfg(any(control, call_for_ever))]
pub mod call_for_ever {
    use super::*;

    pub fn attack(lend: impl FnOnce(&Call)) {
        #[cfg(call_for_ever)]
        let call: &'static Call = &Call::new(); //~[call_for_ever] E0716
        #[cfg(control)]
        let call = &Call::new();
        lend(call);
    }
}

// The policy asks for a witness that lives for ever: it can't choose the lifetime.
#[cfg(any(control, reads_for_ever))]
pub mod reads_for_ever {
    use super::*;

    #[cfg(control)]
    fn policy(_: &mut Reads) {}
    #[cfg(reads_for_ever)]
    fn policy(_: &'static mut Reads) {}

    #[allow(unsafe_code)]
    pub fn attack(ctx: *mut bindings::swap_io_ctx) {
        let call = Call::new();
        // SAFETY: The caller has initialised it, and submits it.
        policy(unsafe { Reads::from_raw(ctx, &call) }); //~[reads_for_ever] E0597
    }
}

// Two folios of one call have one lifetime: what is branded with one is passed for the other's.
#[cfg(any(control, two_of_one_call))]
pub mod two_of_one_call {
    use super::*;

    #[allow(unsafe_code)]
    pub fn attack(one: *mut bindings::folio, other: *mut bindings::folio) -> usize {
        let mut call = Call::new();
        // SAFETY: The caller has locked it.
        let first = unsafe { CachedFolio::from_raw(one, &mut call) };
        #[cfg(two_of_one_call)]
        // SAFETY: The caller has locked it.
        let second = unsafe { CachedFolio::from_raw(other, &mut call) }; //~[two_of_one_call] E0499
        #[cfg(control)]
        let second = &first;
        first.nr_pages() + second.nr_pages()
    }
}
