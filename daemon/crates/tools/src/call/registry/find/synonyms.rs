//! Words that mean the same to somebody who looks for an action.

use std::collections::BTreeMap;

use sdl_retrieve::index::word_terms;

/// The words on each line are synonyms. A word may be on several lines.
const LINES: &[&str] = &[
    "find search lookup locate grep discover query",
    "read source code view show window implementation raw body",
    "outline skeleton structure shape headers",
    "symbol function method class definition identifier",
    "card describe explain signature details",
    "diff delta change compare modification",
    "refresh update sync renew incremental",
    "impact blast dependents callers affected consequences",
    "risk review pr pull merge danger",
    "task orchestrate assemble goal",
    "slice context related neighbourhood dependency graph subgraph",
    "summary brief digest overview",
    "memory remember recall note knowledge lesson",
    "store save persist write keep record",
    "remove delete forget drop unregister",
    "surface relevant suggest",
    "register add import onboard attach",
    "repo repository project workspace codebase",
    "index reindex scan rebuild crawl",
    "status health state progress condition",
    "overview architecture map tour layers layout structure",
    "runtime execute run command shell spawn process build test",
    "output log artifact stdout stderr",
    "policy permission setting rule limit configuration",
    "usage stats token cost savings statistics metrics",
    "buffer editor unsaved draft dirty",
    "checkpoint flush commit",
    "feedback rate rating useful opinion",
    "info version daemon server about diagnostics",
    "chain batch pipeline several multiple combine sequence steps",
    "manual documentation docs help reference guide",
    "spillover rest continue page remaining overflow more",
    "action tool capability feature",
    "file path module",
    "hot path excerpt lines occurrence",
];

/// Maps a term to its synonyms, without itself.
pub(super) struct Synonyms(BTreeMap<String, Vec<String>>);

impl Synonyms {
    pub(super) fn new() -> Self {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in LINES {
            let terms: Vec<String> = word_terms(line).into_iter().map(|(_, term)| term).collect();
            for term in &terms {
                let others = all.entry(term.clone()).or_default();
                for other in &terms {
                    if other != term && !others.contains(other) {
                        others.push(other.clone());
                    }
                }
            }
        }
        Self(all)
    }

    pub(super) fn of(&self, term: &str) -> &[String] {
        self.0.get(term).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_share_their_synonyms() {
        let synonyms = Synonyms::new();
        let of = |word: &str| {
            let (_, term) = word_terms(word).remove(0);
            synonyms.of(&term).to_vec()
        };
        assert_eq!(of("memories"), of("memory"));
        assert_eq!(of("executing"), of("execute"));
        assert!(of("forget").contains(&"remov".to_owned()), "{:?}", of("forget"));
        assert!(of("quux").is_empty());
    }
}
