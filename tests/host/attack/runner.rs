// SPDX-License-Identifier: GPL-2.0-or-later

//! Compiles each program of this folder against the built kernel crate, with the policy's flags,
//! twice: once without (`control`) and once with the attacking lines.
//!
//! The control must compile, so that an attack can't fail for another reason. The attack must fail
//! with the errors that it names, at those lines, and with the output in NAME.attack.stderr.
//! Programs in `ok/` must compile: they do what the types don't exclude, and say what it leads to.
//!
//! `cargo test -p attack -- --bless` rewrites the expected output; with a name, only programs that
//! match are compiled.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
    process::{exit, Command},
    sync::{
        atomic::{AtomicBool, Ordering},
        Arc,
    },
};
use ui_test::{
    ignore_output_conflict, run_tests_generic,
    spanned::Spanned,
    status_emitter::{RevisionStyle, StatusEmitter, Summary, TestStatus},
    test_result::TestResult,
    Args, CommandBuilder, Config, Error,
};

/// The compiler of the expected output: with another one, or another configuration than that of
/// `make test`, only the codes and lines of errors are compared.
const RUSTC: &str = "rustc 1.85.";

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let top = here.ancestors().nth(3).expect("a checkout");
    let build = env::var_os("KERNEL").map_or_else(|| top.join("build/rust"), PathBuf::from);
    let make = build.join("samples/rust/zswap_rs/.zswap_rs.o.cmd");
    if !build.join("rust/libkernel.rmeta").exists() || !make.exists() {
        let build = build.display();
        println!("error: no Rust kernel to attack in {build}: run make kernel");
        exit(1);
    }
    let make = fs::read_to_string(make).expect("make's note of how zswap_rs was compiled");

    let args = Args::test().unwrap_or_else(|error| panic!("{error}"));
    let (attacks, ok) = (names(here), names(&here.join("ok")));
    let all = args.filters.is_empty() && args.skip.is_empty();
    if all {
        println!("running {} tests", attacks.len() + ok.len() + 1);
        let wrong = not_told(top, &attacks, &ok);
        say("docs/safety.md lists each program", wrong.is_empty());
        for wrong in &wrong {
            println!("error: {wrong}");
        }
        if !wrong.is_empty() {
            exit(1);
        }
    }

    // Where the kernel's build runs rustc.
    env::set_current_dir(&build).expect("the build folder");
    let is_one = |path: &Path, config: &Config| {
        let name = path.file_stem()?.to_str()?;
        let set = if path.parent()? == here {
            &attacks
        } else {
            &ok
        };
        let wanted = |filters: &[String]| filters.iter().any(|filter| name.contains(filter));
        (path.extension()? == "rs" && set.contains(name))
            .then(|| config.filter_files.is_empty() || wanted(&config.filter_files))
    };
    let compiled = run_tests_generic(
        vec![config(here, top, &make, &args)],
        is_one,
        |_, _: &Spanned<Vec<u8>>| {},
        Lines,
    );
    exit(compiled.is_err().into());
}

/// The names of the programs in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).expect("a folder of programs");
    files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension() == Some(OsStr::new("rs")))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "runner")
        .collect()
}

/// Each program must be in the last column of a table of docs/safety.md, and vice versa.
fn not_told(top: &Path, attacks: &BTreeSet<String>, ok: &BTreeSet<String>) -> Vec<String> {
    let page = fs::read_to_string(top.join("docs/safety.md")).expect("docs/safety.md");
    let cells = page.lines().filter_map(|line| {
        line.strip_suffix(" |")?
            .rsplit_once("| ")
            .map(|(_, cell)| cell)
    });
    let told: BTreeSet<&str> = cells
        .flat_map(|cell| cell.split(", "))
        .filter_map(|name| {
            name.strip_prefix("[`")?
                .split_once("`]")?
                .1
                .strip_suffix(".rs)")
        })
        .filter_map(|link| link.strip_prefix("(../tests/host/attack/"))
        .collect();
    let ok = ok.iter().map(|name| format!("ok/{name}"));
    let there: BTreeSet<String> = attacks.iter().cloned().chain(ok).collect();
    let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
    let missing = there.difference(&told);
    let gone = told.difference(&there);
    missing
        .map(|name| format!("{name}.rs isn't in the tables of docs/safety.md"))
        .chain(gone.map(|name| format!("docs/safety.md tells of {name}.rs, which isn't there")))
        .collect()
}

