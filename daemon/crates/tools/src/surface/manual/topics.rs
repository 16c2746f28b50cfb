//! Pages of the manual that are about no single action.

/// One page.
#[derive(Debug)]
pub(crate) struct Topic {
    /// What to ask for.
    pub(crate) name: &'static str,
    /// What it tells, in a line.
    pub(crate) about: &'static str,
    /// Words of a query that it answers.
    words: &'static [&'static str],
    /// The page, in Markdown.
    pub(crate) text: &'static str,
}

/// Every page.
pub(crate) const TOPICS: [Topic; 1] = [Topic {
    name: "wire",
    about: "How answers are written: slices in every wire format, versions, freshness, deltas, text",
    words: &[
        "cardrefs",
        "compact",
        "decode",
        "decoder",
        "decoding",
        "encoding",
        "symbolindex",
        "wire",
        "wireformat",
        "wireformatversion",
    ],
    text: include_str!("../../../../../../docs/wire.md"),
}];

/// The page of that name.
pub(crate) fn find_topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// The pages that a query asks for.
pub(crate) fn topics_of(query: &str) -> Vec<&'static Topic> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split(|c: char| !c.is_alphanumeric()).collect();
    TOPICS.iter().filter(|topic| topic.words.iter().any(|word| words.contains(word))).collect()
}
