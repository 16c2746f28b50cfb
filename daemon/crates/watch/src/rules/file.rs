//! Reading ignore files.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Level;
use crate::disk::RootDir;
use crate::plain::{self, Links};

/// Git's own ignore file.
pub(crate) const GITIGNORE: &str = ".gitignore";
/// Ours, in the same syntax, which goes before git's.
pub(crate) const SDLIGNORE: &str = ".sdlignore";

/// Ignore files above this size are cut; nobody wrote them by hand.
const LIMIT: u64 = 1 << 20;
/// Patterns that are taken of one file. Each costs some 3 KB of memory.
pub(super) const MOST_PATTERNS: usize = 10_000;

/// Is this the name of an ignore file?
pub(crate) fn is_rules_file(name: &str) -> bool {
    name == GITIGNORE || name == SDLIGNORE
}

/// `folder/name`, with the root as the empty text.
pub(crate) fn join_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Reads a small text file of the tree; a link, a device or an unreadable file is as good as none.
pub(super) fn read_rules(root: &RootDir, path: &str) -> Option<String> {
    let (file, _) = root.file(Path::new(path)).ok()?;
    text_of(file)
}

fn text_of(file: File) -> Option<String> {
    let mut bytes = Vec::new();
    file.take(LIMIT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The ignore files of a folder of the tree. Of their patterns, at most `room` are taken.
pub(super) fn folder_level(root: &RootDir, folder: &str, room: usize) -> Level {
    let load = |name, room| {
        let path = join_path(folder, name);
        read_rules(root, &path).map_or_else(Gitignore::empty, |text| compile_rules(&text, &path, room))
    };
    let cut = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let sdl = load(SDLIGNORE, room);
    let git = load(GITIGNORE, room.saturating_sub(pattern_count(&sdl)));
    Level { cut, prefix: String::new(), sdl, git, shown: folder.to_owned() }
}

/// An ignore file outside of the tree.
pub(super) fn outside_rules(path: &Path, links: Links) -> Gitignore {
    match plain::read_plain(path, LIMIT, links) {
        Ok(Some(bytes)) => {
            compile_rules(&String::from_utf8_lossy(&bytes), &path.to_string_lossy(), MOST_PATTERNS)
        }
        Ok(None) => Gitignore::empty(),
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "an ignore file is skipped");
            Gitignore::empty()
        }
    }
}

/// The number of patterns.
pub(super) fn pattern_count(rules: &Gitignore) -> usize {
    usize::try_from(rules.num_ignores() + rules.num_whitelists()).unwrap_or(usize::MAX)
}

/// The ignore files from git's top level down to the root's parent; `way` leads from the one to the other.
pub(super) fn levels_above(top: &Path, way: &str) -> Vec<Arc<Level>> {
    let mut levels = Vec::new();
    let mut at = top.to_owned();
    let mut rest = way;
    while !rest.is_empty() {
        let read = |name| outside_rules(&at.join(name), Links::Refused);
        let (sdl, git) = (read(SDLIGNORE), read(GITIGNORE));
        if !sdl.is_empty() || !git.is_empty() {
            levels.push(Arc::new(Level {
                cut: 0,
                prefix: rest.to_owned(),
                sdl,
                git,
                shown: at.display().to_string(),
            }));
        }
        let (name, below) = rest.split_once('/').unwrap_or((rest, ""));
        at.push(name);
        rest = below;
    }
    levels
}

/// Compiles the text of an ignore file whose patterns are relative to its folder: at most the first `most` patterns.
fn compile_rules(text: &str, origin: &str, most: usize) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    let patterns = lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    for (number, line) in patterns.enumerate() {
        if number == most {
            tracing::warn!(
                file = origin,
                most,
                "an ignore file has too many patterns; the others are left out"
            );
            break;
        }
        if let Err(error) = builder.add_line(None, line) {
            tracing::debug!(file = origin, pattern = line, %error, "a pattern is not valid and is skipped");
        }
    }
    builder.build().unwrap_or_else(|error| {
        tracing::warn!(file = origin, %error, "an ignore file can't be used");
        Gitignore::empty()
    })
}
