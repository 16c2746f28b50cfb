//! The prompts of upstreams that one session may see: what they are called, the list that it gets, and which upstream a name
//! goes to.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::bare::{Claim, Rival, Rivals, choose_bare, is_bare_name};
use super::definition::clean_object;
use super::names::{likely_key, marked_name, plain_name, qualified_pairs};

/// Our own prompts. Nobody else is called so.
pub(crate) const OUR_PROMPTS: [&str; 4] = ["debug", "review", "implement", "explain"];

/// Upstreams that may have any name, as many as are asked about one that nobody has.
const MOST_ASKED: usize = 4;

/// Maximum number of names of one upstream that are remembered.
const MOST_NAMES: usize = 20_000;

/// The names that clients were given, by the name that the upstream knows. Those of prompts that are gone, too: one that
/// comes back has its old name.
pub(crate) type PromptNames = BTreeMap<String, String>;

/// Names the prompts of a list. Names that prompts have stay theirs; `is_taken` says which names others have.
pub(super) fn name_prompts(
    key: &str,
    before: &PromptNames,
    prompts: &[Map<String, Value>],
    is_taken: &dyn Fn(&str) -> bool,
) -> PromptNames {
    // The order of the list must not decide who gets the plain name.
    let mut listed: Vec<&str> = prompts.iter().filter_map(own_name).collect();
    listed.sort_unstable();
    listed.dedup();
    let mut names = before.clone();
    if names.len() > MOST_NAMES {
        names.retain(|name, _| listed.binary_search(&name.as_str()).is_ok());
    }
    let mut given: HashSet<String> = names.values().cloned().collect();
    for name in listed {
        if !names.contains_key(name) {
            let plain = plain_name(key, name);
            let is_free = !given.contains(&plain) && !is_taken(&plain);
            let advertised = if is_free { plain } else { marked_name(key, name) };
            given.insert(advertised.clone());
            names.insert(name.to_owned(), advertised);
        }
    }
    names
}

/// What one upstream lists.
pub(super) struct Offered<'a> {
    pub(super) key: &'a Arc<str>,
    pub(super) prompts: &'a [Map<String, Value>],
    pub(super) names: &'a PromptNames,
    /// Who had the own names before, if they are shown by these.
    pub(super) rivals: Option<&'a Rivals>,
}

/// The prompts of all upstreams that a session may see.
#[derive(Debug, Default)]
pub(crate) struct Prompts {
    /// The upstreams that may be asked for a prompt.
    open: Vec<Arc<str>>,
    /// Those of them whose names have no key.
    bare: Vec<Arc<str>>,
    /// In the order of their advertised names.
    all: Vec<Prompt>,
    by_advertised: HashMap<String, usize>,
    by_name: HashMap<String, Vec<usize>>,
}

/// A prompt of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) key: Arc<str>,
    /// The name that the upstream knows.
    pub(crate) name: String,
    /// The name that clients see.
    pub(crate) advertised: String,
    /// Its name with the key, which leads to it too.
    prefixed: String,
    /// The definition that clients see, as JSON.
    listed: String,
}

