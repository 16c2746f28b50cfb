//! What a linker that knows names alone would find: the floor that every figure stands beside.

use std::collections::HashMap;

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
}

const CALLED: &[&str] = &["function", "method", "constructor", "class", "struct"];

/// Definitions by name, for a linker that looks at nothing else.
#[derive(Default)]
pub(super) struct Names {
    in_file: HashMap<(String, String), u32>,
    anywhere: HashMap<String, Vec<(String, u32)>>,
}

impl Names {
    /// Adds a definition.
    pub(super) fn add(&mut self, symbol: Symbol) {
        if !CALLED.contains(&symbol.kind.as_str()) {
            return;
        }
        self.in_file.entry((symbol.file.clone(), symbol.name.clone())).or_insert(symbol.line);
        self.anywhere.entry(symbol.name).or_default().push((symbol.file, symbol.line));
    }

    /// The definition of that name in the same file, else the only one of that name.
    pub(super) fn link(&self, call: Call) -> Option<Candidate> {
        let same_file = self.in_file.get(&(call.caller_file.clone(), call.name.clone()));
        let (file, line) = match (same_file, self.anywhere.get(&call.name).map(Vec::as_slice)) {
            (Some(line), _) => (call.caller_file.clone(), *line),
            (None, Some([(file, line)])) => (file.clone(), *line),
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
