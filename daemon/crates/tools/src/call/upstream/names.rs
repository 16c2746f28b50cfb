//! The names of upstream tools: those that are advertised, and all others by which a call finds one.

use crate::call::names::{RAW, fold_name};

/// Longer names are refused by some clients.
const LONGEST: usize = 40;
/// Of a longer name this much stays, before a mark that tells it from others.
const KEPT: usize = 33;
/// Characters of the mark.
const MARK: usize = 6;

/// Returns the name that a tool has if nobody else has it: `github_create_issue`.
pub(crate) fn plain_name(key: &str, tool: &str) -> String {
    let name = squeeze(&format!("{}_{tool}", sdl_settings::fold_key(key)));
    if name.len() <= LONGEST { name } else { marked_name(key, tool) }
}

/// Returns the name that a tool has if another has its plain one: with a mark of its own.
pub(crate) fn marked_name(key: &str, tool: &str) -> String {
    let name = squeeze(&format!("{}_{tool}", sdl_settings::fold_key(key)));
    let start: String = name.chars().take(KEPT).collect();
    let hash = blake3::hash(format!("{key}\0{tool}").as_bytes()).to_hex();
    format!("{}_{}", start.trim_end_matches('_'), hash.get(..MARK).unwrap_or_default())
}

/// Characters that clients accept, and one `_` for each run of others.
fn squeeze(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    out
}

/// The ways in which a caller can name a tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spelling<'a> {
    /// The name without the suffix of a raw twin.
    pub(crate) name: &'a str,
    /// Whether the arguments come as one payload.
    pub(crate) raw: bool,
}

/// Returns the readings of a name, in the order in which they are tried: as it is, then as that of a raw twin.
pub(crate) fn spellings(name: &str) -> impl Iterator<Item = Spelling<'_>> {
    let twin = name.strip_suffix(RAW).map(|name| Spelling { name, raw: true });
    std::iter::once(Spelling { name, raw: false }).chain(twin)
}

/// Returns the pairs of key and tool that a qualified name may mean: `key/tool`, `key.tool`, `key:tool`, `mcp__key__tool`.
pub(crate) fn qualified_pairs(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let mcp = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    // A key has none of these characters, so the first one ends it.
    let split = name.split_once(['/', '.', ':']);
    mcp.into_iter().chain(split)
}

/// Returns the key of the upstream that a name of nothing points to: a key before a separator, or at the start of an advertised
/// name.
pub(crate) fn likely_key<'k>(name: &str, keys: &mut dyn Iterator<Item = &'k str>) -> Option<&'k str> {
    let keys: Vec<(&str, String)> = keys.map(|key| (key, sdl_settings::fold_key(key))).collect();
    let mut named = qualified_pairs(name).map(|(key, _)| sdl_settings::fold_key(key));
    let named = named.find_map(|named| keys.iter().find(|(_, folded)| *folded == named));
    let begins = || {
        let name = name.to_lowercase();
        let begins = keys.iter().filter(|(_, folded)| {
            name.strip_prefix(folded.as_str()).is_some_and(|rest| rest.starts_with('_'))
        });
        begins.max_by_key(|(key, _)| key.len())
    };
    named.or_else(begins).map(|(key, _)| *key)
}

/// Whether an advertised name can be mistaken for one of ours.
pub(crate) fn is_ours(name: &str, ours: &dyn Fn(&str) -> bool) -> bool {
    name.starts_with("sdl_") || ours(&fold_name(name)) || ours(&fold_name(&format!("{name}{RAW}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_what_clients_accept() {
        assert_eq!(plain_name("github", "create_issue"), "github_create_issue");
        assert_eq!(plain_name("My-Files", "read file!!now"), "my_files_read_file_now");
        let long = plain_name("browser", "take_a_screenshot_of_the_whole_page_with_all_frames");
        assert!(long.len() <= LONGEST && long.len() > KEPT, "{long}");
        assert!(long.starts_with("browser_take_a_screenshot_of_the_"), "{long}");
        assert_ne!(long, plain_name("browser", "take_a_screenshot_of_the_whole_page_with_no_frames"));
    }

    #[test]
    fn a_qualified_name_is_read_in_every_spelling() {
        for name in ["fs/read_file", "fs.read_file", "fs:read_file", "mcp__fs__read_file"] {
            assert_eq!(qualified_pairs(name).next(), Some(("fs", "read_file")), "{name}");
        }
        assert_eq!(qualified_pairs("fs/a.b:c").next(), Some(("fs", "a.b:c")));
        assert_eq!(qualified_pairs("read_file").next(), None);
    }

    proptest! {
        #[test]
        fn every_tool_has_a_name_that_clients_accept(key in "[A-Za-z0-9][A-Za-z0-9_-]{0,31}", tool in ".{1,60}") {
            for name in [plain_name(&key, &tool), marked_name(&key, &tool)] {
                prop_assert!(name.len() <= LONGEST, "{}", name);
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{}", name);
                prop_assert!(!name.contains("__"), "{}", name);
            }
        }
    }
}
