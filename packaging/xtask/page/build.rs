//! The document: a copy of the sources beside the packages, and the runs of esbuild that `build.steps` names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;

/// Names the runs: a paragraph for each, a line for each argument.
const STEPS: &str = "build.steps";

/// What the last run writes.
const DOCUMENT: &str = "build/page.html";

/// Folders of the sources that are not needed, and large.
const LEFT_OUT: [&str; 5] = ["node_modules", "build", "dist", "test", "dev"];

/// The largest document.
const MOST_BYTES: usize = 8 << 20;

/// The place of the number of a visit in the tags of the document; `sdl-ui` replaces it.
const NONCE: &str = "nonce=\"__NONCE__\"";

/// Makes the document of the sources in `page` with the packages below `modules`.
pub(crate) fn build_document(page: &Path, modules: &Path, esbuild: &str) -> Outcome<String> {
    let folder = modules.join("page");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    copy_sources(page, &folder, true)?;
    let steps = folder.join(STEPS);
    let steps = std::fs::read_to_string(&steps).map_err(|error| format!("{}: {error}", steps.display()))?;
    let program = program_of(&modules.join("node_modules").join(esbuild));
    for step in read_steps(&steps) {
        let status = Command::new(&program)
            .args(&step)
            .arg("--log-level=warning")
            .current_dir(&folder)
            .stdin(Stdio::null())
            .status()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        if !status.success() {
            return Err(format!("esbuild {} failed ({status})", step.first().map_or("", String::as_str)));
        }
    }
    let made = folder.join(DOCUMENT);
    let document = std::fs::read_to_string(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    check_document(&document).map_err(|why| format!("{DOCUMENT}: {why}"))?;
    Ok(document)
}

fn program_of(package: &Path) -> PathBuf {
    if cfg!(windows) { package.join("esbuild.exe") } else { package.join("bin").join("esbuild") }
}

/// The arguments of each run. Lines that start with # are comments.
fn read_steps(text: &str) -> Vec<Vec<String>> {
    let mut steps = vec![Vec::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.trim().is_empty(), steps.last_mut()) {
            (false, Some(step)) => step.push(line.to_owned()),
            _ => steps.push(Vec::new()),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}

fn check_document(document: &str) -> Outcome {
    if document.len() > MOST_BYTES {
        return Err(format!("it has {} bytes, more than {MOST_BYTES}", document.len()));
    }
    if !document.trim_start().to_ascii_lowercase().starts_with("<!doctype html>") {
        return Err("it is no HTML document".to_owned());
    }
    if !document.contains(NONCE) {
        return Err(format!("no script in it has {NONCE}, so that a browser would run none"));
    }
    Ok(())
}

/// Copies files and folders, and follows no link.
fn copy_sources(from: &Path, to: &Path, is_top: bool) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (kind, name) = (entry.file_type().map_err(failed)?, entry.file_name());
        if is_top && LEFT_OUT.iter().any(|left| name == *left) {
            continue;
        }
        if kind.is_dir() {
            copy_sources(&entry.path(), &to.join(name), false)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_paragraph_is_a_run() {
        let text = "# comment\n\na.ts\n--bundle\n# another\n--define:x=\"a b\"\n\n\nb.ts\n";
        assert_eq!(read_steps(text), [vec!["a.ts", "--bundle", "--define:x=\"a b\""], vec!["b.ts"]]);
        assert!(read_steps("# nothing\n").is_empty());
    }

    #[test]
    fn a_document_without_the_mark_is_refused() {
        assert!(check_document("<!doctype html><script nonce=\"__NONCE__\"></script>").is_ok());
        assert!(check_document("<!doctype html><script></script>").is_err());
        assert!(check_document("nonce=\"__NONCE__\"").is_err());
    }

    #[test]
    fn sources_are_copied_without_links_and_results() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        for name in ["src/dist", "dist", "node_modules/a"] {
            std::fs::create_dir_all(from.join(name)).unwrap();
        }
        std::fs::write(from.join("src/a.ts"), "a").unwrap();
        std::fs::write(from.join("dist/index.html"), "old").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", from.join("src/root")).unwrap();
        copy_sources(&from, &to, true).unwrap();
        assert!(to.join("src/a.ts").is_file() && to.join("src/dist").is_dir());
        assert!(
            !to.join("dist").exists() && !to.join("node_modules").exists() && !to.join("src/root").exists()
        );
    }
}
