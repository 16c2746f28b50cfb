//! The command line.

mod hook;
mod kg;
mod live;
mod memory;
mod questions;
mod setup;
mod share;
mod upstream;
mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use hook::{HookArgs, HookClient, plain_hook};
pub(crate) use kg::{
    KgAddArgs, KgCommand, KgEndArgs, KgObjectType, KgQueryArgs, KgScopeArgs, KgTimelineArgs,
};
pub(crate) use live::{LiveCommand, LogsArgs, UiArgs, WatchArgs};
pub(crate) use memory::{
    MemoryCommand, MemoryImportArgs, MemoryOneArgs, MemoryScopeArgs, MemoryUndoArgs, VerifyArgs,
};
pub(crate) use questions::{
    ChangeArgs, FilterArgs, ImpactArgs, OutlineArgs, PathArgs, RelatedArgs, Relation, RenameArgs, TestsArgs,
    UnusedArgs,
};
pub(crate) use setup::SetupArgs;
pub(crate) use share::{ShareCommand, ShareStoreArgs};
pub(crate) use upstream::{AddArgs, CredCommand, ImportArgs, LoginArgs, UpstreamCommand};
pub(crate) use work::{ActivityArgs, DispatchCommand, NewDispatchArgs, SessionCommand};

/// Manages the symbol delta ledger: its daemon, its repositories and their content.
#[derive(Parser)]
#[command(name = "sdlctl", version = sdl_proto::BUILD, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 success; 1 a bad result (not healthy, not identical, too risky) or a local failure; \
2 wrong usage; 3 no daemon answers; 4 the daemon refused.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show the state of the daemon and its repositories
    Status,
    /// Start the daemon unless it is running
    Start,
    /// Stop the daemon after requests in progress have finished
    Stop,
    /// Stop the daemon and start it again
    Restart,
    /// Show the daemon's log
    Logs(LogsArgs),
    #[command(flatten)]
    Live(LiveCommand),
    /// Register, forget or list repositories
    #[command(subcommand)]
    Repo(RepoCommand),
    /// Name, forget or list sets of repositories that are asked together
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    /// Configure and watch the upstream MCP servers whose tools agents find here
    #[command(subcommand)]
    Upstream(UpstreamCommand),
    /// Store, list or remove credentials for upstream servers
    #[command(subcommand)]
    Cred(CredCommand),
    /// List, show, start or cancel the work that agents hand over
    #[command(subcommand)]
    Dispatch(DispatchCommand),
    /// List agents, send them messages, and answer the hooks of their clients
    #[command(subcommand)]
    Session(SessionCommand),
    /// Answer a hook of a client: what the ledger knows, as JSON on standard output
    Hook(HookArgs),
    /// Show what agents logged
    Activity(ActivityArgs),
    /// Register a tree if necessary and bring its index up to date
    Index(IndexArgs),
    /// Search symbols
    Search(SearchArgs),
    /// Show a symbol's card
    Card(CardArgs),
    /// Build a slice for a task
    Slice(SliceArgs),
    /// Show what changed in a slice since a version
    Refresh(RefreshArgs),
    /// Show who calls a symbol, or how else others are related to it
    #[command(visible_alias = "callers")]
    Related(RelatedArgs),
    /// Show what a file or a folder defines, and who uses it
    Outline(OutlineArgs),
    /// Show the best ways from one symbol to another
    Path(PathArgs),
    /// Show what a change may break
    Impact(ImpactArgs),
    /// List the tests to run for a change
    Tests(TestsArgs),
    /// Show how to rename a symbol: a diff, and the places that a person has to look at
    Rename(RenameArgs),
    /// List symbols that nothing reaches
    Unused(UnusedArgs),
    /// Rate the risk of a change
    Risk(RiskArgs),
    /// Add, ask for and end facts that hold for a time
    #[command(subcommand)]
    Kg(KgCommand),
    /// Call any action with JSON arguments
    Tool(ToolArgs),
    /// List, edit, undo, export and import what agents remember
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Write all edges, symbols or calls of a repository as JSON lines
    Export(ExportArgs),
    /// Compare a repository's ledger with a fresh index of the same tree, or the words of the agents' store with its rows
    Verify(VerifyArgs),
    /// Publish snapshots of ledgers in a team's store, and start trees from them
    #[command(subcommand)]
    Share(ShareCommand),
    /// Inspect a ledger
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Read or check the log of decisions about raw code, commands, policies and changes
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Show the policies for raw code, and set how far agents may loosen them
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Measure the accuracy of edges and slices against known truth, such as calls that compilers found
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Find the most likely problems and say what to do about each; starts and changes nothing
    Doctor {
        /// Also start or ask each upstream server, to see whether it can be reached
        #[arg(long)]
        reach: bool,
    },
    /// Add the server to the MCP clients on this machine, or take it back
    Setup(SetupArgs),
    /// Show how to add the server to an MCP client
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Change which tools running MCP clients see
    Surface {
        /// The surface, such as flat
        name: Surface,
    },
    /// Run the daemon as a service of this user
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Write shell completions to standard output
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages into a folder
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct RepoArg {
    /// The repository: its id or a path inside it (default: the repository of the working directory, or the only one)
    #[arg(long, short)]
    pub(crate) repo: Option<String>,
}

