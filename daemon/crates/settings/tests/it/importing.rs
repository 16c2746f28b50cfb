//! Entries from files of other clients.

use std::path::Path;

use sdl_settings::edit::Document;
use sdl_settings::import::{Source, find_plain_secrets, import_text, move_secrets};
use sdl_settings::{looks_secret, names_secret};
use serde_json::json;

#[test]
fn servers_of_claude_code_come_with_those_of_its_projects() {
    let text = r#"{"numStartups": 3, "mcpServers": {"fs": {"type": "stdio", "command": "npx", "args": ["x"], "env": {}}},
        "projects": {"/src/shop": {"mcpServers": {"fs": {"command": "other"}, "db": {"command": "db"}}},
                     "/src/other": {"mcpServers": {"db": {"command": "db"}}}, "/none": {}}}"#;
    let imported = import_text(Some(Source::ClaudeCode), text, false).unwrap();
    let found: Vec<_> =
        imported.entries.iter().map(|entry| (entry.key.as_str(), entry.project.as_deref())).collect();
    assert_eq!(found, [("fs", None), ("fs-2", Some("/src/shop")), ("db", Some("/src/shop"))]);
    assert_eq!(
        imported.entries[0].entry,
        json!({"type": "stdio", "command": "npx", "args": ["x"], "env": {}, "disabled": true})
    );
    assert_eq!(imported.entries[0].command_line, "npx x");
    let only_projects = r#"{"projects": {"/a": {"mcpServers": {"b": {"command": "x"}}}}}"#;
    assert_eq!(import_text(Some(Source::ClaudeCode), only_projects, true).unwrap().entries.len(), 1);
}

#[test]
fn files_of_editors_may_have_comments_inputs_and_their_own_variables() {
    let text = r#"{
        // The servers of this machine.
        "inputs": [{"type": "promptString", "id": "gh-token", "description": "A token", "password": true}],
        "servers": {
            "GitHub (work)": {"type": "http", "url": "https://a/mcp",
                              "headers": {"Authorization": "Bearer ${input:gh-token}"}},
            "local": {"command": "${userHome}/bin/x", "args": ["${workspaceFolder}/y"], "cwd": "/src", "dev": {},
                      "env": {"PORT": 80}},
            "old": {"type": "sse", "url": "https://a/sse"},
        }
    }"#;
    let imported = import_text(Some(Source::VsCode), text, true).unwrap();
    let [github, local] = &imported.entries[..] else { panic!("{imported:?}") };
    assert_eq!((github.key.as_str(), github.name.as_str()), ("GitHub-work", "GitHub (work)"));
    assert_eq!(github.command_line, "https://a/mcp");
    assert!(github.secrets.is_empty());
    assert_eq!(
        local.entry,
        json!({"command": "${HOME}/bin/x", "args": ["${workspaceFolder}/y"], "dev": {}, "env": {"PORT": "80"},
               "sdl": {"cwd": "/src"}})
    );
    assert_eq!(local.remarks.len(), 2, "{:?}", local.remarks);
    assert!(local.remarks[0].contains("open folder") && local.remarks[1] == "not used here: dev");
    assert_eq!(imported.skipped.len(), 1);
    assert!(imported.skipped[0].why.starts_with("type: \"sse\" is"), "{:?}", imported.skipped);
    let input = &imported.inputs[0];
    assert_eq!(
        (input.name.as_str(), input.about.as_deref(), input.is_password),
        ("gh-token", Some("A token"), true)
    );
}

#[test]
fn the_file_of_codex_is_toml() {
    let text = r#"
        model = "o"
        [mcp_servers.docs]
        command = "npx"
        args = ["-y", "docs", "${X}"]
        env_vars = ["LANG"]
        startup_timeout_sec = 20
        tool_timeout_sec = 900.0
        enabled_tools = ["search"]
        [mcp_servers.docs.env]
        API_KEY = "abcdefgh"
        [mcp_servers.web]
        url = "https://a/mcp"
        bearer_token_env_var = "WEB_TOKEN"
        http_headers = { "X-Region" = "eu" }
        env_http_headers = { "X-Org" = "ORG" }
        enabled = false
    "#;
    for source in [Some(Source::Codex), None] {
        let imported = import_text(source, text, true).unwrap();
        let [docs, web] = &imported.entries[..] else { panic!("{imported:?}") };
        assert_eq!(
            docs.entry,
            json!({"command": "npx", "args": ["-y", "docs", "$${X}"], "env": {"API_KEY": "abcdefgh", "LANG": "${LANG:-}"},
                   "sdl": {"startTimeoutMs": 20000, "timeoutMs": 900_000, "maxTotalMs": 900_000,
                           "tools": {"allow": ["search"]}}})
        );
        assert_eq!(
            web.entry,
            json!({"url": "https://a/mcp", "enabled": false, "headers":
                {"X-Region": "eu", "X-Org": "${ORG}", "Authorization": "Bearer ${WEB_TOKEN}"}})
        );
    }
    let error = import_text(Some(Source::Codex), "[mcp_servers.a]\ncommand = x", true).unwrap_err();
    assert_eq!(error.line, 2);
    assert!(import_text(Some(Source::Codex), "a = 1", true).unwrap_err().message.contains("no entries"));
}

