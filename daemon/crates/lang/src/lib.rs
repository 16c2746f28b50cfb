//! Bytes to facts, by tree-sitter; does no I/O.
//!
//! * [`detect_lang`] returns the language of a path, [`skip_reason`] whether a blob is worth parsing,
//!   [`extract_facts`] its facts. All three are pure functions: same arguments, same answer, on every machine.
//! * [`languages`] has one folder per language and explains how to add one; [`builder`] is the code they share.
//! * [`source_structure`] finds control flow and comments, and the parts that a [`skeleton`] leaves out.
//! * A parse tree is walked once, with a cursor, into a flat [`tape`]; everything after that reads the tape.

pub mod builder;
mod classify;
mod detect;
mod driver;
mod error;
mod flow;
mod identifiers;
mod kinds;
pub mod languages;
mod mentions;
pub mod packs;
mod parse;
pub mod render;
mod rules;
mod scanner;
mod secret_files;
pub mod skeleton;
mod syntax;
pub mod tape;
mod tokens;

pub use classify::{Limits, skip_reason};
pub use detect::detect_lang;
pub use driver::{Cx, Language, Visit};
pub use error::ExtractError;
pub use identifiers::{identifier_ranges, identifiers_alone};
pub use kinds::{FieldNames, KindNames, Tables};
pub use languages::{extract_facts, parse_only};
pub use mentions::{NameMention, NameRole, name_mentions, spelled_places};
pub use parse::{PARSE_STEPS_BASE, PARSE_STEPS_PER_BYTE};
pub use rules::{Judged, Rules, extract_guarded};
pub use secret_files::is_secret_file;
pub use skeleton::{Structure, source_structure};
pub use syntax::Syntax;
pub use tokens::Style;
