//! Laws of editing, on generated files.

use proptest::prelude::*;
use sdl_setup::catalog::Format;
use sdl_setup::edit::block::{BEGIN, END, find_block, put_block, remove_block};
use sdl_setup::edit::hooks::{HookTarget, add_hook, change_hook, find_hook, remove_hook};
use sdl_setup::edit::{Target, add_entry, find_entry, remove_entry};
use sdl_setup::rules::RULES_TEXT;
use serde_json::{Value, json};

fn fields() -> Vec<(String, Value)> {
    vec![
        ("name".to_owned(), json!("sdl")),
        ("command".to_owned(), json!("C:\\Program Files\\sdl\\sdl-mcp.exe")),
        ("args".to_owned(), json!(["--surface", "flat"])),
    ]
}

/// White space and comments that may be between two tokens of JSON.
fn trivia() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ ]{0,3}",
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" /* } , */ ".to_owned()),
        1 => Just(" // ] \"\n".to_owned()),
    ]
}

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.50e3".to_owned()),
        "[a-zü\\\\/{}, ]{0,6}".prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let list = (prop::collection::vec((trivia(), inner.clone(), trivia()), 0..4), any::<bool>());
        let map =
            (prop::collection::btree_map("[a-e]{1,2}", (trivia(), inner, trivia()), 0..4), any::<bool>());
        prop_oneof![
            list.prop_map(|(items, comma)| {
                let items: Vec<String> =
                    items.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
                format!("[{}]", join(&items, comma))
            }),
            map.prop_map(|(members, comma)| {
                let member = |(key, (a, value, b)): (String, (String, String, String))| {
                    format!("{a}\"{key}\":{value}{b}")
                };
                let members: Vec<String> = members.into_iter().map(member).collect();
                format!("{{{}}}", join(&members, comma))
            }),
        ]
    })
}

fn join(parts: &[String], trailing: bool) -> String {
    let comma = if trailing && !parts.is_empty() { "," } else { "" };
    format!("{}{comma}", parts.join(","))
}

fn json_file() -> impl Strategy<Value = String> {
    let member = || (trivia(), json_text(), trivia());
    let servers = prop::option::of(prop::collection::btree_map("[f-h]{1,2}", member(), 0..3));
    let others = prop::collection::btree_map("[a-d]{1,3}", member(), 0..4);
    (others, servers, any::<bool>(), trivia(), trivia(), "\u{feff}?").prop_map(
        |(others, servers, comma, before, after, mark)| {
            let render =
                |(key, (a, value, b)): (String, (String, String, String))| format!("{a}\"{key}\":{value}{b}");
            let mut members: Vec<String> = others.into_iter().map(render).collect();
            if let Some(servers) = servers {
                let inner: Vec<String> = servers.into_iter().map(render).collect();
                members
                    .insert(members.len() / 2, format!("{before}\"servers\": {{{}}}", join(&inner, comma)));
            }
            format!("{mark}{before}{{{}{after}}}{after}", join(&members, comma))
        },
    )
}

/// A settings file with hooks of others.
fn hooks_file() -> impl Strategy<Value = String> {
    let command = (trivia(), "[a-z]{1,4}", trivia());
    let element = prop::collection::vec(command, 0..3).prop_map(|commands| {
        let commands: Vec<String> = commands
            .into_iter()
            .map(|(a, name, b)| format!("{a}{{\"type\": \"command\",{b}\"command\": \"{name}\"}}"))
            .collect();
        format!("{{\"hooks\": [{}]}}", commands.join(","))
    });
    let list = prop::option::of(prop::collection::vec((trivia(), element, trivia()), 0..3));
    let other = prop::option::of((trivia(), json_text(), trivia()));
    (list, other, any::<bool>(), any::<bool>(), trivia()).prop_map(|(list, other, has_hooks, comma, end)| {
        let mut events = Vec::new();
        if let Some(list) = list {
            let items: Vec<String> = list.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
            events.push(format!("\"Stop\": [{}]", join(&items, comma)));
        }
        let mut members = Vec::new();
        if let Some((a, value, b)) = other {
            members.push(format!("{a}\"a\":{value}{b}"));
            events.push(format!("{a}\"Other\": []{b}"));
        }
        if has_hooks {
            members.push(format!("{end}\"hooks\": {{{}{end}}}", join(&events, comma)));
        }
        format!("{{{}{end}}}{end}", join(&members, comma))
    })
}

