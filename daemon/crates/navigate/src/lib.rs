//! Questions about the graph of one version: who calls this, how does A reach B, what breaks, which tests to run.
//!
//! Every answer is a function of the version and the question:
//!
//! * [`graph`]: the links of a symbol, with those that dynamic dispatch adds;
//! * [`related`]: callers, callees, implementations and supertypes, to a depth;
//! * [`mentions`]: each place that mentions a symbol;
//! * [`outline`]: what a file, a type or a folder contains, and who uses it;
//! * [`paths`]: the best ways from one symbol to another;
//! * [`reach`]: everything that depends on a set of symbols;
//! * [`execution`]: the tests among these, and how to run them;
//! * [`rename`]: the edits that give a symbol another name, and the places that a person has to look at;
//! * [`unused`]: symbols that nothing reaches;
//! * [`patch`]: the symbols that a unified diff touches;
//! * [`workspace`]: several repositories as one graph, of which all of these can be asked.

#![forbid(unsafe_code)]

mod blocks;
pub mod execution;
mod filter;
mod fronts;
pub mod graph;
mod marks;
pub mod mentions;
pub mod outline;
mod overrides;
pub mod patch;
pub mod paths;
pub mod reach;
pub mod related;
pub mod rename;
mod structural;
pub mod unused;
pub mod workspace;

pub use filter::Filter;
pub use graph::{Graph, Link};
