//! One upstream as it was last read.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sdl_settings::{Mode, Template, Transport, Upstream};
use serde_json::{Value, json};

use super::bare::{Claim, is_bare_name};
use super::definition::Definition;
use super::flags::KnownNames;
use super::hidden::strip_hidden;
use super::names;
use super::pins::{Standing, Suspicion};
use super::reading::Reading;

/// How many characters of an upstream's advice say what it is for.
const MOST_INSTRUCTIONS: usize = 300;

/// Says which names our own tools have.
pub(crate) type IsOurs<'a> = &'a dyn Fn(&str) -> bool;

/// What an upstream offers beside tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferKind {
    Prompts,
    /// Templates of resources, too.
    Resources,
}

/// An upstream, as it was last read.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) key: Arc<str>,
    pub(crate) entry: Upstream,
    pub(crate) reading: Reading,
    /// Those that are served, in the order of their advertised names, as those see them who see all.
    pub(crate) tools: Vec<Arc<Definition>>,
    /// Those that are held until a person approves them, in the same order.
    pub(crate) held: Vec<Arc<Definition>>,
    /// Those that may be shown by their own names, by these.
    pub(super) forms: HashMap<String, Forms>,
    /// Whether its definitions are small enough to be listed, where the person leaves that to their size.
    pub(super) is_small: bool,
    /// When the list was last found to be as it is, in Unix milliseconds: at its reading, or at a later one that changed
    /// nothing.
    pub(super) confirmed_at_ms: AtomicU64,
}

/// A tool under both of its names.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    prefixed: Arc<Definition>,
    bare: Arc<Definition>,
}

impl Listed {
    pub(super) fn new(entry: Upstream, reading: Reading, was_small: bool, is_ours: IsOurs<'_>) -> Self {
        let key: Arc<str> = entry.key.as_str().into();
        let all = reading.definitions(&key, entry.own.pin);
        let given: HashSet<&str> = reading.known.values().map(|known| known.advertised.as_str()).collect();
        let may_be_bare = |name: &str| {
            !entry.own.prefix && is_bare_name(name) && !names::is_ours(name, is_ours) && !given.contains(name)
        };
        let bare = all.iter().filter(|tool| may_be_bare(&tool.name));
        let forms = bare.map(|tool| {
            let (prefixed, bare) = (Arc::clone(tool), Arc::new(tool.bare()));
            (tool.name.clone(), Forms { prefixed, bare })
        });
        let forms = forms.collect();
        let (held, tools): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|tool| tool.standing == Standing::Held);
        let tokens: u64 = tools.iter().map(|tool| tool.tokens as u64).sum();
        // One that is listed stays so until it has clearly grown: a list that comes and goes helps nobody.
        let limit = entry.own.auto_tokens;
        let is_small = tokens <= if was_small { limit + limit / 2 } else { limit };
        let confirmed_at_ms = AtomicU64::new(reading.read_at_ms);
        Self { key, entry, reading, tools, held, forms, is_small, confirmed_at_ms }
    }

    /// What decides whether a tool is shown by its own name.
    pub(crate) fn claim<'a>(&'a self, tool: &'a Definition) -> Claim<'a> {
        let may_be_bare = self.forms.contains_key(&tool.name);
        let rivals = self.reading.tool_rivals.get(&tool.name).map(Vec::as_slice);
        let rivals = may_be_bare.then(|| rivals.unwrap_or_default());
        Claim { key: &self.key, name: &tool.name, prefixed: &tool.prefixed, rivals }
    }

    /// A tool by its own name, or by that with the key.
    pub(crate) fn form(&self, tool: &Arc<Definition>, is_bare: bool) -> Arc<Definition> {
        let forms = self.forms.get(&tool.name);
        let form = forms.map(|forms| if is_bare { &forms.bare } else { &forms.prefixed });
        Arc::clone(form.unwrap_or(tool))
    }

    /// All its tools, whether they are served or held.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.tools.iter().chain(&self.held)
    }

    /// The same with the flags that its tools have among the tools of others. None if it has those already.
    pub(super) fn flagged_among(&self, known: &KnownNames<'_>) -> Option<Self> {
        if self.all().all(|tool| tool.flags_among(known) == tool.flags) {
            return None;
        }
        let flag = |tool: &Arc<Definition>| {
            let mut flagged = Definition::clone(tool);
            flagged.flags = tool.flags_among(known);
            Arc::new(flagged)
        };
        let both = |(name, forms): (&String, &Forms)| {
            let forms = Forms { prefixed: flag(&forms.prefixed), bare: flag(&forms.bare) };
            (name.clone(), forms)
        };
        let forms = self.forms.iter().map(both).collect();
        Some(self.with_tools(self.tools.iter().map(flag), self.held.iter().map(flag), forms))
    }

    /// The same with other definitions.
    pub(super) fn with_tools(
        &self,
        tools: impl Iterator<Item = Arc<Definition>>,
        held: impl Iterator<Item = Arc<Definition>>,
        forms: HashMap<String, Forms>,
    ) -> Self {
        let (mut tools, mut held): (Vec<_>, Vec<_>) = (tools.collect(), held.collect());
        tools.sort_by(|a, b| a.advertised.cmp(&b.advertised));
        held.sort_by(|a, b| a.advertised.cmp(&b.advertised));
        Self {
            key: Arc::clone(&self.key),
            entry: self.entry.clone(),
            reading: self.reading.clone(),
            tools,
            held,
            forms,
            is_small: self.is_small,
            confirmed_at_ms: AtomicU64::new(self.confirmed_at_ms()),
        }
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
pub(super) fn server_mark(entry: &Upstream) -> String {
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
pub(super) fn is_same_server(one: &str, other: &str) -> bool {
    one.split('-').next() == other.split('-').next()
}
