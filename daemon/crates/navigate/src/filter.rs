//! Which symbols and links an answer may contain.

use sdl_model::lang::is_test_path;
use sdl_retrieve::Listed;
use sdl_retrieve::search::PathPatterns;

/// Which symbols and links an answer may contain.
#[derive(Debug)]
pub struct Filter {
    /// Whether symbols of test files count.
    pub include_tests: bool,
    /// The least confidence of a link, in percent.
    pub min_confidence: u8,
    /// The paths of the symbols.
    pub paths: PathPatterns,
}

impl Default for Filter {
    fn default() -> Self {
        Self { include_tests: true, min_confidence: 0, paths: PathPatterns::default() }
    }
}

impl Filter {
    /// Whether every symbol may be in the answer.
    pub fn is_open(&self) -> bool {
        self.include_tests && self.paths.is_empty()
    }

    /// Whether the symbols of a file may be in the answer.
    pub fn keeps_file(&self, path: &str) -> bool {
        (self.include_tests || !is_test_path(path)) && self.paths.keeps(path)
    }

    /// Whether a symbol may be in the answer.
    pub fn keeps(&self, listed: &Listed) -> bool {
        (self.include_tests || !listed.is_test()) && self.paths.keeps(listed.path())
    }
}
