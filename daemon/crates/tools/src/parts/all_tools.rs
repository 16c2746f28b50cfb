//! Our actions and the upstream tools that a session sees, as one index to search.

use sdl_find::{Doc, Finder};

use crate::call::context::Call;
use crate::call::pipeline::RELAY;
use crate::call::registry::{Entry, Registry, demote_itself, doc_of, is_itself};
use crate::call::upstream::{Definition, Listed, Rules, Target, View, Who};

/// One of the tools that were found.
#[derive(Clone, Copy)]
pub(crate) enum AnyTool<'a> {
    /// An action of ours.
    Action(&'a Entry),
    /// A tool of an upstream.
    Upstream(&'a Listed, &'a Definition),
}

/// Which tools are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among<'a> {
    All,
    Actions,
    Upstreams,
    /// One upstream alone.
    Upstream(&'a str),
}

/// The result of a search.
pub(crate) struct FoundTools<'a> {
    /// Best first, with scores.
    pub(crate) hits: Vec<(AnyTool<'a>, f64)>,
    /// Words of the query that lead to nothing.
    pub(crate) unmatched: Vec<String>,
}

/// The tools that a session may find.
pub(crate) struct AllTools<'a> {
    view: &'a View,
    /// The places of our actions in the registry, in the order in which they are in the index.
    actions: Vec<&'a Entry>,
}

impl<'a> AllTools<'a> {
    /// Our actions that the rules let through, and the upstream tools of the view.
    pub(crate) fn new(call: &Call<'_>, registry: &'a Registry, view: &'a View) -> Self {
        let rules = Rules::new(&view.catalog.settings, Who::of(call.session));
        let sees = |entry: &&Entry| {
            (entry.def.name != RELAY || !view.is_empty())
                && rules.sees(Target::action(entry.def.name, entry.def.mutating))
        };
        Self { view, actions: registry.entries().iter().filter(sees).collect() }
    }

    /// Every tool, in the order of the index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = AnyTool<'a>> {
        let view = self.view;
        let tools =
            view.tools.iter().filter_map(|tool| Some(AnyTool::Upstream(view.upstream_of(tool)?, tool)));
        self.actions.iter().map(|entry| AnyTool::Action(entry)).chain(tools)
    }

    /// Ranks the tools by a query.
    pub(crate) fn search(&self, query: &str, among: Among<'_>) -> FoundTools<'a> {
        let all: Vec<AnyTool<'a>> = self.iter().collect();
        let finder = self.view.finder.get_or_init(|| {
            let docs: Vec<Doc> = all.iter().map(|tool| tool.to_doc()).collect();
            Finder::new(&docs)
        });
        let mut found = finder.search(query, usize::MAX);
        demote_itself(&mut found, self.actions.iter().position(|entry| is_itself(entry)));
        let hits = found.hits.into_iter().filter_map(|(at, score)| Some((*all.get(at)?, score)));
        let hits = hits.filter(|(tool, _)| tool.is_among(among)).collect();
        FoundTools { hits, unmatched: found.unmatched }
    }
}

impl AnyTool<'_> {
    /// The name to call it by.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Action(entry) => crate::call::names::underscored_name(entry.def.name),
            Self::Upstream(_, tool) => tool.advertised.clone(),
        }
    }

    fn is_among(&self, among: Among<'_>) -> bool {
        match (among, self) {
            (Among::All, _) | (Among::Actions, Self::Action(_)) | (Among::Upstreams, Self::Upstream(..)) => {
                true
            }
            (Among::Upstream(key), Self::Upstream(upstream, _)) => {
                sdl_settings::fold_key(&upstream.key) == sdl_settings::fold_key(key)
            }
            _ => false,
        }
    }

    fn to_doc(self) -> Doc {
        match self {
            Self::Action(entry) => doc_of(entry),
            Self::Upstream(upstream, tool) => {
                let mut doc = Doc {
                    key: upstream.key.to_string(),
                    name: tool.name.clone(),
                    title: tool.title().unwrap_or_default().to_owned(),
                    about: upstream.about(),
                    description: tool.description().to_owned(),
                    ..Doc::default()
                };
                doc.add_schema(tool.input_schema());
                doc
            }
        }
    }
}
