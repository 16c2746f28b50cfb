//! All upstreams at one moment: the settings in force, and the lists as they were last read. Never changed, only replaced as
//! a whole, so that no call sees half of a change.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sdl_ledger::AgentStore;
use sdl_settings::{Mode, Settings, Template, Transport, Upstream};
use serde_json::{Map, Value, json};

use super::definition::Definition;
use super::flags::{KnownNames, mentioned_names, text_flags};
use super::hidden::strip_hidden;
use super::names;
use super::pins::{Standing, Suspicion};
use super::prompts::name_prompts;
use super::reading::{Approved, Arrival, Lists, Noted, Reading};
use crate::ToolError;

/// How many characters of an upstream's advice say what it is for.
const MOST_INSTRUCTIONS: usize = 300;
/// The runs of an upstream's connections that are remembered: more than run at once.
const MOST_RUNS: usize = 512;

/// What an upstream offers beside tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferKind {
    Prompts,
    /// Templates of resources, too.
    Resources,
}

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
    /// Those that are served, in the order of their advertised names.
    pub(crate) tools: Vec<Arc<Definition>>,
    /// Those that are held until a person approves them, in the same order.
    pub(crate) held: Vec<Arc<Definition>>,
    /// Whether its definitions are small enough to be listed, where the person leaves that to their size.
    is_small: bool,
    /// When the list was last found to be as it is, in Unix milliseconds: at its reading, or at a later one that changed
    /// nothing.
    confirmed_at_ms: AtomicU64,
}

impl Listed {
    fn new(entry: Upstream, reading: Reading, was_small: bool) -> Self {
        let key: Arc<str> = entry.key.as_str().into();
        let all = reading.definitions(&key, entry.own.pin);
        let (held, tools): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|tool| tool.standing == Standing::Held);
        let tokens: u64 = tools.iter().map(|tool| tool.tokens as u64).sum();
        // One that is listed stays so until it has clearly grown: a list that comes and goes helps nobody.
        let limit = entry.own.auto_tokens;
        let is_small = tokens <= if was_small { limit + limit / 2 } else { limit };
        let confirmed_at_ms = AtomicU64::new(reading.read_at_ms);
        Self { key, entry, reading, tools, held, is_small, confirmed_at_ms }
    }

    /// All its tools, whether they are served or held.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.tools.iter().chain(&self.held)
    }

    /// The same with the flags that its tools have among the tools of others. None if it has those already.
    fn flagged_among(&self, known: &KnownNames<'_>) -> Option<Self> {
        if self.all().all(|tool| tool.flags_among(known) == tool.flags) {
            return None;
        }
        let flag = |tool: &Arc<Definition>| {
            let mut flagged = Definition::clone(tool);
            flagged.flags = tool.flags_among(known);
            Arc::new(flagged)
        };
        Some(Self {
            key: Arc::clone(&self.key),
            entry: self.entry.clone(),
            reading: self.reading.clone(),
            tools: self.tools.iter().map(flag).collect(),
            held: self.held.iter().map(flag).collect(),
            is_small: self.is_small,
            confirmed_at_ms: AtomicU64::new(self.confirmed_at_ms()),
        })
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
        let instructions = self.instructions().unwrap_or_default();
        let instructions: String = instructions.chars().take(MOST_INSTRUCTIONS).collect();
        format!("{title}. {described} {instructions}")
    }

    /// Its advice for models, if it gives any.
    pub(crate) fn instructions(&self) -> Option<Cow<'_, str>> {
        let text = self.reading.lists.as_ref()?.instructions.as_deref().map(strip_hidden);
        text.filter(|text| !text.trim().is_empty())
    }

    /// Why the definition of a tool is held, for people.
    pub(crate) fn held_because(&self, tool: &str) -> Option<&'static str> {
        let pin = self.reading.known.get(tool)?.pin.as_ref()?;
        pin.suspect.map(Suspicion::reason)
    }

    /// Whether its list of tools may be out of date: it does not announce changes, or could not be read lately.
    pub(crate) fn may_be_stale(&self) -> bool {
        self.reading.lists.as_ref().is_none_or(|lists| !lists.announces.tools) || self.is_unread()
    }

    /// Whether its list of tools could not be read the last time, so that the tools are those of an earlier list.
    pub(crate) fn is_unread(&self) -> bool {
        self.reading.lists.as_ref().is_some_and(|lists| lists.unread.contains_key("tools"))
    }

    /// Whether prompts of it can be asked for: the person has not turned them off, and it has some or was never read.
    pub(crate) fn offers_prompts(&self) -> bool {
        self.entry.own.prompts && self.has_capability("prompts")
    }

    /// The same of its resources.
    pub(crate) fn offers_resources(&self) -> bool {
        self.entry.own.resources && self.has_capability("resources")
    }

    /// Whether it says that it can do this. Before it was read, it may.
    pub(crate) fn has_capability(&self, name: &str) -> bool {
        let Some(lists) = &self.reading.lists else { return true };
        lists.capabilities.as_ref().is_some_and(|all| all.get(name).is_some_and(|one| !one.is_null()))
    }

    /// Whether its prompts, or its resources, may be out of date.
    pub(crate) fn offer_may_be_stale(&self, kind: OfferKind) -> bool {
        let is_offered = match kind {
            OfferKind::Prompts => self.offers_prompts(),
            OfferKind::Resources => self.offers_resources(),
        };
        let Some(lists) = &self.reading.lists else { return is_offered };
        let (is_announced, names) = match kind {
            OfferKind::Prompts => (lists.announces.prompts, &["prompts"][..]),
            OfferKind::Resources => (lists.announces.resources, &["resources", "resourceTemplates"][..]),
        };
        is_offered && (!is_announced || names.iter().any(|name| lists.unread.contains_key(*name)))
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
            "tokensWhole": self.tools.iter().map(|tool| tool.whole_tokens).sum::<usize>(),
            "tokensListed": listed,
            "readAtMs": self.confirmed_at_ms(),
        });
        let changed = self.tools.iter().filter(|tool| tool.change.is_some()).count();
        for (name, count) in [("held", self.held.len()), ("changed", changed)] {
            if count > 0 {
                report[name] = count.into();
            }
        }
        let mut flags: BTreeMap<&str, u64> = BTreeMap::new();
        for flag in self.all().flat_map(|tool| tool.flag_names()) {
            *flags.entry(flag).or_default() += 1;
        }
        if !flags.is_empty() {
            report["flags"] = json!(flags);
        }
        for (name, list) in lists.iter().flat_map(|lists| {
            let (prompts, resources) = (&lists.prompts, &lists.resources);
            [("prompts", prompts), ("resources", resources), ("resourceTemplates", &lists.resource_templates)]
        }) {
            if !list.is_empty() {
                report[name] = list.len().into();
            }
        }
        if let Some(lists) = lists.filter(|lists| !lists.skipped.is_empty()) {
            report["skipped"] = json!(lists.skipped);
        }
        if let Some(lists) = lists.filter(|lists| !lists.unread.is_empty()) {
            (report["unread"], report["stale"]) = (json!(lists.unread), true.into());
        }
        report
    }

    /// What it says of itself, and its prompts and resources, for a person.
    pub(crate) fn describe_lists(&self) -> Value {
        let Some(lists) = &self.reading.lists else { return json!({}) };
        json!({
            "serverInfo": lists.server_info,
            "instructions": lists.instructions,
            "prompts": lists.prompts,
            "resources": lists.resources,
            "resourceTemplates": lists.resource_templates,
        })
    }

    /// Whether its tools are listed in this mode.
    pub(crate) fn is_passed_through(&self, mode: Mode) -> bool {
        match mode {
            Mode::Passthrough => true,
            Mode::Synthesize => false,
            Mode::Auto => self.is_small,
        }
    }

    /// Whether it was read from the server that is configured now, and all that is wanted of it.
    pub(crate) fn is_current(&self) -> bool {
        let (own, asked) = (&self.entry.own, self.reading.asked);
        let is_complete = (asked.0 || !own.prompts) && (asked.1 || !own.resources);
        self.is_known() && is_complete && self.reading.server == server_mark(&self.entry)
    }

    /// Whether it was read at least once.
    pub(crate) fn is_known(&self) -> bool {
        self.reading.lists.is_some()
    }
}

