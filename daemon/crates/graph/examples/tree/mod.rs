//! Shared code of the examples: a folder as a repository in memory, and a report of the differences of two resolutions.

#![allow(dead_code, reason = "each example uses a part")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_graph::Limits;
use sdl_graph::testing::Repo;
use sdl_ledger::{LookupKey, Resolved};
use sdl_model::facts::StrIx;
use sdl_model::{ContentHash, FactsKey, FileId, RelPath};

/// Limits that some questions run into.
pub(crate) const TIGHT: Limits = Limits { depth: 9, fuel: 120 };
/// Largest file that is read, in bytes.
const MAX_BYTES: usize = 2 << 20;

fn walk(root: &Path, dir: &Path, out: &mut Vec<(RelPath, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && entry.file_name() != ".git" {
            walk(root, &path, out);
        } else if kind.is_file()
            && let Some(rel) = path.strip_prefix(root).ok().and_then(Path::to_str).and_then(RelPath::new)
        {
            out.push((rel, path));
        }
    }
}

/// The texts of the files under `root` that are of a known language, by path.
pub(crate) fn read(root: &Path) -> BTreeMap<RelPath, String> {
    let mut files = Vec::new();
    walk(root, root, &mut files);
    let text = |path: &Path| std::fs::read_to_string(path).ok().filter(|text| text.len() <= MAX_BYTES);
    let all = files.into_iter().filter_map(|(rel, path)| Some((rel, text(&path)?)));
    all.filter(|(rel, text)| sdl_lang::detect_lang(rel, text.as_bytes()).is_some()).collect()
}

/// Adds a file to `repo`, or removes it if its text has no facts.
pub(crate) fn insert(repo: &mut Repo, path: &RelPath, text: &str) {
    let lang = sdl_lang::detect_lang(path, text.as_bytes());
    match lang.map(|lang| (lang, sdl_lang::extract_facts(lang, text.as_bytes()))) {
        Some((lang, Ok(facts))) => {
            let key = FactsKey { lang, content: ContentHash::of(text.as_bytes()) };
            repo.insert(path.clone(), key, Arc::new(facts));
        }
        _ => repo.remove(path),
    }
}

/// A repository of these files.
pub(crate) fn load(texts: &BTreeMap<RelPath, String>) -> Repo {
    let mut repo = Repo::default();
    for (path, text) in texts {
        insert(&mut repo, path, text);
    }
    repo
}

/// The questions that the repository gives an occasion for, as text, by hash.
fn questions(repo: &Repo) -> HashMap<u32, String> {
    let mut all = HashMap::new();
    let mut dirs = BTreeSet::new();
    let mut names: BTreeSet<&str> = [
        "Cargo.toml",
        "package.json",
        "tsconfig.json",
        "jsconfig.json",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
    ]
    .into();
    for (path, facts) in repo.files() {
        let mut dir = path.dir();
        while dirs.insert(dir.to_owned()) {
            dir = dir.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        // A file's stem may be tried as a folder.
        dirs.insert(path.as_str().rsplit_once('.').map_or("", |(stem, _)| stem).to_owned());
        names.insert(path.file_name());
        all.insert(LookupKey::Interface(FileId::of(path)).hash(), format!("interface of {path}"));
        for strings in [&facts.outline.arena.strings, &facts.body.arena.strings] {
            for ix in 0..strings.len() as u32 {
                let text = strings.get(StrIx(ix));
                all.insert(LookupKey::Package(text).hash(), format!("package {text}"));
                for part in text.split(['.', ':', '/', '\\']).chain([text]) {
                    all.insert(LookupKey::Name(part).hash(), format!("name {part}"));
                }
            }
        }
    }
    for dir in &dirs {
        all.insert(LookupKey::Dir(dir).hash(), format!("folder {dir}"));
        for name in &names {
            let path = if dir.is_empty() { (*name).to_owned() } else { format!("{dir}/{name}") };
            all.insert(LookupKey::Path(&path).hash(), format!("path {path}"));
        }
    }
    all.extend(names.iter().map(|name| (LookupKey::FileName(name).hash(), format!("file name {name}"))));
    all
}

/// Prints the files of `found` that differ from those of `expected`, and returns their number.
pub(crate) fn report(
    title: &str,
    repo: &Repo,
    expected: &BTreeMap<RelPath, Resolved>,
    found: &BTreeMap<RelPath, Resolved>,
) -> usize {
    let differing: Vec<_> = found
        .iter()
        .filter_map(|(path, found)| Some((path, expected.get(path)?, found)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    if differing.is_empty() {
        return 0;
    }
    let names = questions(repo);
    let name = |key: &u32| names.get(key).cloned().unwrap_or_else(|| format!("{key:08x}"));
    for (path, expected, found) in &differing {
        let edges = if expected.edges == found.edges { "same edges" } else { "OTHER EDGES" };
        println!("{title}: {path}: {edges}, asked {} and {}", expected.asked.len(), found.asked.len());
        for key in expected.asked.iter().filter(|key| !found.asked.contains(key)) {
            println!("    - {}", name(key));
        }
        for key in found.asked.iter().filter(|key| !expected.asked.contains(key)) {
            println!("    + {}", name(key));
        }
    }
    differing.len()
}
