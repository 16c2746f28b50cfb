//! One end of an edge, as exports and truths write it.

use serde::Deserialize;

/// Where a definition is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) file: String,
    /// The line where it starts; none for the file as a whole.
    pub(super) line: Option<u32>,
    /// Its name, perhaps with those of its owners.
    pub(super) name: Option<String>,
}

impl Place {
    /// The last part of the name.
    pub(super) fn simple(&self) -> Option<&str> {
        self.name.as_deref().map(simple_name)
    }
}

/// The last part of a qualified name.
pub(super) fn simple_name(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or(name);
    last.rsplit('.').next().unwrap_or(last).trim_start_matches('#')
}

/// An edge that is to be judged.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) caller: Place,
    pub(super) callee: Place,
    /// The rule that found it.
    pub(super) strategy: String,
    /// From 0 to 1.
    pub(super) confidence: f64,
}

/// An edge as the daemon exports it.
#[derive(Deserialize)]
pub(super) struct Exported {
    caller_file: String,
    caller_line: Option<u32>,
    caller_name: Option<String>,
    callee_file: String,
    callee_line: Option<u32>,
    callee_name: Option<String>,
    /// The kind of the edge.
    pub(super) kind: String,
    strategy: String,
    confidence: f64,
}

impl From<Exported> for Candidate {
    fn from(edge: Exported) -> Self {
        Self {
            caller: Place { file: edge.caller_file, line: edge.caller_line, name: edge.caller_name },
            callee: Place { file: edge.callee_file, line: edge.callee_line, name: edge.callee_name },
            strategy: edge.strategy,
            confidence: edge.confidence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name() {
        assert_eq!(simple_name("a::b::c"), "c");
        assert_eq!(simple_name("Shop.Cart.add"), "add");
        assert_eq!(simple_name("#secret"), "secret");
        assert_eq!(simple_name("plain"), "plain");
    }
}
