//! Runs commands in a repository. Off unless the person who runs the daemon allows specific programs.
//!
//! The setting is a file that no tool can write: `runtime.json` in the daemon's state folder. It is read with every call.

#![forbid(unsafe_code)]

mod artifact;
mod capture;
mod digest;
mod jail;
mod run;
mod settings;

pub use artifact::{Artifact, Excerpt, Stream, Wanted};
pub use capture::Output;
pub use digest::{Mode, digest_output};
pub use jail::{command_environment, run_folder};
pub use run::{Command, Outcome, run_command};
pub use settings::{Allowed, Narrowly, Settings, allowed_program};
