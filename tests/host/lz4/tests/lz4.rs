// SPDX-License-Identifier: GPL-2.0-or-later

//! Both LZ4s, in C and in Rust, on the same data.
//!
//! Randomly mutated streams: 20,000 by default. A million of them, with statistics:
//!
//!     scripts/enter.sh env MUTATIONS=1000000 cargo test -p lz4 --release --offline \
//!         --target-dir build/host mutated -- --nocapture

use lz4::{
    c::{self, C},
    codec::{self, Rust},
    error::code::EINVAL,
    pages::{kinds, Chance},
};
use std::panic::{catch_unwind, AssertUnwindSafe};

const PAGE: usize = 4096;

/// The longest input that is compressed.
const LONGEST: usize = 64 << 10;

/// Every length up to a page, and steps to the longest, with the neighbours of powers of two.
fn lengths() -> impl Iterator<Item = usize> {
    let steps = (PAGE + 1..=LONGEST).step_by(997);
    let edges = [13, 14, 15, 16]
        .into_iter()
        .flat_map(|bit| [-1, 0, 1].map(|by| (1 << bit) + by));
    (1..=PAGE).chain(steps).chain(
        edges
            .map(|len: isize| len as usize)
            .filter(|len| *len <= LONGEST),
    )
}

/// A buffer of this length, between guard zones.
struct Room(Vec<u8>);

const GUARD: usize = 64;

impl Room {
    fn new(len: usize) -> Self {
        Self(vec![0xa5; len + 2 * GUARD])
    }
    fn get(&mut self) -> &mut [u8] {
        let end = self.0.len() - GUARD;
        &mut self.0[GUARD..end]
    }
    fn check(&self) {
        let end = self.0.len() - GUARD;
        assert!(
            self.0[..GUARD]
                .iter()
                .chain(&self.0[end..])
                .all(|byte| *byte == 0xa5),
            "written out of bounds"
        );
    }
}

#[test]
fn each_decompresses_the_others_output() {
    let (mut c, mut rust) = (C::new(), Rust::new());
    let mut packed = vec![0; 150 << 10];
    for len in lengths() {
        for (kind, bytes) in kinds(len, len as u64) {
            for by in ["C", "Rust"] {
                let made = match by {
                    "C" => c.compress(&bytes, &mut packed).unwrap(),
                    _ => rust.compress(&bytes, &mut packed).unwrap(),
                };
                let mut back = Room::new(len);
                assert_eq!(
                    codec::decompress(&packed[..made], back.get()),
                    Ok(len),
                    "{by} {kind} {len}"
                );
                back.check();
                assert!(back.get() == bytes, "{by} to Rust: {kind} {len}");
                let mut back = Room::new(len);
                assert_eq!(
                    c::decompress(&packed[..made], back.get()),
                    Some(len),
                    "{by} {kind} {len}"
                );
                assert!(back.get() == bytes, "{by} to C: {kind} {len}");
            }
        }
    }
}

#[test]
fn result_fits_or_is_refused() {
    let mut rust = Rust::new();
    let mut packed = vec![0; 150 << 10];
    for len in lengths().step_by(7) {
        for (kind, bytes) in kinds(len, len as u64) {
            let made = rust.compress(&bytes, &mut packed).unwrap();
            for (room, want) in [(made, Ok(made)), (made - 1, Err(EINVAL)), (0, Err(EINVAL))] {
                let mut dst = Room::new(room);
                assert_eq!(
                    rust.compress(&bytes, dst.get()),
                    want,
                    "{kind} {len} into {room}"
                );
                dst.check();
                if want.is_ok() {
                    assert!(
                        dst.get() == &packed[..made],
                        "{kind} {len}: another result for less room"
                    );
                }
            }
        }
    }
}

#[test]
fn random_page_is_refused() {
    let (_, random) = kinds(PAGE, 1).pop().unwrap();
    let mut dst = Room::new(PAGE);
    assert_eq!(Rust::new().compress(&random, dst.get()), Err(EINVAL));
    dst.check();
}

#[test]
fn longer_inputs_are_refused() {
    let mut rust = Rust::new();
    for len in [LONGEST + 1, 1 << 20] {
        for (kind, bytes) in kinds(len, 3) {
            let mut packed = Room::new(lz4_flex::block::get_maximum_output_size(len));
            assert_eq!(rust.compress(&bytes, packed.get()), Err(EINVAL), "{kind}");
            packed.check();
        }
    }
}

