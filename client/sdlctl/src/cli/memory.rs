//! The arguments of `memory`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::RepoArg;

#[derive(Subcommand)]
pub(crate) enum MemoryCommand {
    /// List memories, the latest first
    Ls(MemoryListArgs),
    /// Show one with all it has
    Show(MemoryOneArgs),
    /// Find memories by words
    Search(MemorySearchArgs),
    /// List those whose code changed, with since when
    Stale(MemoryListArgs),
    /// Change the text of one in your editor
    Edit(MemoryOneArgs),
    /// Bring one back to the state of a revision, also if it was removed
    Undo(MemoryUndoArgs),
    /// Remove one
    Rm(MemoryOneArgs),
    /// Write all that agents keep as JSON lines
    Export(MemoryExportArgs),
    /// Read such lines
    Import(MemoryImportArgs),
}

/// Whose memories.
#[derive(Args)]
pub(crate) struct MemoryScopeArgs {
    /// The repository: its id or a path inside it (default: the repository of the working directory, if there is one)
    #[arg(long, short)]
    pub(crate) repo: Option<String>,
    /// Everyone's
    #[arg(long, conflicts_with = "repo")]
    pub(crate) all: bool,
}

#[derive(Args)]
pub(crate) struct MemoryListArgs {
    #[command(flatten)]
    pub(crate) scope: MemoryScopeArgs,
    /// At most this many
    #[arg(long, short = 'n', default_value_t = 20)]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct MemorySearchArgs {
    /// Words, such as: why are tokens checked twice
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) list: MemoryListArgs,
}

#[derive(Args)]
pub(crate) struct MemoryOneArgs {
    /// The memory: m_…
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) scope: MemoryScopeArgs,
}

#[derive(Args)]
pub(crate) struct MemoryUndoArgs {
    #[command(flatten)]
    pub(crate) one: MemoryOneArgs,
    /// The revision to go back to (default: that before the last change)
    #[arg(long)]
    pub(crate) to: Option<u64>,
}

#[derive(Args)]
pub(crate) struct MemoryExportArgs {
    /// The file to write (default: standard output)
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MemoryImportArgs {
    /// The file to read
    pub(crate) file: PathBuf,
    /// What to do with a row that is here with another content
    #[arg(long, value_enum, default_value_t = Conflict::Fail)]
    pub(crate) on_conflict: Conflict,
    /// Say what would be done, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What happens to a row that is here with another content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Conflict {
    /// Nothing is imported
    Fail,
    /// The row here stays
    Skip,
    /// The row that was changed last stays
    Newer,
}

impl Conflict {
    /// Its name in a request.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Newer => "newer",
        }
    }
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) repo: RepoArg,
    /// What agents keep, in place of a repository
    #[arg(long, conflicts_with = "repo")]
    pub(crate) memory: bool,
}
