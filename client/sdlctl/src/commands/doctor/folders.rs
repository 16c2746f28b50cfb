//! The folders of client and daemon: whose they are, where they are, and whether both look in the same place.

use std::path::{Path, PathBuf};

use sdl_client::Paths;

use super::daemon::Daemon;
use super::finding::{Finding, RUNTIME_FOLDER, SOCKET_PATH, STATE_FOLDER, STATE_MOUNT};
use super::machine::Machine;
use crate::output::quote_word;

/// Files of the state folder whose owners are looked at.
const MAX_FILES: usize = 2_000;

/// Below the state folder, as far as owners are looked at: `repos/ID/data.mdb`.
const MAX_DEPTH: usize = 3;

pub(super) fn check_folders(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let paths = match &machine.paths {
        Ok(paths) => paths,
        Err(why) => {
            let fix = "give them a place: export SDL_STATE_DIR=\"$HOME/.local/state/sdl\"";
            return vec![Finding::bad(STATE_FOLDER, why.clone(), fix)];
        }
    };
    let mut found = vec![check_state(machine, paths)];
    found.extend(check_state_mount(machine, paths));
    found.extend(check_runtime(machine, paths, daemon));
    found.extend(check_socket_path(paths));
    found
}

fn check_state(machine: &Machine, paths: &Paths) -> Finding {
    let state = paths.state();
    let (place, word) = (state.display(), quote_word(state.display()));
    if !machine.has(state) {
        return Finding::ok(STATE_FOLDER, format!("{place} is not there yet; the daemon makes it"));
    }
    let real = machine.resolve(state);
    let Some(about) = machine.about(&real) else { return Finding::ok(STATE_FOLDER, place.to_string()) };
    if !about.is_folder {
        let fix = format!("move it away: mv {word} {word}.old");
        return Finding::bad(STATE_FOLDER, format!("{place} is not a folder"), fix);
    }
    if let Some((path, user)) = foreign_file(machine, &real) {
        return Finding::bad(
            STATE_FOLDER,
            format!("{} belongs to user {user}, perhaps after a run with sudo", path.display()),
            format!("take it back with: sudo chown -R \"$(id -u):$(id -g)\" {word}"),
        );
    }
    let fix = format!("close it to others with: chmod 700 {word}");
    match about.mode {
        mode if mode & 0o022 != 0 => Finding::bad(STATE_FOLDER, format!("others can write to {place}"), fix),
        mode if mode & 0o055 != 0 => Finding::warn(STATE_FOLDER, format!("others can read {place}"), fix),
        _ if machine.user == 0 && machine.variables.contains_key("SUDO_USER") => Finding::warn(
            STATE_FOLDER,
            format!("this runs as root by sudo; {place} is root's, not yours"),
            "run it as yourself: sdlctl doctor",
        ),
        _ => Finding::ok(STATE_FOLDER, place.to_string()),
    }
}

