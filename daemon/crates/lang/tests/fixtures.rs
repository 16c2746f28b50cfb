//! Golden tests: each `fixtures/<language>/<name>.fix` holds files behind `//- /path` headers; what is extracted from
//! them is compared with `fixtures/<language>/<name>.snap`. `INSTA_UPDATE=always` writes new ones: read them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod support;

use std::fmt::Write;

use sdl_lang::{extract, render};

#[test]
fn fixtures() {
    // `FIXTURES=python` looks at one language only.
    let only = std::env::var("FIXTURES").ok();
    for folder in support::languages() {
        if only.as_ref().is_some_and(|only| !folder.ends_with(only)) {
            continue;
        }
        let mut settings = insta::Settings::new();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_path(&folder);
        for fixture in support::fixtures(&folder) {
            let text = std::fs::read_to_string(&fixture).unwrap();
            let name = fixture.file_stem().unwrap().to_str().unwrap().to_owned();
            settings.bind(|| insta::assert_snapshot!(name, dump(&text)));
        }
    }
}

fn dump(text: &str) -> String {
    let mut out = String::new();
    for file in support::files(text) {
        let facts = extract(file.lang, file.source.as_bytes()).unwrap();
        let _ = writeln!(out, "//- /{}\n{}", file.path, render::render(&facts));
    }
    out
}