/// Tells one server under a key from another: a part for which server it is, and one for how it is reached.
fn server_mark(entry: &Upstream) -> String {
    let (mut which, mut how) = (Vec::new(), vec![entry.own.protocol.as_str()]);
    match &entry.transport {
        Transport::Stdio { command, args, env } => {
            which.extend(std::iter::once(command).chain(args).map(Template::as_str));
            how.extend(env.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
        }
        Transport::Http { url, headers } => {
            which.push(url.as_str());
            how.extend(headers.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
        }
    }
    which.extend(entry.own.cwd.as_ref().map(Template::as_str));
    let hash = |parts: Vec<&str>| {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(16).collect::<String>()
    };
    format!("{}-{}", hash(which), hash(how))
}

/// Whether two marks are of the same server. With other credentials it still is.
fn is_same_server(one: &str, other: &str) -> bool {
    one.split('-').next() == other.split('-').next()
}

/// What belongs into the log about the tools of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotedAt {
    /// The upstream's key.
    pub(crate) key: String,
    pub(crate) noted: Vec<Noted>,
}

/// Says which names our own tools have.
pub(crate) type IsOurs<'a> = &'a dyn Fn(&str) -> bool;

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
        let (mut upstreams, mut all_noted) = (Vec::new(), Vec::new());
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
            upstreams.push(Arc::new(Listed::new(entry.clone(), reading, was_small)));
        }
        upstreams.sort_by(|a, b| a.key.cmp(&b.key));
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
        let taken: HashSet<&str> = others()
            .flat_map(|(_, other)| other.reading.known.values())
            .map(|known| known.advertised.as_str())
            .collect();
        let own = own_names(&lists);
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
        let taken: HashSet<&str> =
            others().flat_map(|(_, other)| other.reading.prompt_names.values()).map(String::as_str).collect();
        let prompts = next.lists.as_ref().map_or(&[][..], |lists| &lists.prompts);
        next.prompt_names =
            name_prompts(key, &known.reading.prompt_names, prompts, &|name| taken.contains(name));
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
            *place = Arc::new(Listed::new(place.entry.clone(), next, place.is_small));
        }
        let settings = Arc::clone(&before.settings);
        self.replace(Catalog { number: before.number + 1, settings, upstreams }, is_ours);
    }

    fn replace(&self, mut catalog: Catalog, is_ours: IsOurs<'_>) {
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
            if tool.advertised != tool.name {
                names.add(&upstream.key, &tool.advertised);
            }
        }
    }
    names
}
