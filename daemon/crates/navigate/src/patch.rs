//! The symbols that a unified diff touches.

use std::collections::BTreeSet;

use sdl_model::{FileId, RelPath, SymbolId, SymbolKind};
use sdl_retrieve::{Result, Source, Sym};

/// Most bytes of a diff.
pub const MAX_PATCH_BYTES: usize = 4 << 20;
/// Most files of a diff.
const MAX_FILES: usize = 5_000;
/// The starts of lines that only import names. Code that uses such a name differently has other lines that change.
const IMPORTS: [&str; 8] =
    ["import ", "from ", "use ", "using ", "#include", "require", "export *", "export {"];
/// The starts of lines that belong to the definition after them, such as decorators.
const ATTRIBUTES: [&str; 4] = ["@", "#[", "[[", "///"];
/// How comments begin.
const COMMENTS: [&str; 5] = ["//", "/*", "* ", "# ", "-- "];

/// The part of a diff that is about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its path before the change; for a new file, its path after it.
    pub path: String,
    /// Whether the change makes the file.
    pub is_new: bool,
    /// Whether the change removes the file.
    pub is_gone: bool,
    /// The lines that change, without comments and empty lines.
    pub edits: Vec<Edit>,
    hunks: Vec<Lines>,
}

/// The lines of a hunk, before and after the change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lines {
    /// The number of the first line before the change.
    start: u32,
    old: Vec<String>,
    new: Vec<String>,
}

impl PatchedFile {
    /// The text of the file after the change, given the text before it. None if the diff is not of this text.
    pub fn apply(&self, text: &str) -> Option<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut out = String::with_capacity(text.len());
        let mut next = 0;
        for hunk in &self.hunks {
            let start = (hunk.start as usize).checked_sub(1)?;
            lines.get(next..start)?.iter().for_each(|line| out.push_str(line));
            let old = lines.get(start..start.checked_add(hunk.old.len())?)?;
            let is_same = |(line, wanted): (&&str, &String)| line.trim_end_matches(['\r', '\n']) == wanted;
            if !old.iter().zip(&hunk.old).all(is_same) {
                return None;
            }
            for line in &hunk.new {
                out.push_str(line);
                out.push('\n');
            }
            next = start + hunk.old.len();
        }
        lines.get(next..)?.iter().for_each(|line| out.push_str(line));
        Some(out)
    }
}

/// One line that changes. Lines are numbered as they are before the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A line that goes.
    Removed {
        /// Its number.
        line: u32,
        /// Whether it only says what the file uses.
        is_import: bool,
    },
    /// A line that comes.
    Inserted {
        /// The line that it comes before.
        before: u32,
        /// The white space in front of it.
        indent: u32,
        /// Whether it belongs to the definition after it, such as a decorator does.
        is_attribute: bool,
    },
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
                file.edits.extend(hunk.take_line(line));
                if let Some(lines) = file.hunks.last_mut() {
                    lines.take_line(line);
                }
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            old_path = side_path(path, "a/");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let new_path = side_path(path, "b/");
            let (is_new, is_gone) = (old_path.is_none(), new_path.is_none());
            if files.len() < MAX_FILES
                && let Some(path) = old_path.take().or(new_path)
            {
                files.push(PatchedFile { path, is_new, is_gone, ..PatchedFile::default() });
            }
        } else if let Some(found) = Hunk::parse(line) {
            if let Some(file) = files.last_mut() {
                file.hunks.push(Lines { start: found.line, ..Lines::default() });
            }
            hunk = found;
        }
    }
    files
}

/// The path after `---` or `+++`, without git's prefix and `diff`'s date. None for `/dev/null`.
fn side_path(text: &str, prefix: &str) -> Option<String> {
    let path = text.split('\t').next().unwrap_or(text).trim_end();
    let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path);
    let path = path.strip_prefix(prefix).unwrap_or(path);
    (path != "/dev/null").then(|| path.to_owned())
}

impl Lines {
    fn take_line(&mut self, line: &str) {
        let text = line.get(1..).unwrap_or_default().trim_end_matches('\r').to_owned();
        match line.as_bytes().first() {
            Some(b'-') => self.old.push(text),
            Some(b'+') => self.new.push(text),
            Some(b'\\') => {}
            _ => {
                self.old.push(text.clone());
                self.new.push(text);
            }
        }
    }
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

    fn take_line(&mut self, line: &str) -> Option<Edit> {
        let text = line.get(1..).unwrap_or_default();
        let counts = !is_remark(text);
        match line.as_bytes().first() {
            Some(b'-') => {
                let removed = Edit::Removed { line: self.line, is_import: begins_with(text, &IMPORTS) };
                self.old = self.old.saturating_sub(1);
                self.line = self.line.saturating_add(1);
                counts.then_some(removed)
            }
            Some(b'+') => {
                self.new = self.new.saturating_sub(1);
                let indent = (text.len() - text.trim_start().len()) as u32;
                let is_attribute = begins_with(text, &ATTRIBUTES);
                counts.then_some(Edit::Inserted { before: self.line, indent, is_attribute })
            }
            // "\ No newline at end of file"
            Some(b'\\') => None,
            _ => {
                self.old = self.old.saturating_sub(1);
                self.new = self.new.saturating_sub(1);
                self.line = self.line.saturating_add(1);
                None
            }
        }
    }
}

