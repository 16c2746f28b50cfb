//! The upstream tools that one session may see. All that the session gets to know about upstreams is made of this, so that
//! nothing hidden can be in it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use sdl_find::Finder;

use super::bare::{Claim, Rival, choose_bare};
use super::catalog::Catalog;
use super::definition::Definition;
use super::listed::Listed;
use super::names::{likely_key, qualified_pairs, spellings};
use super::pins::Standing;
use crate::call::names::underscored_name;
use crate::{Candidate, Code, Explained, ToolError};

/// Upstreams that may have any name, as many as are asked about one that nobody has.
const MOST_ASKED: usize = 4;

/// The upstream tools that a session may see.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) catalog: Arc<Catalog>,
    /// The upstreams that it sees, in the order of their keys.
    pub(crate) upstreams: Vec<Arc<Listed>>,
    /// In the order of their advertised names.
    pub(crate) tools: Vec<Arc<Definition>>,
    places: Places,
    /// Tools that a person has to approve first. They have their names all the same, so that nobody else is called by them.
    held: Vec<Arc<Definition>>,
    held_places: Places,
    /// Finds our actions and these tools by words. Made at the first search.
    pub(crate) finder: OnceLock<Finder>,
}

/// Where tools are, by their names.
#[derive(Default)]
struct Places {
    by_advertised: HashMap<String, usize>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Places {
    fn new(tools: &[Arc<Definition>]) -> Self {
        let mut places = Self::default();
        for (at, tool) in tools.iter().enumerate() {
            places.by_advertised.insert(tool.advertised.clone(), at);
            places.by_name.entry(tool.name.clone()).or_default().push(at);
        }
        for (at, tool) in tools.iter().enumerate() {
            places.by_advertised.entry(tool.prefixed.clone()).or_insert(at);
        }
        places
    }

    /// The tool with this advertised or qualified name.
    fn exact<'t>(&self, tools: &'t [Arc<Definition>], name: &str) -> Option<&'t Arc<Definition>> {
        if let Some(at) = self.by_advertised.get(name) {
            return tools.get(*at);
        }
        qualified_pairs(name).find_map(|(key, tool)| {
            let folded = sdl_settings::fold_key(key);
            let places = self.by_name.get(tool)?.iter();
            places.filter_map(|at| tools.get(*at)).find(|tool| sdl_settings::fold_key(&tool.key) == folded)
        })
    }
}

/// A tool that a call names.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) tool: Arc<Definition>,
    /// Whether the arguments come as one payload.
    pub(crate) raw: bool,
}

impl View {
    /// Makes the view of those who may see these upstreams and tools. `sees_gone` says whether they might see one that is not
    /// there now.
    pub(crate) fn new(
        catalog: Arc<Catalog>,
        sees_tool: &dyn Fn(&Listed, &Definition) -> bool,
        sees_upstream: &dyn Fn(&Listed) -> bool,
        sees_gone: &dyn Fn(&Rival) -> bool,
    ) -> Self {
        let mut view = Self { catalog: Arc::clone(&catalog), ..Self::default() };
        let mut seen: Vec<Seen<'_>> = Vec::new();
        for upstream in catalog.upstreams.iter().filter(|upstream| sees_upstream(upstream)) {
            let before = seen.len();
            let tools = upstream.all().filter(|tool| sees_tool(upstream, tool));
            seen.extend(tools.map(|tool| (&**upstream, tool)));
            // One whose tools are not known yet may be named. Its tools are looked at when they are.
            if seen.len() > before || !upstream.is_known() {
                view.upstreams.push(Arc::clone(upstream));
            }
        }
        for ((upstream, tool), is_bare) in seen.iter().zip(choose_names(&catalog, &seen, sees_gone)) {
            let tool = upstream.form(tool, is_bare);
            if tool.standing == Standing::Held { view.held.push(tool) } else { view.tools.push(tool) }
        }
        view.tools.sort_by(|a, b| a.advertised.cmp(&b.advertised));
        view.held.sort_by(|a, b| a.advertised.cmp(&b.advertised));
        (view.places, view.held_places) = (Places::new(&view.tools), Places::new(&view.held));
        view
    }

