// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap-table entries, compared bit for bit with the kernel's own header, in every layout.

use policy::api::decoded;
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Values close to each boundary between bit fields, and others.
fn words() -> Vec<usize> {
    let mut words = vec![0, usize::MAX, usize::MAX << 3, 0b1000, 0b100];
    for bit in 0..64 {
        for low in 0..16 {
            words.push(1 << bit | low);
            words.push(usize::MAX << bit | low);
            words.push((usize::MAX >> bit) & !0xf | low);
        }
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_usize;
    for _ in 0..20_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        words.push(random);
    }
    words
}

/// The entries as decoded by C.
fn said_by_c(pfn_bits: u32, words: &[usize]) -> Vec<String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("swap_table-{pfn_bits}"));
    fs::create_dir_all(scratch.join("linux")).unwrap();
    let header = |name: &str| fs::read_to_string(top.join("build/src/mm").join(name)).unwrap();
    let part = |text: String, from: &str, to: &str| {
        let from = text.find(from).expect(from);
        let to = from + text[from..].find(to).expect(to);
        text[from..to].to_owned()
    };
    let table = part(
        header("swap_table.h"),
        "/* A typical flat",
        "/*\n * Helpers for accessing",
    );
    let layout = part(
        header("swap.h"),
        "#if defined(MAX_POSSIBLE",
        "#ifdef CONFIG_THP_SWAP",
    );
    fs::write(scratch.join("swap_table.h"), layout + &table).unwrap();
    let program = scratch.join("swap_table");
    let built = Command::new("gcc")
        .args([
            "-Wall",
            "-Werror",
            "-Wno-unused-function",
            &format!("-DPFN_BITS={pfn_bits}"),
            "-I",
        ])
        .arg(&scratch)
        .arg("-o")
        .arg(&program)
        .arg(top.join("tests/host/policy/tests/swap_table.c"))
        .status()
        .unwrap();
    assert!(built.success());
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text: String = words.iter().map(|word| format!("{word:x}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn same_as_c(pfn_bits: u32) {
    let words = words();
    let said = said_by_c(pfn_bits, &words);
    assert_eq!(said.len(), words.len());
    for (&word, said) in words.iter().zip(&said) {
        let (kind, value, count, zero, again) = decoded(pfn_bits, word);
        assert_eq!(
            &format!("{kind} {value} {count} {}", u8::from(zero)),
            said,
            "{word:#x}"
        );
        assert_eq!(again, word, "{word:#x}");
    }
}

#[test]
fn matches_c_with_room_to_spare() {
    same_as_c(24);
    same_as_c(40);
}

#[test]
fn matches_c_with_five_bits_of_flags() {
    same_as_c(57);
}

#[test]
fn matches_c_with_four_bits_of_flags() {
    same_as_c(58);
}

#[test]
fn matches_c_with_three_bits_of_flags() {
    same_as_c(59);
}

#[test]
fn matches_c_without_room_for_the_zero_mark() {
    same_as_c(60);
}
