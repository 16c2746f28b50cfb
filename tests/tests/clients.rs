//! Real MCP clients, made by others, against the real shim and daemon. `cargo xtask test` prepares them; where they are not
//! to be had these tests say so and pass over.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::path::{Path, PathBuf};
use std::process::Command;

use sdl_tests::{Program, TestEnv, workspace};
use serde_json::json;

/// A Python that has the `mcp` package: the one that `cargo xtask test` made.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("SDL_TEST_PYTHON").map(PathBuf::from)?;
    python.exists().then_some(python)
}

fn python_session(mode: &str) {
    let Some(python) = python() else {
        eprintln!("SKIPPED: no Python with `mcp` (SDL_TEST_PYTHON is not set; `cargo xtask test` sets it)");
        return;
    };
    let env = TestEnv::new();
    let repo = env.repo(
        "shop",
        r#"
//- /prices.py
def tax(amount: float) -> float:
    """The tax on an amount."""
    return amount * 0.19


def gross(amount: float) -> float:
    """An amount with its tax."""
    return amount + tax(amount)
//- /orders.py
from prices import gross


def total(items: list[float]) -> float:
    """What the customer pays, with tax."""
    return sum(gross(item) for item in items)
"#,
    );
    let _daemon = env.daemon();
    run_script(&python, &env, "session.py", |script| {
        script.arg(mode).arg(Program::Shim.path()).arg(&repo).current_dir(&repo);
    });
}

/// Two clients at once, with an upstream of each era that asks them.
fn python_asking(mode: &str) {
    let Some(python) = python() else {
        eprintln!("SKIPPED: no Python with `mcp` (SDL_TEST_PYTHON is not set; `cargo xtask test` sets it)");
        return;
    };
    let env = TestEnv::new();
    let server = workspace::workspace_root().join("tests/clients/asking_server.py");
    let entry = |protocol: &str| {
        let sdl = json!({"ask": ["elicitation", "sampling", "roots"], "protocol": protocol});
        json!({"command": python, "args": [server], "sdl": sdl})
    };
    let settings = json!({"mcpServers": {"asks": entry("2026-07-28"), "before": entry("2025-11-25")}});
    std::fs::write(env.state_dir().join("mcp.json"), settings.to_string()).unwrap();
    let _daemon = env.daemon();
    env.ctl_ok(&["upstream", "refresh"]);
    run_script(&python, &env, "asking.py", |script| {
        script.arg(mode).arg(Program::Shim.path()).args(["asks", "before"]).current_dir(env.home());
    });
}

/// Agents that work on one repository, with every module on. One of them is killed.
#[cfg(unix)]
fn python_agents(mode: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(python) = python() else {
        eprintln!("SKIPPED: no Python with `mcp` (SDL_TEST_PYTHON is not set; `cargo xtask test` sets it)");
        return;
    };
    let env = TestEnv::new();
    let repo = env.repo(
        "shop",
        r#"
//- /auth.py
MINUTES = 60


def validate(age: int) -> bool:
    """Whether a session of this age, in minutes, is still good."""
    return age <= MINUTES
"#,
    );
    let settings = env.state_dir().join("mcp.json");
    std::fs::write(&settings, json!({"sdl": {"modules": ["memory", "kg", "work"]}}).to_string()).unwrap();
    std::fs::set_permissions(&settings, std::fs::Permissions::from_mode(0o600)).unwrap();
    let _daemon = env.daemon();
    run_script(&python, &env, "two_agents.py", |script| {
        script.arg(mode).arg(Program::Shim.path()).arg(&repo).current_dir(&repo);
    });
}

/// Runs a script of `tests/clients`, which has to succeed. Its environment is the shim's.
fn run_script(python: &Path, env: &TestEnv, name: &str, prepare: impl FnOnce(&mut Command)) {
    let shim = env.command(Program::Shim);
    let mut script = Command::new(python);
    script.env_clear().envs(shim.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.arg(workspace::workspace_root().join("tests/clients").join(name));
    prepare(&mut script);
    let output = script.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn python_client_of_the_initialize_era() {
    python_session("legacy");
}

#[test]
fn python_client_that_finds_out_by_itself() {
    python_session("auto");
}

#[test]
fn python_client_of_the_stateless_revision() {
    python_session("2026-07-28");
}

#[test]
fn python_clients_of_the_initialize_era_are_asked() {
    python_asking("legacy");
}

#[test]
fn python_clients_of_the_stateless_revision_are_asked() {
    python_asking("2026-07-28");
}

#[cfg(unix)]
#[test]
fn python_agents_of_the_initialize_era_work_together() {
    python_agents("legacy");
}

#[cfg(unix)]
#[test]
fn python_agents_of_the_stateless_revision_work_together() {
    python_agents("2026-07-28");
}
