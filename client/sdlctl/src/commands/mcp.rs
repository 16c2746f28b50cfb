//! `mcp config`: prints the configuration with which an MCP client starts the shim.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::{McpClient, McpCommand};
use crate::output::{self, Failure, Outcome, style_bold};

const CLIENTS: [McpClient; 5] =
    [McpClient::ClaudeCode, McpClient::Cursor, McpClient::Codex, McpClient::GeminiCli, McpClient::Vscode];

pub(crate) fn run_mcp(command: McpCommand, as_json: bool) -> Result<Outcome, Failure> {
    let McpCommand::Config { client, surface } = command;
    let shim = find_shim()?;
    let shim = shim.to_string_lossy();
    let arguments: Vec<String> =
        surface.map_or_else(Vec::new, |surface| vec!["--surface".into(), surface.name().into()]);
    let wanted = client.map_or_else(|| CLIENTS.to_vec(), |client| vec![client]);
    if as_json {
        let list: Vec<Value> =
            wanted.iter().map(|client| describe_client(*client, &shim, &arguments)).collect();
        output::print_json(&json!({ "clients": list }));
        return Ok(Outcome::Good);
    }
    for client in wanted {
        let about = describe_client(client, &shim, &arguments);
        output::print_line(&format!(
            "{} ({})",
            style_bold(output::text_at(&about, "/name")),
            output::text_at(&about, "/where")
        ));
        output::print_block(output::text_at(&about, "/snippet"));
        output::print_line("");
    }
    Ok(Outcome::Good)
}

/// The shim beside this program, else the one on the path.
fn find_shim() -> Result<PathBuf, Failure> {
    let name = format!("sdl-mcp{}", std::env::consts::EXE_SUFFIX);
    let own =
        std::env::current_exe().map_err(|error| Failure::io("this program's own path is unknown", &error))?;
    let beside = own.with_file_name(&name);
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).map(|folder| folder.join(&name)).collect::<Vec<_>>());
    std::iter::once(beside).chain(on_path).find(|path| path.is_file()).ok_or_else(|| {
        Failure::Local(format!(
            "{name} is neither beside this program nor on the path; build or install it first"
        ))
    })
}

fn describe_client(client: McpClient, shim: &str, arguments: &[String]) -> Value {
    let server = json!({ "command": shim, "args": arguments });
    let (name, place, snippet) = match client {
        McpClient::ClaudeCode => {
            let tail: String = arguments.iter().map(|argument| format!(" {argument}")).collect();
            ("Claude Code", "run this command", format!("claude mcp add --scope user sdl -- {shim}{tail}"))
        }
        McpClient::Cursor => {
            ("Cursor", "~/.cursor/mcp.json", pretty_json(&json!({ "mcpServers": { "sdl": server } })))
        }
        McpClient::Codex => (
            "Codex",
            "~/.codex/config.toml",
            format!("[mcp_servers.sdl]\ncommand = {}\nargs = {}", json!(shim), json!(arguments)),
        ),
        McpClient::GeminiCli => (
            "Gemini CLI",
            "~/.gemini/settings.json",
            pretty_json(&json!({ "mcpServers": { "sdl": server } })),
        ),
        McpClient::Vscode => {
            let server = json!({ "type": "stdio", "command": shim, "args": arguments });
            ("VS Code", ".vscode/mcp.json", pretty_json(&json!({ "servers": { "sdl": server } })))
        }
    };
    json!({ "name": name, "where": place, "snippet": snippet })
}

fn pretty_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
