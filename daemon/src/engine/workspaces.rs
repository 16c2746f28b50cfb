//! The sets of repositories that a person named, in one small file of the state folder. It is read whenever it is asked
//! for, so that an edit by hand counts at once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sdl_tools::host::NamedWorkspace;

use super::{Engine, EngineError};
use crate::repo::catalog;

impl Engine {
    fn workspaces_file(&self) -> PathBuf {
        self.state.join("workspaces.json")
    }

    /// The named workspaces, in order of name.
    pub fn named_workspaces(&self) -> Result<Vec<NamedWorkspace>, EngineError> {
        let stored: BTreeMap<String, Vec<String>> = catalog::load_settings(&self.workspaces_file())?;
        Ok(stored.into_iter().map(|(name, repos)| NamedWorkspace { name, repos }).collect())
    }

    /// Names a set of repositories, in place of one that has the name. None: forgets it. Whether there was one.
    pub fn name_workspace(&self, name: &str, repos: Option<Vec<String>>) -> Result<bool, EngineError> {
        let path = self.workspaces_file();
        let mut stored: BTreeMap<String, Vec<String>> = catalog::load_settings(&path)?;
        let was_there = match repos {
            Some(repos) => stored.insert(name.to_owned(), repos).is_some(),
            None => stored.remove(name).is_some(),
        };
        catalog::store_settings(&path, &stored)?;
        Ok(was_there)
    }

    /// The same as tools see them. A file that can't be read is a warning of the daemon.
    pub(super) fn known_workspaces(&self) -> Vec<NamedWorkspace> {
        self.named_workspaces().unwrap_or_else(|error| {
            self.warn(error.to_string());
            Vec::new()
        })
    }
}
