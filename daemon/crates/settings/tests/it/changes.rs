//! What a reload has to do.

use sdl_settings::{ChangeKind, Settings, changed};

fn changes(old: &str, new: &str) -> Vec<(String, ChangeKind)> {
    let parse = |text: &str| Settings::parse(text).unwrap().settings;
    let changes = changed(&parse(old), &parse(new));
    changes.into_iter().map(|change| (change.key, change.kind)).collect()
}

/// Entry `a` with these members.
fn entry(members: &str) -> String {
    format!(r#"{{"mcpServers": {{"a": {{{members}}}}}}}"#)
}

#[test]
fn each_member_has_its_kind_of_change() {
    let base = entry(r#""command": "x""#);
    assert!(changes(&base, &base).is_empty());
    for members in [
        r#""command": "y""#,
        r#""command": "x", "args": ["-y"]"#,
        r#""command": "x", "env": {"A": "1"}"#,
        r#""url": "https://a""#,
        r#""command": "x", "sdl": {"cwd": "/src"}"#,
        r#""command": "x", "sdl": {"lifecycle": "root"}"#,
        r#""command": "x", "sdl": {"ask": ["roots"]}"#,
        r#""command": "x", "sdl": {"protocol": "2025-06-18"}"#,
        r#""command": "x", "sdl": {"memoryMb": 100}"#,
    ] {
        assert_eq!(changes(&base, &entry(members)), [("a".to_owned(), ChangeKind::Transport)], "{members}");
    }
    for own in [
        r#""mode": "auto""#,
        r#""tools": {"deny": ["x"]}"#,
        r#""about": "x""#,
        r#""pin": "off""#,
        r#""timeoutMs": 500"#,
        r#""maxInFlight": 2"#,
    ] {
        let new = entry(&format!(r#""command": "x", "sdl": {{{own}}}"#));
        assert_eq!(changes(&base, &new), [("a".to_owned(), ChangeKind::Own)], "{own}");
    }
    // Nothing that counts.
    assert!(changes(&base, &entry(r#""type": "stdio", "command": "x", "note": 1"#)).is_empty());
}

#[test]
fn disabled_entries_count_as_none() {
    let (on, off) = (entry(r#""command": "x""#), entry(r#""command": "x", "disabled": true"#));
    assert_eq!(changes(&on, &off), [("a".to_owned(), ChangeKind::Removed)]);
    assert_eq!(changes(&off, &on), [("a".to_owned(), ChangeKind::Added)]);
    assert!(changes(&off, "{}").is_empty());
}

#[test]
fn defaults_change_every_entry() {
    let old = r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x", "sdl": {"mode": "auto"}}}}"#;
    let new = r#"{"sdl": {"defaults": {"mode": "auto"}}, "mcpServers": {"a": {"command": "x"},
        "b": {"command": "x"}, "c": {"command": "x"}}}"#;
    assert_eq!(changes(old, new), [("a".to_owned(), ChangeKind::Own), ("c".to_owned(), ChangeKind::Added)]);
}
