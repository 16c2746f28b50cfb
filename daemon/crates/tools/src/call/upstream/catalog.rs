//! All upstreams at one moment: the settings in force, and the lists as they were last read. Never changed, only replaced as
//! a whole, so that no call sees half of a change.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sdl_ledger::AgentStore;
use sdl_settings::Settings;
use serde_json::{Map, Value};

use super::bare::Holders;
use super::flags::{KnownNames, mentioned_names, text_flags};
use super::listed::{IsOurs, Listed, is_same_server, server_mark};
use super::names;
use super::naming::{Read, name_for_all, rank_names};
use super::prompts::name_prompts;
use super::reading::{Approved, Arrival, Lists, Noted, Reading};
use crate::ToolError;

/// The runs of an upstream's connections that are remembered: more than run at once.
const MOST_RUNS: usize = 512;

/// All upstreams at one moment.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// Grows with each replacement.
    pub(crate) number: u64,
    pub(crate) settings: Arc<Settings>,
    /// The upstreams that are not turned off, in the order of their keys.
    pub(crate) upstreams: Vec<Arc<Listed>>,
}

/// What belongs into the log about the tools of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotedAt {
    /// The upstream's key.
    pub(crate) key: String,
    pub(crate) noted: Vec<Noted>,
}

/// The catalog in force, and the ways to replace it.
#[derive(Default)]
pub(crate) struct Gateway {
    current: RwLock<Arc<Catalog>>,
    /// Held while a catalog is made, so that no two are made from the same one. The runs of each upstream that were read, the
    /// newest last: none of them outlives this process.
    making: Mutex<HashMap<String, VecDeque<String>>>,
}