/// The environment and flags by which the kernel's build compiles the policy.
fn config(here: &Path, top: &Path, make: &str, args: &Args) -> Config {
    let line = make.lines().next().unwrap_or_default();
    let (_, line) = line.split_once(":= ").expect("a command");
    let (line, _) = line.split_once(" --out-dir ").expect("where it goes");
    let (env, flags) = line.split_once(" rustc ").expect("rustc");

    let mut config = Config::rustc(here);
    config.program = CommandBuilder {
        args: words(flags),
        envs: words(env)
            .iter()
            .filter_map(|word| word.to_str()?.split_once('='))
            .chain([("RUSTC_BOOTSTRAP", "1")])
            .map(|(name, value)| (name.into(), Some(value.into())))
            .collect(),
        ..CommandBuilder::rustc()
    };
    let ours = ["--error-format=json", "--emit=metadata"];
    // Lints about style only.
    let style = [
        "dead_code",
        "dropping_copy_types",
        "missing_docs",
        "unreachable_code",
        "unused_imports",
        "unused_mut",
        "unused_variables",
    ];
    let style = style.map(|lint| format!("-A{lint}").into());
    config.program.args.extend(ours.map(OsString::from));
    config.program.args.extend(style);
    config.out_dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    config.with_args(args);
    let defaults = config.comment_defaults.base();
    // The edition is among the flags; rustc's suggestions aren't applied.
    defaults.custom.remove("edition");
    defaults.custom.remove("rustfix");

    // Of the kernel's own lines only the file is compared: they move and change without effect on
    // the program. The margin, as wide as the largest line number, is ignored, too.
    let top = top.to_str().expect("a path of letters");
    config.stderr_filter(&format!("{top}/(build/src|tests/host/attack)/"), "");
    config.stderr_filter(r"/[^ ]*/lib/rustlib/src/rust/", "");
    config.stderr_filter(r"(?m)^.*https://.*\n", ""); // where to read more
    config.stderr_filter(
        r"(?m)(-->|:::) (?:[.][.]/)*((rust/kernel|library|samples)/[^ :]*):.*\n( +\|\n|[0-9. ]+(\|.*)?\n)*",
        "$1 $2\n",
    );
    config.stderr_filter(r"(?m)^[0-9]+ +([|+-])", "LL $1");
    config.stderr_filter(r"(?m)^ +(\||=)", "   $1");
    config.stderr_filter(r"(?m)^ +(-->|:::)", "  $1");
    let version = Command::new(&config.program.program)
        .arg("--version")
        .output();
    let theirs = version.is_ok_and(|version| version.stdout.starts_with(RUSTC.as_bytes()));
    if !theirs || !env::current_dir().is_ok_and(|build| build.ends_with("build/rust")) {
        config.output_conflict_handling = ignore_output_conflict;
    }
    config
}

/// Splits a shell's command line, which may have single quotes, into words.
fn words(line: &str) -> Vec<OsString> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars().chain([' ']) {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word).into());
                }
            }
            letter => word.push(letter),
        }
    }
    words
}

/// Prints each result in the format of Rust's test programs, which tests/run.sh parses.
struct Lines;

impl StatusEmitter for Lines {
    fn register_test(&self, path: PathBuf) -> Box<dyn TestStatus> {
        Box::new(Line {
            path,
            ..Line::default()
        })
    }

    fn finalize(&self, _: usize, _: usize, _: usize, _: usize, _: bool) -> Box<dyn Summary> {
        Box::new(Reasons)
    }
}

#[derive(Default)]
struct Line {
    path: PathBuf,
    revision: String,
    /// One of a program's two compilations had the expected result.
    half: Arc<AtomicBool>,
}

impl TestStatus for Line {
    fn for_revision(&self, revision: &str, _: RevisionStyle) -> Box<dyn TestStatus> {
        Box::new(Self {
            path: self.path.clone(),
            revision: revision.to_owned(),
            half: self.half.clone(),
        })
    }

    fn for_path(&self, path: &Path) -> Box<dyn TestStatus> {
        Box::new(Self {
            path: path.to_owned(),
            revision: self.revision.clone(),
            half: self.half.clone(),
        })
    }

    fn failed_test<'a>(&'a self, _: &'a str, said: &'a [u8], _: &'a [u8]) -> Box<dyn Debug + 'a> {
        println!("{}", String::from_utf8_lossy(said));
        Box::new(())
    }

    fn done(&self, result: &TestResult, _aborted: bool) {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let ok = self.path.parent().is_some_and(|dir| dir.ends_with("ok"));
        match (self.revision.as_str(), result.is_ok()) {
            ("", true) if ok => say(&format!("ok/{name}"), true),
            // Reported without a result, after both.
            ("", true) => {}
            ("", false) => say(&name, false),
            (_, true) => {
                if self.half.swap(true, Ordering::Relaxed) {
                    say(&name, true);
                }
            }
            (revision, false) => say(&format!("{name} ({revision})"), false),
        }
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn revision(&self) -> &str {
        &self.revision
    }
}

/// The reasons for a failure, one on each line, after rustc's output.
struct Reasons;

impl Summary for Reasons {
    fn test_failure(&mut self, status: &dyn TestStatus, errors: &Vec<Error>) {
        for error in errors {
            let why = match error {
                Error::OutputDiffers { path, .. } => format!("not the words of {}", path.display()),
                Error::ExitStatus { reason, .. } => reason.to_string(),
                Error::CodeNotFound { code, .. } => format!("no {} where it should be", **code),
                other => format!("{other:?}"),
            };
            println!(
                "error: {} {}: {why}",
                status.path().display(),
                status.revision()
            );
        }
    }
}

fn say(name: &str, ok: bool) {
    println!(
        "test attack: {name} ... {}",
        if ok { "ok" } else { "FAILED" }
    );
}
