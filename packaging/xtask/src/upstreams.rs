//! `cargo xtask upstreams`: installs the reference servers of MCP from their registries, and checks that their results reach a
//! client unharmed. A job of its own, because nothing else here needs a registry.

use std::fs;
use std::path::Path;

use crate::command::{self, Fault, Outcome, cargo_command, has_program, in_root};

const NODE_PACKAGES: [&str; 4] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
];
const PYTHON_PACKAGES: [&str; 3] =
    ["mcp-server-fetch==2026.10.24", "mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"];

/// Lists the installed packages, so that the next run installs nothing.
const NOTE: &str = "installed.txt";

pub(crate) fn check_upstreams() -> Outcome {
    let dir = command::target_dir()?.join("upstreams");
    install_servers(&dir)?;
    cargo_command()
        .args(["run", "--release", "--locked", "--package", "sdl-bench", "--", "upstream-fidelity"])
        .arg(&dir)
        .run()
}

fn install_servers(dir: &Path) -> Outcome {
    let wanted =
        NODE_PACKAGES.iter().chain(&PYTHON_PACKAGES).map(|name| format!("{name}\n")).collect::<String>();
    if fs::read_to_string(dir.join(NOTE)).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir)?;
    let (npm, python) = if cfg!(windows) { ("npm.cmd", "python") } else { ("npm", "python3") };
    for program in [npm, python] {
        if !has_program(program, &["--version"]) {
            return Err(Fault::new(format!("the reference servers need {program}")));
        }
    }
    in_root(npm)
        .arg("--prefix")
        .arg(dir)
        .args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(NODE_PACKAGES)
        .run()?;
    let home = dir.join("py");
    in_root(python).args(["-m", "venv"]).arg(&home).run()?;
    let pip = home.join(if cfg!(windows) { "Scripts/pip.exe" } else { "bin/pip" });
    in_root(pip).args(["install", "--quiet", "--disable-pip-version-check"]).args(PYTHON_PACKAGES).run()?;
    fs::write(dir.join(NOTE), wanted)?;
    Ok(())
}
