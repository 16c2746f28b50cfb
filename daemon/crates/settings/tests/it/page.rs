//! Holds `docs/upstreams.md` to the settings.

use sdl_settings::Settings;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/upstreams.md");
    std::fs::read_to_string(path).unwrap()
}

/// The blocks of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// The keys that an error lists.
fn known_keys(text: &str) -> Vec<String> {
    let error = Settings::parse(text).map(|_| ()).expect_err(text);
    let (_, known) = error.message.split_once("known are ").expect("a list of keys");
    known.split(", ").map(str::to_owned).collect()
}

/// The rows of tables, as their first two cells.
fn rows(page: &str) -> Vec<(String, String)> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" | "));
    cells
        .map(|(name, rest)| {
            let default = rest.split(" | ").next().unwrap_or_default();
            (name.to_owned(), default.trim_matches(['|', ' ', '`']).to_owned())
        })
        .collect()
}

#[test]
fn every_key_has_a_row() {
    let rows = rows(&page());
    let entry = known_keys(r#"{"mcpServers": {"a": {"command": "x", "sdl": {"zzzz": 1}}}}"#);
    let top = known_keys(r#"{"sdl": {"zzzz": 1}}"#);
    assert!(entry.len() == 23 && top.len() == 7);
    for key in entry.iter().chain(&top) {
        assert!(rows.iter().any(|(name, _)| name.trim_matches('`') == key), "no row for {key}");
    }
    let text = page();
    for rule in [
        r#"{"sdl": {"policy": [{"zzzz": 1}]}}"#,
        r#"{"sdl": {"policy": [{"effect": "deny", "args": {"a": {"zzzz": 1}}}]}}"#,
        r#"{"sdl": {"profiles": [{"zzzz": 1}]}}"#,
    ] {
        for key in known_keys(rule) {
            assert!(
                text.contains(&format!("`{key}`")) || text.contains(&format!("\"{key}\"")),
                "nothing about {key}"
            );
        }
    }
}

#[test]
fn stated_defaults_and_ranges_are_true() {
    let mut count = 0;
    for (name, default) in rows(&page()) {
        let name = name.trim_matches('`');
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&default) else { continue };
        let text = |value: &serde_json::Value| {
            format!(r#"{{"mcpServers": {{"a": {{"command": "x", "sdl": {{"{name}": {value}}}}}}}}}"#)
        };
        let without = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
        let (stated, plain) = (Settings::parse(&text(&value)), Settings::parse(without));
        assert_eq!(stated.unwrap().settings, plain.unwrap().settings, "{name}");
        count += 1;
    }
    for word in ["mode", "lifecycle", "pin", "redact", "protocol"] {
        let (_, default) =
            rows(&page()).into_iter().find(|(name, _)| name.trim_matches('`') == word).unwrap();
        let text =
            format!(r#"{{"mcpServers": {{"a": {{"command": "x", "sdl": {{"{word}": "{default}"}}}}}}}}"#);
        let without = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
        assert_eq!(
            Settings::parse(&text).unwrap().settings,
            Settings::parse(without).unwrap().settings,
            "{word}"
        );
        count += 1;
    }
    assert!(count >= 18, "only {count} defaults were found");
}

#[test]
fn examples_are_read_without_a_remark() {
    // Others show one rule, or the start of a call.
    let all = blocks(&page(), "json");
    let examples: Vec<&String> = all.iter().filter(|block| block.contains("mcpServers")).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let parsed = Settings::parse(example).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((parsed.unused, parsed.remarks), (vec![], vec![]));
    }
    let broken =
        "{\"mcpServers\": {\n  \"fs\": { \"command\": \"mcp-fs\", \"sdl\": { \"moed\": \"auto\" } } } }";
    let error = Settings::parse(broken).map(|_| ()).unwrap_err();
    assert_eq!(blocks(&page(), "text").first(), Some(&format!("{error}\n")));
}
