//! All upstreams at one moment: the settings in force, and the lists as they were last read. Never changed, only replaced as
//! a whole, so that no call sees half of a change.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sdl_ledger::AgentStore;
use sdl_settings::{Mode, Settings, Transport, Upstream};
use serde_json::{Value, json};

use super::definition::Definition;
use super::names;
use super::reading::{Lists, Reading};
use crate::ToolError;

/// How many characters of an upstream's advice say what it is for.
const MOST_INSTRUCTIONS: usize = 300;

/// All upstreams at one moment.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// Grows with each replacement.
    pub(crate) number: u64,
    pub(crate) settings: Arc<Settings>,
    /// The upstreams that are not turned off, in the order of their keys.
    pub(crate) upstreams: Vec<Arc<Listed>>,
}

/// An upstream, as it was last read.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) key: Arc<str>,
    pub(crate) entry: Upstream,
    pub(crate) reading: Reading,
    /// In the order of their advertised names.
    pub(crate) tools: Vec<Arc<Definition>>,
    /// Whether its definitions are small enough to be listed, where the person leaves that to their size.
    is_small: bool,
    /// When the list was last found to be as it is, in Unix milliseconds: at its reading, or at a later one that changed
    /// nothing.
    confirmed_at_ms: AtomicU64,
}

impl Listed {
    fn new(entry: Upstream, reading: Reading, was_small: bool) -> Self {
        let key: Arc<str> = entry.key.as_str().into();
        let tools = reading.definitions(&key);
        let tokens: u64 = tools.iter().map(|tool| tool.tokens as u64).sum();
        // One that is listed stays so until it has clearly grown: a list that comes and goes helps nobody.
        let limit = entry.own.auto_tokens;
        let is_small = tokens <= if was_small { limit + limit / 2 } else { limit };
        let confirmed_at_ms = AtomicU64::new(reading.read_at_ms);
        Self { key, entry, reading, tools, is_small, confirmed_at_ms }
    }

    /// When its list was last found to be as it is, in Unix milliseconds.
    pub(crate) fn confirmed_at_ms(&self) -> u64 {
        self.confirmed_at_ms.load(Ordering::Relaxed)
    }

    /// What it is for: the person's words, else those of the server.
    pub(crate) fn about(&self) -> String {
        if let Some(about) = &self.entry.own.about {
            return about.clone();
        }
        let lists = self.reading.lists.as_ref();
        let info = lists.and_then(|lists| lists.server_info.as_ref());
        let part = |part: &str| info?.get(part)?.as_str();
        let title = part("title").or_else(|| part("name")).unwrap_or_default();
        let described = part("description").unwrap_or_default();
        let instructions = lists.and_then(|lists| lists.instructions.as_deref()).unwrap_or_default();
        let instructions: String = instructions.chars().take(MOST_INSTRUCTIONS).collect();
        format!("{title}. {described} {instructions}")
    }

    /// Its advice for models, if it gives any.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.reading.lists.as_ref()?.instructions.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Whether its list of tools may be out of date: it does not announce changes, or could not be read lately.
    pub(crate) fn may_be_stale(&self) -> bool {
        self.reading.lists.as_ref().is_none_or(|lists| !lists.announces.tools) || self.is_unread()
    }

    /// Whether its list of tools could not be read the last time, so that the tools are those of an earlier list.
    pub(crate) fn is_unread(&self) -> bool {
        self.reading.lists.as_ref().is_some_and(|lists| lists.unread.contains_key("tools"))
    }

    /// Its lists in figures, for a person.
    pub(crate) fn report(&self) -> Value {
        let lists = self.reading.lists.as_ref();
        let tokens: usize = self.tools.iter().map(|tool| tool.tokens).sum();
        let listed = if self.is_passed_through(self.entry.own.mode) { tokens } else { 0 };
        let mut report = json!({
            "key": &*self.key,
            "known": self.is_current(),
            "tools": self.tools.len(),
            "tokens": tokens,
            "tokensListed": listed,
            "readAtMs": self.confirmed_at_ms(),
        });
        if let Some(lists) = lists.filter(|lists| !lists.skipped.is_empty()) {
            report["skipped"] = json!(lists.skipped);
        }
        if let Some(lists) = lists.filter(|lists| !lists.unread.is_empty()) {
            (report["unread"], report["stale"]) = (json!(lists.unread), true.into());
        }
        report
    }

