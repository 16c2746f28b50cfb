//! `service install|uninstall`: the daemon as a service of this user, by the system's own manager.

#[cfg(any(target_os = "macos", test))]
mod launchd;
#[cfg(any(target_os = "linux", test))]
mod systemd;
#[cfg(windows)]
mod windows;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sdl_client::Paths;
use serde_json::json;

use super::lifecycle;
use crate::cli::ServiceCommand;
use crate::output::{self, Failure, Outcome, style_dim};
use crate::session::{self, Session};

/// A file that belongs to the service.
struct Unit {
    path: PathBuf,
    text: String,
}

/// The files and steps that the system's manager needs. A step is a program and its arguments.
#[derive(Default)]
struct Plan {
    units: Vec<Unit>,
    /// Succeeds if the manager can be reached; nothing is touched otherwise.
    check: Option<Vec<String>>,
    /// Stops the programs of an earlier installation. Fails if there is none.
    stop: Vec<Vec<String>>,
    /// Run after the files are written.
    install: Vec<Vec<String>>,
    /// Run before the files are removed.
    uninstall: Vec<Vec<String>>,
    /// Run after the files are removed.
    forget: Vec<Vec<String>>,
    /// Folders that the manager made for its links: removed if nothing else is in them.
    folders: Vec<PathBuf>,
}

/// The program that the service runs, with its environment.
struct Place {
    daemon: String,
    paths: Paths,
    /// Variables such as `SDL_STATE_DIR` that are passed on, because a service does not inherit the terminal's
    /// environment but must use the same folders and log.
    variables: Vec<(&'static str, String)>,
}

pub(crate) fn run_service(command: ServiceCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        ServiceCommand::Install { dry_run: true } => {
            print_plan(&service_plan(&Place::find()?)?, as_json);
            Ok(Outcome::Good)
        }
        ServiceCommand::Install { dry_run: false } => {
            let place = Place::find()?;
            install_service(&place, &service_plan(&place)?, as_json)
        }
        ServiceCommand::Uninstall => {
            // The program may be gone already; only the names of the files matter here.
            let place =
                Place { daemon: String::new(), paths: session::daemon_paths()?, variables: Vec::new() };
            uninstall_service(&place, &service_plan(&place)?, as_json)
        }
    }
}

fn print_plan(plan: &Plan, as_json: bool) {
    let steps = || plan.stop.iter().chain(&plan.install).map(|step| step.join(" "));
    if as_json {
        let files: Vec<_> =
            plan.units.iter().map(|unit| json!({ "path": unit.path, "text": unit.text })).collect();
        output::print_json(&json!({ "files": files, "steps": steps().collect::<Vec<_>>() }));
        return;
    }
    for unit in &plan.units {
        output::print_line(&format!("# {}", unit.path.display()));
        output::print_block(&unit.text);
    }
    steps().for_each(|step| output::print_line(&format!("$ {step}")));
}

fn install_service(place: &Place, plan: &Plan, as_json: bool) -> Result<Outcome, Failure> {
    if let Some(check) = &plan.check {
        execute_step(check).map_err(|error| {
            Failure::Local(format!(
                "this user's service manager can't be reached, nothing was changed: {error}; without one: sdlctl start"
            ))
        })?;
    }
    // The socket of an earlier installation goes first, because it would start the daemon again.
    for step in &plan.stop {
        let _ = execute_step(step);
    }
    let runtime = session::make_runtime()?;
    place.paths.create().map_err(|error| Failure::Local(error.to_string()))?;
    // While this is held no client starts a daemon by hand in place of the one that is stopped.
    let lock = runtime
        .block_on(sdl_client::spawn::start_lock(&place.paths))
        .map_err(|error| Failure::Local(error.to_string()))?;
    let by_hand = lifecycle::end_daemon()? != lifecycle::Ended::NoneRan;
    for unit in &plan.units {
        write_unit(unit)?;
    }
    plan.install.iter().try_for_each(|step| execute_step(step))?;
    drop(lock);
    if cfg!(target_os = "linux") {
        // Its manager has said that it is ready; this is whether clients of this environment reach it.
        Session::existing()?;
    }
    let files = unit_names(plan);
    if as_json {
        let what = "installed and started";
        output::print_json(&json!({ "ok": true, "what": what, "files": files, "stoppedByHand": by_hand }));
    } else {
        if by_hand {
            output::print_line("stopped the daemon that was running");
        }
        output::print_line(&format!("service installed and started: {}", files.join(", ")));
        if std::env::var_os(sdl_client::token::VARIABLE).is_some() {
            output::print_line(&style_dim(&format!(
                "{} is a secret and was not written into it; give it to the service as the credential sdl-token",
                sdl_client::token::VARIABLE
            )));
        }
    }
    Ok(Outcome::Good)
}

