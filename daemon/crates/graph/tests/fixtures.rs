//! Fixtures: each `fixtures/<language>/<name>.fix` is a small repository as text, with the edges that must be found in
//! it, all of the kinds that the last section names. Each file is a test. A pack of `sdl-lang` has its own in its
//! folder.
//!
//! `UPDATE_FIXTURES=1 cargo test -p sdl-graph --test fixtures` rewrites the last sections; read the diff.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its fixtures must fail")]

mod support;

use std::path::Path;

use sdl_graph::testing::Repo;

fn resolves_as_written(path: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let (sources, last) = text.split_once("//= edges: ").ok_or("no last section `//= edges: kinds`")?;
    let (kinds, expected) = last.split_once('\n').unwrap_or((last, ""));
    let mut repo = Repo::default();
    for (path, text) in support::files(sources) {
        support::add(&mut repo, path, &text);
    }
    let resolved = repo.resolve(|_| true).unwrap();
    let kinds: Vec<&str> = kinds.split_whitespace().collect();
    let found = support::edges(&repo, &resolved, &kinds);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let edges = found.join("\n");
        std::fs::write(path, format!("{sources}//= edges: {}\n{edges}\n", kinds.join(" ")))?;
        return Ok(());
    }
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let missing: Vec<_> = expected.iter().filter(|line| !found.iter().any(|one| one == *line)).collect();
    let extra: Vec<_> = found.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    if missing.is_empty() && extra.is_empty() {
        return Ok(());
    }
    Err(format!("missing: {missing:#?}\nnot expected: {extra:#?}").into())
}

datatest_stable::harness! {
    { test = resolves_as_written, root = "tests/fixtures", pattern = r"\.fix$" },
    { test = resolves_as_written, root = "../lang/packs", pattern = r"edges[^/]*\.fix$" },
}