/// A repository or a workspace to ask.
#[derive(Args)]
pub(crate) struct ScopeArg {
    /// The repository: its id or a path inside it, or * for all (default: the repository of the working directory, or
    /// the only one)
    #[arg(long, short)]
    pub(crate) repo: Option<String>,
    /// A workspace in place of a repository: its name, or * for all repositories
    #[arg(long, short, conflicts_with = "repo")]
    pub(crate) workspace: Option<String>,
}

impl ScopeArg {
    /// What the daemon calls it.
    pub(crate) fn given(&self) -> Option<String> {
        let scope = |name: &String| if name == "*" { name.clone() } else { format!("workspace:{name}") };
        self.workspace.as_ref().map(scope).or_else(|| self.repo.clone())
    }
}

#[derive(Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// Name a set of registered repositories
    Add {
        /// Its name
        name: String,
        /// The repositories: ids or paths inside them
        #[arg(required = true)]
        repos: Vec<String>,
    },
    /// Forget a name; the repositories stay registered
    Rm {
        /// Its name
        name: String,
    },
    /// List the workspaces
    Ls,
}

#[derive(Subcommand)]
pub(crate) enum RepoCommand {
    /// Register a tree
    Add {
        /// Its root
        path: PathBuf,
        /// The id to give it (default: the folder's name)
        #[arg(long)]
        id: Option<String>,
        /// Patterns to leave out, as in .gitignore, such as build/; may be repeated
        #[arg(long)]
        ignore: Vec<String>,
        /// Languages to read, such as python; may be repeated (default: all)
        #[arg(long)]
        language: Vec<String>,
        /// Skip files larger than this, in bytes
        #[arg(long)]
        max_file_bytes: Option<u64>,
    },
    /// Forget a repository and delete its ledger; the tree stays as it is
    Rm {
        /// Its id or a path inside it
        repo: String,
    },
    /// List the repositories
    Ls,
}

#[derive(Args)]
pub(crate) struct IndexArgs {
    /// The tree (default: the working directory)
    pub(crate) path: Option<PathBuf>,
    /// Read and parse every file again, even if it is unchanged
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args)]
pub(crate) struct SearchArgs {
    /// Words, a name, or a regular expression with --regex
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// Only these kinds (function, method, class, …); may be repeated
    #[arg(long)]
    pub(crate) kind: Vec<String>,
    /// At most this many results
    #[arg(long, short = 'n', default_value_t = 20)]
    pub(crate) limit: u32,
    /// Match the whole name only
    #[arg(long)]
    pub(crate) exact: bool,
    /// The query is a regular expression over names
    #[arg(long)]
    pub(crate) regex: bool,
    /// Only files that match this pattern, such as src/**/*.ts
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Only exported symbols
    #[arg(long)]
    pub(crate) exported: bool,
}

#[derive(Args)]
pub(crate) struct CardArgs {
    /// A symbol's id (s_…) or name
    pub(crate) symbol: String,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// The file, if several symbols have the name
    #[arg(long)]
    pub(crate) file: Option<String>,
    /// minimal, signature, deps, compact or full
    #[arg(long)]
    pub(crate) detail: Option<String>,
}

