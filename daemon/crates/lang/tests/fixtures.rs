//! Golden tests: each `fixtures/<language>/<name>.fix` holds files after `//- /path` headers; the facts extracted from
//! them are compared with `fixtures/<language>/<name>.snap`. Each file is a test. A pack has its own in
//! `packs/<language>/fixtures/`. `INSTA_UPDATE=always` writes new ones: read them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod support;

use std::fmt::Write;
use std::path::Path;

use sdl_lang::{extract_facts, render};

fn extracts_as_written(fixture: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(fixture)?;
    let name = fixture.file_stem().and_then(|name| name.to_str()).ok_or("a name that is no text")?;
    let mut settings = insta::Settings::new();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
        .set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture).parent().ok_or("no folder")?);
    settings.bind(|| insta::assert_snapshot!(name, dump(&text)));
    Ok(())
}

fn dump(text: &str) -> String {
    let mut out = String::new();
    for file in support::files(text) {
        let facts = extract_facts(file.lang, file.source.as_bytes()).unwrap();
        let _ = writeln!(out, "//- /{}\n{}", file.path, render::render_facts(&facts));
    }
    out
}

datatest_stable::harness! {
    { test = extracts_as_written, root = "tests/fixtures", pattern = r"\.fix$" },
    { test = extracts_as_written, root = "packs", pattern = r"facts[^/]*\.fix$" },
}
