// SPDX-License-Identifier: GPL-2.0-or-later

//! Contents to be compressed, and reproducible random numbers.

use std::{fs, path::PathBuf};

/// Random numbers: xorshift64*, from a seed.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// The kernel source that the overlay is laid on.
fn tree() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../build/src"))
}

/// The kernel's C source, at least `len` bytes.
pub fn text(len: usize) -> Vec<u8> {
    let mut files: Vec<_> = fs::read_dir(tree().join("mm"))
        .expect("no build/src: run make overlay")
        .map(|file| file.unwrap().path())
        .filter(|file| file.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut text = Vec::new();
    for file in files.iter().cycle() {
        if text.len() >= len {
            break;
        }
        text.extend(fs::read(file).unwrap());
    }
    text
}

/// `len` bytes of each kind of contents, with its name.
pub fn kinds(len: usize, seed: u64) -> Vec<(&'static str, Vec<u8>)> {
    let mut chance = Chance::new(seed);
    let random: Vec<u8> = (0..len).map(|_| chance.next() as u8).collect();
    let source = text(len + 4096);
    let from = chance.below(4096);
    let text = source[from..from + len].to_vec();
    let period = 1 + chance.below(40);
    // Pointers, as on a heap: many bytes repeat those of eight bytes before.
    let heap = (0..len).map(|i| match i % 8 {
        0 | 1 => random[i / 3],
        2 => (i / 256) as u8,
        n => [0, 0, 0, 0x55, 0x7f, 0xff, 0, 0][n],
    });
    let mixed = (0..len).map(|i| if i / 97 % 3 == 0 { random[i] } else { text[i] });
    vec![
        ("zero", vec![0; len]),
        ("period", (0..len).map(|i| random[i % period]).collect()),
        ("heap", heap.collect()),
        ("mixed", mixed.collect()),
        ("text", text),
        ("random", random),
    ]
}
