//! Tests of the settings as others use them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

mod changes;
#[cfg(unix)]
mod credentials;
mod editing;
mod faults;
mod importing;
mod logins;
mod page;
mod parsing;
mod policy;
mod properties;
mod templates;