#[test]
fn short_destination_is_refused() {
    let mut rust = Rust::new();
    let mut packed = vec![0; 150 << 10];
    for len in lengths().step_by(53) {
        for (kind, bytes) in kinds(len, len as u64) {
            let made = rust.compress(&bytes, &mut packed).unwrap();
            for room in [len - 1, len / 2, 0] {
                let mut dst = Room::new(room);
                assert_eq!(
                    codec::decompress(&packed[..made], dst.get()),
                    Err(EINVAL),
                    "{kind} {len} into {room}"
                );
                dst.check();
            }
            // A longer result is reported with its real length.
            let mut dst = Room::new(len + 1);
            assert_eq!(
                codec::decompress(&packed[..made], dst.get()),
                Ok(len),
                "{kind} {len}"
            );
        }
    }
}

/// Compressed data with some bytes changed, some removed, some duplicated.
fn mutate(stream: &mut Vec<u8>, chance: &mut Chance) {
    for _ in 0..1 + chance.below(8) {
        if stream.is_empty() {
            return;
        }
        let at = chance.below(stream.len());
        match chance.below(6) {
            0 => stream.truncate(at),
            1 => stream[at] = 0xff,
            2 => stream[at] = 0,
            3 => {
                let end = at + chance.below(stream.len() - at) / 4;
                let part = stream[at..end].to_vec();
                stream.splice(at..at, part);
            }
            _ => stream[at] = chance.next() as u8,
        }
    }
}

#[test]
fn mutated_streams_stay_in_bounds() {
    let all: u64 =
        std::env::var("MUTATIONS").map_or(20_000, |n| n.parse().expect("MUTATIONS is a number"));
    let (mut c, mut rust) = (C::new(), Rust::new());
    let mut packed = vec![0; 2 * PAGE];
    let (mut neither, mut both, mut only_c, mut only_rust) = (0u64, 0u64, 0u64, 0u64);
    let streams: Vec<Vec<u8>> = (0..16)
        .flat_map(|seed| kinds(PAGE, seed))
        .flat_map(|(_, bytes)| {
            let made = c.compress(&bytes, &mut packed).unwrap();
            let one = packed[..made].to_vec();
            let made = rust.compress(&bytes, &mut packed).unwrap();
            [one, packed[..made].to_vec()]
        })
        .collect();
    for n in 0..all {
        let mut chance = Chance::new(n);
        let mut stream = streams[chance.below(streams.len())].clone();
        mutate(&mut stream, &mut chance);
        let room = [PAGE, PAGE, PAGE, chance.below(2 * PAGE)][chance.below(4)];
        let (mut by_rust, mut by_c) = (Room::new(room), Room::new(room));
        let got = catch_unwind(AssertUnwindSafe(|| {
            codec::decompress(&stream, by_rust.get())
        }));
        let got = got.unwrap_or_else(|_| panic!("mutation {n} panics"));
        by_rust.check();
        let c = c::decompress(&stream, by_c.get());
        match (got, c) {
            (Ok(len), Some(c_len)) => {
                both += 1;
                assert!(len <= room);
                assert_eq!(len, c_len, "mutation {n}");
                assert!(
                    by_rust.get()[..len] == by_c.get()[..len],
                    "mutation {n}: other bytes than C's"
                );
            }
            (Ok(len), None) => {
                only_rust += 1;
                assert!(len <= room, "mutation {n}");
            }
            (Err(_), Some(_)) => only_c += 1,
            (Err(_), None) => neither += 1,
        }
    }
    println!("{all} streams: {neither} refused by both, {both} read by both, to the same bytes, {only_c} by C alone, {only_rust} by Rust alone");
}

/// Pages that were overwritten in part before they are compressed: any mixture of bytes comes back.
/// (While it is compressed, an input doesn't change: the codec gets a private copy.)
#[test]
fn changed_pages_come_back() {
    let mut rust = Rust::new();
    let mut pages: Vec<Vec<u8>> = kinds(PAGE, 5).into_iter().map(|(_, page)| page).collect();
    let mut chance = Chance::new(7);
    for _ in 0..20_000 {
        let page = chance.below(pages.len());
        let page = &mut pages[page];
        for _ in 0..1 + chance.below(64) {
            let word = [0, chance.next(), 0x2020_2020_2020_2020][chance.below(3)];
            page[chance.below(PAGE / 8) * 8..][..8].copy_from_slice(&word.to_le_bytes());
        }
        let mut dst = Room::new(2 * PAGE);
        let len = rust.compress(page, dst.get()).unwrap();
        dst.check();
        let mut small = Room::new(PAGE);
        assert_eq!(
            rust.compress(page, small.get()).ok(),
            Some(len).filter(|len| *len <= PAGE)
        );
        small.check();
        let mut back = Room::new(PAGE);
        assert_eq!(codec::decompress(&dst.get()[..len], back.get()), Ok(PAGE));
        back.check();
        assert!(back.get() == page);
    }
}
