//! Questions about small trees of several languages, with the real extractor and resolver.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

#[allow(dead_code, reason = "shared with other tests, which use more of it")]
#[path = "../../../retrieve/tests/it/ledger.rs"]
mod ledger;

mod mentions;
mod outline;
mod overrides;
mod paths;
mod reach;
mod related;
mod rename;
mod rename_by_language;
mod trees;
mod unused;
mod workspace;
