// SPDX-License-Identifier: GPL-2.0-or-later
// Compressors, their lanes and buffers.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    crypto::{
        acompress::{Compressor, Input, Lanes},
        scompress::{Algorithm, Registration},
    },
    mm::{
        folio::{CachedFolio, FolioPage},
        swap_slots::Kept,
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::{Mutex, SetOnce},
};

// The next page is compressed into the buffer before the last one was copied to its object.
#[cfg(any(control, buffer_used_again))]
pub mod buffer_used_again {
    use super::*;

    pub fn attack(compressor: &mut Compressor, page: FolioPage<'_>) -> Result<usize> {
        let one = compressor.compress(page)?;
        #[cfg(control)]
        let one = one.len();
        let two = compressor.compress(page)?; //~[buffer_used_again] E0499
        #[cfg(buffer_used_again)]
        let one = one.len();
        Ok(one + two.len())
    }
}

// sg_init_one() of memory outside the direct map: the stack, vmalloc() (docs/races.md: 20). A
// compressor has a buffer of its own, and takes no other.
#[cfg(any(control, buffer_from_anywhere))]
pub mod buffer_from_anywhere {
    use super::*;

    pub fn attack(compressor: &mut Compressor, page: FolioPage<'_>) -> Result<usize> {
        #[cfg(buffer_from_anywhere)]
        let mut buffer = [0; PAGE_SIZE];
        #[cfg(buffer_from_anywhere)]
        return Ok(compressor.compress(page, &mut buffer)?.len()); //~[buffer_from_anywhere] E0061
        Ok(compressor.compress(page)?.len())
    }
}

// A scatterlist that is shorter than its claimed length.
#[cfg(any(control, input_made_up))]
pub mod input_made_up {
    use super::*;

    pub fn attack(input: Input<'_>) -> Input<'_> {
        #[cfg(input_made_up)]
        return Input::from_raw(core::ptr::null_mut(), 4096); //~[input_made_up] E0624
        input
    }
}

// "One request at a time": two tasks use one CPU's context.
#[cfg(any(control, two_requests))]
pub mod two_requests {
    use super::*;

    pub fn attack(
        #[cfg(two_requests)] compressor: &Compressor,
        #[cfg(control)] compressor: &mut Compressor,
        page: FolioPage<'_>,
    ) -> Result<usize> {
        Ok(compressor.compress(page)?.len()) //~[two_requests] E0596
    }
}

// A folio is released while hardware still reads its pages.
#[cfg(any(control, lane_outlives_pages))]
pub mod lane_outlives_pages {
    use super::*;

    pub fn attack<'f, T: Kept>(mut lanes: Lanes<'_>, folio: &'f mut CachedFolio<'f>) -> Result {
        let slots = folio.slots::<T>();
        let pages = (0..slots.len()).map_while(|index| Some(slots.get(index)?.1));
        #[cfg(control)]
        let done = lanes.compress_each(pages, |_, _| Ok(()));
        #[cfg(lane_outlives_pages)]
        let done = lanes.compress_each(pages, |_, _| {
            //~[lane_outlives_pages]^ E0505
            let _ = slots.clear(drop); //~[lane_outlives_pages] E0507
            Ok(())
        });
        done
    }
}

// One page's compressed data is read after its lane was reused for another
// page, while hardware writes there.
#[cfg(any(control, lane_kept))]
pub mod lane_kept {
    use super::*;

    pub fn attack<'p>(mut lanes: Lanes<'_>, pages: &[FolioPage<'p>]) -> Result<usize> {
        let mut kept: &[u8] = &[];
        let mut len = 0;
        lanes.compress_each(pages.iter().copied(), |_, compressed| {
            let compressed = compressed?;
            #[cfg(lane_kept)]
            {
                kept = compressed; //~[lane_kept] E0521
            }
            len += compressed.len();
            Ok::<(), Error>(())
        })?;
        let _ = &mut kept;
        Ok(len + kept.len())
    }
}

// Another page is submitted to a compressor's lanes while they have pages in flight.
#[cfg(any(control, lanes_twice))]
pub mod lanes_twice {
    use super::*;

    pub fn attack<'p>(compressor: &mut Compressor, pages: &[FolioPage<'p>]) -> Result {
        let Some(mut lanes) = compressor.lanes() else {
            return Err(EINVAL);
        };
        lanes.compress_each(pages.iter().copied(), |_page, _| {
            //~[lanes_twice]^ E0499
            //~[lanes_twice]^^ E0499
            #[cfg(lanes_twice)]
            lanes.compress_each([_page], |_, _| Ok::<(), Error>(()))?;
            Ok(())
        })
    }
}

// A module is unloaded, and its compression algorithm stays registered: the registration is
// forgotten, kept in a static, or done by an initialisation that fails later.
#[cfg(any(control, scomp_that_stays))]
pub mod scomp_that_stays {
    use super::*;

    pub fn forgotten<A: Algorithm>(_module: &'static ThisModule) -> Result {
        #[cfg(scomp_that_stays)]
        core::mem::forget(Registration::<A>::new(_module)?); //~[scomp_that_stays] E0133
        Ok(())
    }

    pub fn kept<A: Algorithm>(
        _place: &'static SetOnce<Registration<A>>,
        _module: &'static ThisModule,
    ) -> Result {
        #[cfg(scomp_that_stays)]
        _place.populate(Registration::new(_module)?); //~[scomp_that_stays] E0133
        Ok(())
    }

    pub fn then_failed<A: Algorithm>(_module: &'static ThisModule) -> Result<Registration<A>> {
        #[cfg(scomp_that_stays)]
        let _registered = Registration::<A>::new(_module)?; //~[scomp_that_stays] E0133
        Err(ENODEV)
    }
}

// A CPU's context wasn't created, or only half of it: comments in C state which of its members may
// be null (docs/races.md: 4). Here an `Option` must be checked.
#[cfg(any(control, context_half_made))]
pub mod context_half_made {
    use super::*;

    pub fn attack(context: Pin<&Mutex<Option<Compressor>>>, page: FolioPage<'_>) -> Result<usize> {
        let mut context = context.lock();
        #[cfg(control)]
        let Some(context) = &mut *context
        else {
            return Err(ENODEV);
        };
        Ok(context.compress(page)?.len()) //~[context_half_made] E0599
    }
}
