//! The programs that are installed: whether the daemon's is found, whether there are others, and whether shims that run are old.

use std::path::{Path, PathBuf};

use sdl_client::spawn::PROGRAM_VARIABLE;

use super::finding::{DAEMON_PROGRAM, Finding, STALE_SHIMS, TWO_INSTALLATIONS};
use super::machine::Machine;
use crate::output::quote_word;

/// Programs that clients and people start.
const PROGRAMS: [&str; 4] = ["sdlctl", "sdld", "sdl-mcp", "sdl-http"];

/// Programs that clients keep running.
const SHIMS: [&str; 2] = ["sdl-mcp", "sdl-http"];

/// Programs that are asked for their build.
const MAX_ASKED: usize = 16;

pub(super) fn check_programs(machine: &Machine) -> Vec<Finding> {
    vec![check_daemon_program(machine), check_others(machine)]
}

/// The daemon's program: named by a variable, beside this one, or on the path.
pub(super) fn daemon_program(machine: &Machine) -> Option<PathBuf> {
    match machine.variables.get(PROGRAM_VARIABLE) {
        Some(named) => Some(PathBuf::from(named)),
        None => machine.programs("sdld").into_iter().next(),
    }
}

fn check_daemon_program(machine: &Machine) -> Finding {
    match daemon_program(machine) {
        None => Finding::bad(
            DAEMON_PROGRAM,
            "sdld is neither beside this program nor on the path",
            "install all programs into one folder, or name it: export SDL_DAEMON=/path/to/sdld",
        ),
        Some(program) if !machine.has_file(&program) => Finding::bad(
            DAEMON_PROGRAM,
            format!("{PROGRAM_VARIABLE} names {}, which is not there", program.display()),
            format!("let it be found: unset {PROGRAM_VARIABLE}"),
        ),
        Some(program) => Finding::ok(DAEMON_PROGRAM, program.display().to_string()),
    }
}

/// Programs of another build, beside this one or on the path. A client may start either.
fn check_others(machine: &Machine) -> Finding {
    let all: Vec<PathBuf> = PROGRAMS.iter().flat_map(|name| machine.programs(name)).take(MAX_ASKED).collect();
    let own = sdl_proto::BUILD;
    let other = all.iter().find_map(|program| {
        let build = (machine.build)(&machine.place(program)).filter(|build| build != own)?;
        Some((program, build))
    });
    let mut folders: Vec<&Path> = all.iter().filter_map(|program| program.parent()).collect();
    folders.sort_unstable();
    folders.dedup();
    let places: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    match other {
        Some((program, build)) if program.parent() == machine.resolve(&machine.program).parent() => {
            Finding::bad(
                TWO_INSTALLATIONS,
                format!("{} is build {build}, and this program beside it is build {own}", program.display()),
                "install all programs of one release again, then run: sdlctl restart",
            )
        }
        Some((program, build)) => Finding::warn(
            TWO_INSTALLATIONS,
            format!("{} is build {build}, and this program is build {own}", program.display()),
            format!("keep one of them; remove the other with: rm {}", quote_word(program.display())),
        ),
        None => Finding::ok(TWO_INSTALLATIONS, format!("one build, in {}", places.join(", "))),
    }
}

/// Shims whose program was replaced after their client had started them.
pub(super) fn check_shims(machine: &Machine) -> Option<Finding> {
    let is_shim = |path: &str| SHIMS.iter().any(|shim| path.rsplit('/').next() == Some(shim));
    let mut running = 0_u64;
    let stale: Vec<u32> = machine
        .processes()
        .into_iter()
        .filter(|pid| {
            let Some(exe) = machine.link_target(Path::new(&format!("/proc/{pid}/exe"))) else { return false };
            let (path, is_gone) =
                exe.strip_suffix(" (deleted)").map_or((exe.as_str(), false), |path| (path, true));
            running += u64::from(is_shim(path));
            is_shim(path) && is_gone
        })
        .collect();
    if running == 0 {
        return None;
    }
    let all = crate::output::format_count(running, "shim");
    Some(if stale.is_empty() {
        Finding::ok(STALE_SHIMS, format!("{all} of clients, none of them stale"))
    } else {
        let pids: Vec<String> = stale.iter().map(u32::to_string).collect();
        let pids = pids.join(" ");
        Finding::warn(
            STALE_SHIMS,
            format!("{} of {all} run a program that was replaced or deleted", stale.len()),
            format!(
                "restart their clients, which are the parents that this shows: ps -o ppid=,args= -p {pids}"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    #[test]
    fn the_daemons_program_is_looked_for_as_clients_do() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        let found = check_daemon_program(&machine);
        assert!(found.severity == Severity::Ok && found.note == "/home/me/.local/bin/sdld", "{found:?}");
        machine.set(PROGRAM_VARIABLE, "/gone/sdld");
        assert_eq!(check_daemon_program(&machine).severity, Severity::Bad);
        machine.variables.clear();
        machine.program = "/opt/sdlctl".into();
        assert_eq!(check_daemon_program(&machine).severity, Severity::Bad);
    }

    #[cfg(unix)]
    #[test]
    fn two_installations_are_a_problem_if_their_builds_differ() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        machine.link("/usr/bin/sdlctl", "../../home/me/.local/bin/sdlctl");
        let found = check_others(&machine);
        assert_eq!(found.note, "one build, in /home/me/.local/bin", "a link is no second one");
        machine.write("/usr/bin/sdl-mcp", "");
        assert_eq!(check_others(&machine).severity, Severity::Ok, "the same build twice");
        machine.build = |program| {
            let other = program.ends_with("usr/bin/sdl-mcp");
            Some(if other { "0.0.1".into() } else { sdl_proto::BUILD.to_owned() })
        };
        let found = check_others(&machine);
        assert!(found.severity == Severity::Warn && found.fix.unwrap().ends_with("rm /usr/bin/sdl-mcp"));
        machine.build = |program| {
            Some(if program.ends_with("bin/sdld") { "0.0.1".into() } else { sdl_proto::BUILD.to_owned() })
        };
        assert_eq!(check_others(&machine).severity, Severity::Bad, "beside each other");
    }

    #[cfg(unix)]
    #[test]
    fn shims_of_a_deleted_program_are_stale() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        assert_eq!(check_shims(&machine), None);
        machine.link("/proc/11/exe", "/home/me/.local/bin/sdl-mcp");
        machine.link("/proc/12/exe", "/usr/bin/vim (deleted)");
        assert_eq!(check_shims(&machine).unwrap().severity, Severity::Ok);
        machine.link("/proc/13/exe", "/home/me/.local/bin/sdl-mcp (deleted)");
        let found = check_shims(&machine).unwrap();
        assert!(found.severity == Severity::Warn && found.fix.unwrap().ends_with("-p 13"));
    }
}
