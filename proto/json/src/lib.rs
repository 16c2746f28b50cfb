//! Strict JSON. Where two readers of one text could differ, this one refuses or reports it: keys that occur twice, halves of
//! surrogate pairs, bytes that are not UTF-8. It bounds nesting, so that a hostile text can't exhaust the stack.
//!
//! One reader serves two callers. The daemon reads arguments into values ([`parse`]). The shim finds the outer parts of a
//! request without making values of it ([`outline`]).

#![forbid(unsafe_code)]

mod outline;
mod reader;
mod value;

pub use outline::{Member, Outline, outline};
pub use reader::{BadJson, Fault};
pub use value::parse;