fn toml_file() -> impl Strategy<Value = (String, bool)> {
    let line = prop_oneof![
        Just("# note".to_owned()),
        Just(String::new()),
        "[a-d]{1,3}".prop_map(|key| format!("{key}{key} = [ 1, # one\n 2 ]")),
        "[a-d]{1,3}".prop_map(|key| format!("{key} = 'text'  # why")),
    ];
    let table = ("[f-h]{1,2}", prop::collection::vec(line, 0..4));
    (prop::collection::vec(table, 0..4), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(tables, list, crlf, ended)| {
            let mut text = "top = 1\n".to_owned();
            for (index, (name, lines)) in tables.into_iter().enumerate() {
                let head = match (list, index % 2) {
                    (true, 0) => format!("[[servers]]\nname = \"{name}{index}\""),
                    (false, 0) => format!("[servers.{name}{index}]"),
                    _ => format!("[{name}{index}]"),
                };
                let mut seen = std::collections::BTreeSet::new();
                let kept = lines.into_iter().filter(|line| match line.split_once(" =") {
                    Some((key, _)) => seen.insert(key.to_owned()),
                    None => true,
                });
                text.push_str(&format!("\n{head}\n{}\n", kept.collect::<Vec<_>>().join("\n")));
            }
            let text = if ended { text } else { text.trim_end().to_owned() };
            (if crlf { text.replace('\n', "\r\n") } else { text }, list)
        },
    )
}

fn yaml_file() -> impl Strategy<Value = (String, bool)> {
    let entry = ("[f-h]{1,2}", prop::bool::ANY, prop::bool::ANY);
    let other = prop_oneof![
        Just("# note\n".to_owned()),
        Just("\n".to_owned()),
        "[a-d]{2}".prop_map(|key| format!("{key}: 'x' # why\n")),
        "[a-d]{3}".prop_map(|key| format!("{key}:\n    - ü\n    - {{a: 1}}\n")),
        "[a-d]{4}".prop_map(|key| format!("{key}: |\n  text\n\n  more\n")),
    ];
    let kind = 0..5_usize;
    (
        prop::collection::vec(other.clone(), 0..3),
        prop::collection::vec(other, 0..3),
        prop::collection::vec(entry, 0..4),
        (kind, any::<bool>(), any::<bool>(), 0..3_usize),
    )
        .prop_map(|(before, after, entries, (kind, list, crlf, width))| {
            let mut text: String = unique(before);
            let indent = " ".repeat(if list { width } else { width + 1 });
            match kind {
                0 => {}
                1 => text.push_str(if list { "servers: [] # none\n" } else { "servers: {}\n" }),
                2 => text.push_str("servers:\n"),
                _ => {
                    let mut body = String::new();
                    for (index, (name, comment, gap)) in entries.iter().enumerate() {
                        if *comment {
                            body.push_str(&format!("{indent}# about\n"));
                        }
                        let one = if list {
                            format!("{indent}- name: {name}{index}\n{indent}  command: c\n")
                        } else {
                            format!("{indent}{name}{index}:\n{indent}  command: c\n")
                        };
                        body.push_str(&one);
                        if *gap {
                            body.push('\n');
                        }
                    }
                    text.push_str(&format!("servers: # mine\n{body}"));
                }
            }
            let text = format!("{text}{}", unique(after).replace(": ", "x: ").replace(":\n", "x:\n"));
            (if crlf { text.replace('\n', "\r\n") } else { text }, list)
        })
}

/// Parts with distinct keys.
fn unique(parts: Vec<String>) -> String {
    let mut seen = std::collections::BTreeSet::new();
    let fresh = |part: &String| {
        !part.contains(':') || seen.insert(part.split(':').next().unwrap_or_default().to_owned())
    };
    parts.into_iter().filter(fresh).collect()
}

/// Adds, checks, removes. Removal by structure gives the tree from before; its bytes are the record's work.
fn check(format: Format, list: bool, text: &str) -> Result<(), TestCaseError> {
    let target = Target { format, servers: &["servers"], list, name: "sdl" };
    prop_assert_eq!(find_entry(text, target).unwrap(), None);
    let fields = fields();
    let added = match add_entry(text, target, &fields) {
        Ok(added) => added,
        Err(fault) => return Err(TestCaseError::fail(format!("{fault}\n{text}"))),
    };
    let expected: Value = fields.iter().cloned().collect::<serde_json::Map<_, _>>().into();
    prop_assert_eq!(find_entry(&added.text, target).unwrap(), Some(expected));
    // Nothing that was there is gone: the old text is what remains without the inserted parts.
    let kept = text.replace("servers: []", "").replace("servers: {}", "");
    prop_assert!(is_subsequence(&kept, &added.text), "{}", added.text);
    let removed = remove_entry(&added.text, target, added.made);
    prop_assert!(removed.is_ok(), "{:?}\n{}", removed, added.text);
    let again = add_entry(&removed.unwrap(), target, &fields);
    prop_assert!(again.is_ok(), "{:?}", again);
    let undo = sdl_setup::record::Splice::between(text, &added.text);
    let end = undo.start + undo.length;
    prop_assert_eq!(format!("{}{}{}", &added.text[..undo.start], undo.removed, &added.text[end..]), text);
    Ok(())
}

