//! The lists of an upstream as they were last read, kept in the store, so that a search can answer before any upstream
//! runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use sdl_ledger::AgentStore;
use sdl_proto::gate::UpstreamLists;
use sdl_settings::Pin;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bare::{Holders, Rivals};
use super::definition::{Change, Definition, definition_hash};
use super::names;
use super::pins::{PinEvent, PinState, Sight, Standing};
use super::prompts::PromptNames;
use super::readable::differing_fields;
use crate::ToolError;
use crate::stored::tables::UPSTREAM_LISTS;
use crate::stored::{from_bytes, to_bytes};

const LAYOUT: u8 = 1;
/// Maximum number of tools of one upstream.
pub(crate) const MOST_TOOLS: usize = 10_000;

/// What an upstream said of itself when it was read, each definition as it wrote it.
pub(crate) type Lists = UpstreamLists<Map<String, Value>>;

/// The lists of one upstream, with what we remember of each tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Reading {
    /// None until they were read for the first time.
    pub(crate) lists: Option<Lists>,
    /// Tells the server that was read from others that the same key may mean later.
    pub(crate) server: String,
    /// When they were read, in Unix milliseconds.
    pub(crate) read_at_ms: u64,
    /// The memory of each tool, by the name that the upstream knows. Of tools that are gone, too: one that comes back
    /// has its old name, and its definition is compared with the old one.
    pub(crate) known: BTreeMap<String, Known>,
    /// The names of its tools for each set of questions that its client could be asked: `elicitation+roots`, say. In order. The list of tools has
    /// those of all.
    pub(crate) variants: BTreeMap<String, Vec<String>>,
    /// Pinned definitions that are not among the lists, by their hashes.
    pub(crate) texts: BTreeMap<String, Map<String, Value>>,
    /// The names of its prompts.
    pub(crate) prompt_names: PromptNames,
    /// Which lists beside its tools were asked for: prompts, and resources.
    pub(crate) asked: (bool, bool),
    /// Who had the own names of its tools before, and those of its prompts.
    pub(crate) tool_rivals: Rivals,
    pub(crate) prompt_rivals: Rivals,
    /// Whether its entry was turned off or removed since.
    pub(crate) left: bool,
}

/// The memory of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Known {
    /// The name that clients were given.
    pub(crate) advertised: String,
    /// Hash of the definition that is served.
    pub(crate) hash: String,
    /// When the tool was first seen, and when it was last seen, in Unix milliseconds.
    pub(crate) first_seen_ms: u64,
    pub(crate) last_seen_ms: u64,
    /// Which definition is trusted. None until the next reading if it was written without.
    pub(crate) pin: Option<PinState>,
}

/// Between the kinds of questions in the name of a variant.
pub(crate) const VARIANT_JOINT: &str = "+";

/// Lists that were read just now.
pub(crate) struct Arrival<'a> {
    pub(crate) lists: Lists,
    /// Unix milliseconds.
    pub(crate) at_ms: u64,
    /// What happens when a definition changes.
    pub(crate) mode: Pin,
    /// Whether the upstream may ask its client something.
    pub(crate) may_ask: bool,
    /// Whether the same run of the server was read before.
    pub(crate) is_same_run: bool,
    /// Says whether a definition is flagged.
    pub(crate) is_flagged: &'a dyn Fn(&Map<String, Value>) -> bool,
    /// Says which names others have.
    pub(crate) is_taken: &'a dyn Fn(&str) -> bool,
}

/// A definition that a person approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Approved {
    /// The tool's own name.
    pub(crate) tool: String,
    /// The fields in which it differed from the one that was pinned.
    pub(crate) fields: Vec<String>,
    /// Its hash.
    pub(crate) hash: String,
}

/// Something about a definition that belongs into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Noted {
    /// The tool's own name.
    pub(crate) tool: String,
    pub(crate) event: PinEvent,
    /// The fields in which it differs from the pinned one.
    pub(crate) fields: Vec<String>,
    /// Its hash.
    pub(crate) hash: String,
}

