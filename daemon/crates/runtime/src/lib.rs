//! Running a command in a repository: off unless the person who runs the daemon says which programs may be run.
//!
//! The setting is a file that no tool can write: `runtime.json` in the daemon's state folder. It is read with every call.

mod artifact;
mod capture;
mod digest;
mod jail;
mod run;
mod settings;

pub(crate) use artifact::{Artifact, Stream, Wanted, find, keep};
pub(crate) use capture::Output;
pub(crate) use digest::{Mode, digest};
pub(crate) use jail::{environment, folder};
pub(crate) use run::{Command, Outcome, run};
pub(crate) use settings::{Settings, program};
