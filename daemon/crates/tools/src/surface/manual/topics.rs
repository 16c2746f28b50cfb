//! Pages of the manual that don't describe a single action.

/// One page.
#[derive(Debug)]
pub(crate) struct Topic {
    /// The name in a query.
    pub(crate) name: &'static str,
    /// A summary of the page, in one line.
    pub(crate) about: &'static str,
    /// Words of a query that lead to the page.
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

/// Returns the page of that name.
pub(crate) fn find_topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// Returns the pages that match a query.
pub(crate) fn topics_of(query: &str) -> Vec<&'static Topic> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split(|c: char| !c.is_alphanumeric()).collect();
    TOPICS.iter().filter(|topic| topic.words.iter().any(|word| words.contains(word))).collect()
}
