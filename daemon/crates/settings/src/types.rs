//! The settings as types. [`Settings::parse`](crate::Settings::parse) makes them.

use crate::globs::Globs;
use crate::policy::{AuditSettings, Effect, Profile, Rule};
use crate::template::Template;

/// The variable for the root of a session's repository, only in `cwd`.
pub const SESSION_ROOT: &str = "SESSION_ROOT";
/// The variable for the working directory of a session's client, only in `cwd`.
pub const SESSION_CWD: &str = "SESSION_CWD";

/// Everything that `mcp.json` states.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The entries in their order, disabled ones too.
    pub upstreams: Vec<Upstream>,
    /// The modules that are on, such as `memory`.
    pub modules: Vec<String>,
    /// Who sees what; the first that matches counts.
    pub profiles: Vec<Profile>,
    /// Which calls are denied or asked about.
    pub policy: Vec<Rule>,
    /// What happens to a call that no rule matches.
    pub default: Effect,
    /// What the audit log keeps.
    pub audit: AuditSettings,
    /// The command that knows credentials: program and arguments.
    pub credential_helper: Option<Vec<String>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            upstreams: Vec::new(),
            modules: Vec::new(),
            profiles: Vec::new(),
            policy: Vec::new(),
            default: Effect::Allow,
            audit: AuditSettings::default(),
            credential_helper: None,
        }
    }
}

impl Settings {
    /// The entry of this key, in any spelling.
    pub fn upstream(&self, key: &str) -> Option<&Upstream> {
        let folded = crate::fold_key(key);
        self.upstreams.iter().find(|upstream| crate::fold_key(&upstream.key) == folded)
    }
}

/// One upstream server.
#[derive(Clone, Debug, PartialEq)]
pub struct Upstream {
    /// Its key, as it is written.
    pub key: String,
    /// Whether it may be started.
    pub enabled: bool,
    /// How it is reached.
    pub transport: Transport,
    /// The options under `sdl`.
    pub own: Own,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A child that reads and writes lines.
    Stdio {
        /// A name that is looked up in `PATH`, or an absolute path.
        command: Template,
        /// Its arguments.
        args: Vec<Template>,
        /// Variables beside the few that every child gets.
        env: Vec<(String, Template)>,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint.
        url: Template,
        /// Headers of every request.
        headers: Vec<(String, Template)>,
    },
}

/// The options of an entry that are ours: its `sdl` object, over `defaults`.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// Whether its tools are listed.
    pub mode: Mode,
    /// A few words by the person.
    pub about: Option<String>,
    /// Which of its tools exist.
    pub tools: Globs,
    /// Whether its prompts exist.
    pub prompts: bool,
    /// Whether its resources exist.
    pub resources: bool,
    /// Whether advertised names begin with the key.
    pub prefix: bool,
    /// Who shares a connection. Always [`Lifecycle::Session`] where `ask` names something.
    pub lifecycle: Lifecycle,
    /// What it may ask its client for.
    pub ask: Asks,
    /// What happens when a definition changes.
    pub pin: Pin,
    /// The secrets that are masked in its results.
    pub redact: Redact,
    /// Where it runs; none for a folder of its own.
    pub cwd: Option<Template>,
    /// How long a start may take.
    pub start_timeout_ms: u64,
    /// How long a call may take without progress.
    pub timeout_ms: u64,
    /// How long a call may take in all.
    pub max_total_ms: u64,
    /// The age at which a list is read again before an answer is based on it.
    pub refresh_seconds: u64,
    /// How long it may be idle before it is stopped; 0 for ever.
    pub idle_stop_seconds: u64,
    /// Calls that run at once.
    pub max_in_flight: u32,
    /// Calls in a minute; none for no limit.
    pub max_per_minute: Option<u32>,
    /// Resident memory of its process group in MiB.
    pub memory_mb: u64,
    /// The tokens of a result above which it is kept aside.
    pub result_tokens: u64,
    /// The tokens of definitions up to which [`Mode::Auto`] lists them.
    pub auto_tokens: u64,
    /// The revision of the protocol.
    pub protocol: Protocol,
    /// Whether a read that may have arrived may be sent again.
    pub retry_reads: bool,
}

impl Default for Own {
    fn default() -> Self {
        Self {
            mode: Mode::Synthesize,
            about: None,
            tools: Globs::default(),
            prompts: true,
            resources: true,
            prefix: true,
            lifecycle: Lifecycle::Shared,
            ask: Asks::default(),
            pin: Pin::Auto,
            redact: Redact::Known,
            cwd: None,
            start_timeout_ms: 60_000,
            timeout_ms: 60_000,
            max_total_ms: 600_000,
            refresh_seconds: 60,
            idle_stop_seconds: 600,
            max_in_flight: 16,
            max_per_minute: None,
            memory_mb: 2_048,
            result_tokens: 8_000,
            auto_tokens: 1_200,
            protocol: Protocol::Auto,
            retry_reads: false,
        }
    }
}

/// Declares an enum of words, as they are written in the file.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// The words of the file, and their meaning.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)+];

            /// The word in the file.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// Whether the tools of an upstream are listed.
    Mode {
        /// All are listed.
        Passthrough = "passthrough",
        /// None is listed, all are found and callable.
        Synthesize = "synthesize",
        /// They are listed while they are small.
        Auto = "auto",
    }
}
words! {
    /// Who shares a connection.
    Lifecycle {
        /// All sessions.
        Shared = "shared",
        /// The sessions of one repository root.
        Root = "root",
        /// Nobody: each session has its own.
        Session = "session",
    }
}
words! {
    /// What happens when a definition changes.
    Pin {
        /// Nothing.
        Off = "off",
        /// It is served and marked.
        Warn = "warn",
        /// Held if it is suspicious, else marked.
        Auto = "auto",
        /// Held until a person approves it.
        Strict = "strict",
    }
}
words! {
    /// The secrets that are masked in results. Resolved credentials always are.
    Redact {
        /// Certain secrets.
        Known = "known",
        /// Also what looks like one.
        Likely = "likely",
        /// Nothing else.
        Off = "off",
    }
}
words! {
    /// The revision of the protocol.
    Protocol {
        /// The newest that both ends know.
        Auto = "auto",
        /// 2024-11-05.
        V20241105 = "2024-11-05",
        /// 2025-03-26.
        V20250326 = "2025-03-26",
        /// 2025-06-18.
        V20250618 = "2025-06-18",
        /// 2025-11-25.
        V20251125 = "2025-11-25",
        /// 2026-07-28.
        V20260728 = "2026-07-28",
    }
}

/// What an upstream may ask its client for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// Questions to the person.
    pub elicitation: bool,
    /// Completions by the client's model.
    pub sampling: bool,
    /// The client's roots.
    pub roots: bool,
}

impl Asks {
    /// Whether it may ask for nothing.
    pub fn is_empty(self) -> bool {
        !(self.elicitation || self.sampling || self.roots)
    }
}
