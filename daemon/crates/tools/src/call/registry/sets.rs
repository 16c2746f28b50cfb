//! The registries of all sets of modules. A module that is off is in none of its registry's lists, searches and suggestions, because it is not
//! in that registry.

use std::sync::{Arc, OnceLock};

use super::{Entry, Registry};
use crate::call::modules::{Modules, SETS};

/// A registry for each set of modules, built when it is first asked for, because most daemons use one.
pub(crate) struct Registries {
    every: Arc<Registry>,
    names: &'static [(&'static str, &'static str)],
    sets: [OnceLock<Arc<Registry>>; SETS],
}

impl Registries {
    /// Of these actions, some of which go by other names too.
    pub(crate) fn new(entries: Vec<Entry>, names: &'static [(&'static str, &'static str)]) -> Self {
        let entries = entries.iter().filter_map(|entry| entry.under(Modules::EVERY)).collect();
        let every = Registry::new(entries).with_names(names);
        Self { every: Arc::new(every), names, sets: Default::default() }
    }

    /// The registry with all modules.
    pub(crate) fn every(&self) -> &Arc<Registry> {
        &self.every
    }

    /// The registry where these modules are on.
    pub(crate) fn of(&self, modules: Modules) -> &Arc<Registry> {
        if modules == Modules::EVERY {
            return &self.every;
        }
        let build = || {
            let entries = self.every.entries.iter().filter_map(|entry| entry.under(modules)).collect();
            Arc::new(Registry::new(entries).with_names(self.names).with_off(&self.every))
        };
        self.sets.get(modules.place()).map_or(&self.every, |set| set.get_or_init(build))
    }
}
