//! Lists of names, written as text.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A list of names.
pub(crate) type Words = LazyLock<HashSet<&'static str>>;

/// Declares lists of names: `words! { LIST = "one two"; }`.
macro_rules! words {
    ($($vis:vis $name:ident = $text:literal;)*) => {
        $($vis static $name: $crate::words::Words = std::sync::LazyLock::new(|| $text.split_ascii_whitespace().collect());)*
    };
}
pub(crate) use words;
