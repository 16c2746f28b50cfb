//! Source trees made for a run: Python packages whose functions call each other, with a number in every body.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Functions in each file of a made tree.
pub(crate) const FUNCTIONS: usize = 5;

/// One generated file and its present text.
pub(crate) struct Module {
    /// Its place among the files.
    pub(crate) number: usize,
    /// How many files there are.
    of: usize,
    /// The number in each function's body.
    pub(crate) literals: [u64; FUNCTIONS],
    /// How often each function has been renamed.
    pub(crate) renames: [u64; FUNCTIONS],
}

impl Module {
    pub(crate) fn new(number: usize, of: usize) -> Self {
        Self { number, of, literals: [1; FUNCTIONS], renames: [0; FUNCTIONS] }
    }

    /// Its path from the root.
    pub(crate) fn path(&self) -> String {
        format!("pkg/part{}/mod{}.py", self.number % 10, self.number)
    }

    /// The name of one of its functions.
    pub(crate) fn function(&self, at: usize) -> String {
        let base = format!("step_{}_{at}", self.number);
        match self.renames.get(at) {
            Some(0) | None => base,
            Some(times) => format!("{base}_again{times}"),
        }
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        let next = (self.number + 1) % self.of.max(1);
        let mut text = format!("from pkg.part{}.mod{next} import step_{next}_4\n", next % 10);
        for at in 0..FUNCTIONS {
            let called = if at == 0 { format!("step_{next}_4") } else { self.function(at - 1) };
            let (name, number) = (self.function(at), self.number);
            let literal = self.literals.get(at).copied().unwrap_or_default();
            // Writing into memory does not fail.
            let _ = write!(
                text,
                "\n\ndef {name}(value: int) -> int:\n    \"\"\"Step {at} of module {number}.\"\"\"\n    \
                 return {called}(value) + {literal}\n"
            );
        }
        text
    }

    /// Writes it in place, as many tools do.
    pub(crate) fn write(&self, root: &Path) -> io::Result<()> {
        fs::write(root.join(self.path()), self.text())
    }

    /// Writes it beside and moves it over, as editors do.
    pub(crate) fn write_by_rename(&self, root: &Path) -> io::Result<()> {
        let path = root.join(self.path());
        let beside = path.with_extension("py.tmp");
        fs::write(&beside, self.text())?;
        fs::rename(beside, path)
    }
}

/// Makes a tree of `files` modules below `root`.
pub(crate) fn make_tree(root: &Path, files: usize) -> io::Result<Vec<Module>> {
    let modules: Vec<Module> = (0..files).map(|number| Module::new(number, files)).collect();
    for part in 0..10 {
        let dir = root.join(format!("pkg/part{part}"));
        fs::create_dir_all(&dir)?;
        fs::write(dir.join("__init__.py"), "")?;
    }
    fs::write(root.join("pkg/__init__.py"), "")?;
    for module in &modules {
        module.write(root)?;
    }
    Ok(modules)
}

/// Copies a tree without ignored files and without git's own folder: a run never touches the tree that it was given.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> io::Result<usize> {
    let mut copied = 0;
    for entry in ignore::WalkBuilder::new(from).hidden(false).build().flatten() {
        let Ok(inner) = entry.path().strip_prefix(from) else { continue };
        if inner.components().any(|part| part.as_os_str() == ".git") {
            continue;
        }
        let target: PathBuf = to.join(inner);
        match entry.file_type() {
            Some(kind) if kind.is_dir() => fs::create_dir_all(target)?,
            Some(kind) if kind.is_file() => {
                fs::copy(entry.path(), target)?;
                copied += 1;
            }
            _ => {}
        }
    }
    Ok(copied)
}

/// Whether there is a git repository at `root` that has this commit.
pub(crate) fn has_commit(root: &Path, name: &str) -> bool {
    // Not the repository of a folder above, which git would find by itself.
    root.join(".git").exists()
        && std::process::Command::new("git")
            .args(["rev-parse", "--quiet", "--verify", &format!("{name}^{{commit}}")])
            .current_dir(root)
            .output()
            .is_ok_and(|output| output.status.success())
}

/// Clones a git repository. Copies a tree that is none, or that has no commit yet: see [`copy_tree`].
pub(crate) fn clone_tree(from: &Path, to: &Path) -> crate::Outcome {
    if !has_commit(from, "HEAD") {
        copy_tree(from, to)?;
        return Ok(());
    }
    let from = from.canonicalize()?;
    let mut git = std::process::Command::new("git");
    let done = git.args(["clone", "-q", "--local"]).arg(from).arg(".").current_dir(to).output()?;
    if !done.status.success() {
        return Err(format!("git clone: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(())
}