/// White space inside of empty braces may go.
fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut letters = whole.chars();
    part.chars().filter(|letter| !letter.is_whitespace()).all(|letter| letters.any(|other| other == letter))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_keeps_all_else(text in json_file()) {
        check(Format::Json, false, &text)?;
    }

    #[test]
    fn toml_keeps_all_else((text, list) in toml_file()) {
        check(Format::Toml, list, &text)?;
    }

    #[test]
    fn yaml_keeps_all_else((text, list) in yaml_file()) {
        check(Format::Yaml, list, &text)?;
    }

    /// Any text without our markers comes back, and a second time changes nothing.
    #[test]
    fn a_block_leaves_no_trace(text in "(\u{feff})?([a-z<!> -]{0,9}(\n|\r\n|\r|\n\n)?){0,6}[a-zü#]{0,3}") {
        let added = put_block(&text, RULES_TEXT).unwrap();
        prop_assert!(find_block(&added).unwrap().is_some());
        prop_assert!(added.starts_with(&text));
        prop_assert_eq!(put_block(&added, RULES_TEXT).unwrap(), added.clone());
        let other = put_block(&added, "another text\nof two lines\n").unwrap();
        prop_assert_eq!(put_block(&other, RULES_TEXT).unwrap(), added.clone());
        prop_assert_eq!(remove_block(&added).unwrap(), text.clone());
        prop_assert_eq!(remove_block(&other).unwrap(), text);
    }

    /// Markers in any number and order are a pair, or are refused with their line.
    #[test]
    fn markers_are_a_pair_or_refused(lines in prop::collection::vec(0..3_usize, 0..6)) {
        let text: String = lines.iter().map(|kind| format!("{}\n", [BEGIN, END, "text"][*kind])).collect();
        let marks: Vec<usize> = lines.iter().copied().filter(|kind| *kind < 2).collect();
        match put_block(&text, RULES_TEXT) {
            Ok(_) => prop_assert!(marks.is_empty() || marks == [0, 1], "{}", text),
            Err(fault) => {
                prop_assert!(marks != [0, 1] && !marks.is_empty(), "{}", text);
                prop_assert!(fault.to_string().starts_with("line "), "{}", fault);
            }
        }
    }

    #[test]
    fn a_hook_keeps_all_else(text in hooks_file(), matcher in prop::option::of("[A-Z]{3}")) {
        let target = HookTarget { event: "Stop", client: "claude-code" };
        let command = "'/a b/sdlctl' hook --client claude-code";
        let added = add_hook(&text, target, matcher.as_deref(), command);
        prop_assert!(added.is_ok(), "{:?}\n{}", added, text);
        let added = added.unwrap();
        prop_assert_eq!(find_hook(&added.text, target, false).unwrap(), Some(command.to_owned()));
        prop_assert!(is_subsequence(&text, &added.text), "{}", added.text);
        let moved = change_hook(&added.text, target, "sdlctl hook --client claude-code").unwrap();
        prop_assert_eq!(change_hook(&moved, target, command).unwrap(), added.text.clone());
        let removed = remove_hook(&moved, target, added.made);
        prop_assert!(removed.is_ok(), "{:?}\n{}", removed, moved);
        let removed = removed.unwrap();
        prop_assert_eq!(find_hook(&removed, target, true).unwrap(), None);
        // A comma at the end of the list may go.
        let plain = |text: &str| text.replace([',', ' ', '\n', '\r', '\t'], "");
        prop_assert_eq!(plain(&removed), plain(&text));
    }

    /// No text makes the editor panic, and a refusal comes with a place.
    #[test]
    fn any_text_is_edited_or_refused(text in "[\\[\\]{}\":,#\\-a\n |&*!?>'=. ]{0,60}", kind in 0..3_usize, list: bool) {
        let format = [Format::Json, Format::Toml, Format::Yaml][kind];
        let target = Target { format, servers: &["a"], list, name: "sdl" };
        match add_entry(&text, target, &fields()) {
            Ok(added) => prop_assert!(find_entry(&added.text, target).unwrap().is_some()),
            Err(fault) => prop_assert!(fault.to_string().starts_with("line "), "{}", fault),
        }
        let _ = remove_entry(&text, target, 1);
    }
}
