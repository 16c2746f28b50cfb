//! Files that are not what they should be. Each stays as it is, with a reason, and the other clients go on.

use std::fs;

use sdl_setup::edit::find_entry;
use sdl_setup::{Action, Os, Scope, find_client};

use crate::world::{World, put};

fn reason(action: &Action) -> &str {
    let Action::Refuse(why) = action else { panic!("{action:?}") };
    why
}

/// Runs Cursor with that at the place of its file, and Kiro after it.
fn refuse(prepare: impl FnOnce(&std::path::Path)) -> String {
    let (cursor, kiro) = (find_client("cursor").unwrap(), find_client("kiro").unwrap());
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    prepare(&file);
    let actions = world.run(&[cursor, kiro], Scope::User, false);
    assert_eq!(actions[1], Action::Add, "the other client did not go on");
    let why = reason(&actions[0]);
    assert!(why.contains("mcp.json"), "{why}");
    why.to_owned()
}

#[test]
fn a_folder_in_the_place_of_the_file() {
    assert!(refuse(|file| fs::create_dir(file).unwrap()).contains("not a regular file"));
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_in_a_circle() {
    use std::os::unix::fs::symlink;
    assert!(refuse(|file| symlink("missing", file).unwrap()).contains("can't be followed"));
    let circle = refuse(|file| {
        symlink("other", file).unwrap();
        symlink("mcp.json", file.with_file_name("other")).unwrap();
    });
    assert!(circle.contains("can't be followed"), "{circle}");
}

#[test]
fn a_file_that_nobody_may_write() {
    let why = refuse(|file| {
        fs::write(file, "{}").unwrap();
        let mut permissions = file.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(file, permissions).unwrap();
    });
    assert!(why.contains("read-only"), "{why}");
}

#[test]
fn a_file_that_is_too_long_or_no_text() {
    let why = refuse(|file| {
        let file = fs::File::create(file).unwrap();
        file.set_len(sdl_setup::file::MAX_FILE_BYTES + 1).unwrap();
    });
    assert!(why.contains("16777217 bytes"), "{why}");
    let why = refuse(|file| fs::write(file, b"{\n\"a\": \"\xff\"}").unwrap());
    assert!(why.contains("line 2: not UTF-8"), "{why}");
}

#[test]
fn keys_of_the_wrong_type_and_keys_that_occur_twice() {
    let why = refuse(|file| fs::write(file, "{\n  \"mcpServers\": []\n}").unwrap());
    assert!(why.contains("line 2, column 17: mcpServers is a list, not a map"), "{why}");
    let why = refuse(|file| fs::write(file, "[]").unwrap());
    assert!(why.contains("the file is a list"), "{why}");
    let why = refuse(|file| fs::write(file, "{\"mcpServers\": {}, \"mcpServers\": {}}").unwrap());
    assert!(why.contains("line 1, column 20: mcpServers occurs twice"), "{why}");
    let why = refuse(|file| fs::write(file, "{\"mcpServers\": {\"sdl\": 1, \"sdl\": 2}}").unwrap());
    assert!(why.contains("sdl occurs twice"), "{why}");
}

#[test]
fn an_entry_that_is_no_map_is_foreign() {
    let cursor = find_client("cursor").unwrap();
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    put(&file, "{\"mcpServers\": {\"sdl\": [\"sdl-mcp\"]}}");
    assert!(matches!(world.run(&[cursor], Scope::User, false).as_slice(), [Action::Foreign(_)]));
}

#[test]
fn nesting_beyond_bounds_is_refused_in_each_syntax() {
    let deep = 200_000;
    for (id, text) in [
        ("cursor", "[".repeat(deep)),
        ("cursor", format!("{}1{}", "{\"a\":".repeat(300), "}".repeat(300))),
        ("codex", format!("a = {}", "[".repeat(deep))),
        ("goose", format!("a: {}", "[".repeat(deep))),
        ("goose", "- ".repeat(deep)),
    ] {
        let fault = find_entry(&text, find_client(id).unwrap().target()).unwrap_err();
        assert!(fault.to_string().contains("line 1"), "{id}: {fault}");
    }
}

#[test]
fn a_change_between_plan_and_writing_is_not_lost() {
    let cursor = find_client("cursor").unwrap();
    let mut world = World::new(Os::Linux);
    let file = cursor.user_file(&world.machine).unwrap();
    put(&file, "{}");
    let plan = world.plan(&[cursor], Scope::User, false);
    put(&file, "{\"new\": 1}");
    let result = world.apply(&plan).remove(0);
    assert!(result.unwrap_err().to_string().contains("changed by another program"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"new\": 1}");
}

#[test]
fn layouts_that_can_not_be_edited_are_named() {
    for (id, text, why) in
        [("goose", "{GOOSE_MODE: auto}\n", "in braces"), ("goose", "a: 1\n---\nb: 2\n", "several documents")]
    {
        let client = find_client(id).unwrap();
        let mut world = World::new(Os::Linux);
        put(&client.user_file(&world.machine).unwrap(), text);
        let actions = world.run(&[client], Scope::User, false);
        assert!(reason(&actions[0]).contains(why), "{text:?}: {:?}", actions[0]);
    }
}
