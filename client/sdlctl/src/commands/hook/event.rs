//! The events of clients, in one form.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::patch::patched_files;
use super::shell::read_command;
use crate::cli::HookClient;

/// What happened. Names on the wire are those of `HookKind` in the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Start,
    Subagent,
    Prompt,
    Tool,
    Stop,
}

/// The kind of a tool that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Grep,
    Glob,
    Read,
    Edit,
}

/// An event of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: Kind,
    /// The client's name for it, which the answer repeats.
    pub(super) name: String,
    pub(super) tool: Option<Tool>,
    pub(super) pattern: String,
    pub(super) files: Vec<String>,
    cwd: String,
    session: String,
    agent: String,
}

/// What a tool did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) tool: Option<Tool>,
    pub(super) pattern: String,
    pub(super) files: Vec<String>,
}

impl Event {
    /// None for an event that is not answered.
    pub(super) fn read(client: HookClient, input: &Value) -> Option<Self> {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        let name = text("hook_event_name");
        let kind = kind_of(client, &name)?;
        // It may stop now, because it goes on after a hook already.
        if kind == Kind::Stop && input["stop_hook_active"] == true {
            return None;
        }
        let done = match kind {
            Kind::Tool => read_tool(&text("tool_name"), &input["tool_input"]),
            _ => Done::default(),
        };
        let Done { tool, pattern, files } = done;
        let (cwd, session, agent) = (text("cwd"), text("session_id"), text("agent_id"));
        Some(Self { kind, name, tool, pattern, files, cwd, session, agent })
    }

    /// The parameters of the daemon's method.
    pub(super) fn to_request(&self, client: HookClient, ancestors: &HashSet<u32>, within_ms: u64) -> Value {
        let mut asked = json!({
            "client": client.name(),
            "kind": match self.kind {
                Kind::Start => "start",
                Kind::Subagent => "subagent",
                Kind::Prompt => "other",
                Kind::Tool => "tool",
                Kind::Stop => "stop",
            },
            "cwd": self.cwd,
            "session": self.session,
            "agent": self.agent,
            "ancestors": ancestors,
            "withinMs": within_ms,
        });
        if let Some(tool) = self.tool {
            asked["tool"] = match tool {
                Tool::Grep => "grep",
                Tool::Glob => "glob",
                Tool::Read => "read",
                Tool::Edit => "edit",
            }
            .into();
            asked["pattern"] = self.pattern.as_str().into();
            asked["files"] = json!(self.files);
        }
        asked
    }
}

fn kind_of(client: HookClient, event: &str) -> Option<Kind> {
    Some(match (client, event) {
        (_, "SessionStart") => Kind::Start,
        (HookClient::GeminiCli, "BeforeAgent") => Kind::Prompt,
        (HookClient::GeminiCli, "AfterTool") => Kind::Tool,
        (HookClient::GeminiCli, "AfterAgent") => Kind::Stop,
        (HookClient::GeminiCli, _) => return None,
        (_, "SubagentStart") => Kind::Subagent,
        (_, "UserPromptSubmit") => Kind::Prompt,
        (_, "PostToolUse") => Kind::Tool,
        (_, "Stop") => Kind::Stop,
        _ => return None,
    })
}

