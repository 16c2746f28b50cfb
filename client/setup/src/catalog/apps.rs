//! Applications for people, and terminals.

use super::{BASE, Base, Client, Fresh, On, Sign, at, folder, only};
use crate::machine::Os;

pub(super) const CLIENTS: &[Client] = &[
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        user: &[
            only(Os::Mac, Base::AppData, &["Claude/claude_desktop_config.json"]),
            only(Os::Windows, Base::AppData, &["Claude/claude_desktop_config.json"]),
        ],
        signs: &[
            Sign::Path(On::Only(Os::Mac), Base::AppData, "Claude"),
            Sign::Path(On::Only(Os::Windows), Base::AppData, "Claude"),
            Sign::App("Claude"),
        ],
        by_hand: "Settings > Developer > Edit Config",
        docs: "https://modelcontextprotocol.io/quickstart/user",
        unconfirmed: "no path for Linux is documented",
        ..BASE
    },
    Client {
        id: "lm-studio",
        name: "LM Studio",
        user: &[at(Base::Home, &[".lmstudio/mcp.json"])],
        signs: &[folder(Base::Home, ".lmstudio"), Sign::App("LM Studio")],
        fresh: Fresh::Itself,
        docs: "https://lmstudio.ai/docs/app/mcp",
        unconfirmed: "some versions for macOS keep it in ~/.cache/lm-studio \
                      (https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371)",
        ..BASE
    },
    Client {
        id: "boltai",
        name: "BoltAI",
        user: &[only(Os::Mac, Base::Home, &[".boltai/mcp.json"])],
        signs: &[Sign::Path(On::Only(Os::Mac), Base::Home, ".boltai"), Sign::App("BoltAI")],
        by_hand: "Settings > Plugins > MCP Servers",
        docs: "https://docs.boltai.com/docs/plugins/mcp-servers",
        unconfirmed: "the page was not read: other projects cite it for the path",
        ..BASE
    },
    Client {
        id: "warp",
        name: "Warp",
        user: &[at(Base::Home, &[".warp/.mcp.json"])],
        project: &[".warp/.mcp.json"],
        signs: &[
            folder(Base::Home, ".warp"),
            Sign::Path(On::Only(Os::Linux), Base::Config, "warp-terminal"),
            Sign::Program("warp-terminal"),
            Sign::App("Warp"),
        ],
        fresh: Fresh::Itself,
        docs: "https://docs.warp.dev/agents/capabilities/mcp",
        source: "https://www.skills.sh/warpdotdev/warp/agent-add-mcp",
        ..BASE
    },
    Client {
        id: "5ire",
        name: "5ire",
        signs: &[folder(Base::AppData, "5ire"), Sign::App("5ire")],
        by_hand: "Tools > New > Local",
        docs: "https://github.com/nanbingxyz/5ire",
        unconfirmed: "its file has no documented path, and the way through its menus was not read",
        ..BASE
    },
    Client {
        id: "witsy",
        name: "Witsy",
        signs: &[folder(Base::AppData, "Witsy"), Sign::App("Witsy")],
        by_hand: "Settings > MCP Servers > Add",
        docs: "https://github.com/nbonamy/witsy",
        unconfirmed: "its file has no documented path, and the way through its menus was not read",
        ..BASE
    },
];
