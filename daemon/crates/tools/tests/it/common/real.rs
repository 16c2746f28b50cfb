//! Files of real languages in the toy repository: their facts come from the extractor.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sdl_graph::{SharedOutline, World};
use sdl_ledger::{Resolved, View};
use sdl_model::{Facts, FactsKey, FileId, Lang, RelPath};

/// The language of a file that is not written in the toy language.
pub(crate) fn lang(path: &str) -> Option<Lang> {
    path.starts_with("real/").then(|| sdl_lang::detect_lang(&RelPath::new(path)?, b"")).flatten()
}

/// Returns the facts of the text at `path`.
pub(crate) fn facts(path: &str, text: &str) -> Facts {
    match lang(path) {
        Some(lang) => sdl_lang::extract_facts(lang, text.as_bytes()).unwrap(),
        None => super::facts::facts(text),
    }
}

/// Resolves a file as the daemon does.
pub(super) fn resolve(view: &dyn View, files: &BTreeMap<String, String>, path: &str, text: &str) -> Resolved {
    let outlines: HashMap<FactsKey, SharedOutline> = files
        .iter()
        .filter(|(path, _)| path.starts_with(super::LINKED))
        .map(|(path, text)| (super::key(path, text), SharedOutline::Facts(Arc::new(facts(path, text)))))
        .collect();
    let find = |key: &FactsKey| Ok(outlines.get(key).cloned());
    let world = World::new(view, &find);
    let (rel, facts) = (RelPath::new(path).unwrap(), facts(path, text));
    sdl_graph::resolve_file(&world, FileId::of(&rel), &rel, &facts.outline, &facts.body).unwrap()
}
