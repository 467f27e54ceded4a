// SPDX-License-Identifier: GPL-2.0-or-later

//! The time of each LZ4 for the pages of each corpus of the demonstration's disk, in nanoseconds a
//! page: both in one program, alternating, the median of many rounds. Rust first copies its input, as
//! the abstraction for algorithms does in the kernel; the last column is the copy alone.
//!
//! usage: time CORPUS_DISK [ROUNDS]

use lz4::{
    c::{self, C},
    codec::{self, Rust},
};
use std::{hint::black_box, time::Instant};

const PAGE: usize = 4096;
const PAGES: usize = 512;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds a page.
fn timed(pages: usize, mut f: impl FnMut()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_nanos() as f64 / pages as f64
}

/// A copy of `from`, which the compiler doesn't see through.
fn copied<'a>(from: &[u8], to: &'a mut [u8]) -> &'a [u8] {
    let to = &mut to[..from.len()];
    to.copy_from_slice(from);
    black_box(to)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let disk = std::fs::read(args.next().expect("usage: time CORPUS_DISK [ROUNDS]"))
        .expect("the disk can't be read");
    let rounds: usize = args
        .next()
        .map_or(101, |n| n.parse().expect("ROUNDS is a number"));
    let index = String::from_utf8(
        disk[..PAGE]
            .iter()
            .copied()
            .take_while(|byte| *byte != 0)
            .collect(),
    )
    .unwrap();
    let (mut c, mut rust) = (C::new(), Rust::new());
    let (mut src, mut dst) = (vec![0; PAGE], vec![0; PAGE]);
    println!("corpus     C-compress Rust  ratio  C-decompress Rust  ratio  size  copy");
    for line in index.lines() {
        let words: Vec<_> = line.split(' ').collect();
        let first: usize = words[1].parse().unwrap();
        let pages: Vec<&[u8]> = (first..first + PAGES)
            .map(|page| &disk[page * PAGE..][..PAGE])
            .collect();
        // An incompressible page is stored uncompressed, and never decompressed.
        let by_c: Vec<_> = pages
            .iter()
            .filter_map(|page| c.compress(page, &mut dst).map(|len| dst[..len].to_vec()))
            .collect();
        let by_rust: Vec<_> = pages
            .iter()
            .filter_map(|page| {
                rust.compress(page, &mut dst)
                    .ok()
                    .map(|len| dst[..len].to_vec())
            })
            .collect();
        let size = |streams: &[Vec<u8>]| {
            streams.iter().map(Vec::len).sum::<usize>() + (PAGES - streams.len()) * PAGE
        };
        let mut times = [const { Vec::new() }; 5];
        for _ in 0..rounds {
            times[0].push(timed(PAGES, || {
                pages.iter().for_each(|page| {
                    black_box(c.compress(page, &mut dst));
                })
            }));
            times[1].push(timed(PAGES, || {
                pages.iter().for_each(|page| {
                    let _ = black_box(rust.compress(copied(page, &mut src), &mut dst));
                })
            }));
            // Both decompress the same streams.
            times[2].push(timed(by_c.len(), || {
                by_c.iter().for_each(|stream| {
                    black_box(c::decompress(stream, &mut dst));
                })
            }));
            times[3].push(timed(by_c.len(), || {
                by_c.iter().for_each(|stream| {
                    let _ = black_box(codec::decompress(copied(stream, &mut src), &mut dst));
                })
            }));
            times[4].push(timed(PAGES, || {
                pages.iter().for_each(|page| {
                    copied(page, &mut src);
                })
            }));
        }
        let [cc, rc, cd, rd, copy] = times.map(median);
        let decompress = if by_c.is_empty() {
            "         -        -      -".to_string()
        } else {
            format!("{cd:10.0} {rd:8.0} {:6.2}", rd / cd)
        };
        println!(
            "{:10} {cc:9.0} {rc:8.0} {:6.2} {decompress} {:6.3} {copy:5.0}",
            words[0],
            rc / cc,
            size(&by_rust) as f64 / size(&by_c) as f64
        );
    }
}
