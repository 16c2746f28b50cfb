//! Trees of files as text: `//- /src/a.ts` on a line of its own begins the file `src/a.ts`.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// The files of a fixture: path from the root, and content.
///
/// # Panics
/// If there is text before the first header.
pub fn parse_fixture(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.trim().strip_prefix("//- /") {
            files.push((path.to_owned(), String::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.push_str(line);
        } else {
            assert!(
                line.trim().is_empty(),
                "a fixture begins with a line like `//- /src/a.ts`, not {line:?}"
            );
        }
    }
    files
}

/// Writes a fixture below `root`.
pub fn write_fixture(root: &Path, text: &str) -> io::Result<()> {
    for (path, content) in parse_fixture(text) {
        let path = root.join(path);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        fs::write(path, content)?;
    }
    Ok(())
}

/// Runs git in `root`, with an identity, dates and settings of its own, so that the same calls give the same commits everywhere.
/// `None` if the machine has no git.
///
/// # Panics
/// If git fails.
pub fn run_git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(root)
        .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
        .envs([("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"), ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => panic!("git {args:?}: {error}"),
    };
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_is_cut_at_its_headers() {
        let files = parse_fixture("\n//- /a.py\nx = 1\n//- /b/c.py\n\n");
        assert_eq!(files, [("a.py".into(), "x = 1\n".into()), ("b/c.py".into(), "\n".into())]);
    }
}
