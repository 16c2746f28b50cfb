//! `completions` and `man`: generated from the command line itself.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output::{self, Failure, Outcome};

pub(crate) fn run_completions(shell: Shell) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sdlctl", &mut script);
    output::print_generated(&script);
    Ok(Outcome::Good)
}

pub(crate) fn run_man(folder: &Path) -> Result<Outcome, Failure> {
    let failed =
        |error: io::Error| Failure::io(&format!("can't write man pages into {}", folder.display()), &error);
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    Ok(Outcome::Good)
}
