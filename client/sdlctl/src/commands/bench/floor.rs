//! The edges that a linker would find if it knew only names. Every figure is shown beside this floor, because a
//! resolver must beat it.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::place::{Candidate, Place};

/// A call as it is written.
#[derive(Deserialize)]
pub(super) struct Call {
    caller_file: String,
    caller_line: Option<u32>,
    caller_name: Option<String>,
    name: String,
}

/// A definition as the daemon exports it.
#[derive(Deserialize)]
pub(super) struct Symbol {
    file: String,
    name: String,
    kind: String,
    /// Of its name.
    line: u32,
    start_line: u32,
    end_line: u32,
}

impl Symbol {
    /// The file that it is in.
    pub(super) fn file(&self) -> &str {
        &self.file
    }
}

const CALLED: &[&str] = &["function", "method", "constructor", "class", "struct"];

/// A definition of a name.
struct Named {
    file: String,
    line: u32,
    /// A prototype, perhaps, such as `int open(void);`. If the definition itself exists, it counts instead.
    one_line: bool,
}

/// Definitions by name, for a linker that looks at nothing else.
#[derive(Default)]
pub(super) struct Names {
    files: HashSet<String>,
    in_file: HashMap<(String, String), u32>,
    anywhere: HashMap<String, Vec<Named>>,
}

impl Names {
    /// Adds a definition.
    pub(super) fn add(&mut self, symbol: Symbol) {
        if !self.files.contains(&symbol.file) {
            self.files.insert(symbol.file.clone());
        }
        if !CALLED.contains(&symbol.kind.as_str()) {
            return;
        }
        self.in_file.entry((symbol.file.clone(), symbol.name.clone())).or_insert(symbol.line);
        let one_line = symbol.start_line == symbol.end_line;
        let named = self.anywhere.entry(symbol.name).or_default();
        if one_line && named.iter().any(|other| !other.one_line) {
            return;
        }
        if !one_line {
            named.retain(|other| !other.one_line);
        }
        named.push(Named { file: symbol.file, line: symbol.line, one_line });
    }

    /// Whether a definition of that file was added.
    pub(super) fn has_file(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    /// The definition of that name in the same file, else the only one of that name.
    pub(super) fn link(&self, call: Call) -> Option<Candidate> {
        let same_file = self.in_file.get(&(call.caller_file.clone(), call.name.clone()));
        let (file, line) = match (same_file, self.anywhere.get(&call.name).map(Vec::as_slice)) {
            (Some(line), _) => (call.caller_file.clone(), *line),
            (None, Some([only])) => (only.file.clone(), only.line),
            _ => return None,
        };
        Some(Candidate {
            caller: Place { file: call.caller_file, line: call.caller_line, name: call.caller_name },
            callee: Place { file, line: Some(line), name: Some(call.name) },
            strategy: "name".to_owned(),
            confidence: 1.0,
        })
    }
}
