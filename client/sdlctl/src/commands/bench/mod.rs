//! `bench`: measures the accuracy of edges and slices against truth that others made, for example calls that a
//! compiler found.
//!
//! It measures the answers that a client gets. A separate daemon indexes the sources and answers over its socket,
//! because the user's own daemon must not affect the figures.

mod calibration;
mod corpus;
mod edges;
mod floor;
mod localization;
mod place;
mod private;
mod score;
mod sources;
mod tasks;

use crate::cli::BenchCommand;
use crate::output::{Failure, Outcome};

pub(crate) fn run_bench(command: &BenchCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        BenchCommand::Edges(args) => edges::run_bench_edges(args, as_json),
        BenchCommand::Localization(args) => localization::run_bench_localization(args, as_json),
    }
}

/// A share in percent, with one digit: `98.7`; a dash where there is nothing to share.
fn format_percent(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / whole as f64) }
}