impl Reading {
    /// Returns the reading that follows this one, and what the log should tell of it. Names that tools have stay theirs.
    pub(crate) fn next(&self, key: &str, arrival: Arrival<'_>) -> (Self, Vec<Noted>) {
        let Arrival { mut lists, at_ms: now, mode, may_ask, is_same_run, is_flagged, is_taken } = arrival;
        lists.tools.truncate(MOST_TOOLS);
        let variants = self.join_variants(&mut lists, may_ask);
        self.keep_unread(&mut lists);
        let mut known = self.known.clone();
        let mut given: Vec<String> = known.values().map(|one| one.advertised.clone()).collect();
        given.sort_unstable();
        let mut events = Vec::new();
        // By name, because the order of the list must not decide who gets the plain name.
        for (name, tool) in by_name(&lists) {
            let hash = definition_hash(tool);
            let one = known.entry(name.to_owned()).or_default();
            if one.advertised.is_empty() {
                let plain = names::plain_name(key, name);
                let is_free = !is_taken(&plain) && given.binary_search(&plain).is_err();
                one.advertised = if is_free { plain } else { names::marked_name(key, name) };
                one.first_seen_ms = now;
                let at = given.binary_search(&one.advertised).unwrap_or_else(|at| at);
                given.insert(at, one.advertised.clone());
            }
            let pin = one.pin.get_or_insert_with(|| PinState::first(&hash, now));
            let sight = Sight { hash: &hash, is_same_run, is_flagged: &|| is_flagged(tool), at_ms: now };
            if let Some(event) = pin.see(&sight, mode) {
                events.push((name.to_owned(), event));
            }
            one.hash = hash;
            one.last_seen_ms = now;
        }
        let texts = self.texts_for(&known, &lists);
        let next = Self {
            lists: Some(lists),
            read_at_ms: now,
            known,
            texts,
            variants,
            tool_rivals: self.tool_rivals.clone(),
            prompt_rivals: self.prompt_rivals.clone(),
            ..Self::default()
        };
        let noted = next.describe_events(events);
        (next, noted)
    }

    /// Whether it is decided for all names who had them before.
    pub(crate) fn is_ranked(&self) -> bool {
        self.known.keys().all(|name| self.tool_rivals.contains_key(name))
            && self.prompt_names.keys().all(|name| self.prompt_rivals.contains_key(name))
    }

    /// Decides for its names who had them before. Returns whether anything differs.
    pub(crate) fn rank(&mut self, key: &str, tools: &Holders, prompts: &Holders) -> bool {
        let tools = tools.rank(key, self.known.keys(), &self.tool_rivals);
        let prompts = prompts.rank(key, self.prompt_names.keys(), &self.prompt_rivals);
        let differs = tools != self.tool_rivals || prompts != self.prompt_rivals;
        (self.tool_rivals, self.prompt_rivals) = (tools, prompts);
        differs
    }

    /// Adds its names to those of others.
    pub(crate) fn hold_names(&self, key: &str, tools: &mut Holders, prompts: &mut Holders) {
        let named = self.known.iter().map(|(name, known)| (name.as_str(), known.advertised.as_str()));
        tools.add_all(key, named, &self.tool_rivals);
        let named = self.prompt_names.iter().map(|(name, advertised)| (name.as_str(), advertised.as_str()));
        prompts.add_all(key, named, &self.prompt_rivals);
    }

    /// Forgets rivals of upstreams that are not there.
    pub(crate) fn forget_rivals(&mut self, is_there: &dyn Fn(&str) -> bool) {
        for rivals in self.tool_rivals.values_mut().chain(self.prompt_rivals.values_mut()) {
            rivals.retain(|rival| is_there(&rival.key));
        }
    }

    /// Adds to a list of tools those that the upstream lists only to clients that can be asked for other things. Where the
    /// texts differ, those for clients that can't be asked count. Returns who is listed what.
    fn join_variants(&self, lists: &mut Lists, may_ask: bool) -> BTreeMap<String, Vec<String>> {
        let declared = std::mem::take(&mut lists.declared).join(VARIANT_JOINT);
        if lists.unread.contains_key("tools") {
            return self.variants.clone();
        }
        let mut variants = if may_ask { self.variants.clone() } else { BTreeMap::new() };
        let mut own: Vec<String> = by_name(lists).into_keys().map(str::to_owned).collect();
        own.sort_unstable();
        variants.insert(declared.clone(), own);
        if let Some(before) = self.lists.as_ref().filter(|_| variants.len() > 1) {
            let is_in = |variant: &str, tool: &str| {
                variants.get(variant).is_some_and(|names| names.iter().any(|name| name == tool))
            };
            let mut tools: BTreeMap<&str, &Map<String, Value>> = by_name(lists);
            for (name, text) in by_name(before) {
                let is_plain = !declared.is_empty() && is_in("", name);
                let is_elsewhere = variants.keys().any(|other| *other != declared && is_in(other, name));
                if is_plain || is_elsewhere && !tools.contains_key(name) {
                    tools.insert(name, text);
                }
            }
            let tools = tools.into_values().cloned().collect();
            if declared.is_empty() || !variants.contains_key("") {
                lists.tools = tools;
            } else {
                let unread = std::mem::take(&mut lists.unread);
                *lists = Lists { tools, unread, ..before.clone() };
            }
        }
        variants
    }

