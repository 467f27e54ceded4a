// SPDX-License-Identifier: GPL-2.0-or-later
// Compressors, their queues and buffers.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    crypto::{
        acompress::{Compressor, Input, RequestQueue},
        scompress::{Algorithm, Registration},
    },
    mm::folio::{CachedFolio, FolioPage},
    page::PAGE_SIZE,
    prelude::*,
    sync::{Mutex, SetOnce},
};

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

use zswap_core::pool_table::PoolRef;

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
        return Input::from_raw(core::ptr::null_mut(), 4096); //~[input_made_up] E0133
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
#[cfg(any(control, request_outlives_pages))]
pub mod request_outlives_pages {
    use super::*;

    pub fn attack(
        mut queue: RequestQueue<'_>,
        folio: CachedFolio<'_>,
        first: for<'p> fn(&'p CachedFolio<'_>) -> FolioPage<'p>,
    ) -> Result {
        let pages = [first(&folio)];
        #[cfg(control)]
        let done = queue.compress_each(pages, |_, _| Ok(()));
        #[cfg(request_outlives_pages)]
        let done = queue.compress_each(pages, |_, _| {
            //~[request_outlives_pages]^ E0505
            drop(folio); //~[request_outlives_pages] E0507
            Ok(())
        });
        done
    }
}

// One page's compressed data is read after its request was reused for another
// page, while hardware writes there.
#[cfg(any(control, request_kept))]
pub mod request_kept {
    use super::*;

    pub fn attack<'p>(mut queue: RequestQueue<'_>, pages: &[FolioPage<'p>]) -> Result<usize> {
        let mut kept: &[u8] = &[];
        let mut len = 0;
        queue.compress_each(pages.iter().copied(), |_, compressed| {
            let compressed = compressed?;
            #[cfg(request_kept)]
            {
                kept = compressed; //~[request_kept] E0521
            }
            len += compressed.len();
            Ok::<(), Error>(())
        })?;
        let _ = &mut kept;
        Ok(len + kept.len())
    }
}

// Another page is submitted to a compressor's queue while it has pages in flight.
#[cfg(any(control, queue_twice))]
pub mod queue_twice {
    use super::*;

    pub fn attack<'p>(compressor: &mut Compressor, pages: &[FolioPage<'p>]) -> Result {
        let Some(mut queue) = compressor.queue() else {
            return Err(EINVAL);
        };
        queue.compress_each(pages.iter().copied(), |_page, _| {
            //~[queue_twice]^ E0499
            //~[queue_twice]^^ E0499
            #[cfg(queue_twice)]
            queue.compress_each([_page], |_, _| Ok::<(), Error>(()))?;
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

// A CPU's compressor is freed, or exchanged with that of a pool with another algorithm: pages can't be read, or come
// back as other bytes.
#[cfg(any(control, compressors_swapped))]
pub mod compressors_swapped {
    use super::*;

    pub(crate) fn attack(one: &PoolRef, other: &PoolRef, new: Compressor) {
        let (mut one, mut other) = (one.compressor(), other.compressor());
        #[cfg(compressors_swapped)]
        core::mem::swap(&mut *one, &mut *other); //~[compressors_swapped] E0614
                                                 //~[compressors_swapped]^ E0614
        #[cfg(compressors_swapped)]
        drop(core::mem::replace(&mut *one.0, new)); //~[compressors_swapped] E0616
        #[cfg(control)]
        drop(new);
        core::mem::swap(&mut one, &mut other);
    }
}