fn uninstall_service(place: &Place, plan: &Plan, as_json: bool) -> Result<Outcome, Failure> {
    let installed = plan.units.iter().any(|unit| unit.path.exists());
    if installed {
        // A step fails if there is nothing to stop. The files are removed in any case.
        for step in &plan.uninstall {
            let _ = execute_step(step);
        }
        for unit in &plan.units {
            match fs::remove_file(&unit.path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::io(&format!("can't remove {}", unit.path.display()), &error));
                }
                _ => {}
            }
        }
        for step in &plan.forget {
            let _ = execute_step(step);
        }
        for folder in &plan.folders {
            // Fails if it holds anything, as it should.
            let _ = fs::remove_dir(folder);
        }
        remove_dead_socket(place.paths.socket());
    }
    let what = if installed { "removed" } else { "was not installed" };
    if as_json {
        output::print_json(
            &json!({ "ok": true, "what": what, "files": unit_names(plan), "changed": installed }),
        );
    } else if installed {
        output::print_line(&format!("service removed: {}", unit_names(plan).join(", ")));
    } else {
        output::print_line("the service was not installed");
    }
    Ok(Outcome::Good)
}

fn unit_names(plan: &Plan) -> Vec<String> {
    plan.units.iter().map(|unit| unit.path.display().to_string()).collect()
}

/// Removes a manager's socket that nobody listens on, because the file outlives the manager.
#[cfg(unix)]
fn remove_dead_socket(path: &Path) {
    use std::os::unix::fs::FileTypeExt;
    let is_socket = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket());
    let refused = std::os::unix::net::UnixStream::connect(path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused);
    if is_socket && refused {
        let _ = fs::remove_file(path);
    }
}

/// A pipe goes with its owner.
#[cfg(not(unix))]
fn remove_dead_socket(_path: &Path) {}

fn write_unit(unit: &Unit) -> Result<(), Failure> {
    let failed = |error| Failure::io(&format!("can't write {}", unit.path.display()), &error);
    if let Some(folder) = unit.path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&unit.path, &unit.text).map_err(failed)
}

fn execute_step(step: &[String]) -> Result<(), Failure> {
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

fn make_step(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Place {
    fn find() -> Result<Self, Failure> {
        let program =
            sdl_client::spawn::daemon_program().map_err(|error| Failure::Local(error.to_string()))?;
        let program =
            program.canonicalize().map_err(|error| Failure::io(&program.display().to_string(), &error))?;
        let paths = session::daemon_paths()?;
        let mut variables = vec![
            ("SDL_STATE_DIR", plain_path(paths.state())?.to_owned()),
            ("SDL_RUNTIME_DIR", plain_path(paths.runtime())?.to_owned()),
        ];
        if let Some(log) = std::env::var_os("SDL_LOG").filter(|log| !log.is_empty()) {
            variables.push(("SDL_LOG", plain_path(Path::new(&log))?.to_owned()));
        }
        plain_path(paths.socket())?;
        Ok(Self { daemon: plain_path(&program)?.to_owned(), paths, variables })
    }
}

/// Text that no file of the manager could misread.
fn plain_path(path: &Path) -> Result<&str, Failure> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
    text.ok_or_else(|| {
        Failure::Local(format!("{path:?} can't be written into a service's file: it is not plain UTF-8"))
    })
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn user_home() -> Result<PathBuf, Failure> {
    std::env::home_dir().ok_or_else(|| Failure::Local("no home folder is known: set HOME".into()))
}

#[cfg(target_os = "linux")]
fn service_plan(place: &Place) -> Result<Plan, Failure> {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = match config {
        Some(config) => config,
        None => user_home()?.join(".config"),
    };
    Ok(systemd::systemd_plan(place, &config.join("systemd/user")))
}

#[cfg(target_os = "macos")]
fn service_plan(place: &Place) -> Result<Plan, Failure> {
    Ok(launchd::launchd_plan(place, &user_home()?.join("Library/LaunchAgents")))
}

#[cfg(windows)]
fn service_plan(place: &Place) -> Result<Plan, Failure> {
    windows::windows_plan(place)
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn service_plan(place: &Place) -> Result<Plan, Failure> {
    let _ = (make_step, &place.daemon, &place.variables);
    Err(Failure::Local(
        "this system's service manager is not known; start the daemon with: sdlctl start".into(),
    ))
}