/// The prompts that a name may mean.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FoundPrompt<'a> {
    One(&'a Prompt),
    Several(Vec<&'a Prompt>),
    Unknown,
}

impl Prompts {
    /// Joins what upstreams list, as far as a session sees it. `exists` says whether one that had a name before exists for it.
    pub(super) fn new(
        offered: &[Offered<'_>],
        sees: &dyn Fn(&str, &str) -> bool,
        exists: &dyn Fn(&Rival) -> bool,
    ) -> Self {
        let (mut claims, mut objects) = (Vec::new(), Vec::new());
        for one in offered {
            let is_own = |name: &str| one.names.values().any(|given| given == name);
            for object in one.prompts {
                let Some(name) = own_name(object).filter(|name| sees(one.key, name)) else { continue };
                let Some(prefixed) = one.names.get(name) else { continue };
                let may_be_bare = is_bare_name(name) && !OUR_PROMPTS.contains(&name) && !is_own(name);
                let rivals = one.rivals.filter(|_| may_be_bare);
                let rivals = rivals.map(|all| all.get(name).map(Vec::as_slice).unwrap_or_default());
                claims.push(Claim { key: one.key, name, prefixed, rivals });
                objects.push((one.key, object));
            }
        }
        let mut all = Vec::new();
        for ((claim, (key, object)), is_bare) in claims.iter().zip(objects).zip(choose_bare(&claims, exists))
        {
            let advertised = if is_bare { claim.name } else { claim.prefixed };
            let mut listed = clean_object(object);
            listed.insert("name".to_owned(), advertised.into());
            all.push(Prompt {
                key: Arc::clone(key),
                name: claim.name.to_owned(),
                advertised: advertised.to_owned(),
                prefixed: claim.prefixed.to_owned(),
                listed: Value::Object(listed).to_string(),
            });
        }
        all.sort_by(|a: &Prompt, b| (&a.advertised, &a.key).cmp(&(&b.advertised, &b.key)));
        all.dedup_by(|a, b| a.advertised == b.advertised);
        let open = offered.iter().map(|one| Arc::clone(one.key)).collect();
        let bare = offered.iter().filter(|one| one.rivals.is_some()).map(|one| Arc::clone(one.key)).collect();
        let mut prompts = Self { open, bare, ..Self::default() };
        for (at, prompt) in all.iter().enumerate() {
            prompts.by_advertised.insert(prompt.advertised.clone(), at);
            prompts.by_name.entry(prompt.name.clone()).or_default().push(at);
        }
        for (at, prompt) in all.iter().enumerate() {
            prompts.by_advertised.entry(prompt.prefixed.clone()).or_insert(at);
        }
        prompts.all = all;
        prompts
    }

    /// The definitions as JSON, in the order in which they are listed.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|prompt| prompt.listed.as_str())
    }

    /// The advertised names of all.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|prompt| prompt.advertised.as_str())
    }

    /// Returns the prompt with this name: the one that clients see, `key/prompt`, or the prompt's own name if one upstream
    /// alone has it.
    pub(crate) fn find(&self, name: &str) -> FoundPrompt<'_> {
        if let Some(found) = self.by_advertised.get(name).and_then(|at| self.all.get(*at)) {
            return FoundPrompt::One(found);
        }
        for (key, name) in qualified_pairs(name) {
            let folded = sdl_settings::fold_key(key);
            let of_key = |prompt: &&Prompt| sdl_settings::fold_key(&prompt.key) == folded;
            if let Some(found) = self.with_name(name).into_iter().find(of_key) {
                return FoundPrompt::One(found);
            }
        }
        match *self.with_name(name) {
            [] => FoundPrompt::Unknown,
            [found] => FoundPrompt::One(found),
            ref several => FoundPrompt::Several(several.to_vec()),
        }
    }

    /// Returns the upstreams that a name of no prompt may be of.
    pub(crate) fn likely_upstreams(&self, name: &str) -> &[Arc<str>] {
        let key = likely_key(name, &mut self.open.iter().map(|key| &**key));
        let named = key.and_then(|key| self.open.iter().find(|open| ***open == *key));
        named.map_or_else(|| self.bare.get(..MOST_ASKED).unwrap_or(&self.bare), std::slice::from_ref)
    }

    fn with_name(&self, name: &str) -> Vec<&Prompt> {
        let places = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|at| self.all.get(*at)).collect()
    }
}

