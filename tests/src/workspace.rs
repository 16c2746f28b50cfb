//! The source tree: where it is and what cargo says of it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The root of the workspace.
pub fn workspace_root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The cargo that runs this test.
pub fn cargo_program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The output of `cargo metadata` about the workspace's own packages.
///
/// # Panics
/// If cargo fails.
pub fn cargo_metadata() -> Value {
    let output = Command::new(cargo_program())
        .current_dir(workspace_root())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .unwrap_or_else(|error| panic!("cargo metadata: {error}"));
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("cargo metadata: {error}"))
}

/// Every file of the tree that is ours, with its path from the root (`/` between parts), in order. Build output,
/// git's own folder, fetched packages and hidden caches are left out.
pub fn workspace_files() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    collect_files(workspace_root(), "", &mut found);
    found.sort();
    found
}

const NOT_OURS: [&str; 5] = ["target", ".git", "node_modules", ".venv", "__pycache__"];

fn collect_files(dir: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) => {
                collect_files(&entry.path(), &format!("{path}/"), found);
            }
            // In a linked worktree `.git` is a file.
            Ok(kind) if kind.is_file() && !NOT_OURS.contains(&name.as_str()) => {
                found.push((path, entry.path()))
            }
            _ => {}
        }
    }
}
