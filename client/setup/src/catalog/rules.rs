//! Where each client reads rules for agents, as data. In a project, a client that reads AGENTS.md gets the block there, so
//! that those who share the file share the text, unless it has a folder for rules in which a file of ours disturbs nobody.

use std::path::PathBuf;

use super::{Base, Client, Place, at, only};
use crate::machine::{Machine, Os};
use crate::plan::Scope;
use crate::rules::{Head, RuleForm};

/// Where one client reads rules.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The client's id.
    pub client: &'static str,
    /// The user's file.
    pub user: Option<RuleFile>,
    /// A project's file.
    pub project: Option<RuleFile>,
    /// The page or file that names them.
    pub source: &'static str,
    /// Details that no source of its maker states.
    pub unconfirmed: &'static str,
}

/// A file for rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleFile {
    /// The first whose folder is known counts. Of its names the first that exists, else the last.
    pub places: &'static [Place],
    /// What we put there.
    pub form: RuleForm,
}

impl RuleFile {
    /// The file to write on that machine.
    pub fn path(&self, machine: &Machine) -> Option<PathBuf> {
        let candidates = self.candidates(machine);
        candidates.iter().find(|path| path.is_file()).or(candidates.last()).cloned()
    }

    /// All files that may hold the text.
    pub fn candidates(&self, machine: &Machine) -> Vec<PathBuf> {
        let mut places = self.places.iter().filter(|place| place.on.includes(machine.os));
        let found = places.find_map(|place| Some((place.base.folder(machine)?, place.names)));
        let Some((folder, names)) = found else { return Vec::new() };
        names.iter().map(|name| folder.join(name)).collect()
    }
}

impl Rules {
    /// The file of that scope.
    pub fn of_scope(&self, scope: Scope) -> Option<RuleFile> {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
        }
    }
}

impl Client {
    /// Where it reads rules. `None` if no place is known.
    pub fn rules(&self) -> Option<&'static Rules> {
        RULES.iter().find(|rules| rules.client == self.id)
    }
}

/// A block in the user's file.
const fn block(places: &'static [Place]) -> Option<RuleFile> {
    Some(RuleFile { places, form: RuleForm::Block })
}

/// A file of our own.
const fn own(places: &'static [Place], head: Head) -> Option<RuleFile> {
    Some(RuleFile { places, form: RuleForm::Own(head) })
}

const AGENTS: Option<RuleFile> = block(&[at(Base::Project, &["AGENTS.md"])]);
const COPILOT_PROJECT: Option<RuleFile> =
    own(&[at(Base::Project, &[".github/instructions/sdl.instructions.md"])], Head::Copilot);
const COPILOT_USER: Option<RuleFile> =
    own(&[at(Base::Home, &[".copilot/instructions/sdl.instructions.md"])], Head::Copilot);
const CUSTOM_INSTRUCTIONS: &str =
    "https://github.com/microsoft/vscode-docs/blob/main/docs/agent-customization/custom-instructions.md";

/// What rows leave out.
const NONE: Rules = Rules { client: "", user: None, project: None, source: "", unconfirmed: "" };