    /// Whether a tool is listed to a client that can be asked for this. One to which nothing was listed yet is taken for one that
    /// can't be asked.
    pub(crate) fn is_listed_to(&self, declared: &str, tool: &str) -> bool {
        let names = self.variants.get(declared).or_else(|| self.variants.get(""));
        names.is_none_or(|names| names.binary_search_by(|name| name.as_str().cmp(tool)).is_ok())
    }

    /// The pinned definitions that the new lists don't have.
    fn texts_for(
        &self,
        known: &BTreeMap<String, Known>,
        lists: &Lists,
    ) -> BTreeMap<String, Map<String, Value>> {
        let there = by_name(lists);
        let is_gone = |name: &str, pin: &PinState| pin.pinned != pin.current || !there.contains_key(name);
        let pins = known.iter().filter_map(|(name, one)| Some((name, one.pin.as_ref()?)));
        let wanted: BTreeMap<&str, &str> = pins
            .filter(|(name, pin)| is_gone(name, pin))
            .map(|(name, pin)| (name.as_str(), pin.pinned.as_str()))
            .collect();
        if wanted.is_empty() {
            return BTreeMap::new();
        }
        let before = self.lists.as_ref().map(by_name).unwrap_or_default();
        let find = |(name, hash): (&str, &str)| {
            let text = self
                .texts
                .get(hash)
                .or_else(|| before.get(name).copied().filter(|text| definition_hash(text) == hash))?;
            Some((hash.to_owned(), text.clone()))
        };
        wanted.into_iter().filter_map(find).collect()
    }

    fn describe_events(&self, events: Vec<(String, PinEvent)>) -> Vec<Noted> {
        if events.is_empty() {
            return Vec::new();
        }
        let there = self.lists.as_ref().map(by_name).unwrap_or_default();
        let describe = |(tool, event): (String, PinEvent)| {
            let known = self.known.get(&tool)?;
            let fields = there.get(tool.as_str()).map(|text| self.changed_fields(&tool, text));
            let hash = known.hash.clone();
            Some(Noted { tool, event, fields: fields.unwrap_or_default(), hash })
        };
        events.into_iter().filter_map(describe).collect()
    }

    /// The pinned definition of a tool.
    pub(crate) fn pinned_text(&self, tool: &str) -> Option<&Map<String, Value>> {
        let pin = self.known.get(tool)?.pin.as_ref()?;
        if pin.pinned != pin.current {
            return self.texts.get(&pin.pinned);
        }
        self.current_text(tool).or_else(|| self.texts.get(&pin.pinned))
    }

    /// The definition of a tool as it was read last.
    pub(crate) fn current_text(&self, tool: &str) -> Option<&Map<String, Value>> {
        let is_it = |text: &&Map<String, Value>| text.get("name").is_some_and(|name| name == tool);
        self.lists.as_ref()?.tools.iter().find(is_it)
    }

    /// The fields in which a definition differs from the pinned one.
    fn changed_fields(&self, tool: &str, now: &Map<String, Value>) -> Vec<String> {
        let pinned = self.known.get(tool).and_then(|known| self.texts.get(&known.pin.as_ref()?.pinned));
        pinned.map(|pinned| differing_fields(pinned, now)).unwrap_or_default()
    }

    /// Applies another mode to what was read. Returns whether anything differs, and what the log should tell of it.
    pub(crate) fn set_mode(&mut self, mode: Pin) -> (bool, Vec<Noted>) {
        let (mut differs, mut events) = (false, Vec::new());
        let names: Vec<String> = self.present_names();
        for name in names {
            let Some(pin) = self.known.get_mut(&name).and_then(|known| known.pin.as_mut()) else { continue };
            let before = pin.clone();
            let (hash, at_ms) = (pin.current.clone(), pin.since_ms);
            let sight = Sight { hash: &hash, is_same_run: true, is_flagged: &|| false, at_ms };
            if let Some(event) = pin.see(&sight, mode) {
                events.push((name, event));
            }
            differs |= *pin != before;
        }
        (differs, self.describe_events(events))
    }

