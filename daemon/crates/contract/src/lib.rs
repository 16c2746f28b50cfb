//! The contract of calls: what arguments have to be, and the terms on which a call is made. Knows no action and no repository.
//!
//! * [`schema`]: schemas as they are published, derived from types; [`Shape`]: the same, compiled for checking;
//! * [`Refusal`] and [`Code`]: how a call is refused; [`nearest_names()`]: what may have been meant;
//! * [`Session`], [`Progress`], [`Cancel`]: who calls, who hears of it meanwhile, and whether anyone still waits.
//!
//! Arguments are read strictly ([`sdl_json`]) and forgiven in exactly three ways: aliases, JSON in a string, and nulls for what
//! may be left out. The rest is refused with reasons.

mod cancel;
mod code;
mod nearest;
mod progress;
mod refusal;
pub mod schema;
mod session;
mod shape;
mod validate;

pub use cancel::{Cancel, Cancelled, WakeGuard};
pub use code::Code;
pub use nearest::nearest_names;
pub use progress::{NoProgress, Progress};
pub use refusal::{Candidate, Refusal, RefusalAbout};
pub use session::{Names, Session, Surface};
pub use shape::{FieldShape, ObjectShape, Rest, Shape};
pub use validate::{join_path, wrong_type};
