//! Editors, and agents inside of them.

use super::{
    BASE, Base, Client, FieldValue, Format, Fresh, ONE_LINE, On, PLAIN, Shape, Sign, TYPED, at, folder, only,
};
use crate::machine::Os;

pub(super) const CLIENTS: &[Client] = &[
    Client {
        id: "cursor",
        name: "Cursor",
        user: &[at(Base::Home, &[".cursor/mcp.json"])],
        project: &[".cursor/mcp.json"],
        signs: &[
            folder(Base::Home, ".cursor"),
            folder(Base::AppData, "Cursor"),
            Sign::Program("cursor"),
            Sign::App("Cursor"),
        ],
        docs: "https://cursor.com/docs/mcp",
        source: "https://anysphere.mintlify.app/context/model-context-protocol",
        unconfirmed: "the source is an older copy of the page, at its maker's",
        ..BASE
    },
    Client {
        id: "vscode",
        name: "VS Code",
        user: &[at(Base::AppData, &["Code/User/mcp.json"])],
        project: &[".vscode/mcp.json"],
        servers: &["servers"],
        shape: TYPED,
        signs: &[folder(Base::AppData, "Code"), Sign::Program("code"), Sign::App("Visual Studio Code")],
        fresh: Fresh::Itself,
        docs: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        unconfirmed: "the page says that mcp.json is in the user's profile, not its path; a profile other than the default \
                      one has its own",
        ..BASE
    },
    Client {
        id: "vscode-insiders",
        name: "VS Code Insiders",
        user: &[at(Base::AppData, &["Code - Insiders/User/mcp.json"])],
        servers: &["servers"],
        shape: TYPED,
        signs: &[
            folder(Base::AppData, "Code - Insiders"),
            Sign::Program("code-insiders"),
            Sign::App("Visual Studio Code - Insiders"),
        ],
        fresh: Fresh::Itself,
        docs: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        unconfirmed: "the path, as for vscode",
        ..BASE
    },
    Client {
        id: "visual-studio",
        name: "Visual Studio",
        user: &[only(Os::Windows, Base::Home, &[".mcp.json"])],
        project: &[".mcp.json"],
        servers: &["servers"],
        shape: TYPED,
        signs: &[
            Sign::Path(On::Only(Os::Windows), Base::AppData, "Microsoft/VisualStudio"),
            Sign::Program("devenv"),
        ],
        docs: "https://learn.microsoft.com/visualstudio/ide/mcp-servers",
        unconfirmed: "the folder by which it is found",
        ..BASE
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        user: &[at(Base::Home, &[".codeium/windsurf/mcp_config.json"])],
        signs: &[folder(Base::Home, ".codeium/windsurf"), Sign::Program("windsurf"), Sign::App("Windsurf")],
        docs: "https://docs.windsurf.com/windsurf/cascade/mcp",
        ..BASE
    },
    Client {
        id: "zed",
        name: "Zed",
        user: &[
            only(Os::Windows, Base::AppData, &["Zed/settings.json"]),
            only(Os::Mac, Base::Home, &[".config/zed/settings.json"]),
            at(Base::Config, &["zed/settings.json"]),
        ],
        project: &[".zed/settings.json"],
        servers: &["context_servers"],
        shape: Shape {
            list: false,
            fields: &[
                ("command", FieldValue::Command),
                ("args", FieldValue::Args),
                ("env", FieldValue::Empty),
            ],
        },
        signs: &[
            Sign::Path(On::Unix, Base::Config, "zed"),
            Sign::Path(On::Only(Os::Windows), Base::AppData, "Zed"),
            Sign::Program("zed"),
            Sign::App("Zed"),
        ],
        fresh: Fresh::Itself,
        docs: "https://zed.dev/docs/ai/mcp",
        source: "https://github.com/zed-industries/zed/blob/main/crates/paths/src/paths.rs",
        unconfirmed: "versions from before 2026 also want \"source\": \"custom\"",
        ..BASE
    },
    Client {
        id: "kiro",
        name: "Kiro",
        user: &[at(Base::Home, &[".kiro/settings/mcp.json"])],
        project: &[".kiro/settings/mcp.json"],
        signs: &[
            folder(Base::Home, ".kiro"),
            Sign::Program("kiro"),
            Sign::Program("kiro-cli"),
            Sign::App("Kiro"),
        ],
        docs: "https://kiro.dev/docs/mcp/configuration",
        ..BASE
    },
    Client {
        id: "antigravity",
        name: "Google Antigravity",
        user: &[at(Base::Home, &[".gemini/config/mcp_config.json", ".gemini/antigravity/mcp_config.json"])],
        signs: &[
            folder(Base::Home, ".gemini/antigravity"),
            folder(Base::Home, ".gemini/config"),
            Sign::Program("agy"),
            Sign::App("Antigravity"),
        ],
        docs: "https://antigravity.google/docs/mcp",
        unconfirmed: "the page was not read: the path is known from guides of other vendors, and older versions used \
                      .gemini/antigravity/mcp_config.json",
        ..BASE
    },
    Client {
        id: "trae",
        name: "Trae",
        project: &[".trae/mcp.json"],
        signs: &[folder(Base::Home, ".trae"), folder(Base::AppData, "Trae"), Sign::App("Trae")],
        by_hand: "Settings > MCP > Add > Add Manually",
        docs: "https://www.volcengine.com/docs/86677/2137601",
        unconfirmed: "the user's file has no documented path; a project's file needs its switch for project servers",
        ..BASE
    },
    Client {
        id: "jetbrains-ai-assistant",
        name: "JetBrains AI Assistant",
        signs: &[folder(Base::AppData, "JetBrains")],
        by_hand: "Settings > Tools > AI Assistant > Model Context Protocol (MCP) > Add > as JSON",
        docs: "https://www.jetbrains.com/help/ai-assistant/mcp.html",
        unconfirmed: "its file has no documented path",
        ..BASE
    },
    Client {
        id: "junie",
        name: "JetBrains Junie",
        user: &[at(Base::Home, &[".junie/mcp/mcp.json"])],
        project: &[".junie/mcp/mcp.json"],
        signs: &[folder(Base::Home, ".junie"), Sign::Program("junie")],
        fresh: Fresh::Session,
        docs: "https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html",
        unconfirmed: "the page was not read: other projects cite it for both paths",
        ..BASE
    },
    Client {
        id: "cline",
        name: "Cline",
        user: &[
            at(Base::FileVariable("CLINE_MCP_SETTINGS_PATH"), &[]),
            at(Base::Variable("CLINE_DATA_DIR"), &["settings/cline_mcp_settings.json"]),
            at(Base::Variable("CLINE_DIR"), &["data/settings/cline_mcp_settings.json"]),
            at(Base::Home, &[".cline/data/settings/cline_mcp_settings.json"]),
        ],
        signs: &[
            folder(Base::Home, ".cline"),
            folder(Base::AppData, "Code/User/globalStorage/saoudrizwan.claude-dev"),
            Sign::Program("cline"),
        ],
        fresh: Fresh::Itself,
        docs: "https://docs.cline.bot/mcp/mcp-overview",
        source: "https://github.com/cline/cline/blob/main/sdk/packages/shared/src/storage/paths.ts",
        ..BASE
    },
    Client {
        id: "roo-code",
        name: "Roo Code",
        user: &[at(
            Base::AppData,
            &["Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"],
        )],
        project: &[".roo/mcp.json"],
        shape: PLAIN,
        signs: &[folder(Base::AppData, "Code/User/globalStorage/rooveterinaryinc.roo-cline")],
        fresh: Fresh::Itself,
        docs: "https://docs.roocode.com/features/mcp/using-mcp-in-roo",
        source: "https://github.com/RooCodeInc/Roo-Code/blob/main/src/shared/globalFileNames.ts",
        unconfirmed: "its setting customStoragePath moves the file",
        ..BASE
    },
    Client {
        id: "kilo-code",
        name: "Kilo Code",
        user: &[at(Base::Home, &[".config/kilo/kilo.json", ".config/kilo/kilo.jsonc"])],
        project: &["kilo.json", "kilo.jsonc", ".kilo/kilo.json", ".kilo/kilo.jsonc"],
        servers: &["mcp"],
        shape: ONE_LINE,
        signs: &[
            folder(Base::Home, ".config/kilo"),
            folder(Base::AppData, "Code/User/globalStorage/kilocode.kilo-code"),
            Sign::Program("kilo"),
        ],
        docs: "https://kilo.ai/docs/automate/mcp/using-in-kilo-code",
        source: "https://github.com/Kilo-Org/kilocode/blob/main/packages/kilo-docs/pages/automate/mcp/using-in-kilo-code.md",
        ..BASE
    },
    Client {
        id: "continue",
        name: "Continue",
        user: &[
            at(Base::Variable("CONTINUE_GLOBAL_DIR"), &["config.yaml"]),
            at(Base::Home, &[".continue/config.yaml"]),
        ],
        project: &[".continue/mcpServers/sdl.yaml"],
        format: Format::Yaml,
        shape: Shape {
            list: true,
            fields: &[
                ("name", FieldValue::Name),
                ("command", FieldValue::Command),
                ("args", FieldValue::Args),
            ],
        },
        prelude: "name: Local Config\nversion: 1.0.0\nschema: v1\n",
        instead: &["config.json"],
        signs: &[folder(Base::Home, ".continue"), Sign::Program("cn")],
        fresh: Fresh::Itself,
        by_hand: "config.json is in use: move it to config.yaml, or save the text below as mcpServers/sdl.yaml beside it",
        docs: "https://docs.continue.dev/customize/deep-dives/mcp",
        source: "https://github.com/continuedev/continue/blob/main/core/util/paths.ts",
        ..BASE
    },
];