    /// Pins the definitions that are there, of one tool or of all that have another one pinned or were held. With `hash`
    /// only if its definition begins with it. Returns the tools, with the fields that differed.
    pub(crate) fn approve(&mut self, tool: Option<&str>, hash: &str) -> Vec<Approved> {
        let there = self.lists.as_ref().map(by_name).unwrap_or_default();
        let pinned_now = |(name, text): (&str, &Map<String, Value>)| {
            let pin = self.known.get(name)?.pin.as_ref()?;
            let is_meant = tool.is_none_or(|tool| tool == name) && pin.current.starts_with(hash);
            let is_new = *pin != PinState::first(&pin.pinned, pin.since_ms);
            let fields = || self.changed_fields(name, text);
            let hash = || pin.current.clone();
            (is_meant && is_new).then(|| Approved { tool: name.to_owned(), fields: fields(), hash: hash() })
        };
        let approved: Vec<Approved> = there.into_iter().filter_map(pinned_now).collect();
        for one in &approved {
            if let Some(pin) = self.known.get_mut(&one.tool).and_then(|known| known.pin.as_mut()) {
                pin.approve();
            }
        }
        self.texts = match &self.lists {
            Some(lists) => self.texts_for(&self.known, lists),
            None => BTreeMap::new(),
        };
        approved
    }

    /// Forgets all pins, because another server is to be read.
    pub(crate) fn forget_pins(&mut self) {
        self.known.values_mut().for_each(|known| known.pin = None);
        self.texts.clear();
    }

    /// The pin of each tool.
    pub(crate) fn pins(&self) -> impl Iterator<Item = (&String, Option<&PinState>)> {
        self.known.iter().map(|(name, known)| (name, known.pin.as_ref()))
    }

    /// The names of the tools that are there.
    fn present_names(&self) -> Vec<String> {
        let lists = self.lists.as_ref().map(by_name).unwrap_or_default();
        lists.into_keys().map(str::to_owned).collect()
    }

    /// A list that could not be read stays as it was: a failure never removes a tool.
    fn keep_unread(&self, lists: &mut Lists) {
        let Some(before) = &self.lists else { return };
        let lists_of = [
            ("tools", &before.tools, &mut lists.tools),
            ("prompts", &before.prompts, &mut lists.prompts),
            ("resources", &before.resources, &mut lists.resources),
            ("resourceTemplates", &before.resource_templates, &mut lists.resource_templates),
        ];
        for (name, before, now) in lists_of {
            if lists.unread.contains_key(name) && now.is_empty() {
                now.clone_from(before);
            }
        }
    }

    /// The tools in this mode, in the order of their advertised names.
    pub(crate) fn definitions(&self, key: &Arc<str>, mode: Pin) -> Vec<Arc<Definition>> {
        let read = |tool: &Map<String, Value>| {
            let name = tool.get("name")?.as_str()?;
            let known = self.known.get(name)?;
            let mut read = Definition::read(key, tool, known.advertised.clone())?;
            if let Some(pin) = &known.pin {
                read.standing = pin.standing(mode);
                let is_other = read.standing != Standing::Pinned;
                read.change = is_other
                    .then(|| Change { fields: self.changed_fields(name, tool), since_ms: pin.since_ms });
            }
            Some(Arc::new(read))
        };
        let tools = self.lists.iter().flat_map(|lists| &lists.tools);
        let mut all: Vec<Arc<Definition>> = tools.filter_map(read).collect();
        all.sort_by(|a, b| a.advertised.cmp(&b.advertised));
        all.dedup_by(|a, b| a.advertised == b.advertised);
        all
    }

    /// Reads the row of an upstream.
    pub(crate) fn load(store: &AgentStore, key: &str) -> Result<Option<Self>, ToolError> {
        let row = row_key(key);
        Ok(store.read(|reader| {
            Ok(reader.get(UPSTREAM_LISTS, &row)?.and_then(|bytes| from_bytes(LAYOUT, bytes)))
        })?)
    }

