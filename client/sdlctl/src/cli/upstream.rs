//! Arguments of `upstream`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum UpstreamCommand {
    /// List the upstream servers: state, tools, tokens, calls, times
    Ls,
    /// List the tools of an upstream
    Tools {
        /// Its key
        key: String,
    },
    /// Check mcp.json without changing anything
    Check,
    /// Add a server
    #[command(
        after_help = "Example: sdlctl upstream add fs -- npx -y @modelcontextprotocol/server-filesystem ~/src"
    )]
    Add(AddArgs),
    /// Remove a server
    Rm {
        /// Its key
        key: String,
    },
    /// Enable a server
    Enable {
        /// Its key
        key: String,
    },
    /// Disable a server; its entry stays
    Disable {
        /// Its key
        key: String,
    },
    /// Choose whether the tools of a server are listed
    Mode {
        /// Its key
        key: String,
        /// synthesize (found, not listed), passthrough (listed) or auto (listed while they are small)
        mode: String,
    },
    /// Take over servers from another client; they come in disabled
    Import(ImportArgs),
    /// Read mcp.json again
    Reload,
    /// Read the lists of a server, or of all, again
    Refresh {
        /// Its key; default: all
        key: Option<String>,
    },
    /// Show how definitions differ from those that were first seen or approved
    Diff {
        /// The server's key
        key: String,
        /// One of its tools; default: all that changed
        tool: Option<String>,
    },
    /// Approve the definitions that a server has now
    #[command(after_help = "Example: sdlctl upstream approve fs fs_read_file --mark 3f2a9c01b7de")]
    Approve {
        /// The server's key
        key: String,
        /// One of its tools; default: all that changed
        tool: Option<String>,
        /// Only the definition with this mark, which `diff` shows
        #[arg(long)]
        mark: Option<String>,
    },
    /// End a server and start it again
    Restart {
        /// Its key
        key: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum CredCommand {
    /// Store a value, read from standard input
    Set {
        /// Its name, as in ${NAME}
        name: String,
    },
    /// List the names of stored values
    Ls,
    /// Remove a value
    Rm {
        /// Its name
        name: String,
    },
}

#[derive(Args)]
pub(crate) struct AddArgs {
    /// The key: letters, digits, `_` and `-`
    pub(crate) key: String,
    /// Reach it by HTTP
    #[arg(long, conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// A variable of its environment: NAME=VALUE; write ${NAME} for a credential
    #[arg(long, short = 'e', value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// A header of each request: NAME: VALUE
    #[arg(long, short = 'H', value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// A few words on what it is for
    #[arg(long)]
    pub(crate) about: Option<String>,
    /// The command and its arguments, after `--`
    #[arg(last = true, required_unless_present = "url")]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// claude-code, claude-desktop, cursor, vscode, codex, or a file
    #[arg(long)]
    pub(crate) from: PathBuf,
    /// Enable them at once: the commands below will be run
    #[arg(long)]
    pub(crate) enable: bool,
    /// Replace entries of the same key
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would be taken over, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
