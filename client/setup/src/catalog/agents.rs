//! Agents that run in a terminal.

use super::{
    BASE, Base, Client, FieldValue, Format, Fresh, ONE_LINE, On, Shape, Sign, TYPED, at, folder, only,
};
use crate::machine::Os;

pub(super) const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        user: &[
            at(Base::Variable("CLAUDE_CONFIG_DIR"), &[".claude.json"]),
            at(Base::Home, &[".claude.json"]),
        ],
        project: &[".mcp.json"],
        shape: Shape {
            list: false,
            fields: &[
                ("type", FieldValue::Text("stdio")),
                ("command", FieldValue::Command),
                ("args", FieldValue::Args),
                // Else recent releases list only names, and the model needs a turn to look our tools up.
                ("alwaysLoad", FieldValue::Bool(true)),
            ],
        },
        signs: &[folder(Base::Home, ".claude"), Sign::Program("claude")],
        fresh: Fresh::Session,
        docs: "https://code.claude.com/docs/en/mcp",
        unconfirmed: "the page was not read: copies of it name both files; that CLAUDE_CONFIG_DIR moves .claude.json is \
                      known from reports, such as https://github.com/anthropics/claude-code/issues/16728",
        ..BASE
    },
    Client {
        id: "codex",
        name: "Codex",
        user: &[at(Base::Variable("CODEX_HOME"), &["config.toml"]), at(Base::Home, &[".codex/config.toml"])],
        project: &[".codex/config.toml"],
        format: Format::Toml,
        servers: &["mcp_servers"],
        signs: &[folder(Base::Home, ".codex"), Sign::Program("codex")],
        fresh: Fresh::Session,
        docs: "https://developers.openai.com/codex/mcp",
        source: "https://github.com/openai/codex/blob/main/codex-rs/config/src/mcp_edit.rs",
        unconfirmed: "the project's file is known from others, who say that it counts in trusted projects only",
        ..BASE
    },
    Client {
        id: "gemini-cli",
        name: "Gemini CLI",
        user: &[
            at(Base::Variable("GEMINI_CLI_HOME"), &[".gemini/settings.json"]),
            at(Base::Home, &[".gemini/settings.json"]),
        ],
        project: &[".gemini/settings.json"],
        signs: &[Sign::Program("gemini")],
        fresh: Fresh::Session,
        docs: "https://geminicli.com/docs/tools/mcp-server/",
        source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md",
        ..BASE
    },
    Client {
        id: "qwen-code",
        name: "Qwen Code",
        user: &[at(Base::Home, &[".qwen/settings.json"])],
        project: &[".qwen/settings.json"],
        signs: &[folder(Base::Home, ".qwen"), Sign::Program("qwen")],
        fresh: Fresh::Session,
        docs: "https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/",
        ..BASE
    },
    Client {
        id: "copilot-cli",
        name: "GitHub Copilot CLI",
        user: &[
            at(Base::Variable("COPILOT_HOME"), &["mcp-config.json"]),
            at(Base::Home, &[".copilot/mcp-config.json"]),
        ],
        project: &[".github/mcp.json"],
        shape: Shape {
            list: false,
            fields: &[
                ("type", FieldValue::Text("local")),
                ("command", FieldValue::Command),
                ("args", FieldValue::Args),
                ("tools", FieldValue::Texts(&["*"])),
            ],
        },
        signs: &[folder(Base::Home, ".copilot"), Sign::Program("copilot")],
        fresh: Fresh::Session,
        docs: "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
        source: "https://github.com/github/docs/blob/main/content/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers.md",
        unconfirmed: "that COPILOT_HOME moves the file",
        ..BASE
    },
    Client {
        id: "opencode",
        name: "OpenCode",
        user: &[at(Base::Config, &["opencode/opencode.json", "opencode/opencode.jsonc"])],
        project: &["opencode.json", "opencode.jsonc"],
        servers: &["mcp"],
        shape: ONE_LINE,
        signs: &[folder(Base::Config, "opencode"), Sign::Program("opencode")],
        fresh: Fresh::Session,
        docs: "https://opencode.ai/docs/mcp-servers/",
        source: "https://opencode.ai/docs/config/",
        unconfirmed: "a file in the form of version 2, with mcp.servers, gets an entry in the form of version 1, which that \
                      version reads too",
        ..BASE
    },
    Client {
        id: "crush",
        name: "Crush",
        user: &[
            at(Base::Variable("CRUSH_GLOBAL_CONFIG"), &["crush.json"]),
            at(Base::Config, &["crush/crush.json"]),
        ],
        project: &["crush.json", ".crush.json"],
        servers: &["mcp"],
        shape: TYPED,
        instead: &["crushrc", ".crushrc"],
        signs: &[folder(Base::Config, "crush"), Sign::Program("crush")],
        fresh: Fresh::Session,
        by_hand: "add to crushrc: mcp add sdl --type stdio --command, with the program below",
        docs: "https://github.com/charmbracelet/crush/blob/main/docs/config/README.md",
        source: "https://github.com/charmbracelet/crush/blob/main/internal/config/load.go",
        ..BASE
    },
    Client {
        id: "goose",
        name: "goose",
        user: &[
            only(Os::Windows, Base::AppData, &["Block/goose/config/config.yaml"]),
            at(Base::Config, &["goose/config.yaml"]),
        ],
        format: Format::Yaml,
        servers: &["extensions"],
        shape: Shape {
            list: false,
            fields: &[
                ("name", FieldValue::Name),
                ("type", FieldValue::Text("stdio")),
                ("enabled", FieldValue::Bool(true)),
                ("cmd", FieldValue::Command),
                ("args", FieldValue::Args),
                ("timeout", FieldValue::Number(300)),
                ("envs", FieldValue::Empty),
            ],
        },
        signs: &[
            Sign::Path(On::Unix, Base::Config, "goose"),
            Sign::Path(On::Only(Os::Windows), Base::AppData, "Block/goose"),
            Sign::Program("goose"),
        ],
        fresh: Fresh::Session,
        docs: "https://block.github.io/goose/docs/guides/config-files",
        unconfirmed: "that XDG_CONFIG_HOME moves it",
        ..BASE
    },
    Client {
        id: "amp",
        name: "Amp",
        user: &[at(Base::Home, &[".config/amp/settings.json", ".config/amp/settings.jsonc"])],
        project: &[".amp/settings.json", ".amp/settings.jsonc"],
        servers: &["amp.mcpServers"],
        signs: &[folder(Base::Home, ".config/amp"), Sign::Program("amp")],
        fresh: Fresh::Session,
        docs: "https://ampcode.com/manual",
        source: "https://ampcode.com/docs/cli/settings",
        unconfirmed: "neither page was read: others quote them for both files and the key",
        ..BASE
    },
    Client {
        id: "factory-droid",
        name: "Factory Droid",
        user: &[at(Base::Home, &[".factory/mcp.json"])],
        project: &[".factory/mcp.json"],
        shape: TYPED,
        signs: &[folder(Base::Home, ".factory"), Sign::Program("droid")],
        fresh: Fresh::Itself,
        docs: "https://docs.factory.ai/cli/configuration/mcp",
        source: "https://github.com/Factory-AI/factory/blob/main/docs/cli/configuration/mcp.mdx",
        unconfirmed: "the project's file is known from other projects only",
        ..BASE
    },
    Client {
        id: "augment",
        name: "Augment (Auggie CLI)",
        user: &[at(Base::Home, &[".augment/settings.json"])],
        signs: &[folder(Base::Home, ".augment"), Sign::Program("auggie")],
        fresh: Fresh::Session,
        docs: "https://docs.augmentcode.com/cli/integrations",
        unconfirmed: "only the start of the page was read: it names settings.json, and its folder is known from others; the \
                      extensions for VS Code and JetBrains keep their servers in their own settings",
        ..BASE
    },
    Client {
        id: "amazon-q",
        name: "Amazon Q Developer CLI",
        user: &[at(Base::Home, &[".aws/amazonq/mcp.json"])],
        project: &[".amazonq/mcp.json"],
        signs: &[folder(Base::Home, ".aws/amazonq"), Sign::Program("q")],
        fresh: Fresh::Session,
        docs: "https://github.com/aws/amazon-q-developer-cli/blob/main/docs/agent-format.md",
        source: "https://github.com/aws/amazon-q-developer-cli/blob/main/docs/default-agent-behavior.md",
        unconfirmed: "agents other than the default one read it only with useLegacyMcpJson",
        ..BASE
    },
    Client {
        id: "kimi-cli",
        name: "Kimi CLI",
        user: &[at(Base::Variable("KIMI_SHARE_DIR"), &["mcp.json"]), at(Base::Home, &[".kimi/mcp.json"])],
        signs: &[folder(Base::Home, ".kimi"), Sign::Program("kimi")],
        fresh: Fresh::Session,
        docs: "https://moonshotai.github.io/kimi-cli/en/customization/mcp.html",
        source: "https://github.com/MoonshotAI/kimi-cli/blob/main/docs/en/configuration/data-locations.md",
        ..BASE
    },
    Client {
        id: "kimi-code",
        name: "Kimi Code CLI",
        user: &[
            at(Base::Variable("KIMI_CODE_HOME"), &["mcp.json"]),
            at(Base::Home, &[".kimi-code/mcp.json"]),
        ],
        project: &[".kimi-code/mcp.json"],
        signs: &[folder(Base::Home, ".kimi-code")],
        fresh: Fresh::Session,
        docs: "https://moonshotai.github.io/kimi-code/en/customization/mcp",
        ..BASE
    },
    Client {
        id: "mistral-vibe",
        name: "Mistral Vibe",
        user: &[at(Base::Variable("VIBE_HOME"), &["config.toml"]), at(Base::Home, &[".vibe/config.toml"])],
        format: Format::Toml,
        servers: &["mcp_servers"],
        shape: Shape {
            list: true,
            fields: &[
                ("name", FieldValue::Name),
                ("transport", FieldValue::Text("stdio")),
                ("command", FieldValue::Command),
                ("args", FieldValue::Args),
            ],
        },
        signs: &[folder(Base::Home, ".vibe"), Sign::Program("vibe")],
        fresh: Fresh::Session,
        docs: "https://github.com/mistralai/mistral-vibe/blob/main/README.md",
        ..BASE
    },
];
