// SPDX-License-Identifier: GPL-2.0-or-later
// A large folio that is filled as a whole.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    crypto::acompress::RequestQueue,
    mm::{
        call::Call,
        fault::AllocContext,
        folio::{FilledPages, FolioRef, UnreadPages},
        swap_cluster::Slot,
    },
};
use zswap_core::{
    slots::Slots,
    whole::{self, EntryPages},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

#[allow(unsafe_code)]
fn fill_whole(
    folio: *mut bindings::folio,
    f: impl for<'e, 's, 'f> FnOnce(EntryPages<'e, 's, 'f>, &'e FilledPages<'f>) -> Result,
) -> Result {
    // SAFETY: Stands for zswap_fill(), whose caller guarantees it.
    unsafe { whole::fill(folio, f) }
}

// A page passes for filled that isn't, by what another page was filled with: stale memory reaches a process.
#[cfg(any(control, page_of_another))]
pub mod page_of_another {
    use super::*;

    pub(crate) fn attack<'a>(pages: UnreadPages<'a>, from: &Object) -> Result<Uptodate<'a>> {
        pages.fill(|pages, filled| {
            for (_, page) in pages {
                let page = fill(from, page)?;
                filled.add(page);
                #[cfg(page_of_another)]
                filled.add(page); //~[page_of_another] E0382
            }
            Ok(())
        })
    }

    #[cfg(page_of_another)]
    pub(crate) fn of_its_folio<'a>(pages: UnreadPages<'a>, one: Uptodate<'a>) -> Result {
        let mut one = Some(one);
        drop(pages.fill(|_, filled| {
            one.take().into_iter().for_each(|one| filled.add(one));
            //~[page_of_another]^ E0521
            //~[page_of_another]^^ E0521
            Ok(())
        })?);
        Ok(())
    }

    // Two folios are filled at once, one inside the other.
    #[cfg(page_of_another)]
    pub(crate) fn of_two<'a>(
        one: UnreadPages<'a>,
        other: UnreadPages<'a>,
        from: &Object,
    ) -> Result {
        drop(one.fill(|_, filled| {
            drop(other.fill(|pages, _| {
                for (_, page) in pages {
                    //~[page_of_another]^ E0521
                    filled.add(fill(from, page)?); //~[page_of_another] E0521
                }
                Ok(())
            })?);
            Ok(())
        })?);
        Ok(())
    }
}

// A page is left out: it has what its memory had before.
#[cfg(any(control, page_left_out))]
pub mod page_left_out {
    use super::*;

    pub(crate) fn attack<'a>(pages: UnreadPages<'a>, from: &Object) -> Result<Uptodate<'a>> {
        pages.fill(|pages, filled| {
            for (index, page) in pages {
                #[cfg(page_left_out)]
                if index > 0 {
                    filled.add(page); //~[page_left_out] E0308
                    continue;
                }
                let _ = index;
                filled.add(fill(from, page)?);
            }
            Ok(())
        })
    }

    #[cfg(page_left_out)]
    pub(crate) fn all<'a>(_: UnreadPages<'a>) -> Uptodate<'a> {
        Uptodate(core::marker::PhantomData) //~[page_left_out] E0423
    }
}

// A page is written after its call: when the folio is mapped, and has been written to.
#[cfg(any(control, page_kept))]
pub mod page_kept {
    use super::*;

    pub(crate) fn attack<'a>(pages: UnreadPages<'a>, from: &Object) -> Result<Uptodate<'a>> {
        let mut kept = None;
        let filled = pages.fill(|mut pages, _| {
            #[cfg(page_kept)]
            kept.replace(pages.next()); //~[page_kept] ERROR: borrowed data escapes outside of closure
            #[cfg(control)]
            kept.replace(pages.next().is_some());
            Err(EIO)
        });
        #[cfg(page_kept)]
        let _ = kept.flatten().map(|(_, page)| fill(from, page));
        let _ = from;
        filled
    }
}

// The pages are filled by two at once.
#[cfg(any(control, pages_twice))]
pub mod pages_twice {
    use super::*;

    pub(crate) fn attack<'a>(pages: UnreadPages<'a>) -> Result<Uptodate<'a>> {
        let filled = pages.fill(|_, _| Ok(()));
        #[cfg(pages_twice)]
        let _ = pages.single(); //~[pages_twice] E0382
        #[cfg(pages_twice)]
        let filled = pages.fill(|_, _| Ok(())); //~[pages_twice] E0382
        filled
    }
}

// A page is read, or written again, while a device writes it.
#[cfg(any(control, page_in_flight))]
pub mod page_in_flight {
    use super::*;

