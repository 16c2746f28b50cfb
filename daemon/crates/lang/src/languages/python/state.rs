//! The extractor's state between nodes.

use std::collections::{HashMap, HashSet};

use sdl_model::facts::DefIx;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// Up to here on the tape, names are types.
    pub(super) type_until: u32,
    /// Whether the file states its exports (`__all__`).
    pub(super) has_all: bool,
    /// For each open statement with branches, the index of its first binding.
    pub(super) branching: Vec<usize>,
    /// The names that functions have declared `global`.
    pub(super) globals: HashSet<(DefIx, String)>,
    /// How often entries of a table have been set in a function.
    pub(super) updates: HashMap<(DefIx, String), u32>,
    /// For each local that holds a name made up from a prefix, the prefix.
    pub(super) prefixes: HashMap<(DefIx, String), String>,
    /// How often `setup` has been called.
    pub(super) setups: u32,
    /// The ranges of branches that no program takes here.
    pub(super) left_out: Vec<(u32, u32)>,
}
