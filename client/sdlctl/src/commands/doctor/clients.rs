//! The MCP clients on this machine: those that are not set up, and those whose entry starts a program that is gone or another build.

use std::path::{Path, PathBuf};

use sdl_setup::edit::find_entry;
use sdl_setup::{Action, Client, Parts, Records, Request, Scope, Step, Wanted, clients, make_plan};
use serde_json::Value;

use super::finding::{CLIENT_ENTRY, CLIENT_SETUP, Finding};
use super::machine::Machine;
use super::programs::check_shims;

pub(super) fn check_clients(machine: &Machine) -> Vec<Finding> {
    let mut found = check_entries(machine);
    found.extend(check_shims(machine));
    found
}

fn check_entries(machine: &Machine) -> Vec<Finding> {
    let Some(known) = &machine.clients else { return Vec::new() };
    let chosen: Vec<&'static Client> = clients().filter(|client| client.is_found(known)).collect();
    if chosen.is_empty() {
        return vec![Finding::ok(CLIENT_SETUP, "no MCP client was found; see: sdlctl setup --list")];
    }
    let shim = machine.programs("sdl-mcp").into_iter().next().unwrap_or_else(|| PathBuf::from("sdl-mcp"));
    let wanted = Wanted { program: machine.place(&shim).to_string_lossy().into_owned(), arguments: None };
    let request = Request {
        clients: chosen,
        named: false,
        scope: Scope::User,
        wanted,
        // Only servers are looked at: a person may have left out the rest.
        parts: Parts { rules: false, hooks: false },
        hook_program: String::new(),
        remove: false,
        force: false,
    };
    let plan = make_plan(known, &request, &Records::default());
    let ids = |is_meant: fn(&Action) -> bool| -> Vec<&str> {
        plan.steps.iter().filter(|step| is_meant(&step.action)).map(|step| step.client.id).collect()
    };
    let ready = ids(|action| matches!(action, Action::Keep | Action::Change));
    let mut found = vec![describe_missing(&ids(|action| *action == Action::Add), &ready)];
    found.extend(plan.steps.iter().filter_map(|step| check_entry(machine, step, &shim)));
    found
}

fn describe_missing(missing: &[&str], ready: &[&str]) -> Finding {
    let names = missing.join(", ");
    match (missing, ready) {
        ([], []) => {
            Finding::ok(CLIENT_SETUP, "no client can be set up by itself; see: sdlctl setup --dry-run")
        }
        ([], ready) => Finding::ok(CLIENT_SETUP, format!("set up: {}", ready.join(", "))),
        // A person may want it in some of them alone.
        (_, [_, ..]) => Finding::ok(CLIENT_SETUP, format!("set up: {}; not: {names}", ready.join(", "))),
        _ => Finding::warn(
            CLIENT_SETUP,
            format!("none is set up of {names}"),
            "set them up with: sdlctl setup",
        ),
    }
}

/// The problem of one client's entry.
fn check_entry(machine: &Machine, step: &Step, shim: &Path) -> Option<Finding> {
    let (id, name) = (step.client.id, step.client.name);
    let fix = format!("write its entry again with: sdlctl setup --client {id}");
    match &step.action {
        Action::Change => {
            let program = entry_program(step)?;
            let place = Path::new(&program);
            if place.is_absolute() && !place.is_file() {
                return Some(Finding::bad(
                    CLIENT_ENTRY,
                    format!("{name} starts {program}, which is not there"),
                    fix,
                ));
            }
            if !place.is_absolute() && machine.programs("sdl-mcp").is_empty() {
                return Some(Finding::bad(
                    CLIENT_ENTRY,
                    format!("{name} starts {program}, which is not on the path"),
                    fix,
                ));
            }
            let build = place.is_absolute().then(|| (machine.build)(place)).flatten()?;
            (build != sdl_proto::BUILD).then(|| {
                let own = shim.display();
                Finding::warn(
                    CLIENT_ENTRY,
                    format!("{name} starts {program} of build {build}, not {own}"),
                    fix,
                )
            })
        }
        Action::Foreign(what) => Some(Finding::warn(
            CLIENT_ENTRY,
            format!("the entry sdl of {name} starts {what}, which is not sdl-mcp"),
            format!("if it is not meant, replace it with: sdlctl setup --force --client {id}"),
        )),
        Action::Refuse(why) => Some(Finding::warn(
            CLIENT_ENTRY,
            format!("{name}: {why}"),
            format!("correct it, then run: sdlctl setup --client {id}"),
        )),
        _ => None,
    }
}

