//! The fixtures: every `fixtures/<language>/*.fix` and `packs/<language>/fixtures/facts.fix`, so that a new language's are used by all tests without a change.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};

use sdl_lang::detect_lang;
use sdl_model::{Lang, RelPath};

/// The folders of the languages, in order: those of the deep ones, then those of the packs.
pub(crate) fn languages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packs = sorted(&root.join("packs")).into_iter().map(|pack| pack.join("fixtures"));
    sorted(&root.join("tests/fixtures")).into_iter().chain(packs).collect()
}

/// The fixtures in `folder`, in order. Those of edges are for `sdl-graph`.
pub(crate) fn fixtures(folder: &Path) -> Vec<PathBuf> {
    let is_fixture = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "fix") && path.file_stem().is_none_or(|stem| stem != "edges")
    };
    sorted(folder).into_iter().filter(is_fixture).collect()
}

/// A file in a fixture.
pub(crate) struct File {
    pub(crate) path: RelPath,
    pub(crate) lang: Lang,
    pub(crate) source: String,
}

/// The files in a fixture's text.
pub(crate) fn files(text: &str) -> Vec<File> {
    text.split("//- /")
        .skip(1)
        .map(|file| {
            let (path, source) = file.split_once('\n').unwrap();
            let path = RelPath::new(path.trim()).unwrap();
            let lang = detect_lang(&path, source.as_bytes()).expect("a known extension");
            File { path, lang, source: source.to_owned() }
        })
        .collect()
}

/// Every file in every fixture.
pub(crate) fn all() -> Vec<File> {
    let fixtures = languages().into_iter().flat_map(|folder| fixtures(&folder));
    fixtures.flat_map(|fixture| files(&std::fs::read_to_string(fixture).unwrap())).collect()
}

/// The parts of a text: each begins after a line `//- name` and ends before the next such line.
pub(crate) fn parts(text: &str) -> Vec<(&str, &str)> {
    let text = text.strip_prefix("//- ").unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split("\n//- ").map(|part| part.split_once('\n').unwrap_or((part, ""))).collect()
}

/// The texts in the folder `name` of the tests, each with the language that its file is named after.
pub(crate) fn texts(name: &str) -> Vec<(Lang, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let text = |path: PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap();
        let lang = Lang::from_name(stem).expect("a file named after a language");
        (lang, std::fs::read_to_string(&path).unwrap())
    };
    sorted(&folder).into_iter().map(text).collect()
}

fn sorted(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