#[test]
fn secrets_are_listed_and_moved() {
    let text = r#"{"mcpServers": {
        "one": {"command": "x", "args": ["--token", "abcdefgh", "--api-key=abcdefgh", "a b"],
                "env": {"TOKEN": "first-value", "LEVEL": "verbose", "KEY_FILE": "/home/me/key"}},
        "two": {"command": "x", "env": {"TOKEN": "second-value", "GH": "ghp_0123456789"}},
        "web": {"url": "https://a", "headers": {"Authorization": "Bearer abc.def.ghi", "X-Region": "eu"}}}}"#;
    let mut imported = import_text(Some(Source::Cursor), text, false).unwrap();
    assert_eq!(imported.entries[0].command_line, "x --token *** *** 'a b'");
    let named: Vec<Vec<&str>> = imported
        .entries
        .iter()
        .map(|entry| entry.secrets.iter().map(|secret| secret.credential.as_str()).collect())
        .collect();
    assert_eq!(named, [vec!["TOKEN"], vec!["TWO_TOKEN", "GH"], vec!["WEB_AUTHORIZATION"]]);
    let web = &mut imported.entries[2];
    let moved = move_secrets(&mut web.entry, &web.secrets);
    assert_eq!(web.entry["headers"]["Authorization"], "Bearer ${WEB_AUTHORIZATION}");
    assert_eq!((moved[0].0.as_str(), moved[0].1.expose()), ("WEB_AUTHORIZATION", "abc.def.ghi"));
    assert!(find_plain_secrets("web", &web.entry).is_empty());
    let mut document = Document::default();
    document.merge(imported.entries.into_iter().map(|entry| (entry.key, entry.entry)), false).unwrap();
    assert!(document.to_text().unwrap().contains("\"disabled\": true"));
}

#[test]
fn names_and_values_that_look_like_secrets() {
    for name in ["GITHUB_TOKEN", "apiKey", "X-Api-Key", "Authorization", "DB_PWD", "GITHUB_PAT", "Cookie"] {
        assert!(names_secret(name), "{name}");
    }
    for name in ["PWD", "LEVEL", "COMPAT", "PUBLIC_KEY", "HOTKEY", "KEY_FILE", "TOKENS_PER_MINUTE"] {
        assert!(!names_secret(name), "{name}");
    }
    assert!(looks_secret("X", "sk-0123456789") && looks_secret("URL", "postgres://u:p@h/db"));
    for (name, value) in
        [("TOKEN", "${TOKEN}"), ("TOKEN", "x"), ("TOKEN", "/run/token"), ("URL", "https://a.b/c")]
    {
        assert!(!looks_secret(name, value), "{name}={value}");
    }
}

#[test]
fn strange_names_get_keys_of_their_own() {
    let text = r#"{"mcpServers": {"@scope/server.name": {"command": "x"}, "scope server name": {"command": "y"},
        "äöü": {"command": "x"}, "SDL": {"command": "x"}, "_": {"command": "z"},
        "a-very-long-name-of-a-server-that-nobody-would-type": {"command": "x"}}}"#;
    let imported = import_text(None, text, true).unwrap();
    let keys: Vec<&str> = imported.entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "scope-server-name",
            "scope-server-name-2",
            "server",
            "SDL-server",
            "server-2",
            "a-very-long-name-of-a-server-tha"
        ]
    );
}

#[test]
fn each_client_has_its_file() {
    let file = |source: Source| source.file(Path::new("/h"), Path::new("/h/.config")).display().to_string();
    let files: Vec<String> = Source::WORDS.iter().map(|(_, source)| file(*source)).collect();
    assert_eq!(
        files,
        [
            "/h/.claude.json",
            "/h/.config/Claude/claude_desktop_config.json",
            "/h/.cursor/mcp.json",
            "/h/.config/Code/User/mcp.json",
            "/h/.codex/config.toml"
        ]
    );
}