/// A file of the state folder that belongs to somebody else, and to whom.
fn foreign_file(machine: &Machine, state: &Path) -> Option<(PathBuf, u32)> {
    let mut waiting = vec![(state.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((path, depth)) = waiting.pop() {
        looked_at += 1;
        let Some(about) = machine.about(&path).filter(|_| looked_at <= MAX_FILES) else { continue };
        if about.user != machine.user {
            return Some((path, about.user));
        }
        if about.is_folder && depth < MAX_DEPTH {
            waiting.extend(machine.names_in(&path).into_iter().map(|name| (path.join(name), depth + 1)));
        }
    }
    None
}

/// LMDB maps its files into memory and locks them, which only local file systems do reliably.
fn check_state_mount(machine: &Machine, paths: &Paths) -> Option<Finding> {
    let real = machine.resolve(paths.state());
    let mounts = machine.mounts();
    let mount = mounts.holder_of(&real)?;
    Some(if mount.is_remote() || mount.is_shared() {
        Finding::bad(
            STATE_MOUNT,
            format!(
                "the state folder is on {} ({}), where its stores can be damaged",
                mount.kind,
                mount.point.display()
            ),
            "use a folder on a local disk: sdlctl stop, then export SDL_STATE_DIR=/var/tmp/sdl-$USER, also for your clients",
        )
    } else {
        Finding::ok(STATE_MOUNT, format!("the state folder is on {}", mount.kind))
    })
}

/// Jobs of cron, containers and some logins have no `XDG_RUNTIME_DIR`. Their programs look for the socket elsewhere.
fn check_runtime(machine: &Machine, paths: &Paths, daemon: &Daemon) -> Option<Finding> {
    let place = paths.runtime().display();
    if let Some(theirs) =
        daemon.pid.and_then(|pid| runtime_of(machine, pid)).filter(|path| path != paths.runtime())
    {
        return Some(Finding::bad(
            RUNTIME_FOLDER,
            format!("the daemon's socket is in {}, and this terminal looks in {place}", theirs.display()),
            format!("use the same here: export SDL_RUNTIME_DIR={}", quote_word(theirs.display())),
        ));
    }
    let named = machine.variable("XDG_RUNTIME_DIR").map(Path::new);
    let usual = PathBuf::from(format!("/run/user/{}", machine.user));
    let is_explicit =
        ["SDL_RUNTIME_DIR", "SDL_STATE_DIR"].iter().any(|name| machine.variables.contains_key(*name));
    Some(match named {
        _ if is_explicit => Finding::ok(RUNTIME_FOLDER, place.to_string()),
        Some(folder) if !machine.has(folder) => Finding::bad(
            RUNTIME_FOLDER,
            format!("XDG_RUNTIME_DIR names {}, which is not there", folder.display()),
            "let the programs choose a place that exists: unset XDG_RUNTIME_DIR",
        ),
        None if machine.has(&usual) => Finding::warn(
            RUNTIME_FOLDER,
            format!(
                "XDG_RUNTIME_DIR is not set here, so that programs of your desktop look elsewhere than in {place}"
            ),
            format!("set it: export XDG_RUNTIME_DIR={}", usual.display()),
        ),
        _ => Finding::ok(RUNTIME_FOLDER, place.to_string()),
    })
}

/// The runtime folder that a daemon was started with.
fn runtime_of(machine: &Machine, pid: u32) -> Option<PathBuf> {
    let variables = machine.read(format!("/proc/{pid}/environ"))?;
    let value = variables.split('\0').find_map(|one| one.strip_prefix("SDL_RUNTIME_DIR="))?;
    Some(PathBuf::from(value))
}

fn check_socket_path(paths: &Paths) -> Option<Finding> {
    let socket = paths.socket();
    let natural = paths.runtime().join(socket.file_name()?);
    Some(if socket == natural || cfg!(windows) {
        Finding::ok(SOCKET_PATH, socket.display().to_string())
    } else {
        let length = natural.as_os_str().len();
        Finding::warn(
            SOCKET_PATH,
            format!("{length} bytes are too long for a socket, so it is {}", socket.display()),
            "give it a short path, also for your clients: export SDL_RUNTIME_DIR=\"$HOME/.sdl-run\"",
        )
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    const STATE: &str = "/home/me/.local/state/sdl";

    fn only(found: &[Finding], check: &str) -> Finding {
        found.iter().find(|one| one.check.id == check).unwrap().clone()
    }

    #[test]
    fn folders_that_are_well_are_named() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let found = check_folders(&machine, &Daemon::default());
        assert!(found.len() == 4 && found.iter().all(|one| one.severity == Severity::Ok), "{found:#?}");
        assert_eq!(only(&found, "state-folder").note, STATE);
    }

    #[test]
    fn nothing_is_made() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        machine.paths = Ok(Paths::new("/home/me/new".into(), None));
        let found = check_folders(&machine, &Daemon::default());
        assert!(only(&found, "state-folder").note.contains("not there yet"), "{found:#?}");
        assert!(!machine.has("/home/me/new"));
        machine.paths = Err("no home folder is known".into());
        assert_eq!(check_folders(&machine, &Daemon::default())[0].severity, Severity::Bad);
    }

    #[test]
    fn owners_and_modes_are_checked() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        let state = |machine: &Machine| check_state(machine, machine.paths.as_ref().unwrap());
        machine.set_mode(STATE, 0o755);
        assert_eq!(state(&machine).severity, Severity::Warn);
        machine.set_mode(STATE, 0o777);
        assert_eq!(state(&machine).severity, Severity::Bad);
        machine.set_mode(STATE, 0o700);
        machine.user += 1;
        let found = state(&machine);
        assert!(found.severity == Severity::Bad && found.fix.unwrap().contains("chown -R"));
        machine.user = 0;
        machine.set("SUDO_USER", "me");
        assert_ne!(state(&machine).severity, Severity::Ok);
    }

    #[test]
    fn a_state_folder_on_the_network_is_bad() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let mounts = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n40 22 0:50 / /home rw - nfs4 server:/home rw\n";
        machine.write("/proc/self/mountinfo", mounts);
        let found = check_state_mount(&machine, machine.paths.as_ref().unwrap()).unwrap();
        assert!(found.severity == Severity::Bad && found.note.contains("nfs4 (/home)"), "{found:?}");
    }

    #[test]
    fn client_and_daemon_look_in_the_same_place() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        let runtime = |machine: &Machine, daemon: &Daemon| {
            check_runtime(machine, machine.paths.as_ref().unwrap(), daemon).unwrap()
        };
        let daemon = Daemon { pid: Some(7), ..Daemon::default() };
        machine.write("/proc/7/environ", "A=b\0SDL_RUNTIME_DIR=/run/user/1000/sdl\0");
        assert_eq!(runtime(&machine, &daemon).severity, Severity::Ok);
        machine.write("/proc/7/environ", "SDL_RUNTIME_DIR=/elsewhere\0");
        let found = runtime(&machine, &daemon);
        assert!(
            found.severity == Severity::Bad && found.fix.unwrap().ends_with("SDL_RUNTIME_DIR=/elsewhere")
        );
        machine.set("XDG_RUNTIME_DIR", "/run/user/4711");
        assert_eq!(runtime(&machine, &Daemon::default()).severity, Severity::Bad);
        machine.variables.remove("XDG_RUNTIME_DIR");
        assert_eq!(
            runtime(&machine, &Daemon::default()).severity,
            Severity::Ok,
            "a container has none at all"
        );
        machine.write(&format!("/run/user/{}/bus", machine.user), "");
        assert_eq!(runtime(&machine, &Daemon::default()).severity, Severity::Warn);
    }

    #[test]
    fn a_long_path_of_the_socket_is_shown() {
        let short = Paths::new("/s".into(), None);
        assert_eq!(check_socket_path(&short).unwrap().severity, Severity::Ok);
        let long = Paths::new(format!("/{}", "x".repeat(120)).into(), None);
        let found = check_socket_path(&long).unwrap();
        assert!(found.severity == Severity::Warn && found.note.starts_with("137 bytes"), "{found:?}");
    }
}
