//! Fixtures: a small repository as text, and the edges that must be found in it, all of the kinds that the last
//! section names. `UPDATE_FIXTURES=1 cargo test -p sdl-graph --test fixtures` rewrites the last sections; read the diff.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its fixtures must fail")]

mod support;

use std::path::{Path, PathBuf};

use sdl_graph::testing::Repo;

fn fixtures(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            fixtures(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "fix") {
            out.push(path);
        }
    }
}

#[test]
fn every_fixture_resolves_as_written() {
    let mut paths = Vec::new();
    fixtures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), &mut paths);
    assert!(!paths.is_empty());
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let (sources, last) = text.split_once("//= edges: ").expect("a last section `//= edges: kinds`");
        let (kinds, expected) = last.split_once('\n').unwrap_or((last, ""));
        let mut repo = Repo::default();
        for (path, text) in support::files(sources) {
            support::add(&mut repo, path, &text);
        }
        let resolved = repo.resolve(|_| true).unwrap();
        let kinds: Vec<&str> = kinds.split_whitespace().collect();
        let found = support::edges(&repo, &resolved, &kinds);
        if update {
            let edges = found.join("\n");
            std::fs::write(&path, format!("{sources}//= edges: {}\n{edges}\n", kinds.join(" "))).unwrap();
            continue;
        }
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let missing: Vec<_> = expected.iter().filter(|line| !found.iter().any(|one| one == *line)).collect();
        let extra: Vec<_> = found.iter().filter(|line| !expected.contains(&line.as_str())).collect();
        if !missing.is_empty() || !extra.is_empty() {
            wrong.push(format!("{}:\n  missing: {missing:#?}\n  not expected: {extra:#?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
