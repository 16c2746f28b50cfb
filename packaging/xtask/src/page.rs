//! `cargo xtask page`: the page of `sdl-ui`. A program of its own makes it, `packaging/xtask/page/`, because it needs TLS and
//! archives, which the other commands do without.

use crate::command::{Outcome, cargo_command};

/// Builds and runs the program. It takes the same arguments.
pub(crate) fn make_page(arguments: &[&str]) -> Outcome {
    let run = [
        "run",
        "--quiet",
        "--locked",
        "--package",
        "xtask",
        "--features",
        "page",
        "--bin",
        "xtask-page",
        "--",
    ];
    cargo_command().args(run).args(arguments).run()
}