#[derive(Args)]
pub(crate) struct SliceArgs {
    #[command(flatten)]
    pub(crate) repo: RepoArg,
    /// The task in words
    #[arg(long, short)]
    pub(crate) task: Option<String>,
    /// Symbols to start from (s_…); may be repeated
    #[arg(long)]
    pub(crate) entry: Vec<String>,
    /// Files that were edited; may be repeated
    #[arg(long)]
    pub(crate) edited: Vec<String>,
    /// A file that holds a stack trace; `-` for standard input
    #[arg(long)]
    pub(crate) stack_trace: Option<String>,
    /// At most this many tokens
    #[arg(long, default_value_t = 4000)]
    pub(crate) tokens: u32,
    /// At most this many cards
    #[arg(long, default_value_t = 30)]
    pub(crate) cards: u32,
}

#[derive(Args)]
pub(crate) struct RefreshArgs {
    /// The slice's handle (h_…)
    pub(crate) handle: String,
    /// The version that you hold (v…)
    #[arg(long)]
    pub(crate) known: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RiskFormat {
    Text,
    Json,
    Markdown,
    Sarif,
}

#[derive(Args)]
pub(crate) struct RiskArgs {
    /// The state before: v…, previous, or git: and a revision such as git:main
    #[arg(long)]
    pub(crate) from: String,
    /// The state after
    #[arg(long, default_value = "latest")]
    pub(crate) to: String,
    /// End with exit code 1 if the risk score is this or more, from 0 to 100
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) threshold: Option<u8>,
    /// The output format
    #[arg(long, default_value = "text")]
    pub(crate) format: RiskFormat,
    #[command(flatten)]
    pub(crate) repo: RepoArg,
}

#[derive(Args)]
pub(crate) struct ToolArgs {
    /// The action, such as symbol.search
    pub(crate) action: String,
    /// Its arguments: a JSON object such as {"query": "Session"}, or @FILE
    #[arg(long, default_value = "{}")]
    pub(crate) args: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Exported {
    Edges,
    Symbols,
    /// Every call in the source, whether or not its target was found
    Calls,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    Jsonl,
}

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// What to write
    pub(crate) what: Exported,
    /// The output format
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) repo: RepoArg,
}

#[derive(Subcommand)]
pub(crate) enum BenchCommand {
    /// Compare call edges with those that compilers found
    Edges(BenchEdgesArgs),
    /// Build slices from commit messages and look for what the commits changed
    Localization(BenchLocalizationArgs),
}

#[derive(Args)]
pub(crate) struct BenchEdgesArgs {
    /// Corpora, or folders of corpora
    #[arg(required = true)]
    pub(crate) truth: Vec<PathBuf>,
    /// The folder of the packages' sources
    #[arg(long, default_value = "truth-sources")]
    pub(crate) sources: PathBuf,
    /// Fetch missing sources with the command that the corpus names
    #[arg(long)]
    pub(crate) obtain: bool,
    /// Only corpora whose name contains this; may be repeated
    #[arg(long)]
    pub(crate) corpus: Vec<String>,
    /// Show this many wrong edges and missing pairs of each corpus
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) show: usize,
    /// Write the measurements of each rule to a file that the resolver can read
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct BenchLocalizationArgs {
    /// The tasks: a file of JSON lines
    pub(crate) tasks: PathBuf,
    /// The folder of the trees: one folder for each repository's key
    #[arg(long, default_value = "truth-sources")]
    pub(crate) sources: PathBuf,
    /// Only these repositories, by their key; may be repeated
    #[arg(long)]
    pub(crate) repo: Vec<String>,
    /// Token budgets to measure; the first one makes the ranked list
    #[arg(long, value_delimiter = ',', default_values_t = [4000, 2000, 8000])]
    pub(crate) tokens: Vec<u32>,
    /// Maximum cards of a slice (default: the default of slices)
    #[arg(long)]
    pub(crate) cards: Option<u32>,
    /// Show this many tasks with something that was not found
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) misses: usize,
    /// Write what was found for each task to a file of JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Show the newest decisions
    Show {
        /// Only those on this repository, by its id
        #[arg(long, short)]
        repo: Option<String>,
        /// At most this many
        #[arg(long, short = 'n', default_value_t = 50)]
        limit: u32,
    },
    /// Check that no row was changed or removed; exit code 1 if one was
    Verify,
    /// Acknowledge everything that is wrong with the log, so that it is not reported again
    ///
    /// The damage stays listed as acknowledged, and the acknowledgement is a row of the log itself. Find the cause
    /// first: sdlctl audit verify shows what is wrong.
    Acknowledge {
        /// Why it is acceptable, such as "disk replaced"; kept in the log
        #[arg(long)]
        reason: String,
    },
}

