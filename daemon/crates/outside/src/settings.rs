//! Whether dependencies are read, and where they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_model::{Facts, FactsKey};
use serde::Deserialize;

use crate::cache::FactsCache;
use crate::disk::{Reading, read_facts};
use crate::interpreter::StandardLibrary;
use crate::manifests::read_small;

/// The settings, written by a person in the state folder.
const FILE: &str = "dependencies.json";

/// Where downloaded packages are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Folders with the sources of crates: `~/.cargo/registry/src`.
    pub cargo: Vec<PathBuf>,
    /// Go's module cache: `~/go/pkg/mod`.
    pub go: Vec<PathBuf>,
    /// Folders with installed packages of Python, beside those of a repository's own environment.
    pub python: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Settings {
    enabled: bool,
    site_packages: Vec<PathBuf>,
    roots: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: true, site_packages: Vec::new(), roots: Vec::new() }
    }
}

/// The source of dependencies.
pub struct Outside {
    pub(crate) places: Places,
    /// Folders in which files may be read, beside repositories: real paths.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) cache: FactsCache,
}

impl Outside {
    /// Reads packages in `places`, and further files below `roots` where links lead there.
    pub fn new(places: Places, roots: Vec<PathBuf>) -> Self {
        let all = places.cargo.iter().chain(&places.go).chain(&places.python).chain(&roots);
        let roots = all.filter_map(|root| std::fs::canonicalize(root).ok()).collect();
        Self { places, roots, cache: FactsCache::default() }
    }

    /// As the settings in the state folder say, by default in the usual places of the user. None if a person turned it
    /// off, or if the settings can't be read.
    pub fn of_settings(state: &Path, env: &dyn Fn(&str) -> Option<PathBuf>) -> Option<Self> {
        let path = state.join(FILE);
        let settings =
            if path.exists() { serde_json::from_str(&read_small(&path)?).ok()? } else { Settings::default() };
        if !settings.enabled {
            return None;
        }
        let home = env("HOME").or_else(|| env("USERPROFILE"));
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let cargo = env("CARGO_HOME").or_else(|| below(".cargo")).map(|dir| dir.join("registry/src"));
        let go = env("GOMODCACHE")
            .or_else(|| env("GOPATH").map(|dir| dir.join("pkg/mod")))
            .or_else(|| below("go/pkg/mod"));
        let places = Places {
            cargo: cargo.into_iter().collect(),
            go: go.into_iter().collect(),
            python: settings.site_packages,
        };
        Some(Self::new(places, settings.roots))
    }

    /// The folders in which files may be read for a repository with this root.
    pub fn allowed(&self, repo: &Path) -> Vec<PathBuf> {
        let standard = StandardLibrary::of_repo(repo).into_iter().map(|library| library.root);
        self.roots.iter().cloned().chain(std::fs::canonicalize(repo)).chain(standard).collect()
    }

    /// The parsed files.
    pub fn cache(&self) -> &FactsCache {
        &self.cache
    }

    /// Whether a tree has shown a file with this key.
    pub fn has_shown(&self, key: FactsKey) -> bool {
        self.cache.place(key).is_some()
    }

    /// The facts of a file that a tree has shown.
    pub fn facts(&self, reading: &Reading, key: FactsKey) -> Option<Arc<Facts>> {
        read_facts(&self.cache, reading, key)
    }
}
