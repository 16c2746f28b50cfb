//! Facts to search postings, and the splitting of names and texts into terms.

mod fields;
mod flags;
mod stem;
mod stop;
pub(crate) mod words;

pub use fields::postings;
pub(crate) use fields::{EXACT, IMPACT_ONE, exact_term};
pub(crate) use flags::Flags;
pub use flags::is_test_path;