    pub(crate) fn attack<'a>(
        pages: UnreadPages<'a>,
        from: &Object,
        mut queue: RequestQueue<'_>,
    ) -> Result<Uptodate<'a>> {
        pages.fill(|mut pages, filled| {
            let (_, page) = pages.next().ok_or(EIO)?;
            queue.decompress_each(
                [(from, page)],
                |from, buffer| from.copy_to_buffer(buffer),
                |_from, page| {
                    filled.add(page.map_err(|_| EIO)?);
                    Ok::<(), Error>(())
                },
            )?;
            #[cfg(page_in_flight)]
            filled.add(fill(from, page)?); //~[page_in_flight] E0382
            Ok(())
        })
    }

    // The compressed data is replaced while the device reads it.
    #[cfg(page_in_flight)]
    pub(crate) fn buffer<'a>(
        page: NotUptodate<'a>,
        from: &Object,
        mut queue: RequestQueue<'_>,
    ) -> Result {
        let kept = core::cell::Cell::new(None);
        queue.decompress_each(
            [(from, page)],
            |from, buffer| {
                let len = from.copy_to_buffer(buffer);
                kept.set(Some(buffer)); //~[page_in_flight] E0521
                len
            },
            |_, _| {
                kept.take()
                    .into_iter()
                    .for_each(|buffer: &mut [u8; 4096]| buffer.fill(0));
                Ok::<(), Error>(())
            },
        )
    }
}

// A page is cleared that isn't zero: its data is lost.
#[cfg(any(control, cleared_unmarked))]
pub mod cleared_unmarked {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        fill_whole(folio, |pages, filled| {
            for (_, page) in pages {
                #[cfg(cleared_unmarked)]
                let page = page.clear(); //~[cleared_unmarked] E0133
                #[cfg(control)]
                let page = fill(from, page)?;
                filled.add(page);
            }
            Ok(())
        })
    }
}

// The entries are taken out before the folio is mapped: it may still be dropped, and its data with it.
#[cfg(any(control, whole_emptied))]
pub mod whole_emptied {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        fill_whole(folio, |pages, filled| {
            #[cfg(whole_emptied)]
            Slots::of_folio(pages.folio()).clear(|_| ()); //~[whole_emptied] E0308
            for (_, page) in pages {
                filled.add(fill(from, page)?);
            }
            Ok(())
        })
    }

    #[cfg(whole_emptied)]
    pub(crate) fn taken_over(folio: *mut bindings::folio) -> bool {
        whole::take_over(folio) //~[whole_emptied] E0133
    }

    #[cfg(whole_emptied)]
    pub(crate) fn by_its_slots(pages: EntryPages<'_, '_, '_>) {
        pages.slots.clear(|_| ()); //~[whole_emptied] E0616
    }
}

// The same, one by one.
#[cfg(any(control, whole_taken))]
pub mod whole_taken {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        fill_whole(folio, |pages, filled| {
            for (entry, page) in pages {
                #[cfg(whole_taken)]
                drop::<Entry>(*entry); //~[whole_taken] E0507
                let _: &Entry = entry;
                filled.add(fill(from, page)?);
            }
            Ok(())
        })
    }
}

// An entry, or the folio, is used after the folio is mapped, and the entry freed.
#[cfg(any(control, entry_of_whole_kept))]
pub mod entry_of_whole_kept {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        let mut kept = None;
        fill_whole(folio, |pages, filled| {
            for (entry, page) in pages {
                #[cfg(entry_of_whole_kept)]
                kept.replace(entry); //~[entry_of_whole_kept] E0521
                #[cfg(control)]
                kept.replace(entry.swap());
                filled.add(fill(from, page)?);
            }
            Ok(())
        })
    }

    pub(crate) fn folio(folio: *mut bindings::folio) -> usize {
        let mut kept = None;
        let filled = fill_whole(folio, |pages, _| {
            #[cfg(entry_of_whole_kept)]
            kept.replace(pages.folio()); //~[entry_of_whole_kept] E0521
                                         //~[entry_of_whole_kept]^ E0521
                                         //~[entry_of_whole_kept]^^ E0597
            #[cfg(control)]
            kept.replace(pages.folio().nr_pages());
            Err(EIO)
        });
        #[cfg(entry_of_whole_kept)]
        let kept = kept.map(|folio| folio.nr_pages());
        kept.unwrap_or(filled.is_ok().into())
    }
}

// What the pages of an unfilled folio hold is read, by way of the folio.
#[cfg(any(control, page_of_whole_read))]
pub mod page_of_whole_read {
    use super::*;

    pub(crate) fn attack(pages: &EntryPages<'_, '_, '_>) -> bool {
        #[cfg(page_of_whole_read)]
        return pages.folio().page(0).is_zero_filled(); //~[page_of_whole_read] E0133
        pages.folio().has_zero_mark(0)
    }
}

// A folio that zswap is to fill is read from the device, which has no data for its slots, or old data. Only the function
// that adds it has it before it is filled.
#[cfg(any(control, zswap_folio_read))]
pub mod zswap_folio_read {
    use super::*;

    pub(crate) fn attack(slot: Slot<'_>, context: &AllocContext<'_>) -> Result<FolioRef> {
        #[cfg(zswap_folio_read)]
        drop(slot.add(4, context, |_| true)); //~[zswap_folio_read] E0624
        slot.fill_from_zswap(4, context)
    }
}
