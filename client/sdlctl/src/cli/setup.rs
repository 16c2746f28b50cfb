//! The arguments of `setup`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::Surface;

#[derive(Args)]
pub(crate) struct SetupArgs {
    /// Only this client, such as cursor; may be repeated (default: all that are found; --list shows the names)
    #[arg(long, value_name = "NAME", value_parser = client_names(), hide_possible_values = true)]
    pub(crate) client: Vec<String>,
    /// Write the files of this project, which a team commits, instead of yours
    #[arg(long)]
    pub(crate) project: bool,
    /// Take back what setup wrote, and nothing else
    #[arg(long)]
    pub(crate) remove: bool,
    /// Replace an entry named sdl that starts another program
    #[arg(long, conflicts_with = "remove")]
    pub(crate) force: bool,
    /// Leave out the text that tells agents when to ask
    #[arg(long)]
    pub(crate) no_rules: bool,
    /// Leave out the hooks, by which a client asks by itself
    #[arg(long)]
    pub(crate) no_hooks: bool,
    /// Which tools the clients are to see (default: as it is, else gateway)
    #[arg(long, conflicts_with = "remove")]
    pub(crate) surface: Option<Surface>,
    /// List all known clients, whether they are found, and where their file is
    #[arg(long, conflicts_with_all = ["remove", "force", "surface", "yes", "dry_run", "service", "index", "no_rules", "no_hooks"])]
    pub(crate) list: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Don't ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Also install and start the daemon as a service of this user
    #[arg(long, conflicts_with_all = ["remove", "dry_run"])]
    pub(crate) service: bool,
    /// Also register a tree and bring its index up to date (default: the working directory)
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = ["remove", "dry_run"])]
    pub(crate) index: Option<PathBuf>,
}

/// The clients of the catalog.
pub(crate) fn client_names() -> PossibleValuesParser {
    PossibleValuesParser::new(sdl_setup::clients().map(|client| client.id))
}
