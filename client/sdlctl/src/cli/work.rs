//! Arguments of `dispatch`, `session` and `activity`.

use clap::{Args, Subcommand, ValueEnum};

use super::hook::HookArgs;

#[derive(Subcommand)]
pub(crate) enum DispatchCommand {
    /// List dispatches
    Ls {
        /// Only these states (open, claimed, active, blocked, done, failed, cancelled); may be repeated (default: all that have not ended)
        #[arg(long)]
        state: Vec<String>,
        /// Only those for an agent, or claimed by it
        #[arg(long)]
        agent: Option<String>,
        /// Only those of a plan
        #[arg(long)]
        plan: Option<String>,
        /// Only those that have these words
        #[arg(long)]
        query: Option<String>,
        /// At most this many
        #[arg(long, short = 'n', default_value_t = 20)]
        limit: u32,
    },
    /// Show a dispatch: its brief, and what was reported
    Show {
        /// Its id (d_…)
        dispatch: String,
    },
    /// Start a dispatch
    New(NewDispatchArgs),
    /// Cancel a dispatch, whoever holds it
    Cancel {
        /// Its id (d_…)
        dispatch: String,
        /// Why
        #[arg(long, default_value = "cancelled by a person")]
        why: String,
    },
}

#[derive(Args)]
pub(crate) struct NewDispatchArgs {
    /// One line
    pub(crate) title: String,
    /// The task (default: the title)
    #[arg(long)]
    pub(crate) brief: Option<String>,
    /// The agent that it is for
    #[arg(long)]
    pub(crate) to: Option<String>,
    /// The plan that it is a part of
    #[arg(long)]
    pub(crate) plan: Option<String>,
    /// The kind of work
    #[arg(long)]
    pub(crate) domain: Option<String>,
    /// A step on the way; may be repeated
    #[arg(long)]
    pub(crate) milestone: Vec<String>,
    /// The dispatch that this one tries again
    #[arg(long)]
    pub(crate) retry_of: Option<String>,
    /// The repository: its id (default: the repository of the working directory, if any)
    #[arg(long, short)]
    pub(crate) repo: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum SessionCommand {
    /// List the agents that are there
    Ls {
        /// Also those that have ended
        #[arg(long)]
        all: bool,
    },
    /// Send a message to agents
    Send {
        /// A session (ses_…), an agent's name, repo:ID, plan:SLUG, #channel, or * for all
        to: String,
        /// The text
        body: String,
        /// What it is
        #[arg(long, value_enum, default_value_t = MessageKind::Info)]
        kind: MessageKind,
    },
    /// Show the messages that wait at an address; they stay where they are
    Inbox {
        /// A session (ses_…), an agent's name, plan:SLUG or #channel
        of: String,
    },
    /// Answer a hook of a client, as `sdlctl hook` does
    Hook(HookArgs),
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageKind {
    Info,
    Directive,
    Handoff,
    Question,
}

impl MessageKind {
    /// Its name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Directive => "directive",
            Self::Handoff => "handoff",
            Self::Question => "question",
        }
    }
}

#[derive(Args)]
pub(crate) struct ActivityArgs {
    /// Only that of an agent
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Only that of a session (ses_…)
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only that during a dispatch (d_…)
    #[arg(long)]
    pub(crate) dispatch: Option<String>,
    /// At most this many entries
    #[arg(long, short = 'n', default_value_t = 50)]
    pub(crate) limit: u32,
}
