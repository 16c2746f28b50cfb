//! The gate as the daemon sees it: frames in, frames out, with servers at its other side that misbehave.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

mod asking;
mod calls;
mod clock;
mod harness;
mod held;
mod hostile;
#[cfg(feature = "oauth")]
mod issuer;
mod lifecycle;
#[cfg(feature = "http")]
mod listen;
#[cfg(feature = "http")]
mod listening;
mod lists;
#[cfg(feature = "oauth")]
mod oauth;
mod secrets;
#[cfg(feature = "http")]
mod web;
#[cfg(feature = "http")]
mod web_hostile;