    /// Whether its tools are listed in this mode.
    pub(crate) fn is_passed_through(&self, mode: Mode) -> bool {
        match mode {
            Mode::Passthrough => true,
            Mode::Synthesize => false,
            Mode::Auto => self.is_small,
        }
    }

    /// Whether it was read from the server that is configured now.
    pub(crate) fn is_current(&self) -> bool {
        self.is_known() && self.reading.server == server_mark(&self.entry)
    }

    /// Whether it was read at least once.
    pub(crate) fn is_known(&self) -> bool {
        self.reading.lists.is_some()
    }
}

/// Tells one server under a key from another.
fn server_mark(entry: &Upstream) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    };
    // Not their `Debug` form, because that shows nothing of a template.
    match &entry.transport {
        Transport::Stdio { command, args, env } => {
            add("stdio");
            add(command.as_str());
            add(&args.len().to_string());
            args.iter().for_each(|arg| add(arg.as_str()));
            env.iter()
                .for_each(|(name, value)| [name.as_str(), value.as_str()].into_iter().for_each(&mut add));
        }
        Transport::Http { url, headers } => {
            add("http");
            add(url.as_str());
            headers
                .iter()
                .for_each(|(name, value)| [name.as_str(), value.as_str()].into_iter().for_each(&mut add));
        }
    }
    add(entry.own.cwd.as_ref().map_or("", |cwd| cwd.as_str()));
    add(&format!("{:?}", entry.own.protocol));
    hasher.finalize().to_hex().chars().take(16).collect()
}

/// The catalog in force, and the ways to replace it.
#[derive(Default)]
pub(crate) struct Gateway {
    current: RwLock<Arc<Catalog>>,
    /// Held while a catalog is made, so that no two are made from the same one.
    making: Mutex<()>,
}

impl Gateway {
    /// Returns the catalog in force.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts settings in force. What was read of an upstream before, in this process or an earlier one, stays known.
    pub(crate) fn configure(&self, store: &AgentStore, settings: Arc<Settings>) -> Result<(), ToolError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.catalog();
        let mut upstreams = Vec::new();
        for entry in settings.upstreams.iter().filter(|entry| entry.enabled) {
            let known = before.upstreams.iter().find(|one| *one.key == *entry.key);
            let reading = match known {
                Some(known) => Reading { read_at_ms: known.confirmed_at_ms(), ..known.reading.clone() },
                None => Reading::load(store, &entry.key)?.unwrap_or_default(),
            };
            let was_small = known.is_some_and(|known| known.is_small);
            upstreams.push(Arc::new(Listed::new(entry.clone(), reading, was_small)));
        }
        upstreams.sort_by(|a, b| a.key.cmp(&b.key));
        self.replace(Catalog { number: before.number + 1, settings, upstreams });
        Ok(())
    }

    /// Takes the lists of an upstream in place of those read before. `is_ours` says which names our own tools have. Returns
    /// whether anything differs.
    pub(crate) fn take_lists(
        &self,
        store: &AgentStore,
        key: &str,
        lists: Lists,
        now_ms: u64,
        is_ours: &dyn Fn(&str) -> bool,
    ) -> Result<bool, ToolError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.catalog();
        let Some(at) = before.upstreams.iter().position(|one| *one.key == *key) else {
            // It was removed while it was read.
            return Ok(false);
        };
        let Some(known) = before.upstreams.get(at) else { return Ok(false) };
        let others = before.upstreams.iter().enumerate().filter(|(other, _)| *other != at);
        let taken: HashSet<&str> = others
            .flat_map(|(_, other)| other.reading.known.values())
            .map(|known| known.advertised.as_str())
            .collect();
        let is_taken = |name: &str| taken.contains(name) || names::is_ours(name, is_ours);
        let mut next = known.reading.next(key, lists, now_ms, &is_taken);
        next.server = server_mark(&known.entry);
        let differs = next.lists != known.reading.lists;
        if !differs && known.is_current() {
            // Nothing that was made of the catalog has to be made again.
            known.confirmed_at_ms.store(now_ms, Ordering::Relaxed);
            return Ok(false);
        }
        next.store(store, key)?;
        let mut upstreams = before.upstreams.clone();
        if let Some(place) = upstreams.get_mut(at) {
            *place = Arc::new(Listed::new(known.entry.clone(), next, known.is_small));
        }
        let settings = Arc::clone(&before.settings);
        self.replace(Catalog { number: before.number + 1, settings, upstreams });
        Ok(differs)
    }

    fn replace(&self, catalog: Catalog) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }
}
