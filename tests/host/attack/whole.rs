// SPDX-License-Identifier: GPL-2.0-or-later
// A large folio that is filled as a whole.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    bindings,
    crypto::acompress::RequestQueue,
    mm::{
        call::Call,
        fault::AllocContext,
        folio::{CachedFolio, FilledPages, FolioRef, UnreadPages},
        swap_cluster::{Backing, Slot},
    },
};
use zswap_core::{
    entry::Entry,
    slots::Slots,
    whole_folio::{FilledFolio, MappedFolio, VacantSlots, WholeFolio},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

fn fill_all<'a>(folio: WholeFolio<'a>, from: &Object) -> Result<FilledFolio<'a>> {
    folio.fill(|pages, filled| {
        for (_, page) in pages {
            filled.add(fill(from, page)?);
        }
        Ok(())
    })
}

// A page passes for filled that isn't, by the proof of another page: stale memory reaches a process.
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

    pub(crate) fn attack<'a>(folio: WholeFolio<'a>, from: &Object) -> Result<FilledFolio<'a>> {
        folio.fill(|pages, filled| {
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

// What the slots hold is counted under the cluster's lock, and relied on after it.
#[cfg(any(control, vacant_kept))]
pub mod vacant_kept {
    use super::*;

    #[cfg(control)]
    fn policy(slots: VacantSlots<'_>) -> usize {
        slots.filled(0)
    }
    #[cfg(vacant_kept)]
    fn policy(slots: VacantSlots<'_>) -> VacantSlots<'_> {
        slots
    }

    #[allow(unsafe_code)]
    pub(crate) fn exports(entry: bindings::swp_entry_t) {
        let kept;
        {
            let call = Call::new();
            // SAFETY: Stands for zswap_holds(), which is called with the cluster locked, for slots without a folio.
            let slots = unsafe { VacantSlots::from_raw(entry, 8, &call) }; //~[vacant_kept] E0597
            kept = policy(slots);
        }
        let _kept = kept;
    }
}

// The entries are taken out before the folio is mapped: it may still be dropped, and its data with it.
#[cfg(any(control, whole_emptied))]
pub mod whole_emptied {
    use super::*;

    pub(crate) fn attack<'a>(
        #[allow(unused_mut)] mut folio: WholeFolio<'a>,
        from: &Object,
    ) -> Result<FilledFolio<'a>> {
        #[cfg(whole_emptied)]
        {
            drop(Slots::new(&mut folio).clear()); //~[whole_emptied] E0308
            folio.take_over(); //~[whole_emptied] E0599
        }
        fill_all(folio, from)
    }
}

// The same, while it is filled, or just after that.
#[cfg(any(control, whole_taken))]
pub mod whole_taken {
    use super::*;

    pub(crate) fn attack<'a>(folio: WholeFolio<'a>, from: &Object) -> Result<FilledFolio<'a>> {
        #[allow(unused_mut)]
        let mut whole = folio.fill(|pages, filled| {
            for (entry, page) in pages {
                #[cfg(whole_taken)]
                drop::<Entry>(*entry); //~[whole_taken] E0507
                let _: &Entry = entry;
                filled.add(fill(from, page)?);
            }
            Ok(())
        })?;
        #[cfg(whole_taken)]
        drop(Slots::new(&mut whole).entry(0)); //~[whole_taken] E0596
        Ok(whole)
    }
}

// An entry is used after the folio is mapped, and the entry freed.
#[cfg(any(control, entry_of_whole_kept))]
pub mod entry_of_whole_kept {
    use super::*;

    pub(crate) fn attack(folio: WholeFolio<'_>, from: &Object) -> Result<usize> {
        let mut kept = None;
        let whole = folio.fill(|pages, filled| {
            for (entry, page) in pages {
                #[cfg(entry_of_whole_kept)]
                kept.replace(entry); //~[entry_of_whole_kept] ERROR: borrowed data escapes outside of closure
                #[cfg(control)]
                kept.replace(entry.swap());
                filled.add(fill(from, page)?);
            }
            Ok(())
        })?;
        Ok(whole.zeroes())
    }
}

// A folio passes for filled that isn't.
#[cfg(any(control, whole_unfilled))]
pub mod whole_unfilled {
    use super::*;

    pub(crate) fn attack<'a>(
        folio: WholeFolio<'a>,
        cached: CachedFolio<'a>,
        from: &Object,
    ) -> Result<FilledFolio<'a>> {
        #[cfg(whole_unfilled)]
        return Ok(FilledFolio(cached)); //~[whole_unfilled] E0423
        let _ = cached;
        fill_all(folio, from)
    }
}

// The folio is mapped twice: the second time, the entries may be those of newer data.
#[cfg(any(control, mapped_twice))]
pub mod mapped_twice {
    use super::*;

    pub(crate) fn attack(folio: MappedFolio<'_>) -> bool {
        let had = folio.take_over();
        #[cfg(mapped_twice)]
        return folio.take_over(); //~[mapped_twice] E0382
        had
    }
}

// A folio that zswap is to fill is read from the device, which has no data for its slots, or old data. Only the function
// that adds it has it before it is filled.
#[cfg(any(control, zswap_folio_read))]
pub mod zswap_folio_read {
    use super::*;

    pub(crate) fn attack(slot: Slot<'_>, context: &AllocContext<'_>) -> Result<FolioRef> {
        #[cfg(zswap_folio_read)]
        drop(slot.add(4, context, Backing::Zswap)); //~[zswap_folio_read] E0624
        slot.fill_from_zswap(4, context)
    }
}
