//! The scheduled task. Not yet run on Windows.

use super::{Place, Plan, Unit, make_step, plain_path};
use crate::output::Failure;

const TASK: &str = include_str!("../../../../../packaging/windows/sdld-task.ps1");

pub(super) fn windows_plan(place: &Place) -> Result<Plan, Failure> {
    // A task has its user's environment, not that of this window.
    if std::env::var_os("SDL_STATE_DIR").is_some() || std::env::var_os("SDL_RUNTIME_DIR").is_some() {
        let words = "a task sees only variables of the user: set SDL_STATE_DIR and SDL_RUNTIME_DIR with setx, open \
                     another window, and leave them unset in this one";
        return Err(Failure::Local(words.into()));
    }
    let path = place.paths.state().join("sdld-task.ps1");
    let script = plain_path(&path)?.to_owned();
    let run = ["powershell", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", &script];
    let mut install = make_step(&run);
    install.extend(make_step(&["-Daemon", &place.daemon]));
    let mut uninstall = make_step(&run);
    uninstall.push("-Unregister".to_owned());
    Ok(Plan {
        units: vec![Unit { path, text: TASK.to_owned() }],
        install: vec![install],
        uninstall: vec![uninstall],
        ..Plan::default()
    })
}
