//! How descriptions are written: how detailed, and how they are put together.

use std::fmt::Write as _;

/// How detailed the description of an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// When to call it and which arguments it needs.
    Compact,
    /// Its arguments, too.
    Standard,
    /// Everything: what the arguments mean, the answer, examples.
    Full,
}

/// Appends this program's own text, with its line ends.
pub(super) fn append_raw(text: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = text.write_fmt(args);
}
