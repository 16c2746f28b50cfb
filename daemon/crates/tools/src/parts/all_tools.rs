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

    /// Ranks the tools by a query, for an answer with this number of places.
    pub(crate) fn search(&self, query: &str, among: Among<'_>, places: usize) -> FoundTools<'a> {
        let all: Vec<AnyTool<'a>> = self.iter().collect();
        let finder = self.view.finder.get_or_init(|| {
            let docs: Vec<Doc> = all.iter().map(|tool| tool.to_doc()).collect();
            Finder::new(&docs)
        });
        let mut found = finder.search(query, usize::MAX);
        demote_itself(&mut found, self.actions.iter().position(|entry| is_itself(entry)));
        let named = found.named;
        let hits = found.hits.into_iter().filter_map(|(at, score)| Some((*all.get(at)?, score)));
        let mut hits: Vec<(AnyTool<'a>, f64)> = hits.collect();
        if among == Among::All {
            let named = named.min(hits.len());
            share_places(hits.get_mut(named..).unwrap_or_default(), places.saturating_sub(named), |tool| {
                matches!(tool, AnyTool::Action(_))
            });
        }
        hits.retain(|(tool, _)| tool.is_among(among));
        FoundTools { hits, unmatched: found.unmatched }
    }
}

/// A tool with at least this share of the best score has a claim to a place in the answer.
const CLAIM: f64 = 0.5;

/// Gives ours and those of upstreams up to half of the first places each, as far as they have a claim, because a query that says
/// nothing about whose tool it wants may mean either. `hits` are sorted by score; so are the places, and what follows them.
fn share_places<T: Copy>(hits: &mut [(T, f64)], places: usize, is_own: impl Fn(&T) -> bool) {
    let places = places.min(hits.len());
    let Some(best) = hits.first().map(|hit| hit.1) else { return };
    let claiming = hits.iter().take_while(|hit| hit.1 >= CLAIM * best).count();
    let of_side = |range: std::ops::Range<usize>, own: bool| -> Vec<usize> {
        let side = |at: &usize| hits.get(*at).is_some_and(|(tool, _)| is_own(tool) == own);
        range.filter(side).collect()
    };
    let mut moves: Vec<(usize, usize)> = Vec::new();
    for own in [true, false] {
        let has = of_side(0..places, own).len();
        let missing = (places / 2).saturating_sub(has);
        let coming = of_side(places..claiming.max(places), own).into_iter().take(missing);
        moves.extend(of_side(0..places, !own).into_iter().rev().zip(coming));
    }
    for (out, into) in moves {
        hits.swap(out, into);
    }
    let (first, rest) = hits.split_at_mut(places);
    first.sort_by(|one, other| other.1.total_cmp(&one.1));
    rest.sort_by(|one, other| other.1.total_cmp(&one.1));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `a` to `m` are ours, the others are not.
    fn shared(hits: &[(char, f64)], places: usize) -> String {
        let mut hits = hits.to_vec();
        share_places(&mut hits, places, |tool| *tool < 'n');
        hits.iter().map(|hit| hit.0).collect()
    }

    #[test]
    fn neither_side_crowds_out_what_fits_half_as_well() {
        let hits =
            [('a', 9.0), ('b', 8.0), ('c', 7.0), ('d', 6.0), ('z', 5.0), ('y', 4.6), ('x', 4.5), ('w', 1.0)];
        assert_eq!(shared(&hits, 4), "abzycdxw");
        assert_eq!(shared(&hits, 2), "azbcdyxw");
        assert_eq!(shared(&hits, 1), "abcdzyxw", "one place is that of the best");
        assert_eq!(shared(&hits[..5], 4), "abczd");
        assert_eq!(shared(&[('a', 9.0), ('b', 8.0), ('z', 4.4)], 2), "abz", "less than half");
        assert_eq!(shared(&[], 4), "");
    }

    proptest! {
        #[test]
        fn places_are_shared_as_stated(
            mut scores in prop::collection::vec((any::<bool>(), 1_u32..100), 0..20),
            places in 0_usize..8,
        ) {
            scores.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
            let before: Vec<((usize, bool), f64)> =
                scores.iter().enumerate().map(|(at, (own, score))| ((at, *own), f64::from(*score))).collect();
            let mut hits = before.clone();
            share_places(&mut hits, places, |(_, own)| *own);
            let mut all = hits.clone();
            all.sort_by_key(|hit| hit.0.0);
            prop_assert_eq!(&all, &before, "nothing comes or goes");
            let (first, rest) = hits.split_at(places.min(hits.len()));
            for part in [first, rest] {
                prop_assert!(part.windows(2).all(|pair| pair[0].1 >= pair[1].1));
            }
            prop_assert_eq!(hits.first().map(|hit| hit.1), before.first().map(|hit| hit.1));
            for own in [true, false] {
                let claims = before.iter().filter(|hit| hit.0.1 == own && hit.1 >= CLAIM * before[0].1).count();
                let has = first.iter().filter(|hit| hit.0.1 == own).count();
                prop_assert!(has >= claims.min(first.len() / 2), "{:?} of {:?}", first, before);
            }
        }
    }
}
