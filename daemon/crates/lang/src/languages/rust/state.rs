//! The extractor's state between nodes.

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// Up to here on the tape, attributes and the items after them have been read.
    pub(super) attributes_until: u32,
    /// Up to here on the tape, names in lower case are bound.
    pub(super) pattern_until: u32,
    /// From here to there on the tape, names of macro calls are in a pattern.
    pub(super) token_pattern: (u32, u32),
    /// A `use` or `mod x;` on the tape, and the condition that is before it.
    pub(super) condition: Option<(u32, String)>,
    /// Whether `Command` is that of `std::process` here.
    pub(super) runs_processes: bool,
}
