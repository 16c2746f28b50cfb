//! Edits of the file.

use std::fs;

use sdl_settings::edit::{Document, EditError, Merged, read_block, update_settings, without_comments};
use sdl_settings::{Mode, ReadError, read_settings};
use serde_json::json;

const TEXT: &str = r#"{
  "theme": "dark",
  "mcpServers": {
    "fs": {
      "command": "npx",
      "args": ["-y", "server", "/src"],
      "note": 1.50
    },
    "web": {
      "url": "https://a/mcp",
      "disabled": true
    },
    "third": {
      "command": "x",
      "enabled": false,
      "sdl": {
        "about": "a third one"
      }
    }
  },
  "sdl": {
    "policy": [
      {
        "effect": "deny",
        "tools": ["fs/*"]
      }
    ]
  }
}
"#;

fn edited(change: impl FnOnce(&mut Document)) -> String {
    let mut document = Document::parse(TEXT).unwrap();
    change(&mut document);
    document.to_text().unwrap()
}

#[test]
fn what_is_not_edited_stays_as_it_is() {
    assert_eq!(edited(|_| {}), TEXT);
}

#[test]
fn keys_keep_their_order() {
    let text = edited(|document| {
        document.remove("fs").unwrap();
        document.add("fourth", json!({"command": "y"})).unwrap();
    });
    let document = Document::parse(&text).unwrap();
    assert_eq!(document.keys(), ["web", "third", "fourth"]);
    assert!(text.starts_with("{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"web\""), "{text}");
    assert!(text.contains("    \"fourth\": {\n      \"command\": \"y\"\n    }\n  },\n  \"sdl\""), "{text}");
}

#[test]
fn entries_are_enabled_by_the_key_that_they_have() {
    let text = edited(|document| {
        assert!(document.set_enabled("WEB", true).unwrap());
        assert!(!document.set_enabled("web", true).unwrap());
        assert!(document.set_enabled("third", true).unwrap());
        assert!(document.set_enabled("fs", false).unwrap());
    });
    assert!(text.contains("\"note\": 1.50,\n      \"disabled\": true"), "{text}");
    assert!(text.contains("\"url\": \"https://a/mcp\"\n"), "{text}");
    assert!(text.contains("\"enabled\": true,\n      \"sdl\""), "{text}");
}

#[test]
fn a_mode_is_set_in_the_object_that_is_ours() {
    let text = edited(|document| {
        assert!(document.set_mode("fs", Mode::Passthrough).unwrap());
        assert!(document.set_mode("third", Mode::Auto).unwrap());
        assert!(!document.set_mode("third", Mode::Auto).unwrap());
    });
    assert!(text.contains("\"sdl\": {\n        \"mode\": \"passthrough\"\n      }"), "{text}");
    assert!(text.contains("\"about\": \"a third one\",\n        \"mode\": \"auto\""), "{text}");
}

#[test]
fn refused_edits_say_why() {
    let mut document = Document::parse(TEXT).unwrap();
    let message = |result: Result<(), EditError>| result.unwrap_err().to_string();
    assert_eq!(
        message(document.add("FS", json!({}))),
        "there is an entry \"fs\" already; remove it first, or choose another key"
    );
    assert!(message(document.add("a b", json!({}))).contains("can't be a key"));
    assert_eq!(
        message(document.remove("thrid").map(|_| ())),
        "no entry has the key \"thrid\"; did you mean \"third\"?"
    );
    document.add("bad", json!({"command": "./x"})).unwrap();
    let error = document.to_text().unwrap_err();
    assert_eq!(error.path, "mcpServers.bad.command");
}

