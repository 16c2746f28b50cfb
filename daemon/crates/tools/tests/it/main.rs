//! Tests of the tools as clients call them, in one binary: linking one is much faster than linking one for each file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a helper of tests fails as a test does"
)]

mod answers;
mod any_input;
mod asking;
mod asking_for_offers;
mod assemblies;
mod at_once;
mod briefings;
mod calls;
mod ceilings;
mod chains;
#[cfg(unix)]
mod commands;
mod common;
mod complete_cards;
mod deltas;
mod dependencies;
mod every_way;
mod feedback;
mod fields;
mod finding;
mod hooks;
mod kept;
mod kg;
mod leaks;
mod lists;
mod long_lists;
mod memories;
mod offers;
mod own_names;
mod pages;
mod part;
mod plain_text;
mod profiles;
mod protocol;
mod questions;
mod readings;
mod repeated;
mod seed_requests;
mod slices;
mod source;
mod twins;
mod upstreams;
mod usage;
mod window;
mod work;
