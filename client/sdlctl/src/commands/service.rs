//! `service install|uninstall`: the daemon as a service of this user, by the system's own manager.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::cli::ServiceCommand;
use crate::output::{self, Failure, Outcome};
use crate::session;

/// A file that belongs to the service.
struct Unit {
    path: PathBuf,
    text: String,
}

/// What the system's manager needs.
struct Plan {
    units: Vec<Unit>,
    /// Run after the files are written.
    install: Vec<Vec<String>>,
    /// Run before the files are removed.
    uninstall: Vec<Vec<String>>,
}

pub(crate) fn run(command: ServiceCommand, as_json: bool) -> Result<Outcome, Failure> {
    let plan = plan()?;
    match command {
        ServiceCommand::Install { dry_run: true } => {
            for unit in &plan.units {
                output::line(&format!("# {}\n{}", unit.path.display(), unit.text));
            }
            plan.install.iter().for_each(|step| output::line(&format!("$ {}", step.join(" "))));
        }
        ServiceCommand::Install { dry_run: false } => {
            for unit in &plan.units {
                write(unit)?;
            }
            plan.install.iter().try_for_each(|step| execute(step))?;
            say(as_json, "installed and started", &plan.units);
        }
        ServiceCommand::Uninstall => {
            // A step fails when there is nothing to stop; the files go all the same.
            for step in &plan.uninstall {
                let _ = execute(step);
            }
            for unit in &plan.units {
                let _ = fs::remove_file(&unit.path);
            }
            say(as_json, "removed", &plan.units);
        }
    }
    Ok(Outcome::Good)
}

fn say(as_json: bool, what: &str, units: &[Unit]) {
    let files: Vec<String> = units.iter().map(|unit| unit.path.display().to_string()).collect();
    if as_json {
        output::json(&json!({ "ok": true, "what": what, "files": files }));
    } else {
        output::line(&format!("service {what}: {}", files.join(", ")));
    }
}

fn write(unit: &Unit) -> Result<(), Failure> {
    let failed = |error| Failure::io(&format!("can't write {}", unit.path.display()), &error);
    if let Some(folder) = unit.path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&unit.path, &unit.text).map_err(failed)
}

fn execute(step: &[String]) -> Result<(), Failure> {
    let Some((program, arguments)) = step.split_first() else { return Ok(()) };
    let ended = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| Failure::io(&format!("can't run {program}"), &error))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    Err(Failure::Local(format!("`{}` failed: {}", step.join(" "), said.trim())))
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn home() -> Result<PathBuf, Failure> {
    std::env::home_dir().ok_or_else(|| Failure::Local("no home folder is known: set HOME".into()))
}

fn daemon() -> Result<PathBuf, Failure> {
    let program = sdl_client::spawn::program().map_err(|error| Failure::Local(error.to_string()))?;
    program.canonicalize().map_err(|error| Failure::io(&program.display().to_string(), &error))
}

fn step(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(target_os = "linux")]
fn plan() -> Result<Plan, Failure> {
    const SERVICE: &str = include_str!("../../../../packaging/systemd/sdld.service");
    const SOCKET: &str = include_str!("../../../../packaging/systemd/sdld.socket");
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = match config {
        Some(config) => config,
        None => home()?.join(".config"),
    }
    .join("systemd/user");
    let daemon = text_of(&daemon()?)?.replace('%', "%%").replace('\\', "\\\\").replace('"', "\\\"");
    let socket = text_of(session::paths()?.socket())?.replace('%', "%%");
    Ok(Plan {
        units: vec![
            Unit { path: folder.join("sdld.service"), text: SERVICE.replace("@SDLD@", &daemon) },
            Unit { path: folder.join("sdld.socket"), text: SOCKET.replace("@SOCKET@", &socket) },
        ],
        install: vec![
            step(&["systemctl", "--user", "daemon-reload"]),
            step(&["systemctl", "--user", "enable", "--now", "sdld.socket"]),
            step(&["systemctl", "--user", "enable", "--now", "sdld.service"]),
        ],
        uninstall: vec![
            step(&["systemctl", "--user", "disable", "--now", "sdld.service"]),
            step(&["systemctl", "--user", "disable", "--now", "sdld.socket"]),
        ],
    })
}

/// Not yet run on a Mac.
#[cfg(target_os = "macos")]
fn plan() -> Result<Plan, Failure> {
    const AGENT: &str = include_str!("../../../../packaging/launchd/org.sdl.sdld.plist");
    let path = home()?.join("Library/LaunchAgents/org.sdl.sdld.plist");
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let log = session::paths()?.start_log();
    let text =
        AGENT.replace("@SDLD@", &escape(text_of(&daemon()?)?)).replace("@LOG@", &escape(text_of(&log)?));
    let shown = path.display().to_string();
    Ok(Plan {
        units: vec![Unit { path, text }],
        install: vec![step(&["launchctl", "load", "-w", &shown])],
        uninstall: vec![step(&["launchctl", "unload", "-w", &shown])],
    })
}

/// Not yet run on Windows.
#[cfg(windows)]
fn plan() -> Result<Plan, Failure> {
    const TASK: &str = include_str!("../../../../packaging/windows/sdld-task.ps1");
    let path = session::paths()?.state().join("sdld-task.ps1");
    let script = text_of(&path)?.to_owned();
    let daemon = daemon()?;
    let run = ["powershell", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", &script];
    let mut install = step(&run);
    install.extend(step(&["-Daemon", text_of(&daemon)?]));
    let mut uninstall = step(&run);
    uninstall.push("-Unregister".to_owned());
    Ok(Plan {
        units: vec![Unit { path, text: TASK.to_owned() }],
        install: vec![install],
        uninstall: vec![uninstall],
    })
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn plan() -> Result<Plan, Failure> {
    let _ = (daemon, step, text_of, session::paths);
    Err(Failure::Local(
        "this system's service manager is not known; start the daemon with: sdlctl start".into(),
    ))
}

fn text_of(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| Failure::Local(format!("{} is not UTF-8", path.display())))
}
