//! Names in a query: whoever writes a tool's name wants that tool.

use std::collections::BTreeMap;

use crate::doc::Doc;

/// A qualified name that is too long is advertised as this many characters of it, `_` and a hash.
const SHORTENED: usize = 33;
/// The length of that hash.
const HASH: usize = 6;
/// The end of the name of a tool's twin that takes all arguments in one string.
const TWIN: &str = "_raw";

/// Every spelling under which a tool is known.
pub(crate) struct Names {
    /// By its own name, folded.
    bare: BTreeMap<String, Vec<u32>>,
    /// With its key in front, folded.
    qualified: BTreeMap<String, Vec<u32>>,
}

impl Names {
    pub(crate) fn new(docs: &[Doc]) -> Self {
        let mut names = Self { bare: BTreeMap::new(), qualified: BTreeMap::new() };
        for (at, doc) in docs.iter().enumerate() {
            names.bare.entry(fold_name(&doc.name)).or_default().push(at as u32);
            let qualified = fold_name(&format!("{}_{}", doc.key, doc.name));
            names.qualified.entry(qualified).or_default().push(at as u32);
        }
        names.bare.remove("");
        names
    }

    /// Returns the docs that a query names, in the order of its words; where a name has several, all of them. A plain word, such
    /// as `fetch`, is a name only if it is the whole query.
    pub(crate) fn named_in(&self, query: &str) -> Vec<&[u32]> {
        let whole = query.trim();
        let parts = whole.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':')));
        let mut found: Vec<&[u32]> = Vec::new();
        for part in std::iter::once(whole).chain(parts) {
            let part = part.trim_matches(['.', ':', '/', '-']);
            if !part.is_empty() && (part == whole || is_identifier(part)) {
                found.extend(self.docs_of(part).filter(|docs| !found.contains(docs)));
            }
        }
        found
    }

    fn docs_of(&self, name: &str) -> Option<&[u32]> {
        let folded = fold_name(name);
        let plain = folded.strip_prefix("mcp_").unwrap_or(&folded);
        let untwinned = folded.strip_suffix(TWIN).unwrap_or(&folded);
        let spelled = [folded.as_str(), plain, untwinned];
        let known =
            spelled.into_iter().find_map(|name| self.qualified.get(name).or_else(|| self.bare.get(name)));
        known.map(Vec::as_slice).or_else(|| self.shortened(&folded))
    }

    /// Returns the docs of a name that was made shorter, or made different from another by a hash.
    fn shortened(&self, folded: &str) -> Option<&[u32]> {
        let (front, hash) = folded.rsplit_once('_')?;
        if hash.len() != HASH || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        if let Some(docs) = self.qualified.get(front) {
            return Some(docs);
        }
        if folded.len() != SHORTENED + 1 + HASH {
            return None;
        }
        let (name, docs) = self.qualified.range(front.to_owned()..).next()?;
        name.starts_with(front).then_some(docs.as_slice())
    }
}

/// Whether a part of a query can't be a plain word: it has a mark inside, or a capital after a small letter.
fn is_identifier(part: &str) -> bool {
    let has_hump = part.chars().zip(part.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    has_hump || part.contains(['.', '_', '-', '/', ':'])
}

/// The form in which names are compared: small letters, any run of marks as one `_`.
fn fold_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        } else if !folded.ends_with('_') {
            folded.push('_');
        }
    }
    folded.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(query: &str) -> Vec<u32> {
        let doc = |key: &str, name: &str| Doc { key: key.into(), name: name.into(), ..Doc::default() };
        let docs = [
            doc("git-hub", "create_issue"),
            doc("web", "fetch"),
            doc("notes", "getNote"),
            doc("fs", "fetch"),
            doc("a-server-with-a-long-key", "and_a_tool_with_a_long_name"),
        ];
        Names::new(&docs).named_in(query).concat()
    }

    #[test]
    fn every_spelling_of_a_name_is_known() {
        for query in [
            "create_issue",
            "CREATE_ISSUE",
            "git-hub/create_issue",
            "git_hub_create_issue",
            "git-hub.create-issue",
            "git-hub:create_issue",
            "mcp__git-hub__create_issue",
            "git_hub_create_issue_raw",
            "how does create_issue work?",
            "git_hub_create_issue_0a1b2c",
        ] {
            assert_eq!(named(query), [0], "{query}");
        }
        assert_eq!(named("use getNote"), [2]);
        assert_eq!(named("a_server_with_a_long_key_and_a_to_12ab90"), [4]);
    }

    #[test]
    fn a_plain_word_is_a_name_only_alone() {
        assert_eq!(named(" fetch "), [1, 3]);
        assert_eq!(named("fetch a page"), Vec::<u32>::new());
        assert_eq!(named("web/fetch"), [1]);
        assert_eq!(named("git_hub_create_issue_zzzzzz"), Vec::<u32>::new());
    }
}
