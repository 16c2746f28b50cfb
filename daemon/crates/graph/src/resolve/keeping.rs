//! References that need not be resolved again: those in scopes that the last edit of their file left as they were.
//!
//! What a reference leads to follows from the definitions of its file, the contents of the scopes that its resolution looked
//! into, and the answers to the questions that it asked. All of these are recorded by scope. If none differs, the outcomes are
//! those of the last time, at the places where the references are now.

use std::sync::Arc;

use sdl_model::facts::{DefIx, Ref, ScopeContents};
use sdl_model::{Body, FileId, Outline};

use super::Outcome;
use super::edges::{Edges, Mention};
use crate::hash::NumberMap;
use crate::own::OwnPart;
use crate::world::{Counted, KeptEdge, KeptFile, KeptOutcome, KeptScope, Noted, Seen, World};

/// The outcomes of one file's references: those of the last time, and those that are found now.
pub(super) struct Keeping {
    file: FileId,
    contents: ScopeContents,
    /// The kept outcomes of the scopes that are as they were, and how many of them are used.
    same: NumberMap<u32, Used>,
    new: NumberMap<u32, InMaking>,
    definitions: u64,
}

struct Used {
    scope: KeptScope,
    outcomes: usize,
    edges: usize,
}

#[derive(Default)]
struct InMaking {
    outcomes: Vec<KeptOutcome>,
    edges: Vec<KeptEdge>,
    noted: Noted,
}

impl Keeping {
    /// Begins a file. None if the world keeps nothing.
    pub(super) fn begin(w: &World<'_>, file: FileId, outline: &Outline, body: &Body) -> Option<Self> {
        if !w.records_scopes() {
            return None;
        }
        let definitions = outline.hash_definitions();
        let contents = ScopeContents::of(outline, body);
        let mut same = NumberMap::default();
        if let Some(before) = w.take_outcomes(file).filter(|before| before.definitions == definitions) {
            for (number, scope) in before.scopes {
                let ix = DefIx(number);
                let is_same = |seen: &Seen| contents.seen_from(ix, seen.scope) == seen.bindings;
                if contents.hash(ix) == Some(scope.contents) && scope.seen.iter().all(is_same) {
                    same.insert(number, Used { scope, outcomes: 0, edges: 0 });
                }
            }
        }
        Some(Self { file, contents, same, new: NumberMap::default(), definitions })
    }

    /// Adds the edges of a reference whose outcome is known. Returns whether its meaning is not known; none if the reference
    /// is to be resolved.
    pub(super) fn repeat_outcome(&mut self, edges: &mut Edges, one: &Ref) -> Option<bool> {
        let used = self.same.get_mut(&one.scope.0)?;
        let outcome = *used.scope.outcomes.get(used.outcomes)?;
        used.outcomes += 1;
        let end = used.edges + outcome.edges as usize;
        let mention = Mention { line: one.line, at: Some(one.at) };
        for edge in used.scope.edges.get(used.edges..end).unwrap_or_default() {
            edges.add(edge.scope, edge.to, edge.kind, edge.rule, mention);
        }
        used.edges = end;
        // They are known already.
        edges.take_added();
        if let Some(counted) = outcome.counted {
            edges.count(counted);
        }
        Some(outcome.is_open)
    }

    /// Notes what a reference came to.
    pub(super) fn note_outcome(
        &mut self,
        w: &World<'_>,
        one: &Ref,
        is_open: bool,
        (added, counted): (Vec<KeptEdge>, Option<Counted>),
    ) {
        let scope = self.new.entry(one.scope.0).or_default();
        scope.outcomes.push(KeptOutcome { edges: added.len() as u32, counted, is_open });
        scope.edges.extend(added);
        scope.noted.add(w.take_noted());
    }

    /// Ends a file. Adds the questions of the references that were not resolved again to `asked`, which stays sorted.
    pub(super) fn finish(self, w: &World<'_>, asked: &mut Vec<u32>) {
        let Self { file, contents, same, new, definitions } = self;
        let mut kept = KeptFile { definitions, scopes: NumberMap::default() };
        if !same.is_empty() {
            let mut shared: Vec<&Arc<[u32]>> =
                same.values().flat_map(|used| &used.scope.asked.shared).collect();
            shared.sort_unstable_by_key(|list| list.as_ptr());
            shared.dedup_by_key(|list| list.as_ptr());
            shared.into_iter().for_each(|list| asked.extend_from_slice(list));
            same.values().for_each(|used| asked.extend_from_slice(&used.scope.asked.single));
            asked.sort_unstable();
            asked.dedup();
        }
        kept.scopes.extend(same.into_iter().map(|(number, used)| (number, used.scope)));
        let mut lists = NumberMap::default();
        for (number, InMaking { outcomes, edges, noted }) in new {
            let (parts, asked) = w.name_asked(noted, &mut lists);
            let ix = DefIx(number);
            if let (Some(contents), Some(seen)) = (contents.hash(ix), name_seen(&contents, ix, &parts)) {
                let (outcomes, edges) = (outcomes.into(), edges.into());
                kept.scopes.insert(number, KeptScope { outcomes, edges, asked, contents, seen });
            }
        }
        w.keep_outcomes(file, kept);
    }
}

/// The other scopes that `scope` looked into; none if it looked at the whole file.
fn name_seen(contents: &ScopeContents, scope: DefIx, parts: &[u64]) -> Option<Box<[Seen]>> {
    let seen = |part: &u64| match OwnPart::of_number(*part) {
        OwnPart::Whole => None,
        OwnPart::Scope(other) => Some(Seen { scope: other, bindings: contents.seen_from(scope, other) }),
    };
    parts.iter().map(seen).collect()
}

/// How a reference with this outcome is counted.
pub(super) fn counted_as(outcome: &Outcome) -> Option<Counted> {
    use sdl_model::Resolution;
    match outcome {
        Outcome::Found(_, rule) => Some(match rule.resolution {
            Resolution::Exact => Counted::Exact,
            Resolution::Inferred => Counted::Inferred,
            Resolution::Ambiguous => Counted::Ambiguous,
        }),
        Outcome::External => Some(Counted::External),
        Outcome::Unresolved => Some(Counted::Unresolved),
        Outcome::Nothing => None,
    }
}
