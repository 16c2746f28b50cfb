//! Each client: no file, an empty one, one with other servers and comments, and a broken one.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sdl_setup::catalog::Format;
use sdl_setup::{Action, Client, Scope, clients};

use crate::world::{World, put, tree};

/// A file as a person has it: comments, other keys, two servers.
fn existing(client: &Client) -> String {
    let key = client.servers.join(".");
    match (client.format, client.shape.list) {
        (Format::Json, _) => format!(
            "// Mine.\n{{\n    \"theme\": \"dark\", // at night\n    \"{key}\": {{\n        /* the first */\n        \
             \"files\": {{ \"command\": \"files-mcp\", \"args\": [\"--root\", \"/\"] }},\n        \"search\": {{\n            \
             \"command\": \"search-mcp\" // no arguments\n        }}\n    }},\n    \"last\": [1, 2.50, null]\n}}\n"
        ),
        (Format::Toml, false) => format!(
            "# Mine.\nmodel = \"large\"   # the best\n\n[{key}.files]\ncommand = \"files-mcp\"\nargs = [\n  \"--root\",  # all\n  \
             \"/\",\n]\n\n[tui]\ntheme = 'dark'\n"
        ),
        (Format::Toml, true) => format!(
            "# Mine.\nmodel = \"large\"   # the best\n\n[[{key}]]\nname = \"files\"\ncommand = \"files-mcp\"\n\n[tui]\ntheme = 'dark'\n"
        ),
        (Format::Yaml, false) => format!(
            "# Mine.\nGOOSE_MODE: auto   # always\n\n{key}:\n  # the first\n  files:\n    cmd: files-mcp\n    args:\n      - --root\n\
             \n  search: {{cmd: search-mcp}}\nlast: |\n  text\n"
        ),
        (Format::Yaml, true) => format!(
            "# Mine.\nname: Main\nversion: 1.0.0\nschema: v1\n{key}:\n  # the first\n  - name: files\n    command: files-mcp\n\
             \n  - name: search\n    command: search-mcp\nmodels: []\n"
        ),
    }
}

fn broken(client: &Client) -> &'static str {
    match client.format {
        Format::Json => "{\n  \"a\": 1,\n  \"b\" 2\n}\n",
        Format::Toml => "a = 1\nb 2\n",
        Format::Yaml => "a: 1\nb: [2\n",
    }
}

fn file_of(world: &World, client: &Client, scope: Scope) -> Option<std::path::PathBuf> {
    match scope {
        Scope::User => client.user_file(&world.machine),
        Scope::Project => client.project_file(&world.machine),
    }
}

/// Adds, adds again, removes. Returns the text with our entry.
fn there_and_back(client: &'static Client, scope: Scope, before: Option<&str>) -> String {
    let mut world = World::for_client(client);
    let file = file_of(&world, client, scope).unwrap();
    if let Some(before) = before {
        put(&file, before);
    }
    let whole = tree(world.machine.home.parent().unwrap());
    assert_eq!(world.run(&[client], scope, false), [Action::Add], "{}", client.id);
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(world.run(&[client], scope, false), [Action::Keep], "{}", client.id);
    assert!(world.plan(&[client], scope, false).changes.is_empty(), "{}", client.id);
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    assert_eq!(world.run(&[client], scope, true), [Action::Remove], "{}", client.id);
    assert_eq!(tree(world.machine.home.parent().unwrap()), whole, "{}: removal left something", client.id);
    assert_eq!(world.records, sdl_setup::Records::default());
    after
}

/// The same without a record and with another change meanwhile: only our entry goes.
fn removed_without_record(client: &'static Client, scope: Scope, before: &str) -> String {
    let mut world = World::for_client(client);
    let file = file_of(&world, client, scope).unwrap();
    put(&file, before);
    world.run(&[client], scope, false);
    world.records = sdl_setup::Records::default();
    assert_eq!(world.run(&[client], scope, true), [Action::Remove], "{}", client.id);
    fs::read_to_string(&file).unwrap()
}

fn refused(client: &'static Client, scope: Scope) -> String {
    let mut world = World::for_client(client);
    let file = file_of(&world, client, scope).unwrap();
    put(&file, broken(client));
    let actions = world.run(&[client], scope, false);
    assert_eq!(fs::read_to_string(&file).unwrap(), broken(client));
    assert!(!Path::new(&format!("{}.sdl-backup", file.display())).exists());
    let [Action::Refuse(why)] = actions.as_slice() else { panic!("{actions:?}") };
    let root = world.machine.home.parent().unwrap().display().to_string();
    why.replace(&root, "")
}

#[test]
fn each_client_there_and_back() {
    for client in clients() {
        let mut shown = String::new();
        for (scope, name) in [(Scope::User, "user"), (Scope::Project, "project")] {
            let world = World::for_client(client);
            if file_of(&world, client, scope).is_none() {
                let action = &world.plan(&[client], scope, false).steps[0].action;
                assert_eq!(action, &Action::ByHand, "{}", client.id);
                continue;
            }
            let fresh = there_and_back(client, scope, None);
            assert_eq!(there_and_back(client, scope, Some("")), fresh, "{}", client.id);
            let text = existing(client);
            let after = there_and_back(client, scope, Some(&text));
            assert_eq!(removed_without_record(client, scope, &text), text, "{}", client.id);
            if scope == Scope::User || client.user.is_empty() {
                write!(shown, "== new file ({name})\n{fresh}\n== existing file\n{after}\n").unwrap();
                writeln!(shown, "== broken file\n{}", refused(client, scope)).unwrap();
            }
        }
        if shown.is_empty() {
            shown = format!("by hand: {}\n{}", client.by_hand, snippet(client));
        }
        insta::assert_snapshot!(client.id, shown);
    }
}

fn snippet(client: &Client) -> String {
    let wanted = sdl_setup::Wanted { program: crate::world::SHIM.into(), arguments: None };
    sdl_setup::snippet::make_snippet(client, &wanted).unwrap()
}
