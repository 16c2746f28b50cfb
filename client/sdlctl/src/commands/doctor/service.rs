//! The service: whether its unit starts a program that exists, whether it is enabled, and whether it outlives a logout.

use std::path::{Path, PathBuf};

use super::finding::{Finding, SERVICE_UNIT};
use super::machine::Machine;
use super::programs::daemon_program;

/// The units, and the folders of links that enable them.
const ENABLED: [&str; 2] = ["sockets.target.wants/sdld.socket", "default.target.wants/sdld.service"];

/// Checks the units of a systemd user manager. Other service managers are not looked at.
pub(super) fn check_service(machine: &Machine) -> Option<Finding> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let folder = machine.config_folder().join("systemd/user");
    let unit = folder.join("sdld.service");
    let Some(text) = machine.read(&unit) else {
        return Some(Finding::ok(SERVICE_UNIT, "no service is installed; clients start the daemon"));
    };
    let install = "write the unit again with: sdlctl service install";
    let Some(program) = started_program(&text) else {
        return Some(Finding::bad(SERVICE_UNIT, format!("{} starts nothing", unit.display()), install));
    };
    let start = program.display();
    if !machine.has_file(&program) {
        let note = format!("{} starts {start}, which is not there", unit.display());
        return Some(Finding::bad(SERVICE_UNIT, note, install));
    }
    let installed = daemon_program(machine).map(|program| machine.resolve(&program));
    if let Some(installed) = installed.filter(|installed| *installed != machine.resolve(&program)) {
        let note = format!("the service starts {start}, and clients start {}", installed.display());
        return Some(Finding::warn(SERVICE_UNIT, note, install));
    }
    if !ENABLED.iter().any(|link| machine.has(folder.join(link))) {
        let fix = "enable it with: systemctl --user enable --now sdld.socket sdld.service";
        return Some(Finding::warn(SERVICE_UNIT, "the service is installed and not enabled", fix));
    }
    Some(check_lingering(machine, &program))
}

/// A user's services end with the last login, which matters on a machine that one reaches over SSH.
fn check_lingering(machine: &Machine, program: &Path) -> Finding {
    let user = machine.variable("USER").or_else(|| machine.variable("LOGNAME")).unwrap_or_default();
    let lingers = !user.is_empty() && machine.has(Path::new("/var/lib/systemd/linger").join(user));
    let start = program.display();
    if lingers {
        return Finding::ok(SERVICE_UNIT, format!("the service starts {start}, also without a login"));
    }
    if machine.variables.contains_key("SSH_CONNECTION") {
        return Finding::warn(
            SERVICE_UNIT,
            format!("the service starts {start} and ends when you log out"),
            "let it stay with: loginctl enable-linger",
        );
    }
    Finding::ok(SERVICE_UNIT, format!("the service starts {start} while you are logged in"))
}

/// The program that a unit starts, without the quotes and escapes of `service install`.
fn started_program(unit: &str) -> Option<PathBuf> {
    let line = unit.lines().find_map(|line| line.trim().strip_prefix("ExecStart="))?;
    let quoted = line.trim().strip_prefix('"').and_then(|line| line.strip_suffix('"'));
    let text = quoted.unwrap_or_else(|| line.split_whitespace().next().unwrap_or_default());
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next()),
            '%' => {
                letters.next_if_eq(&'%');
                out.push('%');
            }
            letter => out.push(letter),
        }
    }
    (!out.is_empty()).then(|| PathBuf::from(out))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    const UNIT: &str = "/home/me/.config/systemd/user/sdld.service";

    fn of(machine: &Machine) -> Severity {
        check_service(machine).unwrap().severity
    }

    #[test]
    fn a_unit_starts_the_program_that_is_installed() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        assert_eq!(of(&machine), Severity::Ok, "none is installed");
        machine.write(UNIT, "[Service]\nExecStart=\"/home/me/.local/bin/sdld\"\n");
        let found = check_service(&machine).unwrap();
        assert!(found.severity == Severity::Warn && found.note.contains("not enabled"), "{found:?}");
        machine.link("/home/me/.config/systemd/user/sockets.target.wants/sdld.socket", "../sdld.socket");
        assert_eq!(of(&machine), Severity::Ok);
        machine.set("SSH_CONNECTION", "1");
        machine.set("USER", "me");
        assert!(check_service(&machine).unwrap().fix.unwrap().contains("enable-linger"));
        machine.write("/var/lib/systemd/linger/me", "");
        assert_eq!(of(&machine), Severity::Ok);
        machine.write(UNIT, "[Service]\nExecStart=/gone/sdld\n");
        assert_eq!(of(&machine), Severity::Bad);
        machine.write("/gone/sdld", "");
        assert_eq!(of(&machine), Severity::Warn, "another one");
        machine.write(UNIT, "[Service]\n");
        assert_eq!(of(&machine), Severity::Bad);
    }

    #[test]
    fn paths_in_units_are_read_as_they_were_written() {
        let read = |line: &str| started_program(line).unwrap();
        assert_eq!(read("ExecStart=\"/opt/a \\\"b\\\"/100%%/sdld\""), Path::new("/opt/a \"b\"/100%/sdld"));
        assert_eq!(read(" ExecStart=/usr/bin/sdld --foreground"), Path::new("/usr/bin/sdld"));
        assert_eq!(started_program("ExecStart="), None);
    }
}
