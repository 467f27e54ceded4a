// SPDX-License-Identifier: GPL-2.0-or-later

//! Compiles the kernel's LZ4 for the host, like the kernel, with replacement headers.

use std::{env, fs, path::Path, process::Command};

/// The kernel headers that LZ4 includes, except LZ4's own two.
const HEADERS: &[&str] = &[
    "bitops",
    "init",
    "kernel",
    "module",
    "string",
    "types",
    "unaligned",
];

fn main() {
    let here = env::var("CARGO_MANIFEST_DIR").unwrap();
    let out = env::var("OUT_DIR").unwrap();
    fs::create_dir_all(format!("{out}/linux")).unwrap();
    for name in HEADERS {
        fs::write(
            format!("{out}/linux/{name}.h"),
            format!("#include \"{here}/kernel.h\"\n"),
        )
        .unwrap();
    }
    let src = Path::new(&here).join("../../../build/src");
    assert!(
        src.join("lib/lz4").is_dir(),
        "no build/src/lib/lz4: run make overlay"
    );
    for header in ["lib/lz4/lz4defs.h", "include/linux/lz4.h"] {
        println!("cargo:rerun-if-changed={}", src.join(header).display());
    }
    let mut objects = Vec::new();
    for name in ["lz4_compress", "lz4_decompress"] {
        let (from, to) = (
            src.join(format!("lib/lz4/{name}.c")),
            format!("{out}/{name}.o"),
        );
        println!("cargo:rerun-if-changed={}", from.display());
        let mut clang = Command::new("clang");
        if env::var_os("FUZZ").is_some() {
            clang.arg("-fsanitize=address,fuzzer-no-link");
        }
        clang
            .args([
                "-O2",
                "-std=gnu11",
                "-fno-strict-aliasing",
                // The kernel uses no vector instructions; for the host's Rust code that can't be
                // configured.
                "-mno-sse",
                "-mno-mmx",
                "-mno-avx",
                "-DCONFIG_64BIT",
                "-D__LITTLE_ENDIAN",
            ])
            .arg(format!("-I{out}"))
            .arg("-idirafter")
            .arg(src.join("include"))
            .arg("-c")
            .arg(&from)
            .arg("-o")
            .arg(&to);
        assert!(
            clang.status().expect("clang can't be run").success(),
            "clang has failed on {name}.c"
        );
        objects.push(to);
    }
    let archive = format!("{out}/liblz4_c.a");
    let _ = fs::remove_file(&archive);
    assert!(Command::new("ar")
        .arg("rcs")
        .arg(&archive)
        .args(&objects)
        .status()
        .expect("ar can't be run")
        .success());
    println!("cargo:rerun-if-env-changed=FUZZ");
    println!("cargo:rerun-if-changed=kernel.h");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-lib=static=lz4_c");
}
