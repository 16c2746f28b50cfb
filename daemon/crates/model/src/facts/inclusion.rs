//! The files that a C or C++ file includes as text.

use serde::{Deserialize, Serialize};

use super::{ImportKind, Outline};

/// One `#include`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Inclusion {
    /// The file as written, with the angle bracket in front if there is one: `util.h`, `<linux/list.h`.
    pub text: String,
    /// Whether a build for Linux takes it.
    pub taken: bool,
}

impl Outline {
    /// The files that it includes, sorted, each once. None of another language than C and C++.
    pub fn inclusions(&self) -> Vec<Inclusion> {
        if !self.lang.includes_text() {
            return Vec::new();
        }
        let mut all: Vec<Inclusion> = self
            .imports
            .iter()
            .filter_map(|import| {
                let text = self.str(import.module);
                let text = match import.kind {
                    ImportKind::Include => text.to_owned(),
                    ImportKind::SystemInclude => format!("<{text}"),
                    _ => return None,
                };
                Some(Inclusion { text, taken: import.reexport })
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
