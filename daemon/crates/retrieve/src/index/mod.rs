//! Facts to search postings, and the splitting of names and texts into terms.

use sdl_ledger::Posting;
use sdl_model::{Body, FileId, Outline, RelPath};

/// The postings of one file: a pure function of its path and its facts.
pub fn postings(path: &RelPath, file: FileId, outline: &Outline, body: &Body) -> Vec<Posting> {
    let _ = (path, file, outline, body);
    Vec::new()
}

/// Whether a path looks like a test's, by the conventions of the common languages.
pub fn is_test_path(path: &str) -> bool {
    let _ = path;
    false
}
