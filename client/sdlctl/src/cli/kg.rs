//! The arguments of `kg`.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Subcommand)]
pub(crate) enum KgCommand {
    /// Add a fact that holds for a time
    Add(KgAddArgs),
    /// Show the facts of an entity, now or at another time
    Query(KgQueryArgs),
    /// Show what happened to facts, in the order of time
    Timeline(KgTimelineArgs),
    /// End facts, or say that they never held
    End(KgEndArgs),
    /// Write all facts as JSON lines, as they were asserted, ended and retracted
    Export,
}

/// Whose facts.
#[derive(Args)]
pub(crate) struct KgScopeArgs {
    /// The repository: its id or a path inside it (default: the repository of the working directory, if there is one)
    #[arg(long, short)]
    pub(crate) repo: Option<String>,
    /// Yours in every repository
    #[arg(long, conflicts_with = "repo")]
    pub(crate) user: bool,
}

#[derive(Args)]
pub(crate) struct KgAddArgs {
    /// The thing that the fact is about, such as "auth service"
    pub(crate) subject: String,
    /// What it says, such as owned_by
    pub(crate) predicate: String,
    /// The other thing, or a value
    pub(crate) object: String,
    /// When it begins to hold: RFC 3339 with an offset, a date, or Unix milliseconds (default: now)
    #[arg(long)]
    pub(crate) from: Option<String>,
    /// When it ends: the first instant at which it no longer holds (default: open)
    #[arg(long)]
    pub(crate) to: Option<String>,
    /// One object at a time: the fact ends the one before
    #[arg(long)]
    pub(crate) exclusive: bool,
    /// How sure it is, from 0 to 1
    #[arg(long)]
    pub(crate) confidence: Option<f64>,
    /// Where it is from, such as a ticket
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// The kind of object (default: entity; text above 200 characters)
    #[arg(long = "type", value_enum)]
    pub(crate) object_type: Option<KgObjectType>,
    /// The fact (t_…) that this one corrects; it is retracted
    #[arg(long)]
    pub(crate) supersedes: Option<String>,
    #[command(flatten)]
    pub(crate) scope: KgScopeArgs,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KgObjectType {
    Entity,
    Text,
    Number,
    Boolean,
    Date,
}

#[derive(Args)]
pub(crate) struct KgQueryArgs {
    /// The entity, or with --words words to look for
    pub(crate) entity: String,
    /// Look for words in all facts
    #[arg(long)]
    pub(crate) words: bool,
    /// What held then (default: now)
    #[arg(long)]
    pub(crate) as_of: Option<String>,
    /// What was believed then (default: now)
    #[arg(long)]
    pub(crate) known_at: Option<String>,
    /// Facts that don't hold at that time too
    #[arg(long)]
    pub(crate) ended: bool,
    /// Only these predicates; may be repeated
    #[arg(long, short)]
    pub(crate) predicate: Vec<String>,
    /// 2 or 3: the facts of neighbours too
    #[arg(long, short)]
    pub(crate) depth: Option<u32>,
    /// Everyone's facts
    #[arg(long, conflicts_with_all = ["user", "repo"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) scope: KgScopeArgs,
    /// At most this many facts
    #[arg(long, short = 'n', default_value_t = 50)]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct KgTimelineArgs {
    /// The entity
    #[arg(required_unless_present_any = ["fact", "predicate"], conflicts_with_all = ["fact", "predicate"])]
    pub(crate) entity: Option<String>,
    /// One fact (t_…)
    #[arg(long, conflicts_with = "predicate")]
    pub(crate) fact: Option<String>,
    /// The facts with this predicate
    #[arg(long, short)]
    pub(crate) predicate: Option<String>,
    /// Events from then on
    #[arg(long)]
    pub(crate) from: Option<String>,
    /// Events before then
    #[arg(long)]
    pub(crate) to: Option<String>,
    /// As it was known then (default: now)
    #[arg(long)]
    pub(crate) known_at: Option<String>,
    #[command(flatten)]
    pub(crate) scope: KgScopeArgs,
    /// At most this many events
    #[arg(long, short = 'n', default_value_t = 100)]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct KgEndArgs {
    /// The fact: its id (t_…), or its subject, predicate and object
    #[arg(required = true, num_args = 1..=3, value_names = ["FACT|SUBJECT", "PREDICATE", "OBJECT"])]
    pub(crate) fact: Vec<String>,
    /// The first instant at which it no longer holds (default: now)
    #[arg(long, conflicts_with = "never")]
    pub(crate) at: Option<String>,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// It never held
    #[arg(long)]
    pub(crate) never: bool,
    /// Every fact that fits
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) scope: KgScopeArgs,
}
