// SPDX-License-Identifier: GPL-2.0-or-later

//! The libFuzzer target: both LZ4s decompress and compress its input. A panic, an out-of-bounds
//! access, or different results for a stream that both accept end the run.

use lz4::{
    c::{self, C},
    codec::{self, Rust},
};
use std::cell::RefCell;

thread_local! {
    static BOTH: RefCell<(C, Rust)> = RefCell::new((C::new(), Rust::new()));
}

/// An allocation of the exact size, so that AddressSanitizer detects an access past it.
fn exactly(len: usize) -> Box<[u8]> {
    vec![0xa5; len].into_boxed_slice()
}

fn decompress(stream: &[u8], room: usize) {
    let (mut by_c, mut by_rust) = (exactly(room), exactly(room));
    let c = c::decompress(stream, &mut by_c);
    let rust = codec::decompress(stream, &mut by_rust).ok();
    if let (Some(c), Some(rust)) = (c, rust) {
        assert_eq!(c, rust, "they make different lengths of one stream");
        assert!(
            by_c[..c] == by_rust[..c],
            "they make different bytes of one stream"
        );
    }
    assert!(
        rust.is_none_or(|len| len <= room),
        "a length that doesn't fit"
    );
}

fn compress(bytes: &[u8], room: usize) {
    BOTH.with_borrow_mut(|(c, rust)| {
        for by in ["C", "Rust"] {
            let mut packed = exactly(room);
            let made = match by {
                "C" => c.compress(bytes, &mut packed),
                _ => rust.compress(bytes, &mut packed).ok(),
            };
            let Some(made) = made else {
                // The worst-case size, which always suffices.
                assert!(
                    room < bytes.len() + bytes.len() / 8 + 64,
                    "{by} refuses {} bytes",
                    bytes.len()
                );
                continue;
            };
            let stream = packed[..made].to_vec().into_boxed_slice();
            let (mut by_c, mut by_rust) = (exactly(bytes.len()), exactly(bytes.len()));
            assert_eq!(
                c::decompress(&stream, &mut by_c),
                Some(bytes.len()),
                "{by} to C"
            );
            assert_eq!(
                codec::decompress(&stream, &mut by_rust).ok(),
                Some(bytes.len()),
                "{by} to Rust"
            );
            assert!(*by_c == *bytes, "{by} to C");
            assert!(*by_rust == *bytes, "{by} to Rust");
        }
    });
}

/// The first byte selects the operation, the next two the size of the destination.
///
/// # Safety
///
/// `data` must be `size` bytes.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> i32 {
    if size < 4 {
        return -1;
    }
    // SAFETY: By the requirement; `size` isn't zero.
    let data = unsafe { core::slice::from_raw_parts(data, size) };
    let room = usize::from(u16::from_le_bytes([data[1], data[2]]));
    // In an allocation with nothing readable before or behind it.
    let bytes = data[3..].to_vec().into_boxed_slice();
    match data[0] % 4 {
        0 => decompress(&bytes, room),
        1 => decompress(&bytes, 4096),
        2 => compress(&bytes, room),
        _ => compress(&bytes, bytes.len() + bytes.len() / 8 + 64),
    }
    0
}