#[test]
fn pasted_blocks_are_read_in_every_form() {
    let entry = json!({"command": "x", "args": ["// no comment", ",}"]});
    let entries = vec![("a".to_owned(), entry)];
    for block in [
        r#"{"mcpServers": {"a": {"command": "x", "args": ["// no comment", ",}"]}}}"#,
        r#"{"servers": {"a": {"command": "x", "args": ["// no comment", ",}"]}}, "inputs": []}"#,
        r#"{"mcp": {"servers": {"a": {"command": "x", "args": ["// no comment", ",}"]}}}}"#,
        r#"{"a": {"command": "x", "args": ["// no comment", ",}"]}}"#,
        r#" "a": {"command": "x", "args": ["// no comment", ",}"]}"#,
        "{ // ours\n \"a\": {\"command\": \"x\", /* \" */ \"args\": [\"// no comment\", \",}\", ], }, }",
    ] {
        assert_eq!(read_block(block).unwrap(), entries, "{block}");
    }
    let error = read_block("\"a\": {\n\"command\": x}").unwrap_err();
    assert_eq!((error.line, error.column), (2, 12));
    assert!(read_block(r#"{"command": "x"}"#).unwrap_err().message.contains("no entries"));
    assert!(read_block("[]").is_err());
    assert_eq!(without_comments("é // é\n/* é */é"), "é      \n        é");
}

#[test]
fn a_merge_replaces_only_what_it_may() {
    let block = || read_block(r#"{"third": {"command": "new"}, "fourth": {"command": "y"}}"#).unwrap();
    let mut document = Document::parse(TEXT).unwrap();
    let merged = document.merge(block(), false).unwrap();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(merged, Merged { added: words(&["fourth"]), replaced: vec![], kept: words(&["third"]) });
    assert_eq!(document.entry("third").unwrap()["command"], "x");
    let merged = document.merge(block(), true).unwrap();
    assert_eq!(merged.replaced, ["third", "fourth"]);
    assert_eq!(document.entry("third").unwrap(), &json!({"command": "new", "sdl": {"about": "a third one"}}));
    assert_eq!(document.keys(), ["fs", "web", "third", "fourth"]);
}

#[test]
fn a_file_is_changed_as_a_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    assert!(read_settings(&state).unwrap().is_none());
    update_settings(&state, |document| document.add("a", json!({"command": "x"}))).unwrap();
    let file = read_settings(&state).unwrap().unwrap();
    assert_eq!(file.text, "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n");
    assert_eq!(file.parsed.settings.upstreams[0].key, "a");
    let error = update_settings(&state, |document| document.add("b", json!({"command": "./x"}))).unwrap_err();
    assert!(matches!(error, EditError::Refused(_)), "{error}");
    let error = update_settings(&state, |document| document.remove("zz").map(|_| ())).unwrap_err();
    assert!(matches!(error, EditError::Missing { .. }), "{error}");
    assert_eq!(read_settings(&state).unwrap().unwrap().text, file.text);
    let names: Vec<_> = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["mcp.json"]);
    // A fault of an entry can be removed with it, one of the JSON can't.
    fs::write(state.join("mcp.json"), r#"{"mcpServers": {"a": {"type": "sse"}}}"#).unwrap();
    assert!(matches!(read_settings(&state), Err(ReadError::Broken { .. })));
    update_settings(&state, |document| document.remove("a").map(|_| ())).unwrap();
    assert!(read_settings(&state).unwrap().unwrap().parsed.settings.upstreams.is_empty());
    fs::write(state.join("mcp.json"), "{ // mine\n}").unwrap();
    let error = update_settings(&state, |document| document.set_enabled("a", true)).unwrap_err();
    assert!(error.to_string().contains("comments are not allowed"), "{error}");
    fs::write(state.join("mcp.json"), b"{\n\"\xff\": 1}").unwrap();
    let Err(ReadError::Broken { error, .. }) = read_settings(&state) else { panic!() };
    assert_eq!((error.line, error.column), (2, 2));
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_is_not_read_or_edited() {
    use std::os::unix::fs::PermissionsExt;
    let set_mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    set_mode(state, 0o700);
    let path = state.join("mcp.json");
    fs::write(&path, "{}").unwrap();
    set_mode(&path, 0o666);
    let error = read_settings(state).unwrap_err();
    assert!(error.to_string().ends_with("mcp.json can be written by others; chmod 600 it"), "{error}");
    assert!(update_settings(state, |document| document.add("a", json!({"command": "x"}))).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    set_mode(&path, 0o644);
    assert!(read_settings(state).unwrap().is_some());
    set_mode(state, 0o777);
    let error = read_settings(state).unwrap_err();
    assert!(error.to_string().ends_with("chmod 700 it"), "{error}");
}
