//! The rules by which a ledger was built. The derived data of a tree depends on the extractor, the resolver and the
//! search index; when one of them changes, a ledger built by the old one is built again at the next start.
//!
//! Kept in a small file beside the ledger, written after the version that it describes: so a crash in between costs
//! one needless rebuild and nothing else.

use std::fs;
use std::io;
use std::path::Path;

use sdl_model::ids::EXTRACTOR_VERSION;

const FILE: &str = "built-by";

fn current_build() -> String {
    format!(
        "extractor {EXTRACTOR_VERSION}\nresolver {}\nindex {}\n",
        sdl_graph::RESOLVER_VERSION,
        sdl_retrieve::INDEX_VERSION
    )
}

/// Whether the ledger in `dir` was built by the rules of this build.
pub(super) fn is_current(dir: &Path) -> bool {
    fs::read_to_string(dir.join(FILE)).is_ok_and(|text| text == current_build())
}

/// Notes that the ledger in `dir` was built by the rules of this build.
pub(super) fn note_build(dir: &Path) -> io::Result<()> {
    fs::write(dir.join(FILE), current_build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_rules_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_current(dir.path()));
        note_build(dir.path()).unwrap();
        assert!(is_current(dir.path()));
        fs::write(dir.path().join(FILE), "extractor 0\n").unwrap();
        assert!(!is_current(dir.path()));
    }
}
