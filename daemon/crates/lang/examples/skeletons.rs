//! How much control flow skeletons keep: `cargo run --release -p sdl-lang --example skeletons -- FOLDER [SERVED]`.
//!
//! For each language of the files below `FOLDER`: pieces of control flow in the source, how many of them are found when
//! the skeletons are parsed, files whose brackets are in pairs in the source and not in the skeleton, and bytes. With
//! `SERVED`, a folder that holds skeletons at the same paths, those are read instead. With `-v`, names the files that
//! lose something. Given a file, prints its skeleton.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for people")]

#[path = "../tests/support/reading.rs"]
mod reading;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sdl_lang::{detect_lang, parse_only};
use sdl_model::{Lang, RelPath};

#[derive(Default)]
struct Count {
    files: usize,
    source: usize,
    kept: usize,
    unbalanced: usize,
    bytes: usize,
    left: usize,
    larger: usize,
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.iter().any(|arg| arg == "-v");
    args.retain(|arg| arg != "-v");
    let root = PathBuf::from(args.first().map_or(".", String::as_str));
    let served = args.get(1).map(PathBuf::from);
    if root.is_file() {
        let (lang, text) = read(&root).unwrap();
        println!("{}", reading::skeleton_of(lang, &text).unwrap());
        return;
    }
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for path in files {
        let Some((lang, text)) = read(&path) else { continue };
        let skeleton = match &served {
            Some(served) => std::fs::read_to_string(served.join(path.strip_prefix(&root).unwrap())).ok(),
            None => reading::skeleton_of(lang, &text).ok(),
        };
        let Some(skeleton) = skeleton else { continue };
        let again = reading::filled(lang, &skeleton);
        let source = reading::control_flow(lang, &text);
        let kept = reading::shared(&source, &reading::control_flow(lang, &again));
        let unbalanced = reading::is_balanced(lang, &text) && !reading::is_balanced(lang, &again);
        if verbose && (unbalanced || kept < source.len()) {
            println!(
                "{} of {}{} {}",
                kept,
                source.len(),
                if unbalanced { " unbalanced" } else { "" },
                path.display()
            );
        }
        for name in [lang.name(), "all"] {
            let count = counts.entry(name).or_default();
            count.files += 1;
            count.source += source.len();
            count.kept += kept;
            count.unbalanced += usize::from(unbalanced);
            count.bytes += text.len();
            count.left += skeleton.len();
            count.larger += usize::from(skeleton.len() > text.len());
        }
    }
    println!("language     files  control     kept      %  unbalanced  larger      bytes   skeleton      %");
    for (name, count) in &counts {
        println!(
            "{name:11} {:6} {:8} {:8} {:6.2} {:11} {:7} {:10} {:10} {:6.1}",
            count.files,
            count.source,
            count.kept,
            100.0 * count.kept as f64 / count.source.max(1) as f64,
            count.unbalanced,
            count.larger,
            count.bytes,
            count.left,
            100.0 * count.left as f64 / count.bytes.max(1) as f64,
        );
    }
}

fn read(path: &Path) -> Option<(Lang, String)> {
    let name = RelPath::new(path.file_name()?.to_str()?)?;
    let bytes = std::fs::read(path).ok()?;
    let lang = detect_lang(&name, &bytes)?;
    let text = String::from_utf8(bytes).ok()?;
    parse_only(lang, b"").is_some().then_some((lang, text))
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) || path.ends_with(".git") {
            continue;
        }
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
