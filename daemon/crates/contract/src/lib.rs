//! The contract of calls: the rules for arguments, and the terms on which a call is made. Independent of actions and
//! repositories.
//!
//! * [`schema`]: schemas as they are published, derived from types; [`Shape`]: the same, compiled for checking;
//! * [`Union`]: arguments whose fields depend on one of them;
//! * [`Refusal`], [`Explained`] and [`Code`]: how a call is refused; [`nearest_names()`]: likely meanings of a misspelled name;
//! * [`Session`], [`Progress`], [`Cancel`]: the caller, reports while it waits, and whether it still waits.
//!
//! Arguments are read strictly ([`sdl_json`]), with exactly three exceptions: aliases, JSON in a string, and nulls for
//! optional fields. Everything else is refused with reasons.

#![forbid(unsafe_code)]

mod cancel;
mod code;
mod nearest;
mod progress;
mod refusal;
pub mod schema;
mod session;
mod shape;
mod union;
mod validate;

pub use cancel::{Cancel, Cancelled, WakeGuard};
pub use code::Code;
pub use nearest::nearest_names;
pub use progress::{NoProgress, Progress};
pub use refusal::{Candidate, Explained, Refusal, RefusalAbout};
pub use session::{ClientRun, Names, Session, Surface};
pub use shape::{FieldShape, ObjectShape, Rest, Shape};
pub use union::{Branch, Union, flat_schema};
pub use validate::{join_path, wrong_type};
