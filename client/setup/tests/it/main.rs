//! The catalog against fixtures, the laws of editing, and hostile files. All on temporary folders.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

mod catalog;
mod clients;
mod hooks;
mod hostile;
mod laws;
mod page;
mod plugin;
mod rules;
mod world;
mod writing;
