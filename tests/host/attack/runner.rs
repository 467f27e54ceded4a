// SPDX-License-Identifier: GPL-2.0-or-later

//! Compiles the programs of this folder against the built kernel crate, with the policy's flags.
//!
//! A file is a room: programs that attack one thing, each a module that is behind
//! `#[cfg(any(control, NAME))]`. They are compiled once together, without the attacking lines, as the
//! revision `control`, and must compile, so that no attack can fail for another reason. Then each is
//! compiled by itself, with these lines, as the revision NAME, and must fail: with exactly the errors
//! that the file names, at those lines.
//!
//! The programs in `ok.rs`, which has no revisions, must compile: they do what the types don't exclude.
//!
//! `cargo test -p attack -- NAME` compiles only rooms that match, or have a program that matches.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::{OsStr, OsString},
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
    process::exit,
    sync::atomic::{AtomicBool, Ordering},
};
use ui_test::{
    ignore_output_conflict, run_tests_generic,
    spanned::Spanned,
    status_emitter::{RevisionStyle, StatusEmitter, Summary, TestStatus},
    test_result::TestResult,
    Args, CommandBuilder, Config, Error,
};

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
    let rooms = rooms(here);
    let all = args.filters.is_empty() && args.skip.is_empty();
    if all {
        // With the control of each, and the two below.
        let compiled: usize = rooms
            .values()
            .map(|room| room.revisions().len().max(1))
            .sum();
        println!("running {} tests", compiled + 2);
        check("each program has its revision", &not_compiled(&rooms));
        check("docs/safety.md lists each program", &not_told(top, &rooms));
    }

    // Where the kernel's build runs rustc.
    env::set_current_dir(&build).expect("the build folder");
    let is_one = |path: &Path, config: &Config| {
        let name = path.file_stem()?.to_str()?;
        let room = rooms.get(name).filter(|_| path.parent() == Some(here))?;
        let filters = &config.filter_files;
        let wanted = |name: &str| filters.iter().any(|filter| name.contains(filter));
        let some = wanted(name) || room.programs.iter().any(|program| wanted(program));
        Some(filters.is_empty() || some)
    };
    let compiled = run_tests_generic(
        vec![config(here, &make, &args)],
        is_one,
        |config, text: &Spanned<Vec<u8>>| {
            let revisions = Room::new(&String::from_utf8_lossy(text)).revisions();
            config.comment_defaults.revisions = (!revisions.is_empty()).then_some(revisions);
        },
        Lines,
    );
    exit(compiled.is_err().into());
}

/// A file of programs.
struct Room {
    programs: Vec<String>,
    /// Those of which `control` has a part.
    controlled: Vec<String>,
    compiles: bool,
}

impl Room {
    fn new(text: &str) -> Self {
        let between = |head: &str, tail: &str| {
            let lines = text.lines();
            lines
                .filter_map(|line| Some(line.strip_prefix(head)?.strip_suffix(tail)?.to_owned()))
                .collect()
        };
        Self {
            programs: between("pub mod ", " {"),
            controlled: between("#[cfg(any(control, ", "))]"),
            compiles: text.lines().any(|line| line == "//@ check-pass"),
        }
    }

    fn revisions(&self) -> Vec<String> {
        if self.compiles {
            return Vec::new();
        }
        let control = ["control".to_owned()].into_iter();
        control.chain(self.programs.iter().cloned()).collect()
    }
}

/// The rooms of this folder, by name.
fn rooms(here: &Path) -> BTreeMap<String, Room> {
    let files = fs::read_dir(here).expect("the folder of the rooms");
    files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension() == Some(OsStr::new("rs")))
        .filter(|path| path.file_stem() != Some(OsStr::new("runner")))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a room");
            let name = path.file_stem().and_then(OsStr::to_str);
            (name.expect("a name").to_owned(), Room::new(&text))
        })
        .collect()
}

/// A program that has another cfg than its name would never be compiled, or not be controlled.
fn not_compiled(rooms: &BTreeMap<String, Room>) -> Vec<String> {
    let wrong = |room: &Room| room.programs != room.controlled && !room.compiles;
    let wrong = rooms.iter().filter(|(_, room)| wrong(room));
    wrong
        .map(|(name, room)| {
            let (programs, controlled) = (room.programs.iter(), room.controlled.iter());
            let first = programs
                .clone()
                .zip(controlled)
                .find(|(one, two)| one != two);
            let first = first.map(|(one, _)| one).or(programs.last());
            let first = first.map_or("", String::as_str);
            format!("{name}.rs: {first} isn't a module behind #[cfg(any(control, {first}))]")
        })
        .collect()
}

/// Each program must be in the last column of a table of docs/safety.md, and vice versa.
fn not_told(top: &Path, rooms: &BTreeMap<String, Room>) -> Vec<String> {
    let page = fs::read_to_string(top.join("docs/safety.md")).expect("docs/safety.md");
    let cells = page.lines().filter_map(|line| {
        line.strip_suffix(" |")?
            .rsplit_once("| ")
            .map(|(_, cell)| cell)
    });
    let told: BTreeSet<(&str, &str)> = cells
        .flat_map(|cell| cell.split(", "))
        .filter_map(|link| {
            let (name, link) = link
                .strip_prefix("[`")?
                .split_once("`](../tests/host/attack/")?;
            Some((link.strip_suffix(".rs)")?, name))
        })
        .collect();
    let there = rooms.iter().flat_map(|(room, Room { programs, .. })| {
        programs
            .iter()
            .map(|program| (room.as_str(), program.as_str()))
    });
    let there: BTreeSet<(&str, &str)> = there.collect();
    let missing = there.difference(&told);
    let gone = told.difference(&there);
    missing
        .map(|(room, name)| format!("{name} of {room}.rs isn't in the tables of docs/safety.md"))
        .chain(gone.map(|(room, name)| {
            format!("docs/safety.md tells of {name} in {room}.rs, which isn't there")
        }))
        .collect()
}

fn check(what: &str, wrong: &[String]) {
    say(what, wrong.is_empty());
    for wrong in wrong {
        println!("error: {wrong}");
    }
    if !wrong.is_empty() {
        exit(1);
    }
}

/// The environment and flags by which the kernel's build compiles the policy.
fn config(here: &Path, make: &str, args: &Args) -> Config {
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

    // A compiler's words change with its version; which errors there are, and where, doesn't.
    config.output_conflict_handling = ignore_output_conflict;
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
    /// Its revisions are reported, and not it.
    revised: AtomicBool,
}

impl TestStatus for Line {
    fn for_revision(&self, revision: &str, _: RevisionStyle) -> Box<dyn TestStatus> {
        self.revised.store(true, Ordering::Relaxed);
        Box::new(Self {
            path: self.path.clone(),
            revision: revision.to_owned(),
            ..Self::default()
        })
    }

    fn for_path(&self, path: &Path) -> Box<dyn TestStatus> {
        Box::new(Self {
            path: path.to_owned(),
            revision: self.revision.clone(),
            ..Self::default()
        })
    }

    fn failed_test<'a>(&'a self, _: &'a str, said: &'a [u8], _: &'a [u8]) -> Box<dyn Debug + 'a> {
        println!("{}", String::from_utf8_lossy(said));
        Box::new(())
    }

    fn done(&self, result: &TestResult, _aborted: bool) {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        if !self.revised.load(Ordering::Relaxed) || !result.is_ok() {
            say(
                format!("{name} {}", self.revision).trim_end(),
                result.is_ok(),
            );
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
