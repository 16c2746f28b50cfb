//! The text that reminds agents to ask. Files of clients and the plugin for Claude Code are made from it.

use crate::catalog::hooks::Hooks;
use crate::edit::Fault;
use crate::edit::hooks::{HookTarget, add_hook};

/// What an agent reads, without markers.
pub const RULES_TEXT: &str = include_str!("texts/rules.md");

/// When a client that chooses among skills or rules is to read it.
pub const RULES_PURPOSE: &str = "Ask before grep, glob or reading files: where code is, who calls it, what a change breaks, which tests to run, the code for a task.";

/// How a client wants the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleForm {
    /// A marked block in a file that belongs to others.
    Block,
    /// A file of our own, with this head before the block.
    Own(Head),
}

/// The head of a file of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// None: the client always reads the file.
    Plain,
    /// A skill: its name, and when to read it.
    Skill,
    /// A rule of Cursor that is always read.
    Cursor,
    /// Instructions of Copilot, for all files.
    Copilot,
    /// A rule of Windsurf that is always read.
    Windsurf,
    /// A rule of Continue that is always read.
    Continue,
    /// Steering of Kiro that is always read.
    Kiro,
    /// A rule of Augment that is always read.
    Augment,
}

impl Head {
    /// The text, up to the block.
    pub fn text(self) -> String {
        let fields = match self {
            Self::Plain => return String::new(),
            Self::Skill => format!("name: sdl\ndescription: \"{RULES_PURPOSE}\""),
            Self::Cursor => format!("description: \"{RULES_PURPOSE}\"\nalwaysApply: true"),
            Self::Copilot => "applyTo: \"**\"".to_owned(),
            Self::Windsurf => "trigger: always_on".to_owned(),
            Self::Continue => "name: sdl\nalwaysApply: true".to_owned(),
            Self::Kiro => "inclusion: always".to_owned(),
            Self::Augment => "type: always_apply".to_owned(),
        };
        format!("---\n{fields}\n---\n\n")
    }

    /// A whole new file.
    pub fn whole_file(self) -> String {
        format!("{}{}\n", self.text(), crate::edit::block::render_block(RULES_TEXT, "\n"))
    }
}

/// The hooks of a client as a settings file has them: an object with the key `hooks`. `program` is quoted for a shell.
///
/// # Errors
/// Never for the clients of the catalog, whose hooks fit an empty file.
pub fn hooks_file(hooks: &Hooks, program: &str) -> Result<String, Fault> {
    let mut text = String::new();
    for event in hooks.events {
        let target = HookTarget { event: event.name, client: hooks.client };
        let command = format!("{program} hook --client {}", hooks.client);
        text = add_hook(&text, target, event.matcher, &command)?.text;
    }
    Ok(text)
}