fn begins_with(text: &str, starts: &[&str]) -> bool {
    let text = text.trim_start();
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether a line is empty or a comment.
fn is_remark(text: &str) -> bool {
    text.trim().is_empty() || (begins_with(text, &COMMENTS) && !begins_with(text, &ATTRIBUTES))
}

/// The symbols whose lines a diff changes, and the paths of its files that this version does not have.
pub fn patched_symbols(
    source: &Source<'_>,
    patch: &[&PatchedFile],
) -> Result<(BTreeSet<SymbolId>, Vec<String>)> {
    let (mut symbols, mut unknown) = (BTreeSet::new(), Vec::new());
    for patched in patch.iter().copied().filter(|patched| !patched.is_new) {
        let file = RelPath::new(&patched.path).map(|path| FileId::of(&path));
        let is_known =
            file.map_or(Ok(false), |file| Ok::<_, sdl_retrieve::Error>(source.view().file(file)?.is_some()))?;
        let Some(file) = file.filter(|_| is_known) else {
            unknown.push(patched.path.clone());
            continue;
        };
        for edit in &patched.edits {
            symbols.extend(edited_symbol(source, file, *edit)?);
        }
    }
    Ok((symbols, unknown))
}

/// The symbol that an edit changes. A line that comes between definitions makes another one and changes none.
fn edited_symbol(source: &Source<'_>, file: FileId, edit: Edit) -> Result<Option<SymbolId>> {
    match edit {
        Edit::Removed { line, is_import } => {
            let sym = source.symbol_at(file, line)?;
            Ok(sym.filter(|sym| !(is_import && sym.kind() == SymbolKind::Module)).map(|sym| sym.id))
        }
        Edit::Inserted { before, indent, is_attribute } => {
            let above = source.symbol_at(file, before.saturating_sub(1).max(1))?;
            let below = source.symbol_at(file, before)?;
            if is_attribute {
                return Ok(below.map(|sym| sym.id));
            }
            let holds = |sym: &Sym| {
                let is_container = sym.kind() == SymbolKind::Module || sym.kind().is_type();
                !is_container && indent > sym.def().span.start_col
            };
            // A line at the end of a function is part of it if it is further in than its header.
            let changed = above
                .filter(holds)
                .or_else(|| below.filter(|sym| holds(sym) && sym.def().span.start_line < before));
            Ok(changed.map(|sym| sym.id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(line: u32) -> Edit {
        Edit::Removed { line, is_import: false }
    }

    fn inserted(before: u32) -> Edit {
        Edit::Inserted { before, indent: 0, is_attribute: false }
    }

    #[test]
    fn hunks_become_lines_before_the_change() {
        let text = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -3,4 +3,4 @@ def f():\n x\n-y\n+z\n \n w\n@@ -20,0 +21,2 @@\n+p\n+  @q\n";
        let files = parse_patch(text);
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].path, "src/a.py");
        let attribute = Edit::Inserted { before: 21, indent: 2, is_attribute: true };
        assert_eq!(files[0].edits, [removed(4), inserted(5), inserted(21), attribute]);
    }

    #[test]
    fn a_diff_is_applied_to_the_text_that_it_was_made_of() {
        let text = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -5 +5,2 @@\n e\n+f\n";
        let patched = &parse_patch(text)[0];
        assert_eq!(patched.apply("a\nb\nc\nd\ne\n").as_deref(), Some("a\nB\nc\nd\ne\nf\n"));
        assert_eq!(patched.apply("a\nx\nc\nd\ne\n"), None, "another line");
        assert_eq!(patched.apply("a\n"), None, "too short");
    }

    #[test]
    fn comments_and_empty_lines_change_nothing() {
        let text = "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,2 @@\n-# old\n-\n-import os\n-x = 1\n+# new\n+\n";
        let import = Edit::Removed { line: 3, is_import: true };
        assert_eq!(parse_patch(text)[0].edits, [import, removed(4)]);
    }

    #[test]
    fn new_and_deleted_files_and_other_text() {
        let text = "From 1\n\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n--- old.py\t2020-01-01\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n";
        let files = parse_patch(text);
        assert_eq!(files.len(), 2);
        assert!(files[0].is_new && files[0].path == "new.py");
        assert!(!files[1].is_new && files[1].path == "old.py" && files[1].edits == [removed(1)]);
        assert!(parse_patch("just words").is_empty());
        assert_eq!(
            parse_patch("--- a/x\n+++ b/x\n@@ -1,4294967295 +1 @@\n-a").len(),
            1,
            "a hunk that is cut off"
        );
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_line() {
        let text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n---a line\n y\n";
        assert_eq!(parse_patch(text).len(), 1);
    }
}
