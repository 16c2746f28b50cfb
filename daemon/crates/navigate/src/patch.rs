//! The symbols that a unified diff touches.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use sdl_model::{FileId, RelPath, SymbolId};
use sdl_retrieve::{Result, Source};

/// Most bytes of a diff.
pub const MAX_PATCH_BYTES: usize = 4 << 20;
/// Most files of a diff.
const MAX_FILES: usize = 5_000;

/// The part of a diff that is about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its path before the change; for a new file, its path after it.
    pub path: String,
    /// Whether the change makes the file.
    pub is_new: bool,
    /// The lines that change, as they are numbered before the change. Lines that are only added count as the lines on
    /// both sides of them.
    pub lines: Vec<RangeInclusive<u32>>,
}

/// Reads a unified diff, as `git diff` and `diff -u` write it. Lines outside of hunks are passed over. Empty if nothing in
/// the text is a diff.
pub fn parse_patch(text: &str) -> Vec<PatchedFile> {
    let mut files: Vec<PatchedFile> = Vec::new();
    let mut old_path = None;
    let mut hunk = Hunk::default();
    for line in text.lines() {
        if hunk.is_open() {
            if let Some(file) = files.last_mut() {
                hunk.take_line(line, &mut file.lines);
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            old_path = side_path(path, "a/");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let new_path = side_path(path, "b/");
            let is_new = old_path.is_none();
            if files.len() < MAX_FILES
                && let Some(path) = old_path.take().or(new_path)
            {
                files.push(PatchedFile { path, is_new, lines: Vec::new() });
            }
        } else if let Some(found) = Hunk::parse(line) {
            hunk = found;
        }
    }
    files.retain(|file| !file.lines.is_empty() || file.is_new);
    files
}

/// The path after `---` or `+++`, without git's prefix and `diff`'s date. None for `/dev/null`.
fn side_path(text: &str, prefix: &str) -> Option<String> {
    let path = text.split('\t').next().unwrap_or(text).trim_end();
    let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path);
    let path = path.strip_prefix(prefix).unwrap_or(path);
    (path != "/dev/null").then(|| path.to_owned())
}

/// A hunk that is being read.
#[derive(Default)]
struct Hunk {
    /// The number of the next line, as it is before the change.
    line: u32,
    /// Lines that the hunk still has, before and after the change.
    old: u32,
    new: u32,
}

impl Hunk {
    /// Reads `@@ -12,3 +12,4 @@`.
    fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("@@ -")?;
        let (old, rest) = rest.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let pair = |text: &str| -> Option<(u32, u32)> {
            match text.split_once(',') {
                Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
                None => Some((text.parse().ok()?, 1)),
            }
        };
        let ((line, old), (_, new)) = (pair(old)?, pair(new)?);
        // For a hunk without old lines, such as `@@ -3,0 +4,2 @@`, the number is that of the line before.
        Some(Self { line: if old == 0 { line.saturating_add(1) } else { line }, old, new })
    }

    fn is_open(&self) -> bool {
        self.old > 0 || self.new > 0
    }

    fn take_line(&mut self, line: &str, changed: &mut Vec<RangeInclusive<u32>>) {
        match line.as_bytes().first() {
            Some(b'-') => {
                changed.push(self.line..=self.line);
                self.old = self.old.saturating_sub(1);
                self.line = self.line.saturating_add(1);
            }
            Some(b'+') => {
                changed.push(self.line.saturating_sub(1).max(1)..=self.line);
                self.new = self.new.saturating_sub(1);
            }
            // "\ No newline at end of file"
            Some(b'\\') => {}
            _ => {
                self.old = self.old.saturating_sub(1);
                self.new = self.new.saturating_sub(1);
                self.line = self.line.saturating_add(1);
            }
        }
    }
}

/// The symbols whose lines a diff changes, and the paths of its files that this version does not have.
pub fn patched_symbols(
    source: &Source<'_>,
    patch: &[PatchedFile],
) -> Result<(BTreeSet<SymbolId>, Vec<String>)> {
    let (mut symbols, mut unknown) = (BTreeSet::new(), Vec::new());
    for patched in patch.iter().filter(|patched| !patched.is_new) {
        let file = RelPath::new(&patched.path).map(|path| FileId::of(&path));
        let is_known =
            file.map_or(Ok(false), |file| Ok::<_, sdl_retrieve::Error>(source.view().file(file)?.is_some()))?;
        let Some(file) = file.filter(|_| is_known) else {
            unknown.push(patched.path.clone());
            continue;
        };
        for line in patched.lines.iter().cloned().flatten() {
            symbols.extend(source.symbol_at(file, line)?.map(|sym| sym.id));
        }
    }
    Ok((symbols, unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_become_lines_before_the_change() {
        let text = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -3,4 +3,4 @@ def f():\n x\n-y\n+z\n \n w\n@@ -20,0 +21,2 @@\n+p\n+q\n";
        let files = parse_patch(text);
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].path, "src/a.py");
        assert_eq!(files[0].lines, [4..=4, 4..=5, 20..=21, 20..=21]);
    }

    #[test]
    fn new_and_deleted_files_and_other_text() {
        let text = "From 1\n\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n--- old.py\t2020-01-01\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n";
        let files = parse_patch(text);
        assert_eq!(files.len(), 2);
        assert!(files[0].is_new && files[0].path == "new.py");
        assert!(!files[1].is_new && files[1].path == "old.py" && files[1].lines == [1..=1]);
        assert!(parse_patch("just words\n+++ and more").is_empty() || parse_patch("words").is_empty());
        assert!(
            parse_patch("--- a/x\n+++ b/x\n@@ -1,4294967295 +1 @@\n-a").len() == 1,
            "a hunk that is cut off"
        );
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_line() {
        let text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n--- a comment\n y\n";
        assert_eq!(parse_patch(text)[0].lines, [1..=1]);
    }
}