    /// Whether nothing of any upstream is seen.
    pub(crate) fn is_empty(&self) -> bool {
        self.upstreams.is_empty()
    }

    /// Returns the upstream of a tool of this view.
    pub(crate) fn upstream_of(&self, tool: &Definition) -> Option<&Arc<Listed>> {
        self.upstreams.iter().find(|one| one.key == tool.key)
    }

    /// Returns the tool with this name: the one that clients see, `key/tool`, or the tool's own name if one upstream alone has
    /// it. An error if several have it. May be one that is held.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Named>, ToolError> {
        for spelling in spellings(name) {
            let exact = self.places.exact(&self.tools, spelling.name);
            let found = match exact.or_else(|| self.held_places.exact(&self.held, spelling.name)) {
                Some(tool) => Some(tool),
                None => self.only_one(spelling.name)?,
            };
            if let Some(tool) = found {
                return Ok(Some(Named { tool: Arc::clone(tool), raw: spelling.raw }));
            }
        }
        Ok(None)
    }

    fn only_one(&self, name: &str) -> Result<Option<&Arc<Definition>>, ToolError> {
        match self.places.by_name.get(name).map(Vec::as_slice) {
            None | Some([]) => {
                let held = self.held_places.by_name.get(name).and_then(|places| places.first());
                Ok(held.and_then(|at| self.held.get(*at)))
            }
            Some([at]) => Ok(self.tools.get(*at)),
            Some(several) => {
                let shown: String = name.chars().take(80).collect();
                let tools: Vec<&Arc<Definition>> =
                    several.iter().filter_map(|at| self.tools.get(*at)).collect();
                let keys: Vec<&str> = tools.iter().map(|tool| &*tool.key).collect();
                let message = format!("{} upstreams have a tool {shown:?}: {}", keys.len(), keys.join(", "));
                let candidates = tools.iter().map(|tool| Candidate::of("tool", tool.advertised.clone()));
                Err(ToolError::new(Code::AmbiguousTool, message).or_one_of(candidates))
            }
        }
    }

    /// Returns the upstreams that a name of no tool may be of: that whose key is before a separator, or at the start of an
    /// advertised name; else those whose names have no key.
    pub(crate) fn likely_upstreams(&self, name: &str) -> Vec<Arc<Listed>> {
        let key = likely_key(name, &mut self.upstreams.iter().map(|upstream| &*upstream.key));
        let is_likely = |one: &&Arc<Listed>| key.map_or(!one.entry.own.prefix, |key| *one.key == *key);
        self.upstreams.iter().filter(is_likely).take(MOST_ASKED).cloned().collect()
    }

    /// Returns the advertised names of all tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.advertised.as_str())
    }
}

/// A tool that a session sees, and its upstream.
type Seen<'a> = (&'a Listed, &'a Arc<Definition>);

/// Which of these tools go by their own names. Who had a name before counts only if the session may see it.
fn choose_names(catalog: &Catalog, seen: &[Seen<'_>], sees_gone: &dyn Fn(&Rival) -> bool) -> Vec<bool> {
    let claims: Vec<Claim<'_>> = seen.iter().map(|(upstream, tool)| upstream.claim(tool)).collect();
    if claims.iter().all(|claim| claim.rivals.is_none_or(<[Rival]>::is_empty)) {
        return choose_bare(&claims, &|_| false);
    }
    let visible: HashSet<(&str, &str)> = claims.iter().map(|claim| (claim.key, claim.name)).collect();
    let all = catalog.upstreams.iter().flat_map(|one| one.all().map(|tool| (&*one.key, tool.name.as_str())));
    let present: HashSet<(&str, &str)> = all.collect();
    choose_bare(&claims, &|rival| {
        let named = (rival.key.as_str(), rival.name.as_str());
        visible.contains(&named) || !present.contains(&named) && sees_gone(rival)
    })
}

/// The tool that calls any tool by its name.
pub(crate) fn call_tool_name() -> String {
    underscored_name("tool.call")
}
