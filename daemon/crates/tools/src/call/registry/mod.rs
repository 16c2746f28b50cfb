//! Every action, and the tools that are made of them: one per action, a raw twin per mutating action, a gateway per
//! namespace, a raw twin per gateway that can change something.

mod entry;
mod find;
#[cfg(test)]
mod recorder;
mod sets;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

pub(crate) use entry::{
    Answer, Args, Entry, OnceArgs, OnlyReads, OwnedArgs, OwnedRunner, PreparedRead, ReadArgs, ReadRunner,
    RegistryAction, RepoArgs, Runner, ScopeArgs, ScopeChoice, take_fields,
};
pub(crate) use find::{Finder, demote_itself, doc_of, is_itself};
#[cfg(test)]
pub(crate) use recorder::Reads;
pub(crate) use sets::Registries;

use crate::call::action::Namespace;
use crate::call::modules::Module;
use crate::call::names;

/// The target of a tool's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) to: To,
    /// Whether its arguments come as one payload.
    pub(crate) raw: bool,
}

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// An action, by its place in the registry.
    Action(usize),
    /// Any action of a namespace, named in the arguments.
    Gateway(Namespace),
}

/// Every action and every tool.
pub(crate) struct Registry {
    entries: Vec<Entry>,
    tools: BTreeMap<String, Tool>,
    /// Other names of actions, and the twins of reads. No list has them.
    also: BTreeMap<String, Tool>,
    /// The tools that belong to a module that is off.
    off: BTreeMap<String, Module>,
    schema_version: String,
    finder: OnceLock<Finder>,
}

impl Registry {
    /// Builds the registry of these actions.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        let (mut tools, mut also) = (BTreeMap::new(), BTreeMap::new());
        for (i, entry) in entries.iter().enumerate() {
            add(&mut tools, entry.def.name, To::Action(i), entry.def.mutating);
            // Twins of reads are callable, and not listed.
            add(&mut also, entry.def.name, To::Action(i), true);
        }
        for namespace in Namespace::GATEWAYS {
            let mut inside = entries.iter().filter(|entry| entry.namespace == namespace).peekable();
            if inside.peek().is_some() {
                let mutating = inside.any(|entry| entry.def.mutating);
                add(&mut tools, namespace.name(), To::Gateway(namespace), mutating);
                add(&mut also, namespace.name(), To::Gateway(namespace), true);
            }
        }
        let schema_version = version_of(&entries);
        Self { entries, tools, also, off: BTreeMap::new(), schema_version, finder: OnceLock::new() }
    }

    /// Adds other names of actions: pairs of name and action. Each has a raw twin.
    pub(crate) fn with_names(mut self, names: &[(&str, &str)]) -> Self {
        for (name, action) in names {
            if let Some(Tool { to, .. }) = self.tool(action) {
                add(&mut self.also, name, to, true);
            }
        }
        self
    }

    /// Adds the tools of a larger registry that this one does not have, as those of modules that are off.
    fn with_off(mut self, all: &Self) -> Self {
        for (name, tool) in all.tools.iter().chain(&all.also) {
            if self.tool(name).is_none()
                && let Some(module) = all.module_of(*tool)
            {
                self.off.insert(name.clone(), module);
            }
        }
        self
    }

    /// The module that a tool belongs to.
    fn module_of(&self, tool: Tool) -> Option<Module> {
        match tool.to {
            To::Action(at) => self.entries.get(at)?.module,
            To::Gateway(Namespace::Memory) => Some(Module::Memory),
            To::Gateway(Namespace::Kg) => Some(Module::Kg),
            To::Gateway(Namespace::Work) => Some(Module::Work),
            To::Gateway(_) => None,
        }
    }

    /// The module that a tool with this name belongs to, if it is off.
    pub(crate) fn module_of_name(&self, name: &str) -> Option<Module> {
        self.off.get(&names::fold_name(name)).copied()
    }

    /// Returns the actions, in the order in which they are listed.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the tool with this name, in any spelling.
    pub(crate) fn tool(&self, name: &str) -> Option<Tool> {
        let name = names::fold_name(name);
        self.tools.get(&name).or_else(|| self.also.get(&name)).copied()
    }

    /// Returns the action with this name, in any spelling, with or without prefix. Gateways and twins are not actions.
    pub(crate) fn action(&self, name: &str) -> Option<&Entry> {
        match self.tool(name)? {
            Tool { to: To::Action(i), raw: false } => self.entries.get(i),
            _ => None,
        }
    }

    /// Returns every tool's name without prefix, sorted.
    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Returns the actions of a namespace.
    pub(crate) fn of(&self, namespace: Namespace) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.namespace == namespace)
    }

    /// Whether a call of the tool may change something.
    pub(crate) fn mutates(&self, tool: Tool) -> bool {
        match tool.to {
            To::Action(i) => self.entries.get(i).is_some_and(|entry| entry.def.mutating),
            // An action sent to the wrong gateway is routed all the same: any gateway may lead to any action.
            To::Gateway(_) => self.entries.iter().any(|entry| entry.def.mutating),
        }
    }

    /// Returns the index that finds actions by words. Built on first use.
    pub(crate) fn finder(&self) -> &Finder {
        self.finder.get_or_init(|| Finder::new(&self.entries))
    }

    /// Returns a hash of every schema, requests and responses.
    pub(crate) fn schema_version(&self) -> &str {
        &self.schema_version
    }
}

impl Registry {
    /// Returns a hash of the schemas of each action, by its name.
    pub(crate) fn action_hashes(&self) -> BTreeMap<String, String> {
        let hash = |entry: &Entry| version_of(std::slice::from_ref(entry));
        self.entries.iter().map(|entry| (entry.def.name.to_owned(), hash(entry))).collect()
    }
}

fn add(tools: &mut BTreeMap<String, Tool>, name: &str, to: To, mutating: bool) {
    let name = names::fold_name(name);
    if mutating {
        tools.insert(format!("{name}{}", names::RAW), Tool { to, raw: true });
    }
    tools.insert(name, Tool { to, raw: false });
}

fn version_of(entries: &[Entry]) -> String {
    let all: Vec<Value> = entries
        .iter()
        .map(|entry| serde_json::json!([entry.def.name, entry.def.mutating, *entry.request, *entry.response]))
        .collect();
    let hash = blake3::hash(Value::Array(all).to_string().as_bytes());
    hash.to_hex().chars().take(12).collect()
}