/// What a tool did. No two clients have different tools of one name.
fn read_tool(name: &str, input: &Value) -> Done {
    let text =
        |keys: &[&str]| keys.iter().find_map(|key| input[*key].as_str()).unwrap_or_default().to_owned();
    let file = || {
        let file = text(&["file_path", "absolute_path", "notebook_path", "path"]);
        if file.is_empty() { Vec::new() } else { vec![file] }
    };
    match name {
        "Grep" | "grep_search" | "search_file_content" => {
            Done { tool: Some(Tool::Grep), pattern: text(&["pattern"]), files: Vec::new() }
        }
        "Glob" | "glob" => Done { tool: Some(Tool::Glob), pattern: text(&["pattern"]), files: Vec::new() },
        "Read" | "read_file" => Done { tool: Some(Tool::Read), pattern: String::new(), files: file() },
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "edit" | "replace" | "write_file" => {
            Done { tool: Some(Tool::Edit), pattern: String::new(), files: file() }
        }
        "apply_patch" => {
            let files = patched_files(&text(&["command", "input", "patch"]));
            Done { tool: Some(Tool::Edit), pattern: String::new(), files }
        }
        "Bash" | "run_shell_command" => read_command(&text(&["command"])).unwrap_or_default(),
        _ => Done::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(client: HookClient, name: &str, tool: &str, input: Value) -> Option<Event> {
        Event::read(
            client,
            &json!({"hook_event_name": name, "tool_name": tool, "tool_input": input, "cwd": "/a", "session_id": "s"}),
        )
    }

    #[test]
    fn tools_of_clients_have_one_form() {
        for (client, name, tool, input, wanted) in [
            (HookClient::ClaudeCode, "PostToolUse", "Grep", json!({"pattern": "x"}), (Tool::Grep, "x", "")),
            (HookClient::ClaudeCode, "PostToolUse", "Glob", json!({"pattern": "x"}), (Tool::Glob, "x", "")),
            (
                HookClient::ClaudeCode,
                "PostToolUse",
                "Read",
                json!({"file_path": "/a/b"}),
                (Tool::Read, "", "/a/b"),
            ),
            (
                HookClient::ClaudeCode,
                "PostToolUse",
                "Write",
                json!({"file_path": "b"}),
                (Tool::Edit, "", "b"),
            ),
            (
                HookClient::ClaudeCode,
                "PostToolUse",
                "NotebookEdit",
                json!({"notebook_path": "b"}),
                (Tool::Edit, "", "b"),
            ),
            (
                HookClient::ClaudeCode,
                "PostToolUse",
                "Bash",
                json!({"command": "rg x"}),
                (Tool::Grep, "x", ""),
            ),
            (
                HookClient::Codex,
                "PostToolUse",
                "apply_patch",
                json!({"command": "*** Begin Patch\n*** Update File: b\n"}),
                (Tool::Edit, "", "b"),
            ),
            (
                HookClient::GeminiCli,
                "AfterTool",
                "search_file_content",
                json!({"pattern": "x"}),
                (Tool::Grep, "x", ""),
            ),
            (HookClient::GeminiCli, "AfterTool", "replace", json!({"file_path": "b"}), (Tool::Edit, "", "b")),
            (
                HookClient::QwenCode,
                "PostToolUse",
                "read_file",
                json!({"absolute_path": "/a/b"}),
                (Tool::Read, "", "/a/b"),
            ),
        ] {
            let found = event(client, name, tool, input).unwrap();
            let (kind, pattern, file) = wanted;
            assert_eq!(
                (found.kind, found.tool, &*found.pattern),
                (Kind::Tool, Some(kind), pattern),
                "{tool}"
            );
            assert_eq!(found.files.concat(), file, "{tool}");
        }
    }

    #[test]
    fn other_input_is_not_answered_or_says_no_tool() {
        for input in [
            json!({}),
            json!("no hook"),
            json!([1]),
            json!({"hook_event_name": "PreCompact"}),
            json!({"hook_event_name": 7}),
            json!({"hook_event_name": "Stop", "stop_hook_active": true}),
        ] {
            assert_eq!(Event::read(HookClient::ClaudeCode, &input), None, "{input}");
        }
        for (tool, input) in [
            ("WebFetch", json!({"url": "x"})),
            ("Bash", json!({"command": "rm -rf x"})),
            ("Bash", json!(null)),
            ("", json!({})),
        ] {
            let found = event(HookClient::ClaudeCode, "PostToolUse", tool, input).unwrap();
            assert_eq!((found.kind, found.tool), (Kind::Tool, None), "{tool}");
        }
        assert_eq!(event(HookClient::GeminiCli, "PostToolUse", "Grep", json!({})), None);
        let odd = event(HookClient::ClaudeCode, "PostToolUse", "Grep", json!({"pattern": ["x"]})).unwrap();
        assert_eq!((odd.tool, &*odd.pattern), (Some(Tool::Grep), ""));
    }

    #[test]
    fn the_request_names_what_happened() {
        let found = event(HookClient::ClaudeCode, "PostToolUse", "Grep", json!({"pattern": "x"})).unwrap();
        let asked = found.to_request(HookClient::ClaudeCode, &HashSet::from([7]), 160);
        assert_eq!(
            asked,
            json!({
                "client": "claude-code", "kind": "tool", "tool": "grep", "pattern": "x", "files": [], "cwd": "/a",
                "session": "s", "agent": "", "ancestors": [7], "withinMs": 160
            })
        );
    }
}