/// All that are known.
pub const RULES: &[Rules] = &[
    Rules {
        client: "claude-code",
        user: own(
            &[
                at(Base::Variable("CLAUDE_CONFIG_DIR"), &["skills/sdl/SKILL.md"]),
                at(Base::Home, &[".claude/skills/sdl/SKILL.md"]),
            ],
            Head::Skill,
        ),
        project: own(&[at(Base::Project, &[".claude/skills/sdl/SKILL.md"])], Head::Skill),
        source: "https://code.claude.com/docs/en/skills",
        unconfirmed: "that CLAUDE_CONFIG_DIR moves the folder for skills",
    },
    Rules {
        client: "codex",
        user: block(&[
            at(Base::Variable("CODEX_HOME"), &["AGENTS.override.md", "AGENTS.md"]),
            at(Base::Home, &[".codex/AGENTS.override.md", ".codex/AGENTS.md"]),
        ]),
        project: block(&[at(Base::Project, &["AGENTS.override.md", "AGENTS.md"])]),
        source: "https://github.com/openai/codex/blob/main/codex-rs/core/src/project_doc.rs",
        ..NONE
    },
    Rules {
        client: "gemini-cli",
        user: block(&[
            at(Base::Variable("GEMINI_CLI_HOME"), &[".gemini/GEMINI.md"]),
            at(Base::Home, &[".gemini/GEMINI.md"]),
        ]),
        project: block(&[at(Base::Project, &["GEMINI.md"])]),
        source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/gemini-md.md",
        unconfirmed: "its setting context.fileName names other files",
    },
    Rules {
        client: "qwen-code",
        user: block(&[at(Base::Home, &[".qwen/QWEN.md"])]),
        project: AGENTS,
        source: "https://github.com/QwenLM/qwen-code/blob/main/docs/users/features/memory.md",
        ..NONE
    },
    Rules {
        client: "copilot-cli",
        user: own(
            &[
                at(Base::Variable("COPILOT_HOME"), &["instructions/sdl.instructions.md"]),
                at(Base::Home, &[".copilot/instructions/sdl.instructions.md"]),
            ],
            Head::Copilot,
        ),
        project: COPILOT_PROJECT,
        source: "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions",
        unconfirmed: "that COPILOT_HOME moves the folder",
    },
    Rules {
        client: "opencode",
        user: block(&[at(Base::Config, &["opencode/AGENTS.md"])]),
        project: AGENTS,
        source: "https://opencode.ai/docs/rules/",
        ..NONE
    },
    Rules {
        client: "crush",
        project: AGENTS,
        source: "https://github.com/charmbracelet/crush/discussions/912",
        ..NONE
    },
    Rules {
        client: "goose",
        user: block(&[
            only(Os::Windows, Base::AppData, &["Block/goose/config/.goosehints"]),
            at(Base::Config, &["goose/.goosehints"]),
        ]),
        project: block(&[at(Base::Project, &[".goosehints"])]),
        source: "https://block.github.io/goose/docs/guides/using-goosehints",
        unconfirmed: "the folder on Windows; CONTEXT_FILE_NAMES names other files",
    },
    Rules {
        client: "amp",
        user: block(&[at(Base::Home, &[".config/amp/AGENTS.md"])]),
        project: AGENTS,
        source: "https://ampcode.com/manual",
        unconfirmed: "the manual was not read: others quote it",
    },
    Rules {
        client: "factory-droid",
        user: block(&[at(Base::Home, &[".factory/AGENTS.md"])]),
        project: AGENTS,
        source: "https://github.com/Factory-AI/factory/blob/main/docs/cli/configuration/agents-md.mdx",
        ..NONE
    },
    Rules {
        client: "augment",
        user: own(&[at(Base::Home, &[".augment/rules/sdl.md"])], Head::Augment),
        project: AGENTS,
        source: "https://docs.augmentcode.com/cli/rules",
        ..NONE
    },
    Rules {
        client: "amazon-q",
        project: own(&[at(Base::Project, &[".amazonq/rules/sdl.md"])], Head::Plain),
        source: "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/context-project-rules.html",
        ..NONE
    },
    Rules {
        client: "kimi-cli",
        user: block(&[
            at(Base::Variable("KIMI_SHARE_DIR"), &["AGENTS.md"]),
            at(Base::Home, &[".kimi/AGENTS.md"]),
        ]),
        project: AGENTS,
        source: "https://www.kimi.com/help/kimi-code/cli-customization",
        unconfirmed: "that KIMI_SHARE_DIR moves the user's file",
    },
    Rules {
        client: "kimi-code",
        user: block(&[
            at(Base::Variable("KIMI_CODE_HOME"), &["AGENTS.md"]),
            at(Base::Home, &[".kimi-code/AGENTS.md"]),
        ]),
        project: AGENTS,
        source: "https://moonshotai.github.io/kimi-code/en/configuration/data-locations",
        unconfirmed: "the project's file is known from the older Kimi CLI",
    },
    Rules {
        client: "mistral-vibe",
        user: block(&[at(Base::Variable("VIBE_HOME"), &["AGENTS.md"]), at(Base::Home, &[".vibe/AGENTS.md"])]),
        project: AGENTS,
        source: "https://github.com/mistralai/mistral-vibe/blob/main/README.md",
        unconfirmed: "the folder of the user's file",
    },
    Rules {
        client: "cursor",
        project: own(&[at(Base::Project, &[".cursor/rules/sdl.mdc"])], Head::Cursor),
        source: "https://cursor.com/docs/context/rules",
        unconfirmed: "the page was not read: others describe the folder and the fields",
        ..NONE
    },
    Rules {
        client: "vscode",
        user: COPILOT_USER,
        project: COPILOT_PROJECT,
        source: CUSTOM_INSTRUCTIONS,
        ..NONE
    },
    Rules {
        client: "vscode-insiders",
        user: COPILOT_USER,
        project: COPILOT_PROJECT,
        source: CUSTOM_INSTRUCTIONS,
        ..NONE
    },
    Rules {
        client: "visual-studio",
        project: COPILOT_PROJECT,
        source: "https://docs.github.com/en/copilot/reference/customization-cheat-sheet",
        unconfirmed: "that Visual Studio reads files with applyTo in all its modes",
        ..NONE
    },
    Rules {
        client: "windsurf",
        user: block(&[at(Base::Home, &[".codeium/windsurf/memories/global_rules.md"])]),
        project: own(&[at(Base::Project, &[".windsurf/rules/sdl.md"])], Head::Windsurf),
        source: "https://docs.windsurf.com/windsurf/cascade/memories",
        unconfirmed: "the page names global_rules.md, not its folder",
    },
    Rules {
        client: "zed",
        user: block(&[
            only(Os::Windows, Base::AppData, &["Zed/AGENTS.md"]),
            only(Os::Mac, Base::Home, &[".config/zed/AGENTS.md"]),
            at(Base::Config, &["zed/AGENTS.md"]),
        ]),
        // It reads the first that exists.
        project: block(&[at(
            Base::Project,
            &[
                ".rules",
                ".cursorrules",
                ".windsurfrules",
                ".clinerules",
                ".github/copilot-instructions.md",
                "AGENT.md",
                "AGENTS.md",
            ],
        )]),
        source: "https://zed.dev/docs/ai/instructions",
        ..NONE
    },
    Rules {
        client: "kiro",
        user: own(&[at(Base::Home, &[".kiro/steering/sdl.md"])], Head::Kiro),
        project: own(&[at(Base::Project, &[".kiro/steering/sdl.md"])], Head::Kiro),
        source: "https://kiro.dev/docs/steering/",
        unconfirmed: "some versions of the IDE do not load the user's folder (https://github.com/kirodotdev/Kiro/issues/9117)",
    },
    Rules {
        client: "antigravity",
        user: block(&[at(Base::Home, &[".gemini/GEMINI.md"])]),
        project: AGENTS,
        source: "https://antigravity.google/docs/rules-workflows",
        unconfirmed: "the page was not read: guides of others name both files, AGENTS.md from version 1.20.3 on",
    },
    Rules {
        client: "trae",
        project: own(&[at(Base::Project, &[".trae/rules/sdl.md"])], Head::Plain),
        source: "https://www.volcengine.com/docs/86677/2137601",
        unconfirmed: "its own page was not read: copies of it name the folder",
        ..NONE
    },
    Rules {
        client: "jetbrains-ai-assistant",
        project: own(&[at(Base::Project, &[".aiassistant/rules/sdl.md"])], Head::Plain),
        source: "https://www.jetbrains.com/help/ai-assistant/configure-project-rules.html",
        unconfirmed: "the folder is known from guides of others",
        ..NONE
    },
    Rules {
        client: "junie",
        project: block(&[at(Base::Project, &[".junie/guidelines.md", ".junie/AGENTS.md", "AGENTS.md"])]),
        source: "https://github.com/JetBrains/junie-guidelines",
        unconfirmed: "versions from before 2026 read .junie/guidelines.md alone unless their settings name another file",
        ..NONE
    },
    Rules {
        client: "cline",
        user: own(&[at(Base::Home, &["Documents/Cline/Rules/sdl.md"])], Head::Plain),
        // With a folder .clinerules of ours it may not read the rules of other clients any more.
        project: AGENTS,
        source: "https://github.com/cline/cline/blob/main/docs/customization/cline-rules.mdx",
        unconfirmed: "on some systems the user's rules are in ~/Cline/Rules",
    },
    Rules {
        client: "roo-code",
        // A file in .roo/rules, the user's too, would keep it from reading a project's .roorules.
        project: AGENTS,
        source: "https://docs.roocode.com/features/custom-instructions",
        ..NONE
    },
    Rules {
        client: "kilo-code",
        user: block(&[at(Base::Home, &[".config/kilo/AGENTS.md"])]),
        project: AGENTS,
        source: "https://kilo.ai/docs/customize/agents-md",
        unconfirmed: "the user's file is known from another project, which cites its source",
    },
    Rules {
        client: "continue",
        user: own(
            &[
                at(Base::Variable("CONTINUE_GLOBAL_DIR"), &["rules/sdl.md"]),
                at(Base::Home, &[".continue/rules/sdl.md"]),
            ],
            Head::Continue,
        ),
        project: own(&[at(Base::Project, &[".continue/rules/sdl.md"])], Head::Continue),
        source: "https://docs.continue.dev/customize/deep-dives/rules",
        unconfirmed: "that CONTINUE_GLOBAL_DIR moves the folder for rules",
    },
    Rules {
        client: "warp",
        project: block(&[at(Base::Project, &["WARP.md", "AGENTS.md"])]),
        source: "https://docs.warp.dev/agents/capabilities/rules",
        ..NONE
    },
];

/// Where rules are on every system.
pub(super) fn bases() -> impl Iterator<Item = Base> {
    let files = RULES.iter().flat_map(|rules| [rules.user, rules.project]).flatten();
    files.flat_map(|file| file.places).map(|place| place.base)
}
