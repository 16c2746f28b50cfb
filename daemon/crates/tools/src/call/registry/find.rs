//! Finds actions by words: each is a doc of `sdl-find`.

use sdl_find::{Doc, Found};

use super::Entry;

/// The weight of the search action itself, because a caller who reads the answer has found it already.
const SELF: (&str, f64) = ("action.search", 0.5);
/// Whether it is the search action.
pub(crate) fn is_itself(entry: &Entry) -> bool {
    entry.def.name == SELF.0
}

/// What all actions are about, by the key of their names.
const KEY: &str = "sdl";

/// An index of the registry.
pub(crate) struct Finder {
    inner: sdl_find::Finder,
    itself: Option<usize>,
}

impl Finder {
    pub(crate) fn new(entries: &[Entry]) -> Self {
        let docs: Vec<Doc> = entries.iter().map(doc_of).collect();
        let itself = entries.iter().position(is_itself);
        Self { inner: sdl_find::Finder::new(&docs), itself }
    }

    /// Ranks all actions by `query`. Actions that the query names exactly come first, even if the name is among other words.
    pub(crate) fn search(&self, query: &str) -> Found {
        let mut found = self.inner.search(query, usize::MAX);
        demote_itself(&mut found, self.itself);
        found
    }
}

/// Gives the search action, which is at this place, a lower rank, unless the query names it.
pub(crate) fn demote_itself(found: &mut Found, itself: Option<usize>) {
    if let Some(itself) = itself
        && let Some(at) = found.hits.iter().position(|(place, _)| *place == itself)
        && at >= found.named
    {
        let (place, score) = found.hits.remove(at);
        let score = score * SELF.1;
        let after = |hit: &(usize, f64)| hit.1 >= score;
        let to = found.hits.partition_point(after);
        found.hits.insert(to, (place, score));
    }
}

/// What a search knows of an action.
pub(crate) fn doc_of(entry: &Entry) -> Doc {
    let def = &entry.def;
    let description = def.description.strip_prefix("Call this when").unwrap_or(def.description);
    let mut doc = Doc {
        key: KEY.to_owned(),
        name: def.name.to_owned(),
        about: entry.namespace.name().to_owned(),
        description: description.to_owned(),
        examples: def.examples.iter().map(|example| (*example).to_owned()).collect(),
        ..Doc::default()
    };
    doc.add_schema(&entry.request);
    // Passed over, because every action has these.
    doc.parameters.retain(|(name, _)| !matches!(name.as_str(), "repoId" | "sync" | "syncTimeoutMs"));
    // Their descriptions speak of one another, so that words of one action are in many.
    doc.parameters.iter_mut().for_each(|(_, description)| description.clear());
    doc
}
