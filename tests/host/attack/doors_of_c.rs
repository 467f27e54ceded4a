// SPDX-License-Identifier: GPL-2.0-or-later
// The entry points for C's callers, which own the slots or have frozen the folio: a folio is added
// without a check, replaced by any other one, deleted under its reader.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::ptr::NonNull;
use kernel::{
    bindings,
    mm::{
        folio::CachedFolio,
        swap_cache::{add_from_c, Pinned},
        swap_table::Shadow,
    },
};

pub fn attack(
    (one, two): (CachedFolio<'_>, Pinned<'_, '_>),
    new: NonNull<bindings::folio>,
    cluster: NonNull<bindings::swap_cluster_info>,
    entry: bindings::swp_entry_t,
) {
    #[cfg(attack)]
    {
        add_from_c(cluster, new, entry); //~[attack] E0133
        one.delete(); //~[attack] E0133
        two.replace_by(new); //~[attack] E0133
        two.delete(Shadow::NONE, true); //~[attack] E0133
    }
    #[cfg(control)]
    let _ = (
        add_from_c,
        Pinned::delete,
        one,
        two,
        new,
        cluster,
        entry,
        Shadow::NONE,
    );
}
