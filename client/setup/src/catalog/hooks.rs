//! The clients that run commands at certain moments, as data.

use std::path::PathBuf;

use super::{Base, Client, Place, at};
use crate::machine::Machine;
use crate::plan::Scope;

/// The hooks of one client.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// The client's id, which is also what our command is given.
    pub client: &'static str,
    /// Where its file for a user is.
    pub user: &'static [Place],
    /// Its file for a project, relative to the root.
    pub project: &'static str,
    /// When our command runs.
    pub events: &'static [HookEvent],
    /// The page or file that describes them.
    pub source: &'static str,
    /// Details that no source of its maker states.
    pub unconfirmed: &'static str,
}

/// One moment.
#[derive(Clone, Copy, Debug)]
pub struct HookEvent {
    /// The client's name of it.
    pub name: &'static str,
    /// Which tools it is about, if it is about tools.
    pub matcher: Option<&'static str>,
}

impl Hooks {
    /// The file of that scope.
    pub fn path(&self, machine: &Machine, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::User => self.user.iter().find_map(|place| {
                let folder = place.base.folder(machine)?;
                place.names.first().map(|name| folder.join(name))
            }),
            Scope::Project => Some(machine.project.join(self.project)),
        }
    }
}

impl Client {
    /// Its hooks. `None` if none are known.
    pub fn hooks(&self) -> Option<&'static Hooks> {
        HOOKS.iter().find(|hooks| hooks.client == self.id)
    }
}

const fn always(name: &'static str) -> HookEvent {
    HookEvent { name, matcher: None }
}

const fn of_tools(name: &'static str, matcher: &'static str) -> HookEvent {
    HookEvent { name, matcher: Some(matcher) }
}

/// All that are known.
pub const HOOKS: &[Hooks] = &[
    Hooks {
        client: "claude-code",
        user: &[
            at(Base::Variable("CLAUDE_CONFIG_DIR"), &["settings.json"]),
            at(Base::Home, &[".claude/settings.json"]),
        ],
        project: ".claude/settings.json",
        events: &[
            always("SessionStart"),
            always("SubagentStart"),
            always("UserPromptSubmit"),
            of_tools("PostToolUse", "Bash|Grep|Glob|Read|Edit|Write|MultiEdit|NotebookEdit"),
            always("Stop"),
        ],
        source: "https://code.claude.com/docs/en/hooks",
        unconfirmed: "",
    },
    Hooks {
        client: "codex",
        user: &[at(Base::Variable("CODEX_HOME"), &["hooks.json"]), at(Base::Home, &[".codex/hooks.json"])],
        project: ".codex/hooks.json",
        events: &[
            always("SessionStart"),
            always("SubagentStart"),
            always("UserPromptSubmit"),
            of_tools("PostToolUse", "Bash|apply_patch"),
            always("Stop"),
        ],
        source: "https://github.com/openai/codex/tree/main/codex-rs/hooks/schema/generated",
        unconfirmed: "some releases need codex_hooks = true under [features] in config.toml",
    },
    Hooks {
        client: "gemini-cli",
        user: &[
            at(Base::Variable("GEMINI_CLI_HOME"), &[".gemini/settings.json"]),
            at(Base::Home, &[".gemini/settings.json"]),
        ],
        project: ".gemini/settings.json",
        events: &[
            always("SessionStart"),
            always("BeforeAgent"),
            of_tools("AfterTool", "grep_search|search_file_content|glob|read_file|replace|write_file"),
            always("AfterAgent"),
        ],
        source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/hooks/reference.md",
        unconfirmed: "",
    },
    Hooks {
        client: "qwen-code",
        user: &[at(Base::Home, &[".qwen/settings.json"])],
        project: ".qwen/settings.json",
        events: &[
            always("SessionStart"),
            always("SubagentStart"),
            always("UserPromptSubmit"),
            of_tools("PostToolUse", "grep_search|glob|read_file|edit|write_file"),
            always("Stop"),
        ],
        source: "https://github.com/QwenLM/qwen-code/blob/main/docs/users/features/hooks.md",
        unconfirmed: "",
    },
];
