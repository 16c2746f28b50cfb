//! The arguments of the commands that show what the daemon does: those that go on until they are ended, and `logs`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum LiveCommand {
    /// Show versions as they are made, until Ctrl-C
    Watch(WatchArgs),
    /// Show what the daemon does now: memory, repositories, calls and their times
    Top,
    /// Open the page of the daemon in a browser, and serve it until Ctrl-C
    Ui(UiArgs),
}

#[derive(Args)]
pub(crate) struct LogsArgs {
    /// How many lines from the end
    #[arg(long, short = 'n', default_value_t = 50)]
    pub(crate) lines: usize,
}

#[derive(Args)]
pub(crate) struct WatchArgs {
    /// Only this repository: its id or a path inside it (default: all)
    pub(crate) repo: Option<String>,
    /// Show the paths of changed files
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Show the calls of agents too
    #[arg(long)]
    pub(crate) calls: bool,
}

#[derive(Args)]
pub(crate) struct UiArgs {
    /// The tree to show first; registered if necessary (default: the repository of the working directory)
    pub(crate) path: Option<PathBuf>,
    /// The port on this machine (default: a free one)
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Print the address and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
}
