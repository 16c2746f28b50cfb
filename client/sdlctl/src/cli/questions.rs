//! The arguments of the commands that ask the graph.

use clap::{Args, ValueEnum};

use super::{RepoArg, ScopeArg};

#[derive(Args)]
pub(crate) struct RelatedArgs {
    /// An id, `Session.close`, `src/auth.py:Session.close`, `src/auth.py:12`, or a path for its module
    pub(crate) symbol: String,
    /// How the others are related to it
    #[arg(long, value_enum, default_value_t = Relation::Callers)]
    pub(crate) want: Relation,
    /// Steps, such as 2 for the callers of callers
    #[arg(long, short, default_value_t = 1)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// At most this many rows
    #[arg(long, short = 'n', default_value_t = 50)]
    pub(crate) limit: u32,
    /// The state to ask: a version, or `git:` and a revision, such as git:v1.2
    #[arg(long)]
    pub(crate) at: Option<String>,
    /// Leave out the text of the lines
    #[arg(long)]
    pub(crate) no_text: bool,
}

/// How symbols are related to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Relation {
    Callers,
    Callees,
    References,
    Implementations,
    Supertypes,
    /// Of a file or type, with the number of files that use each
    Members,
}

#[derive(Args)]
pub(crate) struct FilterArgs {
    /// Leave out tests
    #[arg(long)]
    pub(crate) no_tests: bool,
    /// Only edges whose rule is right at least this often, from 0 to 1
    #[arg(long)]
    pub(crate) min_confidence: Option<f64>,
    /// Only symbols in paths like this, such as 'src/**'; with a leading !, only others; may be repeated
    #[arg(long = "in", value_name = "PATTERN")]
    pub(crate) paths: Vec<String>,
}

#[derive(Args)]
pub(crate) struct OutlineArgs {
    /// A file, a folder such as src/auth, or a type
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// Levels: 2 adds the members of types
    #[arg(long, short, default_value_t = 1)]
    pub(crate) depth: u32,
    /// Leave out tests, and don't count them as users
    #[arg(long)]
    pub(crate) no_tests: bool,
    /// Only files in paths like this, such as 'src/**'; with a leading !, only others; may be repeated
    #[arg(long = "in", value_name = "PATTERN")]
    pub(crate) paths: Vec<String>,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// At most this many rows
    #[arg(long, short = 'n', default_value_t = 100)]
    pub(crate) limit: u32,
    /// The state to ask: a version, or `git:` and a revision, such as git:v1.2
    #[arg(long)]
    pub(crate) at: Option<String>,
}

#[derive(Args)]
pub(crate) struct PathArgs {
    /// Where the ways start
    #[arg(required_unless_present = "from_starts")]
    pub(crate) from: Option<String>,
    /// Where they end
    #[arg(required_unless_present = "from_starts")]
    pub(crate) to: Option<String>,
    /// Start where programs do, such as at main; give the end alone
    #[arg(long)]
    pub(crate) from_starts: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// At most this many ways
    #[arg(long, short = 'n', default_value_t = 3)]
    pub(crate) limit: u32,
    /// The state to ask: a version, or `git:` and a revision, such as git:v1.2
    #[arg(long)]
    pub(crate) at: Option<String>,
}

#[derive(Args)]
pub(crate) struct ChangeArgs {
    /// Symbols that change
    pub(crate) symbols: Vec<String>,
    /// Files that change; may be repeated
    #[arg(long)]
    pub(crate) file: Vec<String>,
    /// A unified diff that has not been applied: a path, or - for standard input
    #[arg(long)]
    pub(crate) diff: Option<String>,
    /// The state before a change that was made, such as git:main
    #[arg(long)]
    pub(crate) since: Option<String>,
    /// The state after it
    #[arg(long, requires = "since")]
    pub(crate) until: Option<String>,
}

#[derive(Args)]
pub(crate) struct ImpactArgs {
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    /// Most links to a dependent
    #[arg(long, short, default_value_t = 3)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// At most this many rows
    #[arg(long, short = 'n', default_value_t = 30)]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct TestsArgs {
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// Print commands that run the tests
    #[arg(long)]
    pub(crate) commands: bool,
    /// Print how each test reaches the change
    #[arg(long)]
    pub(crate) why: bool,
}

#[derive(Args)]
pub(crate) struct RenameArgs {
    /// An id, `Session.close`, `src/auth.py:Session.close`, or `src/auth.py:12`
    pub(crate) symbol: String,
    /// The name it is to have
    pub(crate) new_name: String,
    #[command(flatten)]
    pub(crate) repo: RepoArg,
}

#[derive(Args)]
pub(crate) struct UnusedArgs {
    /// Only symbols in paths like this, such as 'src/**'; with a leading !, only others; may be repeated
    #[arg(long = "in", value_name = "PATTERN")]
    pub(crate) paths: Vec<String>,
    /// Only this kind, such as function; may be repeated
    #[arg(long)]
    pub(crate) kind: Vec<String>,
    /// How often such symbols are unused, from 0 to 1; 0.5 adds exported ones
    #[arg(long)]
    pub(crate) min_confidence: Option<f64>,
    /// List what only tests use too
    #[arg(long)]
    pub(crate) no_tests: bool,
    #[command(flatten)]
    pub(crate) repo: ScopeArg,
    /// At most this many rows
    #[arg(long, short = 'n', default_value_t = 100)]
    pub(crate) limit: u32,
    /// The state to ask: a version, or `git:` and a revision, such as git:v1.2
    #[arg(long)]
    pub(crate) at: Option<String>,
}
