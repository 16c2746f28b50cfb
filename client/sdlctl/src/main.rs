//! `sdlctl`: the command line for people. One file per subcommand, such as `search`; they share only the [`session`]
//! and the [`output`].

#![forbid(unsafe_code)]

mod cli;
mod commands;
mod output;
mod programs;
mod screen;
mod session;
mod terminal;
mod time;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if let Some(client) = cli::plain_hook(std::env::args_os()) {
        commands::run_hook(client);
        return ExitCode::SUCCESS;
    }
    let cli = cli::Cli::parse();
    let json = cli.json;
    match commands::run_command(cli) {
        Ok(outcome) => outcome.into(),
        Err(failure) => output::print_failure(&failure, json),
    }
}