impl Gateway {
    /// Returns the catalog in force.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts settings in force. What was read of an upstream before, in this process or an earlier one, stays known. Returns what
    /// the log should tell.
    pub(crate) fn configure(
        &self,
        store: &AgentStore,
        settings: Arc<Settings>,
        is_ours: IsOurs<'_>,
    ) -> Result<Vec<NotedAt>, ToolError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.catalog();
        let (mut read, mut all_noted) = (Vec::new(), Vec::new());
        for entry in settings.upstreams.iter().filter(|entry| entry.enabled) {
            let known = before.upstreams.iter().find(|one| *one.key == *entry.key);
            let mut reading = match known {
                Some(known) => Reading { read_at_ms: known.confirmed_at_ms(), ..known.reading.clone() },
                None => Reading::load(store, &entry.key)?.unwrap_or_default(),
            };
            // Another server is to be read, which this mode is not meant for.
            if is_same_server(&reading.server, &server_mark(entry)) {
                let (differs, noted) = reading.set_mode(entry.own.pin);
                if differs {
                    reading.store(store, &entry.key)?;
                }
                all_noted.push(NotedAt { key: entry.key.clone(), noted });
            }
            let was_small = known.is_some_and(|known| known.is_small);
            read.push(Read { entry: entry.clone(), reading, was_small, is_new: known.is_none() });
        }
        read.sort_by(|a, b| a.entry.key.cmp(&b.entry.key));
        for one in rank_names(&mut read) {
            one.reading.store(store, &one.entry.key)?;
        }
        for gone in before.upstreams.iter().filter(|one| !read.iter().any(|new| *new.entry.key == *one.key)) {
            let left = Reading { read_at_ms: gone.confirmed_at_ms(), left: true, ..gone.reading.clone() };
            left.store(store, &gone.key)?;
        }
        let list = |one: Read| Arc::new(Listed::new(one.entry, one.reading, one.was_small, is_ours));
        let upstreams = read.into_iter().map(list).collect();
        self.replace(Catalog { number: before.number + 1, settings, upstreams }, is_ours);
        Ok(all_noted)
    }

    /// Takes the lists of an upstream in place of those read before. Returns whether anything differs, and what the log should
    /// tell.
    pub(crate) fn take_lists(
        &self,
        store: &AgentStore,
        key: &str,
        mut lists: Lists,
        at_ms: u64,
        is_ours: IsOurs<'_>,
    ) -> Result<(bool, NotedAt), ToolError> {
        let mut runs = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.catalog();
        let nothing = (false, NotedAt { key: key.to_owned(), noted: Vec::new() });
        // If it is not there it was removed while it was read.
        let Some(at) = before.upstreams.iter().position(|one| *one.key == *key) else { return Ok(nothing) };
        let Some(known) = before.upstreams.get(at) else { return Ok(nothing) };
        let run = std::mem::take(&mut lists.run);
        let is_read = !lists.unread.contains_key("tools");
        let is_same_run = is_read && note_run(runs.entry(key.to_owned()).or_default(), run);
        let others = || before.upstreams.iter().enumerate().filter(|(other, _)| *other != at);
        let mut taken: HashSet<&str> = others()
            .flat_map(|(_, other)| other.reading.known.values())
            .map(|known| known.advertised.as_str())
            .collect();
        // Nobody else gets a name that is shown without its key.
        let is_bare = |one: &&Listed| !one.entry.own.prefix;
        let bare = others().map(|(_, other)| &**other).filter(is_bare);
        taken.extend(bare.flat_map(|other| other.reading.known.keys()).map(String::as_str));
        let own = own_names(&lists);
        if !known.entry.own.prefix {
            taken.extend(own.iter().chain(known.reading.known.keys()).map(String::as_str));
        }
        let mut names = name_tools(others().map(|(_, other)| &**other), is_ours);
        own.iter().for_each(|name| names.add(key, name));
        let is_flagged = |text: &Map<String, Value>| {
            let name = text.get("name").and_then(Value::as_str).unwrap_or_default();
            !text_flags(text).is_empty() || !names.flags(key, name, &mentioned_names(text)).is_empty()
        };
        let mut former = known.reading.clone();
        if !is_same_server(&former.server, &server_mark(&known.entry)) {
            former.forget_pins();
        }
        let (mut next, noted) = former.next(
            key,
            Arrival {
                lists,
                at_ms,
                mode: known.entry.own.pin,
                may_ask: !known.entry.own.ask.is_empty(),
                is_same_run,
                is_flagged: &is_flagged,
                is_taken: &|name| taken.contains(name) || names::is_ours(name, is_ours),
            },
        );
        next.server = server_mark(&known.entry);
        next.asked = (known.entry.own.prompts, known.entry.own.resources);
        let mut taken: HashSet<&str> =
            others().flat_map(|(_, other)| other.reading.prompt_names.values()).map(String::as_str).collect();
        let bare = others().map(|(_, other)| &**other).filter(is_bare);
        taken.extend(bare.flat_map(|other| other.reading.prompt_names.keys()).map(String::as_str));
        let prompts = next.lists.as_ref().map_or(&[][..], |lists| &lists.prompts);
        next.prompt_names =
            name_prompts(key, &known.reading.prompt_names, prompts, &|name| taken.contains(name));
        if !next.is_ranked() {
            let (mut tools, mut prompts) = (Holders::of_tools(), Holders::of_prompts());
            others().for_each(|(_, other)| other.reading.hold_names(&other.key, &mut tools, &mut prompts));
            next.rank(key, &tools, &prompts);
        }
        let differs = next.lists != known.reading.lists
            || next.variants != known.reading.variants
            || !next.pins().eq(known.reading.pins());
        if !differs && known.is_current() {
            // Nothing that was made of the catalog has to be made again.
            known.confirmed_at_ms.store(at_ms, Ordering::Relaxed);
            return Ok(nothing);
        }
        next.store(store, key)?;
        self.put(&before, at, next, is_ours);
        Ok((differs, NotedAt { key: key.to_owned(), noted }))
    }

    /// Pins definitions as a person wishes: see [`Reading::approve`]. Returns what was approved.
    pub(crate) fn approve(
        &self,
        store: &AgentStore,
        key: &str,
        tool: Option<&str>,
        hash: &str,
        is_ours: IsOurs<'_>,
    ) -> Result<Vec<Approved>, ToolError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.catalog();
        let Some(at) = before.upstreams.iter().position(|one| *one.key == *key) else {
            return Ok(Vec::new());
        };
        let Some(known) = before.upstreams.get(at) else { return Ok(Vec::new()) };
        let mut next = Reading { read_at_ms: known.confirmed_at_ms(), ..known.reading.clone() };
        let approved = next.approve(tool, hash);
        if !approved.is_empty() {
            next.store(store, key)?;
            self.put(&before, at, next, is_ours);
        }
        Ok(approved)
    }

    /// Puts a reading in place of one of this catalog.
    fn put(&self, before: &Catalog, at: usize, next: Reading, is_ours: IsOurs<'_>) {
        let mut upstreams = before.upstreams.clone();
        if let Some(place) = upstreams.get_mut(at) {
            *place = Arc::new(Listed::new(place.entry.clone(), next, place.is_small, is_ours));
        }
        let settings = Arc::clone(&before.settings);
        self.replace(Catalog { number: before.number + 1, settings, upstreams }, is_ours);
    }

    fn replace(&self, mut catalog: Catalog, is_ours: IsOurs<'_>) {
        name_for_all(&mut catalog.upstreams);
        // What one upstream lists decides which texts of others name its tools.
        let names = name_tools(catalog.upstreams.iter().map(|one| &**one), is_ours);
        let flagged: Vec<Option<Listed>> =
            catalog.upstreams.iter().map(|one| one.flagged_among(&names)).collect();
        drop(names);
        for (place, flagged) in catalog.upstreams.iter_mut().zip(flagged) {
            if let Some(flagged) = flagged {
                *place = Arc::new(flagged);
            }
        }
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }
}

/// Remembers that a run was read. Returns whether it was before. One without a name is new each time.
fn note_run(runs: &mut VecDeque<String>, run: String) -> bool {
    if run.is_empty() {
        return false;
    }
    if runs.contains(&run) {
        return true;
    }
    if runs.len() == MOST_RUNS {
        runs.pop_front();
    }
    runs.push_back(run);
    false
}

fn own_names(lists: &Lists) -> Vec<String> {
    let names = lists.tools.iter().filter_map(|tool| tool.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

/// The names of the tools of upstreams, as a text may mention them.
fn name_tools<'a>(upstreams: impl Iterator<Item = &'a Listed>, is_ours: IsOurs<'a>) -> KnownNames<'a> {
    let mut names = KnownNames::new(is_ours);
    for upstream in upstreams {
        for tool in upstream.all() {
            names.add(&upstream.key, &tool.name);
            if tool.prefixed != tool.name {
                names.add(&upstream.key, &tool.prefixed);
            }
        }
    }
    names
}