/// The shim that a client's entry starts.
fn entry_program(step: &Step) -> Option<String> {
    let text = std::fs::read_to_string(step.file.as_ref()?).ok()?;
    let entry = find_entry(&text, step.client.target()).ok()??;
    find_shim(&entry).map(str::to_owned)
}

/// The text in an entry that names the shim, whatever its field is called.
fn find_shim(entry: &Value) -> Option<&str> {
    match entry {
        Value::String(text) => {
            let file = text.rsplit(['/', '\\']).next().unwrap_or_default();
            (file == "sdl-mcp" || file.eq_ignore_ascii_case("sdl-mcp.exe")).then_some(text.as_str())
        }
        Value::Array(all) => all.iter().find_map(find_shim),
        Value::Object(all) => all.values().find_map(find_shim),
        _ => None,
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use serde_json::json;

    use super::super::finding::Severity;
    use super::*;

    /// A machine with Cursor on it, whose entry starts a program.
    fn with_entry(root: &Path, command: Option<&str>) -> Machine {
        let mut machine = Machine::fixture(root);
        let (home, project) =
            (machine.place(Path::new("/home/me")), machine.place(Path::new("/home/me/app")));
        machine.clients = Some(sdl_setup::Machine::new(sdl_setup::Os::Linux, home, project));
        let servers =
            command.map(|command| json!({ "sdl": { "command": command, "args": [] } })).unwrap_or(json!({}));
        machine.write("/home/me/.cursor/mcp.json", &json!({ "mcpServers": servers }).to_string());
        machine
    }

    fn problems(machine: &Machine) -> Vec<(&'static str, Severity)> {
        let found = check_entries(machine).into_iter().filter(|one| one.severity != Severity::Ok);
        found.map(|one| (one.check.id, one.severity)).collect()
    }

    #[test]
    fn clients_without_an_entry_are_named_if_none_has_one() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(problems(&Machine::fixture(root.path())), []);
        let machine = with_entry(root.path(), None);
        assert_eq!(problems(&machine), [("client-setup", Severity::Warn)]);
        assert!(check_entries(&machine)[0].note.contains("cursor"));
        assert_eq!(describe_missing(&["zed"], &["cursor"]).severity, Severity::Ok);
    }

    #[test]
    fn entries_start_a_program_that_is_there_and_of_this_build() {
        let root = tempfile::tempdir().unwrap();
        let shim = root.path().join("home/me/.local/bin/sdl-mcp");
        assert_eq!(problems(&with_entry(root.path(), shim.to_str())), []);
        let machine = with_entry(root.path(), Some("/gone/sdl-mcp"));
        assert_eq!(problems(&machine), [("client-entry", Severity::Bad)]);
        let other = root.path().join("opt/sdl-mcp");
        let mut machine = with_entry(root.path(), other.to_str());
        machine.write("/opt/sdl-mcp", "");
        assert_eq!(problems(&machine), [], "the same build elsewhere");
        machine.build = |_| Some("0.0.1".to_owned());
        assert_eq!(problems(&machine), [("client-entry", Severity::Warn)]);
        assert_eq!(problems(&with_entry(root.path(), Some("/bin/cat"))), [("client-entry", Severity::Warn)]);
        let machine = with_entry(root.path(), None);
        machine.write("/home/me/.cursor/mcp.json", "{ no json");
        assert_eq!(problems(&machine)[0], ("client-entry", Severity::Warn));
    }
}
