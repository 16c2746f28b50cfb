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
    /// Show all that is known of a server, or the definition of one of its tools
    Show {
        /// Its key
        key: String,
        /// The name of a tool, its own or the one that agents see
        tool: Option<String>,
    },
    /// Call a tool of a server, as an agent does
    #[command(
        after_help = "Example: sdlctl upstream call time get_current_time '{\"timezone\": \"Asia/Tokyo\"}'"
    )]
    Call {
        /// The server's key
        key: String,
        /// The tool's own name
        tool: String,
        /// The arguments as a JSON object, or @FILE
        #[arg(default_value = "{}")]
        args: String,
    },
    /// Show the end of the log of a server: what it wrote to its standard error, and what was odd
    Log {
        /// Its key
        key: String,
        /// How many lines from the end
        #[arg(long, short = 'n', default_value_t = 50)]
        lines: usize,
    },
    /// Show what the definitions of each server cost an agent, and would cost without this
    Tokens,
    /// Log in to a server that wants it (OAuth)
    Login(LoginArgs),
    /// Forget the login to a server
    Logout {
        /// Its key
        key: String,
    },
}

#[derive(Args)]
pub(crate) struct LoginArgs {
    /// The server's key
    pub(crate) key: String,
    /// Print the address of the login instead of opening a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// A permission to ask for, instead of those that the server names; may be repeated
    #[arg(long)]
    pub(crate) scope: Vec<String>,
    /// The id of a client that you registered at the server by hand
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// The name of the credential with that client's secret; see `sdlctl cred set`
    #[arg(long, value_name = "NAME", requires = "client_id")]
    pub(crate) client_secret: Option<String>,
    /// The port at which the browser comes back; default: any that is free
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Permit an issuer with a private address, such as one of your company
    #[arg(long)]
    pub(crate) private_network: bool,
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
    /// Store values that look like secrets as credentials, and write ${NAME} for them
    #[arg(long)]
    pub(crate) move_secrets: bool,
    /// Show what would be taken over, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
