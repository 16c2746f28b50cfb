//! Finds the sources of a corpus, and fetches them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::corpus::Meta;
use crate::output::Failure;

/// The folder that the paths of a corpus start from. With `obtain`, missing sources are fetched by the command that the
/// corpus names, run by the shell in `sources`.
pub(super) fn source_root(meta: &Meta, sources: &Path, obtain: bool) -> Result<PathBuf, Failure> {
    if let Some(found) = find_sources(meta, sources) {
        return Ok(found);
    }
    if obtain {
        fetch_sources(meta, sources)?;
        if let Some(found) = find_sources(meta, sources) {
            return Ok(found);
        }
    }
    Err(Failure::Usage(format!(
        "no sources of {}: {:?} is not in {}. Fetch them there with:\n  {}\nor run this command with --obtain",
        meta.corpus,
        source_folder(meta),
        sources.display(),
        meta.obtain,
    )))
}

/// The folder's name: the first word of the corpus's `root`.
fn source_folder(meta: &Meta) -> &str {
    meta.root.split_whitespace().next().unwrap_or_default().trim_end_matches('/')
}

fn find_sources(meta: &Meta, sources: &Path) -> Option<PathBuf> {
    let name = Path::new(source_folder(meta));
    let last = Path::new(name.file_name()?);
    let here = [sources.join(name), sources.join(last), sources.join(&meta.corpus)];
    here.into_iter()
        .find(|path| path.is_dir())
        .or_else(|| crate_folders().map(|at| at.join(last)).find(|path| path.is_dir()))
}

/// The folders in which cargo keeps the sources of crates.
fn crate_folders() -> impl Iterator<Item = PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let kept = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    kept.into_iter().flatten().flatten().map(|entry| entry.path())
}

fn fetch_sources(meta: &Meta, sources: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(sources).map_err(|error| Failure::io(&sources.display().to_string(), &error))?;
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let status = Command::new(shell[0])
        .args([shell[1], &meta.obtain])
        .current_dir(sources)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|error| Failure::io(&meta.obtain, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Local(format!("fetching the sources of {} failed ({status}): {}", meta.corpus, meta.obtain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_the_name_of_their_folder() {
        let sources = tempfile::tempdir().unwrap();
        let meta = |root: &str| Meta { corpus: "py-shop".into(), root: root.into(), ..Meta::default() };
        let missing = source_root(&meta("shop-1.0/ (truth covers src/)"), sources.path(), false).unwrap_err();
        assert!(missing.to_string().contains("\"shop-1.0\""), "{missing}");
        std::fs::create_dir(sources.path().join("shop-1.0")).unwrap();
        let found = source_root(&meta("shop-1.0/ (truth covers src/)"), sources.path(), false).unwrap();
        assert_eq!(found, sources.path().join("shop-1.0"));
        let elsewhere = source_root(&meta("/usr/share/shop-1.0/"), sources.path(), false).unwrap();
        assert_eq!(elsewhere, found);
    }

    #[test]
    fn what_is_missing_is_fetched_only_when_asked_for() {
        let sources = tempfile::tempdir().unwrap();
        let obtain = if cfg!(windows) { "md shop" } else { "mkdir shop" };
        let meta =
            Meta { corpus: "x".into(), root: "shop/".into(), obtain: obtain.into(), ..Meta::default() };
        assert!(source_root(&meta, sources.path(), false).is_err());
        assert!(source_root(&meta, sources.path(), true).unwrap().ends_with("shop"));
    }
}
