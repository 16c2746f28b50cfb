//! Decisions about entries that are there, and how files are written.

use std::fs;

use sdl_setup::file::backup_path;
use sdl_setup::{Action, Client, Os, Scope, find_client};

use crate::world::{SHIM, World, put};

fn client(id: &str) -> &'static Client {
    find_client(id).unwrap()
}

#[test]
fn a_foreign_entry_is_left_alone_unless_forced_and_comes_back() {
    let cursor = client("cursor");
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    let before = "{ \"mcpServers\": { \"sdl\": { \"command\": \"/usr/bin/other\" }, \"b\": {} } }";
    put(&file, before);
    assert_eq!(world.run(&[cursor], Scope::User, false), [Action::Foreign("/usr/bin/other".into())]);
    assert_eq!(world.run(&[cursor], Scope::User, true), [Action::Foreign("/usr/bin/other".into())]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);

    world.force = true;
    assert_eq!(world.run(&[cursor], Scope::User, false), [Action::Change]);
    assert!(fs::read_to_string(&file).unwrap().contains(SHIM));
    assert_eq!(fs::read_to_string(backup_path(&file)).unwrap(), before);
    assert_eq!(world.run(&[cursor], Scope::User, true), [Action::Remove]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert!(!backup_path(&file).exists());
}

#[test]
fn a_new_path_or_surface_changes_only_those_fields() {
    let mut world = World::new(Os::Linux);
    for (id, before) in [
        (
            "cursor",
            "{\n  \"mcpServers\": {\n    \"sdl\": {\n      \"command\": \"/old/sdl-mcp\", // mine\n      \"disabled\": true\n    }\n  }\n}\n",
        ),
        (
            "codex",
            "[mcp_servers.sdl] # mine\ncommand = '/old/sdl-mcp'\nargs = [ \"--surface\", \"flat\" ]\nenabled = false\n",
        ),
        ("goose", "extensions:\n  sdl:\n    cmd: /old/sdl-mcp # mine\n    args: []\n    enabled: false\n"),
        (
            "opencode",
            "{\"mcp\":{\"sdl\":{\"type\":\"local\",\"command\":[\"/old/sdl-mcp\"],\"enabled\":false}}}",
        ),
    ] {
        let client = client(id);
        let file = client.user_file(&world.machine).unwrap();
        put(&file, before);
        assert_eq!(world.run(&[client], Scope::User, false), [Action::Change], "{id}");
        let quoted = format!("\"{SHIM}\"");
        let expected = before.replace("'/old/sdl-mcp'", &quoted).replace("\"/old/sdl-mcp\"", &quoted);
        let expected = expected.replace("/old/sdl-mcp", &quoted);
        assert_eq!(fs::read_to_string(&file).unwrap(), expected, "{id}");
        assert!(!backup_path(&file).exists(), "{id}: a state with our entry is no backup");
    }
    world.arguments = Some(vec!["--surface".into(), "search".into()]);
    let cursor = client("cursor");
    assert_eq!(world.run(&[cursor], Scope::User, false), [Action::Change]);
    let file = cursor.user_file(&world.machine).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("\"args\": [\"--surface\", \"search\"]"));
    // Without a wish the surface stays.
    world.arguments = None;
    assert_eq!(world.run(&[cursor], Scope::User, false), [Action::Keep]);
}

#[test]
fn an_older_backup_stays() {
    let cursor = client("cursor");
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    put(&file, "{}");
    put(&backup_path(&file), "mine");
    world.run(&[cursor], Scope::User, false);
    assert_eq!(fs::read_to_string(backup_path(&file)).unwrap(), "mine");
    world.run(&[cursor], Scope::User, true);
    assert_eq!(fs::read_to_string(backup_path(&file)).unwrap(), "mine");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
}