fn own_name(object: &Map<String, Value>) -> Option<&str> {
    object.get("name")?.as_str().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// An upstream of a test: key, prompts, names.
    type World = Vec<(Arc<str>, Vec<Map<String, Value>>, PromptNames)>;

    /// The upstreams, named one after the other.
    fn world(all: &[(&str, &[&str])]) -> World {
        let mut world: World = Vec::new();
        for (key, names) in all {
            let object = |name: &&str| json!({"name": name, "arguments": []}).as_object().cloned().unwrap();
            let prompts: Vec<Map<String, Value>> = names.iter().map(object).collect();
            let taken: Vec<String> = world.iter().flat_map(|one| one.2.values().cloned()).collect();
            let names =
                name_prompts(key, &PromptNames::new(), &prompts, &|name| taken.iter().any(|one| one == name));
            world.push(((*key).into(), prompts, names));
        }
        world
    }

    fn prompts(world: &World, sees: &dyn Fn(&str, &str) -> bool) -> Prompts {
        let offered: Vec<Offered<'_>> =
            world.iter().map(|(key, prompts, names)| Offered { key, prompts, names, rivals: None }).collect();
        Prompts::new(&offered, sees, &|_| false)
    }

    fn place(found: &FoundPrompt<'_>) -> Option<(String, String)> {
        match found {
            FoundPrompt::One(prompt) => Some((prompt.key.to_string(), prompt.name.clone())),
            _ => None,
        }
    }

    #[test]
    fn a_prompt_has_the_names_that_a_tool_would_have() {
        let world = world(&[("My-Files", &["greet", "sum up"]), ("web", &["greet"])]);
        let all = prompts(&world, &|_, _| true);
        assert_eq!(all.names().collect::<Vec<_>>(), ["my_files_greet", "my_files_sum_up", "web_greet"]);
        assert_eq!(all.listed().nth(1), Some(r#"{"name":"my_files_sum_up","arguments":[]}"#));
        let files = Some(("My-Files".to_owned(), "sum up".to_owned()));
        for name in
            ["my_files_sum_up", "sum up", "my-files/sum up", "My_Files.sum up", "mcp__My-Files__sum up"]
        {
            assert_eq!(place(&all.find(name)), files, "{name}");
        }
        assert!(matches!(all.find("greet"), FoundPrompt::Several(both) if both.len() == 2));
        assert_eq!(all.find("web_sum_up"), FoundPrompt::Unknown);
        assert_eq!(
            (all.likely_upstreams("web_new"), all.likely_upstreams("other_new")),
            (&["web".into()][..], &[][..])
        );
    }

    #[test]
    fn a_name_once_given_stays() {
        let object = |name: &str| json!({ "name": name }).as_object().cloned().unwrap();
        let first = name_prompts("fs", &PromptNames::new(), &[object("sum!up")], &|_| false);
        let second = name_prompts("fs", &first, &[object("sum up"), object("sum!up")], &|_| false);
        assert_eq!(second["sum!up"], "fs_sum_up");
        assert_ne!(second["sum up"], "fs_sum_up");
        assert_eq!(name_prompts("fs", &second, &[], &|_| true), second);
        assert_ne!(name_prompts("fs", &PromptNames::new(), &[object("a")], &|_| true)["a"], "fs_a");
    }

    fn any_world() -> impl Strategy<Value = Vec<(String, Vec<String>)>> {
        let names = proptest::collection::vec("[ab!_]{1,3}", 0..5);
        let keys = prop_oneof![Just("a".to_owned()), Just("a_b".to_owned()), Just("b".to_owned())];
        proptest::collection::btree_map(keys, names, 0..4).prop_map(|all| all.into_iter().collect())
    }

    proptest! {
        /// Every name that is listed leads to the upstream that listed it, whatever the order of upstreams. A hidden one is
        /// as if it did not exist.
        #[test]
        fn what_is_listed_leads_to_who_listed_it(all in any_world(), hidden in ("[ab]", "[ab!_]{1,2}")) {
            let all: Vec<(&str, Vec<&str>)> =
                all.iter().map(|(key, names)| (key.as_str(), names.iter().map(String::as_str).collect())).collect();
            let all: Vec<(&str, &[&str])> = all.iter().map(|(key, names)| (*key, names.as_slice())).collect();
            let world = world(&all);
            let mut reversed = world.clone();
            reversed.reverse();
            let sees = |key: &str, name: &str| !(key == hidden.0 && name.contains(&hidden.1));
            let (one, other) = (prompts(&world, &sees), prompts(&reversed, &sees));
            prop_assert!(one.listed().eq(other.listed()));
            for (key, listed, names) in &world {
                for name in listed.iter().filter_map(own_name).filter(|name| sees(key, name)) {
                    let meant = Some((key.to_string(), name.to_owned()));
                    for spelled in [names[name].clone(), format!("{key}/{name}")] {
                        prop_assert_eq!(&place(&one.find(&spelled)), &meant, "{}", spelled);
                        prop_assert_eq!(&place(&other.find(&spelled)), &meant, "{}", spelled);
                    }
                }
            }
            let without: World = world.iter().map(|(key, listed, names)| {
                let seen = |one: &&Map<String, Value>| sees(key, own_name(one).unwrap());
                (Arc::clone(key), listed.iter().filter(seen).cloned().collect(), names.clone())
            }).collect();
            let without = prompts(&without, &|_, _| true);
            prop_assert!(one.listed().eq(without.listed()));
            let hidden = world.iter().flat_map(|(key, _, names)| {
                names.iter().flat_map(move |(name, advertised)| [advertised.clone(), name.clone(), format!("{key}/{name}")])
            });
            for name in hidden {
                prop_assert_eq!(one.find(&name), without.find(&name), "{}", name);
            }
        }
    }
}