    /// Stores it in place of the former one.
    pub(crate) fn store(&self, store: &AgentStore, key: &str) -> Result<(), ToolError> {
        let bytes = to_bytes(LAYOUT, self)?;
        let row = row_key(key);
        store.write(|writer| writer.put(UPSTREAM_LISTS, &row, &bytes))?;
        Ok(())
    }
}

/// The tools of lists by their names. Of a name that is there twice, the first.
fn by_name(lists: &Lists) -> BTreeMap<&str, &Map<String, Value>> {
    let mut tools = BTreeMap::new();
    for tool in &lists.tools {
        if let Some(name) = tool.get("name").and_then(Value::as_str) {
            tools.entry(name).or_insert(tool);
        }
    }
    tools
}

fn row_key(key: &str) -> Vec<u8> {
    sdl_settings::fold_key(key).into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn lists(tools: &[&str]) -> Lists {
        let tools = tools.iter().map(|name| json!({"name": name}).as_object().cloned().unwrap()).collect();
        lists_of(tools)
    }

    fn lists_of(tools: Vec<Map<String, Value>>) -> Lists {
        let text = json!({
            "era": "2025-11-25", "tools": tools, "prompts": [], "resources": [], "resourceTemplates": [], "oversize": [],
            "skipped": {}, "announces": {"tools": true, "prompts": false, "resources": false}, "unread": {}
        });
        serde_json::from_value(text).unwrap()
    }

    fn arrive(lists: Lists, at_ms: u64) -> Arrival<'static> {
        let (is_flagged, is_taken) = (&|_: &Map<String, Value>| false, &|_: &str| false);
        Arrival { lists, at_ms, mode: Pin::Auto, may_ask: false, is_same_run: false, is_flagged, is_taken }
    }

    fn next(before: &Reading, lists: Lists, at_ms: u64) -> Reading {
        before.next("fs", arrive(lists, at_ms)).0
    }

    #[test]
    fn a_list_that_could_not_be_read_stays() {
        let first = next(&Reading::default(), lists(&["read"]), 1);
        let mut failed = lists(&[]);
        failed.unread.insert("tools".into(), "it timed out".into());
        assert_eq!(names_of(&next(&first, failed, 2)), ["fs_read"]);
        assert!(names_of(&next(&first, lists(&[]), 2)).is_empty(), "it says that it has none");
    }

    fn names_of(reading: &Reading) -> Vec<String> {
        reading.definitions(&"fs".into(), Pin::Auto).iter().map(|one| one.advertised.clone()).collect()
    }

    #[test]
    fn a_name_once_given_stays_while_others_come_and_go() {
        let first = next(&Reading::default(), lists(&["read!file"]), 1);
        assert_eq!(names_of(&first), ["fs_read_file"]);
        // `read file` sorts before `read!file` and would have had the plain name.
        let second = next(&first, lists(&["read file", "read!file"]), 2);
        assert_eq!(second.known["read!file"].advertised, "fs_read_file");
        assert_ne!(second.known["read file"].advertised, "fs_read_file");
        let third = next(&second, lists(&["read file"]), 3);
        let fourth = next(&third, lists(&["read!file"]), 4);
        assert_eq!(names_of(&fourth), ["fs_read_file"]);
        assert_eq!((fourth.known["read!file"].first_seen_ms, fourth.known["read!file"].last_seen_ms), (1, 4));
    }

    #[test]
    fn a_name_that_others_have_is_marked() {
        let arrival = Arrival { is_taken: &|name| name == "repo_status", ..arrive(lists(&["status"]), 1) };
        let (taken, _) = Reading::default().next("repo", arrival);
        let name = &taken.known["status"].advertised;
        assert!(name.starts_with("repo_status_") && name.len() == "repo_status_".len() + 6, "{name}");
    }

    proptest! {
        #[test]
        fn names_do_not_depend_on_the_order_of_a_list(mut tools in proptest::collection::vec("[ab!? ]{1,3}", 1..8)) {
            let of = |tools: &[String]| {
                let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
                next(&Reading::default(), lists(&tools), 1).known
            };
            let one = of(&tools);
            tools.reverse();
            prop_assert_eq!(&one, &of(&tools));
            let mut names: Vec<&String> = one.values().map(|known| &known.advertised).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), one.len());
        }
    }

    fn tool(name: &str, text: u8) -> Map<String, Value> {
        let text =
            json!({"name": name, "description": format!("It is {text}"), "inputSchema": {"title": text / 2}});
        text.as_object().cloned().unwrap()
    }

    /// A moment of an upstream: a reading of a run with the definitions of three tools, or an approval of one.
    type Moment = (u8, [Option<u8>; 3], Option<usize>);

    fn moment() -> impl Strategy<Value = Moment> {
        let text = || proptest::option::weighted(0.8, 0_u8..4);
        let tools = [text(), text(), text()];
        (0_u8..4, tools, proptest::option::weighted(0.2, 0_usize..3))
    }

    const TOOLS: [&str; 3] = ["a", "b", "c"];

    proptest! {
        /// Each tool is as its own history has it, whatever others do, through every store and load, and its pinned definition
        /// can be shown.
        #[test]
        fn each_tool_has_a_history_of_its_own(history in proptest::collection::vec(moment(), 1..8)) {
            let mut reading = Reading::default();
            let mut pins: [Option<PinState>; 3] = [None, None, None];
            let mut texts: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
            let mut runs = Vec::new();
            for (at, (run, tools, approved)) in history.into_iter().enumerate() {
                let is_same_run = runs.contains(&run);
                runs.push(run);
                let at_ms = at as u64;
                let there = || TOOLS.iter().zip(tools).filter_map(|(name, text)| Some((*name, tool(name, text?))));
                let arrival = Arrival { is_same_run, ..arrive(lists_of(there().map(|(_, tool)| tool).collect()), at_ms) };
                reading = reading.next("fs", arrival).0;
                for (name, tool) in there() {
                    let hash = definition_hash(&tool);
                    texts.insert(hash.clone(), tool);
                    let at = TOOLS.iter().position(|one| *one == name).unwrap();
                    let sight = Sight { hash: &hash, is_same_run, is_flagged: &|| false, at_ms };
                    pins[at].get_or_insert_with(|| PinState::first(&hash, at_ms)).see(&sight, Pin::Auto);
                }
                if let Some(at) = approved {
                    reading.approve(Some(TOOLS[at]), "");
                    if tools[at].is_some() {
                        pins[at].as_mut().unwrap().approve();
                    }
                }
                reading = from_bytes(LAYOUT, &to_bytes(LAYOUT, &reading).unwrap()).unwrap();
                for (name, pin) in TOOLS.iter().zip(&pins) {
                    prop_assert_eq!(reading.known.get(*name).and_then(|known| known.pin.as_ref()), pin.as_ref());
                    let shown = reading.pinned_text(name);
                    prop_assert_eq!(shown, pin.as_ref().map(|pin| &texts[&pin.pinned]), "{}", name);
                }
                for one in reading.definitions(&"fs".into(), Pin::Auto) {
                    let pin = reading.known[&one.name].pin.as_ref().unwrap();
                    prop_assert_eq!(one.standing, pin.standing(Pin::Auto));
                    prop_assert_eq!(one.change.is_some(), pin.pinned != pin.current);
                    let has_fields = one.change.as_ref().is_none_or(|change| !change.fields.is_empty());
                    prop_assert!(has_fields);
                }
            }
        }
    }

    #[test]
    fn what_was_written_without_pins_is_pinned_at_the_next_reading() {
        let mut first = next(&Reading::default(), lists_of(vec![tool("a", 1)]), 1);
        first.forget_pins();
        let second = next(&first, lists_of(vec![tool("a", 2)]), 2);
        assert_eq!(second.definitions(&"fs".into(), Pin::Strict)[0].standing, Standing::Pinned);
    }

    #[test]
    fn only_what_was_looked_at_is_approved() {
        let first = next(&Reading::default(), lists_of(vec![tool("a", 1), tool("b", 1)]), 1);
        let arrival = Arrival { is_same_run: true, ..arrive(lists_of(vec![tool("a", 2), tool("b", 3)]), 2) };
        let (mut second, noted) = first.next("fs", arrival);
        assert_eq!(noted.len(), 2);
        assert_eq!(noted[0].fields, ["description", "inputSchema"]);
        assert!(second.approve(Some("a"), "no such hash").is_empty());
        let seen = second.known["a"].hash[..8].to_owned();
        assert_eq!(second.approve(None, &seen).len(), 1);
        let standings = second.definitions(&"fs".into(), Pin::Auto);
        let standings: Vec<Standing> = standings.iter().map(|one| one.standing).collect();
        assert_eq!(standings, [Standing::Pinned, Standing::Held]);
    }
}