#[test]
fn what_others_added_meanwhile_stays_and_what_we_made_goes() {
    let cursor = client("cursor");
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    put(&file, "{\n  \"a\": 1\n}\n");
    world.run(&[cursor], Scope::User, false);
    let text = fs::read_to_string(&file).unwrap().replace("\"a\": 1", "\"a\": 2");
    fs::write(&file, text).unwrap();
    world.run(&[cursor], Scope::User, true);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"a\": 2\n}\n");

    // A file that we made keeps what a person put into it.
    fs::remove_file(&file).unwrap();
    world.run(&[cursor], Scope::User, false);
    let text = fs::read_to_string(&file).unwrap().replace("\"sdl\"", "\"b\": {},\n    \"sdl\"");
    fs::write(&file, text).unwrap();
    world.run(&[cursor], Scope::User, true);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n");
}

#[test]
fn two_clients_share_a_file() {
    let pair = [client("claude-code"), client("visual-studio")];
    let mut world = World::new(Os::Windows);
    let file = world.machine.project.join(".mcp.json");
    for before in [None, Some("{\"x\": {}}"), Some("{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n")] {
        if let Some(before) = before {
            put(&file, before);
        }
        assert_eq!(world.run(&pair, Scope::Project, false), [Action::Add, Action::Add]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("\"servers\"") && text.contains("\"mcpServers\""), "{text}");
        assert_eq!(world.run(&pair[..1], Scope::Project, true), [Action::Remove]);
        assert!(fs::read_to_string(&file).unwrap().contains("\"servers\""));
        assert_eq!(world.run(&pair[..1], Scope::Project, false), [Action::Add]);
        assert_eq!(world.run(&pair, Scope::Project, true), [Action::Remove, Action::Remove]);
        match before {
            None => assert!(!file.exists()),
            Some(_) => {
                let left = fs::read_to_string(&file).unwrap();
                assert!(!left.contains("sdl"), "{left}");
                assert_eq!(
                    Some(left.replace(['\n', ' '], "")),
                    before.map(|text| text.replace(['\n', ' '], ""))
                );
                fs::remove_file(&file).unwrap();
            }
        }
        let _ = fs::remove_file(backup_path(&file));
        world.records = sdl_setup::Records::default();
    }
}

#[test]
fn a_file_in_use_instead_leaves_the_choice_to_a_person() {
    for (id, other) in [("continue", "config.json"), ("crush", "crushrc")] {
        let client = client(id);
        let mut world = World::new(Os::Linux);
        let file = client.user_file(&world.machine).unwrap();
        put(&file.with_file_name(other), "");
        assert_eq!(world.run(&[client], Scope::User, false), [Action::ByHand], "{id}");
        assert!(!file.exists());
    }
}

#[test]
fn the_record_survives_a_round_through_its_file() {
    let cursor = client("cursor");
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    put(&file, "{ /* ü */ }\n");
    world.run(&[cursor], Scope::User, false);
    let state = world.machine.home.join("state");
    world.records.save(&state).unwrap();
    world.records = sdl_setup::Records::load(&state).unwrap();
    world.run(&[cursor], Scope::User, true);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ /* ü */ }\n");
    fs::write(state.join("setup.json"), "{").unwrap();
    let error = sdl_setup::Records::load(&state).unwrap_err().to_string();
    assert!(error.contains("setup.json is damaged") && error.contains("move it away"), "{error}");
}

#[cfg(unix)]
#[test]
fn modes_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let cursor = client("cursor");
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    let real = world.machine.home.join("dotfiles/mcp.json");
    put(&real, "{}");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    symlink(&real, &file).unwrap();
    world.run(&[cursor], Scope::User, false);
    assert!(file.symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains(SHIM));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(backup_path(&real).exists() && !backup_path(&file).exists());
    let qwen = client("qwen-code");
    world.run(&[qwen], Scope::User, false);
    let made = qwen.user_file(&world.machine).unwrap();
    assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // The daemon trusts no state folder that others may write to.
    let state = world.machine.home.join(".local/state/sdl");
    world.records.save(&state).unwrap();
    assert_eq!(state.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}