/// Agents set a policy with the policy.set action, below a ceiling that only these commands set. The ceiling of a
/// repository starts with the built-in values (windows of 220 lines and 1800 tokens, breaking the glass). Values for
/// all repositories replace them, and values for this repository replace those. A lower ceiling takes effect at once,
/// also for looser policies.
#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show each repository's policy and its ceiling
    Show {
        /// Only this repository: its id or a path inside it
        #[arg(long, short)]
        repo: Option<String>,
    },
    /// Set the largest limits that agents may set
    SetCeiling(CeilingArgs),
    /// Let agents turn on something that is otherwise forbidden
    Allow(SwitchArgs),
    /// Forbid agents what `allow` permits
    Forbid(SwitchArgs),
    /// Go back to the built-in ceiling or, for one repository, to the ceiling of all
    Reset(ForRepo),
}

#[derive(Args)]
pub(crate) struct ForRepo {
    /// Only for this repository: its id or a path inside it (default: for all)
    #[arg(long, short)]
    pub(crate) repo: Option<String>,
}

#[derive(Args)]
pub(crate) struct CeilingArgs {
    #[command(flatten)]
    pub(crate) of: ForRepo,
    /// Lines of a window of raw code
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) max_window_lines: Option<u32>,
    /// Tokens of an answer with raw code
    #[arg(long, value_parser = clap::value_parser!(u32).range(500..=20_000))]
    pub(crate) max_window_tokens: Option<u32>,
    /// Minimum utility at which a window is approved without a slice, 0 to 1
    #[arg(long, value_parser = parse_share)]
    pub(crate) utility_threshold: Option<f64>,
    /// Cards of a slice
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) max_cards: Option<u32>,
    /// Tokens of a slice
    #[arg(long, value_parser = clap::value_parser!(u32).range(400..=20_000))]
    pub(crate) max_tokens: Option<u32>,
}

/// A number from 0 to 1.
fn parse_share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("not between 0 and 1".to_owned()) }
}

#[derive(Args)]
pub(crate) struct SwitchArgs {
    /// The switch, such as break-glass
    pub(crate) what: Switch,
    #[command(flatten)]
    pub(crate) of: ForRepo,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Switch {
    /// Overriding the conditions of a window with breakGlass; each time is in the log
    BreakGlass,
    /// Windows for requests that name no identifiers
    NoIdentifiers,
    /// Windows of symbols that no slice and no task leads to
    RawByDefault,
    /// Literals that are named or look like secrets, shown as they are
    UnmaskedSecrets,
}

#[derive(Subcommand)]
pub(crate) enum LedgerCommand {
    /// Check that the ledger's tables agree with each other
    Check(RepoArg),
    /// Write a version's content as text
    Dump {
        #[command(flatten)]
        repo: RepoArg,
        /// The file to write; it must not exist
        #[arg(long)]
        to: PathBuf,
        /// With the search index
        #[arg(long)]
        postings: bool,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Surface {
    Gateway,
    Flat,
    Search,
}

impl Surface {
    /// As shim and daemon call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Flat => "flat",
            Self::Search => "search",
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum McpCommand {
    /// Print the snippet for a client
    Config {
        /// The client, such as cursor (default: all of them)
        #[arg(long, value_name = "NAME", value_parser = setup::client_names(), hide_possible_values = true)]
        client: Option<String>,
        /// Which tools the client is to see (default: gateway, one tool per namespace; flat: one per action; search:
        /// one that finds the others)
        #[arg(long)]
        surface: Option<Surface>,
    },
}

#[derive(Subcommand)]
pub(crate) enum ServiceCommand {
    /// Install and start the service
    Install {
        /// Only print what would be written
        #[arg(long)]
        dry_run: bool,
    },
    /// Stop and remove the service
    Uninstall,
}
