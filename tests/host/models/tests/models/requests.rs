// SPDX-License-Identifier: GPL-2.0-or-later

//! Requests to an asynchronous compressor: one task submits and waits; two or three tasks process
//! one request at a time each, so that requests complete in any order.
//!
//! The invariants: no task accesses a page, a buffer or a request concurrently with another, or
//! after it was freed; the waiter finds the result; and the result is that of the page.

use kernel::{
    alloc::NumaNode,
    bindings::{self, folio, page},
    c,
    crypto::{
        acompress, does_not_wait, no_backlog, returns_early, short_queue, transform_goes_first,
    },
    error::{
        code::{EINVAL, EIO},
        Result,
    },
    mm::{
        call::Call,
        folio::{CachedFolio, FolioPage, NotUptodate, Uptodate},
    },
    page::PAGE_SIZE,
    sim::{self, together, Shadow},
};

/// The kernel's compressor, or a variant of it.
trait Compressor: Send + Sized + 'static {
    fn new() -> Self;
    fn compress(&mut self, _: FolioPage<'_>) -> Result<&[u8]>;
    fn compress_each<'p>(
        &mut self,
        pages: impl Iterator<Item = FolioPage<'p>>,
        each: impl FnMut(FolioPage<'p>, Result<&[u8]>) -> Result<(), ()>,
    ) -> Result<(), ()>;
    fn decompress_each<'p>(
        &mut self,
        pages: impl Iterator<Item = (usize, NotUptodate<'p>)>,
        read: impl FnMut(&usize, &mut Buffer) -> usize,
        each: impl FnMut(usize, Result<Uptodate<'p>, usize>) -> Result<()>,
    ) -> Result<()>;
}

type Buffer = [u8; PAGE_SIZE];

macro_rules! compressors {
    ($($module:ident)*) => {
        $(impl Compressor for $module::Compressor {
            fn new() -> Self {
                let lz4 = $module::Algorithm::new(b"lz4").unwrap();
                Self::new(&lz4, NumaNode::NO_NODE).unwrap()
            }
            fn compress(&mut self, page: FolioPage<'_>) -> Result<&[u8]> {
                self.compress(page)
            }
            fn compress_each<'p>(
                &mut self,
                pages: impl Iterator<Item = FolioPage<'p>>,
                each: impl FnMut(FolioPage<'p>, Result<&[u8]>) -> Result<(), ()>,
            ) -> Result<(), ()> {
                self.queue().unwrap().compress_each(pages, each)
            }
            fn decompress_each<'p>(
                &mut self,
                pages: impl Iterator<Item = (usize, NotUptodate<'p>)>,
                read: impl FnMut(&usize, &mut Buffer) -> usize,
                each: impl FnMut(usize, Result<Uptodate<'p>, usize>) -> Result<()>,
            ) -> Result<()> {
                self.queue().unwrap().decompress_each(pages, read, each)
            }
        })*
    };
}

compressors! { acompress short_queue returns_early does_not_wait transform_goes_first no_backlog }

/// A locked folio of four pages.
#[derive(Clone, Copy)]
struct Folio(*mut folio);

// SAFETY: It exists to the end of the model.
unsafe impl Send for Folio {}

impl Folio {
    fn new() -> Self {
        // SAFETY: No task unlocks it. Its slots are on no device, and aren't accessed.
        let folio = unsafe {
            let folio = bindings::folio_alloc(2);
            c::folio_lock(folio);
            bindings::folio_enter_swapcache(folio, bindings::swp_entry(1, 4));
            Self(folio)
        };
        folio.fill(0);
        folio
    }

    fn page(self, index: usize) -> *mut page {
        // SAFETY: It exists, and has four pages.
        unsafe { bindings::folio_page(self.0, index) }
    }

    /// The contents of a page in a round.
    fn content(index: usize, round: usize) -> Buffer {
        let mut bytes = [0; PAGE_SIZE];
        bytes[0] = index as u8 + 1;
        bytes[1] = round as u8 + 1;
        bytes
    }

    /// Writes to all pages; no other task may be using them.
    fn fill(self, round: usize) {
        for index in 0..4 {
            // SAFETY: It exists, and has four pages.
            unsafe { bindings::set_page_bytes(self.page(index), Self::content(index, round)) };
        }
    }

    /// Calls `f` with the first pages.
    fn with_pages(self, nr: usize, f: impl FnOnce(&[FolioPage<'_>])) {
        let mut call = Call::new();
        // SAFETY: As above; it is locked, and not lent otherwise.
        let folio = unsafe { CachedFolio::from_raw(self.0, &mut call) };
        // SAFETY: It has four pages.
        let pages: Vec<_> = (0..nr).map(|index| unsafe { folio.page(index) }).collect();
        f(&pages)
    }
}

/// Checks the compressed page.
fn check(compressed: Result<&[u8]>, index: usize, round: usize) {
    let compressed = compressed.expect("a page is compressed");
    Shadow::live(compressed.as_ptr() as usize).read();
    let content = Folio::content(index, round);
    let expected = [&content[..PAGE_SIZE / 2], b"4"].concat();
    assert_eq!(compressed, expected, "what is compressed is the page");
}

/// The parameters of a model.
#[derive(Clone, Copy)]
struct Plan {
    /// Pages of each round.
    pages: usize,
    rounds: usize,
    /// The resulting number of requests.
    requests: usize,
    /// The number of tasks that process them.
    engines: usize,
    /// The capacity of the queue; further requests go to the backlog.
    room: usize,
}

/// One task runs `submit` with the pages in each round, and others complete its requests.
fn submit<C: Compressor>(plan: Plan, submit: fn(&mut C, &[FolioPage<'_>], usize)) {
    run::<C>(plan, move |compressor, folio, round| {
        folio.with_pages(plan.pages, |pages| submit(compressor, pages, round));
    });
}

/// One task runs `submit` with the folio in each round, and others complete its requests.
fn run<C: Compressor>(plan: Plan, submit: impl Fn(&mut C, Folio, usize) + Send + 'static) {
    let folio = Folio::new();
    let mut compressor = C::new();
    let accelerator = &sim::world().c.accelerator;
    accelerator.expect(plan.requests, plan.room);
    let mut tasks: Vec<Box<dyn FnOnce() + Send>> = vec![Box::new(move || {
        for round in 0..plan.rounds {
            submit(&mut compressor, folio, round);
            // The pages are ours again.
            folio.fill(round + 1);
        }
        // And so are the compressor's buffers.
        drop(compressor);
    })];
    for _ in 0..plan.engines {
        tasks.push(Box::new(|| sim::world().c.accelerator.work()));
    }
    together(tasks);
    for kind in ["acomp", "acomp_req", "kmalloc"] {
        assert_eq!(sim::allocated(kind), 0, "something is left");
    }
}

/// All pages at once.
fn all<C: Compressor>(compressor: &mut C, pages: &[FolioPage<'_>], round: usize) {
    let mut index = 0;
    let ret = compressor.compress_each(pages.iter().copied(), |_, compressed| {
        check(compressed, index, round);
        index += 1;
        Ok(())
    });
    assert_eq!((ret, index), (Ok(()), pages.len()), "all are compressed");
}

/// All pages at once, until the caller stops at the first result.
fn fail<C: Compressor>(compressor: &mut C, pages: &[FolioPage<'_>], _: usize) {
    let ret = compressor.compress_each(pages.iter().copied(), |_, _| Err(()));
    assert_eq!(ret, Err(()));
}

/// What a page compresses to.
fn compressed(index: usize, round: usize) -> Vec<u8> {
    let content = Folio::content(index, round);
    [&content[..PAGE_SIZE / 2], b"4"].concat()
}

/// The other direction: into as many of the folio's pages as the plan has. Stops before page `end`. In the
/// second of two rounds each page gets what it did not have.
fn expand<C: Compressor>(plan: Plan, end: usize) {
    run::<C>(plan, move |compressor, folio, round| {
        let mut call = Call::new();
        let mut index = 0;
        // SAFETY: As in `with_pages`. No other task uses the pages.
        unsafe {
            let mut cached = CachedFolio::from_raw(folio.0, &mut call);
            let (_cached, contents) = cached.split();
            let filled = contents.fill(|pages, filled| {
                compressor.decompress_each(
                    pages.take(plan.pages),
                    |&index, buffer| {
                        let bytes = compressed(index, round + 1);
                        Shadow::live(buffer.as_ptr() as usize).write();
                        buffer[..bytes.len()].copy_from_slice(&bytes);
                        bytes.len()
                    },
                    |page, decompressed| {
                        assert_eq!(page, index);
                        if page == end {
                            return Err(EINVAL);
                        }
                        filled.add(decompressed.expect("a page is decompressed"));
                        let bytes = bindings::page_bytes(folio.page(page));
                        let expected = Folio::content(page, round + 1);
                        assert_eq!(bytes, expected, "the page is what was compressed");
                        index += 1;
                        Ok(())
                    },
                )
            });
            // The folio has four pages.
            let error = if end < plan.pages { EINVAL } else { EIO };
            assert_eq!(filled.err(), Some(error));
        }
        assert_eq!(index, end.min(plan.pages), "all are decompressed");
    });
}

/// One after the other, all into one buffer.
fn singly<C: Compressor>(compressor: &mut C, pages: &[FolioPage<'_>], round: usize) {
    for (index, page) in pages.iter().enumerate() {
        check(compressor.compress(*page), index, round);
    }
}

const TWO: Plan = Plan {
    pages: 2,
    rounds: 1,
    requests: 2,
    engines: 2,
    room: 8,
};

/// Two requests, which may complete in either order.
pub fn two_requests() {
    submit(TWO, all::<acompress::Compressor>);
}

/// Three, of which two may have to wait in the backlog.
const BACKLOG: Plan = Plan {
    pages: 3,
    requests: 3,
    engines: 3,
    room: 1,
    ..TWO
};

pub fn backlog() {
    submit(BACKLOG, all::<acompress::Compressor>);
}

/// Requests are reused for other pages, with the same buffers.
pub fn requests_again() {
    let plan = Plan {
        rounds: 2,
        requests: 4,
        ..TWO
    };
    submit(plan, all::<acompress::Compressor>);
}

/// A request is reused while another one is in flight.
const REUSED: Plan = Plan {
    pages: 3,
    requests: 3,
    room: 1,
    ..TWO
};

pub fn request_reused() {
    submit(REUSED, all::<short_queue::Compressor>);
}

/// The caller stops at the first result: requests in flight are waited for, and no more are
/// submitted.
const UNWANTED: Plan = Plan { pages: 3, ..TWO };

pub fn unwanted() {
    submit(UNWANTED, fail::<short_queue::Compressor>);
}

/// One request, reused repeatedly.
pub fn one_request() {
    let plan = Plan {
        rounds: 2,
        requests: 4,
        engines: 1,
        ..TWO
    };
    submit(plan, singly::<acompress::Compressor>);
}

/// Two pages, decompressed in either order.
pub fn two_expanded() {
    expand::<acompress::Compressor>(TWO, usize::MAX);
}

/// A request is reused for another page, and its buffer, while another one is in flight.
pub fn expanded_with_reused() {
    expand::<short_queue::Compressor>(REUSED, usize::MAX);
}

/// The caller stops at the first page: the others are waited for before their memory is written again.
pub fn expanded_unwanted() {
    expand::<short_queue::Compressor>(UNWANTED, 0);
}

// Seeded bugs.

/// It returns with the first error, and doesn't wait for requests in flight.
pub fn mistake_returns_early() {
    submit(UNWANTED, fail::<returns_early::Compressor>);
}

/// It takes a request in flight for one that was completed at once.
pub fn mistake_does_not_wait() {
    submit(TWO, all::<does_not_wait::Compressor>);
}

/// The same, for pages that it fills.
pub fn mistake_does_not_wait_for_pages() {
    expand::<does_not_wait::Compressor>(TWO, usize::MAX);
}

/// It returns with the first error, and the memory of other pages is written later.
pub fn mistake_returns_before_pages() {
    expand::<returns_early::Compressor>(UNWANTED, 0);
}

/// The transform is freed before its requests.
pub fn mistake_transform_goes_first() {
    submit(TWO, all::<transform_goes_first::Compressor>);
}

/// It doesn't let requests wait in the backlog.
pub fn mistake_no_backlog() {
    submit(BACKLOG, all::<no_backlog::Compressor>);
}
