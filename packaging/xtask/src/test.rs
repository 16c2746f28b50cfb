//! `cargo xtask test`.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::command::{self, Fault, Outcome, cargo_command, has_program};
use crate::guard::Sandbox;

/// Everything, with the program that makes the page, which is off by default: one set of features, and one build of it all.
const WORKSPACE: [&str; 3] = ["--workspace", "--features", "xtask/page"];

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All.
    Full,
    /// Without the end-to-end tests.
    Fast,
}

/// The Python packages that the tests with real clients use.
const PYTHON_PACKAGES: [&str; 1] = ["mcp==2.3.0"];

pub(crate) fn run_tests(extent: Extent) -> Outcome {
    // Asked for now, because the build may replace this program's file, and then the system calls it deleted.
    let (target, xtask) = (command::target_dir()?, env::current_exe()?);
    // The programs first, because the end-to-end tests start them and must never meet those of an earlier build. With the tests,
    // whose dependencies want more features of others' code: without them, most of it would be built twice.
    cargo_command().args(["build", "--locked", "--bins", "--tests"]).args(WORKSPACE).run()?;
    let python = if extent == Extent::Full { set_up_python() } else { None };
    let has_nextest = has_program("cargo", &["nextest", "--version"]);
    let sandbox = make_sandbox(xtask);
    let mut faults = Vec::new();
    for arguments in cargo_invocations(extent, has_nextest) {
        println!("\n--- cargo {}", arguments.join(" "));
        let mut run = cargo_command().args(&arguments).env("SDL_TEST_BIN_DIR", target.join("debug"));
        if let Some(sandbox) = &sandbox {
            run = run.args(["--config", &sandbox.cargo_config()?]);
            // insta would write its actual output beside the expected one.
            run = run.env("INSTA_UPDATE", "no");
            for (name, value) in sandbox.variables() {
                run = run.env(name, value);
            }
        }
        if let Some(python) = &python {
            run = run.env("SDL_TEST_PYTHON", python);
        }
        if let Err(fault) = run.run() {
            faults.push(fault.to_string());
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Fault::new(faults.join("\n"))) }
}

/// The arguments of cargo, one list per call.
fn cargo_invocations(extent: Extent, has_nextest: bool) -> Vec<Vec<&'static str>> {
    let runner: &[&str] = if has_nextest { &["nextest", "run"] } else { &["test"] };
    let call = |rest: &[&'static str]| [runner, &["--locked", "--no-fail-fast"], rest].concat();
    match extent {
        Extent::Fast => vec![
            [call(&WORKSPACE), vec!["--exclude", "sdl-tests"]].concat(),
            call(&["--package", "sdl-tests", "--test", "architecture"]),
        ],
        // Examples in the documentation need a run of their own, because nextest runs none.
        Extent::Full if has_nextest => {
            vec![call(&WORKSPACE), [&["test", "--locked", "--doc"], &WORKSPACE[..]].concat()]
        }
        Extent::Full => vec![call(&WORKSPACE)],
    }
}

/// Holds the tests to folders of their own. `None`, said aloud, where the system can't.
fn make_sandbox(xtask: PathBuf) -> Option<Sandbox> {
    match Sandbox::new(xtask) {
        Ok(sandbox) => Some(sandbox),
        Err(fault) => {
            println!(
                "\n!!! The tests run WITHOUT A GUARD against writes outside of their own folders: {fault}\n"
            );
            None
        }
    }
}

/// A Python that has the MCP clients, in an environment below the target folder. `None`, said aloud, if this machine has no
/// Python or can't reach the package registry; the tests that need it then pass over, and say so too.
fn set_up_python() -> Option<PathBuf> {
    match prepare_python() {
        Ok(python) => Some(python),
        Err(fault) => {
            println!("\n!!! The tests with real Python MCP clients are SKIPPED: {fault}\n");
            None
        }
    }
}

fn prepare_python() -> Outcome<PathBuf> {
    let dir = command::target_dir()?.join("python-clients");
    let python =
        if cfg!(windows) { dir.join("Scripts").join("python.exe") } else { dir.join("bin").join("python") };
    let stamp = dir.join("installed.txt");
    let wanted = PYTHON_PACKAGES.join("\n");
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let system = ["python3", "python"]
        .into_iter()
        .find(|name| {
            has_program(name, &["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"])
        })
        .ok_or_else(|| Fault::new("no Python 3.10 or newer with venv"))?;
    println!("\n--- Python environment with {}", PYTHON_PACKAGES.join(", "));
    command::in_root(system).args(["-m", "venv", "--clear"]).arg(&dir).run()?;
    command::in_root(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
        .args(PYTHON_PACKAGES)
        .run()?;
    fs::write(stamp, wanted)?;
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_run_keeps_the_architecture_test() {
        for has_nextest in [false, true] {
            let calls = cargo_invocations(Extent::Fast, has_nextest);
            assert!(calls.iter().any(|call| call.contains(&"architecture")), "{calls:?}");
        }
    }
}
