//! The catalog itself: each entry is whole, and says where its file is on each system.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use sdl_setup::{Machine, Os, clients};

use crate::page::assert_table;

#[test]
fn there_are_at_least_twenty_five_clients_and_each_has_a_name_of_its_own() {
    let ids: BTreeSet<&str> = clients().map(|client| client.id).collect();
    let names: BTreeSet<&str> = clients().map(|client| client.name).collect();
    let count = clients().count();
    assert!(count >= 25, "{count}");
    assert_eq!((ids.len(), names.len()), (count, count));
    for id in ids {
        assert!(
            id.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'),
            "{id}"
        );
    }
}

#[test]
fn each_entry_names_its_documentation_and_a_way_to_use_it() {
    for client in clients() {
        assert!(client.docs.starts_with("https://"), "{}: {}", client.id, client.docs);
        assert!(client.source.is_empty() || client.source.starts_with("https://"), "{}", client.id);
        assert!(!client.signs.is_empty(), "{} has no sign by which it is found", client.id);
        assert!(!client.servers.is_empty(), "{}", client.id);
        let everywhere = [Os::Linux, Os::Mac, Os::Windows].into_iter().all(|os| {
            let machine = Machine::new(os, PathBuf::from("/home/u"), PathBuf::from("/project"));
            client.user_file(&machine).is_some()
        });
        let only_windows = client.id == "visual-studio";
        assert!(
            everywhere || only_windows || !client.by_hand.is_empty(),
            "{} has neither file nor words",
            client.id
        );
    }
}

#[test]
fn the_files_of_each_system() {
    let mut listed = String::new();
    for client in clients() {
        for os in [Os::Linux, Os::Mac, Os::Windows] {
            let machine = Machine::new(os, PathBuf::from("/home/u"), PathBuf::from("/project"));
            let path =
                client.user_file(&machine).map_or_else(|| "-".to_owned(), |path| path.display().to_string());
            writeln!(listed, "{:<24}{:<8}{path}", client.id, format!("{os:?}")).unwrap();
        }
        if let Some(name) = client.project.first() {
            writeln!(listed, "{:<24}{:<8}{name}", client.id, "project").unwrap();
        }
    }
    insta::assert_snapshot!("files", listed);
}

#[test]
fn a_variable_moves_the_file_that_it_is_documented_for() {
    let mut machine = Machine::new(Os::Linux, PathBuf::from("/home/u"), PathBuf::from("/project"));
    let file = |machine: &Machine, id| sdl_setup::find_client(id).unwrap().user_file(machine).unwrap();
    for (variable, id, expected) in [
        ("CLAUDE_CONFIG_DIR", "claude-code", "/v/.claude.json"),
        ("CODEX_HOME", "codex", "/v/config.toml"),
        ("GEMINI_CLI_HOME", "gemini-cli", "/v/.gemini/settings.json"),
        ("COPILOT_HOME", "copilot-cli", "/v/mcp-config.json"),
        ("XDG_CONFIG_HOME", "opencode", "/v/opencode/opencode.json"),
        ("XDG_CONFIG_HOME", "vscode", "/v/Code/User/mcp.json"),
        ("CLINE_MCP_SETTINGS_PATH", "cline", "/v"),
        ("VIBE_HOME", "mistral-vibe", "/v/config.toml"),
    ] {
        machine.variables = [(variable.to_owned(), PathBuf::from("/v"))].into();
        assert_eq!(file(&machine, id), PathBuf::from(expected), "{variable}");
        assert!(sdl_setup::catalog::variables().contains(&variable), "{variable} is not read");
    }
}

#[test]
fn a_client_is_found_by_its_folder_its_program_its_application_or_its_file() {
    let cursor = sdl_setup::find_client("cursor").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let bare = Machine::new(Os::Mac, home.clone(), folder.path().join("project"));
    assert!(!cursor.is_found(&bare));

    let mut with_program = bare.clone();
    with_program.programs = vec![folder.path().join("bin")];
    crate::world::put(&folder.path().join("bin/cursor"), "");
    assert!(cursor.is_found(&with_program));

    let mut with_application = bare.clone();
    with_application.applications = vec![folder.path().join("Applications")];
    std::fs::create_dir_all(folder.path().join("Applications/Cursor.app")).unwrap();
    assert!(cursor.is_found(&with_application));

    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    assert!(cursor.is_found(&bare));
}

#[test]
fn the_page_lists_the_catalog() {
    let mut table = String::from("| client | file | known from | unconfirmed |\n|---|---|---|---|\n");
    for client in clients() {
        let machine = |os| Machine::new(os, PathBuf::from("~"), PathBuf::new());
        let file =
            [Os::Linux, Os::Mac, Os::Windows].into_iter().find_map(|os| client.user_file(&machine(os)));
        let file = file.map_or_else(|| client.by_hand.to_owned(), |path| format!("`{}`", path.display()));
        let source =
            if client.source.is_empty() { String::new() } else { format!(", [source]({})", client.source) };
        writeln!(
            table,
            "| `{}` {} | {file} | [documentation]({}){source} | {} |",
            client.id, client.name, client.docs, client.unconfirmed
        )
        .unwrap();
    }
    assert_table(&table);
}
