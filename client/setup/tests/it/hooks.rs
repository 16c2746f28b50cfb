//! Hooks: our command among those of others.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use sdl_setup::catalog::hooks::HOOKS;
use sdl_setup::{Action, Client, Machine, Os, Part, Parts, Scope, find_client};
use serde_json::Value;

use crate::page::assert_table;
use crate::world::{World, put, tree};

const HOOKS_ONLY: Parts = Parts { rules: false, hooks: true };

/// Settings as a person has them: comments, hooks of others for an event of ours and for another one.
fn existing(client: &Client) -> String {
    let event = client.hooks().unwrap().events.iter().find(|event| event.matcher.is_some()).unwrap();
    EXISTING.replace("PostToolUse", event.name)
}

const EXISTING: &str = "// Mine.\n{\n    \"model\": \"large\", // the best\n    \"hooks\": {\n        \"PostToolUse\": [\n            \
                        {\n                \"matcher\": \"Edit\", /* format */\n                \"hooks\": [{ \"type\": \"command\", \
                        \"command\": \"fmt\" }]\n            }\n        ],\n        \"Notification\": []\n    },\n    \"last\": 1.50\n}\n";

fn world_with(parts: Parts) -> World {
    World::new(Os::Linux).with(parts)
}

fn run_hooks(world: &mut World, client: &'static Client, scope: Scope, remove: bool) -> Option<Action> {
    let plan = world.plan(&[client], scope, remove);
    for result in world.apply(&plan) {
        result.unwrap();
    }
    plan.steps.into_iter().find(|step| step.part == Part::Hooks).map(|step| step.action)
}

fn there_and_back(client: &'static Client, scope: Scope, before: Option<&str>) -> (String, String) {
    let mut world = world_with(HOOKS_ONLY);
    let file = client.hooks().unwrap().path(&world.machine, scope).unwrap();
    if let Some(before) = before {
        put(&file, before);
    }
    let root = world.machine.home.parent().unwrap().to_owned();
    let whole = tree(&root);
    assert_eq!(run_hooks(&mut world, client, scope, false), Some(Action::Add));
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(run_hooks(&mut world, client, scope, false), Some(Action::Keep));
    assert!(world.plan(&[client], scope, false).changes.is_empty());
    assert_eq!(run_hooks(&mut world, client, scope, true), Some(Action::Remove));
    assert_eq!(tree(&root), whole, "removal left something");
    assert_eq!(world.records, sdl_setup::Records::default());

    // Without a record the lists that we made stay, because they could be a person's.
    run_hooks(&mut world, client, scope, false);
    world.records = sdl_setup::Records::default();
    assert_eq!(run_hooks(&mut world, client, scope, true), Some(Action::Remove));
    (after, fs::read_to_string(&file).unwrap())
}

fn refused(client: &'static Client, text: &str) -> String {
    let mut world = world_with(HOOKS_ONLY);
    let file = client.hooks().unwrap().path(&world.machine, Scope::User).unwrap();
    put(&file, text);
    let plan = world.plan(&[client], Scope::User, false);
    for result in world.apply(&plan) {
        result.unwrap();
    }
    // Where the file is also that of the server, its entry may be refused first, or be written alone.
    let why = plan.steps.into_iter().find_map(|step| match step.action {
        Action::Refuse(why) => Some(why),
        _ => None,
    });
    let why = why.unwrap_or_else(|| panic!("{} wrote into {text:?}", client.id));
    let left = fs::read_to_string(&file).unwrap();
    assert!(!left.contains("hook --client") && (left == text || left.contains("sdl-mcp")), "{left}");
    why.replace(&world.machine.home.parent().unwrap().display().to_string(), "")
}

#[test]
fn each_client_there_and_back() {
    for hooks in HOOKS {
        let client = find_client(hooks.client).unwrap();
        let mut shown = String::new();
        for (scope, name) in [(Scope::User, "user"), (Scope::Project, "project")] {
            let world = world_with(HOOKS_ONLY);
            let root = world.machine.home.parent().unwrap().display().to_string();
            let path = hooks.path(&world.machine, scope).unwrap().display().to_string().replace(&root, "");
            let (fresh, _) = there_and_back(client, scope, None);
            assert_eq!(there_and_back(client, scope, Some("")).0, fresh);
            let (existing, left) = there_and_back(client, scope, Some(&existing(client)));
            assert_eq!(left.replace("[]", "").matches("fmt").count(), 1);
            write!(shown, "== {name}: {path}\n{fresh}== existing file\n{existing}").unwrap();
            write!(shown, "== removed without a record\n{left}").unwrap();
        }
        for broken in [
            "{\n  \"a\": 1,\n  \"b\" 2\n}\n",
            "{\n  \"hooks\": []\n}",
            "{\"hooks\": {\"SessionStart\": {}}}",
            "{\"hooks\": {}, \"hooks\": {}}",
        ] {
            writeln!(shown, "== refused\n{}", refused(client, broken)).unwrap();
        }
        insta::assert_snapshot!(format!("hooks-{}", client.id), shown);
    }
}

