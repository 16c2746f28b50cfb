//! Holds the hand-written man pages to the programs: each program has a page, and a page has the flags that `--help` prints.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use sdl_tests::{Program, workspace};

/// Words such as `--listen` and `-V`.
fn flags_in(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let words = text.split(|letter| !is_part(letter));
    let is_flag = |word: &&str| {
        let name = word.trim_start_matches('-');
        let dashes = word.len() - name.len();
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && (dashes == 2 || (dashes == 1 && name.len() == 1))
    };
    words.filter(is_flag).map(str::to_owned).collect()
}

/// The text of a page, without its macros, its comments and the escapes of dashes.
fn page_text(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.starts_with(".\\\""));
    let macros = [".BR ", ".BI ", ".RB ", ".B ", ".RI "];
    let plain = lines.map(|line| macros.iter().find_map(|name| line.strip_prefix(name)).unwrap_or(line));
    plain.collect::<Vec<_>>().join("\n").replace("\\-", "-")
}

#[test]
fn each_page_has_the_flags_of_its_program() {
    for program in Program::ALL.into_iter().filter(|program| *program != Program::Ctl) {
        let name = program.name();
        let path = workspace::workspace_root().join(format!("packaging/linux/man/{name}.1"));
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let page = page_text(&source);
        assert!(page.contains(&format!(".SH NAME\n{name} - ")), "{name}.1 has no NAME that `apropos` reads");
        let help = Command::new(program.path()).arg("--help").stdin(Stdio::null()).output().unwrap();
        assert!(help.status.success(), "{name} --help: {help:?}");
        let help = flags_in(&String::from_utf8(help.stdout).unwrap());
        assert!(help.contains("--help"), "{name} --help prints {help:?}");
        assert_eq!(flags_in(&page), help, "{name}.1 and `{name} --help`");
    }
}

#[test]
fn flags_are_found_in_prose() {
    let found = flags_in("\\--a-b <X>  -V, --version [--listen=1] x-y - -- ---z 1-2 -long");
    assert_eq!(
        found.iter().map(String::as_str).collect::<Vec<_>>(),
        ["--a-b", "--listen", "--version", "-V"]
    );
}
