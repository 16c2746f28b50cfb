//! The plugin for Claude Code says the same as what setup writes.

use std::fs;
use std::path::Path;

use sdl_setup::rules::{Head, hooks_file};
use sdl_setup::{Wanted, find_client, snippet::make_snippet};
use serde_json::Value;

/// Compares a file of the plugin. Run the test with SDL_UPDATE=1 to write it.
fn assert_file(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/claude-code").join(name);
    if std::env::var_os("SDL_UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "packaging/claude-code/{name} must be this; SDL_UPDATE=1 writes it:\n{expected}"
    );
}

#[test]
fn its_files_are_those_of_setup() {
    let client = find_client("claude-code").unwrap();
    assert_file("skills/sdl/SKILL.md", &Head::Skill.whole_file());
    assert_file("hooks/hooks.json", &hooks_file(client.hooks().unwrap(), "sdlctl").unwrap());
    let wanted = Wanted { program: "sdl-mcp".into(), arguments: None };
    assert_file(".mcp.json", &format!("{}\n", make_snippet(client, &wanted).unwrap()));
}

#[test]
fn its_version_is_ours() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/claude-code/.claude-plugin");
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let (plugin, market) = (read("plugin.json"), read("marketplace.json"));
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
    assert_eq!(market["plugins"][0]["source"], "./");
}