#[test]
fn a_new_path_is_the_same_hook() {
    let client = find_client("claude-code").unwrap();
    let mut world = world_with(HOOKS_ONLY);
    let file = client.hooks().unwrap().path(&world.machine, Scope::User).unwrap();
    put(&file, EXISTING);
    run_hooks(&mut world, client, Scope::User, false);
    let before = fs::read_to_string(&file).unwrap();
    for program in ["'/home/a b/sdlctl'", "\"C:/Program Files/sdlctl.exe\"", "sdlctl", "/opt/sdl/bin/sdlctl"]
    {
        world.hook_program = program.into();
        assert_eq!(run_hooks(&mut world, client, Scope::User, false), Some(Action::Change), "{program}");
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("hook --client claude-code").count(), 5, "{program}");
        serde_json::from_str::<Value>(
            &text.replace("// Mine.", "").replace("// the best", "").replace("/* format */", ""),
        )
        .unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    run_hooks(&mut world, client, Scope::User, true);
    assert_eq!(fs::read_to_string(&file).unwrap(), EXISTING);
}

#[test]
fn the_older_command_is_replaced_and_comes_back() {
    let client = find_client("claude-code").unwrap();
    let mut world = world_with(HOOKS_ONLY);
    let file = client.hooks().unwrap().path(&world.machine, Scope::User).unwrap();
    let older = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"other\"}, {\"type\": \"command\", \
                 \"command\": \"sdlctl session hook --client claude-code\"}]}]}}";
    put(&file, older);
    // A person's command is not ours to remove.
    assert_eq!(run_hooks(&mut world, client, Scope::User, true), None);
    assert_eq!(run_hooks(&mut world, client, Scope::User, false), Some(Action::Change));
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("session hook"), "{text}");
    assert_eq!(text.matches("hook --client claude-code").count(), 5);
    assert_eq!(run_hooks(&mut world, client, Scope::User, true), Some(Action::Remove));
    assert_eq!(fs::read_to_string(&file).unwrap(), older);
}

#[test]
fn a_command_in_an_element_of_others_goes_alone() {
    let client = find_client("claude-code").unwrap();
    let mut world = world_with(HOOKS_ONLY);
    let file = client.hooks().unwrap().path(&world.machine, Scope::User).unwrap();
    run_hooks(&mut world, client, Scope::User, false);
    let text = fs::read_to_string(&file).unwrap();
    let other = "{ \"type\": \"command\", \"command\": \"say hook --client claude-code\" },";
    let mine = text.replacen("\"hooks\": [\n", &format!("\"hooks\": [\n          {other}\n"), 1);
    fs::write(&file, &mine).unwrap();
    assert_eq!(run_hooks(&mut world, client, Scope::User, true), Some(Action::Remove));
    let left = fs::read_to_string(&file).unwrap();
    assert_eq!(left.matches("hook --client claude-code").count(), 1, "{left}");
    assert!(left.contains("\"say hook"), "{left}");
}

#[test]
fn rules_and_hooks_and_server_go_together() {
    let all = HOOKS.iter().map(|hooks| find_client(hooks.client).unwrap());
    for (client, scope) in all.flat_map(|client| [(client, Scope::User), (client, Scope::Project)]) {
        let mut world = world_with(Parts { rules: true, hooks: true });
        let root = world.machine.home.parent().unwrap().to_owned();
        let whole = tree(&root);
        assert_eq!(world.run(&[client], scope, false), vec![Action::Add; 3]);
        // One part may stay.
        world.parts.hooks = false;
        assert_eq!(world.run(&[client], scope, true), vec![Action::Remove; 2]);
        world.parts = HOOKS_ONLY;
        assert_eq!(world.run(&[client], scope, true), [Action::Nothing, Action::Remove]);
        assert_eq!(tree(&root), whole, "{} {scope:?}", client.id);
    }
}

#[test]
fn the_page_lists_the_hooks() {
    let mut table = String::from(
        "| client | yours | a project's | events | known from | unconfirmed |\n|---|---|---|---|---|---|\n",
    );
    let machine = Machine::new(Os::Linux, PathBuf::from("~"), PathBuf::new());
    for hooks in HOOKS {
        assert!(hooks.source.starts_with("https://"), "{}", hooks.client);
        let path = |scope| hooks.path(&machine, scope).unwrap().display().to_string();
        let events: Vec<String> = hooks.events.iter().map(|event| format!("`{}`", event.name)).collect();
        writeln!(
            table,
            "| `{}` | `{}` | `{}` | {} | [source]({}) | {} |",
            hooks.client,
            path(Scope::User),
            path(Scope::Project),
            events.join(", "),
            hooks.source,
            hooks.unconfirmed
        )
        .unwrap();
    }
    assert_table(&table);
}
