//! Plain types that the other crates share. Does no I/O, knows no store, no wire and no parser.
//!
//! * [`ids`]: what things are called; * [`facts`]: what one blob says; * [`edge`]: what the graph says;
//! * [`mod@file`], [`version`]: what the ledger says.

#![forbid(unsafe_code)]

pub mod edge;
pub mod facts;
pub mod file;
pub mod ids;
pub mod lang;
pub mod path;
pub mod symbol;
pub mod version;

pub use edge::{Edge, EdgeKind, InEdge, Resolution, Strategy};
pub use facts::{Body, Facts, Outline};
pub use file::{FileRow, FileState, SkipReason, StatHint};
pub use ids::{ContentHash, FactsKey, FileId, Incarnation, SymbolId, Version};
pub use lang::Lang;
pub use path::RelPath;
pub use symbol::{SymbolKind, Visibility};
pub use version::{Cause, FileChange, GitHead, VersionRow};
